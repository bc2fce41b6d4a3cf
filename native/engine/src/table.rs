// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! One generation of a table, on a column family of its own.

use crate::catalog::{family_name, Record};
use crate::compaction::TablePurge;
use crate::error::{EngineError, Result};
use crate::read;
use crate::schema::{self, SchemaRequest};
use crate::stats::{self, Counters};
use crate::store::Core;
use crate::sys::{self, Family, ReadMode};
use crate::{load, snapshot, write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, RwLock};

/// gc_grace_seconds below this would have every file rewritten all the time.
const PERIODIC_SECONDS_MIN: i64 = 3600;
const PERIODIC_SECONDS_MAX: i64 = 365 * 86_400;

/// A table generation. Every method may be called from any thread; once the store or the table has been closed all
/// answer [`EngineError::Closed`].
pub struct Table {
    live: RwLock<Option<TableCore>>,
}

/// What an open table is made of.
pub(crate) struct TableCore {
    // Before the store: handles go before the database does.
    family: Family,
    purge: Arc<TablePurge>,
    id: Vec<u8>,
    generation: u64,
    has_headers: AtomicBool,
    has_data: AtomicBool,
    unlogged: AtomicBool,
    periodic_seconds: AtomicI64,
    counters: Counters,
    store: Arc<Core>,
}

impl TableCore {
    /// Opens the generation that the record names; its column family must exist.
    pub(crate) fn open(store: &Arc<Core>, id: &[u8], record: &Record, purge: Arc<TablePurge>) -> Result<TableCore> {
        let family = Family::named(&store.db, &family_name(id, record.generation))?;
        purge.set_dropped(record.dropped());
        purge.attach(&store.db, &family)?;
        store.events.watch(&purge);
        Ok(TableCore {
            family,
            purge,
            id: id.to_vec(),
            generation: record.generation,
            has_headers: AtomicBool::new(record.has_headers),
            has_data: AtomicBool::new(record.has_data),
            unlogged: AtomicBool::new(false),
            periodic_seconds: AtomicI64::new(0),
            counters: Counters::default(),
            store: Arc::clone(store),
        })
    }

    pub(crate) fn family(&self) -> &Family {
        &self.family
    }

    pub(crate) fn family_name(&self) -> &str {
        self.purge.name()
    }

    pub(crate) fn purge(&self) -> &Arc<TablePurge> {
        &self.purge
    }

    pub(crate) fn store(&self) -> &Arc<Core> {
        &self.store
    }

    pub(crate) fn id(&self) -> &[u8] {
        &self.id
    }

    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    pub(crate) fn read_mode(&self) -> &ReadMode {
        &self.store.modes.read
    }

    /// Whether any partition of this generation may have a header.
    pub(crate) fn has_headers(&self) -> bool {
        self.has_headers.load(Ordering::Acquire)
    }

    pub(crate) fn has_data(&self) -> bool {
        self.has_data.load(Ordering::Acquire)
    }

    pub(crate) fn count_write(&self, bytes: usize) {
        self.counters.write(bytes);
    }

    pub(crate) fn count_read(&self) {
        self.counters.read();
    }

    pub(crate) fn note_unlogged(&self) {
        self.unlogged.store(true, Ordering::Release);
    }

    /// Before the first write, and before the first header: readers rely on the catalog to know that there is none.
    pub(crate) fn announce(&self, header: bool) -> Result<()> {
        if self.has_data() && (!header || self.has_headers()) {
            return Ok(());
        }
        if self.is_current()? {
            self.store.catalog.update(&self.id, |record| {
                if record.generation == self.generation {
                    record.has_data = true;
                    record.has_headers |= header;
                }
                Ok(())
            })?;
        }
        if header {
            self.has_headers.store(true, Ordering::Release);
        }
        self.has_data.store(true, Ordering::Release);
        Ok(())
    }

    /// Whether the catalog still names this generation.
    pub(crate) fn is_current(&self) -> Result<bool> {
        Ok(self.store.catalog.get(&self.id)?.is_some_and(|record| record.generation == self.generation))
    }

    /// Writes the memtable to a file.
    pub(crate) fn flush(&self) -> Result<()> {
        let unlogged = self.unlogged.swap(false, Ordering::AcqRel);
        let flushed = self.store.db.flush_cf(&self.family);
        if unlogged && flushed.is_err() {
            self.note_unlogged();
        }
        flushed.map_err(|error| EngineError::from(error).context("flushing a table"))
    }

    /// Flushes if there are writes that no log has.
    pub(crate) fn flush_unlogged(&self) -> Result<()> {
        if self.unlogged.load(Ordering::Acquire) {
            self.flush()?;
        }
        Ok(())
    }

    fn compact(&self) -> Result<()> {
        self.flush()?;
        let empties_before = self.purge.stats().empties_left;
        sys::compact(&self.family)?;
        // A full merge cannot drop a key, only empty it: those that this pass emptied go in another.
        if self.purge.stats().empties_left > empties_before {
            sys::compact(&self.family)?;
        }
        Ok(())
    }

