// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What an open table is made of.

use super::automatic_compaction::AutomaticCompaction;
use super::cancellation::Cancellations;
use super::change_lock::{ChangeLock, MergeInProgress, PinnedColumnFamilies};
use super::column_families::{ColumnFamilies, ColumnFamily, FoundFamily};
use super::counters::Counters;
use super::headers::{Headers, HeadersSeen};
use super::indexes::Indexes;
use super::open_tables::OpenTables;
use super::row_columns::RowColumns;
use super::verifications::{Progress, Verifications};
use crate::catalog::Record;
use crate::compaction::TablePurge;
use crate::error::{EngineError, Result};
use crate::raw::sys::{FamilyHandle, Reach, ReadMode};
use crate::store_core::StoreCore;
use cassiterite_codec::ColumnSet;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLockReadGuard};

/// An open table as of now: its column families and what does not change with them. Cheap to clone.
#[derive(Clone)]
pub(crate) struct TableCore {
    // Before the store: handles are dropped before the database.
    families: ColumnFamilies,
    shared: Arc<Shared>,
}

/// While it lives, the catalog's record stays as it was written.
#[must_use = "the recorded contents are to be written while this lives"]
pub(crate) struct Recorded<'a> {
    _writing: Option<RwLockReadGuard<'a, ()>>,
}

/// What all clones share.
struct Shared {
    id: Vec<u8>,
    generation: u64,
    headers: Headers,
    has_data: AtomicBool,
    unlogged: AtomicBool,
    closing: AtomicBool,
    cleanups: Cancellations,
    rewrites: Cancellations,
    verifications: Verifications,
    manual: AtomicUsize,
    ids_handed_out: AtomicBool,
    automatic_compaction: AutomaticCompaction,
    periodic_seconds: AtomicI64,
    next_family: AtomicU32,
    change_lock: ChangeLock,
    counters: Counters,
    indexes: Indexes,
    row_columns: RowColumns,
    learning: Mutex<()>,
    tables: Arc<OpenTables>,
    store: Arc<StoreCore>,
}

impl TableCore {
    /// Opens the generation that the record names; its column families must exist, and the base have been opened with
    /// automatic compaction, or without.
    pub(crate) fn open(
        store: &Arc<StoreCore>,
        tables: &Arc<OpenTables>,
        id: &[u8],
        record: &Record,
        automatic_compaction: bool,
        find: impl FnMut(&str) -> Result<FoundFamily>,
    ) -> Result<TableCore> {
        let families = ColumnFamilies::open(store, id, record, find)?;
        let shared = Shared {
            id: id.to_vec(),
            generation: record.generation,
            headers: Headers::new(record.has_headers),
            has_data: AtomicBool::new(record.has_data),
            unlogged: AtomicBool::new(false),
            closing: AtomicBool::new(false),
            cleanups: Cancellations::default(),
            rewrites: Cancellations::default(),
            verifications: Verifications::default(),
            manual: AtomicUsize::new(0),
            ids_handed_out: AtomicBool::new(false),
            automatic_compaction: AutomaticCompaction::new(automatic_compaction),
            periodic_seconds: AtomicI64::new(0),
            next_family: AtomicU32::new(record.next_family),
            change_lock: ChangeLock::default(),
            counters: Counters::default(),
            indexes: Indexes::default(),
            row_columns: RowColumns::default(),
            learning: Mutex::default(),
            tables: Arc::clone(tables),
            store: Arc::clone(store),
        };
        shared.row_columns.set(record);
        let core = TableCore { families, shared: Arc::new(shared) };
        core.count_calls();
        Ok(core)
    }

    /// The column families, base first.
    pub(crate) fn column_families(&self) -> &ColumnFamilies {
        &self.families
    }

    /// For [`super::Table::exclusive`].
    pub(crate) fn column_families_mut(&mut self) -> &mut ColumnFamilies {
        &mut self.families
    }

    pub(super) fn into_column_families(self) -> ColumnFamilies {
        self.families
    }

    /// The base, which takes the writes.
    pub(crate) fn family(&self) -> &FamilyHandle {
        &self.families.base.handle
    }

    /// The name of the base.
    pub(crate) fn family_name(&self) -> &str {
        self.families.base.name()
    }

    /// The side column families. Hardly ever are there any.
    pub(crate) fn side_families(&self) -> &[ColumnFamily] {
        &self.families.side_families
    }

    /// The purging of the base.
    pub(crate) fn purge(&self) -> &Arc<TablePurge> {
        &self.families.base.purge
    }

    pub(crate) fn automatic_compaction(&self) -> &AutomaticCompaction {
        &self.shared.automatic_compaction
    }

