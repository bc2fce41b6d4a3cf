// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What an open table is made of.

use super::changing::{Absorbed, Changing, FamiliesHeld};
use super::families::{Families, Member};
use crate::catalog::Record;
use crate::compaction::TablePurge;
use crate::error::{EngineError, Result};
use crate::stats::Counters;
use crate::store::Core;
use crate::sys::{self, Family, ReadMode};
use cassiterite_codec::ColumnSet;
use rocksdb::ErrorKind;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// gc_grace_seconds below this would have every file rewritten all the time: in an hour a large table cannot be.
const PERIODIC_SECONDS_MIN: i64 = 86_400;
const PERIODIC_SECONDS_MAX: i64 = 365 * 86_400;

/// An open table as of now: its families and what does not change with them. Cheap to clone.
#[derive(Clone)]
pub(crate) struct TableCore {
    // Before the store: handles go before the database does.
    families: Families,
    shared: Arc<Shared>,
}

/// What all clones share.
struct Shared {
    id: Vec<u8>,
    generation: u64,
    has_headers: AtomicBool,
    has_data: AtomicBool,
    unlogged: AtomicBool,
    closing: AtomicBool,
    keeps: Mutex<Vec<Arc<AtomicBool>>>,
    manual: AtomicUsize,
    ids_handed_out: AtomicBool,
    periodic_seconds: AtomicI64,
    next_family: AtomicU32,
    changing: Changing,
    counters: Counters,
    store: Arc<Core>,
}

impl TableCore {
    /// Opens the generation that the record names; its column families must exist.
    pub(crate) fn open(
        store: &Arc<Core>,
        id: &[u8],
        record: &Record,
        purge_of: impl FnMut(&str) -> Result<Arc<TablePurge>>,
    ) -> Result<TableCore> {
        let families = Families::open(store, id, record, purge_of)?;
        let shared = Shared {
            id: id.to_vec(),
            generation: record.generation,
            has_headers: AtomicBool::new(record.has_headers),
            has_data: AtomicBool::new(record.has_data),
            unlogged: AtomicBool::new(false),
            closing: AtomicBool::new(false),
            keeps: Mutex::default(),
            manual: AtomicUsize::new(0),
            ids_handed_out: AtomicBool::new(false),
            periodic_seconds: AtomicI64::new(0),
            next_family: AtomicU32::new(record.next_family),
            changing: Changing::default(),
            counters: Counters::default(),
            store: Arc::clone(store),
        };
        Ok(TableCore { families, shared: Arc::new(shared) })
    }

    /// The families, base first.
    pub(crate) fn families(&self) -> &Families {
        &self.families
    }

    /// For [`super::Table::alone`].
    pub(crate) fn families_mut(&mut self) -> &mut Families {
        &mut self.families
    }

    pub(super) fn into_families(self) -> Families {
        self.families
    }

    /// The base: what is written goes there.
    pub(crate) fn family(&self) -> &Family {
        &self.families.base.family
    }

    /// The name of the base.
    pub(crate) fn family_name(&self) -> &str {
        self.families.base.name()
    }

    /// The families that hold what has arrived and is not in the base yet. Hardly ever are there any.
    pub(crate) fn arrivals(&self) -> &[Member] {
        &self.families.arrivals
    }

    /// The purging of the base.
    pub(crate) fn purge(&self) -> &Arc<TablePurge> {
        &self.families.base.purge
    }

    pub(crate) fn store(&self) -> &Arc<Core> {
        &self.shared.store
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

    pub(crate) fn read_mode(&self) -> &ReadMode {
        &self.shared.store.modes.read
    }

    /// Whether any partition of this generation may have a header.
    pub(crate) fn has_headers(&self) -> bool {
        self.shared.has_headers.load(Ordering::Acquire)
    }

    pub(crate) fn has_data(&self) -> bool {
        self.shared.has_data.load(Ordering::Acquire)
    }

    pub(crate) fn count_write(&self, bytes: usize) {
        self.shared.counters.write(bytes);
    }

    pub(crate) fn count_read(&self) {
        self.shared.counters.read();
    }

    pub(crate) fn note_unlogged(&self) {
        self.shared.unlogged.store(true, Ordering::Release);
    }

    /// Whether there are writes that no log has; the caller flushes a copy that is not older than this answer.
    pub(super) fn take_unlogged(&self) -> bool {
        self.shared.unlogged.load(Ordering::Acquire) && self.shared.unlogged.swap(false, Ordering::AcqRel)
    }

    /// From now on callers know the ids of the columns: they must not change any more.
    pub(crate) fn hand_out_ids(&self) {
        self.shared.ids_handed_out.store(true, Ordering::Release);
    }

    pub(crate) fn ids_handed_out(&self) -> bool {
        self.shared.ids_handed_out.load(Ordering::Acquire)
    }

    /// Makes long work end early, with [`EngineError::Closed`].
    pub(super) fn begin_closing(&self) {
        self.shared.closing.store(true, Ordering::SeqCst);
        self.stop_keeps();
    }

    /// What came of work that stops, with whatever error, when the table or the store closes.
    fn unless_closed<T>(&self, outcome: Result<T>) -> Result<T> {
        outcome.or_else(|error| self.check_open().and(Err(error)))
    }

    /// Runs a manual compaction. It ends early, with whatever error, once `canceled` is set and [`TableCore::wake_manual`] called.
    pub(crate) fn manually<T>(&self, compaction: impl FnOnce() -> Result<T>) -> Result<T> {
        self.shared.manual.fetch_add(1, Ordering::SeqCst);
        let done = compaction();
        self.shared.manual.fetch_sub(1, Ordering::SeqCst);
        done
    }

    /// A manual compaction that waits for an automatic one looks at its flag only when it is woken, which a change of options does.
    fn wake_manual(&self) {
        if self.shared.manual.load(Ordering::SeqCst) == 0 {
            return;
        }
        for member in self.families.all() {
            // Unchanged. Should it fail, the compaction ends later.
            let _ = self.store().db.set_options_cf(&member.family, &[("max_successive_merges", "0")]);
        }
    }

    /// A flag that [`TableCore::stop_keeps`] sets from now on.
    pub(crate) fn begin_keep(&self) -> Result<Arc<AtomicBool>> {
        let flag = Arc::new(AtomicBool::new(false));
        let mut keeps = self.shared.keeps.lock().map_err(|_| EngineError::poisoned())?;
        keeps.retain(|keep| Arc::strong_count(keep) > 1); // others are over
        keeps.push(Arc::clone(&flag));
        Ok(flag)
    }

    /// Has every [`crate::Table::keep`] that has begun end early.
    pub(crate) fn stop_keeps(&self) {
        let keeps = self.shared.keeps.lock().unwrap_or_else(PoisonError::into_inner);
        keeps.iter().for_each(|keep| keep.store(true, Ordering::SeqCst));
        drop(keeps);
        // Its thread may wait for a flush, or for a compaction that has yet to begin, for minutes.
        self.families.all().for_each(|member| member.purge.keep_everything());
        self.wake_manual();
    }

    /// For work that takes long: an error once the store or the table is being closed.
    pub(crate) fn check_open(&self) -> Result<()> {
        if self.shared.closing.load(Ordering::Acquire) {
            return Err(EngineError::closed());
        }
        self.shared.store.check_open()
    }

    /// Held by whoever changes the families.
    pub(crate) fn changing(&self) -> Result<MutexGuard<'_, Absorbed>> {
        self.shared.changing.begin()
    }

