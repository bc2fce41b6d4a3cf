// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The outcome of a load, which reports, comparisons and SLAs read.

use std::time::Duration;

use hdrhistogram::Histogram;

use crate::load::WarmedUp;

/// Latencies in nanoseconds, 3 significant digits, 1 ns to 1 h.
pub type Latencies = Histogram<u64>;

/// One kind of operation over some time.
#[derive(Clone, Debug)]
pub struct Tally {
    /// Name of the kind.
    pub name: String,
    /// Operations that ended well.
    pub operations: u64,
    /// Partitions of those.
    pub partitions: u64,
    /// Rows of those.
    pub rows: u64,
    /// Operations that failed after all their retries.
    pub errors: u64,
    /// Retries.
    pub retries: u64,
    /// From the intended start (open loop) or the actual start (closed loop) to the end.
    pub response_ns: Latencies,
    /// From the actual start to the end.
    pub service_ns: Latencies,
}

/// One interval of the run.
#[derive(Clone, Debug)]
pub struct Interval {
    /// Start, counted from the start of the run.
    pub from: Duration,
    /// End.
    pub to: Duration,
    /// Operations due but not started at the interval's end; always 0 in a closed loop.
    pub backlog: u64,
    /// By kind, in the order of the workload's kinds.
    pub tallies: Vec<Tally>,
}

/// A finished run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Operations due per second; `None` is a closed loop.
    pub rate_per_s: Option<f64>,
    /// Operations in flight: exactly (closed loop), at most (open loop).
    pub in_flight: usize,
    /// The measured part, without the warm-up.
    pub elapsed: Duration,
    /// Of that, at the end: nothing was to start any more, and the last operations were waited for.
    pub after: Duration,
    /// The part before it; `None` where the first operation counted.
    pub warmup: Option<WarmedUp>,
    /// Totals by kind.
    pub tallies: Vec<Tally>,
    /// The run over time; at most 600 intervals (neighbours are joined beyond that), latencies to 2 digits.
    pub intervals: Vec<Interval>,
    /// Bytes of values written.
    pub value_bytes_written: u64,
    /// Rows compared with what was acknowledged.
    pub rows_checked: u64,
    /// Wrong rows: lost, stale, mixed up, resurrected; each: how many, and how many the consistency level could explain.
    pub faults: [FaultCount; 4],
    /// The first few wrong rows in words.
    pub first_faults: Vec<String>,
    /// The first few errors in words, with how often each came.
    pub first_errors: Vec<(String, u64)>,
    /// Open loop: how long operations had been due when this client saw it. Where the limit of operations in flight held one
    /// back after that, the wait is the servers'.
    pub late_ns: Latencies,
    /// CPU seconds of this client in the measured part.
    pub client_cpu_s: f64,
    /// Operations that were due but never started: the run ended before.
    pub not_started: u64,
    /// Operations that had not ended when the wait for the last ones was over. Their times are in no histogram.
    pub unfinished: u64,
    /// Ended by Ctrl-C.
    pub interrupted: bool,
    /// Why the run must not be believed; empty when it may.
    pub invalid: Vec<String>,
    /// Those of `invalid` that are the servers' doing: the rate was not reached as all operations in flight waited for them.
    pub saturated: Vec<String>,
    /// That of `invalid` which says that operations failed.
    pub failed: Option<String>,
}

impl Outcome {
    /// The measured part without the wait for the last operations, which says nothing of the rate.
    pub fn loaded(&self) -> Duration {
        self.elapsed.saturating_sub(self.after)
    }

    /// Wrong rows that the consistency levels do not allow.
    pub fn unexplained(&self) -> u64 {
        unexplained(&self.faults)
    }
}

/// Wrong rows of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaultCount {
    /// All of them.
    pub rows: u64,
    /// Those that the chosen consistency levels allow (read + write replicas do not overlap).
    pub explained_by_consistency: u64,
}

impl FaultCount {
    /// Those that the consistency levels do not allow.
    pub fn unexplained(self) -> u64 {
        self.rows - self.explained_by_consistency
    }
}

fn unexplained(faults: &[FaultCount]) -> u64 {
    faults.iter().map(|fault| fault.unexplained()).sum()
}

/// The reason for not believing a run in which rows were wrong that no consistency level allows.
pub fn wrong_rows(faults: &[FaultCount]) -> Option<String> {
    let unexplained = unexplained(faults);
    (unexplained > 0).then(|| format!("{unexplained} wrong rows that the consistency levels do not explain"))
}
