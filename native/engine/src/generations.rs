// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! How the generations of tables come and go.

mod indexes;
#[cfg(test)]
mod tests;

pub use indexes::IndexState;

use crate::catalog::{family_name, index_id, Record};
use crate::error::{EngineError, Result};
use crate::raw::sys::FamilyHandle;
use crate::read::close_cursors;
use crate::schema::{self, SchemaRequest};
use crate::store_core::StoreCore;
use crate::table::{ColumnFamilies, ColumnFamily, FoundFamily, Generations, OpenTables, Table, TableCore};
use std::sync::Arc;

impl Table {
    /// Starts an empty generation, durably, and returns it. This one stays readable until [`Table::retire`].
    pub fn truncate(&self) -> Result<Arc<Table>> {
        self.on_copy(|core| truncate(core.store(), core))
    }

    /// Deletes the files of a generation that [`Table::truncate`] replaced; this handle is closed from now on.
    pub fn retire(&self) -> Result<()> {
        let (store, tables, id, generation) = self.shared(|core| {
            if core.is_current()? {
                let why = "this is the table's current generation: truncate or drop the table instead";
                return Err(EngineError::invalid(why));
            }
            Ok((Arc::clone(core.store()), Arc::clone(core.tables()), core.id().to_vec(), core.generation()))
        })?;
        let families = self.close()?;
        let indexes = {
            let mut generations = tables.lock()?;
            generations.forget(&id, generation);
            generations.remove_generation_of_indexes(&id, generation)
        };
        let deleted = families.map_or(Ok(()), |families| families.delete(&store));
        deleted.and(indexes::delete_all(&store, indexes)).map_err(|error| error.context("dropping an old generation"))
    }

    /// Closes the table after running calls have ended, and its cursors; its column families, where it was open.
    pub(crate) fn close(&self) -> Result<Option<ColumnFamilies>> {
        self.close_with(close_cursors)
    }
}

/// Opens, or creates, the current generation of a table.
pub(crate) fn open_table(
    store: &Arc<StoreCore>,
    tables: &Arc<OpenTables>,
    request: &SchemaRequest<'_>,
) -> Result<Arc<Table>> {
    let mut generations = tables.lock()?;
    store.keys.set(request.id, request.key);
    if let Some(table) = generations.current(request.id).map(Arc::clone) {
        drop(generations); // never wait for a table under this lock: other threads take the two in the other order
        let record = schema::update(&store.catalog, request)?;
        table.shared(|core| {
            core.set_dropped(&record.dropped());
            Ok(())
        })?;
        return Ok(table);
    }
    let record = request.new_record()?;
    let insert = |record| store.catalog.insert(request.id, record);
    let table = new_generation((store, tables), &mut generations, (request.id, &record), true, insert)?;
    generations.add(request.id, record.generation, &table);
    Ok(table)
}

/// Closes all tables of a store that is closing.
pub(crate) fn close_all(tables: &OpenTables) -> Result<()> {
    let all = tables.lock()?.take_all();
    for table in all {
        drop(table.close()?);
    }
    Ok(())
}

/// Drops a table: all generations, record and files.
pub(crate) fn drop_table(store: &StoreCore, tables: &OpenTables, id: &[u8]) -> Result<()> {
    let generations = {
        let mut generations = tables.lock()?;
        // The record first: a crash in between leaves column families that nothing names.
        store.catalog.remove(id)?;
        let mut all = generations.remove(id);
        all.extend(generations.remove_indexes(id));
        all
    };
    let deleted = indexes::delete_all(store, generations).map_err(|error| error.context("dropping a table"));
    store.increments.forget(id);
    store.keys.remove(id);
    deleted
}

/// Replaces a table's current generation by an empty one.
fn truncate(store: &Arc<StoreCore>, old: &TableCore) -> Result<Arc<Table>> {
    let mut generations = old.tables().lock()?;
    store.check_open()?; // closing has taken the list, or will
    let mut record = store.catalog.get(old.id())?.ok_or_else(EngineError::has_closed)?;
    if record.generation != old.generation() {
        let why = "the table has been truncated already: truncate the handle that this returned";
        return Err(EngineError::invalid(why));
    }
    record.renew(old.generation() + 1);
    let generation = record.generation;
    let on = old.automatic_compaction().is_on()?;
    let indexes = indexes::renew_all(old, &mut generations, &record)?;
    let made = new_generation((store, old.tables()), &mut generations, (old.id(), &record), on, |new| {
        // Only what truncation changes: columns may have come and gone meanwhile.
        let change = |now: &mut Record| {
            now.renew(new.generation);
            now.take_completeness(&record);
            Ok(())
        };
        store.catalog.update(old.id(), change).map(drop)
    });
    let table = match made {
        Ok(table) => table,
        Err(error) => {
            indexes::give_up(old, &mut generations, &record, indexes);
            return Err(error);
        }
    };
    generations.add(old.id(), generation, &table);
    for index in &indexes {
        generations.add(&index_id(old.id(), &index.name), generation, &index.table);
    }
    table.shared(|core| core.indexes().set(indexes, record.next_index))?;
    Ok(table)
}

/// The column family first, then the record that names it: what a crash leaves unnamed is dropped at the next start.
fn new_generation(
    (store, tables): (&Arc<StoreCore>, &Arc<OpenTables>),
    generations: &mut Generations,
    (id, record): (&[u8], &Record),
    automatic_compaction: bool,
    name_it: impl FnOnce(Record) -> Result<()>,
) -> Result<Arc<Table>> {
    let name = family_name(id, record.generation, record.base);
    let (purge, options) = ColumnFamily::options(store, &name, automatic_compaction)?;
    if let Some(failed) = generations.failed.get(&name) {
        failed.delete(&name).map_err(|error| error.context("creating a table again"))?;
        store.retirement.add(&name, failed.clone());
        generations.failed.remove(&name);
    }
    store.drop_leftovers(); // one of them may have the name
    let family = FamilyHandle::create(&store.db, &name, &options).map_err(|error| {
        if let Some(family) = FamilyHandle::half_made(&store.db, &name) {
            generations.failed.insert(name.clone(), family);
        }
        error.context("creating a table")
    })?;
    let find = |_: &str| Ok(FoundFamily { handle: family.clone(), purge: Arc::clone(&purge) });
    let opened = TableCore::open(store, tables, id, record, automatic_compaction, find);
    let made = opened.and_then(|core| {
        name_it(record.clone())?;
        Ok(Table::new(core))
    });
    if made.is_err() {
        // The device may have the record although writing it failed, and a store that has a record without its
        // column family does not start. A column family without its record is dropped at the next start.
        generations.failed.insert(name, family);
    }
    made
}
