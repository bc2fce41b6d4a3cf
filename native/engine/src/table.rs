// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! One generation of a table: its column families, its columns, and the locks that calls share. What is done to a table
//! lies in the modules above, each with an `impl Table` of its own.

mod automatic_compaction;
mod cancellation;
mod change_lock;
mod column_families;
mod columns;
mod core;
mod counters;
mod headers;
mod indexes;
mod open_tables;
mod readers;
mod row_columns;
mod running;
#[cfg(test)]
mod tests;
mod verifications;

pub(crate) use self::core::TableCore;
pub(crate) use change_lock::{MergeInProgress, PinnedColumnFamilies};
pub(crate) use column_families::{ColumnFamilies, ColumnFamily, FoundFamily, FrozenFamilies, VERSION};
pub(crate) use counters::Sample;
pub use indexes::Missed;
pub(crate) use indexes::{each_open, AttachedIndex};
pub(crate) use open_tables::{Generations, OpenTables};
pub(crate) use verifications::Progress;

use crate::error::{EngineError, Result};
use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use std::time::{Duration, Instant};

/// How long a change of the column families tries for the exclusive lock before it queues, and how often.
const TRY_MAX: Duration = Duration::from_secs(1);
const RETRY: Duration = Duration::from_millis(1);

/// A table generation. Every method may be called from any thread; once the store or the table has been closed all
/// answer [`crate::Kind::Closed`].
pub struct Table {
    /// Shared by short calls; exclusive for a change of the column families. A write waits for a common sync and for
    /// the memtables without it. Of the device wait under it only: a read, for one chunk of its answer; a write, for its
    /// record in the log; and what happens once in a generation or on an operator's word (the first record of contents, a
    /// switch of automatic compaction). All else that reads or writes files works on a copy.
    live: RwLock<Option<TableCore>>,
    /// Shared by long-running work, which works on a copy: only closing waits for it. Taken before `live`, never while
    /// holding that.
    long_running: RwLock<()>,
}

/// Keeps a table open, and its column families as they are.
pub(crate) struct Held<'a>(RwLockReadGuard<'a, Option<TableCore>>);

impl Held<'_> {
    pub(crate) fn core(&self) -> Option<&TableCore> {
        self.0.as_ref()
    }
}

impl Table {
    pub(crate) fn new(core: TableCore) -> Arc<Table> {
        Arc::new(Table { live: RwLock::new(Some(core)), long_running: RwLock::new(()) })
    }

    /// Runs short work while the table stays open and its column families stay as they are.
    pub(crate) fn shared<T>(&self, work: impl FnOnce(&TableCore) -> Result<T>) -> Result<T> {
        let live = self.live.read().map_err(|_| EngineError::poisoned())?;
        work(live.as_ref().ok_or_else(EngineError::has_closed)?)
    }

