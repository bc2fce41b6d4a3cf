// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What the driver knows of schema and nodes, as text in a steady order.

use scylla::cluster::metadata::{Column, Keyspace};
use scylla::cluster::ClusterState;
use std::collections::{BTreeMap, HashMap};

/// A keyspace with its tables and types.
pub fn keyspace(keyspace: &Keyspace) -> Vec<String> {
    let mut lines = vec![format!("{:?} {}", keyspace.strategy, keyspace.durable_writes)];
    for (name, table) in in_order(&keyspace.tables) {
        lines.push(format!("{name} {:?} {:?}", table.partition_key, table.clustering_key));
        lines.extend(in_order(&table.columns).into_iter().map(|(column, about)| column_text(name, column, about)));
    }
    lines.extend(in_order(&keyspace.user_defined_types).into_iter().map(|(name, about)| format!("{name} {about:?}")));
    lines
}

fn column_text(table: &str, name: &str, column: &Column) -> String {
    format!("{table}.{name} {:?} {:?}", column.typ, column.kind)
}

fn in_order<V>(by_name: &HashMap<String, V>) -> BTreeMap<&String, &V> {
    by_name.iter().collect()
}

/// The nodes, and how many of them have a key.
pub fn nodes(state: &ClusterState) -> Vec<String> {
    let mut lines: Vec<String> = state
        .get_nodes_info()
        .iter()
        .map(|node| {
            let (host, rack) = (node.host_id, node.rack.as_deref().unwrap_or_default());
            let datacenter = node.datacenter.as_deref().unwrap_or_default();
            format!("{} connected={} {datacenter} {rack} {host}", node.address, node.is_connected())
        })
        .collect();
    let ring: Vec<_> = state.replica_locator().ring().iter().map(|(token, _)| token.value()).collect();
    lines.push(format!("{ring:?}"));
    let replicas = state.get_endpoints("drivers", "rows", &(0,)).map(|replicas| replicas.len());
    lines.push(format!("replicas {replicas:?}"));
    lines
}
