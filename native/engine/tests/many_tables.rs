// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What thousands of tables cost: the work of one more, of a start, and the memory of those that hold little.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;

use cassiterite_engine::{Store, Table};
use common::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const MIB: u64 = 1 << 20;
/// What a node has by default, from 8 GiB of memory on, and the least that one has.
const DEFAULT: &str = "block_cache_size=1GiB";
const SMALLEST: &str = "block_cache_size=128MiB";

fn open_by(directory: &Path, settings: &str) -> Arc<Store> {
    Store::open(&format!("directory={}\n{settings}", directory.display())).unwrap()
}

fn id(number: u32) -> Vec<u8> {
    [&TABLE[..12], &number.to_be_bytes()].concat()
}

fn table_of(store: &Store, number: u32) -> Arc<Table> {
    store.table(&schema(&id(number), &[(0, "v", "blob")])).unwrap()
}

/// Tables with an index each.
fn indexed_tables(store: &Store, count: u32) -> Vec<Arc<Table>> {
    let make = |number| {
        let table = table_of(store, number);
        table.create_index("i").unwrap();
        table
    };
    (0..count).map(make).collect()
}

/// The files with the options of all column families.
fn options_files(directory: &Path) -> BTreeSet<String> {
    let names = std::fs::read_dir(directory.join("db")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("OPTIONS-")).collect()
}

#[test]
fn no_file_of_all_options_is_written_for_one_table() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let before = options_files(directory.path());
    let tables = indexed_tables(&store, 4);
    for table in &tables {
        table.set_purge(100_000, i64::MAX, 0).unwrap();
        table.set_automatic_compaction(false).unwrap();
        put(table, "p", 1, 1, b"v");
        let emptied = table.truncate().unwrap();
        table.retire().unwrap();
        emptied.set_automatic_compaction(true).unwrap();
        emptied.set_purge(864_000, i64::MAX, 0).unwrap();
    }
    store.drop_table(&id(0)).unwrap();
    assert_eq!(options_files(directory.path()), before);
    drop(tables);
    store.close().unwrap();
    let store = open(directory.path());
    let started = options_files(directory.path());
    (1..4).for_each(|number| table_of(&store, number).set_purge(864_000, i64::MAX, 0).unwrap());
    assert_eq!(options_files(directory.path()), started);
    assert_eq!(started.difference(&before).count(), 1, "each start writes one");
    store.close().unwrap();
}

/// How often options of a column family were changed since the store was opened.
fn changes(directory: &Path) -> usize {
    let log = std::fs::read(directory.join("db/LOG")).unwrap();
    String::from_utf8_lossy(&log).matches("] SetOptions() on ").count()
}

#[test]
fn a_start_changes_the_options_of_no_table() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let gc_graces = [864_000, 100_000, 0, 5_000_000];
    let purge = |store: &Store| {
        for (number, gc_grace_s) in (0..).zip(gc_graces) {
            table_of(store, number).set_purge(gc_grace_s, i64::MAX, 0).unwrap();
        }
    };
    purge(&store);
    store.close().unwrap();
    for _ in 0..2 {
        let store = open(directory.path());
        purge(&store);
        assert_eq!(changes(directory.path()), 0);
        store.close().unwrap();
    }
    let store = open(directory.path());
    table_of(&store, 1).set_purge(864_000, i64::MAX, 0).unwrap();
    assert_eq!(changes(directory.path()), 1);
    store.close().unwrap();
}

/// That tables without rows leave the budget to those with some, and tables with a row each do.
fn check_memory(settings: &str, count: u32, budget: u64) {
    let directory = tempfile::tempdir().unwrap();
    let used = |store: &Store| number(store, "caches", "write_buffers", 1);
    let flushes = |store: &Store| number(store, "work", "flush", 2);
    let store = open_by(directory.path(), settings);
    let tables = indexed_tables(&store, count);
    let empty = used(&store);
    println!("{count} tables: {empty} bytes");
    assert!(empty < budget / 6, "{count} empty tables take {empty} bytes of {budget}");
    put(&tables[0], "p", 0, 1, b"v"); // the first one writes to the catalog, too
    let before = flushes(&store);
    (0..200).for_each(|at| put(&tables[0], "p", at, 1, b"v"));
    assert_eq!(flushes(&store), before, "of small writes none fills the budget");
    assert_eq!(number(&store, "stalls", "memtables_full", 1), 0, "and none waits for flushes");
    drop(tables);
    store.close().unwrap();

    let store = open_by(directory.path(), settings);
    let reopened = used(&store);
    println!("{count} tables, opened again: {reopened} bytes");
    assert!(reopened < budget / 12, "{count} empty tables take {reopened} bytes of {budget}");
    store.close().unwrap();
}

#[test]
fn hundreds_of_tables_leave_the_smallest_budget_to_their_rows() {
    check_memory(SMALLEST, 300, 42 * MIB);
}

#[test]
#[ignore = "takes minutes"]
fn thousands_of_tables_leave_the_budget_to_their_rows() {
    check_memory(DEFAULT, 2000, 341 * MIB);
    check_memory(SMALLEST, 2000, 42 * MIB);
}

/// The processor time of this process, ms.
fn cpu_ms() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields = stat.rsplit_once(')').unwrap().1.split_whitespace();
    fields.skip(11).take(2).map(|ticks| ticks.parse::<u64>().unwrap() * 10).sum()
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, String) {
    let (begun, cpu) = (Instant::now(), cpu_ms());
    let done = work();
    (done, format!("{} ms ({} ms of CPU)", begun.elapsed().as_millis(), cpu_ms() - cpu))
}

/// What 20 more tables cost, with an index each, and a start: to be read, not checked. `TABLES` says with how many.
#[test]
#[ignore = "a measurement"]
fn the_time_of_one_table_more() {
    const MORE: u32 = 20;
    let directory = tempfile::tempdir().unwrap();
    let counts = std::env::var("TABLES").unwrap_or("40,240,1000,2000".into());
    let mut made = 0;
    for count in counts.split(',').map(|count| count.parse::<u32>().unwrap()) {
        let store = open_by(directory.path(), DEFAULT);
        let mut make = |until: u32| {
            (made..until).for_each(|number| {
                let table = table_of(&store, number);
                table.set_purge(864_000, i64::MAX, 0).unwrap();
                table.create_index("i").unwrap();
            });
            made = until;
        };
        make(count - MORE);
        let ((), more) = timed(|| make(count));
        store.close().unwrap();
        let (store, opened) = timed(|| open_by(directory.path(), DEFAULT));
        let ((), known) =
            timed(|| (0..count).for_each(|at| table_of(&store, at).set_purge(864_000, i64::MAX, 0).unwrap()));
        store.close().unwrap();
        println!("{count} tables: the last {MORE} {more}; opened {opened}, made known {known}");
    }
}
