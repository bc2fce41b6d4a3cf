// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Which part of a connection's requests the door answers. One of which it answers nothing is better off without it.

use std::time::{Duration, Instant};

/// Requests that a window has at least.
const WINDOW_REQUESTS: u64 = 2_000;
/// A connection is forwarded where the door answers fewer than one of so many requests: then the way of the others through
/// the pair costs more than these answers save (docs/internals/experiments.md, What the pair costs).
const FORWARDED: u64 = 10;
/// The first window is shorter by this factor: a client that only writes pays for the pair until its end, and who leaves too
/// early comes back.
const FIRST: u32 = 10;

/// Windows in a row that a connection may stay for the sake of answers that are to come: while a gate of the node is closed,
/// say, or the statement is learned. Some never come.
const PROMISED: u32 = 2;

/// Counts the requests of one connection, window by window.
#[derive(Debug)]
pub(crate) struct NativeShare {
    began: Instant,
    requests: u64,
    native: u64,
    promising: u64,
    is_first: bool,
    /// Windows in a row that it has stayed for promises alone.
    promised: u32,
}

impl NativeShare {
    pub(crate) fn new(now: Instant) -> Self {
        NativeShare { began: now, requests: 0, native: 0, promising: 0, is_first: true, promised: 0 }
    }

    /// Adds requests.
    ///
    /// * `native` how many of them the door has answered
    /// * `promising` how many others it may answer another time
    pub(crate) fn add(&mut self, requests: u64, native: u64, promising: u64) {
        self.requests += requests;
        self.native += native;
        self.promising += promising;
    }

    /// Adds bytes in which no request can be told apart.
    pub(crate) fn add_opaque(&mut self) {
        self.add(WINDOW_REQUESTS, 0, 0);
    }

    /// Whether a window ends here after which the connection is better off without the door; windows last `window` at least.
    pub(crate) fn is_forwarded(&mut self, window: Duration, now: impl FnOnce() -> Instant) -> bool {
        let part = if self.is_first { FIRST } else { 1 };
        let (window_requests, window) = (WINDOW_REQUESTS / u64::from(part), window / part);
        if self.requests < window_requests {
            return false;
        }
        let now = now();
        if now.duration_since(self.began) < window {
            return false;
        }
        let is_enough = |answers: u64| answers * FORWARDED >= self.requests;
        let promised = if is_enough(self.native) { 0 } else { self.promised.saturating_add(1) };
        let stays = promised == 0 || promised <= PROMISED && is_enough(self.native + self.promising);
        *self = NativeShare { is_first: false, promised, ..NativeShare::new(now) };
        !stays
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Duration = Duration::from_secs(10);

    /// Whether windows of these requests, one after the other, say that the connection is forwarded.
    fn windows(requests_of_each: &[(u64, u64)], length: Duration) -> Vec<bool> {
        let mut now = Instant::now();
        let mut share = NativeShare::new(now);
        let ends = requests_of_each.iter().map(|(requests, native)| {
            share.add(*requests, *native, 0);
            now += length;
            share.is_forwarded(WINDOW, || now)
        });
        ends.collect()
    }

    #[test]
    fn a_connection_of_writes_is_forwarded() {
        assert_eq!(windows(&[(2_000, 0), (9_000, 899)], WINDOW), [true, true]);
    }

    #[test]
    fn one_native_answer_in_ten_keeps_a_connection() {
        assert_eq!(windows(&[(2_000, 200), (2_000, 1_000), (50_000, 5_000)], WINDOW), [false; 3]);
    }

    #[test]
    fn a_young_or_a_silent_connection_is_not_judged() {
        assert_eq!(windows(&[(100_000, 0)], WINDOW / 11), [false]);
        assert_eq!(windows(&[(199, 0)], 100 * WINDOW), [false]);
        assert_eq!(windows(&[(200, 200), (100_000, 0), (100_000, 0)], WINDOW / 3), [false; 3]);
        assert_eq!(windows(&[(200, 200), (1_999, 0)], 100 * WINDOW), [false; 2]);
    }

    #[test]
    fn a_job_of_writes_ends_the_way_through_the_door() {
        assert_eq!(windows(&[(2_000, 2_000), (2_000, 199), (2_000, 200)], WINDOW), [false, true, false]);
    }

    /// Whether windows of 2,000 requests say that the connection is forwarded, of which so many are native, and promising.
    fn promises(windows: &[(u64, u64)]) -> Vec<bool> {
        let mut now = Instant::now();
        let mut share = NativeShare::new(now);
        let ends = windows.iter().map(|(native, promising)| {
            share.add(2_000, *native, *promising);
            now += WINDOW;
            share.is_forwarded(WINDOW, || now)
        });
        ends.collect()
    }

    #[test]
    fn requests_that_may_be_native_another_time_keep_a_connection() {
        assert_eq!(promises(&[(0, 2_000), (0, 0)]), [false, true]);
        assert_eq!(promises(&[(100, 100), (2_000, 0)]), [false, false]);
    }

    /// As where a gate of the node stays closed, or where there are too many statements already.
    #[test]
    fn promises_that_are_not_kept_keep_nobody() {
        assert_eq!(promises(&[(0, 2_000); 4]), [false, false, true, true]);
        assert_eq!(
            promises(&[(0, 2_000), (2_000, 0), (0, 2_000), (0, 2_000), (0, 2_000)]),
            [false, false, false, false, true]
        );
    }

    #[test]
    fn the_first_window_is_short() {
        assert_eq!(windows(&[(200, 19)], WINDOW / 10), [true]);
        assert_eq!(windows(&[(200, 20), (1_999, 0), (1, 0)], WINDOW / 10), [false; 3]);
        assert_eq!(windows(&[(200, 20), (1_999, 0), (1, 0)], WINDOW), [false, false, true]);
    }

    #[test]
    fn bytes_without_requests_are_a_window() {
        let now = Instant::now();
        let mut share = NativeShare::new(now);
        share.add_opaque();
        assert!(!share.is_forwarded(WINDOW, || now));
        assert!(share.is_forwarded(WINDOW, || now + WINDOW));
    }
}
