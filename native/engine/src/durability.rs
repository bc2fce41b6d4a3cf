// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! When a write is safe on the device: the node's commitlog_sync modes for the write-ahead log.
//!
//! In every mode the log record has left the process before a write returns, so that a killed process loses nothing;
//! what differs is when the device has it.

mod pending;
#[cfg(test)]
mod tests;

pub(crate) use pending::PendingSync;

use crate::compaction::StoreEvents;
use crate::database::Database;
use crate::error::{EngineError, Result};
use crate::options::SyncMode;
use pending::Awaited;
use rocksdb::DB;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

impl SyncMode {
    /// How long the device may lack an acknowledged write, as long as syncs go well.
    pub(crate) fn unsynced_max(self) -> Duration {
        match self {
            SyncMode::Batch => Duration::ZERO,
            SyncMode::Group(window) => window,
            SyncMode::Periodic { interval, lag } => interval.saturating_add(lag),
        }
    }
}

/// Syncs the log as the mode demands. Safe to use from any thread.
pub(crate) struct Durability {
    mode: SyncMode,
    events: Arc<StoreEvents>,
    state: Mutex<State>,
    changed: Condvar,
    /// Writes since start, and how many of them the last good sync covers.
    written: AtomicU64,
    synced: AtomicU64,
    failed: AtomicBool,
    started: Instant,
    /// When the last sync began that went well, in nanoseconds since `started`: writes up to then are on the device.
    synced_at_ns: AtomicU64,
}

#[derive(Default)]
struct State {
    /// Syncs that have begun and that have ended.
    begun: u64,
    ended: u64,
    stopping: bool,
    failure: Option<EngineError>,
}

impl Durability {
    /// Starts the timer, where the mode has one.
    pub(crate) fn start(
        mode: SyncMode,
        db: &Arc<Database>,
        events: &Arc<StoreEvents>,
    ) -> Result<(Arc<Durability>, Option<JoinHandle<()>>)> {
        let durability = Arc::new(Durability::new(mode, events));
        let interval = match mode {
            SyncMode::Periodic { interval, .. } | SyncMode::Group(interval) => interval,
            SyncMode::Batch => return Ok((durability, None)),
        };
        let (timer, db) = (Arc::clone(&durability), Arc::clone(db));
        let thread = std::thread::Builder::new()
            .name("cassiterite-wal-sync".into())
            .spawn(move || timer.run(interval, &db))
            .map_err(|error| EngineError::from(error).context("starting the thread that syncs the log"))?;
        Ok((durability, Some(thread)))
    }

    fn new(mode: SyncMode, events: &Arc<StoreEvents>) -> Durability {
        Durability {
            mode,
            events: Arc::clone(events),
            state: Mutex::new(State::default()),
            changed: Condvar::new(),
            written: AtomicU64::new(0),
            synced: AtomicU64::new(0),
            failed: AtomicBool::new(false),
            started: Instant::now(),
            synced_at_ns: AtomicU64::new(0),
        }
    }

    /// Whether each write itself has to sync.
    pub(crate) fn sync_in_write(&self) -> bool {
        self.mode == SyncMode::Batch
    }

    /// Whether a logged write would have to wait for the log by now. One that does not may have to by its end.
    pub(crate) fn writers_wait(&self) -> bool {
        match self.mode {
            SyncMode::Periodic { lag, .. } => !self.has_synced_since(self.now_ns().saturating_sub(nanoseconds(lag))),
            SyncMode::Batch | SyncMode::Group(_) => true,
        }
    }

    /// Refuses writes after a sync has failed: what the device has is unknown.
    pub(crate) fn check(&self) -> Result<()> {
        if !self.failed.load(Ordering::Acquire) {
            return Ok(());
        }
        Err(self.failure().unwrap_or_else(EngineError::poisoned))
    }

    /// Why syncing failed, until [`Durability::recover`].
    pub(crate) fn failure(&self) -> Option<EngineError> {
        match self.state.lock() {
            Ok(state) => state.failure.clone(),
            Err(_) => Some(EngineError::poisoned()),
        }
    }

