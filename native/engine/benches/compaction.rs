// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What flush and compaction cost: CPU of the whole process, background threads included, per write of 1 KB until the
//! store is quiet, and per GiB that a full compaction reads; and the memory that the store took meanwhile. `cargo bench
//! -p cassiterite-engine --bench compaction -- name=value ...` takes the store's settings, so that two can be compared.
//! `reads_per_1000_writes=N` mixes reads of random rows in; `rounds=N` writes every row so many times; `index=1` gives
//! each row an entry of an index. The ledger tells what RocksDB has counted: bytes written to the log, by flushes, and by
//! compactions into each level, for each byte of the rows' write requests.
#![allow(missing_docs, clippy::unwrap_used)]

#[path = "../tests/common/mod.rs"]
mod common;

use cassiterite_engine::{Missed, Store, Table};
use common::*;
use cpu_time::{ProcessTime, ThreadTime};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

const KEYS: u32 = 300_000;
const ROW_BYTES: usize = 1000;
const ROUNDS: &str = "rounds=";
const READS: &str = "reads_per_1000_writes=";
const INDEXED: &str = "index=";
const INDEX: &str = "by_v";
/// Of the indexed column.
const VALUES: u32 = 1000;
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

struct Load {
    rounds: u32,
    reads_per_1000: u32,
    index: Option<u32>,
}

/// CPU microseconds: of the process per write, those of making the rows and of reads left out; of the thread per read.
struct Costs {
    write: f64,
    read: f64,
    ingested: f64,
}

fn fill(store: &Store, table: &Arc<Table>, keys: u32, load: &Load) -> Costs {
    let start = ProcessTime::now();
    let mut making = Duration::ZERO;
    let mut reading = Duration::ZERO;
    let (mut writes, mut reads, mut due) = (0u32, 0u32, 0u32);
    let (mut state, mut read_state) = (7u32, 11u32);
    let mut ingested = 0.0;
    let mut answer = vec![0; 64 << 10];
    for round in 0..load.rounds {
        for number in 0..keys {
            let begun = ThreadTime::now();
            let key = if round == 0 { number } else { next(&mut state, keys) };
            let fragment = row(i64::from(writes) + 1, 1, &value(u64::from(writes)));
            let row = update(&partition(&format!("key{key}")), &[(ROW, &[0x38], &fragment)]);
            ingested += row.len() as f64;
            let request = match load.index {
                Some(index) => with_entry(row, index, &format!("value{}", key % VALUES), key),
                None => row,
            };
            making += begun.elapsed();
            table.write(&request, 0).unwrap();
            writes += 1;
            due += load.reads_per_1000;
            while due >= 1000 {
                due -= 1000;
                reads += 1;
                let key = next(&mut read_state, if round == 0 { number + 1 } else { keys });
                let begun = ThreadTime::now();
                read(table, key, &mut answer);
                reading += begun.elapsed();
            }
        }
    }
    table.flush().unwrap();
    if load.index.is_some() {
        table.index(INDEX).unwrap().flush().unwrap();
    }
    quiet(store);
    let per = |time: Duration, count: u32| time.as_secs_f64() * 1e6 / f64::from(count.max(1));
    Costs { write: per(start.elapsed() - making - reading, writes), read: per(reading, reads), ingested }
}

fn next(state: &mut u32, keys: u32) -> u32 {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    (*state >> 4) % keys
}

fn read(table: &Arc<Table>, key: u32, answer: &mut [u8]) {
    let request = read_request(POINTS, 0, &partition(&format!("key{key}")), &[(vec![0x38], vec![])]);
    assert!(table.read(&request, answer).unwrap() > 500);
}

/// Fills the block cache.
fn read_all(table: &Arc<Table>) {
    let mut answer = vec![0; 64 << 10];
    (0..KEYS).for_each(|key| read(table, key, &mut answer));
}

/// What the store has written for each byte ingested, line by line; then all of it.
fn ledger(store: &Store, ingested: f64) -> String {
    let report = store.report("written").unwrap();
    let (mut all, mut compacted) = (0.0, 0.0);
    let mut text = String::from("written per byte ingested, as RocksDB counts:\n");
    for line in report.lines().skip(1) {
        let mut words = line.split('\t').skip(2);
        let [index, work, level, bytes] = [(); 4].map(|()| words.next().unwrap());
        let per_byte = bytes.parse::<f64>().unwrap() / ingested;
        all += per_byte;
        compacted += if work == "compaction" { per_byte } else { 0.0 };
        let of = if index.is_empty() { String::new() } else { format!("index {index}: ") };
        let place = if work == "compaction" { format!(" into level {level}") } else { String::new() };
        text += &format!("  {per_byte:.3} {of}{work}{place}\n");
    }
    text + &format!("  {all:.3} in all, of them {compacted:.3} by compactions\n")
}

/// Of this process: now (`VmRSS`), or the most so far (`VmHWM`).
fn resident_kib(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn main() {
    let directory = tempfile::tempdir().unwrap();
    let all: Vec<String> = std::env::args().skip(1).filter(|word| word.contains('=')).collect();
    let own = |name: &str| all.iter().find_map(|word| word.strip_prefix(name)).map(|number| number.parse().unwrap());
    let given: Vec<_> =
        all.iter().filter(|word| ![READS, ROUNDS, INDEXED].iter().any(|name| word.starts_with(name))).collect();
    let settings = format!(
        "directory={}\ncompaction_rate_limit=0B/s\n{}\n",
        directory.path().display(),
        given.iter().map(|word| word.as_str()).collect::<Vec<_>>().join("\n")
    );
    let before_kib = resident_kib("VmHWM");
    let store = Store::open(&settings).unwrap();
    let table = table(&store);
    let index = (own(INDEXED) == Some(1)).then(|| {
        let number = table.create_index(INDEX).unwrap().number;
        assert!(table.complete_index(number, Missed { writes: 0, bulk_loads: 0 }).unwrap());
        number
    });
    let load = Load { rounds: own(ROUNDS).unwrap_or(3), reads_per_1000: own(READS).unwrap_or_default(), index };
    let costs = fill(&store, &table, KEYS, &load);
    let more_mib = |name| (resident_kib(name) - before_kib) / 1024;
    let (resident, until_quiet) = ([more_mib("VmRSS"), more_mib("VmHWM")], ledger(&store, costs.ingested));
    let bytes = table.stats().unwrap()[2] as f64;
    let start = ProcessTime::now();
    table.compact().unwrap();
    quiet(&store);
    let seconds = start.elapsed().as_secs_f64();
    println!("settings: {}", all.join(" "));
    println!("write until quiet: {:.2} us of CPU per write of {ROW_BYTES} bytes", costs.write);
    println!("read meanwhile: {:.2} us of CPU", costs.read);
    print!("{until_quiet}");
    println!("resident when quiet: {} MiB, peak {} MiB", resident[0], resident[1]);
    println!(
        "compact: {seconds:.2} s of CPU, {:.2} per GiB on disk ({:.0} MiB)",
        seconds * GIB / bytes,
        bytes / (1u64 << 20) as f64
    );
    read_all(&table);
    println!("peak resident: {} MiB more than before the store was opened", more_mib("VmHWM"));
    print!("with that compaction, {}", ledger(&store, costs.ingested));
    print!("{}", store.report("work").unwrap());
    store.close().unwrap();
}
