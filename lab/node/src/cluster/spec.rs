// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a cluster is to be.

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{bail, ensure, Result};
use serde::{Deserialize, Serialize};

use super::{heap, yaml, Engine, Home};
use crate::cpus::Cpus;
use crate::fence::Fence;

/// Stands for the name of each node in the path of a folder.
pub const NODE: &str = "{node}";
const MOST_NODES: u32 = 32;
const MOST_VNODES: u32 = 256;

/// A cluster to be started. All of it but [`owner_pid`](Self::owner_pid) and [`start_limit`](Self::start_limit) is kept
/// with the cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterSpec {
    /// Letters, digits, `-` and `_`; also Cassandra's cluster_name.
    pub name: String,
    /// The folder that holds everything that is not placed elsewhere.
    #[serde(skip)]
    pub base: PathBuf,
    /// The storage engine.
    pub engine: Engine,
    /// Nodes to begin with, 1 to 32.
    pub nodes: u32,
    /// Heap of each node as in `-Xmx`.
    pub heap: String,
    /// num_tokens of each node.
    pub vnodes: u32,
    /// Racks; node N is in rack (N - 1) mod racks + 1.
    pub racks: u32,
    /// Replication factor for keyspaces that later commands make.
    pub replication_factor: u32,
    /// Node N keeps tables in `DIR/NAME/nodeN` of each of these; empty: in its folder. [`NODE`] in `DIR` stands for `nodeN`.
    pub data_dirs: Vec<PathBuf>,
    /// Node N keeps its logs of writes in `DIR/NAME/nodeN`, likewise.
    pub wal_dir: Option<PathBuf>,
    /// Keys of cassandra.yaml, nested ones with dots, and their YAML values.
    pub set: Vec<(String, String)>,
    /// JVM options.
    pub jvm: Vec<String>,
    /// For tests: serial GC, small caches, short waits.
    pub fast: bool,
    /// Address of node 1; the others follow.
    pub first_address: Ipv4Addr,
    /// On every node's address.
    pub cql_port: u16,
    /// On every node's address.
    pub storage_port: u16,
    /// Of node 1 on 127.0.0.1; node N has this one + N - 1.
    pub jmx_port: u16,
    /// The nodes keep to these; `None`: to those of the process that starts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<Cpus>,
    /// What each node may use of the machine; `None`: all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fence: Option<Fence>,
    /// Each node is in a control group of its own, so that the network between them can be disturbed. Needs root.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub network_faults: bool,
    /// The nodes are killed when this process is gone.
    #[serde(skip)]
    pub owner_pid: Option<i32>,
    /// How long one step of a start may take.
    #[serde(skip, default = "start_limit")]
    pub start_limit: Duration,
}

fn start_limit() -> Duration {
    Duration::from_secs(300)
}

impl ClusterSpec {
    /// A cluster with everything else at its default: kept where [`Home::clusters`] says, Cassandra's own ports, heaps
    /// that fit this machine, 16 vnodes, one rack, as many replicas as nodes but at most 3.
    pub fn new(name: &str, engine: Engine, nodes: u32) -> Result<Self> {
        Ok(Self {
            name: name.to_owned(),
            base: default_base(name)?,
            engine,
            nodes,
            heap: heap::default_for(nodes)?,
            vnodes: 16,
            racks: 1,
            replication_factor: nodes.min(3),
            data_dirs: Vec::new(),
            wal_dir: None,
            set: Vec::new(),
            jvm: Vec::new(),
            fast: false,
            first_address: Ipv4Addr::LOCALHOST,
            cql_port: 9042,
            storage_port: 7000,
            jmx_port: 7199,
            cpus: None,
            fence: None,
            network_faults: false,
            owner_pid: None,
            start_limit: start_limit(),
        })
    }

    /// Refuses what cannot be started, by name.
    pub fn validate(&self) -> Result<()> {
        check_name(&self.name)?;
        ensure!((1..=MOST_NODES).contains(&self.nodes), "--nodes is 1 to {MOST_NODES}, not {}", self.nodes);
        ensure!((1..=MOST_VNODES).contains(&self.vnodes), "--vnodes is 1 to {MOST_VNODES}, not {}", self.vnodes);
        ensure!((1..=self.nodes).contains(&self.racks), "--racks is 1 to the number of nodes, not {}", self.racks);
        ensure!(
            (1..=self.nodes).contains(&self.replication_factor),
            "--replication-factor is 1 to the number of nodes, not {}",
            self.replication_factor
        );
        ensure!(self.first_address.is_loopback(), "--first-address is in 127.0.0.0/8, not {}", self.first_address);
        self.address(self.nodes)?;
        self.jmx_port_of(self.nodes)?;
        for dir in self.data_dirs.iter().chain(&self.wal_dir) {
            ensure!(dir.is_absolute(), "{} is not an absolute path", dir.display());
        }
        for (key, value) in &self.set {
            yaml::check_set(key, value)?;
        }
        heap::ensure_room(self.nodes, &self.heap)
    }

    /// Address of node `number` (from 1).
    pub(super) fn address(&self, number: u32) -> Result<Ipv4Addr> {
        let address = u32::from(self.first_address).checked_add(number - 1).map(Ipv4Addr::from);
        match address {
            Some(address) if address.is_loopback() => Ok(address),
            _ => bail!("node {number} would have no loopback address above {}", self.first_address),
        }
    }

