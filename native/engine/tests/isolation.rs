// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Readers see each update whole or not at all, while others write, flush, compact and close.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod common;

use cassiterite_engine::{EngineError, Kind, Store, Table};
use common::*;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn deletion_timestamp(entries: &[Entry]) -> Option<i64> {
    entries.iter().find_map(|entry| match entry {
        Entry::Header(fragment) => Some(i64::from_le_bytes(fragment[2..10].try_into().unwrap())),
        _ => None,
    })
}

fn row_timestamp(entries: &[Entry]) -> Option<i64> {
    entries.iter().find_map(|entry| match entry {
        Entry::Row(fragment) => Some(i64::from_le_bytes(fragment[2..10].try_into().unwrap())),
        _ => None,
    })
}

#[test]
fn header_and_row_of_one_update_are_seen_together() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut timestamp = 1;
            while !stop.load(Ordering::Relaxed) {
                timestamp += 10;
                // The row is newer than its deletion: compaction removes what a deletion covers.
                let (header, row) = (partition_deletion(timestamp), row(timestamp + 1, 1, b"v"));
                let entries = [(HEADER, &b""[..], &header[..]), (ROW, &clustering(1)[..], &row[..])];
                table.write(&update(&partition("a"), &entries), 0).unwrap();
            }
        });
        let flusher = scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                table.flush().unwrap();
                table.compact().unwrap();
            }
        });
        let requests = [
            read_request(POINTS, 0, &partition("a"), &[point(1)]),
            read_request(0, 0, &partition("a"), &everything()),
            read_request(REVERSED, 1 << 20, &partition("a"), &everything()),
        ];
        let end = Instant::now() + Duration::from_secs(3);
        let mut reads = 0;
        while Instant::now() < end || reads <= 100 {
            for request in &requests {
                let found = read_all(&table, request, 1 << 12);
                if deletion_timestamp(&found).map(|timestamp| timestamp + 1) != row_timestamp(&found) {
                    stop.store(true, Ordering::Relaxed); // else the scope waits for the writers for ever
                    panic!("half an update: {found:?}");
                }
                reads += 1;
            }
        }
        stop.store(true, Ordering::Relaxed);
        writer.join().unwrap();
        flusher.join().unwrap();
    });
}

#[test]
fn closing_lets_calls_end_and_refuses_the_rest() {
    for _ in 0..5 {
        let directory = tempfile::tempdir().unwrap();
        let store = open(directory.path());
        let table = table(&store);
        for at in 0..1000 {
            put(&table, "a", at, 1, &[7; 100]);
        }
        std::thread::scope(|scope| {
            for worker in 0..4u32 {
                let table = &table;
                scope.spawn(move || loop {
                    let done: Result<(), EngineError> = (|| {
                        let fragment = row(2, 1, b"v");
                        table.write(&update(&partition("b"), &[(ROW, &clustering(worker), &fragment)]), 0)?;
                        let mut buffer = vec![0; 1 << 12];
                        let filled = table.read(&read_request(0, 1, &partition("a"), &everything()), &mut buffer)?;
                        let (cursor, _) = parse(&buffer[..filled as usize]);
                        for _ in 0..worker {
                            cassiterite_engine::cursor_next(cursor, 0, &mut buffer)?;
                        }
                        table.flush()?;
                        table.compact()
                    })();
                    match done {
                        Ok(()) => {}
                        Err(error) if error.kind() == Kind::Closed => break,
                        // A compaction that closing cuts short.
                        Err(error) if error.kind() == Kind::Busy => {}
                        Err(error) => panic!("{error}"),
                    }
                });
            }
            std::thread::sleep(Duration::from_millis(200));
            store.close().unwrap();
        });
        drop(open(directory.path()));
    }
}

#[test]
fn a_table_is_dropped_under_its_readers_and_writers() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    for _ in 0..3 {
        let table = table(&store);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| loop {
                    let fragment = row(2, 1, b"v");
                    let written = table.write(&update(&partition("b"), &[(ROW, &clustering(1), &fragment)]), 0);
                    if let Err(error) = written {
                        assert_eq!(error.kind(), Kind::Closed, "{error}");
                        break;
                    }
                });
            }
            std::thread::sleep(Duration::from_millis(100));
            store.drop_table(&TABLE).unwrap();
        });
    }
}

/// A table of 20 MB that takes 20 s to compact.
fn slow(directory: &Path) -> (Arc<Store>, Arc<Table>) {
    let store = open_with(directory, "level0_files_unread=4"); // so that there is a compaction to wait for
    let table = table(&store);
    for at in 0..200 {
        put(&table, &format!("p{at}"), at, 1, &half_noise(u64::from(at), 200_000));
    }
    table.flush().unwrap();
    store.set("compaction_rate_limit=1MiB/s").unwrap();
    (store, table)
}

#[test]
fn neither_drop_nor_truncation_waits_for_a_compaction() {
    for truncates in [false, true] {
        let directory = tempfile::tempdir().unwrap();
        let (store, table) = slow(directory.path());
        let compacted = std::thread::scope(|scope| {
            let compacting = scope.spawn(|| table.compact());
            std::thread::sleep(Duration::from_millis(500));
            if truncates {
                table.truncate().unwrap();
                table.retire().unwrap();
            } else {
                store.drop_table(&TABLE).unwrap();
            }
            compacting.join().unwrap()
        });
        assert_eq!(compacted.unwrap_err().kind(), Kind::Closed, "it was ended");
    }
}

#[test]
fn cleanup_ends_when_it_is_told_so() {
    let directory = tempfile::tempdir().unwrap();
    let (store, table) = slow(directory.path());
    let nothing = 0u32.to_le_bytes();
    let cleaned = std::thread::scope(|scope| {
        let cleaning = scope.spawn(|| table.cleanup(&nothing));
        std::thread::sleep(Duration::from_millis(500));
        // Again and again, for it may not have begun.
        while !cleaning.is_finished() {
            table.stop_cleanup().unwrap();
            std::thread::sleep(Duration::from_millis(100));
        }
        cleaning.join().unwrap()
    });
    let error = cleaned.unwrap_err();
    assert_eq!(error.kind(), Kind::Busy, "{error}");
    assert!(error.message().contains("it was stopped"), "{error}");
    store.set("compaction_rate_limit=0B/s").unwrap();
    table.cleanup(&nothing).unwrap_or_else(|error| panic!("the next one is another: {error}"));
    assert_eq!(rows(&table, "p7").len(), 0);
}

#[test]
fn group_mode_acknowledges_after_a_common_sync() {
    let directory = tempfile::tempdir().unwrap();
    let window = "node.commitlog_sync=group\nnode.commitlog_sync_group_window=20ms";
    let store = cassiterite_engine::Store::open(&options(directory.path(), window)).unwrap();
    let table = table(&store);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for worker in 0..8u32 {
            let table = &table;
            scope.spawn(move || {
                for at in 0..5 {
                    put(table, &format!("w{worker}"), at, 1, b"v");
                }
            });
        }
    });
    let elapsed = start.elapsed();
    assert!(elapsed >= Duration::from_millis(60), "each write waits for a sync that began after it: {elapsed:?}");
    assert!(elapsed < Duration::from_secs(60), "the writes of a window share it: {elapsed:?}");
    store.close().unwrap();
}
