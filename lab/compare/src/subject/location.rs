// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Addresses, ports and folder of the clusters of a comparison: the same for all, one after the other.

use std::time::Duration;

use anyhow::{Context, Result};

use crate::scenario::Scenario;
use crate::settings::Settings;
use lab_node::cluster::{lock_file, ClusterSpec, Engine, Lock};

/// One name and place for all engines: nothing but the engine may differ.
const NAME: &str = "compare";
/// What the memtables of tables that are to enter the engine inherit from.
pub const MOVING: &str = "memtable.configurations.moving.inherits";
/// A node that joins answers only when it has streamed its part.
const START_MAX: Duration = Duration::from_secs(3600);

/// Held by a comparison from its beginning to its end: all have their clusters in the same place.
pub fn lock_clusters() -> Result<Lock> {
    let file = ClusterSpec::new(NAME, Engine::Stock, 1)?.base.with_extension("lock");
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    lock_file(&file, |holder| format!("a comparison or a plan (process {holder}) is running: two disturb each other"))
}

/// A node with the plug-in whose tables are as those of tuned stock until the key [`MOVING`] is mapped to the engine.
fn entering() -> Vec<(String, String)> {
    let keys = [
        ("storage_compatibility_mode", "NONE"),
        ("memtable_allocation_type", "offheap_objects"),
        ("sstable.selected_format", "bti"),
        (MOVING, "trie"),
    ];
    keys.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec()
}

pub(super) fn spec(settings: &Settings, engine: Engine) -> Result<ClusterSpec> {
    let mut spec = ClusterSpec::new(NAME, engine, settings.nodes)?;
    spec.heap = settings.heap_of(engine).to_owned();
    spec.vnodes = settings.vnodes;
    spec.replication_factor = settings.replication_factor;
    if settings.scenario == Scenario::Stream {
        spec.start_limit = START_MAX;
    }
    let stock_table = settings.scenario == Scenario::Move && engine.has_plugin();
    spec.set = if stock_table { [&entering(), &settings.set[..]].concat() } else { settings.set.clone() };
    spec.fast = settings.fast_nodes;
    spec.cpus = settings.cpus.as_ref().map(|split| split.servers.clone());
    spec.owner_pid = i32::try_from(std::process::id()).ok();
    spec.cql_port = settings.port;
    spec.storage_port = settings.port + 1;
    spec.jmx_port = settings.port + 2;
    Ok(spec)
}
