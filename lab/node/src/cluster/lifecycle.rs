// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Clusters and nodes go up and down.

use std::fs;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure, Context, Result};

use super::ended::NodeEnded;
use super::handle::Cluster;
use super::member::Member;
use super::progress::{Progress, Silent};
use super::ring::{parse_status, RingNode};
use super::starting::{self, Started};
use super::state::{self, State};
use super::{process, yaml, ClusterSpec, Home};
use crate::cpus::Cpus;

/// Each question starts a JVM.
const POLL: Duration = Duration::from_secs(1);

impl Cluster {
    /// Starts a cluster, or the nodes of it that are down, and returns when every node is UN and answers CQL.
    ///
    /// # Errors
    /// Whatever is wrong with the spec; a cluster in that folder that was made otherwise; a node that ends or is not there in time,
    /// with its own words. All nodes that were started here are stopped again then.
    pub fn up(spec: &ClusterSpec, progress: &dyn Progress) -> Result<Self> {
        spec.validate()?;
        let home = Home::find()?.of_engine(spec.engine);
        fs::create_dir_all(&spec.base).with_context(|| format!("cannot make {}", spec.base.display()))?;
        let base = spec.base.canonicalize()?;
        let _lock = state::lock(&base)?;
        let state = prepared(&ClusterSpec { base, ..spec.clone() })?;
        let mut cluster = Self { home, state, progress: Arc::new(Silent) };
        cluster.write()?;
        // Of a run that was killed, and whose folder is gone: its ports and groups had the same names.
        cluster.heal_rules()?;
        cluster.bring_up(progress)?;
        Ok(cluster)
    }

    /// Ends every node: SIGTERM, and SIGKILL after a minute. Nothing happens when none runs.
    pub fn down(&mut self) -> Result<()> {
        let _lock = self.locked()?;
        for number in self.running() {
            self.progress.node(number, "stops");
        }
        process::terminate(&self.all_bases()?)?;
        for member in &mut self.state.members {
            if member.pid.take().is_some() {
                self.progress.done(member.number, "down");
            }
        }
        self.write()
    }

    /// Ends every node and deletes all that they kept.
    pub fn delete(mut self) -> Result<()> {
        self.heal_rules()?;
        self.down()?;
        let _lock = self.locked()?;
        for number in 1..self.state.next {
            Member::first(self.spec(), number)?.delete(self.spec())?;
        }
        let spec = self.spec();
        for number in 1..self.state.next {
            for placed in spec.data_dirs.iter().chain(&spec.wal_dir).map(|dir| spec.placed(dir, number)) {
                // One that has something else in it stays.
                let _ = placed.parent().map(fs::remove_dir);
            }
        }
        State::forget(&spec.base)
    }

    /// Ends a node at once, as `kill -9` does; it can be started again.
    pub fn kill(&mut self, number: u32) -> Result<()> {
        let _lock = self.locked()?;
        let base = self.live(number)?.base(self.spec());
        process::kill_nine(&[&base])?;
        self.state.member_mut(number)?.pid = None;
        self.progress.done(number, "killed");
        self.write()
    }

    /// Ends a node as an operator does: SIGTERM, and SIGKILL after a minute; it can be started again.
    pub fn stop(&mut self, number: u32) -> Result<()> {
        let _lock = self.locked()?;
        let base = self.live(number)?.base(self.spec());
        self.progress.node(number, "stops");
        process::terminate(&[&base])?;
        self.state.member_mut(number)?.pid = None;
        self.progress.done(number, "down");
        self.write()
    }

    /// Lets a node hang: its process keeps its memory and sockets, and does nothing until [`resume`](Self::resume).
    pub fn pause(&mut self, number: u32) -> Result<()> {
        let _lock = self.locked()?;
        process::hold(&self.live(number)?.base(self.spec()), true)?;
        self.progress.done(number, "hangs");
        Ok(())
    }

    /// Lets a node that hangs go on.
    pub fn resume(&mut self, number: u32) -> Result<()> {
        let _lock = self.locked()?;
        process::hold(&self.live(number)?.base(self.spec()), false)?;
        self.progress.done(number, "goes on");
        Ok(())
    }

    /// Starts a node that is down, on what it kept, and returns when its peers and CQL have it again; nothing happens
    /// when it runs.
    pub fn start(&mut self, number: u32) -> Result<()> {
        let _lock = self.locked()?;
        let member = self.state.member(number)?.clone();
        if member.live_pid(self.spec()).is_some() {
            self.progress.done(number, "runs already");
            return Ok(());
        }
        let progress = Arc::clone(&self.progress);
        self.start_all(&[member], progress.as_ref())
    }

    /// Changes keys of cassandra.yaml, nested ones with dots, for nodes that are started from now on; those that run keep theirs.
    pub fn set(&mut self, keys: &[(String, String)]) -> Result<()> {
        if keys.is_empty() {
            return Ok(());
        }
        let _lock = self.locked()?;
        for (key, value) in keys {
            yaml::check_set(key, value)?;
            self.state.spec.set.retain(|(known, _)| known != key);
            self.state.spec.set.push((key.clone(), value.clone()));
        }
        self.write()
    }

    fn bring_up(&mut self, progress: &dyn Progress) -> Result<()> {
        let spec = self.spec();
        let down: Vec<Member> =
            self.state.members.iter().filter(|member| member.live_pid(spec).is_none()).cloned().collect();
        self.start_all(&down, progress)?;
        self.state.formed = true;
        self.write()
    }

