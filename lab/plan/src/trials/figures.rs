// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What phases and soaks tell alike: figures of a part of a load, and what its rows were compared with.

use serde::{Deserialize, Serialize};

use crate::trials::observed::Observed;
use crate::trials::trial::ReadBack;
use lab_load::load::Latencies;

/// A part of a load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartFigures {
    /// Seconds since the load began.
    pub from_s: f64,
    /// See `from_s`.
    pub to_s: f64,
    /// Operations per second that ended well.
    pub throughput_per_s: f64,
    /// Operations that failed.
    pub errors: u64,
    /// Response time of all kinds: P50, P95 and P99.
    pub p50_ms: f64,
    /// See `p50_ms`.
    pub p95_ms: f64,
    /// See `p50_ms`.
    pub p99_ms: f64,
}

impl PartFigures {
    /// Of what was observed; `response` is that of all kinds.
    pub fn of(observed: &Observed, response: &Latencies, (from_s, to_s): (f64, f64)) -> Self {
        let ms = |percentile: f64| response.value_at_percentile(percentile) as f64 / 1e6;
        Self {
            from_s,
            to_s,
            throughput_per_s: observed.throughput_per_s(),
            errors: observed.counts(None).1,
            p50_ms: ms(50.0),
            p95_ms: ms(95.0),
            p99_ms: ms(99.0),
        }
    }
}

/// Rows that were compared with what was acknowledged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    /// Rows compared under load.
    pub rows_checked: u64,
    /// Wrong rows that the levels explain.
    pub explained: u64,
    /// Wrong rows that nothing explains.
    pub unexplained: u64,
    /// What was read back at ALL after the end, with every node up.
    pub read_back: Option<ReadBack>,
}

impl Checked {
    /// Of a whole load.
    pub fn of(whole: &Observed, read_back: Option<ReadBack>) -> Self {
        Self { rows_checked: whole.rows_checked, explained: whole.explained, unexplained: whole.unexplained, read_back }
    }
}
