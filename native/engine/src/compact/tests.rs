// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Files grow with their table, and those of large tables have their indexes and filters in parts.
#![allow(clippy::unwrap_used)]

use crate::common::{half_noise, open_with, put, rows, table};
use crate::raw::placed_files;
use crate::table::{Table, TableCore};
use std::sync::Arc;

const SMALL_FILES: &str = "target_file_size=64KiB\nwrite_buffer_size=256KiB\ncompression=none";
const PARTITIONS: u32 = 2_000;
const VALUE_BYTES: usize = 2_000;

fn fill(table: &Arc<Table>, timestamp: i64) {
    for number in 0..PARTITIONS {
        put(table, &format!("p{number}"), 1, timestamp, &half_noise(u64::from(number), VALUE_BYTES));
    }
    table.compact().unwrap();
}

/// How many files the table has, and what RocksDB tells of all that lie at the bottom.
fn bottom(table: &Arc<Table>) -> (usize, String) {
    let told = |core: &TableCore| {
        let (db, family) = (&core.store().db, core.family());
        let told = db.property_value_cf(family, "rocksdb.aggregated-table-properties-at-level6").unwrap().unwrap();
        Ok((placed_files(db, family).len(), told))
    };
    table.shared(told).unwrap()
}

#[test]
fn a_large_table_has_larger_files_with_their_indexes_in_parts() {
    let directory = tempfile::tempdir().unwrap();
    let store = open_with(directory.path(), SMALL_FILES);
    let table = table(&store);
    fill(&table, 1);
    let (small_files, told) = bottom(&table);
    assert!(!told.contains("index partitions"), "{told}");

    // Now it has as many levels as one of 500 GiB has by default.
    let base = [("max_bytes_for_level_base", "65536"), ("max_bytes_for_level_multiplier", "4")];
    let relevel = |core: &TableCore| {
        core.store().db.set_options_cf(core.family(), &base).unwrap();
        Ok(())
    };
    table.shared(relevel).unwrap();
    fill(&table, 2);
    fill(&table, 3);
    let (files, told) = bottom(&table);
    assert!(told.contains("index partitions"), "{told}");
    assert!(files * 2 <= small_files, "{files} files of {small_files}");

    let found = |number: u32| rows(&table, &format!("p{number}"));
    assert!((0..PARTITIONS).all(|number| found(number).len() == 1) && rows(&table, "absent").is_empty());
    store.close().unwrap();

    // Whoever writes whole ones reads both.
    let store = open_with(directory.path(), "");
    let table = crate::common::table(&store);
    assert!((0..PARTITIONS).all(|number| rows(&table, &format!("p{number}")).len() == 1));
    store.close().unwrap();
}
