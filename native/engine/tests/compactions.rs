// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The compactions that run or have ended are told, and can be stopped.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::expect_used)]

mod common;

use cassiterite_engine::{Kind, Store, Table};
use common::*;
use std::collections::HashMap;
use std::sync::Arc;

const ROWS: u32 = 20_000; // RocksDB looks once in 1,000 whether it is to stop
const ROW_BYTES: usize = 1000;
const DATA_BYTES: u64 = ROWS as u64 * ROW_BYTES as u64;

fn compactions(store: &Store) -> Vec<HashMap<String, String>> {
    let report = store.report("compactions").unwrap();
    let mut lines = report.lines().map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>());
    let names = lines.next().unwrap();
    lines.map(|values| names.iter().cloned().zip(values).collect()).collect()
}

fn figure(compaction: &HashMap<String, String>, name: &str) -> u64 {
    compaction[name].parse().unwrap()
}

fn write(table: &Table, from: u64) {
    (0..ROWS).for_each(|at| put(table, "p", at, 1, &half_noise(from + u64::from(at), ROW_BYTES)));
    table.flush().unwrap();
}

fn all_there(table: &Arc<Table>) -> bool {
    rows(table, "p").len() == ROWS as usize
}

#[test]
fn a_compaction_is_told_while_it_runs_and_when_it_has_ended() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    write(&table, 0);
    assert!(compactions(&store).is_empty());
    store.set("compaction_rate_limit=4MiB/s").unwrap();
    std::thread::scope(|scope| {
        let compacting = scope.spawn(|| table.compact());
        let is_half_way = || {
            let running = compactions(&store);
            running.iter().any(|one| figure(one, "done_bytes") > 0 && figure(one, "ended_ms") == 0)
        };
        await_until("a running compaction is told", is_half_way);
        let running = &compactions(&store)[0];
        assert_eq!((running["keyspace_name"].as_str(), running["table_name"].as_str()), ("ks", "t"));
        assert!((DATA_BYTES..DATA_BYTES * 11 / 10).contains(&figure(running, "total_bytes")), "{running:?}");
        assert!(figure(running, "done_bytes") <= figure(running, "total_bytes"), "{running:?}");
        store.set("compaction_rate_limit=0B/s").unwrap();
        compacting.join().unwrap().unwrap();
    });
    let ended = &compactions(&store)[0];
    assert_eq!((ended["compaction_id"].as_str(), ended["table_name"].as_str()), ("1", "t"));
    assert!(figure(ended, "ended_ms") >= figure(ended, "began_us") / 1000, "{ended:?}");
    assert!((DATA_BYTES / 3..DATA_BYTES * 11 / 10).contains(&figure(ended, "input_bytes")), "{ended:?}");
    assert!((DATA_BYTES / 3..DATA_BYTES * 11 / 10).contains(&figure(ended, "output_bytes")), "{ended:?}");
    assert_eq!(figure(ended, "done_bytes"), figure(ended, "total_bytes"));
}

#[test]
fn a_compaction_on_demand_that_is_stopped_fails_and_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    write(&table, 0);
    store.set("compaction_rate_limit=1MiB/s").unwrap();
    std::thread::scope(|scope| {
        let compacting = scope.spawn(|| table.compact());
        await_until("it runs", || compactions(&store).iter().any(|one| figure(one, "done_bytes") > 0));
        store.stop_compactions().unwrap();
        assert!(compactions(&store).is_empty());
        let error = compacting.join().unwrap().unwrap_err();
        assert_eq!(error.kind(), Kind::Busy, "{error}");
    });
    store.set("compaction_rate_limit=0B/s").unwrap();
    assert_eq!(store.background_error().unwrap(), None);
    assert_eq!(number(&store, "stalls", "compaction_failed", 1), 0, "what was stopped has not failed");
    assert!(all_there(&table), "the table is open as before");
    table.compact().unwrap();
    assert!(all_there(&table));
}

#[test]
fn an_automatic_compaction_that_is_stopped_begins_anew() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    table.set_automatic_compaction(false).unwrap();
    (0..6).for_each(|round| write(&table, round * 1000));
    store.set("compaction_rate_limit=1MiB/s").unwrap();
    table.set_automatic_compaction(true).unwrap();
    await_until("it runs", || compactions(&store).iter().any(|one| figure(one, "done_bytes") > 0));
    let first = compactions(&store)[0]["compaction_id"].clone();
    store.stop_compactions().unwrap();
    let left = compactions(&store);
    assert!(left.iter().all(|one| one["compaction_id"] != first), "{first}: {left:?}");
    store.set("compaction_rate_limit=0B/s").unwrap();
    await_until("it has been done", || compactions(&store).iter().any(|one| figure(one, "ended_ms") > 0));
    assert!(all_there(&table));
}

#[test]
fn stopping_nothing_does_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    store.stop_compactions().unwrap();
    write(&table, 0);
    table.compact().unwrap();
    store.stop_compactions().unwrap();
    assert!(all_there(&table));
    assert!(!compactions(&store).is_empty());
}