    /// Keeps the table open for short work; none where it is closed.
    pub(crate) fn hold(&self) -> Result<Option<Held<'_>>> {
        let held = Held(self.live.read().map_err(|_| EngineError::poisoned())?);
        Ok(held.core().is_some().then_some(held))
    }

    /// As [`Table::shared`], but `None` where that would have to wait.
    pub(crate) fn try_shared<T>(&self, work: impl FnOnce(&TableCore) -> Result<T>) -> Option<Result<T>> {
        match self.live.try_read() {
            Ok(live) => Some(live.as_ref().ok_or_else(EngineError::has_closed).and_then(work)),
            Err(TryLockError::Poisoned(_)) => Some(Err(EngineError::poisoned())),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Runs long work on a copy of the table's state, while the table stays open. Not to be nested.
    pub(crate) fn on_copy<T>(&self, work: impl FnOnce(&TableCore) -> Result<T>) -> Result<T> {
        self.on_copy_with(|_| (), |copy, ()| work(copy))
    }

    /// As [`Table::on_copy`], with what `prepare` has found under the lock under which the copy was made.
    pub(crate) fn on_copy_with<P, T>(
        &self,
        prepare: impl FnOnce(&TableCore) -> P,
        work: impl FnOnce(&TableCore, P) -> Result<T>,
    ) -> Result<T> {
        let _long_running = self.long_running.read().map_err(|_| EngineError::poisoned())?;
        let (prepared, copy) = self.shared(|core| Ok((prepare(core), core.clone())))?;
        work(&copy, prepared)
    }

    /// Runs work that reads from all column families on a copy of the table's state; again where these have changed
    /// meanwhile, for they would not be one view. For long-running work, which keeps the table open.
    pub(crate) fn on_present_families<T>(&self, work: impl Fn(&TableCore) -> Result<T>) -> Result<T> {
        loop {
            let copy = self.shared(|core| Ok(core.clone()))?;
            let done = work(&copy)?;
            if self.shared(|core| Ok(core.column_families().are_those_of(copy.column_families())))? {
                return Ok(done);
            }
        }
    }

    /// A copy of the table's state, and what keeps its column families in place. For long work: others may only add
    /// more.
    pub(crate) fn with_column_families_pinned(&self, core: &TableCore) -> Result<(TableCore, PinnedColumnFamilies)> {
        self.with_column_families_pinned_after(core, |_| ()).map(|(core, pinned, ())| (core, pinned))
    }

    /// The same, with what `prepare` has found while nobody else changes the column families or ingests into them.
    pub(crate) fn with_column_families_pinned_after<P>(
        &self,
        core: &TableCore,
        prepare: impl FnOnce(&TableCore) -> P,
    ) -> Result<(TableCore, PinnedColumnFamilies, P)> {
        let change_lock = core.change_lock()?;
        let pinned = core.pin_column_families(&change_lock);
        let copy = self.shared(|core| Ok(core.clone()))?;
        let prepared = prepare(&copy);
        Ok((copy, pinned, prepared))
    }

    /// Changes the column families while no short call runs. For the holder of [`TableCore::change_lock`].
    pub(crate) fn exclusive<T>(&self, change: impl FnOnce(&mut TableCore) -> Result<T>) -> Result<T> {
        let mut live = self.exclusive_lock()?;
        let core = live.as_mut().ok_or_else(EngineError::has_closed)?;
        let changed = change(core);
        core.column_families().suspend_purging_while_side_families();
        core.count_calls();
        changed
    }

    /// A queued writer of the lock stops new readers, and a running call may be a write that RocksDB has stalled: so
    /// this tries for the lock first, and queues only when that has failed for long.
    fn exclusive_lock(&self) -> Result<RwLockWriteGuard<'_, Option<TableCore>>> {
        let deadline = Instant::now() + TRY_MAX;
        while Instant::now() < deadline {
            match self.live.try_write() {
                Ok(live) => return Ok(live),
                Err(TryLockError::Poisoned(_)) => return Err(EngineError::poisoned()),
                Err(TryLockError::WouldBlock) => std::thread::sleep(RETRY),
            }
        }
        self.live.write().map_err(|_| EngineError::poisoned())
    }

    /// Closes the table after running calls have ended; its column families, where it was open. `close_readers` drops
    /// the cursors of the table, while no call can use it.
    pub(crate) fn close_with(
        &self,
        close_readers: impl FnOnce(&Table) -> Result<()>,
    ) -> Result<Option<ColumnFamilies>> {
        // An earlier call of this has ended the long work, too.
        let _ = self.shared(|core| {
            core.begin_closing();
            Ok(())
        });
        let long_running = self.long_running.write().map_err(|_| EngineError::poisoned())?;
        let mut live = self.live.write().map_err(|_| EngineError::poisoned())?;
        let core = live.take();
        close_readers(self)?;
        drop((live, long_running));
        Ok(core.map(TableCore::into_column_families))
    }
}
