// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Which column families the running flushes and compactions are of.
//!
//! RocksDB tells of a job on the thread that runs it: that it has begun on a column family, which is some time after it has
//! chosen that one (a flush syncs the log before, a compaction looks into its files); that this is done; and that it has
//! ended, after its very last look. In between it counts the job among those that run.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

/// The two kinds, with RocksDB's count of those that run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Flush,
    Compaction,
}

impl Kind {
    const ALL: [Kind; 2] = [Kind::Flush, Kind::Compaction];

    fn running(self) -> &'static str {
        match self {
            Kind::Flush => "rocksdb.num-running-flushes",
            Kind::Compaction => "rocksdb.num-running-compactions",
        }
    }
}

/// Those of one store.
#[derive(Debug, Default)]
pub(super) struct RunningJobs(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    jobs: HashMap<ThreadId, Vec<Job>>,
    /// How often anything here has changed.
    changes: u64,
}

#[derive(Debug)]
struct Job {
    kind: Kind,
    family: String,
    is_done: bool,
}

impl RunningJobs {
    /// The job of this thread works on a column family, perhaps after others.
    pub(super) fn begin(&self, kind: Kind, family: &str) {
        let job = Job { kind, family: family.to_owned(), is_done: false };
        self.change().jobs.entry(std::thread::current().id()).or_default().push(job);
    }

    /// What this thread has begun is done, but it has not ended.
    pub(super) fn done(&self) {
        let jobs = &mut self.change().jobs;
        jobs.get_mut(&std::thread::current().id()).into_iter().flatten().for_each(|job| job.is_done = true);
    }

    /// The job of this thread has ended.
    pub(super) fn end(&self) {
        self.change().jobs.remove(&std::thread::current().id());
    }

    /// Whether no job that has chosen this column family is under way; false where that cannot be told now. `property`
    /// reads one of RocksDB.
    pub(super) fn none_of(&self, family: &str, property: impl Fn(&str) -> u64) -> bool {
        Kind::ALL.into_iter().all(|kind| self.all_have_begun(kind, &property))
            && !self.lock().jobs.values().flatten().any(|job| job.family == family)
    }

    /// A job that is not done counts as running, and has begun. So where none begins or gets done meanwhile, and RocksDB
    /// counts no more, each has begun.
    fn all_have_begun(&self, kind: Kind, property: impl Fn(&str) -> u64) -> bool {
        let (changes, begun) = self.begun(kind);
        let running = property(kind.running());
        running <= begun && self.begun(kind).0 == changes
    }

    fn begun(&self, kind: Kind) -> (u64, u64) {
        let known = self.lock();
        let begun = known.jobs.values().flatten().filter(|job| job.kind == kind && !job.is_done).count();
        (known.changes, begun as u64)
    }

    fn change(&self) -> MutexGuard<'_, Known> {
        let mut known = self.lock();
        known.changes += 1;
        known
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// RocksDB counts so many flushes and no compaction.
    fn flushes(count: u64) -> impl Fn(&str) -> u64 {
        move |property| if property == Kind::Flush.running() { count } else { 0 }
    }

    #[test]
    fn a_job_ends_for_all_its_families_and_for_no_other_job() {
        let jobs = RunningJobs::default();
        jobs.begin(Kind::Flush, "a");
        jobs.begin(Kind::Flush, "b");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                jobs.begin(Kind::Compaction, "b");
                assert!(
                    !jobs.none_of("a", flushes(2)) && !jobs.none_of("b", flushes(2)) && jobs.none_of("c", flushes(2))
                );
            });
        });
        jobs.end();
        assert!(jobs.none_of("a", flushes(0)) && !jobs.none_of("b", flushes(0)));
        jobs.end(); // of a job that has found nothing to do
        assert!(!jobs.none_of("b", flushes(0)));
    }

    #[test]
    fn a_job_that_has_not_begun_may_be_of_any_family() {
        let jobs = RunningJobs::default();
        jobs.begin(Kind::Flush, "a");
        assert!(jobs.none_of("c", flushes(1)));
        assert!(!jobs.none_of("c", flushes(2)), "one has not begun");
        jobs.done();
        assert!(!jobs.none_of("c", flushes(1)), "it may be the one that is done, or one that has not begun");
        assert!(!jobs.none_of("a", flushes(0)), "it has not ended");
        jobs.end();
        assert!(jobs.none_of("a", flushes(0)));
        let begins_meanwhile = |_: &str| {
            jobs.begin(Kind::Flush, "b");
            0
        };
        assert!(!jobs.none_of("c", begins_meanwhile));
    }
}
