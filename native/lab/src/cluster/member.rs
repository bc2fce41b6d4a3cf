// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! One node as the cluster remembers it, and the command that starts it.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::spec::DATACENTER;
use super::{process, tokens, yaml, ClusterSpec, Home};

/// A node that replaces another listens so long for a sign of life of that one, where Cassandra gives it a minute.
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
        for folder in self.folders(spec) {
            if folder.exists() {
                fs::remove_dir_all(&folder).with_context(|| format!("cannot delete {}", folder.display()))?;
            }
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
        let mut command = Command::new(home.join("scripts/node"));
        command.args(self.words(home, spec, seeds)?);
        command.stdin(Stdio::null()).stdout(console.try_clone()?).stderr(console).process_group(0);
        Ok(command)
    }

    fn words(&self, home: &Home, spec: &ClusterSpec, seeds: &[Ipv4Addr]) -> Result<Vec<String>> {
        let base = self.base(spec);
        let seeds: Vec<String> = seeds.iter().map(|seed| format!("{seed}:{}", spec.storage_port)).collect();
        let mut words = Words::default();
        words.pair("--base", base.display());
        words.pair("--address", self.address);
        words.pair("--cql-port", spec.cql_port);
        words.pair("--storage-port", spec.storage_port);
        words.pair("--jmx-port", self.jmx_port);
        words.pair("--cluster", &spec.name);
        words.pair("--seeds", seeds.join(","));
        words.pair("--heap", &spec.heap);
        words.pair("--vnodes", spec.vnodes);
        words.pair("--dc", DATACENTER);
        words.pair("--rack", &self.rack);
        words.pair("--gc-log", self.gc_log(spec).display());
        self.place(spec, &mut words);
        self.enter(spec, &mut words);
        let wal = spec.wal_dir.as_ref().map(|dir| spec.placed(dir, self.number).join("engine-wal"));
        for line in yaml::lines(home, spec.engine, wal.as_deref(), &spec.set)? {
            words.pair("--yaml", line);
        }
        words.pair("--jvm", format!("-Dcassandra.ring_delay_ms={}", self.ring_delay_ms()));
        words.pair("--jvm", format!("-Dcassandra.broadcast_interval_ms={BROADCAST_INTERVAL_MS}"));
        for option in &spec.jvm {
            words.pair("--jvm", option);
        }
        Ok(words.0)
    }

    /// On one machine a second is enough to hear from a peer; Cassandra waits for this several times when it joins. One that
    /// comes back after `kill -9` gives its peers twice this to connect to it again, who try more and more seldom.
    fn ring_delay_ms(&self) -> u32 {
        if self.joined {
            15_000
        } else {
            4_000
        }
    }

    fn place(&self, spec: &ClusterSpec, words: &mut Words) {
        for dir in &spec.data_dirs {
            words.pair("--data-dir", spec.placed(dir, self.number).join("data").display());
        }
        if let Some(dir) = &spec.wal_dir {
            words.pair("--wal-dir", spec.placed(dir, self.number).display());
        }
        if !spec.engine.has_plugin() {
            words.0.push("--stock".to_owned());
        }
        if spec.fast {
            words.0.push("--fast".to_owned());
        }
        if let Some(owner) = spec.owner_pid {
            words.pair("--die-with", owner);
        }
    }

    /// What only a first start says. Later ones find it in the node's own tables.
    fn enter(&self, spec: &ClusterSpec, words: &mut Words) {
        if self.joined {
            return;
        }
        match self.entry {
            Entry::Founder => {
                let tokens = tokens::evenly(self.number - 1, spec.nodes, spec.vnodes);
                let tokens: Vec<String> = tokens.iter().map(i64::to_string).collect();
                words.pair("--tokens", tokens.join(","));
            }
            Entry::Stream | Entry::Empty if self.replaces.is_none() => {
                // Fewer racks than replicas: Cassandra would refuse to spread the tokens for that many.
                let even =
                    if spec.racks == 1 || spec.racks >= spec.replication_factor { spec.replication_factor } else { 1 };
                words.pair("--yaml", format!("allocate_tokens_for_local_replication_factor: {even}"));
            }
            Entry::Stream => {}
            Entry::Empty => words.pair("--jvm", "-Dcassandra.allow_unsafe_replace=true"),
        }
        if let Some(dead) = self.replaces {
            words.pair("--replace", dead);
        }
        words.pair("--bootstrap", if self.entry == Entry::Stream { "yes" } else { "no" });
    }
}

#[derive(Default)]
struct Words(Vec<String>);

impl Words {
    fn pair(&mut self, option: &str, value: impl std::fmt::Display) {
        self.0.extend([option.to_owned(), value.to_string()]);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::cluster::Engine;

    fn spec(engine: Engine) -> ClusterSpec {
        let spec = ClusterSpec::new("t", engine, 2).unwrap();
        ClusterSpec { base: "/c".into(), vnodes: 2, ..spec }
    }

    fn words(spec: &ClusterSpec, member: &Member) -> Vec<String> {
        member.words(&Home::find().unwrap(), spec, &[Ipv4Addr::LOCALHOST]).unwrap()
    }

    fn value<'a>(words: &'a [String], option: &str) -> Option<&'a str> {
        words.windows(2).find(|pair| pair[0] == option).map(|pair| pair[1].as_str())
    }

    #[test]
    fn a_founder_brings_its_tokens_once() {
        let spec = spec(Engine::Stock);
        let mut member = Member::first(&spec, 2).unwrap();
        let first = words(&spec, &member);
        assert_eq!(value(&first, "--base"), Some("/c/node2"));
        assert_eq!(value(&first, "--seeds"), Some("127.0.0.1:7000"));
        assert_eq!(value(&first, "--bootstrap"), Some("no"));
        assert_eq!(value(&first, "--tokens").unwrap().split(',').count(), 2);
        assert!(first.contains(&"--stock".to_owned()));
        member.joined = true;
        assert_eq!(
            (value(&words(&spec, &member), "--tokens"), value(&words(&spec, &member), "--bootstrap")),
            (None, None)
        );
    }

    #[test]
    fn a_node_that_replaces_says_whom_and_brings_no_tokens() {
        let spec = spec(Engine::Cassiterite);
        let dead = Ipv4Addr::new(127, 0, 0, 2);
        let streaming = words(&spec, &Member::new(&spec, 3, Entry::Stream, Some(dead)).unwrap());
        assert_eq!(value(&streaming, "--replace"), Some("127.0.0.2"));
        assert_eq!((value(&streaming, "--bootstrap"), value(&streaming, "--tokens")), (Some("yes"), None));
        assert!(!streaming.contains(&"--stock".to_owned()));
        let empty = words(&spec, &Member::new(&spec, 3, Entry::Empty, Some(dead)).unwrap());
        assert_eq!(value(&empty, "--bootstrap"), Some("no"));
        assert!(empty.contains(&"-Dcassandra.allow_unsafe_replace=true".to_owned()));
    }

    #[test]
    fn files_lie_where_the_cluster_says() {
        let spec =
            ClusterSpec { data_dirs: vec!["/d".into()], wal_dir: Some("/w".into()), ..spec(Engine::Cassiterite) };
        let member = Member::first(&spec, 1).unwrap();
        let words = words(&spec, &member);
        assert_eq!(value(&words, "--data-dir"), Some("/d/t/node1/data"));
        assert_eq!(value(&words, "--wal-dir"), Some("/w/t/node1"));
        assert_eq!(member.folders(&spec), [PathBuf::from("/c/node1"), "/d/t/node1".into(), "/w/t/node1".into()]);
    }
}
