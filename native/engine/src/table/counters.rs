// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What callers have done to a table, counted, and the latest sample of its keys.

use crate::compaction::Calls;
use crate::error::{EngineError, Result};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Counts calls. Safe to use from any thread.
#[derive(Default)]
pub(crate) struct Counters {
    calls: Arc<Calls>,
    written_bytes: AtomicI64,
    sample: Mutex<Option<(Instant, Sample)>>,
    counted: Mutex<Option<(KeysSeen, Option<Sample>)>>,
}

/// What changes whenever a table gets keys: its writes, and RocksDB's own estimate.
pub(crate) type KeysSeen = (i64, i64);

/// How many partitions some keys belong to.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sample {
    pub keys: i64,
    pub partitions: i64,
}

impl Counters {
    pub(super) fn write(&self, bytes: usize) {
        self.calls.write();
        self.written_bytes.fetch_add(i64::try_from(bytes).unwrap_or(i64::MAX), Ordering::Relaxed);
    }

    pub(super) fn read(&self) {
        self.calls.read();
    }

    /// Writes, reads and written bytes.
    pub(crate) fn totals(&self) -> [i64; 3] {
        [self.calls.writes(), self.calls.reads(), self.written_bytes.load(Ordering::Relaxed)]
    }

    /// Writes and reads, as they come.
    pub(crate) fn calls(&self) -> &Arc<Calls> {
        &self.calls
    }

    /// What was counted when the table had just these, or what `count` finds.
    pub(crate) fn counted(&self, seen: KeysSeen, count: impl FnOnce() -> Option<Sample>) -> Result<Option<Sample>> {
        let mut latest = self.counted.lock().map_err(|_| EngineError::poisoned())?;
        match *latest {
            Some((then, counted)) if then == seen => Ok(counted),
            _ => {
                let counted = count();
                *latest = Some((seen, counted));
                Ok(counted)
            }
        }
    }

    /// The latest sample, or a new one where that is older than `age_max` or empty.
    pub(crate) fn sample(&self, age_max: Duration, take: impl FnOnce() -> Sample) -> Result<Sample> {
        let mut latest = self.sample.lock().map_err(|_| EngineError::poisoned())?;
        match *latest {
            Some((taken, sample)) if taken.elapsed() < age_max && sample.keys > 0 => Ok(sample),
            _ => {
                let sample = take();
                *latest = Some((Instant::now(), sample));
                Ok(sample)
            }
        }
    }
}