    /// The same for who can do without: see [`Changing::try_to_begin`].
    pub(crate) fn try_changing(&self) -> Result<MutexGuard<'_, Absorbed>> {
        self.shared.changing.try_to_begin()
    }

    /// See [`Changing::hold`].
    pub(super) fn hold_families(&self, changing: &MutexGuard<'_, Absorbed>) -> FamiliesHeld {
        self.shared.changing.hold(changing)
    }

    /// Held by the one cleanup at a time.
    pub(crate) fn cleaning(&self) -> Result<MutexGuard<'_, ()>> {
        self.shared.changing.clean_up()
    }

    /// A number for a family of this generation that none has had, as far as this process knows.
    pub(crate) fn next_family(&self) -> u32 {
        self.shared.next_family.fetch_add(1, Ordering::Relaxed)
    }

    /// Before the first write, and before the first header: readers rely on the catalog to know that there is none.
    pub(crate) fn announce(&self, header: bool) -> Result<()> {
        if self.has_data() && (!header || self.has_headers()) {
            return Ok(());
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
            self.shared.has_headers.store(true, Ordering::Release);
        }
        self.shared.has_data.store(true, Ordering::Release);
        Ok(())
    }

    /// The catalog's record, with what it says of the current generation said of this one.
    pub(crate) fn record(&self) -> Result<Record> {
        let record = self.store().catalog.get(self.id())?.ok_or_else(EngineError::closed)?;
        Ok(Record { has_headers: self.has_headers(), generation: self.generation(), ..record })
    }

    /// Whether the catalog still names this generation.
    pub(crate) fn is_current(&self) -> Result<bool> {
        let record = self.store().catalog.get(self.id())?;
        Ok(record.is_some_and(|record| record.generation == self.generation()))
    }

    /// Writes the memtables to files.
    pub(crate) fn flush(&self) -> Result<()> {
        for member in self.families.all() {
            match self.store().db.flush_cf(&member.family) {
                // An arrival that has been absorbed meanwhile.
                Err(error) if error.kind() == ErrorKind::ColumnFamilyDropped => {}
                other => other.map_err(|error| EngineError::from(error).context("flushing a table"))?,
            }
        }
        Ok(())
    }

    pub(super) fn compact(&self) -> Result<()> {
        self.flush()?;
        let empties_before = self.purge().stats().empties_left;
        let rewrite = || self.manually(|| sys::compact(self.family(), &self.shared.closing));
        self.unless_closed(rewrite())?;
        // A full merge cannot drop a key, only empty it: those that this pass emptied go in another.
        if self.purge().stats().empties_left > empties_before {
            self.unless_closed(rewrite())?;
        }
        Ok(())
    }

    /// Tells all families which columns have been dropped.
    pub(crate) fn set_dropped(&self, dropped: &ColumnSet) {
        self.families.all().for_each(|member| member.purge.set_dropped(dropped.clone()));
    }

    pub(super) fn set_purge(&self, gc_grace_s: i64, fence_timestamp: i64, now_offset_s: i64) -> Result<()> {
        self.families.all().for_each(|member| member.purge.set(gc_grace_s, fence_timestamp, now_offset_s));
        // Every file passes the purge filter about once in gc_grace_seconds, also where nothing is written.
        let seconds = gc_grace_s.clamp(PERIODIC_SECONDS_MIN, PERIODIC_SECONDS_MAX);
        if self.shared.periodic_seconds.swap(seconds, Ordering::AcqRel) != seconds {
            self.families.all().try_for_each(|member| self.set_period(member))?;
        }
        Ok(())
    }

    /// Gives a family the period that the table was told last, if any.
    pub(crate) fn set_period(&self, member: &Member) -> Result<()> {
        let seconds = self.shared.periodic_seconds.load(Ordering::Acquire);
        if seconds > 0 {
            let text = seconds.to_string();
            let options = [("periodic_compaction_seconds", text.as_str())];
            self.store().db.set_options_cf(&member.family, &options)?;
        }
        Ok(())
    }
}
