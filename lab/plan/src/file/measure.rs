// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! How cells are measured, as the user writes it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::quantity::{Lengths, Share, Time, WarmupLength};

/// How cells are measured.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Measure {
    /// `auto`, or the longest time.
    pub warmup: WarmupLength,
    /// The longest that filling a table may take.
    pub fill: Time,
    /// Length of a run: the shortest, and the longest where it cannot tell.
    pub run: Lengths,
    /// Rounds on fresh data that confirm the answer.
    pub rounds: usize,
    /// Precision of the capacity.
    pub precision: Share,
    /// Which cells get a search for their capacity.
    pub capacity: CapacityOf,
    /// Runs of such a search at most.
    pub probes: usize,
    /// What to measure at all.
    pub pruning: Pruning,
    /// Seed of the order.
    pub seed: u64,
}

impl Default for Measure {
    fn default() -> Self {
        let seconds = std::time::Duration::from_secs;
        Self {
            warmup: WarmupLength::Auto,
            fill: Time(seconds(1800)),
            run: Lengths { shortest: seconds(60), longest: seconds(300) },
            rounds: 3,
            precision: Share(0.1),
            capacity: CapacityOf::Candidates,
            probes: 24,
            pruning: Pruning::Race,
            seed: 1,
        }
    }
}

/// Which cells get a search for their capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CapacityOf {
    /// Those that hold at launch.
    Candidates,
    /// All that are measured.
    All,
    /// None: the answer has no headroom beyond what was asked.
    None,
}

/// What is measured at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Pruning {
    /// What matters to the answer; the rest is inferred.
    Race,
    /// Every cell in every round, as a published figure needs.
    None,
}
