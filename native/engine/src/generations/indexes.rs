// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The indexes of tables: made and dropped one by one, else with the generation that they belong to.

use super::new_generation;
use crate::catalog::{family_name, index_id, Record};
use crate::error::{EngineError, Result};
use crate::store_core::StoreCore;
use crate::table::{AttachedIndex, Generations, Missed, Table, TableCore};
use std::sync::Arc;

const NAME_BYTES_MAX: usize = 1 << 10;

/// What is known of an index.
pub struct IndexState {
    /// No other index of the table has had it; requests name the index by it.
    pub number: u32,
    /// Whether each row of the table has its entries.
    pub complete: bool,
    /// What has come without entries for it.
    pub missed: Missed,
}

impl Table {
    /// Makes an index, durably, where the table has none of the name; its state. It is not complete at first.
    pub fn create_index(&self, name: &str) -> Result<IndexState> {
        if name.is_empty() || name.len() > NAME_BYTES_MAX {
            return Err(EngineError::invalid("an index has a name of at most 1 KiB"));
        }
        self.on_copy(|core| create(core, name))?;
        self.index_state(name)
    }

    /// Drops an index, durably; unknown ones are fine.
    pub fn drop_index(&self, name: &str) -> Result<()> {
        let (store, detached) = self.on_copy(|core| Ok((Arc::clone(core.store()), detach(core, name)?)))?;
        // Not under the lock of all tables: other threads take the two in the other order.
        if let (Some(number), Some(current)) = (detached.number, detached.current) {
            current.shared(|core| core.indexes().forget(number))?;
        }
        delete_all(&store, detached.generations).map_err(|error| error.context("dropping an index"))
    }

    /// The table that holds an index's entries for this generation.
    pub fn index(&self, name: &str) -> Result<Arc<Table>> {
        self.shared(|core| core.indexes().find(name).map(|index| index.table))
    }

    /// See [`IndexState`].
    pub fn index_state(&self, name: &str) -> Result<IndexState> {
        self.shared(|core| {
            let index = core.indexes().find(name)?;
            Ok(IndexState { number: index.number, complete: index.is_complete(), missed: index.missed() })
        })
    }

    /// Whether each row has its entries of the index of this number: what a query asks first.
    pub fn index_is_complete(&self, number: u32) -> Result<bool> {
        self.shared(|core| core.indexes().is_complete(number))
    }

    /// The names of the indexes.
    pub fn index_names(&self) -> Result<Vec<String>> {
        self.shared(|core| Ok(core.indexes().all()?.iter().map(|index| index.name.clone()).collect()))
    }

    /// Marks an index complete, durably; false if rows have come without entries since `missed` was so. An index that
    /// was dropped meanwhile is fine, and one made anew under its name is another one.
    pub fn complete_index(&self, number: u32, missed: Missed) -> Result<bool> {
        self.on_copy(|core| core.complete_index(number, missed))
    }
}

fn create(core: &TableCore, name: &str) -> Result<()> {
    let store = core.store();
    let mut generations = core.tables().lock()?;
    store.check_open()?;
    let mut record = store.catalog.get(core.id())?.ok_or_else(EngineError::has_closed)?;
    if record.generation != core.generation() {
        return Err(EngineError::closed("the table has been truncated"));
    }
    if record.index(name.as_bytes()).is_some() {
        return Ok(());
    }
    let number = record.add_index(name)?;
    let compacted = core.automatic_compaction().is_on()?;
    let index =
        record.index(name.as_bytes()).map(|index| record.of_index(index)).ok_or_else(EngineError::has_closed)?;
    let id = index_id(core.id(), name);
    let table = new_generation((store, core.tables()), &mut generations, (&id, &index), compacted, |_| {
        let change = |record: &mut Record| record.add_index(name).map(drop);
        store.catalog.update(core.id(), change).map(drop)
    })?;
    generations.add(&id, record.generation, &table);
    let mut all = core.indexes().all()?.to_vec();
    all.push(AttachedIndex::new(number, name, false, table));
    core.indexes().set(all, record.next_index)
}

/// An index that the catalog has forgotten.
struct Detached {
    /// `None`: there was none of the name.
    number: Option<u32>,
    /// Of the table: a TRUNCATE may have come before, and its new generation has the index, too.
    current: Option<Arc<Table>>,
    /// Of the index; they are still open.
    generations: Vec<Arc<Table>>,
}

/// Forgets an index, durably.
fn detach(core: &TableCore, name: &str) -> Result<Detached> {
    let mut generations = core.tables().lock()?;
    let mut number = None;
    core.store().catalog.update(core.id(), |record| {
        number = record.index(name.as_bytes()).map(|index| index.number);
        record.indexes.retain(|index| index.name != name);
        Ok(())
    })?;
    if let Some(number) = number {
        core.indexes().forget(number)?;
    }
    let current = generations.current(core.id()).map(Arc::clone);
    Ok(Detached { number, current, generations: generations.remove(&index_id(core.id(), name)) })
}

/// Closes tables that nothing names any more, and deletes their column families.
pub(super) fn delete_all(store: &StoreCore, tables: Vec<Arc<Table>>) -> Result<()> {
    let delete = |table: Arc<Table>| table.close()?.map_or(Ok(()), |families| families.delete(store));
    tables.into_iter().map(delete).fold(Ok(()), Result::and)
}

/// Makes empty generations of the indexes that a new record names; nothing names them before the record is stored.
pub(super) fn renew_all(old: &TableCore, generations: &mut Generations, record: &Record) -> Result<Vec<AttachedIndex>> {
    let mut made = Vec::new();
    for index in &record.indexes {
        let id = index_id(old.id(), &index.name);
        let on = old.automatic_compaction().is_on()?;
        let of_index = record.of_index(index);
        let table = new_generation((old.store(), old.tables()), generations, (&id, &of_index), on, |_| Ok(()));
        match table {
            Ok(table) => made.push(AttachedIndex::new(index.number, &index.name, index.complete, table)),
            Err(error) => {
                give_up(old, generations, record, made);
                return Err(error);
            }
        }
    }
    Ok(made)
}

/// What [`renew_all`] has made goes again: with the next column family of its name, or the next start.
pub(super) fn give_up(old: &TableCore, generations: &mut Generations, record: &Record, made: Vec<AttachedIndex>) {
    for index in made {
        let name = family_name(&index_id(old.id(), &index.name), record.generation, index.number);
        if let Ok(family) = index.table.shared(|core| Ok(core.family().clone())) {
            generations.failed.insert(name, family);
        }
    }
}
