// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What readers that must not wait have done with, though RocksDB would have them wait: a thread drops it.

use crate::error::{EngineError, Result};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// Dropped sooner or later.
type Discard = Box<dyn Send>;

/// Discards of one database. Safe to use from any thread.
#[derive(Default)]
pub(crate) struct Discards {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Vec<Discard>,
    is_running: bool,
}

impl Discards {
    /// Takes what the caller has done with. While no thread runs, the caller drops it.
    pub(crate) fn add(&self, discard: impl Send + 'static) {
        let mut state = self.lock();
        if state.is_running {
            state.waiting.push(Box::new(discard));
            self.changed.notify_one();
        } else {
            drop(state);
            drop(discard);
        }
    }

    /// Starts the thread, which runs until [`Discards::stop`].
    pub(crate) fn start(self: &Arc<Self>) -> Result<JoinHandle<()>> {
        let running = Arc::clone(self);
        self.lock().is_running = true;
        let thread = std::thread::Builder::new().name("cassiterite-discard".into()).spawn(move || running.run());
        thread.map_err(|error| {
            self.stop();
            EngineError::from(error).context("starting the thread that frees what reads have done with")
        })
    }

    fn run(&self) {
        loop {
            let is_idle = |state: &mut State| state.waiting.is_empty() && state.is_running;
            let mut state = self.changed.wait_while(self.lock(), is_idle).unwrap_or_else(PoisonError::into_inner);
            let discards = std::mem::take(&mut state.waiting);
            drop(state);
            if discards.is_empty() {
                return;
            }
            drop(discards);
        }
    }

    /// Ends the thread when it has dropped what is left.
    pub(crate) fn stop(&self) {
        self.lock().is_running = false;
        self.changed.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