    /// JMX port of node `number`, which no other port of a node on 127.0.0.1 may be.
    pub(super) fn jmx_port_of(&self, number: u32) -> Result<u16> {
        let port = u32::from(self.jmx_port) + number - 1;
        let Ok(port) = u16::try_from(port) else { bail!("node {number} would have the JMX port {port}") };
        ensure!(
            port != self.cql_port && port != self.storage_port && self.cql_port != self.storage_port,
            "node {number}: the JMX port {port}, the CQL port {} and the storage port {} must differ",
            self.cql_port,
            self.storage_port
        );
        Ok(port)
    }

    /// Name of the control groups of node `number`: no two clusters of a machine have the same ports.
    pub(super) fn group_name(&self, number: u32) -> String {
        format!("{}-{}-node{number}", self.name, self.cql_port)
    }

    /// Rack of node `number`.
    pub(super) fn rack(&self, number: u32) -> String {
        format!("rack{}", (number - 1) % self.racks + 1)
    }

    /// What of a node lies outside of the cluster's folder, under `dir`.
    pub(super) fn placed(&self, dir: &Path, number: u32) -> PathBuf {
        let node = format!("node{number}");
        let own = dir.to_str().filter(|text| text.contains(NODE)).map(|text| PathBuf::from(text.replace(NODE, &node)));
        own.as_deref().unwrap_or(dir).join(&self.name).join(node)
    }

    /// What differs from another spec, by the options' names; where it lies and who owns it do not count.
    pub(super) fn differences(&self, other: &Self) -> Vec<String> {
        let (Ok(ours), Ok(theirs)) = (serde_json::to_value(self), serde_json::to_value(other)) else {
            return vec!["everything".to_owned()];
        };
        let Some(ours) = ours.as_object() else { return Vec::new() };
        ours.iter()
            .filter(|(key, value)| theirs.get(key.as_str()) != Some(value))
            .map(|(key, value)| format!("{} {value}", key.replace('_', "-")))
            .collect()
    }
}

/// A name that is a folder and a cluster_name without quoting.
pub(super) fn check_name(name: &str) -> Result<()> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    ensure!(
        !name.is_empty() && name.chars().all(plain) && !name.starts_with('-'),
        "cluster name '{name}': say letters, digits, - and _"
    );
    Ok(())
}

/// Where the cluster of that name is kept unless told otherwise.
pub(super) fn default_base(name: &str) -> Result<PathBuf> {
    check_name(name)?;
    Ok(Home::find()?.clusters().join(name))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn spec() -> ClusterSpec {
        ClusterSpec { heap: "512m".to_owned(), ..ClusterSpec::new("t", Engine::Stock, 3).unwrap() }
    }

    #[test]
    fn nodes_have_their_own_address_rack_and_jmx_port() {
        let spec = ClusterSpec { racks: 2, ..spec() };
        spec.validate().unwrap();
        assert_eq!(spec.address(3).unwrap(), Ipv4Addr::new(127, 0, 0, 3));
        assert_eq!([1, 2, 3].map(|number| spec.rack(number)), ["rack1", "rack2", "rack1"]);
        assert_eq!(spec.jmx_port_of(3).unwrap(), 7201);
        assert_eq!(spec.placed(Path::new("/d"), 2), Path::new("/d/t/node2"));
        assert_eq!(spec.placed(Path::new("/d/v.{node}"), 2), Path::new("/d/v.node2/t/node2"));
    }

    #[test]
    fn what_cannot_be_is_refused_by_name() {
        let wrong = [
            (ClusterSpec { name: "a b".to_owned(), ..spec() }, "a b"),
            (ClusterSpec { nodes: 0, ..spec() }, "--nodes"),
            (ClusterSpec { vnodes: 0, ..spec() }, "--vnodes"),
            (ClusterSpec { racks: 4, ..spec() }, "--racks"),
            (ClusterSpec { replication_factor: 4, ..spec() }, "--replication-factor"),
            (ClusterSpec { first_address: Ipv4Addr::new(10, 0, 0, 1), ..spec() }, "--first-address"),
            (ClusterSpec { first_address: Ipv4Addr::new(127, 255, 255, 254), ..spec() }, "loopback"),
            (ClusterSpec { jmx_port: 9040, ..spec() }, "must differ"),
            (ClusterSpec { jmx_port: 65535, ..spec() }, "JMX"),
            (ClusterSpec { heap: "9999g".to_owned(), ..spec() }, "--heap"),
            (ClusterSpec { wal_dir: Some("wal".into()), ..spec() }, "absolute"),
            (ClusterSpec { set: vec![("num_tokens".to_owned(), "1".to_owned())], ..spec() }, "--vnodes"),
        ];
        for (spec, told) in wrong {
            let error = format!("{:#}", spec.validate().unwrap_err());
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn differences_are_named_as_options() {
        let other = ClusterSpec { vnodes: 4, owner_pid: Some(1), base: "/elsewhere".into(), ..spec() };
        assert_eq!(other.differences(&spec()), ["vnodes 4"]);
        assert!(spec().differences(&spec()).is_empty());
    }
}
