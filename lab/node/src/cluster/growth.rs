// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Nodes that join, take another's place and leave.

use std::sync::Arc;

use anyhow::{bail, ensure, Context, Result};

use super::handle::Cluster;
use super::log::LogSince;
use super::member::{Entry, Member};
use super::process;
use super::starting::Started;

/// How a joining node gets its share of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Share {
    Streamed,
    Nothing,
}

impl Cluster {
    /// Adds a node, which streams its part, and returns its number when it is UN.
    ///
    /// # Errors
    /// A peer that refuses to stream; a node that ends. It is killed then, and the cluster is what it was.
    pub fn add(&mut self) -> Result<u32> {
        self.join(Share::Streamed, None)
    }

    /// Adds a node that takes over its part of the ring without the rows: for empty clusters.
    pub fn add_without_streaming(&mut self) -> Result<u32> {
        self.join(Share::Nothing, None)
    }

    /// Puts a fresh node in the place of one that is dead for good, and returns the fresh one's number when it is UN. What the
    /// dead one kept is deleted. Errors as of [`add`](Self::add); the dead one can still be started then.
    pub fn replace(&mut self, number: u32) -> Result<u32> {
        self.join(Share::Streamed, Some(number))
    }

    /// Like [`replace`](Self::replace), without the rows: reads find them on other replicas only.
    pub fn replace_without_streaming(&mut self, number: u32) -> Result<u32> {
        self.join(Share::Nothing, Some(number))
    }

    /// Ends a node at once and deletes all that it kept, as if its host were lost; only [`replace`](Self::replace) mends that.
    pub fn lose(&mut self, number: u32) -> Result<()> {
        let _lock = self.locked()?;
        let lost = self.live(number)?.clone();
        process::kill_nine(&[lost.base(self.spec())])?;
        self.state.member_mut(number)?.pid = None;
        self.write()?;
        lost.delete(self.spec())?;
        self.progress.done(number, "lost");
        Ok(())
    }

    /// Streams a node's part to the others and takes it out of the ring; its folder is deleted. `force` leaves keyspaces
    /// with fewer nodes than replicas.
    pub fn decommission(&mut self, number: u32, force: bool) -> Result<()> {
        let _lock = self.locked()?;
        let leaving = self.live(number)?.clone();
        self.anyone_but(&[number])?;
        self.progress.node(number, "streams its part to the others");
        let words: &[&str] = if force { &["decommission", "--force"] } else { &["decommission"] };
        if let Err(error) = self.nodetool(number, words) {
            let said = error.to_string();
            let fewer = said.contains("forceful");
            let hint = if fewer { "\n  Say --force to leave it with fewer replicas." } else { "" };
            bail!("node{number} stays: {said}{hint}");
        }
        process::terminate(&[leaving.base(self.spec())])?;
        self.forget(&leaving)?;
        self.progress.done(number, "has left");
        let progress = Arc::clone(&self.progress);
        self.await_status(
            || self.anyone_but(&[]),
            progress.as_ref(),
            |ring| {
                let there = ring.is_empty() || ring.iter().any(|node| node.address == leaving.address);
                Ok(there.then(|| format!("{} is still in the ring", leaving.name())))
            },
        )
    }

    fn join(&mut self, share: Share, replaced: Option<u32>) -> Result<u32> {
        let _lock = self.locked()?;
        self.anyone_but(&[])?;
        let dead = replaced.map(|number| self.dead(number)).transpose()?;
        let entry = if share == Share::Streamed { Entry::Stream } else { Entry::Empty };
        let number = self.state.next;
        let mut member = Member::new(self.spec(), number, entry, dead.as_ref().map(|dead| dead.address))?;
        if let Some(dead) = &dead {
            member.rack.clone_from(&dead.rack);
        }
        // The number is spent even if the node fails: peers remember its address for a while.
        self.state.next += 1;
        self.state.members.push(member.clone());
        self.write()?;
        match self.joined(&member) {
            Ok(()) => self.state.member_mut(number)?.joined = true,
            Err(error) => {
                process::kill_nine(&[&member.base(self.spec())]).with_context(|| format!("after: {error:#}"))?;
                self.state.remove(number);
                self.write()?;
                return Err(error);
            }
        }
        self.write()?;
        if let Some(dead) = dead {
            self.forget(&dead)?;
        }
        Ok(number)
    }

    /// Starts the node and waits until all say UN of it.
    fn joined(&mut self, member: &Member) -> Result<()> {
        let spec = self.spec().clone();
        let peers: Vec<(String, LogSince)> =
            self.live_members().map(|peer| (peer.name(), LogSince::now(peer.system_log(&spec)))).collect();
        let progress = Arc::clone(&self.progress);
        let started = [self.start_one(member)?];
        let failure = || failed_bootstrap(&started[0], &peers, &spec);
        let refused = || format!("{} cannot join cluster '{}'", member.name(), spec.name);
        Started::await_cql(&started, &spec, progress.as_ref(), &failure).with_context(refused)?;
        self.await_ring(&[member.number], progress.as_ref()).with_context(refused)
    }

    /// A node that may be replaced: it is down, and its peers know.
    fn dead(&self, number: u32) -> Result<Member> {
        let member = self.state.member(number)?.clone();
        ensure!(
            member.live_pid(self.spec()).is_none(),
            "node{number} runs: only a dead node is replaced, so kill it first"
        );
        let progress = Arc::clone(&self.progress);
        self.await_status(
            || self.anyone_but(&[]),
            progress.as_ref(),
            |ring| {
                let alive = ring.is_empty() || ring.iter().any(|node| node.address == member.address && node.state.up);
                Ok(alive.then(|| format!("waits until node{number} counts as dead")))
            },
        )?;
        Ok(member)
    }

    fn forget(&mut self, member: &Member) -> Result<()> {
        self.state.remove(member.number);
        self.write()?;
        member.delete(self.spec())
    }
}

/// A node whose bootstrap failed goes on running without clients. Why a peer did not send is in the peer's log only.
fn failed_bootstrap(node: &Started, peers: &[(String, LogSince)], spec: &super::ClusterSpec) -> Option<String> {
    node.log.find(&["Error while waiting on bootstrap to complete"])?;
    let said = peers.iter().filter_map(|(peer, log)| {
        let line: String = log.find(&["ERROR", "[Stream #"])?.chars().take(300).collect();
        Some(format!("\n  {peer} says: {line}"))
    });
    Some(format!("its bootstrap failed{}{}", node.says(spec), said.collect::<String>()))
}
