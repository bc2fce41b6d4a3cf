// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Which part of a connection's requests the door answers. One of which it answers nothing is better off without it.

use std::time::{Duration, Instant};

/// Requests that a window has at least.
const WINDOW_REQUESTS: u64 = 2_000;
/// A connection is forwarded where the door answers fewer than one of so many requests: then the way of the others through
/// the pair costs more than these answers save (docs/internals/experiments.md, What the pair costs).
const FORWARDED: u64 = 10;
/// Windows in a row for which a connection that was native before stays, such as one that a nightly job writes over. It
/// would get no native answer before its client connects anew.
const WINDOWS_AFTER_NATIVE: u32 = 60;

/// Counts the requests of one connection, window by window.
#[derive(Debug)]
pub(crate) struct NativeShare {
    began: Instant,
    requests: u64,
    native: u64,
    promising: u64,
    /// Whether the door was worth its cost in any window.
    was_native: bool,
    /// Windows in a row in which it was not.
    forwarded_windows: u32,
}

impl NativeShare {
    pub(crate) fn new(now: Instant) -> Self {
        NativeShare { began: now, requests: 0, native: 0, promising: 0, was_native: false, forwarded_windows: 0 }
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
        if self.requests < WINDOW_REQUESTS {
            return false;
        }
        let now = now();
        if now.duration_since(self.began) < window {
            return false;
        }
        let is_worth = |native: u64| native * FORWARDED >= self.requests;
        let was_native = self.was_native || is_worth(self.native);
        let forwarded_windows =
            if is_worth(self.native + self.promising) { 0 } else { self.forwarded_windows.saturating_add(1) };
        *self = NativeShare { was_native, forwarded_windows, ..NativeShare::new(now) };
        forwarded_windows >= if was_native { WINDOWS_AFTER_NATIVE } else { 1 }
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
        assert_eq!(windows(&[(100_000, 0), (100_000, 0)], WINDOW / 3), [false, false]);
        assert_eq!(windows(&[(1_999, 0)], 100 * WINDOW), [false]);
    }

    #[test]
    fn a_connection_that_was_native_stays_through_a_job_of_writes() {
        let mut requests = vec![(2_000, 2_000)];
        requests.extend([(2_000, 0); WINDOWS_AFTER_NATIVE as usize - 1]);
        requests.push((2_000, 200));
        requests.extend([(2_000, 0); WINDOWS_AFTER_NATIVE as usize - 1]);
        assert!(windows(&requests, WINDOW).iter().all(|is_forwarded| !is_forwarded));
        requests.push((2_000, 0));
        assert_eq!(windows(&requests, WINDOW).last(), Some(&true));
    }

    #[test]
    fn requests_that_may_be_native_another_time_keep_a_connection_for_as_long() {
        let now = Instant::now();
        let mut share = NativeShare::new(now);
        share.add(2_000, 0, 2_000);
        assert!(!share.is_forwarded(WINDOW, || now + WINDOW));
        share.add(2_000, 0, 0);
        assert!(share.is_forwarded(WINDOW, || now + 2 * WINDOW));
    }

    #[test]
    fn a_connection_that_was_never_native_needs_one_window() {
        assert_eq!(windows(&[(2_000, 199), (2_000, 0)], WINDOW), [true, true]);
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
