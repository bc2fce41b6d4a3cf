// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! One generation of a table: a base column family, and those of what has arrived from other nodes.

mod change_lock;
mod column_families;
mod core;
mod headers;
mod hot;
#[cfg(test)]
mod tests;

pub(crate) use self::core::TableCore;
pub(crate) use change_lock::{MergeInProgress, PinnedFamilies};
pub(crate) use column_families::{ColumnFamilies, ColumnFamily};

use crate::error::{EngineError, Result};
use crate::read;
use crate::schema::{self, SchemaRequest};
use crate::stats;
use crate::{load, snapshot, write};
use std::path::Path;
use std::sync::{Arc, RwLock, RwLockWriteGuard, TryLockError};
use std::time::{Duration, Instant};

/// How long a change of the families leaves readers alone while calls run, and how often it looks.
const TRY_MAX: Duration = Duration::from_secs(1);
const RETRY: Duration = Duration::from_millis(1);

/// A table generation. Every method may be called from any thread; once the store or the table has been closed all
/// answer [`EngineError::Closed`].
pub struct Table {
    /// Held shared by every call that is short, and alone to change the families. A write waits
    /// for a common sync and for room in the memtables without it.
    live: RwLock<Option<TableCore>>,
    /// Held shared by work that takes long, which does so on a copy: closing waits for it, nobody else does. Taken before
    /// `live`, never while holding that.
    long_running: RwLock<()>,
}

impl Table {
    pub(crate) fn new(core: TableCore) -> Arc<Table> {
        Arc::new(Table { live: RwLock::new(Some(core)), long_running: RwLock::new(()) })
    }

    /// Runs short work while the table is kept open and its families are kept as they are.
    pub(crate) fn shared<T>(&self, work: impl FnOnce(&TableCore) -> Result<T>) -> Result<T> {
        let live = self.live.read().map_err(|_| EngineError::poisoned())?;
        work(live.as_ref().ok_or_else(EngineError::closed)?)
    }

    /// Runs work that takes long, on the table as it is now, while the table is kept open. Not to be nested.
    pub(crate) fn on_copy<T>(&self, work: impl FnOnce(&TableCore) -> Result<T>) -> Result<T> {
        let _long_running = self.long_running.read().map_err(|_| EngineError::poisoned())?;
        let copy = self.shared(|core| Ok(core.clone()))?;
        work(&copy)
    }

    /// The table as it is now, whose families stay what they are to it. For work that takes long: others change them only
    /// by adding more.
    pub(crate) fn with_families_pinned(&self, core: &TableCore) -> Result<(TableCore, PinnedFamilies)> {
        let change_lock = core.change_lock()?;
        let held = core.pin_families(&change_lock);
        Ok((self.shared(|core| Ok(core.clone()))?, held))
    }

    /// Changes the families while no short call is running. For whoever holds [`TableCore::change_lock`].
    pub(crate) fn exclusive<T>(&self, change: impl FnOnce(&mut TableCore) -> Result<T>) -> Result<T> {
        let mut live = self.exclusive_lock()?;
        let core = live.as_mut().ok_or_else(EngineError::closed)?;
        let changed = change(core);
        core.families().suspend_purging_while_side_families();
        changed
    }

    /// A writer that waits for the lock keeps readers out, and a call that is running may be a write that RocksDB has stalled:
    /// so it is tried for, unless that does not help for long.
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

    /// Closes the table after running calls have ended, and its cursors; its families, where it was open.
    pub(crate) fn close(&self) -> Result<Option<ColumnFamilies>> {
        // Whoever has closed it before has ended the long work, too.
        let _ = self.shared(|core| {
            core.begin_closing();
            Ok(())
        });
        let long_running = self.long_running.write().map_err(|_| EngineError::poisoned())?;
        let mut live = self.live.write().map_err(|_| EngineError::poisoned())?;
        let core = live.take();
        read::close_cursors(self)?;
        drop((live, long_running));
        Ok(core.map(TableCore::into_families))
    }

    /// Brings the table's columns up to a table schema request and answers with the live ones (docs/internals/boundary.md).
    pub fn columns(&self, request: &[u8]) -> Result<Vec<u8>> {
        let request = SchemaRequest::parse(request)?;
        self.shared(|core| {
            if request.id != core.id() {
                return Err(EngineError::Invalid("the schema is of another table".into()));
            }
            core.hand_out_ids();
            let record = schema::update(&core.store().catalog, &request)?;
            core.set_dropped(&record.dropped());
            schema::answer(&record)
        })
    }

