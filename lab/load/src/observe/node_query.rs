// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Queries that one given server answers: its virtual tables.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{ensure, Result};
use scylla::client::session::Session;
use scylla::deserialize::row::DeserializeRow;
use scylla::policies::load_balancing::{NodeIdentifier, SingleTargetLoadBalancingPolicy};
use scylla::statement::unprepared::Statement;

/// A query that this server answers itself.
pub struct NodeQuery(Statement);

impl NodeQuery {
    /// `address`: where it takes CQL.
    pub fn to(address: SocketAddr, cql: &str) -> Self {
        let mut statement = Statement::new(cql);
        let only = SingleTargetLoadBalancingPolicy::new(NodeIdentifier::NodeAddress(address), None);
        statement.set_load_balancing_policy(Some(only));
        Self(statement)
    }

    /// All rows of the answer.
    pub async fn rows<R>(&self, session: &Session) -> Result<Vec<R>>
    where
        R: for<'frame, 'metadata> DeserializeRow<'frame, 'metadata>,
    {
        let answer = session.query_unpaged(self.0.clone(), ()).await?.into_rows_result()?;
        let rows = answer.rows::<R>()?.collect::<Result<_, _>>()?;
        Ok(rows)
    }
}

/// Waits until the driver knows a server, such as one that has just come up: its peers list it a moment later.
pub async fn await_known(session: &Session, address: SocketAddr, at_most: Duration) -> Result<()> {
    let deadline = Instant::now() + at_most;
    let known = || {
        let state = session.get_cluster_state();
        let mut all = state.get_nodes_info().iter().map(|node| SocketAddr::new(node.address.ip(), node.address.port()));
        all.any(|known| known == address)
    };
    while !known() {
        ensure!(Instant::now() < deadline, "its peers do not list {address}");
        tokio::time::sleep(Duration::from_millis(250)).await;
        session.refresh_metadata().await?;
    }
    Ok(())
}
