// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! While hardly anybody reads a table, its flushes put nothing into the cache and its level 0 grows; both end with reads,
//! and an export has level 0 compacted first.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::expect_used)]

mod common;

use cassiterite_engine::{Store, Table};
use common::shipments::*;
use common::*;
use std::path::Path;
use std::sync::Arc;

const ROWS: u32 = 64;
const ROUNDS: u32 = 32;
const ROW_BYTES: usize = 1000;
const USUAL_FILES: u64 = 4;
const FILES: u64 = 8;
/// More than what counts as hardly any.
const READS: u32 = 40;

/// A file of rows in as many partitions.
fn flush_rows(table: &Table, round: u32) {
    write_rows(table, round);
    table.flush().unwrap();
}

fn write_rows(table: &Table, round: u32) {
    (0..ROWS).for_each(|at| {
        let value = half_noise(u64::from(round * ROWS + at) + 1, ROW_BYTES);
        put(table, &format!("p{at}"), round, 1, &value);
    });
}

fn read(table: &Arc<Table>, times: u32) {
    (0..times).for_each(|_| drop(read_all(table, &read_request(0, 0, &partition("absent"), &[]), 100)));
}

fn level0_files(table: &Table) -> u64 {
    table.set_automatic_compaction(true).unwrap()
}

fn await_files(table: &Table, files: u64) {
    await_until("level 0 is not compacted", || level0_files(table) == files);
}

/// That have ended, and been counted.
fn compactions(store: &Store) -> u64 {
    await_until("a compaction goes on", || number(store, "work", "compaction", 1) == 0);
    number(store, "work", "compaction", 2)
}

#[test]
fn level_0_grows_while_nobody_reads_and_is_compacted_as_usual_when_reads_come() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let table = table(&store);
    (0..FILES as u32 - 1).for_each(|round| flush_rows(&table, round));
    assert_eq!((level0_files(&table), compactions(&store)), (FILES - 1, 0));
    flush_rows(&table, 100);
    await_files(&table, 0);

    (200..200 + USUAL_FILES as u32).for_each(|round| flush_rows(&table, round));
    assert_eq!(level0_files(&table), USUAL_FILES);
    assert_eq!(rows(&table, "p1").len() as u64, FILES + USUAL_FILES);
    read(&table, READS);
    await_files(&table, 0);

    // Reads among the writes of each memtable.
    let so_far = compactions(&store);
    for round in 300..300 + USUAL_FILES as u32 {
        read(&table, READS);
        flush_rows(&table, round);
    }
    await_files(&table, 0);
    assert_eq!(compactions(&store), so_far + 1);

    // And none again, from the memtable on that had none.
    (400..401 + USUAL_FILES as u32).for_each(|round| flush_rows(&table, round));
    assert_eq!((level0_files(&table), compactions(&store)), (USUAL_FILES + 1, so_far + 1));
    store.close().unwrap();
}

#[test]
fn reopened_a_table_counts_as_read_until_a_memtable_has_no_reads() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    (0..USUAL_FILES as u32 + 2).for_each(|round| flush_rows(&table(&store), round));
    assert_eq!(level0_files(&table(&store)), USUAL_FILES + 2);
    store.close().unwrap();

    let store = open_with(folder.path(), "level0_files_unread=9");
    let table = table(&store);
    await_files(&table, 0);
    (10..FILES as u32 + 10).for_each(|round| flush_rows(&table, round));
    assert_eq!(level0_files(&table), FILES);
    flush_rows(&table, 30);
    await_files(&table, 0);
    assert_eq!(rows(&table, "p1").len(), USUAL_FILES as usize + 2 + FILES as usize + 1);
    store.close().unwrap();
}

#[test]
fn level_0_grows_neither_where_the_setting_is_the_usual_nor_in_the_other_style() {
    for settings in ["level0_files_unread=4", "compaction_style=universal"] {
        let folder = tempfile::tempdir().unwrap();
        let store = open_with(folder.path(), settings);
        let table = table(&store);
        (0..USUAL_FILES as u32).for_each(|round| flush_rows(&table, round));
        await_until("nothing is compacted", || compactions(&store) > 0);
        store.close().unwrap();
    }
}

