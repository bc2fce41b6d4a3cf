// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A table of which compaction is behind holds back its own writers, and nobody else's.
#![allow(clippy::unwrap_used)]

use crate::common::*;
use crate::compaction::{L0_SLOWDOWN_FILES, L0_STOP_FILES};
use crate::{Store, Table};
use std::sync::Arc;

/// More than at which the table's writers are held back the most; RocksDB does not count those that are being compacted.
const FILES: u32 = L0_STOP_FILES as u32 + 10;
const OTHER: [u8; 16] = *b"another table...";

fn all_wait(table: &Table) -> bool {
    let figures = ["rocksdb.is-write-stopped", "rocksdb.actual-delayed-write-rate"];
    table.shared(|core| Ok(figures.iter().any(|name| core.family().property(name) != 0))).unwrap()
}

fn is_braked(table: &Table) -> bool {
    table.shared(|core| Ok(core.purge().brake().is_on())).unwrap()
}

/// How many writes were held back because a table is behind, and how many tables are.
fn held_back(store: &Store) -> (u64, u64) {
    (number(store, "stalls", "table_behind", 1), number(store, "stalls", "table_behind", 2))
}

/// The files overlap, else they are moved without a compaction.
fn write_and_flush(table: &Table, number: u32) {
    put(table, "p", number, 1, b"v");
    put(table, "p", 0, i64::from(number), b"v");
    table.flush().unwrap();
}

/// Gathers files of level 0 in a table whose compaction does not come to its end.
fn gather_files(store: &Store, behind: &Arc<Table>, name: impl Fn() -> Arc<Table>) {
    let purge = name().shared(|core| Ok(Arc::clone(core.purge()))).unwrap();
    let held = purge.hold_compactions();
    for number in 0..FILES {
        write_and_flush(&name(), number);
        assert!(!all_wait(behind), "with {number} files");
        assert!(number + 1 >= L0_SLOWDOWN_FILES as u32 || !is_braked(&name()), "with {number} files");
    }
    await_until("the brake", || is_braked(&name()));
    assert_eq!(held_back(store).1, 1);
    drop(held);
}

#[test]
fn a_table_that_is_behind_holds_back_its_own_writers_only() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_with(folder.path(), "background_jobs=8");
    let (behind, other) = (table(&store), store.table(&schema(&OTHER, &[(0, "v", "blob")])).unwrap());
    gather_files(&store, &behind, || Arc::clone(&behind));
    let (before, _) = held_back(&store);
    (0..200).for_each(|at| put(&other, "p", at, 1, &[b'v'; 2000]));
    assert_eq!(held_back(&store).0, before, "the other one's writers are not");
    await_until("compaction", || !is_braked(&behind));
    put(&behind, "p", 0, 2000, b"v");
    assert_eq!(held_back(&store), (before, 0));
    assert_eq!(rows(&behind, "p").len(), FILES as usize);
    store.close().unwrap();
}

/// While its compactions are held.
fn fall_behind(table: &Arc<Table>) {
    (0..FILES).for_each(|number| write_and_flush(table, number));
    await_until("the brake", || is_braked(table));
}

#[test]
fn writers_that_are_held_back_wait_for_each_other_and_write() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_with(folder.path(), "background_jobs=8");
    let behind = table(&store);
    let purge = behind.shared(|core| Ok(Arc::clone(core.purge()))).unwrap();
    let held = purge.hold_compactions();
    fall_behind(&behind);
    (0..8).for_each(|at| put(&behind, "q", at, 1, &vec![b'v'; 100_000]));
    assert!(held_back(&store).0 >= 6, "{:?}", held_back(&store));
    assert_eq!(rows(&behind, "q").len(), 8);
    drop(held);
    store.close().unwrap();
}

#[test]
fn an_index_that_is_behind_holds_back_the_writers_of_its_table() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_with(folder.path(), "background_jobs=8");
    let table = table(&store);
    table.create_index("i").unwrap();
    gather_files(&store, &table, || table.index("i").unwrap());
    store.close().unwrap();
}

#[test]
fn a_table_without_automatic_compaction_holds_nobody_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let table = table(&store);
    table.set_automatic_compaction(false).unwrap();
    for number in 0..L0_STOP_FILES as u32 {
        put(&table, "p", number, 1, b"v");
        table.flush().unwrap();
    }
    assert!(!is_braked(&table) && !all_wait(&table));
    store.close().unwrap();
    let store = open(folder.path());
    assert!(!is_braked(&self::table(&store)), "nor after a restart");
    self::table(&store).set_automatic_compaction(true).unwrap();
    assert!(!is_braked(&self::table(&store)), "nor for what has gathered");
    store.close().unwrap();
}

fn put_at_once(table: &Table, name: &str, at: u32, value: &[u8]) -> bool {
    table.write_at_once(&update(&partition(name), &[(ROW, &clustering(at), &row(1, 1, value))])).unwrap()
}

#[test]
fn a_write_at_once_is_written_or_says_that_it_would_wait() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let table = table(&store);
    assert!(!put_at_once(&table, "p", 1, b"v"), "the first one of a generation waits for the catalog");
    put(&table, "p", 1, 1, b"v");
    assert!(put_at_once(&table, "p", 1, b"v"));
    table
        .shared(|core| {
            let _held = core.store().write_lock.acquire();
            assert!(!put_at_once(&table, "p", 1, b"v"), "another one's write takes long");
            Ok(())
        })
        .unwrap();
    assert_eq!(rows(&table, "p").len(), 1);
    let purge = table.shared(|core| Ok(Arc::clone(core.purge()))).unwrap();
    let held = purge.hold_compactions();
    fall_behind(&table);
    assert!(!(0..20).any(|at| put_at_once(&table, "q", at, &[b'v'; 100_000])));
    assert!(rows(&table, "q").is_empty());
    drop(held);
    store.close().unwrap();
}

#[test]
fn nothing_is_written_at_once_where_each_write_is_synced() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_with(folder.path(), "node.commitlog_sync=batch");
    let table = table(&store);
    put(&table, "q", 1, 1, b"v");
    assert!(!put_at_once(&table, "p", 1, b"v"));
    assert!(rows(&table, "p").is_empty());
    store.close().unwrap();
}
