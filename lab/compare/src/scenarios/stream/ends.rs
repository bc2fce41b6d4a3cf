// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! CPU and memory that senders and receiver of a stream used.

use anyhow::{Context, Result};

use crate::quiet::QUIET_S;
use crate::streams::Used;
use lab_load::observe::{Memory, ProcessSamples};
use lab_node::cluster::{Cluster, NodeInfo};

/// The senders and the receiver.
#[derive(Clone, Debug)]
pub(super) struct Ends {
    pub senders: Vec<NodeInfo>,
    pub receiver: NodeInfo,
}

impl Ends {
    /// The node of that number receives, all others send.
    pub fn of(cluster: &Cluster, receiver: u32) -> Result<Self> {
        let nodes = cluster.nodes();
        let found = nodes.iter().find(|node| node.number == receiver).cloned();
        let receiver = found.with_context(|| format!("node{receiver} is gone"))?;
        Ok(Self { senders: nodes.into_iter().filter(|node| node.number != receiver.number).collect(), receiver })
    }

    /// The processes of both ends that run.
    pub fn pids(&self) -> Vec<i32> {
        self.senders.iter().chain([&self.receiver]).filter_map(|node| node.pid).collect()
    }
}

/// CPU and memory of these nodes between two instants in milliseconds since 1970. They must be quiet at the end.
pub(super) fn used(samples: &ProcessSamples, nodes: &[&NodeInfo], from_unix_ms: f64, to_unix_ms: f64) -> Used {
    let pids: Vec<i32> = nodes.iter().filter_map(|node| node.pid).collect();
    let memories: Vec<Memory> = pids.iter().filter_map(|pid| samples.peak(*pid, from_unix_ms, to_unix_ms)).collect();
    Used {
        cpu_s: pids.iter().map(|pid| busy_s(samples, *pid, from_unix_ms, to_unix_ms)).sum(),
        resident_bytes: memories.iter().map(|memory| memory.resident_bytes).max(),
        anonymous_bytes: memories.iter().filter_map(|memory| memory.anonymous_bytes).max(),
    }
}

/// CPU seconds of a process beyond its idle use.
pub(super) fn busy_s(samples: &ProcessSamples, pid: i32, from_unix_ms: f64, to_unix_ms: f64) -> Option<f64> {
    let (_, last_unix_ms) = samples.span_unix_ms(pid)?;
    let quiet_ms = QUIET_S as f64 * 1e3;
    let idle_cores = samples.cpu_s(pid, last_unix_ms - quiet_ms, last_unix_ms)? / (quiet_ms / 1e3);
    let idle_s = idle_cores * (to_unix_ms - from_unix_ms) / 1e3;
    Some((samples.cpu_s(pid, from_unix_ms, to_unix_ms)? - idle_s).max(0.0))
}
