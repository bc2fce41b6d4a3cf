// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What an entry of an index takes, in files and in the log. To be read, and bounded.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use cassiterite_codec::entry::{Entry, TICK};
use cassiterite_codec::key::murmur3_token;
use cassiterite_codec::row::Liveness;
use cassiterite_codec::DeletionTime;
use cassiterite_engine::Table;
use common::*;
use std::path::Path;
use std::sync::Arc;

/// Of the figures of a table.
const FILE_BYTES: usize = 2;
/// In microseconds: of 20,000 rows a second, from a day in 2026 on.
const FIRST_AT: i64 = 1_795_000_000_000_000;
const STEP: i64 = 50;
const BATCH: usize = 1_000;
/// Of which the log is measured: a flush may delete it after more.
const LOGGED_BATCHES: usize = 20;

/// As `KeyEncoder` of the plug-in writes a bigint that is not negative.
fn value_of_long(number: u64) -> Vec<u8> {
    let bytes = (64 - (number | 1).leading_zeros() as usize) / 7 + 1;
    let marked = number | if bytes < 9 { (0xFF00u64 >> bytes & 0xFF) << (8 * bytes - 8) } else { 0 };
    let mut out = vec![0x41, 0x40];
    out.extend_from_slice(&marked.to_be_bytes()[8 - bytes..]);
    out.push(0x38);
    out
}

fn long_key(number: u64) -> Vec<u8> {
    number.to_be_bytes().to_vec()
}

/// As good as random.
fn uuid_key(number: u64) -> Vec<u8> {
    let mixed = |seed: u64| (murmur3_token(&(number ^ seed).to_le_bytes()) as u64).to_be_bytes();
    [mixed(0), mixed(1 << 63)].concat()
}

fn row_of(token: i64, key: &[u8]) -> Vec<u8> {
    let mut out = (((token >> 32) as u32) ^ 0x8000_0000).to_be_bytes().to_vec();
    uvarint(key.len() as u64, &mut out);
    out.extend_from_slice(key);
    out
}

fn live(timestamp: i64) -> Vec<u8> {
    let mut out = Vec::new();
    Entry { names: None, live: Liveness::without_ttl(timestamp), deletion: DeletionTime::LIVE }.write(&mut out);
    out
}

fn write(table: &Table, number: u32, entries: &[(u64, Vec<u8>, i64)]) {
    let mut out = update(&partition("any"), &[]);
    out[0] = 2;
    out.extend_from_slice(&1u32.to_le_bytes());
    out.extend_from_slice(&number.to_le_bytes());
    out.extend_from_slice(&FIRST_AT.to_le_bytes());
    out.extend_from_slice(&(entries.len() as u32).to_le_bytes());
    for (value, row, timestamp) in entries {
        counted(&mut out, &value_of_long(*value));
        counted(&mut out, row);
        counted(&mut out, &live(*timestamp));
    }
    table.write(&out, 0).unwrap();
}

fn log_bytes(directory: &Path) -> u64 {
    let files = std::fs::read_dir(directory.join("db")).unwrap().map(Result::unwrap);
    let logs = files.filter(|file| file.path().extension().is_some_and(|extension| extension == "log"));
    logs.map(|file| file.metadata().unwrap().len()).sum()
}

/// Bytes of an entry in files, and in the log.
fn measured(rows: u64, of_value: u64, key_of: fn(u64) -> Vec<u8>, rounds: bool) -> (f64, f64) {
    let folder = tempfile::tempdir().unwrap();
    let store = open_with(folder.path(), "max_wal_size=4GiB");
    let table = table(&store);
    let number = table.create_index("i").unwrap().number;
    let index: Arc<Table> = table.index("i").unwrap();
    let mut found: Vec<(i64, u64)> = (0..rows).map(|number| (murmur3_token(&key_of(number)), number)).collect();
    found.sort_unstable(); // a build reads the table in the order of tokens
    let before = log_bytes(folder.path());
    let mut log_bytes_of_entry = 0.0;
    for (at, page) in found.chunks(BATCH).enumerate() {
        let entries = page.iter().map(|(token, number)| {
            let at = FIRST_AT + *number as i64 * STEP;
            let at = if rounds { (at + TICK - 1) / TICK * TICK } else { at };
            (*number % (rows / of_value), row_of(*token, &key_of(*number)), at)
        });
        write(&table, number, &entries.collect::<Vec<_>>());
        if at + 1 == LOGGED_BATCHES {
            log_bytes_of_entry = (log_bytes(folder.path()) - before) as f64 / (LOGGED_BATCHES * BATCH) as f64;
        }
    }
    index.flush().unwrap();
    index.compact().unwrap();
    let bytes = index.stats().unwrap()[FILE_BYTES];
    store.close().unwrap();
    (bytes as f64 / rows as f64, log_bytes_of_entry)
}

/// `ROWS` says of how many, a multiple of 10,000.
#[test]
#[ignore = "a measurement"]
fn the_bytes_of_an_entry() {
    let rows = std::env::var("ROWS").map_or(200_000, |rows| rows.parse().unwrap());
    for (keys, key_of) in [("bigint", long_key as fn(u64) -> Vec<u8>), ("uuid", uuid_key)] {
        for of_value in [1, 100, 10_000] {
            let (exact, log_exact) = measured(rows, of_value, key_of, false);
            let (rounded, log_rounded) = measured(rows, of_value, key_of, true);
            println!(
                "{rows} rows, {of_value} of a value, {keys} keys: files {exact:.2} exact, {rounded:.2} rounded; \
                 log {log_exact:.1} exact, {log_rounded:.1} rounded"
            );
        }
    }
}

/// A storage-attached index takes 3.1 bytes.
#[test]
fn an_entry_takes_less_than_three_bytes() {
    let (rounded, _) = measured(20_000, 100, long_key, true);
    assert!(rounded < 3.0, "{rounded} bytes");
}
