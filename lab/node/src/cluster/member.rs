// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! One node as the cluster remembers it, and as the cluster starts it.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::node::{Location, NodeSpec, DATACENTER};
use super::{process, tokens, yaml, ClusterSpec, Home};
use crate::{fence, network};

/// How long a node that replaces another listens for signs of life of that one. Cassandra's default is a minute.
const BROADCAST_INTERVAL_MS: u32 = 10_000;

/// How a node comes into the ring the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Entry {
    /// One of the first nodes: there is nothing to stream.
    Founder,
    /// It streams its part.
    Stream,
    /// It takes its part of the ring without the rows.
    Empty,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Member {
    pub number: u32,
    pub address: Ipv4Addr,
    pub jmx_port: u16,
    pub rack: String,
    pub entry: Entry,
    /// The address that it takes the place of.
    pub replaces: Option<Ipv4Addr>,
    /// Whether it has been in the ring.
    pub joined: bool,
    /// Of its last start; only [`process::is_node`] says whether it still is.
    pub pid: Option<i32>,
}

impl Member {
    /// One of the first nodes.
    pub fn first(spec: &ClusterSpec, number: u32) -> Result<Self> {
        Self::new(spec, number, Entry::Founder, None)
    }

    /// A node that comes later.
    pub fn new(spec: &ClusterSpec, number: u32, entry: Entry, replaces: Option<Ipv4Addr>) -> Result<Self> {
        let (address, jmx_port) = (spec.address(number)?, spec.jmx_port_of(number)?);
        let rack = spec.rack(number);
        Ok(Self { number, address, jmx_port, rack, entry, replaces, joined: false, pid: None })
    }

    pub fn name(&self) -> String {
        format!("node{}", self.number)
    }

    pub fn base(&self, spec: &ClusterSpec) -> PathBuf {
        spec.base.join(self.name())
    }

    pub fn system_log(&self, spec: &ClusterSpec) -> PathBuf {
        self.base(spec).join("logs/system.log")
    }

    pub fn console(&self, spec: &ClusterSpec) -> PathBuf {
        self.base(spec).join("logs/console.log")
    }

    pub fn gc_log(&self, spec: &ClusterSpec) -> PathBuf {
        self.base(spec).join("logs/gc.log")
    }

    pub fn cql(&self, spec: &ClusterSpec) -> SocketAddr {
        SocketAddr::from((self.address, spec.cql_port))
    }

    /// Every folder that it keeps anything in.
    pub fn folders(&self, spec: &ClusterSpec) -> Vec<PathBuf> {
        let elsewhere = spec.data_dirs.iter().chain(&spec.wal_dir).map(|dir| spec.placed(dir, self.number));
        std::iter::once(self.base(spec)).chain(elsewhere).collect()
    }

    /// Deletes all that it kept.
    pub fn delete(&self, spec: &ClusterSpec) -> Result<()> {
        self.delete_folders(spec, &self.folders(spec))
    }

    /// Deletes what it kept on its host; what is placed elsewhere stays.
    pub fn delete_host(&self, spec: &ClusterSpec) -> Result<()> {
        self.delete_folders(spec, &[self.base(spec)])
    }

    fn delete_folders(&self, spec: &ClusterSpec, folders: &[PathBuf]) -> Result<()> {
        for folder in folders {
            if folder.exists() {
                fs::remove_dir_all(folder).with_context(|| format!("cannot delete {}", folder.display()))?;
            }
        }
        let group = spec.group_name(self.number);
        if spec.fence.is_some() {
            fence::remove(&group)?;
        }
        if spec.network_faults {
            network::remove(&group)?;
        }
        Ok(())
    }

    /// Its pid, while it runs.
    pub fn live_pid(&self, spec: &ClusterSpec) -> Option<i32> {
        self.pid.filter(|pid| process::is_node(*pid, &self.base(spec)))
    }

