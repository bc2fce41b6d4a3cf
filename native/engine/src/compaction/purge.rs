// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The purging of one table generation: its settings, what it knows of unflushed data, and what it has done.

mod hold;

use super::brake::Brake;
use super::cleanup::{NotOwned, OwnedTokens};
use super::hot::Hot;
use super::memtables::{Sealed, Segment, Unflushed, Writing, Written};
use super::readership::Readership;
use super::run::CompactionRun;
use crate::error::Result;
use crate::log::log;
use crate::raw::{self, CompactionSource, EntryFacts, TableHooks};
use cassiterite_codec::key::{self, Kind};
use cassiterite_codec::{is_empty, ColumnSet};
use rocksdb::{AsColumnFamilyRef, Options, DB};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Added to how long a write may be unsynced, because machines' clocks differ.
const SETTLED_MARGIN_S: i64 = 600;

/// Merges and purges the fragments of one column family; shared by everything that writes to it. All methods may be
/// called from any thread. Nothing is purged before [`TablePurge::attach`] and [`TablePurge::set`], nor without
/// [`StoreEvents`](super::StoreEvents) that watch this table.
#[derive(Debug)]
pub struct TablePurge {
    name: String,
    pub(super) unflushed: Unflushed,
    /// A segment per ingestion: compactions that begin after one see its files.
    ingested: Unflushed,
    pub(super) counters: Counters,
    settings: Mutex<Settings>,
    max_purgeable_timestamp: AtomicI64,
    smallest_ever: AtomicI64,
    attached: AtomicBool,
    suspended: AtomicBool,
    /// How many hold purging back.
    holders: AtomicUsize,
    subcompactions_seen: AtomicBool,
    compacted: AtomicBool,
    /// Whether `settings` has owned tokens.
    pub(super) is_dropping: AtomicBool,
    settled_after_s: AtomicI64,
    pub(super) hot: Hot,
    brake: Brake,
    readership: Arc<Readership>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    times: Option<Times>,
    dropped: Arc<ColumnSet>,
    pub(super) owned: Option<Arc<OwnedTokens>>,
}

#[derive(Clone, Copy, Debug)]
struct Times {
    gc_grace_s: i64,
    now_offset_s: i64,
}

/// What one compaction works with.
pub(super) struct Policy {
    pub(super) now_s: i64,
    pub(super) gc_before_s: i64,
    /// Deletions that were made before have reached the device.
    pub(super) settled_before_s: i64,
    pub(super) dropped: Arc<ColumnSet>,
    /// What goes because the table does not own it; `None`: nothing does.
    pub(super) owned: Option<NotOwned>,
}

/// What compactions of a table have done since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PurgeStats {
    /// Fragments that lost something.
    pub fragments_changed: u64,
    /// Keys and operands that went altogether.
    pub fragments_removed: u64,
    /// Bytes of fragments that went, before compression.
    pub bytes_removed: u64,
    /// Keys that hold an empty fragment now; the next compaction of their files removes them.
    pub empties_left: u64,
    /// Merges that failed on malformed fragments.
    pub merge_failures: u64,
    /// Compactions that purged nothing, because they could not know whether they may.
    pub blind_compactions: u64,
}

#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) fragments_changed: AtomicU64,
    pub(super) fragments_removed: AtomicU64,
    pub(super) bytes_removed: AtomicU64,
    pub(super) empties_left: AtomicU64,
    pub(super) merge_failures: AtomicU64,
    pub(super) blind_compactions: AtomicU64,
}

/// A write in progress: dropped when it has ended, with success or without.
#[derive(Debug)]
#[must_use = "the write is over when the guard is dropped"]
pub struct WriteGuard<'a> {
    table: &'a TablePurge,
    writing: Writing,
}

impl Drop for WriteGuard<'_> {
    fn drop(&mut self) {
        self.table.unflushed.end(&self.writing);
    }
}

/// An ingestion of files in progress: dropped when it has ended, with success or without.
#[derive(Debug)]
#[must_use = "the ingestion is over when the guard is dropped"]
pub struct IngestGuard<'a> {
    table: &'a TablePurge,
    writing: Writing,
}

impl Drop for IngestGuard<'_> {
    fn drop(&mut self) {
        self.table.ingested.end(&self.writing);
        self.table.ingested.seal();
    }
}

impl TablePurge {
    /// For the column family of this name.
    pub fn new(name: impl Into<String>) -> Arc<Self> {
        Arc::new(TablePurge {
            name: name.into(),
            unflushed: Unflushed::new(),
            ingested: Unflushed::new(),
            counters: Counters::default(),
            settings: Mutex::default(),
            max_purgeable_timestamp: AtomicI64::new(i64::MIN),
            smallest_ever: AtomicI64::new(i64::MAX),
            attached: AtomicBool::new(false),
            suspended: AtomicBool::new(false),
            holders: AtomicUsize::new(0),
            subcompactions_seen: AtomicBool::new(false),
            compacted: AtomicBool::new(false),
            is_dropping: AtomicBool::new(false),
            settled_after_s: AtomicI64::new(SETTLED_MARGIN_S),
            hot: Hot::new(),
            brake: Brake::default(),
            readership: Arc::default(),
        })
    }