    pub(crate) fn store(&self) -> &Arc<StoreCore> {
        &self.shared.store
    }

    /// The open tables of the store, of which this is one.
    pub(crate) fn tables(&self) -> &Arc<OpenTables> {
        &self.shared.tables
    }

    pub(crate) fn id(&self) -> &[u8] {
        &self.shared.id
    }

    pub(crate) fn generation(&self) -> u64 {
        self.shared.generation
    }

    pub(crate) fn counters(&self) -> &Counters {
        &self.shared.counters
    }

    /// The indexes of this generation.
    pub(crate) fn indexes(&self) -> &Indexes {
        &self.shared.indexes
    }

    pub(crate) fn read_mode(&self, reach: Reach) -> &ReadMode {
        let modes = &self.shared.store.modes;
        match reach {
            Reach::Files => &modes.read,
            Reach::Memory => &modes.read_in_memory,
        }
    }

    /// Whether any partition of this generation may have a header.
    pub(crate) fn headers(&self) -> &Headers {
        &self.shared.headers
    }

    pub(crate) fn has_data(&self) -> bool {
        self.shared.has_data.load(Ordering::Acquire)
    }

    /// The base's memtables are those that take the writes.
    pub(super) fn count_calls(&self) {
        self.purge().readership().count(self.counters().calls());
    }

    pub(crate) fn count_write(&self, bytes: usize) {
        self.shared.counters.write(bytes);
    }

    pub(crate) fn count_read(&self) {
        self.shared.counters.read();
    }

    pub(crate) fn mark_unlogged(&self) {
        self.shared.unlogged.store(true, Ordering::Release);
    }

    /// Whether there are writes that no log has; the caller flushes a copy that is not older than this answer.
    pub(crate) fn take_unlogged(&self) -> bool {
        self.shared.unlogged.load(Ordering::Acquire) && self.shared.unlogged.swap(false, Ordering::AcqRel)
    }

    /// From now on callers know the ids of the columns, which must not change any more.
    pub(crate) fn hand_out_ids(&self) {
        self.shared.ids_handed_out.store(true, Ordering::Release);
    }

    pub(crate) fn ids_handed_out(&self) -> bool {
        self.shared.ids_handed_out.load(Ordering::Acquire)
    }

    /// Makes long work end early, with [`crate::Kind::Closed`].
    pub(super) fn begin_closing(&self) {
        self.shared.closing.store(true, Ordering::SeqCst);
        self.shared.rewrites.cancel();
        self.stop_cleanups();
    }

    /// A flag that is set when closing begins; an error if it has begun.
    pub(crate) fn begin_rewrite(&self) -> Result<Arc<AtomicBool>> {
        let flag = self.shared.rewrites.begin()?;
        self.check_open()?;
        Ok(flag)
    }

    /// Runs a manual compaction. It ends early, with whatever error, once `canceled` is set and
    /// [`TableCore::wake_manual`] called.
    pub(crate) fn manually<T>(&self, compaction: impl FnOnce() -> Result<T>) -> Result<T> {
        self.shared.manual.fetch_add(1, Ordering::SeqCst);
        let done = compaction();
        self.shared.manual.fetch_sub(1, Ordering::SeqCst);
        done
    }

    /// A manual compaction that waits for an automatic one checks its flag only when it is woken, which a change of
    /// options does.
    fn wake_manual(&self) {
        if self.shared.manual.load(Ordering::SeqCst) == 0 {
            return;
        }
        for family in self.families.all() {
            // Should it fail, the compaction ends later.
            let _ = family.reconsider();
        }
    }

    /// A flag that [`TableCore::stop_cleanups`] sets from now on.
    pub(crate) fn begin_cleanup(&self) -> Result<Arc<AtomicBool>> {
        self.shared.cleanups.begin()
    }

    /// Ends every running cleanup early.
    pub(crate) fn stop_cleanups(&self) {
        self.shared.cleanups.cancel();
        // Its thread may wait for a flush, or for a compaction that has yet to begin, for minutes.
        self.families.all().for_each(|family| family.purge.stop_dropping());
        self.wake_manual();
    }

    /// A verification that reads so many bytes of files.
    pub(crate) fn begin_verification(&self, total_bytes: u64) -> Result<Arc<Progress>> {
        self.shared.verifications.begin(total_bytes)
    }

    /// Ends every running verification early.
    pub(crate) fn stop_verifications(&self) {
        self.shared.verifications.stop();
    }

    /// Bytes of files that running verifications have read, and of how many.
    pub(crate) fn verified_bytes(&self) -> (u64, u64) {
        self.shared.verifications.progress()
    }

