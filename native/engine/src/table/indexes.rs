// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The indexes of a table generation. Each is a table of its own, with one column family, that lives and goes with the
//! generation. What a row's entries are is the caller's business; this knows whether every row has had some.

use super::{Table, TableCore};
use crate::error::{EngineError, Kind, Result};
use crate::log::log;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// An index of a generation.
#[derive(Clone)]
pub(crate) struct AttachedIndex {
    /// See [`crate::catalog::Record::add_index`].
    pub number: u32,
    pub name: String,
    pub table: Arc<Table>,
    complete: Arc<AtomicBool>,
    missed_writes: Arc<AtomicU64>,
    missed_loads: Arc<AtomicU64>,
}

/// How often rows have come without entries for an index, since its table was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Missed {
    /// Writes, of any row.
    pub writes: u64,
    /// Shipments and snapshots: the caller knows of which rows.
    pub bulk_loads: u64,
}

impl AttachedIndex {
    pub(crate) fn new(number: u32, name: &str, complete: bool, table: Arc<Table>) -> AttachedIndex {
        AttachedIndex {
            number,
            name: name.to_owned(),
            table,
            complete: Arc::new(AtomicBool::new(complete)),
            missed_writes: Arc::default(),
            missed_loads: Arc::default(),
        }
    }

    /// Whether each row of the table has its entries.
    pub(crate) fn is_complete(&self) -> bool {
        self.complete.load(Ordering::Acquire)
    }

    pub(crate) fn missed(&self) -> Missed {
        Missed {
            writes: self.missed_writes.load(Ordering::Acquire),
            bulk_loads: self.missed_loads.load(Ordering::Acquire),
        }
    }
}

/// All of a generation, as the catalog names them.
#[derive(Default)]
pub(crate) struct Indexes {
    attached: RwLock<Attached>,
    /// So that tables without indexes pay for one load only.
    any: AtomicBool,
}

#[derive(Default)]
struct Attached {
    all: Arc<Vec<AttachedIndex>>,
    /// No index of the table has had this number, nor a larger one.
    next_number: u32,
}

impl Indexes {
    pub(crate) fn all(&self) -> Result<Arc<Vec<AttachedIndex>>> {
        match self.any.load(Ordering::Acquire) {
            true => Ok(Arc::clone(&self.shared_lock()?.all)),
            false => Ok(Arc::default()),
        }
    }

    pub(crate) fn find(&self, name: &str) -> Result<AttachedIndex> {
        let found = self.all()?.iter().find(|index| index.name == name).cloned();
        found.ok_or_else(|| EngineError::closed(format!("the table has no index {name}: it was dropped")))
    }

    pub(crate) fn is_complete(&self, number: u32) -> Result<bool> {
        let all = self.all()?;
        let found = all.iter().find(|index| index.number == number).map(AttachedIndex::is_complete);
        found.ok_or_else(|| EngineError::closed(format!("the table has no index of number {number}: it was dropped")))
    }

    /// An error where the number is of no index that the table has, or has had.
    pub(crate) fn check_number(&self, number: u32) -> Result<()> {
        if number < self.shared_lock()?.next_number {
            return Ok(());
        }
        Err(EngineError::invalid(format!("the table never had an index of number {number}")))
    }

    pub(crate) fn set(&self, all: Vec<AttachedIndex>, next_number: u32) -> Result<()> {
        let mut attached = self.exclusive_lock()?;
        self.any.store(next_number > crate::catalog::FIRST_INDEX, Ordering::Release);
        *attached = Attached { all: Arc::new(all), next_number };
        Ok(())
    }

    /// Forgets the index of this number, if it is there.
    pub(crate) fn forget(&self, number: u32) -> Result<()> {
        let mut attached = self.exclusive_lock()?;
        let left = attached.all.iter().filter(|index| index.number != number).cloned().collect();
        attached.all = Arc::new(left);
        Ok(())
    }

    fn shared_lock(&self) -> Result<RwLockReadGuard<'_, Attached>> {
        self.attached.read().map_err(|_| EngineError::poisoned())
    }

    fn exclusive_lock(&self) -> Result<RwLockWriteGuard<'_, Attached>> {
        self.attached.write().map_err(|_| EngineError::poisoned())
    }
}

/// Runs work on each index. One that is dropped meanwhile needs none.
pub(crate) fn each_open(indexes: &[AttachedIndex], work: impl Fn(&Table) -> Result<()>) -> Result<()> {
    indexes.iter().try_for_each(|index| match work(&index.table) {
        Err(EngineError { kind: Kind::Closed, .. }) => Ok(()),
        other => other,
    })
}

impl TableCore {
    /// Before rows are written without entries for the indexes that `has_entries` denies: such an index is not complete
    /// from now on, durably.
    pub(crate) fn note_write(&self, has_entries: impl Fn(u32) -> bool) -> Result<()> {
        self.note_missing_entries(has_entries, |index| &index.missed_writes)
    }

    /// The same before rows come as files, which have entries for no index.
    pub(crate) fn note_bulk_load(&self) -> Result<()> {
        self.note_missing_entries(|_| false, |index| &index.missed_loads)
    }

    fn note_missing_entries(
        &self,
        has_entries: impl Fn(u32) -> bool,
        missed: impl Fn(&AttachedIndex) -> &AtomicU64,
    ) -> Result<()> {
        if !self.indexes().any.load(Ordering::Acquire) {
            return Ok(());
        }
        let attached = self.indexes().shared_lock()?; // nobody completes an index meanwhile
        attached.all.iter().filter(|index| !has_entries(index.number)).try_for_each(|index| {
            missed(index).fetch_add(1, Ordering::AcqRel);
            self.mark_incomplete(index)
        })
    }

    fn mark_incomplete(&self, index: &AttachedIndex) -> Result<()> {
        if !index.is_complete() {
            return Ok(());
        }
        self.record_complete(index, false)?;
        index.complete.store(false, Ordering::Release);
        log(format_args!("index {} has no entries for rows that have come; it is to be built again", index.name));
        Ok(())
    }

    /// See [`Table::complete_index`].
    pub(crate) fn complete_index(&self, number: u32, missed: Missed) -> Result<bool> {
        self.indexes().check_number(number)?;
        let attached = self.indexes().exclusive_lock()?;
        let Some(index) = attached.all.iter().find(|index| index.number == number) else {
            return Ok(true);
        };
        if index.missed() != missed {
            return Ok(false);
        }
        self.record_complete(index, true)?;
        index.complete.store(true, Ordering::Release);
        Ok(true)
    }

    fn record_complete(&self, index: &AttachedIndex, complete: bool) -> Result<()> {
        if !self.is_current()? {
            return Ok(()); // truncated: nobody asks any more
        }
        self.store().catalog.update(self.id(), |record| {
            let generation = record.generation;
            let named = record.indexes.iter_mut().find(|named| named.number == index.number);
            if let (Some(named), true) = (named, generation == self.generation()) {
                named.complete = complete;
            }
            Ok(())
        })?;
        Ok(())
    }
}
