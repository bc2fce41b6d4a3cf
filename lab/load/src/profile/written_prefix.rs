// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The prefix of a sequence that is written without a gap, for reads that look back.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// How many partitions from the start of the sequence are written without a gap. Safe to share between threads.
#[derive(Debug, Default)]
pub struct WrittenPrefix {
    count: AtomicU64,
    /// Runs that ended before those in front of them: start, end.
    later: Mutex<BTreeMap<u64, u64>>,
}

impl WrittenPrefix {
    /// The partitions `first..end` of the sequence are written.
    pub fn add(&self, first: u64, end: u64) {
        let mut later = self.later.lock().unwrap_or_else(PoisonError::into_inner);
        let mut count = self.count.load(Ordering::Acquire);
        later.insert(first, end);
        while let Some((&start, &end)) = later.first_key_value() {
            if start > count {
                break;
            }
            later.pop_first();
            count = count.max(end);
        }
        self.count.store(count, Ordering::Release);
    }

    /// How many.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Acquire)
    }
}
