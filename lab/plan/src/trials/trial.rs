// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A trial: one cell measured once, on data of its own.

use serde::{Deserialize, Serialize};

use crate::trials::judge::{LoadJudged, Standing};
use crate::trials::observed::Observed;

/// Why a cell is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// To learn where it stands.
    Screen,
    /// To check what was inferred of it.
    Check,
    /// To confirm the answer on fresh data.
    Confirm,
    /// To see whether the machine is still the same.
    Reference,
}

/// A finished trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// From 0, in the order of time.
    pub number: usize,
    /// The cell's key.
    pub cell: String,
    /// Why.
    pub purpose: Purpose,
    /// Its loads, rising; those after a failure were not run.
    pub loads: Vec<TrialLoad>,
    /// The search for its capacity.
    pub capacity: Option<Capacity>,
    /// Closed loops.
    pub sweep: Vec<SweepPoint>,
    /// Why its table could not be filled; then nothing else was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_filled: Option<String>,
    /// The node that ended by itself, and what it said last; then nothing more was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_ended: Option<String>,
    /// What was read back at ALL; `None` where nothing could be.
    pub read_back: Option<ReadBack>,
    /// Wrong rows beside its loads, in words: in the warm-up, in the search for its capacity, in closed loops.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrong: Vec<String>,
    /// Bytes of its table on all nodes.
    pub stored_bytes: Option<u64>,
    /// Deviations from the plan.
    pub notes: Vec<String>,
    /// By the target's clock.
    pub took_s: f64,
}

/// One load of a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialLoad {
    /// Of the launch.
    pub share: f64,
    /// Operations due per second.
    pub rate_per_s: f64,
    /// Operations per second that ended well.
    pub throughput_per_s: f64,
    /// Its verdict.
    pub judged: LoadJudged,
    /// Rows compared with what was acknowledged.
    pub rows_checked: u64,
    /// Wrong rows that the levels explain.
    pub explained: u64,
}

/// The highest rate at which the SLA holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Capacity {
    /// It held there.
    pub holds_per_s: Option<f64>,
    /// It failed there.
    pub fails_per_s: Option<f64>,
    /// Longer runs confirmed both.
    pub confirmed: bool,
    /// The failures were the client's.
    pub client_limited: bool,
    /// Runs that it took.
    pub probes: usize,
}

/// One run of a closed loop; it gives no verdict but "at so many in flight".
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepPoint {
    /// Operations in flight.
    pub in_flight: usize,
    /// Operations per second.
    pub throughput_per_s: f64,
    /// Response time of all kinds: P50, P95 and P99.
    pub p50_ms: f64,
    /// See `p50_ms`.
    pub p95_ms: f64,
    /// See `p50_ms`.
    pub p99_ms: f64,
    /// Operations that failed.
    pub errors: u64,
    /// The limit that the client met.
    pub client: Option<String>,
}

/// A sample of what was acknowledged, read at ALL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadBack {
    /// Rows compared.
    pub rows: u64,
    /// Wrong ones that nothing explains.
    pub unexplained: u64,
    /// Wrong ones that the levels explain.
    pub explained: u64,
    /// Reads that failed.
    pub errors: u64,
    /// The first few, in words.
    pub first: Vec<String>,
}

impl ReadBack {
    /// Of the load that read.
    pub fn of(observed: &Observed) -> Self {
        Self {
            rows: observed.rows_checked,
            unexplained: observed.unexplained,
            explained: observed.explained,
            errors: observed.counts(None).1,
            first: observed.first.clone(),
        }
    }
}

impl Trial {
    /// Whether it says something of its cell. A reference shows the machine, and stops at the lowest load.
    pub fn counts(&self) -> bool {
        self.purpose != Purpose::Reference || self.node_ended.is_some()
    }

    /// Its verdict over all loads and what was read back.
    pub fn standing(&self) -> Standing {
        let any = |standing| self.loads.iter().any(|load| load.judged.standing == standing);
        if self.wrong_rows().is_some() {
            return Standing::Fails;
        }
        match () {
            () if self.node_ended.is_some() => Standing::NodeEnded,
            () if self.not_filled.is_some() => Standing::NotFilled,
            () if any(Standing::Fails) => Standing::Fails,
            () if any(Standing::ClientLimited) => Standing::ClientLimited,
            () if any(Standing::TooNoisy) || self.loads.is_empty() || self.is_contradicted() => Standing::TooNoisy,
            () => Standing::Holds,
        }
    }

    /// The search for its capacity failed below a load that held.
    fn is_contradicted(&self) -> bool {
        let top_per_s = self.loads.iter().map(|load| load.rate_per_s).fold(0.0, f64::max);
        let found = self.capacity.as_ref().filter(|capacity| capacity.confirmed && !capacity.client_limited);
        found.is_some_and(|capacity| capacity.holds_per_s.unwrap_or(0.0) < top_per_s * (1.0 - 1e-6))
    }

    /// Whether it fails by so much that another round would not tell otherwise.
    pub fn fails_clearly(&self, margin: f64) -> bool {
        let beyond = |load: &TrialLoad| {
            let far = load
                .judged
                .conditions
                .iter()
                .any(|condition| condition.standing == Standing::Fails && condition.low > condition.limit * margin);
            far || !load.judged.reasons.is_empty()
        };
        self.standing() == Standing::Fails && (self.loads.iter().any(beyond) || self.wrong_rows().is_some())
    }

    /// Rows that were wrong and that no level explains, in words; whatever was read when.
    pub fn wrong_rows(&self) -> Option<String> {
        let load = self.loads.iter().find(|load| load.judged.wrong);
        let in_load =
            load.and_then(|load| Some(format!("{} at {:.0}/s", load.judged.reasons.first()?, load.rate_per_s)));
        let read_back = self.read_back.as_ref().filter(|read| read.unexplained > 0);
        let in_read_back = || read_back.map(|read| format!("{} rows read back wrong", read.unexplained));
        in_load.or_else(|| self.wrong.first().cloned()).or_else(in_read_back)
    }

    /// The load at that share of the launch.
    pub fn at(&self, share: f64) -> Option<&TrialLoad> {
        self.loads.iter().find(|load| (load.share - share).abs() < 1e-9)
    }
}
