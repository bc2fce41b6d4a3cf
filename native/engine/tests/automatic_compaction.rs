// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Automatic compaction of a table can be switched off and on: it then stays off, nobody's writes wait, and what has
//! gathered goes once it is on again.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::expect_used)]

mod common;

use cassiterite_engine::{Store, Table};
use common::*;

/// More than at which RocksDB stops writers.
const FILES: u64 = 45;
const FEW_FILES: u64 = 12;

fn flush_often(table: &Table, from: u64, count: u64) {
    for number in from..from + count {
        put(table, "p", u32::try_from(number).unwrap(), 1, &half_noise(number, 200));
        table.flush().unwrap();
    }
}

/// Of the table.
fn figure(store: &Store, name: &str) -> String {
    figure_of(store, name, "t")
}

/// Of the table or one of its indexes.
fn figure_of(store: &Store, name: &str, whose: &str) -> String {
    let report = store.report("tables").unwrap();
    let mut lines = report.lines();
    let at = lines.next().unwrap().split('\t').position(|column| column == name).unwrap();
    let line = lines.find(|line| line.split('\t').any(|value| value == whose)).unwrap();
    line.split('\t').nth(at).unwrap().to_owned()
}

fn stalls(store: &Store) -> String {
    let report = store.report("stalls").unwrap();
    report.lines().filter(|line| line.starts_with("writes_") && !line.ends_with("\t0\t0")).collect()
}

fn await_few_files(table: &Table) {
    await_until("compaction does not catch up", || table.set_automatic_compaction(true).unwrap() < FEW_FILES);
}

#[test]
fn files_gather_while_it_is_off_and_go_once_it_is_on() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let table = table(&store);
    assert_eq!(table.set_automatic_compaction(false).unwrap(), 0);
    flush_often(&table, 0, FILES);
    assert_eq!(table.set_automatic_compaction(false).unwrap(), FILES);
    assert_eq!(figure(&store, "level0_files"), FILES.to_string());
    assert_eq!(figure(&store, "automatic_compaction"), "0");
    assert_eq!(stalls(&store), "");

    await_few_files(&table);
    assert_eq!(stalls(&store), "", "the backlog holds nobody back");
    assert_eq!(figure(&store, "automatic_compaction"), "1");
    assert_eq!(rows(&table, "p").len() as u64, FILES);
    store.close().unwrap();
}

#[test]
fn it_is_still_off_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    table(&store).set_automatic_compaction(false).unwrap();
    flush_often(&table(&store), 0, FILES);
    store.close().unwrap();

    for _ in 0..2 {
        let store = open(folder.path());
        let table = table(&store);
        flush_often(&table, FILES, 1); // what began to compact at the start would be done, or be in the way
        assert!(figure(&store, "level0_files").parse::<u64>().unwrap() > FILES);
        assert_eq!(figure(&store, "automatic_compaction"), "0");
        assert!(store.report("work").unwrap().contains("compaction\t0\t0\t0\t0"), "nothing was compacted");
        store.close().unwrap();
    }

    let store = open(folder.path());
    await_few_files(&table(&store));
    assert_eq!(stalls(&store), "");
    store.close().unwrap();
}

#[test]
fn indexes_follow_their_table() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let table = table(&store);
    table.create_index("before").unwrap();
    table.set_automatic_compaction(false).unwrap();
    table.create_index("after").unwrap();
    for name in ["before", "after"] {
        let index = table.index(name).unwrap();
        flush_often(&index, 0, FILES);
        assert_eq!(figure_of(&store, "level0_files", name), FILES.to_string(), "{name}");
    }
    table.set_automatic_compaction(true).unwrap();
    let is_behind = |name| figure_of(&store, "level0_files", name).parse::<u64>().unwrap() >= FEW_FILES;
    await_until("compaction of an index does not catch up", || !["before", "after"].into_iter().any(is_behind));
    store.close().unwrap();
}

#[test]
fn a_new_generation_goes_on_as_the_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let old = table(&store);
    old.set_automatic_compaction(false).unwrap();
    let new = old.truncate().unwrap();
    flush_often(&new, 0, FILES);
    assert_eq!(figure(&store, "level0_files"), FILES.to_string());
    new.compact().unwrap();
    assert_eq!(figure(&store, "level0_files"), "0", "on demand it is compacted");
    store.close().unwrap();
}
