// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The nodes of a real cluster: looked at by CQL, told by JMX.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{anyhow, ensure, Context, Result};
use async_trait::async_trait;
use scylla::client::session::Session;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::bound::Latency;
use super::fleet::{Fleet, Look};
use super::home::{Home, Move};
use super::ring::{Jmx, Place};
use super::tool::Tool;
use crate::observe::NodeQuery;
use lab_node::cluster::Interrupt;

/// For all that a node is asked in one look.
const ANSWER_MAX: Duration = Duration::from_secs(10);
/// JVMs at a time that tell nodes.
const TOOLS: usize = 8;
const SIGNAL_POLL: Duration = Duration::from_millis(200);

/// See [`Fleet`].
pub(super) struct Nodes {
    session: Arc<Session>,
    places: Vec<Place>,
    jmx: Jmx,
    tool: Tool,
    every: Duration,
    interrupt: Interrupt,
}

impl Nodes {
    /// The ring as the driver reads it from `system.local` and `system.peers`. Refuses a table that is not there.
    pub async fn of(session: Session, jmx: Jmx, tool: Tool, every: Duration, interrupt: Interrupt) -> Result<Self> {
        let cql = "SELECT table_name FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?";
        let found = session.query_unpaged(cql, (&tool.keyspace, &tool.table)).await?.into_rows_result()?;
        ensure!(
            found.rows_num() == 1,
            "there is no table {}.{}: names are meant as DESCRIBE shows them, without quotes",
            tool.keyspace,
            tool.table
        );
        let state = session.get_cluster_state();
        let unnamed = |name: &Option<String>| name.clone().unwrap_or_else(|| "-".to_owned());
        let places: Vec<Place> = state
            .get_nodes_info()
            .iter()
            .map(|node| Place {
                address: SocketAddr::new(node.address.ip(), node.address.port()),
                rack: format!("{}/{}", unnamed(&node.datacenter), unnamed(&node.rack)),
            })
            .collect();
        ensure!(!places.is_empty(), "the ring has no node");
        jmx.check(&places)?;
        Ok(Self { session: Arc::new(session), places, jmx, tool, every, interrupt })
    }

    /// What an operator would type to hold the table on a node.
    pub fn hold_words(&self, node: SocketAddr) -> String {
        let (host, port) = self.jmx.of(node);
        self.tool.words((&host, port), "hold")
    }
}

#[async_trait(?Send)]
impl Fleet for Nodes {
    fn places(&self) -> &[Place] {
        &self.places
    }

    async fn look(&self) -> Vec<Result<Look>> {
        let ask = |place: &Place| {
            let (session, tool, node) = (Arc::clone(&self.session), self.tool.clone(), place.address);
            async move {
                let answer = timeout(ANSWER_MAX, look(&session, node, &tool.keyspace, &tool.table)).await;
                answer.unwrap_or_else(|_| Err(anyhow!("no answer within {} s", ANSWER_MAX.as_secs())))
            }
        };
        all(self.places.iter().map(ask).collect(), self.places.len()).await
    }

    async fn direct(&self, nodes: &[Place], direction: &str) -> Vec<Result<()>> {
        let tell = |place: &Place| {
            let (tool, jmx, direction) = (self.tool.clone(), self.jmx.of(place.address), direction.to_owned());
            async move { tool.direct(jmx, &direction).await }
        };
        all(nodes.iter().map(tell).collect(), TOOLS).await
    }

    async fn wait(&self) -> bool {
        let end = tokio::time::Instant::now() + self.every;
        while !self.interrupt.is_set() && tokio::time::Instant::now() < end {
            tokio::time::sleep(SIGNAL_POLL.min(self.every)).await;
        }
        self.interrupt.is_set()
    }
}

/// Runs these, some at a time; results in their order.
async fn all<T, F>(futures: Vec<F>, at_once: usize) -> Vec<Result<T>>
where
    T: Send + 'static,
    F: std::future::Future<Output = Result<T>> + Send + 'static,
{
    let mut results: Vec<Result<T>> = futures.iter().map(|_| Err(anyhow!("not run"))).collect();
    let mut waiting = futures.into_iter().enumerate();
    let mut running = JoinSet::new();
    loop {
        while running.len() < at_once.max(1) {
            let Some((number, future)) = waiting.next() else { break };
            running.spawn(async move { (number, future.await) });
        }
        match running.join_next().await {
            None => return results,
            Some(Ok((number, result))) => {
                if let Some(place) = results.get_mut(number) {
                    *place = result;
                }
            }
            // It says "not run".
            Some(Err(_)) => {}
        }
    }
}

