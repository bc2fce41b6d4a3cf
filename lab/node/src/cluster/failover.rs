// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A node whose host is lost comes up on another host, on what it kept.

use std::sync::Arc;

use anyhow::{ensure, Result};

use super::handle::Cluster;
use super::process;

impl Cluster {
    /// Ends a node at once and deletes all that its host kept, as if that were lost; what is placed elsewhere stays. Only
    /// [`failover`](Self::failover) mends that.
    pub fn lose_host(&mut self, number: u32) -> Result<()> {
        let _lock = self.locked()?;
        let lost = self.live(number)?.clone();
        process::kill_nine(&[lost.base(self.spec())])?;
        self.state.member_mut(number)?.pid = None;
        self.write()?;
        lost.delete_host(self.spec())?;
        self.progress.done(number, "has no host");
        Ok(())
    }

    /// Starts a node that is down at an address that no node had before, on the tables and logs that are placed elsewhere. It is
    /// the same to its peers: it keeps host id and tokens, and nothing is streamed. Returns when its peers and CQL have it, and
    /// its old address is out of the ring.
    pub fn failover(&mut self, number: u32) -> Result<()> {
        let _lock = self.locked()?;
        let spec = self.spec();
        ensure!(!spec.data_dirs.is_empty() && spec.wal_dir.is_some(), "node{number} kept all on the host that is lost");
        let old = self.state.member(number)?.clone();
        ensure!(old.live_pid(spec).is_none(), "node{number} runs: only a node that is down comes up elsewhere");
        let address = spec.address(self.state.next)?;
        // The address is spent even if the node fails: peers remember it for a while.
        self.state.next += 1;
        self.state.member_mut(number)?.address = address;
        self.write()?;
        let progress = Arc::clone(&self.progress);
        let moved = self.state.member(number)?.clone();
        self.start_all(&[moved], progress.as_ref())?;
        self.await_status(
            || self.anyone_but(&[number]),
            progress.as_ref(),
            |ring| {
                let there = ring.is_empty() || ring.iter().any(|node| node.address == old.address);
                Ok(there.then(|| format!("{} is still in the ring", old.address)))
            },
        )
    }
}
