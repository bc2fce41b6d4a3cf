// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The mark goes with the last header, and never while one is there, or on its way.
#![allow(clippy::unwrap_used, clippy::panic)]

use super::*;
use crate::common::*;
use crate::raw::sys;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

const OLD: i64 = 1;
const DELETED: i64 = 5;
const NEW: i64 = 10;

/// A table whose compactions purge what may be purged.
fn purging(store: &crate::Store) -> Arc<Table> {
    let table = table(store);
    purge(&table);
    table
}

fn purge(table: &Table) {
    table.set_purge(0, i64::MAX, 0).unwrap();
}

fn delete(table: &Table, name: &str) {
    table.write(&update(&partition(name), &[(HEADER, b"", &partition_deletion(DELETED))]), 0).unwrap();
}

fn is_marked(table: &Table) -> bool {
    table.shared(|core| Ok(core.headers().seen().possible())).unwrap()
}

/// Compacts as RocksDB does by itself: nothing checks the mark then.
fn compact_unseen(table: &Table) {
    table.shared(|core| sys::compact(core.family(), &AtomicBool::new(false))).unwrap();
}

#[test]
fn a_full_compaction_that_leaves_no_header_is_remembered() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = purging(&store);
    put(&table, "a", 1, NEW, b"stays");
    delete(&table, "a");
    assert!(is_marked(&table));
    table.compact().unwrap();
    assert!(!is_marked(&table));
    drop(table);
    store.close().unwrap();
    let store = open(directory.path());
    let table = purging(&store);
    assert!(!is_marked(&table));
    delete(&table, "a");
    assert!(is_marked(&table));
    drop(table);
    store.close().unwrap();
    assert!(is_marked(&crate::common::table(&open(directory.path()))), "it is in the log");
}

#[test]
fn a_header_that_stays_keeps_the_mark() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    delete(&table, "a");
    table.clear_headers().unwrap();
    assert!(is_marked(&table), "it is in the memtable");
    table.flush().unwrap();
    table.clear_headers().unwrap();
    assert!(is_marked(&table), "it is in a file");
    table.compact().unwrap();
    assert!(is_marked(&table), "it must not be purged");
    purge(&table);
    table.compact().unwrap();
    assert!(!is_marked(&table));
}

#[test]
fn the_mark_stays_while_a_header_is_on_its_way() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = purging(&store);
    put(&table, "a", 1, NEW, b"stays");
    table
        .shared(|core| {
            let _recorded = core.record_contents(true)?;
            core.clear_headers()?;
            assert!(core.headers().seen().possible());
            Ok(())
        })
        .unwrap();
    table.clear_headers().unwrap();
    assert!(!is_marked(&table), "it never came");
}

#[test]
fn other_compactions_are_noticed_later() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = purging(&store);
    put(&table, "a", 1, NEW, b"stays");
    delete(&table, "a");
    table.flush().unwrap();
    compact_unseen(&table);
    compact_unseen(&table); // removes the key that the first has emptied
    assert!(is_marked(&table));
    purge(&table);
    assert!(!is_marked(&table));
}

#[test]
fn a_start_notices_that_there_is_none() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = purging(&store);
    put(&table, "a", 1, NEW, b"stays");
    delete(&table, "a");
    table.flush().unwrap();
    compact_unseen(&table);
    compact_unseen(&table);
    assert!(is_marked(&table));
    drop(table);
    store.close().unwrap();
    assert!(!is_marked(&crate::common::table(&open(directory.path()))));
}

#[test]
fn a_reader_notices_a_mark_that_came_and_went() {
    let headers = Headers::new(false);
    let seen = headers.seen();
    assert!(headers.none_since(seen));
    headers.set();
    assert!(!headers.none_since(seen));
    assert!(!headers.none_since(headers.seen()));
    headers.set();
    headers.clear(&headers.none_on_its_way().unwrap());
    assert!(!headers.none_since(seen));
    assert!(headers.none_since(headers.seen()));
}

#[test]
fn the_manifest_of_a_shipment_pinned_with_headers_tells_of_them() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = purging(&store);
    delete(&table, "a");
    let has_headers = table.shared(|core| {
        let seen = core.headers().seen();
        core.flush()?;
        sys::compact(core.family(), &AtomicBool::new(false))?;
        sys::compact(core.family(), &AtomicBool::new(false))?;
        core.clear_headers()?;
        assert!(!core.headers().seen().possible());
        Ok((core.record(seen)?.has_headers, core.record(core.headers().seen())?.has_headers))
    });
    assert_eq!(has_headers.unwrap(), (true, false));
}

/// Whether a point read shows an old value without the deletion that covers it.
fn is_shown_undeleted(table: &Arc<Table>, name: &str) -> bool {
    let found = read_all(table, &read_request(POINTS, 0, &partition(name), &[point(1)]), 1000);
    let is_old =
        |entry: &Entry| matches!(entry, Entry::Row(fragment) if fragment.windows(3).any(|bytes| bytes == b"old"));
    found.iter().any(is_old) && !found.iter().any(|entry| matches!(entry, Entry::Header(_)))
}

#[test]
fn no_read_misses_a_deletion_while_the_mark_comes_and_goes() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = purging(&store);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                table.compact().unwrap();
            }
        });
        for number in 0..300 {
            let name = format!("p{number}");
            put(&table, &name, 1, OLD, b"old");
            let newer = row(NEW, 2, b"new");
            let both = update(
                &partition(&name),
                &[(HEADER, b"", &partition_deletion(DELETED)), (ROW, &clustering(1), &newer)],
            );
            table.write(&both, 0).unwrap();
            for _ in 0..20 {
                assert!(!is_shown_undeleted(&table, &name), "{name}");
            }
        }
        is_over.store(true, Ordering::SeqCst);
    });
    table.compact().unwrap();
    assert!(!is_marked(&table));
}
