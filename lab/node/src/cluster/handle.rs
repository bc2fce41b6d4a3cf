// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A cluster as its callers see it.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use anyhow::{bail, ensure, Context, Result};

use super::member::Member;
use super::progress::{Progress, Silent};
use super::ring::{parse_status, RingNode};
use super::state::{self, Lock, State};
use super::{ClusterSpec, Engine, Home};

/// A node of a cluster, at the moment of the question.
#[derive(Clone, Debug)]
pub struct NodeInfo {
    /// From 1; not used again after the node has left.
    pub number: u32,
    /// `nodeN`.
    pub name: String,
    /// The address of CQL and storage.
    pub address: IpAddr,
    /// CQL.
    pub cql_port: u16,
    /// Between nodes.
    pub storage_port: u16,
    /// On 127.0.0.1.
    pub jmx_port: u16,
    /// Of its JVM; `None` while it is down.
    pub pid: Option<i32>,
    /// Its folder: conf, logs and, unless placed elsewhere, data.
    pub base: PathBuf,
    /// All folders that hold its files, `base` first.
    pub folders: Vec<PathBuf>,
    /// Written with `-Xlog:gc*`, decorated with seconds since the JVM's start; begins anew with every start.
    pub gc_log: PathBuf,
    /// Cassandra's log.
    pub system_log: PathBuf,
    /// Its rack in datacenter1.
    pub rack: String,
}

/// A cluster in a folder. One value may be used by one thread at a time; several programs may open the same cluster,
/// and what changes it is done by one at a time.
#[derive(Debug)]
pub struct Cluster {
    pub(super) home: Home,
    pub(super) state: State,
    pub(super) progress: Arc<dyn Progress>,
}

impl Cluster {
    /// Whether a cluster was started in `base`, and not deleted since.
    pub fn is_in(base: &Path) -> bool {
        State::is_in(base)
    }

    /// The cluster that was started in `base`, up or down.
    pub fn open(base: &Path) -> Result<Self> {
        let known = base.canonicalize().ok().map(|base| State::read(&base)).transpose()?.flatten();
        match known {
            Some(state) => {
                let home = Home::find()?.of_engine(state.spec.engine);
                Ok(Self { home, state, progress: Arc::new(Silent) })
            }
            None => bail!("there is no cluster in {}: start one with `cassiterite cluster up`", base.display()),
        }
    }

    /// Tells `progress` what later calls are doing.
    pub fn reporting_to(self, progress: Arc<dyn Progress>) -> Self {
        Self { progress, ..self }
    }

    /// Nodes that later calls start are killed when that process is gone.
    pub fn owned_by(mut self, pid: Option<i32>) -> Self {
        self.state.spec.owner_pid = pid;
        self
    }

    /// What it was made as; nodes may have joined and left since.
    pub fn spec(&self) -> &ClusterSpec {
        &self.state.spec
    }

    /// Whether it has been up once; one that has not is begun anew by the next [`up`](Self::up).
    pub fn is_formed(&self) -> bool {
        self.state.formed
    }

    /// The storage engine.
    pub fn engine(&self) -> Engine {
        self.state.spec.engine
    }

    /// For CREATE KEYSPACE ... WITH replication =
    pub fn replication(&self) -> String {
        let factor = self.state.spec.replication_factor;
        format!("{{'class': 'NetworkTopologyStrategy', '{}': {factor}}}", super::node::DATACENTER)
    }

    /// Waits until a node that has ended has given its ports back, as each start of it does.
    pub fn await_ports(&self, number: u32) -> Result<()> {
        super::starting::await_ports(self.spec(), self.state.member(number)?)
    }

    /// Its nodes, by number.
    pub fn nodes(&self) -> Vec<NodeInfo> {
        self.state.members.iter().map(|member| self.info(member)).collect()
    }

    /// One of them.
    pub fn node(&self, number: u32) -> Result<NodeInfo> {
        Ok(self.info(self.state.member(number)?))
    }

