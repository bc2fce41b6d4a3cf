// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Writers wait while memtables fill faster than they are flushed.
//!
//! When the budget of all memtables is used up RocksDB flushes, but slows no writer down before one table has three
//! memtables, however many tables there are. Its own way to stop writers at the budget counts memtables that readers
//! pin, too, and would stop them for as long as a reader takes.

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
/// How long a permission is good for: what readers pin may be released at any time, and filled again.
const PERMITTED_FOR: Duration = Duration::from_millis(10);

/// Makes writers wait for flushes. Safe to use from any thread.
#[derive(Default)]
pub(crate) struct WriteBackpressure {
    permission: Mutex<Option<Permission>>,
    waits: AtomicU64,
}

/// Writes are permitted although readers pin more than the budget.
struct Permission {
    until: Instant,
    up_to_usage: usize,
}

impl WriteBackpressure {
    /// Whether a write has to [`Self::wait`] first. Does not block.
    pub(crate) fn is_full(&self, store: &StoreCore) -> bool {
        usage(store) > bound(store)
            // Locked: another writer waits for flushes.
            && !self.permission.try_lock().is_ok_and(|permission| permission.as_ref().is_some_and(|permission| permission.is_good(store)))
    }

    /// Returns when the memtables take another write, or have not for long; fails once `check` does. Not under a
    /// table's lock: a change of its column families would wait, and then its readers.
    pub(crate) fn wait(&self, store: &StoreCore, check: impl Fn() -> Result<()>) -> Result<()> {
        let bound = bound(store);
        if usage(store) <= bound {
            return Ok(());
        }
        let begun = Instant::now();
        reached(Step::AwaitingFlushes)?;
        check()?;
        let mut permission = self.permission.lock().unwrap_or_else(PoisonError::into_inner);
        if permission.as_ref().is_some_and(|permission| permission.is_good(store)) {
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
        *permission = Some(Permission { until: Instant::now() + PERMITTED_FOR, up_to_usage });
        Ok(())
    }

    /// How many writes have waited.
    pub(crate) fn waits(&self) -> u64 {
        self.waits.load(Ordering::Relaxed)
    }
}

impl Permission {
    fn is_good(&self, store: &StoreCore) -> bool {
        Instant::now() < self.until && usage(store) < self.up_to_usage
    }
}

/// The bytes of all memtables, with those that only readers pin.
fn usage(store: &StoreCore) -> usize {
    store.shared.write_buffers.get_usage()
}

fn bound(store: &StoreCore) -> usize {
    let budget = store.shared.write_buffers.get_buffer_size();
    budget + budget / SLACK
}