    /// Called after each logged write; what its writer has to wait for before it acknowledges the write, if anything.
    /// In periodic mode it waits while the log has not been synced for longer than the node allows, so that a slow
    /// device slows its writers down.
    pub(crate) fn after_write(self: &Arc<Self>) -> Result<Option<PendingSync>> {
        self.written.fetch_add(1, Ordering::Release);
        let awaited = match self.mode {
            SyncMode::Batch => return Ok(None),
            SyncMode::Periodic { lag, .. } => {
                let begun_ns = self.now_ns().saturating_sub(nanoseconds(lag));
                if self.has_synced_since(begun_ns) {
                    return Ok(None);
                }
                Awaited::SyncSince(begun_ns)
            }
            SyncMode::Group(_) => Awaited::Round(self.lock()?.begun + 1),
        };
        Ok(Some(PendingSync::new(self, awaited)))
    }

    fn has_synced_since(&self, begun_ns: u64) -> bool {
        self.synced_at_ns.load(Ordering::Acquire) >= begun_ns
    }

    /// Brings every write that has returned onto the device.
    pub(crate) fn sync(&self, db: &DB) -> Result<()> {
        let begun_at_ns = self.now_ns();
        let covered = self.written.load(Ordering::Acquire);
        // Syncing a log that a write has failed on makes RocksDB's error, which could be resumed from, a fatal one.
        let synced = match self.events.log_error() {
            Some(failed) => Err(failed.error),
            None => db.flush_wal(true).map_err(EngineError::from),
        };
        match synced {
            Ok(()) => {
                self.synced.fetch_max(covered, Ordering::AcqRel);
                self.synced_at_ns.fetch_max(begun_at_ns, Ordering::AcqRel);
                self.check()
            }
            Err(error) => {
                let error = error.context("syncing the write-ahead log; writes are refused until it is resumed");
                if let Ok(mut state) = self.state.lock() {
                    state.failure.get_or_insert_with(|| error.clone());
                    self.failed.store(true, Ordering::Release);
                }
                self.changed.notify_all();
                Err(error)
            }
        }
    }

    /// Forgets a failure, after everything in memory has been written to files.
    pub(crate) fn recover(&self) -> Result<()> {
        self.lock()?.failure = None;
        self.failed.store(false, Ordering::Release);
        Ok(())
    }

    /// Ends the timer.
    pub(crate) fn stop(&self) {
        if let Ok(mut state) = self.state.lock() {
            state.stopping = true;
        }
        self.changed.notify_all();
    }

    /// The last sync, once the timer and all writes have ended. Writers that still wait get its outcome.
    pub(crate) fn finish(&self, db: &DB) -> Result<()> {
        let synced = self.sync(db);
        if synced.is_ok() {
            self.lock()?.ended = u64::MAX;
        }
        self.changed.notify_all();
        synced
    }

    fn run(&self, interval: Duration, db: &DB) {
        let mut wait = interval;
        while let Some(begun) = self.next_round(wait) {
            let begun_at = Instant::now();
            let begun_at_ns = self.now_ns();
            if self.written.load(Ordering::Acquire) > self.synced.load(Ordering::Acquire) {
                // A failure stays in the state and refuses the writes that follow.
                let _ = self.sync(db);
            } else {
                self.synced_at_ns.fetch_max(begun_at_ns, Ordering::AcqRel);
            }
            if let Ok(mut state) = self.state.lock() {
                state.ended = begun;
            }
            self.changed.notify_all();
            wait = interval.saturating_sub(begun_at.elapsed());
        }
    }

    /// Waits for the interval; the number of the sync that begins, or `None` at the end.
    fn next_round(&self, interval: Duration) -> Option<u64> {
        let state = self.state.lock().ok()?;
        let (mut state, _) = self.changed.wait_timeout_while(state, interval, |state| !state.stopping).ok()?;
        if state.stopping {
            return None;
        }
        state.begun += 1;
        Some(state.begun)
    }

    fn now_ns(&self) -> u64 {
        nanoseconds(self.started.elapsed())
    }

    fn lock(&self) -> Result<MutexGuard<'_, State>> {
        self.state.lock().map_err(|_| EngineError::poisoned())
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
