// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A node that is lost for good while the others go on.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{ensure, Context, Result};

use super::Subject;
use lab_node::cluster::NodeInfo;

/// Until the others have noticed; the failure detector takes some ten seconds.
const NOTICED_MAX: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_secs(1);

/// The node that was lost, and what is remembered of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loss {
    pub number: u32,
    /// The most memory that its process had.
    pub peak_resident_bytes: f64,
}

impl Subject<'_> {
    /// Kills the last node for good, and waits until another one believes it down. From then on figures are of the others.
    pub fn lose_node(&mut self) -> Result<()> {
        ensure!(self.lost.is_none(), "a node is lost already");
        let last =
            self.cluster.nodes().into_iter().max_by_key(|node| node.number).context("the cluster has no node")?;
        let place = self.cluster.nodes().iter().position(|node| node.number == last.number);
        let readings = self.servers.readings();
        let peak = place.and_then(|place| readings.get(place)?.process.peak_resident_bytes).unwrap_or_default();
        self.lost = Some(Loss { number: last.number, peak_resident_bytes: peak as f64 });
        self.cluster.kill(last.number)?;
        let deadline = Instant::now() + NOTICED_MAX;
        while self.cluster.ring()?.iter().all(|node| node.state.up) {
            self.ensure_not_interrupted()?;
            ensure!(Instant::now() < deadline, "{} is gone, and nobody has noticed", last.name);
            thread::sleep(POLL);
        }
        self.members_changed()
    }

    /// Its nodes without the lost one.
    pub(super) fn members(&self) -> Vec<NodeInfo> {
        let mut nodes = self.cluster.nodes();
        nodes.retain(|node| self.lost.is_none_or(|lost| lost.number != node.number));
        nodes
    }
}