async fn look(session: &Session, node: SocketAddr, keyspace: &str, table: &str) -> Result<Look> {
    let home = home_of(session, node, keyspace, table).await.context("asked for the table")?;
    let mut latencies = Vec::new();
    for (kind, view) in [("read", "coordinator_read_latency"), ("write", "coordinator_write_latency")] {
        let cql = format!(
            "SELECT table_name, count, p99th_ms FROM system_views.{view} WHERE keyspace_name = {} ALLOW FILTERING",
            quoted(keyspace)
        );
        let rows = NodeQuery::to(node, &cql).rows::<(String, Option<i64>, Option<f64>)>(session).await;
        for (table, count, p99_ms) in rows.with_context(|| format!("asked for {view}"))? {
            let (count, p99_ms) = (unsigned(count), p99_ms.unwrap_or(0.0));
            latencies.push(Latency { node, table, kind, count, p99_ms });
        }
    }
    Ok(Look { home, latencies })
}

type MoveRow = (Option<String>, Option<i64>, Option<i64>, Option<i64>, Option<i64>, Option<String>, Option<String>);

/// Whether rows leave the engine of a node while it runs, or only in a drain; `None` where there is no engine.
pub async fn leaves_online(session: &Session, node: SocketAddr) -> Result<Option<bool>> {
    let cql = "SELECT column_name FROM system_virtual_schema.columns WHERE keyspace_name = 'cassiterite' AND table_name = 'moves'";
    let columns = NodeQuery::to(node, cql).rows::<(String,)>(session).await?;
    Ok((!columns.is_empty()).then(|| columns.iter().any(|(name,)| name == "engine_bytes")))
}

/// Where a node has the rows of a table.
pub async fn home_of(session: &Session, node: SocketAddr, keyspace: &str, table: &str) -> Result<Home> {
    let Some(leaves_online) = leaves_online(session, node).await? else { return Ok(Home::NoEngine) };
    let bytes = if leaves_online { ", engine_bytes" } else { "" };
    let key = format!("keyspace_name = {} AND table_name = {}", quoted(keyspace), quoted(table));
    let cql = format!(
        "SELECT direction, sstable_bytes, left_bytes, bytes_per_second, seconds_left, waits_for, last_error{bytes} \
         FROM cassiterite.moves WHERE {key}"
    );
    let query = NodeQuery::to(node, &cql);
    let moving: Option<(MoveRow, Option<i64>)> = if leaves_online {
        let rows = query
            .rows::<(
                Option<String>,
                Option<i64>,
                Option<i64>,
                Option<i64>,
                Option<i64>,
                Option<String>,
                Option<String>,
                Option<i64>,
            )>(session)
            .await?;
        rows.into_iter().next().map(|(a, b, c, d, e, f, g, engine)| ((a, b, c, d, e, f, g), engine))
    } else {
        query.rows::<MoveRow>(session).await?.into_iter().next().map(|row| (row, None))
    };
    if let Some(((direction, sstables, left, rate, seconds, waits_for, last_error), engine)) = moving {
        let direction = direction.unwrap_or_default();
        return Ok(Home::Both(Move {
            bytes: unsigned(if direction == "out" { engine.or(sstables) } else { sstables }),
            direction,
            left_bytes: unsigned(left),
            bytes_per_second: unsigned(rate),
            seconds_left: seconds.map(|seconds| unsigned(Some(seconds))),
            waits_for: waits_for.unwrap_or_default(),
            last_error: last_error.unwrap_or_default(),
            leaves_online,
        }));
    }
    let cql = format!("SELECT table_name FROM cassiterite.tables WHERE {key}");
    let known = !NodeQuery::to(node, &cql).rows::<(String,)>(session).await?.is_empty();
    Ok(if known { Home::Engine } else { Home::Stock })
}

fn unsigned(number: Option<i64>) -> u64 {
    number.and_then(|number| u64::try_from(number).ok()).unwrap_or(0)
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
