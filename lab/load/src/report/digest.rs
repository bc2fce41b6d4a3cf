// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The numbers that reports keep of histograms.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::histogram::encoded;
use crate::load::{Interval, Latencies, Tally};

/// Percentiles of the final distribution: what an HdrHistogram plot shows.
const SHOWN: [f64; 22] = [
    0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 75.0, 80.0, 85.0, 90.0, 92.5, 95.0, 97.5, 98.0, 99.0, 99.5, 99.9,
    99.95, 99.99, 99.999,
];

/// Latencies in milliseconds; all zero without operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Mean.
    pub mean_ms: f64,
    /// Median.
    pub p50_ms: f64,
    /// 95th percentile.
    pub p95_ms: f64,
    /// 99th percentile.
    pub p99_ms: f64,
    /// 99.9th percentile.
    pub p999_ms: f64,
    /// Maximum.
    pub max_ms: f64,
}

/// One kind of operation, or all of them, over the whole run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// The kind; `total` for all.
    pub name: String,
    /// Counts and latencies.
    #[serde(flatten)]
    pub part: Part,
    /// From the actual start.
    pub service: Latency,
    /// Response time by percentile: (percentile, milliseconds), rising.
    pub response_percentiles: Vec<(f64, f64)>,
    /// Response times in nanoseconds, to be merged and judged again: HdrHistogram V2, compressed, base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_histogram: Option<String>,
}

/// One kind of operation, or all of them, over one interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// Start in seconds since the end of the warm-up.
    pub from_s: f64,
    /// End.
    pub to_s: f64,
    /// Operations due but not started at the end.
    pub backlog: u64,
    /// All kinds together.
    pub total: Part,
    /// By kind, in the order of the run's kinds.
    pub kinds: Vec<Part>,
}

/// Counts and latencies over some time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Operations that ended well.
    pub operations: u64,
    /// Their partitions.
    pub partitions: u64,
    /// Their rows.
    pub rows: u64,
    /// Operations that failed.
    pub errors: u64,
    /// Retries.
    pub retries: u64,
    /// From the intended start in an open loop, from the actual one in a closed loop.
    pub response: Latency,
}

impl Latency {
    /// Of a histogram in nanoseconds.
    pub fn of(histogram: &Latencies) -> Self {
        if histogram.is_empty() {
            return Self::default();
        }
        let at = |percentile: f64| ms(histogram.value_at_percentile(percentile));
        Self {
            mean_ms: histogram.mean() / 1e6,
            p50_ms: at(50.0),
            p95_ms: at(95.0),
            p99_ms: at(99.0),
            p999_ms: at(99.9),
            max_ms: ms(histogram.max()),
        }
    }
}

impl Totals {
    /// Of one kind.
    pub fn of(tally: &Tally) -> Self {
        let shown = SHOWN.iter().filter(|_| !tally.response_ns.is_empty());
        let mut response_percentiles: Vec<_> =
            shown.map(|percentile| (*percentile, ms(tally.response_ns.value_at_percentile(*percentile)))).collect();
        // Beyond what the number of operations can tell, a percentile is but the maximum.
        let finest = 100.0 * (1.0 - 1.0 / (tally.response_ns.len() as f64 + 1.0));
        response_percentiles.retain(|(percentile, _)| *percentile <= finest);
        Self {
            name: tally.name.clone(),
            part: Part::of(tally),
            service: Latency::of(&tally.service_ns),
            response_percentiles,
            response_histogram: encoded(&tally.response_ns).ok(),
        }
    }
}

impl Part {
    fn of(tally: &Tally) -> Self {
        Self {
            operations: tally.operations,
            partitions: tally.partitions,
            rows: tally.rows,
            errors: tally.errors,
            retries: tally.retries,
            response: Latency::of(&tally.response_ns),
        }
    }
}

impl Span {
    /// Of one interval; `zero` is where time begins: the end of the warm-up.
    pub fn of(interval: &Interval, zero: Duration) -> Self {
        let total = sum("total", &interval.tallies);
        Self {
            from_s: interval.from.saturating_sub(zero).as_secs_f64(),
            to_s: interval.to.saturating_sub(zero).as_secs_f64(),
            backlog: interval.backlog,
            total: Part::of(&total),
            kinds: interval.tallies.iter().map(Part::of).collect(),
        }
    }

    /// Its length in seconds.
    pub fn length_s(&self) -> f64 {
        (self.to_s - self.from_s).max(f64::EPSILON)
    }
}

/// Kinds together, under another name.
pub(super) fn sum(name: &str, tallies: &[Tally]) -> Tally {
    let mut sum = Tally {
        name: name.to_owned(),
        operations: 0,
        partitions: 0,
        rows: 0,
        errors: 0,
        retries: 0,
        response_ns: resizing(),
        service_ns: resizing(),
    };
    for tally in tallies {
        sum.operations += tally.operations;
        sum.partitions += tally.partitions;
        sum.rows += tally.rows;
        sum.errors += tally.errors;
        sum.retries += tally.retries;
        // A histogram that resizes takes any other; there is nothing that could fail.
        let _ = sum.response_ns.add(&tally.response_ns);
        let _ = sum.service_ns.add(&tally.service_ns);
    }
    sum
}

fn resizing() -> Latencies {
    let mut histogram = match Latencies::new(3) {
        Ok(histogram) => histogram,
        Err(error) => unreachable!("3 digits are allowed: {error}"),
    };
    histogram.auto(true);
    histogram
}

fn ms(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e6
}
