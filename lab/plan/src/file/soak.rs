// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A soak as the user writes it.

use anyhow::{ensure, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::phase::{one, winner};
use crate::quantity::{Share, Time};
use crate::timeline::{Move, Upkeep};
use lab_compare::statistics::POINTS_MIN;

/// A long steady load once the answer is there, split into windows. Its verdict is whether they drift.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Soak {
    /// The cells, as `cl=ONE`; the first of the cheapest that meet is the `winner`.
    #[serde(default = "winner")]
    pub at: String,
    /// Share of the launch.
    #[serde(default = "one")]
    pub load: f64,
    /// How long.
    pub length: Time,
    /// Length of a window: a 60th of the whole, and 10 s at least.
    #[serde(default)]
    pub window: Option<Time>,
    /// A change over the whole length that is no drift.
    #[serde(default = "tenth")]
    pub tolerance: Share,
    /// Upkeep by the clock, beside the load.
    #[serde(default)]
    pub every: Every,
}

/// Time from one begin to the next; on one node after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Every {
    /// A full repair of the plan's keyspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair: Option<Time>,
    /// A major compaction of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compact: Option<Time>,
    /// Its memtables go to disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flush: Option<Time>,
}

impl Every {
    /// Each kind that is due at times, and the seconds between them.
    pub fn all(&self) -> impl Iterator<Item = (Move, f64)> {
        let all = [(Upkeep::Repair, self.repair), (Upkeep::Compact, self.compact), (Upkeep::Flush, self.flush)];
        all.into_iter().filter_map(|(upkeep, time)| Some((Move::Upkeep(upkeep), time?.0.as_secs_f64())))
    }
}

impl Soak {
    /// Windows in all.
    pub fn windows(&self) -> usize {
        (self.length.0.as_secs_f64() / self.window_s()).floor() as usize
    }

    /// Seconds of a window.
    pub fn window_s(&self) -> f64 {
        self.window.map_or((self.length.0.as_secs_f64() / 60.0).max(10.0), |window| window.0.as_secs_f64())
    }

    pub(super) fn check(&self) -> Result<()> {
        ensure!(self.load.is_finite() && self.load > 0.0, "load: a share above 0 is expected");
        ensure!(self.window_s() >= 1.0, "window: 1 s or more is expected");
        for (upkeep, every_s) in self.every.all() {
            let fits = (self.window_s()..self.length.0.as_secs_f64()).contains(&every_s);
            ensure!(fits, "every: {upkeep}: a window's length or more, and less than the whole, is expected");
        }
        let share = self.tolerance.0;
        ensure!(share > 0.0 && share < 1.0, "tolerance: more than 0 % and less than 100 % is expected");
        ensure!(
            self.windows() >= POINTS_MIN,
            "length: it has {} windows, and a drift takes {POINTS_MIN}: a longer length, or shorter windows",
            self.windows()
        );
        Ok(())
    }
}

fn tenth() -> Share {
    Share(0.1)
}
