// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What happens in the background of one store: errors, stalls, flushes and compactions.

use super::brake::{Backlog, Brake, Pressure};
use super::damage::DamagedFamilies;
use super::errors::{BackgroundError, StandingErrors};
use super::jobs::{Kind, RunningJobs};
use super::pressed::{Change, PressedFamilies};
use super::progress::{Compactions, EndedCompaction, RunningCompaction};
use super::purge::TablePurge;
use crate::error::Result;
use crate::increments::Increments;
use crate::log::log;
use crate::raw::{self, CompactionBegin, CompactionEnd, CompactionLimiter, EventHooks, StallCondition, Status};
use rocksdb::Options;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, Weak};

/// Sums since the store was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventTotals {
    /// Flushes that ended well.
    pub flushes: u64,
    /// Bytes of their data blocks.
    pub flush_bytes: u64,
    /// Compactions that ended well.
    pub compactions: u64,
    /// Compactions that failed.
    pub compactions_failed: u64,
    /// Bytes that compactions read.
    pub compaction_input_bytes: u64,
    /// Bytes that compactions wrote.
    pub compaction_output_bytes: u64,
    /// How often writes were slowed down.
    pub stalls_delayed: u64,
    /// How often writes were stopped.
    pub stalls_stopped: u64,
    /// Background errors.
    pub background_errors: u64,
}

/// Flushes and compactions of one table, or index, since the store was opened: of all its generations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TableWork {
    /// Flushes that ended well.
    pub flushes: u64,
    /// Bytes of their data blocks.
    pub flush_bytes: u64,
    /// Bytes of the files that compactions wrote.
    pub compaction_output_bytes: u64,
}

/// The event listener of one store; all methods may be called from any thread.
#[derive(Debug, Default)]
pub struct StoreEvents {
    watched: RwLock<HashMap<String, Weak<TablePurge>>>,
    stalled: Mutex<HashMap<String, StallCondition>>,
    errors: StandingErrors,
    damaged: DamagedFamilies,
    compactions: Compactions,
    jobs: RunningJobs,
    /// By what the names of a table's column families have in common.
    work: Mutex<HashMap<String, TableWork>>,
    stopped: Mutex<HashSet<String>>,
    pressed: PressedFamilies,
    totals: Totals,
    /// Where files that are flushed are kept for incremental backups.
    increments: OnceLock<Arc<Increments>>,
}

#[derive(Debug, Default)]
struct Totals {
    flushes: AtomicU64,
    flush_bytes: AtomicU64,
    compactions: AtomicU64,
    compactions_failed: AtomicU64,
    compaction_input_bytes: AtomicU64,
    compaction_output_bytes: AtomicU64,
    stalls_delayed: AtomicU64,
    stalls_stopped: AtomicU64,
    held_back: AtomicU64,
    background_errors: AtomicU64,
}

impl StoreEvents {
    /// Gets no events before [`StoreEvents::install`].
    pub fn new() -> Arc<Self> {
        Arc::new(StoreEvents::default())
    }

    /// Adds this listener to a database's options.
    pub fn install(self: &Arc<Self>, options: &mut Options) {
        raw::install_events(options, self);
    }

    /// Says where files that are flushed are kept, before the database is opened.
    pub(crate) fn keep_flushed_in(&self, increments: &Arc<Increments>) {
        let _ = self.increments.set(Arc::clone(increments));
    }

    /// Says whose limit is lifted while compaction of a table is behind.
    pub(crate) fn limited_by(&self, limiter: &Arc<CompactionLimiter>) {
        self.pressed.limited_by(limiter);
    }

    /// Passes events of a column family on to its purging. Call it before the first write to the column family; a table
    /// that is not watched purges nothing any more after its first write.
    pub fn watch(&self, table: &Arc<TablePurge>) {
        let mut watched = self.watched.write().unwrap_or_else(PoisonError::into_inner);
        if watched.len().is_power_of_two() {
            watched.retain(|_, table| table.strong_count() > 0); // not each time: there may be thousands
        }
        watched.insert(table.name().to_owned(), Arc::downgrade(table));
    }