    /// For work that takes long: an error once the store or the table is being closed.
    pub(crate) fn check_open(&self) -> Result<()> {
        if self.shared.closing.load(Ordering::Acquire) {
            return Err(EngineError::has_closed());
        }
        self.shared.store.check_open()
    }

    /// Locked to change the column families.
    pub(crate) fn change_lock(&self) -> Result<MutexGuard<'_, MergeInProgress>> {
        self.shared.change_lock.begin()
    }

    /// See [`ChangeLock::try_to_begin`].
    pub(crate) fn try_change_lock(&self) -> Result<MutexGuard<'_, MergeInProgress>> {
        self.shared.change_lock.try_to_begin()
    }

    /// See [`ChangeLock::pin`].
    pub(super) fn pin_column_families(&self, change_lock: &MutexGuard<'_, MergeInProgress>) -> PinnedColumnFamilies {
        self.shared.change_lock.pin(change_lock)
    }

    /// Locked by a cleanup: there is one at a time.
    pub(crate) fn cleaning(&self) -> Result<MutexGuard<'_, ()>> {
        self.shared.change_lock.clean_up()
    }

    /// A number for a column family of this generation that none has had, as far as this process knows.
    pub(crate) fn next_family(&self) -> u32 {
        self.shared.next_family.fetch_add(1, Ordering::Relaxed)
    }

    /// Before the first write, and before the first header: readers rely on the catalog to know that there is none. The
    /// caller writes before it drops what this returns.
    pub(crate) fn record_contents(&self, header: bool) -> Result<Recorded<'_>> {
        let recorded = Recorded { _writing: header.then(|| self.headers().writing()) };
        if self.has_data() && (!header || self.headers().seen().possible()) {
            return Ok(recorded);
        }
        if self.is_current()? {
            self.store().catalog.update(self.id(), |record| {
                if record.generation == self.generation() {
                    record.has_data = true;
                    record.has_headers |= header;
                }
                Ok(())
            })?;
        }
        if header {
            self.headers().set();
        }
        self.shared.has_data.store(true, Ordering::Release);
        Ok(recorded)
    }

    /// The catalog's record, with the number and the header mark of this generation. `seen` is from before the files
    /// were listed that the record is for.
    pub(crate) fn record(&self, seen: HeadersSeen) -> Result<Record> {
        let record = self.store().catalog.get(self.id())?.ok_or_else(EngineError::has_closed)?;
        Ok(Record { has_headers: !self.headers().none_since(seen), generation: self.generation(), ..record })
    }

    /// The types of its key; empty where nothing tells.
    pub(crate) fn key(&self) -> Arc<str> {
        self.store().keys.of(self.id())
    }

    /// Whether the catalog still names this generation.
    pub(crate) fn is_current(&self) -> Result<bool> {
        let record = self.store().catalog.get(self.id())?;
        Ok(record.is_some_and(|record| record.generation == self.generation()))
    }

    /// Where a search for a row may stop: at one that has these columns. `None`: nowhere.
    pub(crate) fn stops_at(&self) -> Option<&ColumnSet> {
        self.shared.store.stop_at_newest.load(Ordering::Relaxed).then(|| self.shared.row_columns.latest()).flatten()
    }

    /// Before the caller tells that the schema has changed. The catalog, and not its caller, knows the latest schema.
    pub(super) fn learn_columns(&self) -> Result<()> {
        let _turn = self.shared.learning.lock().unwrap_or_else(PoisonError::into_inner);
        let record = self.store().catalog.get(self.id())?.ok_or_else(EngineError::has_closed)?;
        self.shared.row_columns.set(&record);
        Ok(())
    }

    /// Tells all column families which columns have been dropped.
    pub(crate) fn set_dropped(&self, dropped: &ColumnSet) {
        self.families.all().for_each(|family| family.purge.set_dropped(dropped.clone()));
    }

    /// Has every file compacted once in so many seconds.
    pub(crate) fn change_period(&self, seconds: i64) -> Result<()> {
        if self.shared.periodic_seconds.swap(seconds, Ordering::AcqRel) == seconds {
            return Ok(());
        }
        let changed = self.families.all().try_for_each(|family| self.set_period(family));
        if changed.is_err() {
            self.shared.periodic_seconds.store(0, Ordering::Release); // the next call tries again
        }
        changed
    }

    /// Gives a column family the latest period of the table, if any.
    pub(crate) fn set_period(&self, family: &ColumnFamily) -> Result<()> {
        let seconds = self.shared.periodic_seconds.load(Ordering::Acquire);
        if seconds == 0 {
            return Ok(());
        }
        let default_s = self.store().settings()?.periodic_compaction.as_secs();
        family.set_period(seconds, i64::try_from(default_s).unwrap_or(i64::MAX))
    }
}
