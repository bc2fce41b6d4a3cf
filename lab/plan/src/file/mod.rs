// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The plan file as the user writes it: YAML, read strictly.

mod access;
mod check;
mod existing;
pub mod init;
mod measure;
mod phase;
pub mod schema;
mod soak;
mod volume;

use std::path::Path;

use anyhow::{anyhow, ensure, Context, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::quantity::{Bytes, Count, HourlyPrice, Rate, StoragePrice, Time};
use crate::words::suggested;
use lab_load::profile::Profile;
use lab_load::report::Sla;

pub use access::{Access, Tls};
pub use existing::Existing;
pub use measure::{CapacityOf, Measure, Pruning};
pub use phase::{Phase, WINNER};
pub use soak::{Every, Soak};
pub use volume::{Driver, Volume};

/// The version of the format that this program reads.
pub const VERSION: u32 = 1;

/// A plan: workload, SLA, grid of configurations, money and time.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanFile {
    /// Version of the format: 1.
    pub plan: u32,
    /// Name for the reports.
    pub name: String,
    /// What the users do.
    pub workload: Workload,
    /// Conditions that must hold together, as `stress -sla` takes them, but for `rate`: `p95<=5ms`, `get:p99<=20ms`,
    /// `errors<=0.01%`.
    pub sla: Vec<String>,
    /// How much of it.
    pub load: Load,
    /// Axes of the grid: for each a list of values, or a map of labels to values.
    #[serde(default)]
    pub grid: Map<String, Value>,
    /// Several axes as one: each entry is a `label` and a value for each of the axes.
    #[serde(default)]
    pub together: Vec<Map<String, Value>>,
    /// Cells to leave out, as `nodes=3,cl=QUORUM`.
    #[serde(default)]
    pub skip: Vec<String>,
    /// Settings that are the same in all cells; the names are those of axes.
    #[serde(default)]
    pub fixed: Map<String, Value>,
    /// Closed loops beside the verdicts, for figures of rate and latency against threads.
    #[serde(default)]
    pub sweeps: Vec<Sweep>,
    /// What happens to nodes while a load runs, once the answer is there.
    #[serde(default)]
    pub phases: Vec<Phase>,
    /// A long steady load, once the phases are over.
    #[serde(default)]
    pub soak: Option<Soak>,
    /// A cluster that is there already; without, the nodes of each cell are started here.
    #[serde(default)]
    pub target: Option<Existing>,
    /// The fence of each node: without one, nodes of one machine share its cores.
    #[serde(default)]
    pub node: Option<Fence>,
    /// The client.
    #[serde(default)]
    pub client: Client,
    /// What is made anew between two cells.
    #[serde(default)]
    pub reset: Reset,
    /// How cells are measured.
    #[serde(default)]
    pub measure: Measure,
    /// Prices.
    #[serde(default)]
    pub cost: Option<Cost>,
    /// Places for data and commit logs, by name.
    #[serde(default)]
    pub volumes: std::collections::BTreeMap<String, Volume>,
    /// Time for the whole plan. Phases and soak have their part of it; of the rest, half is kept for confirming the answer.
    #[serde(default)]
    pub budget: Option<Time>,
    /// Refusals that do not stop this plan.
    #[serde(default)]
    pub accept: Vec<Accepted>,
}

/// What the users do.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// A profile of cassandra-stress: the path of its file, or the profile itself.
    pub profile: Value,
    /// Operations and their weights: `insert=24,get=1`.
    pub ops: String,
    /// Partitions for each node: work for each node is the same whatever their number.
    pub rows_per_node: Count,
}

/// How much load.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// Operations per second at the start of the service.
    pub launch: Rate,
    /// The SLA must also hold at so many times the launch.
    #[serde(default = "one")]
    pub headroom: f64,
    /// Shares of the launch to try as well: loads below the peak.
    #[serde(default)]
    pub also: Vec<f64>,
}

fn one() -> f64 {
    1.0
}

/// A closed loop over several numbers of operations in flight.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Operations in flight, one run each.
    pub closed: Vec<usize>,
    /// The cells, as `cl=ONE`; all without.
    #[serde(default)]
    pub at: Option<String>,
    /// Length of each run.
    #[serde(default = "half_minute")]
    pub run: Time,
}

