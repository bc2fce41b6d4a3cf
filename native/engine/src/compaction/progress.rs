// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The compactions of a store: those that run, with their progress, and the latest that ended.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// How many that have ended are remembered.
const ENDED_MAX: usize = 200;
/// How much is counted at once: threads that report do not slow the compaction down.
const COUNTED_BYTES: u64 = 64 << 10;

thread_local! {
    /// RocksDB tells of the beginning of a compaction on the thread that then runs it.
    static OF_THIS_THREAD: RefCell<Option<Arc<RunningCompaction>>> = const { RefCell::new(None) };
}

/// What is known of a compaction when it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BegunCompaction {
    /// 1 is the first of the store since it was opened.
    pub number: u64,
    /// Name of its column family.
    pub family: String,
    /// When it began, in microseconds since 1970; no other has the same.
    pub began_us: u64,
    pub input_level: i32,
    pub output_level: i32,
    /// Keys and values that it reads, before compression.
    pub total_bytes: u64,
}

/// A compaction that runs.
#[derive(Debug)]
pub(crate) struct RunningCompaction {
    pub begun: BegunCompaction,
    done_bytes: AtomicU64,
}

impl RunningCompaction {
    /// How much of the total it has read.
    pub(crate) fn done_bytes(&self) -> u64 {
        self.done_bytes.load(Ordering::Relaxed).min(self.begun.total_bytes)
    }
}

/// A compaction that ended well, and wrote its files anew: those that were only moved to another level are not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EndedCompaction {
    pub begun: BegunCompaction,
    /// In milliseconds since 1970.
    pub ended_ms: u64,
    /// Bytes of the files that it read.
    pub input_bytes: u64,
    /// Bytes of the files that it wrote.
    pub output_bytes: u64,
}

/// Those of one store; all methods may be called from any thread.
#[derive(Debug, Default)]
pub(super) struct Compactions(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    last_number: u64,
    last_us: u64,
    /// By RocksDB's number of the job.
    running: BTreeMap<i32, Arc<RunningCompaction>>,
    ended: VecDeque<EndedCompaction>,
}

impl Compactions {
    /// Called on the thread that runs it.
    pub(super) fn begin(&self, job: i32, family: &str, levels: (i32, i32), total_bytes: u64) {
        let mut known = self.lock();
        known.last_number += 1;
        known.last_us = since_1970().0.max(known.last_us + 1);
        let begun = BegunCompaction {
            number: known.last_number,
            family: family.to_owned(),
            began_us: known.last_us,
            input_level: levels.0,
            output_level: levels.1,
            total_bytes,
        };
        let running = Arc::new(RunningCompaction { begun, done_bytes: AtomicU64::new(0) });
        known.running.insert(job, Arc::clone(&running));
        drop(known);
        OF_THIS_THREAD.set(Some(running));
    }

    /// Called on the thread that ran it; `bytes` are those of the files that it read and wrote, if it ended well.
    pub(super) fn end(&self, job: i32, bytes: Option<(u64, u64)>) {
        OF_THIS_THREAD.set(None);
        let mut known = self.lock();
        let Some(running) = known.running.remove(&job) else { return };
        if let Some((input_bytes, output_bytes)) = bytes.filter(|&bytes| bytes != (0, 0)) {
            let begun = running.begun.clone();
            known.ended.push_back(EndedCompaction { begun, ended_ms: since_1970().1, input_bytes, output_bytes });
            if known.ended.len() > ENDED_MAX {
                known.ended.pop_front();
            }
        }
    }

    pub(super) fn running(&self) -> Vec<Arc<RunningCompaction>> {
        self.lock().running.values().map(Arc::clone).collect()
    }

    /// In the order of their ends.
    pub(super) fn ended(&self) -> Vec<EndedCompaction> {
        self.lock().ended.iter().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Microseconds and milliseconds.
fn since_1970() -> (u64, u64) {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (u64::try_from(time.as_micros()).unwrap_or(u64::MAX), u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

/// Counts what the compaction of this thread has read.
#[derive(Debug, Default)]
pub(super) struct ReadCounter {
    running: Option<Arc<RunningCompaction>>,
    uncounted: u64,
}

impl ReadCounter {
    /// Of the compaction that runs on this thread, if any.
    pub(super) fn of_this_thread() -> ReadCounter {
        ReadCounter { running: OF_THIS_THREAD.with_borrow(Option::clone), uncounted: 0 }
    }

    pub(super) fn add(&mut self, bytes: usize) {
        self.uncounted += bytes as u64;
        if self.uncounted >= COUNTED_BYTES {
            if let Some(running) = &self.running {
                running.done_bytes.fetch_add(self.uncounted, Ordering::Relaxed);
            }
            self.uncounted = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compaction_runs_and_then_has_ended() {
        let compactions = Compactions::default();
        compactions.begin(7, "a", (0, 1), 1_000_000);
        let mut counter = ReadCounter::of_this_thread();
        (0..6).for_each(|_| counter.add(100_000));
        compactions.begin(9, "b", (1, 2), 5);
        let running = compactions.running();
        let seen: Vec<_> = running.iter().map(|one| (one.begun.family.as_str(), one.done_bytes())).collect();
        assert_eq!(seen, [("a", 600_000), ("b", 0)]);
        (0..6).for_each(|_| counter.add(100_000));
        assert_eq!(running.first().map(|one| one.done_bytes()), Some(1_000_000), "never more than the total");

        compactions.end(7, Some((10, 20)));
        compactions.end(9, None);
        assert!(compactions.running().is_empty());
        let ended = compactions.ended();
        assert_eq!(ended.len(), 1, "what failed is not among them");
        assert!(ended.iter().all(|one| (one.begun.number, one.input_bytes, one.output_bytes) == (1, 10, 20)));
        assert!(ReadCounter::of_this_thread().running.is_none());
    }

    #[test]
    fn moved_files_do_not_count_and_the_oldest_are_forgotten() {
        let compactions = Compactions::default();
        for job in 1..=210 {
            compactions.begin(job, "a", (0, 1), 1);
            compactions.end(job, Some(if job == 100 { (0, 0) } else { (1, 1) }));
        }
        let ended = compactions.ended();
        assert_eq!(ended.len(), ENDED_MAX);
        assert_eq!(ended.first().map(|one| one.begun.number), Some(10));
        assert!(ended.windows(2).all(|two| two[0].begun.began_us < two[1].begun.began_us));
    }
}
