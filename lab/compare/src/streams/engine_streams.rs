// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reads the stream history of a node with the plug-in: the virtual table `cassiterite.streams`.

use anyhow::Result;
use scylla::client::session::Session;

use super::records::rows;
use super::shares::Shares;
use lab_node::cluster::NodeInfo;

const SHARES: &str = "SELECT plan_id, keyspace_name, direction_name, whole_files, whole_bytes, row_files, row_bytes \
     FROM cassiterite.streams";
const REASONS: &str = "SELECT plan_id, keyspace_name, reason_text FROM cassiterite.streams";

type Stream = (String, String, String, i64, i64, i64, i64);

/// The bytes of one keyspace that a node received in these plans.
pub async fn shares(session: &Session, node: &NodeInfo, plans: &[String], keyspace: &str) -> Result<Shares> {
    let streams: Vec<Stream> = rows(session, node, SHARES).await?;
    let came = streams
        .into_iter()
        .filter(|(plan, of, direction, ..)| of == keyspace && direction == "IN" && plans.contains(plan));
    Ok(came
        .map(|(_, _, _, whole_files, whole_bytes, cut_files, cut_bytes)| Shares {
            whole_files: whole_files.unsigned_abs(),
            whole_bytes: whole_bytes.unsigned_abs(),
            cut_files: cut_files.unsigned_abs(),
            cut_bytes: cut_bytes.unsigned_abs(),
        })
        .sum())
}

/// Why a sender sent some of it as rows, in its own words.
pub async fn reasons(session: &Session, node: &NodeInfo, plans: &[String], keyspace: &str) -> Result<Vec<String>> {
    let streams: Vec<(String, String, Option<String>)> = rows(session, node, REASONS).await?;
    let sent = streams.into_iter().filter(|(plan, of, _)| of == keyspace && plans.contains(plan));
    Ok(sent.filter_map(|(_, _, reasons)| reasons.filter(|reasons| !reasons.is_empty())).collect())
}
