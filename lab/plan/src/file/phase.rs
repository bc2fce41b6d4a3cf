// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Phases as the user writes them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PlanFile;
use crate::timeline::{written, Move};

/// A load with a timeline of faults and upkeep. It gives figures, and no verdict.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// The cells, as `cl=ONE`; the first of the cheapest that meet is the `winner`.
    #[serde(default = "winner")]
    pub at: String,
    /// Share of the launch.
    #[serde(default = "one")]
    pub load: f64,
    /// `steady 1m`, `wait 1m`, `kill 2`, `stop 2`, `pause 2`, `lose 2`, `lose-host 2`, `start 2`, `resume 2`, `replace 2`, `failover 2`, `flutter 2 3s 10s 5`, `lose-copy`, `reattach`, `fill 2GiB`, `free`, `slow 4MiB/s 100iops`, `unslow`, `partition 2 3`, `delay 50ms`, `loss 1%`, `heal`, `step 2`, `ramp 2 30s`, `spike 4 10s`, `repair`, `flush`, `compact`.
    #[serde(deserialize_with = "written")]
    pub timeline: Vec<Move>,
}

impl Phase {
    /// The highest share of the launch that it asks for.
    pub(super) fn most(&self) -> f64 {
        self.load * self.timeline.iter().filter_map(|step| step.multiple()).fold(1.0, f64::max)
    }
}

impl PlanFile {
    /// Whether any phase disturbs the network between nodes.
    pub fn disturbs_network(&self) -> bool {
        self.phases.iter().flat_map(|phase| &phase.timeline).any(|step| step.is_of_network())
    }
}

/// The word for the cell of the answer.
pub const WINNER: &str = "winner";

pub(super) fn winner() -> String {
    WINNER.to_owned()
}

pub(super) fn one() -> f64 {
    1.0
}