    /// The start command, with its output to the console log and in a process group of its own, so that Ctrl-C in the
    /// terminal reaches only the command that started it.
    pub fn command(&self, home: &Home, spec: &ClusterSpec, seeds: &[Ipv4Addr]) -> Result<Command> {
        use std::os::unix::process::CommandExt;
        for folder in self.folders(spec).iter().chain([&self.base(spec).join("logs")]) {
            fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        let console = fs::File::create(self.console(spec)).context("cannot write the console log")?;
        let mut command = self.node(home, spec, seeds)?.prepare(home)?;
        command.stdin(Stdio::null()).stdout(console.try_clone()?).stderr(console).process_group(0);
        Ok(command)
    }

    fn node(&self, home: &Home, spec: &ClusterSpec, seeds: &[Ipv4Addr]) -> Result<NodeSpec> {
        let seeds: Vec<String> = seeds.iter().map(|seed| format!("{seed}:{}", spec.storage_port)).collect();
        let mut jvm = vec![
            format!("-Dcassandra.ring_delay_ms={}", self.ring_delay_ms()),
            format!("-Dcassandra.broadcast_interval_ms={BROADCAST_INTERVAL_MS}"),
        ];
        if let Some(fence) = &spec.fence {
            // It would count the machine's, if it looks before it is in its fence.
            jvm.push(format!("-XX:ActiveProcessorCount={}", fence.cpus.ceil()));
        }
        jvm.extend(spec.jvm.iter().cloned());
        let node = NodeSpec {
            address: self.address,
            cql_port: spec.cql_port,
            storage_port: spec.storage_port,
            jmx_port: self.jmx_port,
            cluster: spec.name.clone(),
            seeds: Some(seeds.join(",")),
            heap: spec.heap.clone(),
            plugin: spec.engine.has_plugin().then(|| home.plugin()),
            data_dirs: spec.data_dirs.iter().map(|dir| spec.placed(dir, self.number).join("data")).collect(),
            wal_dir: spec.wal_dir.as_ref().map(|dir| spec.placed(dir, self.number)),
            vnodes: Some(spec.vnodes),
            location: Some(Location { datacenter: DATACENTER.to_owned(), rack: self.rack.clone() }),
            gc_log: Some(self.gc_log(spec)),
            settings: yaml::settings(spec.engine, &spec.set)?,
            jvm,
            fast: spec.fast,
            ..NodeSpec::new(home, self.base(spec))
        };
        Ok(if self.joined { node } else { self.entering(spec, node) })
    }

    /// A joining node waits for this several times, and peers on one machine hear of each other within a second. A node that comes
    /// back after `kill -9` waits longer, for its peers try to connect to it more and more seldom.
    fn ring_delay_ms(&self) -> u32 {
        if self.joined {
            15_000
        } else {
            4_000
        }
    }

    /// Adds what only a first start needs. A later start finds it in the node's own tables.
    fn entering(&self, spec: &ClusterSpec, mut node: NodeSpec) -> NodeSpec {
        match self.entry {
            Entry::Founder => node.tokens = tokens::evenly(self.number - 1, spec.nodes, spec.vnodes),
            Entry::Stream | Entry::Empty if self.replaces.is_none() => {
                // Fewer racks than replicas: Cassandra would refuse to spread the tokens for that many.
                let even =
                    if spec.racks == 1 || spec.racks >= spec.replication_factor { spec.replication_factor } else { 1 };
                node.settings.push(("allocate_tokens_for_local_replication_factor".to_owned(), even.into()));
            }
            Entry::Stream => {}
            Entry::Empty => node.jvm.push("-Dcassandra.allow_unsafe_replace=true".to_owned()),
        }
        node.replaces = self.replaces;
        node.bootstrap = Some(self.entry == Entry::Stream);
        node
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::cluster::Engine;
    use std::path::Path;

    fn spec(engine: Engine) -> ClusterSpec {
        let spec = ClusterSpec::new("t", engine, 2).unwrap();
        ClusterSpec { base: "/c".into(), vnodes: 2, ..spec }
    }

    fn node(spec: &ClusterSpec, member: &Member) -> NodeSpec {
        member.node(&Home::find().unwrap(), spec, &[Ipv4Addr::LOCALHOST]).unwrap()
    }

    #[test]
    fn a_founder_brings_its_tokens_once() {
        let spec = spec(Engine::Stock);
        let mut member = Member::first(&spec, 2).unwrap();
        let first = node(&spec, &member);
        assert_eq!((first.base.as_path(), first.seeds.as_deref()), (Path::new("/c/node2"), Some("127.0.0.1:7000")));
        assert_eq!((first.bootstrap, first.tokens.len(), first.plugin), (Some(false), 2, None));
        member.joined = true;
        let later = node(&spec, &member);
        assert_eq!((later.bootstrap, later.tokens.len()), (None, 0));
    }

    #[test]
    fn a_node_that_replaces_says_whom_and_brings_no_tokens() {
        let spec = spec(Engine::Cassiterite);
        let dead = Ipv4Addr::new(127, 0, 0, 2);
        let unsafe_replace = "-Dcassandra.allow_unsafe_replace=true".to_owned();
        let streaming = node(&spec, &Member::new(&spec, 3, Entry::Stream, Some(dead)).unwrap());
        assert_eq!((streaming.replaces, streaming.bootstrap), (Some(dead), Some(true)));
        assert!(streaming.tokens.is_empty() && streaming.plugin.is_some() && !streaming.jvm.contains(&unsafe_replace));
        let empty = node(&spec, &Member::new(&spec, 3, Entry::Empty, Some(dead)).unwrap());
        assert_eq!((empty.replaces, empty.bootstrap), (Some(dead), Some(false)));
        assert!(empty.jvm.contains(&unsafe_replace));
    }

    #[test]
    fn a_node_that_joins_spreads_its_tokens_for_as_many_replicas_as_there_are_racks() {
        for (racks, spread) in [(1, 3), (2, 1), (3, 3)] {
            let spec = ClusterSpec { racks, replication_factor: 3, ..spec(Engine::Stock) };
            let joining = node(&spec, &Member::new(&spec, 4, Entry::Stream, None).unwrap());
            let last = joining.settings.last().unwrap();
            assert_eq!((last.0.as_str(), &last.1), ("allocate_tokens_for_local_replication_factor", &spread.into()));
        }
    }

    #[test]
    fn what_is_placed_elsewhere_outlives_the_host() {
        let folder = tempfile::tempdir().unwrap();
        let spec = ClusterSpec {
            base: folder.path().join("c"),
            data_dirs: vec![folder.path().join("volume.{node}")],
            ..spec(Engine::Stock)
        };
        let member = Member::first(&spec, 2).unwrap();
        member.folders(&spec).iter().for_each(|kept| fs::create_dir_all(kept).unwrap());
        member.delete_host(&spec).unwrap();
        assert!(!member.base(&spec).exists() && folder.path().join("volume.node2/t/node2").exists());
        member.delete(&spec).unwrap();
        assert!(!folder.path().join("volume.node2/t/node2").exists());
    }

    #[test]
    fn files_lie_where_the_cluster_says() {
        let spec =
            ClusterSpec { data_dirs: vec!["/d".into()], wal_dir: Some("/w".into()), ..spec(Engine::Cassiterite) };
        let member = Member::first(&spec, 1).unwrap();
        let node = node(&spec, &member);
        assert_eq!(node.data_dirs, [Path::new("/d/t/node1/data")]);
        assert_eq!(node.wal_dir.as_deref(), Some(Path::new("/w/t/node1")));
        assert_eq!(member.folders(&spec), [PathBuf::from("/c/node1"), "/d/t/node1".into(), "/w/t/node1".into()]);
    }
}
