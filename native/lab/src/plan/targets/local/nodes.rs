// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The moves of a timeline on nodes of this machine.

use std::collections::BTreeSet;

use anyhow::Result;

use crate::cluster::Cluster;
use crate::plan::targets::course::Hands;
use crate::plan::timeline::{Fault, Move, Upkeep};

/// The nodes of a cluster.
pub struct Nodes<'a> {
    /// They.
    pub cluster: &'a mut Cluster,
    /// What upkeep is for.
    pub keyspace: &'a str,
}

impl Hands for Nodes<'_> {
    fn make(&mut self, step: Move, hurt: &BTreeSet<u32>) -> Result<()> {
        match step {
            Move::Hurt(Fault::Kill, node) => self.cluster.kill(node),
            Move::Hurt(Fault::Stop, node) => self.cluster.stop(node),
            Move::Hurt(Fault::Pause, node) => self.cluster.pause(node),
            Move::Start(node) => self.cluster.start(node),
            Move::Resume(node) => self.cluster.resume(node),
            Move::Upkeep(upkeep) => self.upkeep(upkeep, hurt),
            Move::Wait(_) | Move::Step(_) | Move::Ramp(..) | Move::Spike(..) => Ok(()),
        }
    }
}

impl Nodes<'_> {
    /// One node after the other, as an operator does it; those that are hurt are left out.
    fn upkeep(&self, upkeep: Upkeep, hurt: &BTreeSet<u32>) -> Result<()> {
        for node in self.cluster.nodes().into_iter().filter(|node| !hurt.contains(&node.number)) {
            let words: Vec<&str> = upkeep.nodetool().iter().copied().chain([self.keyspace]).collect();
            self.cluster.nodetool(node.number, &words)?;
        }
        Ok(())
    }
}
