// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Flushes: a table's memtables become files.

use crate::error::{EngineError, Kind, Result};
use crate::table::{Table, TableCore};
use rocksdb::ErrorKind;

impl Table {
    /// Writes the memtables of the table and its indexes to files.
    pub fn flush(&self) -> Result<()> {
        self.flush_if(|_| true)?;
        for index in self.shared(|core| core.indexes().all())?.iter() {
            match index.table.flush_if(|_| true) {
                Err(EngineError { kind: Kind::Closed, .. }) => {} // dropped
                other => other?,
            }
        }
        Ok(())
    }

    /// Flushes if there are writes that no log has.
    pub(crate) fn flush_unlogged(&self) -> Result<()> {
        self.flush_if(|unlogged| unlogged)
    }

    fn flush_if(&self, wanted: impl FnOnce(bool) -> bool) -> Result<()> {
        // Under one lock: a later write without a log goes into a column family of the copy, or sets the mark again.
        self.on_copy_with(TableCore::take_unlogged, |copy, unlogged| {
            let flushed = if wanted(unlogged) { copy.flush() } else { Ok(()) };
            if unlogged && flushed.is_err() {
                copy.mark_unlogged();
            }
            flushed
        })
    }
}

impl TableCore {
    /// Writes the memtables to files.
    pub(crate) fn flush(&self) -> Result<()> {
        for family in self.column_families().all() {
            match self.store().db.flush_cf(&family.handle) {
                // A side column family that has been merged in meanwhile.
                Err(error) if error.kind() == ErrorKind::ColumnFamilyDropped => {}
                other => other.map_err(|error| EngineError::from(error).context("flushing a table"))?,
            }
        }
        Ok(())
    }
}
