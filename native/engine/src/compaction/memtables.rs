// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The smallest timestamps of what is in memtables only, and whether headers are among it.
//!
//! Each memtable has a segment; a chain links them, oldest first. A write lowers the segment that is current before it
//! starts and the one that is current after it ended, and holds the first for as long as it runs: whichever memtable
//! took it, a segment that is not older covers it until that memtable is in a file.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

/// How many sealed segments stay apart; older ones are merged, which only purges less.
const SEALED_SEGMENTS_MAX: usize = 64;

/// What a write holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written {
    pub min_timestamp: i64,
    pub has_header: bool,
}

/// The writes of one memtable.
#[derive(Debug)]
pub(super) struct Segment {
    number: u64,
    smallest: AtomicI64,
    has_header: AtomicBool,
    writers: AtomicUsize,
    next: OnceLock<Arc<Segment>>,
}

impl Segment {
    fn new(number: u64) -> Arc<Self> {
        Arc::new(Segment {
            number,
            smallest: AtomicI64::new(i64::MAX),
            has_header: AtomicBool::new(false),
            writers: AtomicUsize::new(0),
            next: OnceLock::new(),
        })
    }

    fn record(&self, written: Written) {
        if written.min_timestamp < self.smallest.load(Ordering::SeqCst) {
            self.smallest.fetch_min(written.min_timestamp, Ordering::SeqCst);
        }
        if written.has_header {
            self.has_header.store(true, Ordering::SeqCst);
        }
    }

    /// What all its writes hold together.
    fn written(&self) -> Written {
        let min_timestamp = self.smallest.load(Ordering::SeqCst);
        Written { min_timestamp, has_header: self.has_header.load(Ordering::SeqCst) }
    }

    /// The smallest timestamp from this segment on, later ones included; `i64::MAX` if nothing was written.
    pub(super) fn smallest_from_here(&self) -> i64 {
        self.this_and_later().map(|segment| segment.written().min_timestamp).min().unwrap_or(i64::MAX)
    }

    /// Whether this segment or a later one may hold a header.
    pub(super) fn has_header_from_here(&self) -> bool {
        self.this_and_later().any(|segment| segment.written().has_header)
    }

    fn this_and_later(&self) -> impl Iterator<Item = &Segment> {
        std::iter::successors(Some(self), |segment| segment.next.get().map(Arc::as_ref))
    }
}

impl Drop for Segment {
    /// Lets go of a long chain without recursion.
    fn drop(&mut self) {
        let mut next = self.next.take();
        while let Some(segment) = next {
            next = Arc::into_inner(segment).and_then(|mut segment| segment.next.take());
        }
    }
}

/// A write that is going on.
#[derive(Debug)]
pub(super) struct Writing {
    segment: Arc<Segment>,
    written: Written,
}

/// The sealed segments, oldest first, as of one call.
pub(super) struct Sealed {
    segments: Vec<Arc<Segment>>,
    current: Arc<Segment>,
}

/// All segments of one table that may hold data of no file.
#[derive(Debug)]
pub(super) struct Unflushed {
    current: RwLock<Arc<Segment>>,
    oldest: Mutex<Arc<Segment>>,
}

impl Unflushed {
    pub(super) fn new() -> Self {
        let first = Segment::new(0);
        Unflushed { current: RwLock::new(Arc::clone(&first)), oldest: Mutex::new(first) }
    }

    /// Before a write: what it holds counts from now on, until [`Unflushed::end`] and the flush that follows.
    pub(super) fn begin(&self, written: Written) -> Writing {
        // Under the lock, so that a segment which has been sealed gets no new writers.
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        current.writers.fetch_add(1, Ordering::SeqCst);
        current.record(written);
        Writing { segment: Arc::clone(&current), written }
    }

    /// After a write, also one that failed.
    pub(super) fn end(&self, writing: &Writing) {
        self.record(writing.written);
        writing.segment.writers.fetch_sub(1, Ordering::SeqCst);
    }

    /// Records in the current segment what its memtable may hold.
    pub(super) fn record(&self, written: Written) {
        self.current.read().unwrap_or_else(PoisonError::into_inner).record(written);
    }

    /// The current memtable takes no more writes, a new one follows.
    pub(super) fn seal(&self) {
        let mut oldest = self.lock();
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        let following = Segment::new(current.number + 1);
        if current.next.set(Arc::clone(&following)).is_ok() {
            *current = following;
        }
        drop(current);
        if chain(&oldest).len() > SEALED_SEGMENTS_MAX {
            unite_oldest(&mut oldest);
        }
    }

