// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The moves of a timeline on nodes of this machine.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use scylla::client::session::Session;
use scylla::statement::Consistency;

use super::reach;
use crate::file::Client;
use crate::targets::course::Hands;
use crate::timeline::{Fault, Move, Upkeep};
use crate::volumes::{Made, Set};
use lab_compare::streams::{self, Streamed};
use lab_load::load;
use lab_load::observe::await_known;
use lab_node::cluster::Cluster;
use lab_node::cpus::Cpus;
use lab_node::network::Delaying;

/// How long the peers of a node that has come up may not list it.
const KNOWN_MAX: Duration = Duration::from_secs(30);

/// The volumes below the nodes.
pub struct Volumes {
    /// Of their data.
    pub data: Option<Set>,
    /// Of their logs, where they are others.
    pub log: Option<Set>,
    /// CPUs of what serves them.
    pub cpus: Option<Cpus>,
}

impl Volumes {
    /// Does to all what takes a while, on the servers' CPUs.
    fn each(&mut self, act: impl FnMut(&mut Set) -> Result<()> + Send) -> Result<()> {
        let sets = self.data.iter_mut().chain(&mut self.log);
        Cpus::run_on(self.cpus.as_ref(), || sets.into_iter().try_for_each(act))
    }

    fn own(&mut self, node: u32, act: impl Fn(&Made) -> Result<()> + Send) -> Result<()> {
        self.each(move |set| {
            act(set.own(node).with_context(|| format!("volume {} is one for all nodes", set.name()))?)
        })
    }
}

/// The nodes of a cluster.
pub struct Nodes<'a> {
    cluster: &'a mut Cluster,
    keyspace: &'a str,
    volumes: Volumes,
    /// Numbers of nodes that took the place of others, by those that the timeline knows.
    replaced: BTreeMap<u32, u32>,
    /// While packets between nodes are delayed.
    delaying: Option<Delaying>,
}

impl<'a> Nodes<'a> {
    /// `keyspace`: what upkeep is for. Where a host is to be lost, the others begin to log what they send.
    pub fn new(cluster: &'a mut Cluster, keyspace: &'a str, volumes: Volumes, timeline: &[Move]) -> Result<Self> {
        if timeline.iter().any(|step| matches!(step, Move::Hurt(Fault::Lose | Fault::LoseHost, _))) {
            streams::ready(cluster)?;
        }
        Ok(Self { cluster, keyspace, volumes, replaced: BTreeMap::new(), delaying: None })
    }

    /// Of all nodes, where each has its own.
    fn data(&mut self, act: impl FnMut(&mut Made) -> Result<()>) -> Result<()> {
        self.volumes.data.as_mut().context("the data are on no volume of the plan")?.each(act)
    }

    fn number(&self, node: u32) -> u32 {
        self.replaced.get(&node).copied().unwrap_or(node)
    }

    /// Tried again for a while: nodes that have just come up, on a device that is busy with it, may be slow to answer.
    async fn session(&self) -> Result<Session> {
        let deadline = Instant::now() + KNOWN_MAX;
        loop {
            match reach(self.cluster).session(1, &Client::default(), Consistency::One).await {
                Err(_) if Instant::now() < deadline => tokio::time::sleep(Duration::from_millis(250)).await,
                reached => return reached,
            }
        }
    }

    fn heal(&mut self) -> Result<()> {
        let healed = self.cluster.heal();
        self.delaying.take().map_or(Ok(()), Delaying::end).and(healed)
    }

    /// One node after the other, as an operator does it; those that are hurt are left out.
    fn upkeep(&self, upkeep: Upkeep, hurt: &BTreeSet<u32>) -> Result<()> {
        let hurt: BTreeSet<u32> = hurt.iter().map(|node| self.number(*node)).collect();
        for node in self.cluster.nodes().into_iter().filter(|node| !hurt.contains(&node.number)) {
            let words: Vec<&str> = upkeep.nodetool().iter().copied().chain([self.keyspace]).collect();
            self.cluster.nodetool(node.number, &words)?;
        }
        Ok(())
    }
}

impl Hands for Nodes<'_> {
    fn make(&mut self, step: Move, hurt: &BTreeSet<u32>) -> Result<()> {
        match step {
            Move::Hurt(Fault::Kill, node) => self.cluster.kill(self.number(node)),
            Move::Hurt(Fault::Stop, node) => self.cluster.stop(self.number(node)),
            Move::Hurt(Fault::Pause, node) => self.cluster.pause(self.number(node)),
            Move::Hurt(Fault::Lose, node) => {
                let number = self.number(node);
                self.cluster.lose(number)?;
                self.volumes.each(|set| set.remove(number))
            }
            Move::Hurt(Fault::LoseHost, node) => {
                let number = self.number(node);
                self.cluster.lose_host(number)?;
                self.volumes.own(number, Made::lose_mount)
            }
            Move::Start(node) => self.cluster.start(self.number(node)),
            Move::Resume(node) => self.cluster.resume(self.number(node)),
            Move::Replace(node) => {
                let fresh = self.cluster.next_number();
                self.volumes.each(|set| set.add(fresh))?;
                let number = self.cluster.replace(self.number(node))?;
                self.replaced.insert(node, number);
                Ok(())
            }
            Move::Failover(node) => {
                let number = self.number(node);
                self.volumes.own(number, Made::mount_again)?;
                self.cluster.failover(number)
            }
            Move::LoseCopy => self.data(|made| made.lose_copy()),
            Move::Reattach => {
                let cpus = self.volumes.cpus.clone();
                Cpus::run_on(cpus.as_ref(), || self.data(|made| made.reattach()))
            }
            Move::Fill(bytes) => self.data(|made| made.fill(bytes.0)),
            Move::Free => self.data(|made| made.free()),
            Move::Slow(limits) => self.data(|made| made.slow(limits)),
            Move::Unslow => self.data(Made::unslow),
            Move::Disturb(disturbance, side) => {
                let side: Vec<u32> = side.numbers().map(|node| self.number(node)).collect();
                self.delaying = self.cluster.disturb(disturbance, &side)?;
                Ok(())
            }
            Move::Heal => self.heal(),
            Move::Upkeep(upkeep) => self.upkeep(upkeep, hurt),
            Move::Wait(_) | Move::Step(_) | Move::Ramp(..) | Move::Spike(..) => Ok(()),
        }
    }

    /// By a session of its own: that of the load has yet to hear of the new node.
    fn streamed(&mut self, node: u32) -> Result<Option<Streamed>> {
        load::runtime(1)?.block_on(async {
            let session = self.session().await?;
            let number = self.number(node);
            let receiver = self.cluster.node(number)?;
            await_known(&session, SocketAddr::from((receiver.address, receiver.cql_port)), KNOWN_MAX).await?;
            Streamed::of(&session, self.cluster, number, self.keyspace).await.map(Some)
        })
    }
}
