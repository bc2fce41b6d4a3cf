// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The table and its rows: a value tells which key it belongs to, so that a read can be checked.

use anyhow::{ensure, Context, Result};
use scylla::client::session::Session;

use crate::args::Args;

/// Creates keyspace and table.
pub async fn create(session: &Session, args: &Args) -> Result<()> {
    let (keyspace, _) = args.table.split_once('.').context("--table wants keyspace.table")?;
    let replication = "{'class': 'SimpleStrategy', 'replication_factor': 1}";
    session
        .query_unpaged(format!("CREATE KEYSPACE IF NOT EXISTS {keyspace} WITH replication = {replication}"), ())
        .await?;
    let with = if args.with.is_empty() { String::new() } else { format!(" WITH {}", args.with) };
    let table = &args.table;
    session.query_unpaged(format!("CREATE TABLE {table} (k bigint PRIMARY KEY, v blob){with}"), ()).await?;
    Ok(())
}

/// Makes values of one size: key, version, noise for half of the bytes, then zeros.
pub struct Values {
    bytes: usize,
}

impl Values {
    /// Values of `bytes` bytes, at least 16.
    pub fn new(bytes: usize) -> Self {
        Self { bytes: bytes.max(16) }
    }

    /// The value of `key` as written the `version`th time.
    pub fn make(&self, key: u64, version: u64) -> Vec<u8> {
        let mut value = Vec::with_capacity(self.bytes);
        value.extend_from_slice(&key.to_be_bytes());
        value.extend_from_slice(&version.to_be_bytes());
        let mut state = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ version | 1;
        while value.len() < self.bytes / 2 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            value.extend_from_slice(&state.to_le_bytes());
        }
        value.resize(self.bytes, 0);
        value
    }

    /// Whether `value` is one that [`Values::make`] made for `key`.
    pub fn check(&self, key: u64, value: &[u8]) -> Result<()> {
        ensure!(value.len() == self.bytes, "key {key}: {} bytes, expected {}", value.len(), self.bytes);
        let (head, _) = value.split_at(16);
        let (owner, version) = head.split_at(8);
        ensure!(owner == key.to_be_bytes(), "key {key}: answered with the value of another key");
        let version = u64::from_be_bytes(version.try_into().unwrap_or_default());
        ensure!(value == self.make(key, version), "key {key}: value is mixed up");
        Ok(())
    }
}