    /// About how many column families there are.
    pub(crate) fn families(&self) -> usize {
        self.watched.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// The first background error that nothing has ended yet.
    pub fn first_error(&self) -> Option<BackgroundError> {
        self.errors.first()
    }

    /// The first failure to write or sync the log, as long as it stands.
    pub fn log_error(&self) -> Option<BackgroundError> {
        self.errors.first_of_log()
    }

    /// Runs a resume; where it succeeds, the errors that it began with have ended. One that comes meanwhile stands.
    pub fn resume(&self, resume: impl FnOnce() -> Result<()>) -> Result<()> {
        self.errors.resume(resume)
    }

    /// Column families whose writes are slowed down or stopped now, by name.
    pub fn stalled(&self) -> Vec<(String, StallCondition)> {
        let stalled = self.stalled.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stalled: Vec<_> = stalled.iter().map(|(name, &condition)| (name.clone(), condition)).collect();
        stalled.sort_by(|left, right| left.0.cmp(&right.0));
        stalled
    }

    /// Column families with a damaged file.
    pub(crate) fn damaged(&self) -> &DamagedFamilies {
        &self.damaged
    }

    /// Whether no flush or compaction of a dropped column family is under way; false where that cannot be told now.
    /// `property` reads one of RocksDB.
    pub(crate) fn has_no_job(&self, family: &str, property: impl Fn(&str) -> u64) -> bool {
        self.jobs.none_of(family, property)
    }

    /// Whether any column family's writers are held back.
    pub(crate) fn any_braked(&self) -> bool {
        self.pressed.any_braked()
    }

    /// The number of column families whose writers are held back, and how many writes have been.
    pub(crate) fn braked(&self) -> (usize, u64) {
        (self.pressed.braked(), self.totals.held_back.load(Ordering::Relaxed))
    }

    /// How often the limit of compactions was lifted, and for how many column families it is.
    pub(crate) fn lifts(&self) -> (u64, usize) {
        self.pressed.lifts()
    }

    /// Counts a write that has been held back.
    pub(crate) fn count_held_back(&self) {
        add(&self.totals.held_back, 1);
    }

    /// Changes what the brake of a column family goes by.
    pub(crate) fn change_brake(&self, table: &TablePurge, change: impl FnOnce(&Brake) -> Pressure) {
        let name = table.name();
        self.pressed.change(name, || {
            // Under the lock: `forget` has not been there, or comes yet.
            self.table(name)?;
            Some(Change { pressure: change(table.brake()), lifts: self.damaged.of(name).is_none() })
        });
    }

    /// Forgets a column family that was dropped: RocksDB does not tell that its writes are held back no more.
    pub(crate) fn forget(&self, family: &str) {
        self.damaged.end(family);
        self.stalled.lock().unwrap_or_else(PoisonError::into_inner).remove(family);
        self.watched.write().unwrap_or_else(PoisonError::into_inner).remove(family);
        self.pressed.forget(family);
    }

    /// The compactions that run.
    pub(crate) fn running_compactions(&self) -> Vec<Arc<RunningCompaction>> {
        self.compactions.running()
    }

    /// The latest 200 compactions that ended well, in the order of their ends.
    pub(crate) fn ended_compactions(&self) -> Vec<EndedCompaction> {
        self.compactions.ended()
    }

    /// Names of column families of which compactions were stopped since the last call.
    pub(crate) fn take_stopped(&self) -> HashSet<String> {
        std::mem::take(&mut *self.stopped.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Sums since the store was opened.
    pub fn totals(&self) -> EventTotals {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let totals = &self.totals;
        EventTotals {
            flushes: read(&totals.flushes),
            flush_bytes: read(&totals.flush_bytes),
            compactions: read(&totals.compactions),
            compactions_failed: read(&totals.compactions_failed),
            compaction_input_bytes: read(&totals.compaction_input_bytes),
            compaction_output_bytes: read(&totals.compaction_output_bytes),
            stalls_delayed: read(&totals.stalls_delayed),
            stalls_stopped: read(&totals.stalls_stopped),
            background_errors: read(&totals.background_errors),
        }
    }

    /// What has been done for the table that a column family belongs to.
    pub(crate) fn work_of(&self, family: &str) -> TableWork {
        let work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        work.get(table_part(family)).copied().unwrap_or_default()
    }

    fn note_work(&self, family: &str, note: impl FnOnce(&mut TableWork)) {
        let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        note(work.entry(table_part(family).to_owned()).or_default());
    }

    fn table(&self, family: &str) -> Option<Arc<TablePurge>> {
        self.watched.read().unwrap_or_else(PoisonError::into_inner).get(family)?.upgrade()
    }
}

impl EventHooks for StoreEvents {
    fn memtable_sealed(&self, family: &str, _first_sequence: u64) {
        if let Some(table) = self.table(family) {
            table.unflushed.seal();
            table.readership().seal();
        }
    }

    fn flush_begun(&self, family: &str) {
        self.jobs.begin(Kind::Flush, family);
    }

    fn file_flushed(&self, family: &str, path: &Path, checksum: Option<u32>) {
        if let Some(increments) = self.increments.get() {
            increments.keep_flushed(family, path, checksum);
        }
    }

    fn job_ended(&self) {
        self.jobs.end();
    }

    fn flush_completed(&self, family: &str, _largest_sequence: u64, data_bytes: u64) {
        self.jobs.done();
        self.note_work(family, |work| {
            work.flushes += 1;
            work.flush_bytes += data_bytes;
        });
        add(&self.totals.flushes, 1);
        add(&self.totals.flush_bytes, data_bytes);
    }

    fn compaction_begun(&self, family: &str, compaction: CompactionBegin) {
        self.jobs.begin(Kind::Compaction, family);
        let levels = (compaction.input_level, compaction.output_level);
        self.compactions.begin(compaction.job, family, levels, compaction.total_bytes);
    }

    fn compaction_completed(&self, family: &str, compaction: CompactionEnd) {
        self.jobs.done();
        let bytes = (compaction.input_bytes, compaction.output_bytes);
        self.compactions.end(compaction.job, compaction.ok.then_some(bytes));
        if compaction.ok {
            if let Some(table) = self.table(family) {
                table.record_compaction();
            }
            self.note_work(family, |work| work.compaction_output_bytes += compaction.output_bytes);
            add(&self.totals.compactions, 1);
            add(&self.totals.compaction_input_bytes, compaction.input_bytes);
            add(&self.totals.compaction_output_bytes, compaction.output_bytes);
        } else if compaction.stopped {
            self.stopped.lock().unwrap_or_else(PoisonError::into_inner).insert(family.to_owned());
        } else {
            add(&self.totals.compactions_failed, 1);
        }
    }

    fn backlog_changed(&self, family: &str, level0_files: u64, pending_bytes: u64) {
        if let Some(table) = self.table(family) {
            let backlog = Backlog { files: level0_files, bytes: pending_bytes };
            self.change_brake(&table, |brake| brake.note(backlog));
        }
    }

    fn subcompaction_begun(&self, family: &str, number: i32) {
        if number > 0 {
            if let Some(table) = self.table(family) {
                table.see_subcompaction();
            }
        }
    }

    fn stall_changed(&self, family: &str, condition: StallCondition) {
        let mut stalled = self.stalled.lock().unwrap_or_else(PoisonError::into_inner);
        match condition {
            StallCondition::Normal => {
                stalled.remove(family);
                return;
            }
            StallCondition::Delayed => add(&self.totals.stalls_delayed, 1),
            StallCondition::Stopped => add(&self.totals.stalls_stopped, 1),
        }
        stalled.insert(family.to_owned(), condition);
    }

    /// Only that of a table is contained: of the catalog nobody would be told. Not while another error stands, either:
    /// RocksDB may be recovering from it, and would take this failure for that of the recovery.
    fn corruption_met(&self, family: &str, status: &str) -> bool {
        let is_contained = self.table(family).is_some() && self.first_error().is_none();
        if is_contained {
            log(format_args!("a compaction of {family} has met a damaged file: {status}"));
            self.damaged.add(family, status);
        }
        is_contained
    }

    fn background_error(&self, reason: i32, severity: i32, status: Status) {
        add(&self.totals.background_errors, 1);
        let during = reason_name(reason);
        log(format_args!("background error during {during}, severity {severity}: {}", status.text));
        self.errors.add(BackgroundError { during, severity, error: status.into() }, reason == LOG_WRITE);
    }

    fn recovery_ended(&self, ok: bool, status: &str) {
        if ok {
            log(format_args!("recovered from the background error"));
            self.errors.recovered();
        } else {
            log(format_args!("recovery from the background error failed: {status}"));
        }
    }
}

/// A column family's name without the generation, which comes last, and its number.
fn table_part(family: &str) -> &str {
    family.rsplit_once('.').map_or(family, |(table, _)| table)
}

/// RocksDB's BackgroundErrorReason of the write path.
const LOG_WRITE: i32 = 2;

/// RocksDB's BackgroundErrorReason.
fn reason_name(reason: i32) -> &'static str {
    match reason {
        0 => "flush",
        1 => "compaction",
        LOG_WRITE => "log write",
        3 => "memtable",
        4 => "manifest write",
        5 => "flush without WAL",
        6 => "manifest write without WAL",
        7 => "file open",
        _ => "unknown work",
    }
}

fn add(counter: &AtomicU64, amount: u64) {
    counter.fetch_add(amount, Ordering::Relaxed);
}
