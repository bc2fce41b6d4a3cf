// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! How a cluster is reached, and what must not happen to one that is somebody else's.

use anyhow::{ensure, Context, Result};
use scylla::client::session::Session;
use scylla::statement::Consistency;

use crate::file::{Client, Existing};
use crate::grid::cell::Cell;
use lab_load::load::{self, Target};
use lab_load::profile::quoted_name;

/// Of a keyspace that a plan made in a cluster of somebody else's, and nobody else may have.
const MARK: &str = "made_by_cassiterite_plan";

/// How a cluster is reached, and what must not happen there.
#[derive(Clone, Debug)]
pub struct Reach {
    /// Its nodes, and how they let a client in.
    pub target: Target,
    /// Where the rows go.
    pub datacenter: String,
    /// What the cluster must say that it is, and how many nodes it must have; `None`: it is our own.
    pub must_be: Option<(String, u32)>,
    /// Operations per second at most, also while a table is filled.
    pub ceiling_per_s: Option<f64>,
}

impl Reach {
    /// A cluster of our own.
    pub fn of(contact_points: Vec<String>, datacenter: &str) -> Self {
        Self::at(Target::new(contact_points), datacenter)
    }

    fn at(target: Target, datacenter: &str) -> Self {
        Self { target, datacenter: datacenter.to_owned(), must_be: None, ceiling_per_s: None }
    }

    /// A cluster that is there already, and stays.
    pub fn existing(of: &Existing) -> Result<Self> {
        Ok(Self {
            must_be: Some((of.cluster_name.clone(), of.nodes)),
            ceiling_per_s: Some(of.ceiling.0),
            ..Self::at(of.access.target(&of.contact_points)?, &of.datacenter)
        })
    }

    /// A session as a cell wants it.
    pub async fn connect(&self, cell: &Cell, client: &Client, level: Consistency) -> Result<Session> {
        let connections = cell.settings().get("connections").map(|_| cell.whole("connections", 1)).transpose()?;
        let connections = connections.map(|n| n as usize).or(client.connections).unwrap_or(1);
        self.session(connections, client, level).await
    }

    /// A session on the cluster that it must be.
    pub async fn session(&self, connections: usize, client: &Client, level: Consistency) -> Result<Session> {
        let mut target = self.target.clone();
        target.connections_per_node = connections;
        target.consistency = level;
        if let Some(timeout) = client.timeout {
            target.request_timeout = timeout.0;
        }
        let session = load::connect(&target).await?;
        if let Some((name, nodes)) = &self.must_be {
            let local = session.query_unpaged("SELECT cluster_name FROM system.local", ()).await?;
            let (said,) = local.into_rows_result()?.first_row::<(String,)>()?;
            ensure!(
                said == *name,
                "target: the cluster calls itself '{said}', and not '{name}': nothing was done to it"
            );
            let peers = session.query_unpaged("SELECT count(*) FROM system.peers_v2", ()).await?;
            let (peers,) = peers.into_rows_result()?.first_row::<(i64,)>()?;
            let has = u32::try_from(peers + 1)?;
            ensure!(has == *nodes, "target: the cluster has {has} nodes, and not {nodes}: nothing was done to it");
        }
        Ok(session)
    }

    /// Drops a keyspace. In a cluster that is not our own, only one that a plan has made.
    pub async fn drop_keyspace(&self, session: &Session, keyspace: &str) -> Result<()> {
        if self.must_be.is_some() {
            let tables = "SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?";
            let known = session.query_unpaged(tables, (keyspace,)).await?.into_rows_result()?;
            let names: Vec<String> =
                known.rows::<(String,)>()?.map(|row| row.map(|(name,)| name)).collect::<Result<_, _>>()?;
            let there = "SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?";
            let there = session.query_unpaged(there, (keyspace,)).await?.into_rows_result()?.rows_num() > 0;
            if !there {
                return Ok(());
            }
            ensure!(
                names.iter().any(|name| name == MARK),
                "target: the keyspace {keyspace} is there, and no plan made it: it stays as it is; name another in the profile"
            );
        }
        let cql = format!("DROP KEYSPACE IF EXISTS {}", quoted_name(keyspace));
        session.query_unpaged(cql, ()).await.with_context(|| format!("the keyspace {keyspace} cannot be dropped"))?;
        session.await_schema_agreement().await.context("the nodes do not agree on the schema")?;
        Ok(())
    }

    /// Drops what was made before an error; where that fails, `plan clean` does it.
    pub async fn give_up(&self, session: &Session, keyspace: &str) {
        if self.must_be.is_some() {
            if let Err(error) = self.drop_keyspace(session, keyspace).await {
                eprintln!("cassiterite: the keyspace {keyspace} stays until `plan clean`: {error:#}");
            }
        }
    }

    /// Marks a keyspace as a plan's.
    pub async fn mark(&self, session: &Session, keyspace: &str) -> Result<()> {
        if self.must_be.is_some() {
            let cql = format!("CREATE TABLE IF NOT EXISTS {}.{MARK} (name text PRIMARY KEY)", quoted_name(keyspace));
            session.query_unpaged(cql, ()).await.context("the keyspace cannot be marked")?;
            session.await_schema_agreement().await.context("the nodes do not agree on the schema")?;
        }
        Ok(())
    }
}