    /// `IP:PORT` of CQL of the nodes that run; of all when none does.
    pub fn contact_points(&self) -> Vec<String> {
        let spec = self.spec();
        let points = |down: bool| {
            let members = self.state.members.iter().filter(|member| down || member.live_pid(spec).is_some());
            members.map(|member| member.cql(spec).to_string()).collect::<Vec<_>>()
        };
        let up = points(false);
        if up.is_empty() {
            points(true)
        } else {
            up
        }
    }

    /// Runs nodetool on a node and returns what it prints.
    pub fn nodetool(&self, number: u32, words: &[&str]) -> Result<String> {
        let output = self.nodetool_output(number, words)?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            bail!("nodetool {} on node{number} failed: {}", words.join(" "), gist(&format!("{error}\n{said}")));
        }
        Ok(said)
    }

    /// The number of the next node that joins.
    pub fn next_number(&self) -> u32 {
        self.state.next
    }

    /// What the first node that runs says of the ring.
    pub fn ring(&self) -> Result<Vec<RingNode>> {
        Ok(parse_status(&self.nodetool(self.anyone_but(&[])?, &["status"])?))
    }

    /// The command that runs nodetool on a node.
    pub fn nodetool_command(&self, number: u32) -> Result<Command> {
        let port = self.state.member(number)?.jmx_port.to_string();
        let mut command = self.home.script("scripts/nodetool");
        command.args(["-h", "127.0.0.1", "-p", port.as_str()]);
        Ok(command)
    }

    fn nodetool_output(&self, number: u32, words: &[&str]) -> Result<Output> {
        self.live(number)?;
        self.nodetool_command(number)?.args(words).stdin(Stdio::null()).output().context("cannot start nodetool")
    }

    fn info(&self, member: &Member) -> NodeInfo {
        let spec = self.spec();
        NodeInfo {
            number: member.number,
            name: member.name(),
            address: IpAddr::from(member.address),
            cql_port: spec.cql_port,
            storage_port: spec.storage_port,
            jmx_port: member.jmx_port,
            pid: member.live_pid(spec),
            base: member.base(spec),
            folders: member.folders(spec),
            gc_log: member.gc_log(spec),
            system_log: member.system_log(spec),
            rack: member.rack.clone(),
        }
    }

    /// The first node that runs and is none of these.
    pub(super) fn anyone_but(&self, but: &[u32]) -> Result<u32> {
        let other = self.running().into_iter().find(|number| !but.contains(number));
        let excluded = if but.is_empty() { "" } else { "other " };
        other.with_context(|| format!("no {excluded}node of cluster '{}' runs", self.spec().name))
    }

    pub(super) fn live_members(&self) -> impl Iterator<Item = &Member> {
        self.state.members.iter().filter(|member| member.live_pid(self.spec()).is_some())
    }

    pub(super) fn running(&self) -> Vec<u32> {
        self.live_members().map(|member| member.number).collect()
    }

    /// The node, which must run.
    pub(super) fn live(&self, number: u32) -> Result<&Member> {
        let member = self.state.member(number)?;
        ensure!(member.live_pid(self.spec()).is_some(), "node{number} of cluster '{}' is down", self.spec().name);
        Ok(member)
    }

    /// Takes the lock and learns what others have done meanwhile.
    pub(super) fn locked(&mut self) -> Result<Lock> {
        let spec = self.state.spec.clone();
        let lock = state::lock(&spec.base)?;
        self.state = State::read(&spec.base)?.context("the cluster has been deleted meanwhile")?;
        self.state.spec.owner_pid = spec.owner_pid;
        self.state.spec.start_limit = spec.start_limit;
        Ok(lock)
    }

    pub(super) fn write(&self) -> Result<()> {
        self.state.write(&self.spec().base)
    }
}

/// The lines of a tool's output that say something, on one line.
fn gist(text: &str) -> String {
    let lines = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("at ") && !line.starts_with("See '"));
    lines.take(6).collect::<Vec<_>>().join("; ")
}
