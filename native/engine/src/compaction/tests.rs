// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a table of very many files costs, counted: what a start, a compaction and a cold read open and read of them.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use crate::common::*;
use crate::table::{Table, TableCore};
use crate::Store;
use rocksdb::statistics::Ticker;
use std::path::Path;
use std::sync::Arc;

const SETTINGS: &str = "block_size=1KiB\ncompression=none\nbottommost_compression=none\nstats_level=tickers\n\
     level0_files_unread=4\n";
const VALUE_BYTES: usize = 1200;
/// Flushes after which RocksDB compacts by itself.
const FLUSHES: i64 = 4;

fn name(at: u64) -> String {
    format!("p{at}")
}

/// A table with two rows in each file, all at the bottom.
fn make(directory: &Path, files: u64) {
    let store = open_with(directory, &format!("{SETTINGS}max_open_files=1000"));
    let table = table(&store);
    let tiny_files =
        |core: &TableCore| core.column_families().base.handle.set_options(&[("target_file_size_base", "1")]);
    (0..2 * files).for_each(|at| put(&table, &name(at), 1, 1, &half_noise(at, VALUE_BYTES)));
    // Into one file, and out of that into many: RocksDB goes through all inputs of a compaction for each output.
    table.compact().unwrap();
    table.shared(tiny_files).unwrap();
    table.compact().unwrap();
    assert!(files_of(&table) >= files, "{} files", files_of(&table));
    store.close().unwrap();
}

fn files_of(table: &Table) -> u64 {
    u64::try_from(table.stats().unwrap()[11]).unwrap()
}

/// A figure of this process's reads.
fn of_process(name: &str) -> u64 {
    let io = std::fs::read_to_string("/proc/self/io").unwrap();
    let line = io.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim_start_matches(':').trim().parse().unwrap()
}

/// What has been counted since the store was opened; calls and bytes of reads, since the process began.
#[derive(Clone, Copy, Debug)]
struct Counts {
    opened: u64,
    properties_read: u64,
    index_filter_blocks: u64,
    data_blocks: u64,
    read_calls: u64,
    read_bytes: u64,
}

impl Counts {
    fn of(table: &Table) -> Counts {
        let of = |ticker| table.shared(|core| Ok(core.store().options.get_ticker_count(ticker))).unwrap();
        Counts {
            opened: of(Ticker::NoFileOpens),
            properties_read: of(Ticker::NumberDirectLoadTableProperties),
            index_filter_blocks: of(Ticker::BlockCacheIndexMiss) + of(Ticker::BlockCacheFilterMiss),
            data_blocks: of(Ticker::BlockCacheDataMiss),
            read_calls: of_process("syscr"),
            read_bytes: of_process("rchar"),
        }
    }

    fn since(&self, before: &Counts) -> Counts {
        Counts {
            opened: self.opened - before.opened,
            properties_read: self.properties_read - before.properties_read,
            index_filter_blocks: self.index_filter_blocks - before.index_filter_blocks,
            data_blocks: self.data_blocks - before.data_blocks,
            read_calls: self.read_calls - before.read_calls,
            read_bytes: self.read_bytes - before.read_bytes,
        }
    }
}

fn counted<T>(table: &Table, work: impl FnOnce() -> T) -> Counts {
    let before = Counts::of(table);
    work();
    Counts::of(table).since(&before)
}

/// Has RocksDB compact one partition's file at the bottom with some of level 0.
fn compact_one(store: &Store, table: &Table) {
    let ended = || number(store, "work", "compaction", 2);
    let before = ended();
    for timestamp in 2..2 + FLUSHES {
        put(table, &name(1), 1, timestamp, &half_noise(1, VALUE_BYTES));
        table.flush().unwrap();
    }
    await_until("the compaction has ended", || ended() > before && number(store, "work", "compaction", 1) == 0);
}

fn opened(directory: &Path, max_open_files: i64) -> (Arc<Store>, Arc<Table>) {
    let store = open_with(directory, &format!("{SETTINGS}max_open_files={max_open_files}"));
    let table = table(&store);
    table.set_purge(0, i64::MAX, 0).unwrap();
    (store, table)
}

#[test]
fn a_compaction_opens_no_file_that_it_has_nothing_of() {
    const FILES: u64 = 300;
    let directory = tempfile::tempdir().unwrap();
    make(directory.path(), FILES);
    let (store, table) = opened(directory.path(), 64);
    let counts = counted(&table, || compact_one(&store, &table));
    assert!(counts.properties_read + counts.opened < FILES / 10, "{counts:?}");
    assert_eq!(table.shared(|core| Ok(core.column_families().base.purge.stats().blind_compactions)).unwrap(), 0);
    store.close().unwrap();
}

/// To be read, not checked: `FILES` says of how many files, `MAX_OPEN_FILES` with which settings. With -1 the process needs
/// as many descriptors.
#[test]
#[ignore = "a measurement"]
fn what_many_files_cost() {
    const READS: u64 = 1000;
    let files = std::env::var("FILES").map_or(20_000, |files| files.parse().unwrap());
    let directory = tempfile::tempdir().unwrap();
    make(directory.path(), files);
    let settings = std::env::var("MAX_OPEN_FILES").unwrap_or("-1,1000".into());
    for max_open_files in settings.split(',').map(|number| number.parse().unwrap()) {
        let (calls, bytes) = (of_process("syscr"), of_process("rchar"));
        let (store, table) = opened(directory.path(), max_open_files);
        let start = Counts::of(&table);
        println!("max_open_files={max_open_files}, {} files", files_of(&table));
        println!(
            "  start: {:?}",
            Counts { read_calls: start.read_calls - calls, read_bytes: start.read_bytes - bytes, ..start }
        );
        println!("  table readers: {} bytes", number(&store, "caches", "table_readers", 1));
        let reads = || (0..READS).for_each(|at| assert_eq!(rows(&table, &name(at * 2 * files / READS)).len(), 1));
        println!("  {READS} cold reads: {:?}", counted(&table, reads));
        println!("  the same again: {:?}", counted(&table, reads));
        println!("  a compaction: {:?}", counted(&table, || compact_one(&store, &table)));
        println!("  statistics of a second: {:?}", counted(&table, || table.stats().unwrap()));
        let sizes = || table.range_sizes(&ranges(&[(i64::MIN, i64::MAX)])).unwrap();
        println!("  sizes of a range: {:?}", counted(&table, sizes));
        println!("  report of levels: {:?}", counted(&table, || store.report("levels").unwrap()));
        println!("  figures of files: {:?}", counted(&table, || table.file_figures().unwrap()));
        println!("  table readers: {} bytes", number(&store, "caches", "table_readers", 1));
        store.close().unwrap();
    }
}
