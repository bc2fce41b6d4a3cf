// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a node received by streaming, and how much of that came as whole files.

mod engine_streams;
mod records;
mod replacement;
mod sender_log;
mod shares;

use anyhow::{Context, Result};
use scylla::client::session::Session;
use serde::{Deserialize, Serialize};

use lab_node::cluster::{Cluster, Engine, NodeInfo};

pub use engine_streams::reasons;
pub use records::Received;
pub use replacement::{Replacement, Used};
pub use shares::Shares;

/// One node's streaming.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Streamed {
    /// From the start of the first plan to the end of the last, as the node recorded them.
    pub seconds: f64,
    /// Bytes of the keyspace.
    pub shares: Shares,
}

impl Streamed {
    /// Nothing.
    pub const NOTHING: Self =
        Self { seconds: 0.0, shares: Shares { whole_files: 0, whole_bytes: 0, cut_files: 0, cut_bytes: 0 } };

    /// What `receiver` got of a keyspace since it started; all others have sent. Stock senders must have been
    /// [made ready](ready) before.
    ///
    /// # Errors
    /// A node that does not answer; a plan that failed.
    pub async fn of(session: &Session, cluster: &Cluster, receiver: u32, keyspace: &str) -> Result<Self> {
        let (to, from): (Vec<_>, Vec<_>) = cluster.nodes().into_iter().partition(|node| node.number == receiver);
        let to = to.first().with_context(|| format!("node{receiver} is gone"))?;
        let Some(received) = Received::any(session, to).await? else { return Ok(Self::NOTHING) };
        let shares = shares(session, cluster.engine(), (&from, to), &received.plans, keyspace).await?;
        Ok(Self { seconds: received.length_s(), shares })
    }
}

/// Lets the nodes that run tell in their logs what they send; those with the plug-in have tables for that.
pub fn ready(cluster: &Cluster) -> Result<()> {
    if cluster.engine().has_plugin() {
        return Ok(());
    }
    for node in cluster.nodes().into_iter().filter(|node| node.pid.is_some()) {
        cluster.nodetool(node.number, &["setlogginglevel", sender_log::LOGGERS, "DEBUG"])?;
    }
    Ok(())
}

/// The bytes of a keyspace that went from these nodes to that one in these plans.
pub async fn shares(
    session: &Session,
    engine: Engine,
    (from, to): (&[NodeInfo], &NodeInfo),
    plans: &[String],
    keyspace: &str,
) -> Result<Shares> {
    if engine.has_plugin() {
        return engine_streams::shares(session, to, plans, keyspace).await;
    }
    // A node that is lost has no log.
    let logs = from.iter().filter(|node| node.pid.is_some()).map(|sender| {
        let log = std::fs::read(&sender.system_log).with_context(|| format!("the log of {}", sender.name))?;
        Ok(sender_log::shares(&String::from_utf8_lossy(&log), plans, keyspace))
    });
    logs.sum::<Result<Shares>>()
}