/// The blocks of a flushed memtable that are not in the cache, with so many reads before the flush.
fn uncached(path: &Path, settings: &str, reads: u32) -> u64 {
    let store = open_with(path, &format!("stats_level=tickers\n{settings}"));
    let table = table(&store);
    let misses = || number(&store, "caches", "block_cache", 5);
    (0..ROUNDS).for_each(|round| write_rows(&table, round));
    read(&table, reads);
    table.flush().unwrap();
    let before = misses();
    (0..ROWS).for_each(|at| assert_eq!(rows(&table, &format!("p{at}")).len(), ROUNDS as usize));
    let found = misses() - before;
    store.close().unwrap();
    found
}

#[test]
fn flushed_blocks_are_cached_where_they_are_read() {
    const FEW: u32 = 16 + ROUNDS * ROWS / 64;
    let folder = tempfile::tempdir().unwrap();
    let uncached = |name: &str, settings, reads| uncached(&folder.path().join(name), settings, reads);
    assert!(uncached("unread", "", 0) > 0, "nobody reads");
    assert!(uncached("few", "", FEW) > 0, "hardly anybody reads");
    assert_eq!(uncached("read", "", FEW + 1), 0);
    assert_eq!(uncached("unread, cached", "flushed_blocks=cached", 0), 0);
}

#[test]
fn a_read_in_memory_leaves_it_to_another_to_tell_that_the_table_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let table = table(&store);
    flush_rows(&table, 1);
    write_rows(&table, 2);
    let request = read_request(0, 0, &partition("p1"), &[]);
    let mut answer = [0; 1 << 16];
    let answered = (0..READS).filter(|_| table.read_in_memory(&request, &mut answer).unwrap().is_some()).count();
    assert!(answered > 0 && answered < READS as usize, "{answered}");
    read(&table, 1);
    assert!(table.read_in_memory(&request, &mut answer).unwrap().is_some());
    store.close().unwrap();
}

/// With memtables of which the level 0 of these tests is a multiple.
fn small(folder: &Path) -> (Arc<Store>, Arc<Table>) {
    let store = open_with(folder, "write_buffer_size=128KiB");
    let table = table(&store);
    (0..USUAL_FILES as u32 + 1).for_each(|round| flush_rows(&table, round));
    assert_eq!(level0_files(&table), USUAL_FILES + 1);
    (store, table)
}

#[test]
fn an_export_has_a_grown_level_0_compacted_first() {
    let folder = tempfile::tempdir().unwrap();
    let (store, table) = small(&folder.path().join("store"));
    write_rows(&table, 100);
    let sent = table.export(&ranges(&[EVERYWHERE]), &folder.path().join("one")).unwrap();
    assert!(sent.contains("\twhole\t") && !sent.contains("\trows\t"), "{sent}");
    assert_eq!(level0_files(&table), 0);
    // Level 0 grows as before.
    let so_far = compactions(&store);
    (200..201 + USUAL_FILES as u32).for_each(|round| flush_rows(&table, round));
    assert_eq!((level0_files(&table), compactions(&store)), (USUAL_FILES + 1, so_far));
    store.close().unwrap();
}

#[test]
fn an_export_of_little_and_one_of_a_table_that_is_not_compacted_go_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let (store, table) = small(&folder.path().join("store"));
    let sent = table.export(&ranges(&[(0, i64::MAX / 8)]), &folder.path().join("little")).unwrap();
    assert!(sent.contains("\trows\t") && level0_files(&table) == USUAL_FILES + 1, "{sent}");
    table.set_automatic_compaction(false).unwrap();
    let sent = table.export(&ranges(&[EVERYWHERE]), &folder.path().join("all")).unwrap();
    assert!(sent.contains("\trows\t") && !sent.contains("\twhole\t"), "{sent}");
    store.close().unwrap();
}
