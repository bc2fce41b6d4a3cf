// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a read of one row costs while rows are overwritten, and after a compaction: CPU of the reading thread. `cargo
//! bench -p cassiterite-engine --bench overwritten -- name=value ...` takes the store's settings.
#![allow(missing_docs, clippy::unwrap_used)]

#[path = "../tests/common/mod.rs"]
mod common;

use cassiterite_engine::{Store, Table};
use common::*;
use cpu_time::ThreadTime;
use std::sync::Arc;

const KEYS: u32 = 100_000;
const ROW_BYTES: usize = 900;
const OVERWRITES: u32 = 400_000;
const READS: u32 = 200_000;

fn next(state: &mut u32) -> u32 {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    (*state >> 8) % KEYS
}

fn key(number: u32) -> Vec<u8> {
    partition(&format!("key{number}"))
}

fn write(table: &Table, number: u32, timestamp: u32) {
    let fragment = row(i64::from(timestamp), 1, &half_noise(u64::from(timestamp), ROW_BYTES));
    table.write(&update(&key(number), &[(ROW, &[0x38], &fragment)]), 0).unwrap();
}

/// CPU microseconds per read of random rows.
fn read(table: &Arc<Table>, state: &mut u32) -> f64 {
    let requests: Vec<Vec<u8>> =
        (0..READS).map(|_| read_request(POINTS, 0, &key(next(state)), &[(vec![0x38], vec![])])).collect();
    let mut answer = vec![0; 64 << 10];
    let begun = ThreadTime::now();
    for request in &requests {
        assert!(table.read(request, &mut answer).unwrap() > 500);
    }
    begun.elapsed().as_secs_f64() * 1e6 / f64::from(READS)
}

fn main() {
    let directory = tempfile::tempdir().unwrap();
    let given: Vec<String> = std::env::args().skip(1).filter(|word| word.contains('=')).collect();
    let store = Store::open(&format!(
        "directory={}\nblock_cache_size=1GiB\n{}\n",
        directory.path().display(),
        given.join("\n")
    ))
    .unwrap();
    let table = store.table(&schema(&TABLE, &[(0, "v", "blob")])).unwrap();
    let mut state = 7;
    (0..KEYS).for_each(|number| write(&table, number, number + 1));
    table.compact().unwrap();
    read(&table, &mut state);
    println!("compacted: {:.2} us of CPU per read", read(&table, &mut state));
    let mut timestamp = KEYS;
    for round in 0..4 {
        for _ in 0..OVERWRITES / 4 {
            timestamp += 1;
            let number = next(&mut state);
            write(&table, number, timestamp);
        }
        let report = store.report("levels").unwrap();
        let per_read = read(&table, &mut state);
        println!("overwritten, round {round}: {per_read:.2} us of CPU per read\n{report}");
    }
    table.compact().unwrap();
    read(&table, &mut state);
    println!("compacted again: {:.2} us of CPU per read", read(&table, &mut state));
    store.close().unwrap();
}
