// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Writes in progress. What was read can be thrown away, what was written cannot be taken back: so whoever ends a right
//! waits for the writes that began under it, as Cassandra's `OpOrder` has barriers wait for its groups.
//!
//! A thread makes its own count odd, and only then looks at the rights. Whoever ends a right moves the epoch, and only
//! then looks at the counts. All four are sequentially consistent: either the thread sees that the right has ended, or it
//! is waited for.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a wait spins before it sleeps: about as long as a write takes.
const SPIN: Duration = Duration::from_micros(20);
const PAUSE: Duration = Duration::from_micros(50);

/// How often a thread has begun a section, and ended it: odd while it is in one. On a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Count(AtomicU64);

/// All threads that write.
#[derive(Debug, Default)]
pub(crate) struct Sections(Mutex<Vec<Arc<Count>>>);

/// A thread that writes.
#[derive(Debug)]
pub(crate) struct Writer(Arc<Count>);

/// A thread that may be writing; it is no more once this is dropped.
#[derive(Debug)]
pub(crate) struct Section<'w>(&'w Count);

impl Sections {
    /// One more thread, for as long as the sections are.
    pub(crate) fn join(&self) -> Writer {
        let count = Arc::default();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&count));
        Writer(count)
    }

    /// Returns when all sections have ended that are in progress; not from within one.
    pub(crate) fn await_end(&self) {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // All of them first: sections that begin later are no concern of whoever waits.
        let begun: Vec<u64> = counts.iter().map(|count| count.0.load(Ordering::SeqCst)).collect();
        let since = Instant::now();
        for (count, begun) in counts.iter().zip(begun) {
            while begun % 2 == 1 && count.0.load(Ordering::SeqCst) == begun {
                match since.elapsed() < SPIN {
                    true => std::hint::spin_loop(),
                    false => std::thread::sleep(PAUSE),
                }
            }
        }
    }
}

impl Writer {
    /// Begins a section. What the thread may write it is to look up afterwards.
    pub(crate) fn enter(&mut self) -> Section<'_> {
        self.0 .0.fetch_add(1, Ordering::SeqCst);
        Section(&self.0)
    }
}

impl Drop for Section<'_> {
    fn drop(&mut self) {
        self.0 .0.fetch_add(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn an_end_waits_for_sections_in_progress_and_for_no_later_ones() {
        let sections = Sections::default();
        let (mut writer, mut other) = (sections.join(), sections.join());
        sections.await_end();
        let section = writer.enter();
        let has_ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                sections.await_end();
                has_ended.store(true, Ordering::SeqCst);
            });
            std::thread::sleep(Duration::from_millis(20));
            assert!(!has_ended.load(Ordering::SeqCst));
            drop(section);
            let _later = other.enter();
            waiting.join().unwrap();
        });
    }

    /// F31: a right is one flag here, and what it guards a number that must not move once an end has returned.
    #[test]
    fn nothing_is_written_once_the_end_of_its_right_has_returned() {
        for _ in 0..200 {
            let sections = Sections::default();
            let (may_write, written, stop) = (AtomicBool::new(true), AtomicU64::new(0), AtomicBool::new(false));
            std::thread::scope(|scope| {
                for mut writer in (0..3).map(|_| sections.join()) {
                    let (may_write, written, stop) = (&may_write, &written, &stop);
                    scope.spawn(move || {
                        while !stop.load(Ordering::SeqCst) {
                            let _section = writer.enter();
                            if may_write.load(Ordering::SeqCst) {
                                written.fetch_add(1, Ordering::SeqCst);
                            }
                        }
                    });
                }
                may_write.store(false, Ordering::SeqCst);
                sections.await_end();
                let end = written.load(Ordering::SeqCst);
                (0..100).for_each(|_| std::hint::spin_loop());
                assert_eq!(written.load(Ordering::SeqCst), end);
                stop.store(true, Ordering::SeqCst);
            });
        }
    }
}
