// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! When a write is safe on the device: the node's commitlog_sync modes for the write-ahead log.
//!
//! In every mode the log record has left the process before a write returns, so that a killed process loses nothing;
//! what differs is when the device has it.

use crate::compaction::StoreEvents;
use crate::error::{EngineError, Result};
use crate::options::SyncMode;
use rocksdb::DB;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

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
        db: &Arc<DB>,
        events: &Arc<StoreEvents>,
    ) -> Result<(Arc<Durability>, Option<JoinHandle<()>>)> {
        let durability = Arc::new(Durability {
            mode,
            events: Arc::clone(events),
            state: Mutex::new(State::default()),
            changed: Condvar::new(),
            written: AtomicU64::new(0),
            synced: AtomicU64::new(0),
            failed: AtomicBool::new(false),
        });
        let interval = match mode {
            SyncMode::Periodic(interval) | SyncMode::Group(interval) => interval,
            SyncMode::Batch => return Ok((durability, None)),
        };
        let (timer, db) = (Arc::clone(&durability), Arc::clone(db));
        let thread = std::thread::Builder::new()
            .name("cassiterite-wal-sync".into())
            .spawn(move || timer.run(interval, &db))
            .map_err(|error| EngineError::from(error).context("starting the thread that syncs the log"))?;
        Ok((durability, Some(thread)))
    }

    /// Whether each write itself has to sync.
    pub(crate) fn sync_in_write(&self) -> bool {
        self.mode == SyncMode::Batch
    }

    /// Refuses writes after a sync has failed: nobody knows what the device has.
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

    /// Called after each logged write; returns when it is as durable as the mode promises.
    pub(crate) fn after_write(&self) -> Result<()> {
        self.written.fetch_add(1, Ordering::Release);
        if !matches!(self.mode, SyncMode::Group(_)) {
            return Ok(());
        }
        let mut state = self.lock()?;
        let target = state.begun + 1;
        while state.ended < target && state.failure.is_none() && !state.stopping {
            state = self.changed.wait(state).map_err(|_| EngineError::poisoned())?;
        }
        match &state.failure {
            Some(failure) => Err(failure.clone()),
            None if state.ended < target => Err(EngineError::closed()),
            None => Ok(()),
        }
    }

    /// Brings every write that has returned onto the device.
    pub(crate) fn sync(&self, db: &DB) -> Result<()> {
        let covered = self.written.load(Ordering::Acquire);
        // Syncing a log that a write has failed on makes RocksDB's error, which could be resumed from, a fatal one.
        let synced = match self.events.log_error() {
            Some(error) => Err(EngineError::from_status(&error.status)),
            None => db.flush_wal(true).map_err(EngineError::from),
        };
        match synced {
            Ok(()) => {
                self.synced.fetch_max(covered, Ordering::AcqRel);
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

    /// Ends the timer; writers that still wait get [`EngineError::Closed`].
    pub(crate) fn stop(&self) {
        if let Ok(mut state) = self.state.lock() {
            state.stopping = true;
        }
        self.changed.notify_all();
    }

    fn run(&self, interval: Duration, db: &DB) {
        while let Some(begun) = self.next_round(interval) {
            if self.written.load(Ordering::Acquire) > self.synced.load(Ordering::Acquire) {
                // A failure is kept in the state and refuses the writes that follow.
                let _ = self.sync(db);
            }
            if let Ok(mut state) = self.state.lock() {
                state.ended = begun;
            }
            self.changed.notify_all();
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

    fn lock(&self) -> Result<MutexGuard<'_, State>> {
        self.state.lock().map_err(|_| EngineError::poisoned())
    }
}
