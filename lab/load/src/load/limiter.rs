// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Limits the starts per second of a closed loop.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Turns that were missed within this time are made up for: a timer's grain is not to lower the limit.
const SLACK: Duration = Duration::from_millis(10);

/// A turn far away is not slept for in one go: the run may end meanwhile.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Gives out turns. Safe to share between tasks.
#[derive(Debug)]
pub(super) struct Limiter {
    start: Instant,
    every_ns: u64,
    /// Nanoseconds after `start` of the next free turn.
    next_ns: AtomicU64,
}

impl Limiter {
    /// At most `per_s` turns per second.
    pub(super) fn new(start: Instant, per_s: f64) -> Self {
        Self { start, every_ns: (1e9 / per_s).max(1.0) as u64, next_ns: AtomicU64::new(0) }
    }

    /// Returns when it is the caller's turn, or soon after the run is over.
    pub(super) async fn acquire(&self, is_over: impl Fn(Instant) -> bool) {
        let at = self.book(Instant::now());
        loop {
            let now = Instant::now();
            if now >= at || is_over(now) {
                return;
            }
            tokio::time::sleep_until(at.min(now + LOOK_EVERY).into()).await;
        }
    }

    fn book(&self, now: Instant) -> Instant {
        let earliest = now.saturating_duration_since(self.start).saturating_sub(SLACK).as_nanos() as u64;
        let booked = self
            .next_ns
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |next| Some(next.max(earliest) + self.every_ns));
        let (Ok(next) | Err(next)) = booked;
        self.start + Duration::from_nanos(next.max(earliest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_come_at_the_rate_and_missed_ones_are_gone() {
        let start = Instant::now();
        let limiter = Limiter::new(start, 1000.0);
        let first: Vec<_> = (0..3).map(|_| limiter.book(start) - start).collect();
        assert_eq!(first, [0, 1, 2].map(Duration::from_millis));
        // A second of nothing leaves ten turns to make up for.
        let later = start + Duration::from_secs(1);
        let early = (0..1000).filter(|_| limiter.book(later) <= later).count();
        assert_eq!(early, 11);
    }
}
