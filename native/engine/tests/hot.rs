// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A row that is updated all the time: each update is a fragment of its own until a flush merges them, and reads merge
//! all that there are.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod common;

use cassiterite_engine::{Store, Table};
use common::*;
use std::sync::Arc;
use std::time::{Duration, Instant};

const ROUNDS: u32 = 20;
const UPDATES: u32 = 1000;
const PAUSE: Duration = Duration::from_millis(300);
/// How often at most a table is flushed for one row.
const EACH: Duration = Duration::from_millis(1100);

fn flushes(store: &Store) -> u64 {
    number(store, "work", "flush", 2)
}

fn memtable_bytes(table: &Table) -> i64 {
    table.stats().unwrap()[3]
}

fn update_often(table: &Table, count: u32) {
    (0..count).for_each(|update| put(table, "hot", 1, i64::from(update), b"value"));
}

fn read_point(table: &Arc<Table>) {
    let request = read_request(POINTS, 1 << 16, &partition("hot"), &[point(1)]);
    assert!(matches!(read_all(table, &request, 1 << 16).first(), Some(Entry::Row(_))));
}

fn read_by_scan(table: &Arc<Table>) {
    let request = scan_request(0, 1 << 16, b"", b"", &everything());
    assert!(scan_all(table, &request, 1 << 16).iter().any(|entry| matches!(entry, Entry::Row(_))));
}

/// Until the flush that a read has begun is over.
fn await_empty(table: &Table) {
    await_until("nothing is flushed", || memtable_bytes(table) <= 64 << 10);
}

#[test]
fn reads_meet_a_bounded_number_of_fragments_of_a_hot_row() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    put(&table, "hot", 1, 1, b"v"); // the first one writes to the catalog, too
    let (begun, before) = (Instant::now(), flushes(&store));
    let mut met = Vec::new();
    for _ in 0..ROUNDS {
        update_often(&table, UPDATES);
        met.push(memtable_bytes(&table));
        read_point(&table);
        std::thread::sleep(PAUSE);
    }
    // One that has begun may take its time.
    await_until("fewer than two flushes", || flushes(&store) - before >= 2);
    let (flushed, seconds) = (flushes(&store) - before, begun.elapsed().as_secs());
    assert!(flushed <= seconds + 1, "{flushed} flushes in {seconds} s");
    let (round, most) = (met[1] - met[0], met.iter().max().unwrap());
    assert!(*most < met[0] + round * i64::from(ROUNDS) * 3 / 4, "reads have met {met:?} bytes");
}

#[test]
fn scans_have_a_hot_row_flushed_too() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    update_often(&table, 3 * UPDATES);
    read_by_scan(&table);
    await_empty(&table);
}

#[test]
fn a_flush_for_a_hot_row_is_not_followed_by_others() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    update_often(&table, 3 * UPDATES);
    let before = flushes(&store);
    read_point(&table);
    await_empty(&table);
    for _ in 0..3 {
        std::thread::sleep(EACH);
        update_often(&table, 10);
        read_point(&table);
    }
    assert_eq!(flushes(&store) - before, 1);
}

#[test]
fn rows_that_are_not_hot_cause_no_flush() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    put(&table, "hot", 1, 1, b"v");
    let before = flushes(&store);
    for round in 0..ROUNDS {
        (0..UPDATES).for_each(|row| put(&table, "other", round * UPDATES + row, 1, b"value"));
        read_point(&table);
        assert_eq!(rows(&table, "other").len() as u32, (round + 1) * UPDATES);
    }
    assert_eq!(flushes(&store) - before, 0);
}

/// Whoever begins a flush waits for the writers.
#[test]
fn a_read_that_must_not_wait_leaves_a_hot_row_to_others() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    update_often(&table, 3 * UPDATES);
    let before = flushes(&store);
    let request = read_request(POINTS, 1 << 16, &partition("hot"), &[point(1)]);
    let mut buffer = vec![0; 1 << 17];
    let mut in_memory = || table.read_in_memory(&request, &mut buffer).unwrap().is_some();
    await_until("a view", &mut in_memory); // this one meets the row
    let bytes = memtable_bytes(&table);
    assert!((0..100).all(|_| !in_memory()), "it begins the flush itself");
    assert_eq!((flushes(&store), memtable_bytes(&table)), (before, bytes));
    read_point(&table);
    await_empty(&table);
    assert_eq!(flushes(&store) - before, 1);
    await_until("an answer", in_memory);
}
