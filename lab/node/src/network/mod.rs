// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The network between the nodes of one machine: parts of it are cut, slow or lossy.
//!
//! Connections of all nodes leave from one address of the loopback, so no address tells who sends. The kernel's control groups
//! do: a socket remembers the group that it was made in. Packets between two nodes are marked by the sender's group as they
//! leave, and dropped or held as they arrive. A sender whose packet is dropped as it leaves would hear of it, which no network
//! tells.
//!
//! All rules of a cluster are in two chains of its own, so that they are taken away without a record of them.

mod group;
mod queue;
mod rules;

use std::net::Ipv4Addr;
use std::time::Duration;

use anyhow::{ensure, Context, Result};

pub use group::{hold, remove};
pub use queue::Delaying;

/// What happens to packets between nodes, in both directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Disturbance {
    /// None arrives.
    Partition,
    /// Each arrives so much later: a round trip takes twice that.
    Delay(Duration),
    /// So many of a hundred do not arrive.
    Loss(f64),
}

/// A node, as its packets show it.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where its peers send.
    pub address: Ipv4Addr,
    /// The name of its control group.
    pub group: String,
}

/// The network of a cluster.
#[derive(Clone, Copy, Debug)]
pub struct Network {
    /// The port that its nodes send to; no other cluster of the machine has it.
    storage_port: u16,
}

/// Why no network can be disturbed here; nothing when it can. What is made to find out is taken away again, and no packet
/// meets it.
///
/// # Errors
/// The right, program or part of the kernel that is missing.
pub fn able() -> Result<()> {
    group::probe(rules::able)?;
    queue::able()
}

impl Network {
    /// Of the cluster whose nodes send to that port.
    pub fn of(storage_port: u16) -> Self {
        Self { storage_port }
    }

    /// Disturbs what the nodes of one side and of the other send to each other, until [`heal`](Self::heal). Only one disturbance at a
    /// time: a new one takes the place of the one before. A delay lasts as long as what is returned.
    ///
    /// # Errors
    /// Whatever [`able`] names; two sides without a node that is not on both.
    pub fn disturb(&self, disturbance: Disturbance, pairs: &[(Node, Node)]) -> Result<Option<Delaying>> {
        ensure!(!pairs.is_empty(), "there are no two nodes whose network it could be");
        self.heal()?;
        // Before the rules: until somebody listens, the kernel lets packets of a queue pass.
        let delaying = match disturbance {
            Disturbance::Delay(delay) => Some(Delaying::begin(self.storage_port, delay)?),
            _ => None,
        };
        rules::make(self.storage_port, disturbance, pairs).context("cannot disturb the network between nodes")?;
        Ok(delaying)
    }

    /// Takes away what [`disturb`](Self::disturb) made, also in another process; nothing happens where there is nothing.
    pub fn heal(&self) -> Result<()> {
        rules::remove(self.storage_port).context("cannot heal the network between nodes")
    }
}

#[cfg(test)]
mod tests;
