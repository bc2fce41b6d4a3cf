// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! `cluster status`: what is remembered, what runs, and what the ring says.

use std::process::ExitCode;

use anyhow::Result;
use comfy_table::{presets, Table};

use crate::cluster::ring::RingNode;
use crate::cluster::{Cluster, NodeInfo};

/// Prints the nodes; success when all of them are UN.
pub(super) fn show(cluster: &Cluster) -> Result<ExitCode> {
    let nodes = cluster.nodes();
    let ring = if nodes.iter().any(|node| node.pid.is_some()) { cluster.ring()? } else { Vec::new() };
    let spec = cluster.spec();
    println!(
        "Cluster '{}' of {} in {}, replication {}",
        spec.name,
        spec.engine,
        spec.base.display(),
        cluster.replication()
    );
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["node", "ring", "pid", "CQL", "storage", "JMX", "rack", "load", "owns"]);
    let mut all_un = true;
    for node in &nodes {
        let seen = ring.iter().find(|seen| seen.address == node.address);
        all_un &= node.pid.is_some() && seen.is_some_and(|seen| seen.state.is_un());
        table.add_row(row(node, seen));
    }
    println!("{table}");
    Ok(if all_un { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn row(node: &NodeInfo, seen: Option<&RingNode>) -> [String; 9] {
    let ring = |what: fn(&RingNode) -> String| seen.map_or_else(|| "-".to_owned(), what);
    [
        node.name.clone(),
        // A dead process cannot be up, however long its peers take to notice.
        if node.pid.is_none() { "down".to_owned() } else { ring(|seen| seen.state.to_string()) },
        node.pid.map_or_else(|| "-".to_owned(), |pid| pid.to_string()),
        format!("{}:{}", node.address, node.cql_port),
        node.storage_port.to_string(),
        node.jmx_port.to_string(),
        node.rack.clone(),
        ring(|seen| seen.load.clone()),
        ring(|seen| seen.owns.clone()),
    ]
}
