// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The network between the nodes of a cluster is disturbed and healed; what clients send is not.

use std::sync::Arc;

use anyhow::{ensure, Result};

use super::handle::Cluster;
use super::member::Member;
use crate::network::{Delaying, Disturbance, Network, Node};

impl Cluster {
    /// Disturbs what nodes of `side` and all others send to each other, or what any two nodes do where `side` is empty; until
    /// [`heal`](Self::heal). A delay lasts as long as what is returned.
    ///
    /// # Errors
    /// The cluster was made without [`network_faults`](super::ClusterSpec::network_faults); nobody is on one of the sides; whatever
    /// the kernel refuses.
    pub fn disturb(&mut self, disturbance: Disturbance, side: &[u32]) -> Result<Option<Delaying>> {
        let _lock = self.locked()?;
        ensure!(self.spec().network_faults, "the nodes of cluster '{}' cannot be told apart", self.spec().name);
        self.network().disturb(disturbance, &self.pairs(side))
    }

    /// Takes away what [`disturb`](Self::disturb) made, and returns when each node that runs has every other again.
    pub fn heal(&mut self) -> Result<()> {
        let _lock = self.locked()?;
        self.heal_rules()?;
        let progress = Arc::clone(&self.progress);
        self.await_ring(&self.running(), progress.as_ref())
    }

    pub(super) fn heal_rules(&self) -> Result<()> {
        match (self.spec().network_faults, self.spec().fence) {
            (true, _) => self.network().heal(),
            // A fence may be in a group that such rules name. Without the program to ask, no rules are there.
            (false, Some(_)) => self.network().heal().or(Ok(())),
            (false, None) => Ok(()),
        }
    }

    fn network(&self) -> Network {
        Network::of(self.spec().storage_port)
    }

    fn pairs(&self, side: &[u32]) -> Vec<(Node, Node)> {
        let mut pairs = Vec::new();
        for (at, one) in self.state.members.iter().enumerate() {
            let others = self.state.members.iter().skip(at + 1);
            let apart = |other: &&Member| side.is_empty() || side.contains(&one.number) != side.contains(&other.number);
            pairs.extend(others.filter(apart).map(|other| (self.sender(one), self.sender(other))));
        }
        pairs
    }

    fn sender(&self, member: &Member) -> Node {
        Node { address: member.address, group: self.spec().group_name(member.number) }
    }
}