    /// The segments that are sealed now.
    pub(super) fn sealed(&self) -> Sealed {
        let oldest = self.lock();
        let mut segments = chain(&oldest);
        let current = segments.pop().unwrap_or_else(|| Arc::clone(&oldest));
        Sealed { segments, current }
    }

    /// Forgets the segments whose memtables are in files: all of `sealed` but the `unflushed` newest. That number must
    /// have been read after `sealed`. Returns the oldest segment that still counts.
    pub(super) fn forget(&self, sealed: Sealed, unflushed: usize) -> Arc<Segment> {
        let flushed = sealed.segments.len().saturating_sub(unflushed);
        let busy = |segment: &&Arc<Segment>| segment.writers.load(Ordering::SeqCst) > 0;
        let start = sealed
            .segments
            .iter()
            .enumerate()
            .find_map(|(at, segment)| (at >= flushed || busy(&segment)).then_some(segment))
            .unwrap_or(&sealed.current);
        let mut oldest = self.lock();
        if oldest.number < start.number {
            *oldest = Arc::clone(start);
        }
        Arc::clone(start)
    }

    fn lock(&self) -> MutexGuard<'_, Arc<Segment>> {
        self.oldest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn chain(oldest: &Arc<Segment>) -> Vec<Arc<Segment>> {
    let mut segments = vec![Arc::clone(oldest)];
    let mut next = oldest.next.get();
    while let Some(segment) = next {
        segments.push(Arc::clone(segment));
        next = segment.next.get();
    }
    segments
}

fn unite_oldest(oldest: &mut Arc<Segment>) {
    let Some(following) = oldest.next.get().cloned() else { return };
    if oldest.writers.load(Ordering::SeqCst) == 0 {
        following.record(oldest.written());
        *oldest = following;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn smallest(unflushed: &Unflushed, immutable: usize) -> i64 {
        let sealed = unflushed.sealed();
        unflushed.forget(sealed, immutable).smallest_from_here()
    }

    fn row(min_timestamp: i64) -> Written {
        Written { min_timestamp, has_header: false }
    }

    fn write(unflushed: &Unflushed, timestamp: i64) {
        unflushed.end(&unflushed.begin(row(timestamp)));
    }

    #[test]
    fn a_segment_counts_until_its_memtable_is_flushed() {
        let unflushed = Unflushed::new();
        assert_eq!(smallest(&unflushed, 0), i64::MAX);
        write(&unflushed, 10);
        unflushed.seal();
        write(&unflushed, 20);
        assert_eq!(smallest(&unflushed, 1), 10);
        assert_eq!(smallest(&unflushed, 0), 20);
        unflushed.seal();
        assert_eq!(smallest(&unflushed, 0), i64::MAX);
    }

    #[test]
    fn a_write_that_spans_two_memtables_counts_in_both() {
        let unflushed = Unflushed::new();
        let writing = unflushed.begin(row(5));
        unflushed.seal();
        unflushed.seal();
        assert_eq!(smallest(&unflushed, 0), 5, "counted while it runs");
        unflushed.end(&writing);
        assert_eq!(smallest(&unflushed, 0), 5, "in the memtable that was current at its end");
        unflushed.seal();
        assert_eq!(smallest(&unflushed, 0), i64::MAX);
    }

    #[test]
    fn a_header_counts_until_its_memtable_is_flushed() {
        let unflushed = Unflushed::new();
        let has_header = |immutable| unflushed.forget(unflushed.sealed(), immutable).has_header_from_here();
        write(&unflushed, 10);
        assert!(!has_header(0));
        unflushed.end(&unflushed.begin(Written { has_header: true, ..row(20) }));
        assert!(has_header(0));
        (0..SEALED_SEGMENTS_MAX * 2).for_each(|_| unflushed.seal());
        assert!(has_header(usize::MAX), "also when segments are merged");
        assert!(!has_header(0));
    }

    #[test]
    fn a_reader_sees_later_segments_though_others_forget_them() {
        let unflushed = Unflushed::new();
        let start = unflushed.forget(unflushed.sealed(), 0);
        for timestamp in [30, 20, 40] {
            write(&unflushed, timestamp);
            unflushed.seal();
            smallest(&unflushed, 0);
        }
        assert_eq!(start.smallest_from_here(), 20);
    }

    #[test]
    fn a_long_chain_is_bounded_and_loses_nothing() {
        let unflushed = Unflushed::new();
        let start = unflushed.forget(unflushed.sealed(), 0);
        for timestamp in 0..100_000 {
            write(&unflushed, timestamp);
            unflushed.seal();
        }
        assert!(unflushed.sealed().segments.len() <= SEALED_SEGMENTS_MAX);
        assert_eq!(smallest(&unflushed, SEALED_SEGMENTS_MAX), 0);
        drop(start);
    }
}