    /// Starts nodes that are down; stops those of them that run when one of them fails.
    pub(super) fn start_all(&mut self, members: &[Member], progress: &dyn Progress) -> Result<()> {
        for member in members {
            starting::await_ports(self.spec(), member)?;
        }
        let numbers: Vec<u32> = members.iter().map(|member| member.number).collect();
        let result = self.start_batches(members, progress).and_then(|()| self.await_ring(&numbers, progress));
        let Err(error) = result else { return Ok(()) };
        let bases: Vec<PathBuf> = members.iter().map(|member| member.base(self.spec())).collect();
        process::terminate(&bases).with_context(|| format!("after: {error:#}"))?;
        for member in members {
            self.state.member_mut(member.number)?.pid = None;
        }
        self.write()?;
        Err(error)
    }

    /// The first node of a cluster that is down comes alone, so that the others find it; then as many as there are cores.
    fn start_batches(&mut self, members: &[Member], progress: &dyn Progress) -> Result<()> {
        let alone = usize::from(self.running().is_empty()).min(members.len());
        let (first, rest) = members.split_at(alone);
        let here = || thread::available_parallelism().map_or(1, usize::from);
        let cores = self.spec().cpus.as_ref().map_or_else(here, Cpus::len);
        for batch in std::iter::once(first).filter(|first| !first.is_empty()).chain(rest.chunks(cores)) {
            let mut started = Vec::new();
            for member in batch {
                started.push(self.start_one(member)?);
            }
            Started::await_cql(&started, self.spec(), progress, &|| None)?;
            for member in batch {
                self.state.member_mut(member.number)?.joined = true;
                progress.node(member.number, "answers CQL; waiting for the ring");
            }
            self.write()?;
        }
        Ok(())
    }

    /// Starts the node's process and remembers it before anything is waited for.
    pub(super) fn start_one(&mut self, member: &Member) -> Result<Started> {
        let running: Vec<Ipv4Addr> = self.live_members().map(|member| member.address).collect();
        let started = starting::start(&self.home, self.spec(), member, &running)?;
        *self.state.member_mut(member.number)? = started.member.clone();
        self.write()?;
        Ok(started)
    }

    /// Waits until a node that was there before these, if there is one, and each of these say UN of every node that runs. A
    /// coordinator that knows fewer nodes writes to others than the replicas.
    pub(super) fn await_ring(&self, started: &[u32], progress: &dyn Progress) -> Result<()> {
        let spec = self.spec();
        let counts = |member: &&Member| started.contains(&member.number) || member.live_pid(spec).is_some();
        let expected: Vec<&Member> = self.state.members.iter().filter(counts).collect();
        let missing = |ring: &[RingNode]| {
            if let Some(ended) = expected.iter().find(|member| member.live_pid(spec).is_none()) {
                return Err(NodeEnded::of(ended, spec).into());
            }
            let up = |member: &&Member| ring.iter().any(|node| node.address == member.address && node.state.is_un());
            let missing: Vec<String> =
                expected.iter().filter(|member| !up(member)).map(|member| member.name()).collect();
            Ok(if missing.is_empty() { None } else { Some(format!("{} not UN", missing.join(", "))) })
        };
        let older = self.anyone_but(started).ok();
        for number in older.iter().chain(started) {
            self.await_status(|| Ok(*number), progress, missing)?;
        }
        for member in expected {
            progress.done(member.number, &format!("UN, {}", member.cql(spec)));
        }
        Ok(())
    }

    /// Asks a node for the ring until `missing` says nothing more; what cannot be asked has no nodes.
    pub(super) fn await_status(
        &self,
        node: impl Fn() -> Result<u32>,
        progress: &dyn Progress,
        missing: impl Fn(&[RingNode]) -> Result<Option<String>>,
    ) -> Result<()> {
        let deadline = Instant::now() + self.spec().start_limit;
        loop {
            let asked = node()?;
            let (ring, error) = match self.nodetool(asked, &["status"]) {
                Ok(text) => (parse_status(&text), None),
                Err(error) => (Vec::new(), Some(error.to_string())),
            };
            let Some(wrong) = missing(&ring)?.or(error).map(|wrong| format!("node{asked}: {wrong}")) else {
                return Ok(());
            };
            ensure!(!progress.cancelled(), "interrupted");
            ensure!(Instant::now() < deadline, "after {} s, {wrong}", self.spec().start_limit.as_secs());
            progress.node(asked, &wrong);
            thread::sleep(POLL);
        }
    }

    /// The folders of all nodes there ever were, so that nothing of a start that was cut short is overlooked.
    fn all_bases(&self) -> Result<Vec<PathBuf>> {
        (1..self.state.next).map(|number| Ok(Member::first(self.spec(), number)?.base(self.spec()))).collect()
    }
}

/// What there is in the folder already, when it is the same cluster; else a new one.
fn prepared(spec: &ClusterSpec) -> Result<State> {
    let fresh = State::new(spec)?;
    match State::read(&spec.base)? {
        Some(mut known) if known.formed => {
            let differences = spec.differences(&known.spec);
            ensure!(
                differences.is_empty(),
                "cluster '{}' is there already, made otherwise than with {}: delete it first (down --delete), or say another --name",
                spec.name,
                differences.join(", ")
            );
            known.spec = spec.clone();
            Ok(known)
        }
        Some(unformed) => {
            // It may have been meant otherwise: more nodes, other disks.
            for member in &unformed.members {
                process::terminate(&[member.base(&unformed.spec)])?;
                member.delete(&unformed.spec)?;
            }
            Ok(fresh)
        }
        None => {
            let existing = fresh.members.iter().flat_map(|member| member.folders(spec)).find(|folder| folder.exists());
            match existing {
                Some(folder) => bail!(
                    "{} is there, but belongs to no known cluster: delete it, or say another --name or --base",
                    folder.display()
                ),
                None => Ok(fresh),
            }
        }
    }
}
