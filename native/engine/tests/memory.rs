// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The engine's memory stays within what its options allow, whatever is written, read and compacted, and is given back
//! by what is closed. All figures are RocksDB's own, as the report `caches` has them.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::expect_used)]

mod common;

use cassiterite_engine::{cursor_close, Store, Table};
use common::*;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

const MIB: u64 = 1 << 20;
const CACHE: u64 = 16 * MIB;
const BUFFERS: u64 = 6 * MIB;
const TABLES: u8 = 6;
/// Of each table; all together six times the cache.
const ROWS: u32 = 4000;
const ROW_BYTES: usize = 4 << 10;
/// An insertion counts before what it evicts is freed.
const CACHE_ALLOWANCE: u64 = MIB;
/// What is being flushed may take a quarter on top; then writers wait. Besides, a memtable takes whole blocks, of an
/// eighth of write_buffer_size, and each table may have two.
const BUFFERS_ALLOWANCE: u64 = BUFFERS / 4 + TABLES as u64 * 2 * (MIB / 4);
/// Beside the cache, by file: its properties, its place in the index, its descriptor.
const READER_MAX: u64 = 16 << 10;

fn open_bounded(directory: &Path) -> Arc<Store> {
    let settings =
        "write_buffers_total=6MiB\nwrite_buffer_size=2MiB\ntarget_file_size=1MiB\ncompaction_rate_limit=0B/s";
    Store::open(&format!("directory={}\nblock_cache_size=16MiB\n{settings}", directory.display())).unwrap()
}

fn tables(store: &Store) -> Vec<Arc<Table>> {
    let id = |number: u8| [TABLE.as_slice()[..15].to_vec(), vec![number]].concat();
    (0..TABLES).map(|number| store.table(&schema(&id(number), &[(0, "v", "blob")])).unwrap()).collect()
}

/// Bytes that no compression makes small, different for every row.
fn value(seed: u32) -> Vec<u8> {
    let mut state = u64::from(seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    (0..ROW_BYTES / 8).flat_map(|_| next()).collect()
}

fn name(number: u32) -> String {
    format!("p{number}")
}

/// A line of the report `caches`: used, limit, pinned.
fn figures(store: &Store, of: &str) -> [u64; 3] {
    let report = store.report("caches").unwrap();
    let line = report.lines().find(|line| line.starts_with(&format!("{of}\t"))).unwrap();
    let mut values = line.split('\t').skip(1).map(|value| value.parse().unwrap());
    [(); 3].map(|()| values.next().unwrap())
}

fn used(store: &Store, of: &str) -> u64 {
    figures(store, of)[0]
}

/// The most that was used while it watched.
#[derive(Debug, Default)]
struct Peaks {
    cache: u64,
    buffers: u64,
    readers: u64,
}

/// Samples all the time while `work` runs.
fn watched(store: &Store, work: impl FnOnce()) -> Peaks {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let mut peaks = Peaks::default();
            while !done.load(Ordering::Acquire) {
                peaks.cache = peaks.cache.max(used(store, "block_cache"));
                peaks.buffers = peaks.buffers.max(used(store, "write_buffers"));
                peaks.readers = peaks.readers.max(used(store, "table_readers"));
                std::thread::sleep(Duration::from_millis(1));
            }
            peaks
        });
        work();
        done.store(true, Ordering::Release);
        watcher.join().unwrap()
    })
}

fn write_all(tables: &[Arc<Table>], timestamp: i64) {
    for number in 0..ROWS {
        let value = value(number);
        tables.iter().for_each(|table| put(table, &name(number), 1, timestamp, &value));
    }
}

fn read_everything(tables: &[Arc<Table>]) {
    let mut buffer = vec![0; 1 << 16];
    for table in tables {
        for number in 0..ROWS {
            let request = read_request(POINTS, 1 << 16, &partition(&name(number)), &[point(1)]);
            assert!(table.read(&request, &mut buffer).unwrap() > ROW_BYTES as i32);
        }
        let selected = scan_request(0, 1 << 16, b"", b"", &everything());
        assert!(scan_all(table, &selected, 1 << 16).len() >= ROWS as usize);
    }
}

fn files(tables: &[Arc<Table>]) -> u64 {
    tables.iter().map(|table| table.stats().unwrap()[11] as u64).sum()
}

#[test]
fn memory_stays_within_its_bound_while_much_more_is_written_read_and_compacted() {
    let directory = tempfile::tempdir().unwrap();
    let store = open_bounded(directory.path());
    let tables = tables(&store);
    assert_eq!([figures(&store, "block_cache")[1], figures(&store, "write_buffers")[1]], [CACHE, BUFFERS]);
    let peaks = watched(&store, || {
        write_all(&tables, 1);
        write_all(&tables, 2);
        read_everything(&tables);
        tables.iter().for_each(|table| table.compact().unwrap());
        read_everything(&tables);
    });
    assert!(peaks.cache > CACHE / 2, "the cache is in use: {peaks:?}");
    assert!(peaks.cache <= CACHE + CACHE_ALLOWANCE, "{peaks:?}");
    assert!(peaks.buffers > BUFFERS / 2, "the write buffers are in use: {peaks:?}");
    assert!(peaks.buffers <= BUFFERS + BUFFERS_ALLOWANCE, "{peaks:?}");
    assert!(peaks.readers <= files(&tables) * 2 * READER_MAX, "{peaks:?}");
}

