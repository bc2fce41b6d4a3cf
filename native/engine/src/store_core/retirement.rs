// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Dropped column families whose handles are not released yet.
//!
//! RocksDB 11.8 reads a column family's options once more after the work that used them has ended: a compaction, a flush
//! or a write that changed whether writes stall tells the listeners so at its very end, when it holds the family no more
//! (`SuperVersionContext::Clean`). A handle released between the two frees those options, and the process dies. Only
//! work on this family that had begun before the drop does that, so a handle is released once no such work can run any
//! more. Work on other families does not count: there may always be some.

use crate::error::{EngineError, Result};
use crate::raw::sys::FamilyHandle;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Writes tell the listeners within microseconds, and tell nobody of their end.
const WRITES_END: Duration = Duration::from_secs(1);
/// How often it is asked whether background work has ended.
const INTERVAL: Duration = Duration::from_millis(100);
/// How many such looks in a row have to agree.
const LOOKS: u32 = 2;

/// The families, oldest first. Their files stay as long as they do. Safe to use from any thread.
#[derive(Default)]
pub(crate) struct Retirement {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    families: Vec<Retired>,
    is_stopping: bool,
}

/// A column family that has been dropped.
struct Retired {
    name: String,
    dropped_at: Instant,
    /// Looks in a row at which it had no job: a failed one is counted down a moment before it has ended.
    idle_looks: u32,
    family: FamilyHandle,
}

impl Retirement {
    /// Takes a family that has been dropped.
    pub(crate) fn add(&self, name: &str, family: FamilyHandle) {
        self.lock().families.push(Retired { name: name.to_owned(), dropped_at: Instant::now(), idle_looks: 0, family });
        self.changed.notify_all();
    }

    /// Starts the thread that releases families until [`Retirement::stop`]. `has_no_job` tells whether no flush or
    /// compaction of a column family is under way.
    pub(crate) fn start(
        has_no_job: impl Fn(&str, &FamilyHandle) -> bool + Send + 'static,
    ) -> Result<(Arc<Retirement>, JoinHandle<()>)> {
        let retirement = Arc::<Retirement>::default();
        let running = Arc::clone(&retirement);
        let thread =
            std::thread::Builder::new().name("cassiterite-release".into()).spawn(move || running.run(&has_no_job));
        let thread =
            thread.map_err(|error| EngineError::from(error).context("starting the thread that releases tables"))?;
        Ok((retirement, thread))
    }

    fn run(&self, has_no_job: &dyn Fn(&str, &FamilyHandle) -> bool) {
        let mut state = self.lock();
        while !state.is_stopping {
            if state.families.is_empty() {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let released = take_released(&mut state.families, has_no_job);
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

/// Those that no work can look at any more.
fn take_released(families: &mut Vec<Retired>, has_no_job: &dyn Fn(&str, &FamilyHandle) -> bool) -> Vec<Retired> {
    for of in families.iter_mut() {
        of.idle_looks = if has_no_job(&of.name, &of.family) { of.idle_looks + 1 } else { 0 };
    }
    families.extract_if(.., |of| of.dropped_at.elapsed() >= WRITES_END && of.idle_looks >= LOOKS).collect()
}

#[cfg(test)]
mod tests;
