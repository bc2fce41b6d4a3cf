// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! How long a peer's answers take of late.

use std::time::Duration;

/// Four to an octave of microseconds: up to 65 ms.
const BUCKETS: usize = 64;
/// The P99 is taken anew after so many, and the older half weighs less after as many as `WHOLE`.
const PART: u32 = 128;
const WHOLE: u32 = 1024;
/// Of nobody who has answered yet.
const UNKNOWN: Duration = Duration::from_micros(12_500);
const TIMES: u32 = 4;
const SHORTEST: Duration = Duration::from_millis(2);
/// Nobody waits longer for other replicas, however many are asked.
pub(crate) const LONGEST: Duration = Duration::from_millis(50);

/// Answers of one peer.
#[derive(Clone, Debug)]
pub(crate) struct Latency {
    buckets: [u32; BUCKETS],
    count: u32,
    until_next: u32,
    p99: Duration,
    mean_micros: u64,
}

impl Default for Latency {
    fn default() -> Self {
        Latency { buckets: [0; BUCKETS], count: 0, until_next: PART, p99: UNKNOWN, mean_micros: 0 }
    }
}

impl Latency {
    /// Adds one that has come, or how long one has been waited for in vain.
    pub(crate) fn add(&mut self, took: Duration) {
        let micros = took.as_micros() as u64;
        self.mean_micros = if self.count == 0 { micros } else { (self.mean_micros * 7 + micros) / 8 };
        if let Some(bucket) = self.buckets.get_mut(bucket(micros)) {
            *bucket += 1;
        }
        self.count += 1;
        self.until_next -= 1;
        if self.until_next == 0 {
            self.until_next = PART;
            self.p99 = self.quantile(99);
            if self.count >= WHOLE {
                self.buckets.iter_mut().for_each(|bucket| *bucket /= 2);
                self.count = self.buckets.iter().sum();
            }
        }
    }

    fn quantile(&self, percent: u64) -> Duration {
        let wanted = (u64::from(self.count) * percent).div_ceil(100);
        let mut seen = 0;
        let at = self.buckets.iter().position(|count| {
            seen += u64::from(*count);
            seen >= wanted
        });
        Duration::from_micros(bound(at.unwrap_or(BUCKETS - 1)))
    }

    /// How long an answer is waited for: rarely in vain.
    pub(crate) fn patience(&self) -> Duration {
        (self.p99 * TIMES).clamp(SHORTEST, LONGEST)
    }

    /// The mean of the latest ones.
    pub(crate) fn mean(&self) -> Duration {
        Duration::from_micros(self.mean_micros)
    }
}

fn bucket(micros: u64) -> usize {
    let micros = micros.max(1);
    let octave = micros.ilog2() as usize;
    let quarter = if octave < 2 { 0 } else { (micros >> (octave - 2)) as usize & 3 };
    (octave * 4 + quarter).min(BUCKETS - 1)
}

/// The largest of a bucket.
fn bound(bucket: usize) -> u64 {
    let (octave, quarter) = (bucket / 4, bucket as u64 % 4);
    (1 << octave) + (((1u64 << octave) * (quarter + 1)) >> 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(micros: impl IntoIterator<Item = u64>) -> Latency {
        let mut latency = Latency::default();
        micros.into_iter().for_each(|micros| latency.add(Duration::from_micros(micros)));
        latency
    }

    #[test]
    fn a_latency_is_at_most_its_buckets_bound() {
        for micros in (1..70_000).step_by(7) {
            let (at, bound) = (bucket(micros), bound(bucket(micros)));
            assert!(at == BUCKETS - 1 || micros <= bound && bound <= micros + micros / 4 + 1, "{micros}: {bound}");
        }
    }

    #[test]
    fn patience_follows_the_p99_within_bounds() {
        assert_eq!(of([]).patience(), LONGEST);
        assert_eq!(of((0..256).map(|_| 100)).patience(), SHORTEST);
        assert_eq!(of((0..256).map(|_| 1 << 20)).patience(), LONGEST);
        let patience = of((0..1000).map(|at| if at % 40 == 0 { 1500 } else { 100 })).patience();
        assert!(patience >= Duration::from_millis(6) && patience < Duration::from_millis(8), "{patience:?}");
    }

    #[test]
    fn what_is_long_past_counts_no_more() {
        let latency = of((0..1024).map(|_| 10_000).chain((0..20_000).map(|_| 100)));
        assert_eq!(latency.patience(), SHORTEST);
        assert!(latency.mean() < Duration::from_micros(110));
    }
}
