// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The budget of all memtables is for what is written: empty tables do not use it, and replaying the log under a
//! small one makes no more files than there are tables.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod common;

use cassiterite_engine::{Store, Table};
use common::*;
use std::path::Path;
use std::sync::Arc;

/// What a machine with 1 GiB of memory gives its memtables.
const SMALL: &str = "block_cache_size=128MiB\nwrite_buffers_total=42MiB";
const MIB: u64 = 1 << 20;

fn open_small(directory: &Path, settings: &str) -> Arc<Store> {
    Store::open(&format!("directory={}\n{settings}", directory.display())).unwrap()
}

fn tables(store: &Store, count: u8) -> Vec<Arc<Table>> {
    let id = |number: u8| [TABLE.as_slice()[..15].to_vec(), vec![number]].concat();
    (0..count).map(|number| store.table(&schema(&id(number), &[(0, "v", "blob")])).unwrap()).collect()
}

/// What a crash would leave, of a store that neither flushes nor compacts meanwhile.
fn image(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap().path();
        let target = to.join(entry.file_name().unwrap());
        if entry.is_dir() {
            image(&entry, &target);
        } else {
            std::fs::copy(&entry, target).unwrap();
        }
    }
}

#[test]
fn empty_tables_do_not_use_the_budget() {
    let directory = tempfile::tempdir().unwrap();
    let store = open_small(directory.path(), SMALL);
    let tables = tables(&store, 150);
    let empty = number(&store, "caches", "write_buffers", 1);
    assert!(empty < 5 * MIB, "150 tables take {empty} bytes of 42 MiB before the first write");
    put(&tables[7], "p", 0, 1, b"v"); // the first one writes to the catalog, too
    let flushed = number(&store, "work", "flush", 2);
    (0..300).for_each(|at| put(&tables[7], "p", at, 1, b"v"));
    assert_eq!(number(&store, "work", "flush", 2) - flushed, 0, "of 300 small writes none fills the budget");
    assert_eq!(number(&store, "stalls", "memtables_full", 1), 0, "and none waits for flushes");
    assert_eq!(tables[7].stats().unwrap()[11], 0);
}

#[test]
fn replay_makes_one_file_per_table_however_small_the_budget_is() {
    let directory = tempfile::tempdir().unwrap();
    let (path, copy) = (directory.path().join("store"), directory.path().join("image"));
    let store = open_small(&path, SMALL);
    let table = &tables(&store, 1)[0];
    // Three times the budget of the second store, fewer files than set off a compaction.
    (0..800).for_each(|at| put(table, "p", at, 1, &half_noise(u64::from(at), 4 << 10)));
    store.sync().unwrap();
    image(&path, &copy);
    let copied = open_small(&copy, "block_cache_size=16MiB\nwrite_buffers_total=1MiB");
    let table = &tables(&copied, 1)[0];
    assert_eq!(table.stats().unwrap()[11], 1);
    assert_eq!(rows(table, "p").len(), 800);
}
