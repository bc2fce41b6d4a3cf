// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The budget of all memtables is for what is written: tables that hold nothing leave it alone.
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

#[test]
fn tables_that_hold_nothing_leave_the_budget_alone() {
    let directory = tempfile::tempdir().unwrap();
    let store = open_small(directory.path(), SMALL);
    let tables = tables(&store, 150);
    let empty = number(&store, "caches", "write_buffers", 1);
    assert!(empty < 5 * MIB, "150 tables take {empty} bytes of 42 MiB before the first write");
    put(&tables[7], "p", 0, 1, b"v"); // the first one writes to the catalog, too
    let flushed = number(&store, "work", "flush", 2);
    (0..300).for_each(|at| put(&tables[7], "p", at, 1, b"v"));
    assert_eq!(number(&store, "work", "flush", 2) - flushed, 0, "of 300 small writes none fills the budget");
    assert_eq!(number(&store, "stalls", "memtables_full", 1), 0, "and none waits for room");
    assert_eq!(tables[7].stats().unwrap()[11], 0);
}
