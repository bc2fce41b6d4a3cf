// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Writers wait while memtables fill faster than they are flushed.
//!
//! When the budget of all memtables is used up RocksDB flushes, but holds nobody back before one table has three memtables,
//! however many tables there are. Its own way to stop writers at the budget counts what readers hold, too, and would stop
//! them for as long as a reader takes.

use super::StoreCore;
use crate::error::Result;
use crate::faults::{reached, Step};
use crate::raw::sys::{is_flushing, unflushed_bytes};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What is being flushed may take this part of the budget on top.
const SLACK: usize = 4;
/// No write waits longer, the wait for those before it included: a flush that cannot be done is RocksDB's to report.
const WAIT_MAX: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(1);
/// How long room that was found is good for: what readers hold may be released at any time, and filled again.
const FOUND_FOR: Duration = Duration::from_millis(10);

/// Room in the memtables. Safe to use from any thread.
#[derive(Default)]
pub(crate) struct WriteBackpressure {
    found: Mutex<Option<Found>>,
    waits: AtomicU64,
}

/// Room that was found although readers hold more than the budget.
struct Found {
    until: Instant,
    up_to_usage: usize,
}

impl WriteBackpressure {
    /// Whether a write has to [`Self::wait`] first. Waits for nobody.
    pub(crate) fn is_full(&self, store: &StoreCore) -> bool {
        usage(store) > bound(store)
            // Whoever has it is looking for room.
            && !self.found.try_lock().is_ok_and(|found| found.as_ref().is_some_and(|found| found.is_good(store)))
    }

    /// Returns when the memtables take another write, or have not for long; fails once `check` does. Not for the holder of a
    /// table's lock: who changes its column families would wait, and then its readers.
    pub(crate) fn wait(&self, store: &StoreCore, check: impl Fn() -> Result<()>) -> Result<()> {
        let bound = bound(store);
        if usage(store) <= bound {
            return Ok(());
        }
        let begun = Instant::now();
        reached(Step::AwaitingFlushes)?;
        check()?;
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if found.as_ref().is_some_and(|found| found.is_good(store)) {
            return Ok(());
        }
        let mut unflushed = unflushed_bytes(&store.db);
        let mut waits = 0;
        // Without a flush under way it is the next write that makes RocksDB begin one.
        while unflushed > bound && begun.elapsed() < WAIT_MAX && is_flushing(&store.db) {
            waits = 1;
            check()?;
            std::thread::sleep(PAUSE);
            unflushed = unflushed_bytes(&store.db);
        }
        self.waits.fetch_add(waits, Ordering::Relaxed);
        let up_to_usage = usage(store).saturating_add(bound.saturating_sub(unflushed));
        *found = Some(Found { until: Instant::now() + FOUND_FOR, up_to_usage });
        Ok(())
    }

    /// How many writes have waited.
    pub(crate) fn waits(&self) -> u64 {
        self.waits.load(Ordering::Relaxed)
    }
}

impl Found {
    fn is_good(&self, store: &StoreCore) -> bool {
        Instant::now() < self.until && usage(store) < self.up_to_usage
    }
}

/// What all memtables take, with those that only readers hold.
fn usage(store: &StoreCore) -> usize {
    store.shared.write_buffers.get_usage()
}

fn bound(store: &StoreCore) -> usize {
    let budget = store.shared.write_buffers.get_buffer_size();
    budget + budget / SLACK
}
