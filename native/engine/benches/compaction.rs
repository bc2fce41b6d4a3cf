// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What flush and compaction cost: CPU of the whole process, background threads included, per write of 1 KB until the
//! store is quiet, and per GiB that a full compaction reads; and the memory that the store took meanwhile. `cargo bench
//! -p cassiterite-engine --bench compaction -- name=value ...` takes the store's settings, so that two can be compared.
#![allow(missing_docs, clippy::unwrap_used)]

#[path = "../tests/common/mod.rs"]
mod common;

use cassiterite_engine::{Store, Table};
use common::*;
use cpu_time::{ProcessTime, ThreadTime};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

const KEYS: u32 = 300_000;
const ROW_BYTES: usize = 1000;
const ROUNDS: u32 = 3;
const GIB: f64 = (1u64 << 30) as f64;

/// Half noise, half zeros.
fn value(seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut value = vec![0; ROW_BYTES];
    for byte in &mut value[..ROW_BYTES / 2] {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *byte = (state >> 56) as u8;
    }
    value
}

fn quiet(store: &Store) {
    let work = || store.report("work").unwrap();
    let mut seen = String::new();
    while work() != seen {
        seen = work();
        sleep(Duration::from_secs(1));
    }
}

/// CPU microseconds of the process per write, those of making the rows left out.
fn fill(store: &Store, table: &Arc<Table>, keys: u32) -> f64 {
    let start = ProcessTime::now();
    let mut making = Duration::ZERO;
    let mut writes = 0u32;
    let mut state = 7u32;
    for round in 0..ROUNDS {
        for number in 0..keys {
            let begun = ThreadTime::now();
            let key = if round == 0 { number } else { next(&mut state, keys) };
            let fragment = row(i64::from(writes) + 1, 1, &value(u64::from(writes)));
            let request = update(&partition(&format!("key{key}")), &[(ROW, &[0x38], &fragment)]);
            making += begun.elapsed();
            table.write(&request, 0).unwrap();
            writes += 1;
        }
    }
    table.flush().unwrap();
    quiet(store);
    (start.elapsed() - making).as_secs_f64() * 1e6 / f64::from(writes)
}

fn next(state: &mut u32, keys: u32) -> u32 {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    (*state >> 4) % keys
}

/// Fills the block cache.
fn read_all(table: &Arc<Table>) {
    let mut answer = vec![0; 64 << 10];
    for key in 0..KEYS {
        let request = read_request(POINTS, 0, &partition(&format!("key{key}")), &[(vec![0x38], vec![])]);
        assert!(table.read(&request, &mut answer).unwrap() > 500);
    }
}

/// Of this process, so far (`VmHWM`).
fn resident_peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn main() {
    let directory = tempfile::tempdir().unwrap();
    let given: Vec<String> = std::env::args().skip(1).filter(|word| word.contains('=')).collect();
    let settings =
        format!("directory={}\ncompaction_rate_limit=0B/s\n{}\n", directory.path().display(), given.join("\n"));
    let before_kib = resident_peak_kib();
    let store = Store::open(&settings).unwrap();
    let table = table(&store);
    let per_write = fill(&store, &table, KEYS);
    let bytes = table.stats().unwrap()[2] as f64;
    let start = ProcessTime::now();
    table.compact().unwrap();
    quiet(&store);
    let seconds = start.elapsed().as_secs_f64();
    println!("settings: {}", given.join(" "));
    println!("write until quiet: {per_write:.2} us of CPU per write of {ROW_BYTES} bytes");
    println!("compact: {:.2} s of CPU per GiB on disk ({:.0} MiB)", seconds * GIB / bytes, bytes / (1u64 << 20) as f64);
    read_all(&table);
    println!("peak resident: {} MiB more than before the store was opened", (resident_peak_kib() - before_kib) / 1024);
    print!("{}", store.report("work").unwrap());
    store.close().unwrap();
}