/// Waits until no more than this is used, as what is released in the background is.
fn await_below(store: &Store, of: &str, column: usize, bound: u64) {
    let deadline = Instant::now() + TRY_MAX;
    loop {
        let found = figures(store, of)[column];
        if found <= bound {
            return;
        }
        assert!(Instant::now() < deadline, "{of} still has {found}, of which {bound} were there before");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A figure once the work that goes on behind a call that has returned changes it no more.
fn at_rest(store: &Store, of: &str, column: usize) -> u64 {
    loop {
        let before = figures(store, of)[column];
        std::thread::sleep(Duration::from_millis(300));
        if figures(store, of)[column] == before {
            return before;
        }
    }
}

fn begin_scan(table: &Arc<Table>) -> i64 {
    let mut buffer = vec![0; 1 << 16];
    let filled = table.scan(&scan_request(0, 1, b"", b"", &everything()), &mut buffer).unwrap();
    let (cursor, _) = parse(&buffer[..filled as usize]);
    assert_ne!(cursor, 0, "there is more to read");
    cursor
}

#[test]
fn readers_that_end_give_back_what_they_pinned() {
    const USED: usize = 0;
    const PINNED: usize = 2;
    let directory = tempfile::tempdir().unwrap();
    let store = open_bounded(directory.path());
    let tables = tables(&store);
    let few = &tables[..2];
    few.iter().for_each(|table| (0..1000).for_each(|number| put(table, &name(number), 1, 1, &value(number))));
    few.iter().for_each(|table| table.compact().unwrap());
    let (pinned, buffers) = (at_rest(&store, "block_cache", PINNED), at_rest(&store, "write_buffers", USED));
    few.iter().for_each(|table| (0..200).for_each(|number| put(table, &name(number), 1, 2, &value(number))));
    let cursors: Vec<i64> = few.iter().flat_map(|table| [begin_scan(table), begin_scan(table)]).collect();
    few.iter().for_each(|table| table.compact().unwrap());
    let with_readers = used(&store, "write_buffers");
    assert!(with_readers > buffers + MIB, "the memtables that are being read stay: {buffers}, then {with_readers}");
    assert!(figures(&store, "block_cache")[PINNED] > pinned);
    cursors.into_iter().for_each(|cursor| cursor_close(cursor).unwrap());
    await_below(&store, "write_buffers", USED, buffers);
    await_below(&store, "block_cache", PINNED, pinned);

    let readers = used(&store, "table_readers");
    assert!(readers > 0);
    for table in few {
        let emptied = table.truncate().unwrap();
        table.retire().unwrap();
        assert_eq!(emptied.stats().unwrap()[11], 0);
    }
    await_below(&store, "table_readers", USED, readers / 10);
}

#[test]
fn readers_that_pin_more_than_the_budget_delay_no_writer() {
    let directory = tempfile::tempdir().unwrap();
    let store = open_bounded(directory.path());
    let table = &tables(&store)[0];
    let write = |timestamp: i64| (0..400).for_each(|number| put(table, &name(number), 1, timestamp, &value(number)));
    let mut cursors = Vec::new();
    for timestamp in 1.. {
        write(timestamp);
        cursors.push(begin_scan(table));
        table.flush().unwrap();
        if used(&store, "write_buffers") > BUFFERS * 2 {
            break;
        }
    }
    let begun = Instant::now();
    write(i64::MAX);
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?} for 400 writes", begun.elapsed());
    cursors.into_iter().for_each(|cursor| cursor_close(cursor).unwrap());
}

/// With a lower budget no flush is under way at first: writers must not wait for it, but set it off.
#[test]
fn a_budget_that_is_lowered_delays_no_writer() {
    let directory = tempfile::tempdir().unwrap();
    let settings =
        format!("directory={}\nblock_cache_size=64MiB\nwrite_buffers_total=40MiB", directory.path().display());
    let store = Store::open(&settings).unwrap();
    let tables = tables(&store);
    let write = |numbers: std::ops::Range<u32>| {
        numbers.for_each(|number| tables.iter().for_each(|table| put(table, &name(number), 1, 1, &value(number))));
    };
    write(0..1000);
    assert!(used(&store, "write_buffers") > 3 * BUFFERS);
    store.set("write_buffers_total=6MiB").unwrap();
    let begun = Instant::now();
    write(1000..1010);
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?} for 60 writes", begun.elapsed());
    await_below(&store, "write_buffers", 0, BUFFERS + BUFFERS_ALLOWANCE);
}
