// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The plan file as the user writes it: YAML, read strictly.

mod existing;
mod phase;
mod volume;

use std::path::Path;

use anyhow::{anyhow, ensure, Context, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::quantity::{Bytes, Count, HourlyPrice, Lengths, Rate, Share, StoragePrice, Time, WarmupLength};
use super::timeline;
use crate::profile::Profile;
use crate::report::{Condition, Sla};

pub use existing::Existing;
pub use phase::{Phase, WINNER};
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
    /// Conditions that must hold together, as `stress -sla` takes them: `p95<=5ms`, `get:p99<=20ms`, `errors<=0.01%`.
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
    /// Time for the whole plan; half of it is kept for confirming the answer.
    #[serde(default)]
    pub budget: Option<Time>,
    /// Guard rails that do not stop this plan.
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

/// How cells are measured.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Measure {
    /// `auto`, or the longest time.
    pub warmup: WarmupLength,
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

/// A guard rail that does not stop this plan.
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

    /// Whether the user accepts what a guard rail would refuse.
    pub fn accepts(&self, rail: Accepted) -> bool {
        self.accept.contains(&rail)
    }

    /// The loads as shares of the launch, rising; the last one is the headroom.
    pub fn shares(&self) -> Vec<f64> {
        let mut shares: Vec<f64> = self.load.also.iter().copied().chain([1.0, self.load.headroom]).collect();
        shares.sort_by(f64::total_cmp);
        shares.dedup();
        shares
    }

    fn check(&self) -> Result<()> {
        ensure!(self.plan == VERSION, "plan: version {}; this program reads version {VERSION}", self.plan);
        ensure!(!self.sla.is_empty(), "sla: what must hold is missing, as in [\"p95<=5ms\"]");
        for sla in self.slas()? {
            let rate = matches!(sla.condition(), Condition::Rate { .. });
            ensure!(!rate, "sla: '{sla}': the rate is the load's to say: load.launch and load.headroom");
        }
        ensure!(self.load.launch.0 > 0.0, "load.launch: a rate above 0 is expected");
        ensure!(
            self.load.headroom.is_finite() && self.load.headroom >= 1.0,
            "load.headroom: {}: 1 or more is expected",
            self.load.headroom
        );
        let shares_fit =
            self.load.also.iter().all(|share| *share > 0.0 && share.is_finite() && *share <= self.load.headroom);
        ensure!(shares_fit, "load.also: shares above 0 and up to load.headroom are expected");
        ensure!(self.workload.rows_per_node.0 > 0, "workload.rows_per_node: an empty table cannot be read");
        ensure!(self.measure.rounds >= 3, "measure.rounds: {}: 3 or more confirm an answer", self.measure.rounds);
        let precision = self.measure.precision.0;
        ensure!((0.01..=0.5).contains(&precision), "measure.precision: 1% to 50% is expected");
        ensure!(self.measure.probes >= 4, "measure.probes: a search takes 4 runs or more");
        let sweeps_fit =
            self.sweeps.iter().all(|sweep| !sweep.closed.is_empty() && sweep.closed.iter().all(|n| *n > 0));
        ensure!(sweeps_fit, "sweeps: closed: numbers of operations in flight above 0 are expected");
        for phase in &self.phases {
            ensure!(phase.load.is_finite() && phase.load > 0.0, "phases: load: a share above 0 is expected");
            timeline::check(&phase.timeline).context("phases: timeline")?;
        }
        ensure!(self.client.threads != Some(0) && self.client.connections != Some(0), "client: at least 1 is expected");
        if let Some(fence) = &self.node {
            ensure!(fence.cpus.is_finite() && fence.cpus >= 0.05, "node.cpus: 0.05 or more is expected");
            ensure!(fence.memory.0 >= 256 << 20, "node.memory: 256MiB or more is expected");
        }
        if let Some(target) = &self.target {
            target.check(self).context("target")?;
        }
        for (name, volume) in &self.volumes {
            ensure!(!name.is_empty() && !name.contains('/'), "volumes: '{name}': a name without slashes is expected");
            volume.check().with_context(|| format!("volumes: {name}"))?;
        }
        Ok(())
    }
}

/// Adds the nearest known word to what serde says of an unknown one.
fn suggested(message: &str) -> String {
    let words: Vec<&str> = message.split('`').collect();
    let (Some(unknown), Some(known)) = (words.get(1), words.get(3..)) else { return message.to_owned() };
    if !message.contains("unknown field") && !message.contains("unknown variant") {
        return message.to_owned();
    }
    let known = known.iter().step_by(2).copied();
    match nearest(unknown, known) {
        Some(nearest) => format!("{message}; did you mean `{nearest}`?"),
        None => message.to_owned(),
    }
}

/// The known word that is most like one that is not known.
pub(super) fn nearest<'a>(unknown: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let scored = known.map(|word| (strsim::jaro_winkler(unknown, word), word)).filter(|(score, _)| *score > 0.75);
    scored.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, word)| word)
}

#[cfg(test)]
#[path = "file_test.rs"]
mod tests;