    fn set_purge(&self, gc_grace_s: i64, fence_timestamp: i64, now_offset_s: i64) -> Result<()> {
        self.purge.set(gc_grace_s, fence_timestamp, now_offset_s);
        // Every file passes the purge filter about once in gc_grace_seconds, also where nothing is written.
        let seconds = gc_grace_s.clamp(PERIODIC_SECONDS_MIN, PERIODIC_SECONDS_MAX);
        if self.periodic_seconds.load(Ordering::Acquire) != seconds {
            let text = seconds.to_string();
            self.store.db.set_options_cf(&self.family, &[("periodic_compaction_seconds", text.as_str())])?;
            self.periodic_seconds.store(seconds, Ordering::Release);
        }
        Ok(())
    }
}

impl Table {
    pub(crate) fn new(core: TableCore) -> Arc<Table> {
        Arc::new(Table { live: RwLock::new(Some(core)) })
    }

    /// Runs `work` while the table is kept open.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&TableCore) -> Result<T>) -> Result<T> {
        let live = self.live.read().map_err(|_| EngineError::poisoned())?;
        work(live.as_ref().ok_or_else(EngineError::closed)?)
    }

    /// Closes the table after running calls have ended, and its cursors.
    pub(crate) fn close(&self) -> Result<()> {
        let mut live = self.live.write().map_err(|_| EngineError::poisoned())?;
        let core = live.take();
        read::close_cursors(self)?;
        drop(live);
        drop(core);
        Ok(())
    }

    /// Brings the table's columns up to a table schema request and answers with the live ones (docs/boundary.md).
    pub fn columns(&self, request: &[u8]) -> Result<Vec<u8>> {
        let request = SchemaRequest::parse(request)?;
        self.with(|core| {
            if request.id != core.id {
                return Err(EngineError::Invalid("the schema is of another table".into()));
            }
            let record = core.store.catalog.update(&core.id, |record| request.apply(record))?;
            core.purge.set_dropped(record.dropped());
            schema::answer(&record)
        })
    }

    /// The live columns, in the form of [`Table::columns`]'s answer.
    pub fn column_ids(&self) -> Result<Vec<u8>> {
        self.with(|core| {
            let record = core.store.catalog.get(&core.id)?.ok_or_else(EngineError::closed)?;
            schema::answer(&record)
        })
    }

    /// Starts an empty generation, durably, and returns it. This one stays readable until [`Table::retire`].
    pub fn truncate(&self) -> Result<Arc<Table>> {
        self.with(|core| core.store.truncate(core))
    }

    /// Deletes the files of a generation that [`Table::truncate`] replaced; this handle is closed from now on.
    pub fn retire(&self) -> Result<()> {
        let (store, id, generation, name) = self.with(|core| {
            if core.is_current()? {
                let why = "this is the table's current generation: truncate or drop the table instead";
                return Err(EngineError::Invalid(why.into()));
            }
            Ok((Arc::clone(&core.store), core.id.clone(), core.generation, core.family_name().to_owned()))
        })?;
        self.close()?;
        store.forget(&id, generation)?;
        store.db.drop_cf(&name).map_err(|error| EngineError::from(error).context("dropping an old generation"))
    }

    /// Writes the table's memtable to a file.
    pub fn flush(&self) -> Result<()> {
        self.with(TableCore::flush)
    }

    /// Rewrites the whole table to the bottommost level, purging what may be purged.
    pub fn compact(&self) -> Result<()> {
        self.with(TableCore::compact)
    }

    /// What compaction may purge: deletions older than `gc_grace_s` seconds whose timestamp is below `fence_timestamp`
    /// (`i64::MIN`: none). `now_offset_s`: the server's clock minus this machine's.
    pub fn set_purge(&self, gc_grace_s: i64, fence_timestamp: i64, now_offset_s: i64) -> Result<()> {
        self.with(|core| core.set_purge(gc_grace_s, fence_timestamp, now_offset_s))
    }

    /// Hard-links a consistent image of the table into `directory`, which must not exist, with a manifest
    /// (docs/formats.md, Snapshot manifest).
    pub fn snapshot(&self, directory: &Path) -> Result<()> {
        self.with(|core| snapshot::take(core, directory))
    }

    /// Merges a snapshot into the table; the number of fragments loaded.
    pub fn load(&self, directory: &Path) -> Result<u64> {
        self.with(|core| load::load(core, directory))
    }

    /// The twelve figures of `Native.tableStats`, in its order.
    pub fn stats(&self) -> Result<[i64; 12]> {
        self.with(stats::figures)
    }

    /// Applies one partition update (a write request) atomically. `flags` 1: without a log record. When it returns, the
    /// update is as durable as the node's commitlog_sync promises.
    pub fn write(&self, request: &[u8], flags: u32) -> Result<()> {
        self.with(|core| write::write(core, request, flags))
    }

    /// Reads one partition (a read request) into `answer`: the bytes filled, or the negated size that is needed.
    pub fn read(self: &Arc<Self>, request: &[u8], answer: &mut [u8]) -> Result<i32> {
        self.with(|core| {
            core.count_read();
            read::read(self, core, request, answer)
        })
    }

    /// Scans a range of partitions (a scan request) into `answer`: as [`Table::read`].
    pub fn scan(self: &Arc<Self>, request: &[u8], answer: &mut [u8]) -> Result<i32> {
        self.with(|core| {
            core.count_read();
            read::scan(self, core, request, answer)
        })
    }
}
