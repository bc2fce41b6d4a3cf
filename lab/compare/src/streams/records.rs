// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reads the streams into a node from Cassandra's `system_views.streaming`.

use std::net::SocketAddr;

use anyhow::{Context, Result};
use scylla::client::session::Session;
use scylla::deserialize::row::DeserializeRow;
use scylla::value::{CqlTimestamp, CqlTimeuuid};

use lab_load::observe::NodeQuery;
use lab_node::cluster::NodeInfo;

/// Cassandra counts the received bytes of an sstable that came in compressed sections more than once; that there were any is
/// all that is taken from it.
const PLANS: &str = "SELECT id, status, status_init_timestamp, status_success_timestamp, bytes_received \
     FROM system_views.streaming";

/// The streams into one node: from the start of the first plan to the end of the last.
#[derive(Clone, Debug, PartialEq)]
pub struct Received {
    /// Ids of the plans that brought something.
    pub plans: Vec<String>,
    /// Milliseconds since 1970.
    pub from_unix_ms: f64,
    /// Milliseconds since 1970.
    pub to_unix_ms: f64,
}

type Plan = (CqlTimeuuid, String, Option<CqlTimestamp>, Option<CqlTimestamp>, Option<i64>);

impl Received {
    /// Asks the node. A plan that failed is an error; one that is still running has no end and is one, too.
    pub async fn of(session: &Session, node: &NodeInfo) -> Result<Self> {
        Self::any(session, node)
            .await?
            .with_context(|| format!("what {} streamed: no stream brought anything", node.name))
    }

    /// Likewise; nothing where no stream brought anything.
    pub async fn any(session: &Session, node: &NodeInfo) -> Result<Option<Self>> {
        let plans: Vec<Plan> = rows(session, node, PLANS).await?;
        Self::from(plans).with_context(|| format!("what {} streamed", node.name))
    }

    fn from(plans: Vec<Plan>) -> Result<Option<Self>> {
        let mut received = Self { plans: Vec::new(), from_unix_ms: f64::INFINITY, to_unix_ms: 0.0 };
        for (id, status, began, ended, bytes) in plans {
            if bytes.is_none_or(|bytes| bytes == 0) {
                continue;
            }
            let began = began.with_context(|| format!("plan {id} has no beginning"))?;
            let ended = ended.with_context(|| format!("plan {id} has not ended well: {status}"))?;
            received.plans.push(id.to_string());
            received.from_unix_ms = received.from_unix_ms.min(began.0 as f64);
            received.to_unix_ms = received.to_unix_ms.max(ended.0 as f64);
        }
        Ok(Some(received).filter(|received| !received.plans.is_empty()))
    }

    /// Seconds from the start of the first plan to the end of the last.
    pub fn length_s(&self) -> f64 {
        (self.to_unix_ms - self.from_unix_ms) / 1e3
    }
}

/// All rows of a query on one node's own tables.
pub async fn rows<R>(session: &Session, node: &NodeInfo, cql: &str) -> Result<Vec<R>>
where
    R: for<'frame, 'metadata> DeserializeRow<'frame, 'metadata>,
{
    let address = SocketAddr::from((node.address, node.cql_port));
    let asked = NodeQuery::to(address, cql).rows(session).await;
    asked.with_context(|| format!("asking {}: {cql}", node.name))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn plan(status: &str, span: (i64, Option<i64>), bytes: Option<i64>) -> Plan {
        let id = "8e14e7f0-0000-1000-8000-000000000001".parse().unwrap();
        (id, status.to_owned(), Some(CqlTimestamp(span.0)), span.1.map(CqlTimestamp), bytes)
    }

    #[test]
    fn plans_that_brought_something_are_one_streaming() {
        let plans = vec![
            plan("success", (1_000, Some(5_500)), Some(700)),
            plan("success", (900, Some(950)), None),
            plan("success", (2_000, Some(7_000)), Some(300)),
        ];
        let received = Received::from(plans).unwrap().unwrap();
        assert_eq!(received.plans.len(), 2);
        assert!((received.length_s() - 6.0).abs() < 1e-9);
    }

    #[test]
    fn a_plan_that_failed_or_none_at_all_is_said() {
        let failed = Received::from(vec![plan("failure", (1_000, None), Some(700))]).unwrap_err();
        assert!(failed.to_string().contains("failure"), "{failed:#}");
        assert_eq!(Received::from(vec![plan("success", (1, Some(2)), None)]).unwrap(), None);
    }
}
