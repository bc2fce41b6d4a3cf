// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Which tables are open, and how they come and go.

#[cfg(test)]
mod tests;

use super::Core;
use crate::catalog::{family_name, Record};
use crate::error::{EngineError, Result};
use crate::schema::{self, SchemaRequest};
use crate::sys::FamilyHandle;
use crate::table::{ColumnFamily, Table, TableCore};
use std::collections::HashMap;
use std::sync::{Arc, MutexGuard};

/// Open generations by table, the current one last.
#[derive(Default)]
pub(super) struct Tables {
    open: HashMap<Vec<u8>, Vec<(u64, Arc<Table>)>>,
    /// Families of generations that could not be named in the catalog, by name.
    failed: HashMap<String, FamilyHandle>,
}

impl Tables {
    pub(super) fn add(&mut self, id: &[u8], generation: u64, table: &Arc<Table>) {
        self.open.entry(id.to_vec()).or_default().push((generation, Arc::clone(table)));
    }

    fn current(&self, id: &[u8]) -> Option<&Arc<Table>> {
        self.open.get(id)?.last().map(|(_, table)| table)
    }
}

impl Core {
    pub(super) fn tables(&self) -> Result<MutexGuard<'_, Tables>> {
        self.tables.lock().map_err(|_| EngineError::poisoned())
    }

    /// Runs `work` for every open generation, without holding the list.
    pub(crate) fn each_table(&self, mut work: impl FnMut(&Arc<Table>) -> Result<()>) -> Result<()> {
        let all: Vec<Arc<Table>> = self.tables()?.open.values().flatten().map(|(_, table)| Arc::clone(table)).collect();
        for table in &all {
            match work(table) {
                // Dropped or retired meanwhile.
                Err(EngineError::Closed(_)) => {}
                other => other?,
            }
        }
        Ok(())
    }

    pub(super) fn close_tables(&self) -> Result<()> {
        let all = std::mem::take(&mut *self.tables()?).open;
        for (_, table) in all.values().flatten() {
            drop(table.close()?);
        }
        Ok(())
    }

    /// Opens, or creates, the current generation of a table.
    pub(super) fn open_table(self: &Arc<Self>, request: &SchemaRequest<'_>) -> Result<Arc<Table>> {
        let mut tables = self.tables()?;
        if let Some(table) = tables.current(request.id).map(Arc::clone) {
            drop(tables); // never wait for a table while holding the list: others do it the other way round
            let record = schema::update(&self.catalog, request)?;
            table.shared(|core| {
                core.set_dropped(&record.dropped());
                Ok(())
            })?;
            return Ok(table);
        }
        let record = request.new_record()?;
        let table =
            self.new_generation(&mut tables, request.id, &record, |record| self.catalog.insert(request.id, record))?;
        tables.add(request.id, record.generation, &table);
        Ok(table)
    }

    /// Replaces a table's current generation by an empty one.
    pub(crate) fn truncate(self: &Arc<Self>, old: &TableCore) -> Result<Arc<Table>> {
        let mut tables = self.tables()?;
        self.check_open()?; // closing has taken the list, or will
        let mut record = self.catalog.get(old.id())?.ok_or_else(EngineError::closed)?;
        if record.generation != old.generation() {
            let why = "the table has been truncated already: truncate the handle that this returned";
            return Err(EngineError::Invalid(why.into()));
        }
        record.renew(old.generation() + 1);
        let generation = record.generation;
        let table = self.new_generation(&mut tables, old.id(), &record, |new| {
            // Only what truncation changes: columns may have come and gone meanwhile.
            let change = |record: &mut Record| {
                record.renew(new.generation);
                Ok(())
            };
            self.catalog.update(old.id(), change).map(drop)
        })?;
        tables.add(old.id(), generation, &table);
        Ok(table)
    }

    /// The column family first, then the record that names it: what a crash leaves unnamed is dropped at the next start.
    fn new_generation(
        self: &Arc<Self>,
        tables: &mut Tables,
        id: &[u8],
        record: &Record,
        name_it: impl FnOnce(Record) -> Result<()>,
    ) -> Result<Arc<Table>> {
        let name = family_name(id, record.generation, record.base);
        let (purge, options) = ColumnFamily::options(self, &name)?;
        if let Some(failed) = tables.failed.get(&name) {
            failed.delete(&name).map_err(|error| error.context("creating a table again"))?;
            self.retirement.add(failed.clone());
            tables.failed.remove(&name);
        }
        self.drop_leftovers(); // one of them may have the name
        self.db.create_cf(&name, &options).map_err(|error| EngineError::from(error).context("creating a table"))?;
        let family = FamilyHandle::named(&self.db, &name)?;
        let made = TableCore::open(self, id, record, |_| Ok(Arc::clone(&purge))).and_then(|core| {
            name_it(record.clone())?;
            Ok(Table::new(core))
        });
        if made.is_err() {
            // The device may have the record although writing it failed, and a store that has a record without its
            // family does not start. A family without its record is dropped at the next start.
            tables.failed.insert(name, family);
        }
        made
    }

    /// Forgets a closed generation.
    pub(crate) fn forget(&self, id: &[u8], generation: u64) -> Result<()> {
        let mut tables = self.tables()?;
        if let Some(generations) = tables.open.get_mut(id) {
            generations.retain(|(open, _)| *open != generation);
        }
        Ok(())
    }

    pub(super) fn drop_table(&self, id: &[u8]) -> Result<()> {
        let generations = {
            let mut tables = self.tables()?;
            // The record first: a crash in between leaves families that nothing names.
            self.catalog.remove(id)?;
            tables.open.remove(id).unwrap_or_default()
        };
        let drop = |table: Arc<Table>| table.close()?.map_or(Ok(()), |families| families.delete(self));
        let dropped = generations.into_iter().map(|(_, table)| drop(table)).fold(Ok(()), Result::and);
        dropped.map_err(|error| error.context("dropping a table"))
    }
}
