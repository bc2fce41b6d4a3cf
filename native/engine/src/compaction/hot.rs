// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Rows that are updated all the time. Every update is a fragment of its own until a flush merges them, and each read
//! merges what there is: a full memtable may have hundreds of thousands of one row.

use super::purge::TablePurge;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A read that merges more is worth a flush.
pub(crate) const FRAGMENTS_MAX: u64 = 2000;
/// Flushes for hot rows come no faster: each makes a file, however small.
const FLUSH_EACH: Duration = Duration::from_secs(1);

/// Whether a merge has met a hot row, and when the column family may be flushed for it.
#[derive(Debug)]
pub(super) struct Hot {
    met: AtomicBool,
    since: Instant,
    /// Counted from `since`.
    due_ms: AtomicU64,
}

impl Hot {
    pub(super) fn new() -> Hot {
        Hot { met: AtomicBool::new(false), since: Instant::now(), due_ms: AtomicU64::new(0) }
    }

    pub(super) fn merged(&self, fragments: usize) {
        if fragments as u64 > FRAGMENTS_MAX {
            self.met.store(true, Ordering::Relaxed);
        }
    }

    fn now_ms(&self) -> u64 {
        millis(self.since.elapsed())
    }

    #[cold]
    fn is_due(&self) -> bool {
        self.now_ms() >= self.due_ms.load(Ordering::Relaxed)
    }

    #[cold]
    fn take_due(&self) -> bool {
        let (now, due) = (self.now_ms(), self.due_ms.load(Ordering::Relaxed));
        let next = now.saturating_add(millis(FLUSH_EACH));
        let taken = || self.due_ms.compare_exchange(due, next, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        now >= due && taken()
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl TablePurge {
    /// Whether [`TablePurge::take_hot`] is worth a call. Takes nothing.
    pub(crate) fn is_hot(&self) -> bool {
        self.hot.met.load(Ordering::Relaxed) && self.hot.is_due()
    }

    /// True for one caller, and at most once a second, when a merge has met a hot row since the last call. That may
    /// have been a flush: ask the memtable whether it has that many.
    pub(crate) fn take_hot(&self) -> bool {
        let met = &self.hot.met;
        met.load(Ordering::Relaxed) && met.swap(false, Ordering::Relaxed) && self.hot.take_due()
    }
}
