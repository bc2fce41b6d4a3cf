// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Addresses, ports and folder of the clusters of a comparison: the same for all, one after the other.

use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::time::{Duration, Instant};

use anyhow::{ensure, Context, Result};

use crate::cluster::{lock_file, ClusterSpec, Engine, Lock};
use crate::compare::scenario::Scenario;
use crate::compare::settings::Settings;

/// One name and place for all engines: nothing but the engine may differ.
const NAME: &str = "compare";
/// How long the ports of a node that has ended may stay taken.
const PORTS_MAX: Duration = Duration::from_secs(20);
/// A node that joins answers only when it has streamed its part.
const START_MAX: Duration = Duration::from_secs(3600);
pub(in crate::compare) const LOCALHOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// A process that has ended gives its ports back a moment later: the kernel frees its memory first.
pub(crate) fn await_free(ports: impl IntoIterator<Item = (IpAddr, u16)>) -> Result<()> {
    let deadline = Instant::now() + PORTS_MAX;
    for port in ports {
        while let Err(error) = TcpListener::bind(port) {
            ensure!(Instant::now() < deadline, "{}:{} cannot be listened on: {error}", port.0, port.1);
            std::thread::sleep(Duration::from_millis(50));
        }
    }
    Ok(())
}

/// Held by a comparison from its beginning to its end: all have their clusters in the same place.
pub fn lock_clusters() -> Result<Lock> {
    let file = ClusterSpec::new(NAME, Engine::Stock, 1)?.base.with_extension("lock");
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    lock_file(&file, |holder| format!("another comparison (process {holder}) is running: two disturb each other"))
}

pub(super) fn spec(settings: &Settings, engine: Engine) -> Result<ClusterSpec> {
    let mut spec = ClusterSpec::new(NAME, engine, settings.nodes)?;
    spec.heap = settings.heap.clone();
    spec.vnodes = settings.vnodes;
    spec.replication_factor = settings.replication_factor;
    if settings.scenario == Scenario::Stream {
        spec.start_limit = START_MAX;
    }
    spec.set = settings.set.clone();
    spec.fast = settings.fast_nodes;
    spec.cpus = settings.cpus.as_ref().map(|split| split.servers.clone());
    spec.owner_pid = i32::try_from(std::process::id()).ok();
    spec.cql_port = settings.port;
    spec.storage_port = settings.port + 1;
    spec.jmx_port = settings.port + 2;
    Ok(spec)
}