fn half_minute() -> Time {
    Time(std::time::Duration::from_secs(30))
}

/// What a node may use of the machine.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fence {
    /// Cores, such as 0.5 or 2.
    pub cpus: f64,
    /// Memory with the page cache.
    pub memory: Bytes,
    /// Of a node of this size; `cost.node` without.
    #[serde(default)]
    pub price: Option<HourlyPrice>,
}

/// The client of a plan.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Client {
    /// Threads; as many as its CPUs without.
    pub threads: Option<usize>,
    /// CPUs that it keeps for itself: a quarter of the machine, at least 1; 0: all share all.
    pub cpus: Option<usize>,
    /// Connections to each node; the axis `connections` goes before.
    pub connections: Option<usize>,
    /// Time for one attempt of a statement: 12 s.
    pub timeout: Option<Time>,
}

/// What is made anew between two cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Reset {
    /// All of it.
    Cluster,
    /// The keyspace, and the cluster where a setting needs it.
    #[default]
    Keyspace,
    /// The keyspace only where a setting needs it: cells that differ in level or client alone share their data.
    None,
}

/// Prices.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cost {
    /// Of a node.
    pub node: HourlyPrice,
    /// Of stored bytes, all copies counted; volumes may have prices of their own.
    #[serde(default)]
    pub storage: Option<StoragePrice>,
    /// For the reports.
    #[serde(default = "euro")]
    pub currency: String,
}

fn euro() -> String {
    "EUR".to_owned()
}

/// A refusal that does not stop this plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Accepted {
    /// Nodes of one machine without fences: verdicts are of this machine.
    SharedCores,
    /// More memory than the machine has.
    Memory,
    /// More bytes than the devices have free.
    Disk,
    /// An SLA that the longest run cannot show.
    ShortRuns,
}

impl PlanFile {
    /// Reads a file with its profile; relative paths in it count from its folder.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let mut file = Self::parse(&text).with_context(|| path.display().to_string())?;
        let folder = path.parent().unwrap_or(Path::new("."));
        if let Value::String(profile) = &file.workload.profile {
            let profile = folder.join(profile);
            let text = std::fs::read_to_string(&profile).with_context(|| profile.display().to_string())?;
            // What is wrong with it is said with the lines of its own file.
            Profile::parse(&text).with_context(|| profile.display().to_string())?;
            file.workload.profile = serde_yaml_ng::from_str(&text)?;
        }
        for volume in file.volumes.values_mut() {
            if let Some(path) = &mut volume.path {
                *path = std::path::absolute(folder.join(&*path))?;
            }
        }
        if let Some(target) = &mut file.target {
            target.access.resolve(folder)?;
        }
        Ok(file)
    }

    /// Reads a text. An error is one line: what is wrong, where, and the nearest known word.
    pub fn parse(text: &str) -> Result<Self> {
        let file: Self = serde_yaml_ng::from_str(text).map_err(|error| anyhow!(suggested(&error.to_string())))?;
        file.check()?;
        Ok(file)
    }

    /// The conditions.
    pub fn slas(&self) -> Result<Vec<Sla>> {
        self.sla.iter().map(|sla| sla.parse::<Sla>().context("sla")).collect()
    }

    /// The text of the profile.
    pub fn profile_text(&self) -> Result<String> {
        ensure!(self.workload.profile.is_object(), "workload.profile: a profile, or the path of one, is expected");
        Ok(serde_yaml_ng::to_string(&self.workload.profile)?)
    }

    /// Whether the user accepts what would be refused.
    pub fn accepts(&self, refusal: Accepted) -> bool {
        self.accept.contains(&refusal)
    }

    /// The loads as shares of the launch, rising; the last one is the headroom.
    pub fn shares(&self) -> Vec<f64> {
        let mut shares: Vec<f64> = self.load.also.iter().copied().chain([1.0, self.load.headroom]).collect();
        shares.sort_by(f64::total_cmp);
        shares.dedup();
        shares
    }
}

#[cfg(test)]
mod tests;