    /// Holds back the writers of the column family.
    pub(crate) fn brake(&self) -> &Brake {
        &self.brake
    }

    /// Who reads the column family.
    pub(crate) fn readership(&self) -> &Arc<Readership> {
        &self.readership
    }

    /// The column family's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sets merge operator, compaction filter factory and properties collector of a column family's options.
    pub fn install(self: &Arc<Self>, options: &mut Options) {
        raw::install_table(options, self);
    }

    /// Learns the timestamps of what is stored already. Call once, after opening or creating the column family and
    /// before the first write. What a memtable holds at that time blocks purging until it is flushed.
    pub fn attach(&self, db: &DB, family: &impl AsColumnFamilyRef) -> Result<()> {
        let unflushed = ["rocksdb.num-entries-active-mem-table", "rocksdb.num-entries-imm-mem-tables"];
        for property in unflushed {
            if db.property_int_value_cf(family, property).ok().flatten() != Some(0) {
                self.lower_ever(i64::MIN);
                self.unflushed.record(Written { min_timestamp: i64::MIN, has_header: true });
            }
        }
        for file in raw::listed_files(db, family)? {
            self.lower_ever(file.min_timestamp.unwrap_or(i64::MIN));
        }
        self.attached.store(true, Ordering::SeqCst);
        Ok(())
    }

