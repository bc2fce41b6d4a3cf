// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A cluster that is there already, as the user writes it.

use std::collections::BTreeMap;

use anyhow::{ensure, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Access, Phase, PlanFile, Reset};
use crate::quantity::Rate;
use crate::timeline::hook_of;

/// A cluster that is there already. The plan makes one keyspace in it, that of the profile, and drops no other.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Existing {
    /// What the cluster must call itself, or nothing is done to it.
    pub cluster_name: String,
    /// `HOST:PORT` of its nodes; node N of a timeline is the Nth of them.
    pub contact_points: Vec<String>,
    /// How many nodes it must have.
    pub nodes: u32,
    /// The datacenter of the rows.
    #[serde(default = "datacenter")]
    pub datacenter: String,
    /// Role, TLS and addresses.
    #[serde(default)]
    pub access: Access,
    /// Operations per second that it gets at most, also while the table is filled.
    pub ceiling: Rate,
    /// Commands of the shell for the moves of phases: `kill`, `stop`, `pause`, `lose`, `start`, `resume`, `replace`, `partition`,
    /// `delay`, `loss`, `heal`, `repair`, `flush`, `compact`. `{node}`, `{address}` and `{keyspace}` are filled in; for moves of
    /// the network `{peers}` and `{value}`, too. Each that hurts needs the one that mends.
    #[serde(default)]
    pub hooks: BTreeMap<String, String>,
}

fn datacenter() -> String {
    "datacenter1".to_owned()
}

/// The command that mends what another hurts.
const MENDS: [(&str, &str); 7] = [
    ("kill", "start"),
    ("stop", "start"),
    ("pause", "resume"),
    ("lose", "replace"),
    ("partition", "heal"),
    ("delay", "heal"),
    ("loss", "heal"),
];
const HOOKS: [&str; 14] = [
    "kill",
    "stop",
    "pause",
    "lose",
    "start",
    "resume",
    "replace",
    "partition",
    "delay",
    "loss",
    "heal",
    "repair",
    "flush",
    "compact",
];

impl Existing {
    pub(super) fn check(&self, file: &PlanFile) -> Result<()> {
        ensure!(!self.contact_points.is_empty(), "contact_points: at least one is expected");
        self.access.check()?;
        ensure!(self.nodes > 0, "nodes: at least 1 is expected");
        for word in self.hooks.keys() {
            ensure!(HOOKS.contains(&word.as_str()), "hooks: '{word}' is none of {}", HOOKS.join(", "));
        }
        for (hurts, mends) in MENDS {
            let undone = !self.hooks.contains_key(hurts) || self.hooks.contains_key(mends);
            ensure!(undone, "hooks: {hurts} needs {mends}, which undoes it");
        }
        let upkeep: Vec<_> = file.soak.iter().flat_map(|soak| soak.every.all()).map(|(step, _)| step).collect();
        for step in file.phases.iter().flat_map(|phase| &phase.timeline).chain(&upkeep) {
            let of_volume = step.is_of_volume() || step.is_of_host();
            ensure!(!of_volume, "`{step}`: only volumes that the plan makes are hurt, or mounted elsewhere");
            let Some(word) = hook_of(*step) else { continue };
            ensure!(self.hooks.contains_key(word), "hooks: {word} is missing, for `{step}`");
            let known = step.node().is_none_or(|node| (node as usize) <= self.contact_points.len());
            ensure!(known, "contact_points: `{step}` needs the address of each node, in their order");
            let listed = step.node().is_some() || self.contact_points.len() == self.nodes as usize;
            ensure!(listed, "contact_points: `{step}` is of every node: {} addresses are expected", self.nodes);
        }
        let beside = file.phases.iter().map(Phase::most).chain(file.soak.iter().map(|soak| soak.load));
        let most = beside.fold(file.load.headroom, f64::max);
        let most_per_s = file.load.launch.0 * most;
        ensure!(
            most_per_s <= self.ceiling.0,
            "ceiling: {} is below the {most_per_s}/s that the plan asks for",
            self.ceiling
        );
        ensure!(file.node.is_none(), "node: fences are of nodes that the plan starts");
        ensure!(file.volumes.is_empty(), "volumes are of nodes that the plan starts");
        ensure!(file.reset != Reset::Cluster, "reset: the cluster stays as it is: keyspace or none");
        Ok(())
    }
}
