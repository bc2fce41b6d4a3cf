// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! One partition of many millions of rows (docs/limits.md): what reads, a compaction and a scan of it cost.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

mod common;

use cassiterite_engine::{cursor_close, cursor_next, Store, Table};
use common::*;
use std::sync::Arc;
use std::time::Instant;

const ROWS_PER_WRITE: u32 = 100;
const READS: u32 = 1000;

fn fill(table: &Table, rows: u32) {
    for first in (0..rows).step_by(ROWS_PER_WRITE as usize) {
        let of = |at: u32| (clustering(at), row(1, 1, &half_noise(u64::from(at), 100)));
        let made: Vec<_> = (first..first + ROWS_PER_WRITE).map(of).collect();
        let entries: Vec<_> = made.iter().map(|(key, fragment)| (ROW, key.as_slice(), fragment.as_slice())).collect();
        table.write(&update(&partition("p"), &entries), 0).unwrap();
    }
}

/// The microseconds of the middle one of many slices of ten rows, which are checked.
fn slice_us(table: &Arc<Table>, rows: u32) -> u128 {
    let mut buffer = vec![0; 1 << 16];
    let mut slice = |at: u32| {
        let slices = [(bound(at, 0x20), bound(at + 9, 0x60))];
        let request = read_request_of_rows(0, 1 << 15, 10, &partition("p"), &slices);
        let begun = Instant::now();
        let filled = table.read(&request, &mut buffer).unwrap();
        let took = begun.elapsed().as_micros();
        let (cursor, found) = parse(&buffer[..filled as usize]);
        cursor_close(cursor).unwrap();
        let rows: Vec<_> = found.into_iter().filter(|entry| matches!(entry, Entry::Row(_))).collect();
        assert_eq!(rows.len(), 10);
        took
    };
    let mut times: Vec<_> = (0..READS).map(|read| slice(read * ((rows - 10) / READS))).collect();
    times.sort_unstable();
    times[times.len() / 2]
}

/// `ROWS` says how many.
#[test]
#[ignore = "a measurement"]
fn a_partition_of_many_rows() {
    let rows: u32 = std::env::var("ROWS").map_or(20_000_000, |rows| rows.parse().unwrap());
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(&format!("directory={}\nblock_cache_size=512MiB", directory.path().display())).unwrap();
    let table = table(&store);
    let timed = |what: &str, work: &dyn Fn()| {
        let begun = Instant::now();
        work();
        println!("{what}: {} s", begun.elapsed().as_secs());
    };
    timed("writes", &|| fill(&table, rows));
    println!("slice of 10 rows: {} us", slice_us(&table, rows));
    timed("flush, compaction", &|| table.compact().unwrap());
    println!("slice of 10 rows, compacted: {} us", slice_us(&table, rows));
    let request = read_request(0, 1 << 20, &partition("p"), &everything());
    timed("the whole partition, by chunks of 1 MiB", &|| {
        let mut count = 0;
        let mut buffer = vec![0; 1 << 20];
        let mut filled = table.read(&request, &mut buffer).unwrap();
        loop {
            let (cursor, found) = parse(&buffer[..filled as usize]);
            count += found.iter().filter(|entry| matches!(entry, Entry::Row(_))).count();
            if cursor == 0 {
                break;
            }
            filled = cursor_next(cursor, 0, &mut buffer).unwrap();
        }
        assert_eq!(count, rows as usize);
    });
    let bytes: u64 = std::fs::read_dir(directory.path().join("db"))
        .unwrap()
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum();
    println!("{rows} rows, {} MiB of files", bytes >> 20);
    store.close().unwrap();
}