    /// Registers a write whose smallest timestamp is `min_timestamp`. The guard must live until the database has
    /// returned.
    pub fn begin_write(&self, min_timestamp: i64) -> WriteGuard<'_> {
        self.begin(Written { min_timestamp, has_header: false })
    }

    /// The same for a write that may hold a header.
    pub(crate) fn begin(&self, written: Written) -> WriteGuard<'_> {
        self.lower_ever(written.min_timestamp);
        WriteGuard { table: self, writing: self.unflushed.begin(written) }
    }

    /// Registers an ingestion of files whose smallest timestamp is `min_timestamp`. The guard must live until the
    /// database has returned.
    pub fn begin_ingestion(&self, min_timestamp: i64) -> IngestGuard<'_> {
        self.lower_ever(min_timestamp);
        IngestGuard { table: self, writing: self.ingested.begin(Written { min_timestamp, has_header: false }) }
    }

    /// Whether a memtable may hold a header. The caller must prevent writes of headers meanwhile.
    pub(crate) fn has_unflushed_headers(&self, db: &DB, family: &impl AsColumnFamilyRef) -> bool {
        let sealed = self.sealed();
        let immutable = db.property_int_value_cf(family, "rocksdb.num-immutable-mem-table").ok().flatten();
        self.forget(sealed, immutable.unwrap_or(u64::MAX)).has_header_from_here()
    }

    /// Whether a compaction has ended since the last call.
    pub(crate) fn take_compacted(&self) -> bool {
        self.compacted.swap(false, Ordering::AcqRel)
    }

    pub(super) fn record_compaction(&self) {
        self.compacted.store(true, Ordering::Release);
    }

    /// What may be purged: deletions older than `gc_grace_s` by the clock of this machine plus `now_offset_s`, with
    /// timestamps below `max_purgeable_timestamp` (`i64::MIN`: none).
    pub fn set(&self, gc_grace_s: i64, max_purgeable_timestamp: i64, now_offset_s: i64) {
        let mut settings = self.settings();
        settings.times = Some(Times { gc_grace_s: gc_grace_s.max(0), now_offset_s });
        self.max_purgeable_timestamp.store(max_purgeable_timestamp, Ordering::SeqCst);
    }

    /// While `suspended`, deletions are not purged, also by compactions that run: what they hide may be outside of this
    /// column family.
    pub fn suspend(&self, suspended: bool) {
        self.suspended.store(suspended, Ordering::SeqCst);
    }

    /// Copies what [`TablePurge::set`] and [`TablePurge::set_dropped`] have given another one.
    pub fn follow(&self, other: &TablePurge) {
        let theirs = other.settings().clone();
        let mut settings = self.settings();
        settings.times = theirs.times;
        settings.dropped = theirs.dropped;
        drop(settings);
        self.max_purgeable_timestamp.store(other.max_purgeable_timestamp(), Ordering::SeqCst);
    }

    /// How long an acknowledged write may be in a log that the device does not have yet. A deletion as young as that,
    /// and some minutes more for clocks that differ, removes nothing from files that do not hold it themselves.
    pub fn set_unsynced_max(&self, time: Duration) {
        let time_s = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
        self.settled_after_s.store(time_s.saturating_add(SETTLED_MARGIN_S), Ordering::Relaxed);
    }

    /// The ids of columns that were dropped for good: compaction removes them.
    pub fn set_dropped(&self, dropped: ColumnSet) {
        self.settings().dropped = Arc::new(dropped);
    }

    /// The smallest timestamp that has been written, or was stored at [`TablePurge::attach`]; `i64::MAX` if none.
    pub fn min_timestamp_ever(&self) -> i64 {
        self.smallest_ever.load(Ordering::SeqCst)
    }

    /// What compactions have done.
    pub fn stats(&self) -> PurgeStats {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        PurgeStats {
            fragments_changed: read(&self.counters.fragments_changed),
            fragments_removed: read(&self.counters.fragments_removed),
            bytes_removed: read(&self.counters.bytes_removed),
            empties_left: read(&self.counters.empties_left),
            merge_failures: read(&self.counters.merge_failures),
            blind_compactions: read(&self.counters.blind_compactions),
        }
    }

    pub(super) fn settings(&self) -> MutexGuard<'_, Settings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn policy(&self) -> Policy {
        let settings = self.settings().clone();
        let (now_s, gc_before_s) = match settings.times {
            None => (i64::MIN, i64::MIN),
            Some(times) => {
                let now_s = machine_now_s().saturating_add(times.now_offset_s);
                (now_s, now_s.saturating_sub(times.gc_grace_s))
            }
        };
        let settled_before_s = now_s.saturating_sub(self.settled_after_s.load(Ordering::Relaxed));
        let owned = settings.owned.as_ref().map(OwnedTokens::at_begin);
        Policy { now_s, gc_before_s, settled_before_s, dropped: settings.dropped, owned }
    }

    /// Whether some deletions may be purged, apart from [`TablePurge::suspend`].
    pub(crate) fn is_purging(&self) -> bool {
        self.max_purgeable_timestamp() != i64::MIN
    }

    pub(super) fn max_purgeable_timestamp(&self) -> i64 {
        self.max_purgeable_timestamp.load(Ordering::SeqCst)
    }

    pub(super) fn is_attached(&self) -> bool {
        self.attached.load(Ordering::SeqCst)
    }

    pub(super) fn is_suspended(&self) -> bool {
        self.suspended.load(Ordering::SeqCst) || self.holders.load(Ordering::SeqCst) > 0
    }

    /// Whether a compaction of this table has ever been split between threads.
    pub(super) fn subcompactions_seen(&self) -> bool {
        self.subcompactions_seen.load(Ordering::SeqCst)
    }

    pub(super) fn see_subcompaction(&self) {
        if !self.subcompactions_seen.swap(true, Ordering::SeqCst) {
            log(format_args!("compactions of {} are split: partition deletions are not purged", self.name));
        }
    }

    pub(super) fn sealed(&self) -> Sealed {
        self.unflushed.sealed()
    }

    /// What is ingested from now on. Call before the files are listed.
    pub(super) fn ingestions(&self) -> Arc<Segment> {
        let sealed = self.ingested.sealed();
        self.ingested.forget(sealed, 0)
    }

    pub(super) fn forget(&self, sealed: Sealed, immutable_memtables: u64) -> Arc<Segment> {
        self.unflushed.forget(sealed, usize::try_from(immutable_memtables).unwrap_or(usize::MAX))
    }

    fn lower_ever(&self, timestamp: i64) {
        if timestamp < self.smallest_ever.load(Ordering::Relaxed) {
            self.smallest_ever.fetch_min(timestamp, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
thread_local! {
    /// How often this thread has merged the fragments of a key.
    pub(crate) static MERGES: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl TableHooks for TablePurge {
    type Compaction = CompactionRun;

    fn merge(&self, key: &[u8], fragments: &[&[u8]], out: &mut Vec<u8>) -> bool {
        #[cfg(test)]
        MERGES.set(MERGES.get() + 1);
        self.hot.merged(fragments.len());
        let merged = key::split(key).and_then(|parts| cassiterite_codec::merge(parts.kind, fragments, out));
        if merged.is_err() {
            self.counters.merge_failures.fetch_add(1, Ordering::Relaxed);
        }
        merged.is_ok()
    }

    fn facts(&self, key: &[u8], fragment: &[u8]) -> EntryFacts {
        let facts = key::split(key).and_then(|parts| {
            let min_timestamp = cassiterite_codec::min_timestamp(parts.kind, fragment)?;
            let max_timestamp = cassiterite_codec::max_timestamp(parts.kind, fragment)?;
            let is_header = parts.kind == Kind::Header && !is_empty(parts.kind, fragment);
            let has_row_deletion = cassiterite_codec::has_row_deletion(parts.kind, fragment)?;
            Ok(EntryFacts { min_timestamp, max_timestamp, is_header, has_row_deletion })
        });
        facts.unwrap_or(EntryFacts::UNKNOWN)
    }

    fn begin(self: &Arc<Self>, source: &CompactionSource<'_>) -> CompactionRun {
        CompactionRun::begin(self, source)
    }
}

#[cfg(test)]
impl TablePurge {
    /// Compactions that begin wait as long as this is held.
    pub(crate) fn hold_compactions(&self) -> impl Drop + '_ {
        self.settings()
    }
}

fn machine_now_s() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
