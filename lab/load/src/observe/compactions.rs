// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Polls the number of running compactions from the virtual tables of each server.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use scylla::client::session::Session;
use tokio::task::AbortHandle;
use tokio::time::MissedTickBehavior;

use super::node_query::NodeQuery;

/// A server that takes longer for all that it is asked is not known to do anything.
const ANSWER_MAX: Duration = Duration::from_secs(2);
const UNKNOWN: u64 = u64::MAX;

/// How many compactions a server ran when it was last asked. Safe to share between threads.
#[derive(Debug)]
pub struct Compactions(AtomicU64);

impl Compactions {
    /// `None`: the server was not asked yet, or did not answer.
    pub fn running(&self) -> Option<u64> {
        Some(self.0.load(Ordering::Relaxed)).filter(|running| *running != UNKNOWN)
    }
}

/// Asks servers until it is dropped.
pub struct CompactionPoller {
    servers: Vec<Arc<Compactions>>,
    tasks: Vec<AbortHandle>,
}

impl CompactionPoller {
    /// Asks each of these servers every `every`, in the runtime that this is called in.
    pub fn begin(session: &Arc<Session>, addresses: &[SocketAddr], every: Duration) -> Self {
        let servers: Vec<_> = addresses.iter().map(|_| Arc::new(Compactions(AtomicU64::new(UNKNOWN)))).collect();
        let ask = |(address, server): (&SocketAddr, &Arc<Compactions>)| {
            tokio::spawn(ask(Arc::clone(session), *address, Arc::clone(server), every)).abort_handle()
        };
        let tasks = addresses.iter().zip(&servers).map(ask).collect();
        Self { servers, tasks }
    }

    /// The compactions of each server, in the order of the addresses.
    pub fn servers(&self) -> &[Arc<Compactions>] {
        &self.servers
    }
}

impl Drop for CompactionPoller {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

async fn ask(session: Arc<Session>, address: SocketAddr, server: Arc<Compactions>, every: Duration) {
    let mut queries = NodeQueries::of(address);
    let mut next = tokio::time::interval(every);
    next.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        next.tick().await;
        let running = tokio::time::timeout(ANSWER_MAX, queries.running(&session)).await;
        server.0.store(running.ok().and_then(Result::ok).unwrap_or(UNKNOWN), Ordering::Relaxed);
    }
}

/// The queries to one server.
struct NodeQueries {
    sstables: NodeQuery,
    keyspace: NodeQuery,
    engine: NodeQuery,
    /// The engine's keyspace appears with its first table.
    has_engine: bool,
}

impl NodeQueries {
    fn of(address: SocketAddr) -> Self {
        Self {
            sstables: NodeQuery::to(address, "SELECT kind FROM system_views.sstable_tasks"),
            keyspace: NodeQuery::to(
                address,
                "SELECT keyspace_name FROM system_virtual_schema.keyspaces WHERE keyspace_name = 'cassiterite'",
            ),
            engine: NodeQuery::to(address, "SELECT running FROM cassiterite.work WHERE name = 'compaction'"),
            has_engine: false,
        }
    }

    async fn running(&mut self, session: &Session) -> Result<u64> {
        // Compactions of all kinds are among other tasks.
        let tasks = self.sstables.rows::<(Option<String>,)>(session).await?;
        let sstables = tasks.iter().filter(|(kind,)| kind.as_ref().is_some_and(|kind| kind.contains("compaction")));
        let stock = sstables.count() as u64;
        if !self.has_engine {
            self.has_engine = !self.keyspace.rows::<(String,)>(session).await?.is_empty();
        }
        let engine = if self.has_engine { self.engine.rows::<(Option<i64>,)>(session).await? } else { Vec::new() };
        let engine: u64 = engine.iter().filter_map(|(running,)| u64::try_from((*running)?).ok()).sum();
        Ok(stock + engine)
    }
}
