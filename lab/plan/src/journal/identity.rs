// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What must be the same when a plan goes on: figures of two machines or two builds are not one answer.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::file::PlanFile;
use lab_load::observe::{cassandra_version, file_hash, text_hash, Machine};
use lab_node::cluster::Home;

/// A plan, its profile, and where and with what it runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Identity {
    /// Of the plan file without its budget.
    pub plan_sha256: String,
    /// Of the profile.
    pub profile_sha256: String,
    /// Of the plug-in's jar, where there is one.
    pub plugin_sha256: Option<String>,
    /// Cassandra's version.
    pub cassandra: Option<String>,
    /// This program's version.
    pub lab: String,
    /// Kernel.
    pub kernel: Option<String>,
    /// CPU.
    pub cpu: Option<String>,
    /// CPUs that this process may use.
    pub cpus: Option<usize>,
    /// Nodes in test mode.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fast_nodes: bool,
}

impl Identity {
    /// Of a plan on this machine.
    pub fn of(file: &PlanFile) -> Result<Self> {
        let home = Home::find()?;
        let machine = Machine::this();
        let plugin = file_hash("plug-in jar", &home.plugin());
        Ok(Self {
            plan_sha256: plan_hash(file)?,
            profile_sha256: text_hash("profile", &file.profile_text()?).sha256,
            plugin_sha256: plugin.map(|hash| hash.sha256),
            cassandra: cassandra_version(&home.join("")),
            lab: env!("CARGO_PKG_VERSION").to_owned(),
            kernel: machine.kernel,
            cpu: machine.cpu,
            cpus: machine.cpus,
            fast_nodes: false,
        })
    }

    /// What differs, in words.
    pub fn differences(&self, other: &Self) -> Result<Vec<String>> {
        let (ours, theirs) = (serde_json::to_value(self)?, serde_json::to_value(other)?);
        let ours = ours.as_object().context("an identity is a map")?;
        let theirs = theirs.as_object().context("an identity is a map")?;
        let keys: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
        let differing = keys.into_iter().filter(|key| ours.get(*key) != theirs.get(*key));
        Ok(differing.map(|key| key.trim_end_matches("_sha256").to_owned()).collect())
    }
}

fn plan_hash(file: &PlanFile) -> Result<String> {
    let mut value = serde_json::to_value(file)?;
    if let Value::Object(map) = &mut value {
        map.remove("budget");
        // The profile has a hash of its own, wherever it lies.
        if let Some(Value::Object(workload)) = map.get_mut("workload") {
            workload.remove("profile");
        }
    }
    Ok(text_hash("plan", &value.to_string()).sha256)
}
