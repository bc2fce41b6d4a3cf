// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Dropped column families whose handles are not released yet.
//!
//! RocksDB 11.8 reads a column family's options once more after the work that used them has ended: a compaction, a flush
//! or a write that changed whether writes stall tells the listeners so at its very end, when it holds the family no more
//! (`SuperVersionContext::Clean`). A handle released between the two frees those options, and the process dies. Only
//! work that had begun before the drop does that, so a handle is released once no such work can run any more.

use crate::error::{EngineError, Result};
use crate::raw::sys::FamilyHandle;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Writes tell the listeners within microseconds, and RocksDB does not count them.
const WRITES_END: Duration = Duration::from_secs(1);
/// How often it is asked whether background work has ended.
const INTERVAL: Duration = Duration::from_millis(100);
/// What RocksDB counts down after its last look at a family.
const RUNNING: [&str; 2] = ["rocksdb.num-running-compactions", "rocksdb.num-running-flushes"];

/// The families, oldest first. Their files stay as long as they do. Safe to use from any thread.
#[derive(Default)]
pub(crate) struct Retirement {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    families: VecDeque<(Instant, FamilyHandle)>,
    is_stopping: bool,
}

impl Retirement {
    /// Takes a family that has been dropped.
    pub(crate) fn add(&self, family: FamilyHandle) {
        self.lock().families.push_back((Instant::now(), family));
        self.changed.notify_all();
    }

    /// Starts the thread that releases families until [`Retirement::stop`].
    pub(crate) fn start() -> Result<(Arc<Retirement>, JoinHandle<()>)> {
        let retirement = Arc::<Retirement>::default();
        let running = Arc::clone(&retirement);
        let thread = std::thread::Builder::new().name("cassiterite-release".into()).spawn(move || running.run());
        let thread =
            thread.map_err(|error| EngineError::from(error).context("starting the thread that releases tables"))?;
        Ok((retirement, thread))
    }

    fn run(&self) {
        let mut state = self.lock();
        while !state.is_stopping {
            if state.families.is_empty() {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let released = take_released(&mut state.families);
            drop(state);
            drop(released); // may delete files
            state = self.lock();
            let waited = self.changed.wait_timeout_while(state, INTERVAL, |state| !state.is_stopping);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Ends the thread. What is left is released with this, which has to be after all background work.
    pub(crate) fn stop(&self) {
        self.lock().is_stopping = true;
        self.changed.notify_all();
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.lock().families.len()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Those dropped before the last work that could still look at them has ended: none while any background work runs.
fn take_released(families: &mut VecDeque<(Instant, FamilyHandle)>) -> Vec<FamilyHandle> {
    let old = families.iter().take_while(|(dropped_at, _)| dropped_at.elapsed() >= WRITES_END).count();
    // Work that begins after the drop is not this family's, so one look at which nothing runs is enough.
    let is_busy = |family: &FamilyHandle| RUNNING.iter().any(|running| family.property(running) > 0);
    match families.front() {
        Some((_, family)) if old > 0 && !is_busy(family) => families.drain(..old).map(|(_, family)| family).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
