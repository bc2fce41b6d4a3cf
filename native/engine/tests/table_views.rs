// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Views of tables: any number of ranges as of one point in time, with one cursor for each range that is being read.
//! The tests take turns, because cursors are counted in the whole process.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod common;

use cassiterite_engine::{cursor_close, cursor_next, view_scan, Kind, Store, Table};
use common::shipments::*;
use common::*;
use std::sync::{Mutex, PoisonError};

const RANGES: u64 = 256;
const PARTITIONS: u32 = 1000;
static TURN: Mutex<()> = Mutex::new(());

fn open_cursors(store: &Store) -> u64 {
    number(store, "work", "cursor", 1)
}

fn name(at: u32) -> String {
    format!("p{at}")
}

/// The first key of the range of this number; none behind the last.
fn start(range: u64) -> Vec<u8> {
    match range {
        RANGES => Vec::new(),
        _ => [&[0x40][..], &(range * (u64::MAX / RANGES + 1)).to_be_bytes()].concat(),
    }
}

fn request(range: u64) -> Vec<u8> {
    scan_request(WHOLE | WITH_STATIC, 100, &start(range), &start(range + 1), &[])
}

fn delete(table: &Table, name: &str) {
    table.write(&update(&partition(name), &[(HEADER, b"", &partition_deletion(9))]), 0).unwrap();
}

fn scan_view(view: i64, request: &[u8], mut between: impl FnMut()) -> Vec<Entry> {
    drain(200, |cursor, buffer| {
        between();
        match cursor {
            None => view_scan(view, request, buffer).unwrap(),
            Some(cursor) => cursor_next(cursor, 0, buffer).unwrap(),
        }
    })
}

#[test]
fn all_ranges_are_of_one_time_and_one_cursor_is_open() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let directory = tempfile::tempdir().unwrap();
    let (store, sender) = (open(&directory.path().join("a")), open(&directory.path().join("b")));
    let (read, sent) = (table(&store), table(&sender));
    for at in 0..PARTITIONS {
        put(&read, &name(at), 1, 1, b"first");
        put(&read, &name(at), 2, 1, b"first");
        put(&sent, &name(at), 3, 1, b"sent");
    }
    let shipment = ship(&sent, directory.path());
    // The view is of a side column family, the base's file and its memtable.
    read.flush().unwrap();
    (0..PARTITIONS).step_by(3).for_each(|at| put(&read, &name(at), 4, 1, b"in memory"));
    read.receive(&shipment).unwrap();
    let wanted = whole(&read);
    let before = open_cursors(&store);
    let view = read.view().unwrap();
    let (mut found, mut most) = (Vec::new(), 0);
    for range in 0..RANGES {
        match range {
            32 => (0..PARTITIONS).for_each(|at| put(&read, &name(at), 1, 2, b"second")),
            64 => read.flush().unwrap(),
            96 => assert_eq!(read.receive(&ship(&sent, directory.path())).unwrap(), 0),
            128 => assert!(merge_in_all(&read) > 0),
            160 | 224 => read.compact().unwrap(),
            192 => (0..PARTITIONS).for_each(|at| delete(&read, &name(at))),
            _ => {}
        }
        found.extend(scan_view(view, &request(range), || most = most.max(open_cursors(&store) - before)));
    }
    assert_eq!(found, wanted);
    assert_eq!(most, 2, "the view, and the cursor of a range");
    cursor_close(view).unwrap();
    assert_eq!(open_cursors(&store), before);
    assert_eq!(whole(&read).iter().filter(|entry| matches!(entry, Entry::Row(_))).count(), 0);
}

#[test]
fn a_view_is_shared_by_threads_and_outlived_by_its_cursors() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    (0..PARTITIONS).for_each(|at| put(&table, &name(at), 1, 1, b"first"));
    let wanted = whole(&table);
    let view = table.view().unwrap();
    (0..PARTITIONS).for_each(|at| put(&table, &name(at), 2, 2, b"second"));
    let scan = || scan_view(view, &scan_request(WHOLE, 1 << 10, b"", b"", &[]), || ());
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(scan)).collect();
        threads.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap(), wanted));
    });
    let mut buffer = vec![0; 1 << 20];
    let filled = view_scan(view, &scan_request(WHOLE, 1, b"", b"", &[]), &mut buffer).unwrap();
    let (cursor, mut entries) = parse(&buffer[..filled as usize]);
    cursor_close(view).unwrap();
    cursor_close(view).unwrap();
    assert_eq!(view_scan(view, &request(0), &mut buffer).unwrap_err().kind(), Kind::Closed);
    let filled = cursor_next(cursor, 0, &mut buffer).unwrap();
    entries.extend(parse(&buffer[..filled as usize]).1);
    assert_eq!(entries, wanted);
}

#[test]
fn a_view_is_no_answer_and_ends_with_its_store() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    (0..PARTITIONS).for_each(|at| put(&table, &name(at), 1, 1, b"first"));
    let view = table.view().unwrap();
    let mut buffer = vec![0; 1000];
    assert_eq!(cursor_next(view, 0, &mut buffer).unwrap_err().kind(), Kind::Invalid);
    let filled = table.scan(&scan_request(WHOLE, 1, b"", b"", &[]), &mut buffer).unwrap();
    let (cursor, _) = parse(&buffer[..filled as usize]);
    assert_eq!(view_scan(cursor, &request(0), &mut buffer).unwrap_err().kind(), Kind::Invalid);
    assert_eq!(cursor_next(view, 0, &mut buffer).unwrap_err().kind(), Kind::Closed, "an error ends it");
    let view = table.view().unwrap();
    store.close().unwrap();
    assert_eq!(view_scan(view, &request(0), &mut buffer).unwrap_err().kind(), Kind::Closed);
    cursor_close(view).unwrap();
    cursor_close(cursor).unwrap();
}
