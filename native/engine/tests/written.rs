// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What the store tells of the bytes that it has written: to its log, by flushes, and by compactions into each level.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use cassiterite_engine::{Missed, Store};
use common::*;

const INDEX: &str = "by_v";

/// Of the report: the last column of the lines that begin so.
fn sum(store: &Store, topic: &str, names: &str) -> u64 {
    let report = store.report(topic).unwrap();
    let bytes = |line: &str| line.rsplit('\t').next().unwrap().parse::<u64>().unwrap();
    report.lines().filter(|line| line.starts_with(names)).map(bytes).sum()
}

fn write(table: &cassiterite_engine::Table, number: u32, noise: u64) -> usize {
    let value: Vec<u8> =
        (0..1000).map(|at| (noise.wrapping_mul(at + 1).wrapping_mul(0x9e37_79b9) >> 13) as u8).collect();
    let fragment = row(i64::try_from(noise).unwrap(), 1, &value);
    let request = update(&partition(&format!("p{number}")), &[(ROW, &clustering(1), &fragment)]);
    table.write(&request, 0).unwrap();
    request.len()
}

#[test]
fn every_byte_of_a_file_is_counted_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let table = table(&store);
    let ingested: usize = (0..500).map(|number| write(&table, number, u64::from(number) + 1)).sum();
    let log = sum(&store, "written", "\t\t\tlog\t0\t");
    assert!(log > ingested as u64 / 2, "{log} of {ingested} bytes are in the log");
    assert_eq!(sum(&store, "written", "ks\tt\t\t"), 0);
    table.flush().unwrap();
    let flushed = sum(&store, "levels", "ks\tt\t\t");
    assert!(flushed > 0);
    assert_eq!(sum(&store, "written", "ks\tt\t\tflush\t0\t"), flushed);
    for number in 0..500 {
        write(&table, number, u64::from(number) + 1000);
    }
    table.flush().unwrap();
    let flushed = sum(&store, "written", "ks\tt\t\tflush\t0\t");
    table.compact().unwrap();
    let now = store.report("levels").unwrap();
    let level = now.lines().last().unwrap().split('\t').nth(3).unwrap().to_owned();
    assert_ne!(level, "0", "{now}");
    assert_eq!(sum(&store, "written", &format!("ks\tt\t\tcompaction\t{level}\t")), sum(&store, "levels", "ks\tt\t\t"));
    assert_eq!(sum(&store, "written", "ks\tt\t\tflush\t0\t"), flushed);
    store.close().unwrap();
}

#[test]
fn what_an_index_costs_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let table = table(&store);
    let number = table.create_index(INDEX).unwrap().number;
    assert!(table.complete_index(number, Missed { writes: 0, bulk_loads: 0 }).unwrap());
    table
        .write(&with_entry(update(&partition("a"), &[(ROW, &clustering(1), &row(1, 1, b"v"))]), number, "red", 1), 0)
        .unwrap();
    table.flush().unwrap();
    let index = table.index(INDEX).unwrap();
    index.flush().unwrap();
    let of_table = sum(&store, "written", "ks\tt\t\tflush\t");
    let of_index = sum(&store, "written", &format!("ks\tt\t{INDEX}\tflush\t"));
    assert!(of_table > 0 && of_index > 0, "{}", store.report("written").unwrap());
    assert_eq!(of_index, sum(&store, "levels", &format!("ks\tt\t{INDEX}\t")));
    store.close().unwrap();
}