    /// The live columns, in the form of [`Table::columns`]'s answer.
    pub fn column_ids(&self) -> Result<Vec<u8>> {
        self.shared(|core| {
            core.hand_out_ids();
            let record = core.store().catalog.get(core.id())?.ok_or_else(EngineError::closed)?;
            schema::answer(&record)
        })
    }

    /// Starts an empty generation, durably, and returns it. This one stays readable until [`Table::retire`].
    pub fn truncate(&self) -> Result<Arc<Table>> {
        self.shared(|core| core.store().truncate(core))
    }

    /// Deletes the files of a generation that [`Table::truncate`] replaced; this handle is closed from now on.
    pub fn retire(&self) -> Result<()> {
        let (store, id, generation) = self.shared(|core| {
            if core.is_current()? {
                let why = "this is the table's current generation: truncate or drop the table instead";
                return Err(EngineError::Invalid(why.into()));
            }
            Ok((Arc::clone(core.store()), core.id().to_vec(), core.generation()))
        })?;
        let families = self.close()?;
        store.forget(&id, generation)?;
        families
            .map_or(Ok(()), |families| families.delete(&store))
            .map_err(|error| error.context("dropping an old generation"))
    }

    /// Writes the table's memtables to files.
    pub fn flush(&self) -> Result<()> {
        self.flush_if(|_| true)
    }

    /// Flushes if there are writes that no log has.
    pub(crate) fn flush_unlogged(&self) -> Result<()> {
        self.flush_if(|unlogged| unlogged)
    }

    fn flush_if(&self, wanted: impl FnOnce(bool) -> bool) -> Result<()> {
        let _long_running = self.long_running.read().map_err(|_| EngineError::poisoned())?;
        // At once: what is written without a log from here on goes into a family of this copy, or counts anew.
        let (unlogged, copy) = self.shared(|core| Ok((core.take_unlogged(), core.clone())))?;
        let flushed = if wanted(unlogged) { copy.flush() } else { Ok(()) };
        if unlogged && flushed.is_err() {
            copy.mark_unlogged();
        }
        flushed
    }

    /// Rewrites the whole table to the bottommost level, purging what may be purged. What has arrived and is not in the base
    /// yet stays as it is, and nothing is purged until it is. Where no header is left, point reads no longer look for one.
    pub fn compact(&self) -> Result<()> {
        self.flush()?;
        self.on_copy(TableCore::compact)?;
        self.forget_headers()
    }

    /// What compaction may purge: deletions older than `gc_grace_s` seconds whose timestamp is below `max_purgeable_timestamp`
    /// (`i64::MIN`: none). `now_offset_s`: the server's clock minus this machine's.
    pub fn set_purge(&self, gc_grace_s: i64, max_purgeable_timestamp: i64, now_offset_s: i64) -> Result<()> {
        self.shared(|core| core.set_purge(gc_grace_s, max_purgeable_timestamp, now_offset_s))
    }

    /// Hard-links a consistent image of the table into `directory`, which must not exist, with a manifest
    /// (docs/internals/formats.md, Snapshot manifest).
    pub fn snapshot(&self, directory: &Path) -> Result<()> {
        snapshot::take(self, directory)
    }

    /// Merges a snapshot into the table; the number of fragments loaded.
    pub fn load(&self, directory: &Path) -> Result<u64> {
        load::load(self, directory)
    }

    /// The twelve figures of `Native.tableStats`, in its order.
    pub fn stats(&self) -> Result<[i64; 12]> {
        self.shared(stats::figures)
    }

    /// Applies one partition update (a write request) atomically. `flags` 1: without a log record. When it returns, the
    /// update is as durable as the node's commitlog_sync promises.
    pub fn write(&self, request: &[u8], flags: u32) -> Result<()> {
        write::write(self, request, flags)
    }

    /// Reads one partition (a read request) into `answer`: the bytes filled, or the negated size that is needed.
    pub fn read(self: &Arc<Self>, request: &[u8], answer: &mut [u8]) -> Result<i32> {
        self.shared(|core| {
            core.count_read();
            let answered = read::read(self, core, request, answer);
            core.flush_if_hot();
            answered
        })
    }

    /// Scans a range of partitions (a scan request) into `answer`: as [`Table::read`].
    pub fn scan(self: &Arc<Self>, request: &[u8], answer: &mut [u8]) -> Result<i32> {
        self.shared(|core| {
            core.count_read();
            let answered = read::scan(self, core, request, answer);
            core.flush_if_hot();
            answered
        })
    }
}
