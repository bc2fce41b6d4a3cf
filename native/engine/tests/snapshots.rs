// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Snapshots are consistent images; loading one merges it, under the table's own column ids.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod common;

use cassiterite_engine::{Kind, Store, Table};
use common::*;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

fn filled(store: &Store) -> Arc<Table> {
    let table = table(store);
    for number in 0..500u32 {
        put(&table, &format!("p{}", number % 50), number / 50, i64::from(number) + 1, b"old");
        if number == 250 {
            table.flush().unwrap();
        }
    }
    table.write(&update(&partition("p1"), &[(HEADER, b"", &partition_deletion(1))]), 0).unwrap();
    table.write(&update(&partition("p1"), &[(STATIC, b"", &row(5, 3, b"static"))]), 0).unwrap();
    table
}

fn whole(table: &Arc<Table>) -> Vec<Entry> {
    scan_all(table, &scan_request(WHOLE | WITH_STATIC, 1 << 20, b"", b"", &[]), 1 << 20)
}

#[test]
fn a_snapshot_of_an_emptied_generation_knows_its_deletions() {
    let directory = tempfile::tempdir().unwrap();
    let taken = directory.path().join("snapshots/one");
    let store = open(&directory.path().join("store"));
    let table = filled(&store);
    table.truncate().unwrap();
    table.snapshot(&taken).unwrap();
    let other = open(&directory.path().join("other"));
    let fresh = common::table(&other);
    fresh.receive(&taken).unwrap();
    let found = read_all(&fresh, &read_request(POINTS, 0, &partition("p1"), &[point(1)]), 1000);
    assert!(matches!(found[0], Entry::Header(_)), "{found:?}");
}

#[test]
fn a_snapshot_holds_the_table_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let taken = directory.path().join("snapshots/one");
    let store = open(&directory.path().join("store"));
    let table = filled(&store);
    let before = whole(&table);
    table.snapshot(&taken).unwrap();
    assert_eq!(table.snapshot(&taken).unwrap_err().kind(), Kind::Invalid, "never into what exists");
    put(&table, "later", 1, 1, b"new");
    table.compact().unwrap();
    let linked = std::fs::read_dir(&taken).unwrap().map(|entry| entry.unwrap().metadata().unwrap());
    assert!(linked.count() >= 2);

    let emptied = table.truncate().unwrap();
    table.retire().unwrap();
    let loaded = emptied.load(&taken).unwrap();
    assert_eq!(loaded, 502);
    assert!(whole(&emptied) == before);
    assert_eq!(emptied.load(&taken).unwrap(), 502, "loading twice is loading once");
    assert!(whole(&emptied) == before);
    let request = read_request(POINTS, 0, &partition("p1"), &[point(1)]);
    let found = read_all(&emptied, &request, 1000);
    assert!(matches!(found[0], Entry::Header(_)), "headers that were loaded are read");
    store.close().unwrap();

    let store = open(&directory.path().join("store"));
    assert!(whole(&common::table(&store)) == before);
    assert!(taken.join("cassiterite.manifest").exists(), "loading takes nothing away");
    let other = open(&directory.path().join("other"));
    let restored = common::table(&other);
    assert_eq!(restored.load(&taken).unwrap(), 502);
    assert!(whole(&restored) == before, "another store loads it too");
}

#[test]
fn of_two_snapshots_into_one_directory_one_stands() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory.path().join("store"));
    let table = table(&store);
    for round in 0..10 {
        put(&table, &format!("p{round}"), 1, 1, &[7; 100_000]);
        let taken = directory.path().join(format!("snapshot-{round}"));
        let both: Vec<_> = std::thread::scope(|scope| {
            let takers: Vec<_> = (0..2).map(|_| scope.spawn(|| table.snapshot(&taken))).collect();
            takers.into_iter().map(|taker| taker.join().unwrap()).collect()
        });
        assert_eq!(both.iter().filter(|result| result.is_ok()).count(), 1, "{both:?}");
        let refused = both.into_iter().find_map(Result::err).unwrap();
        assert_eq!(refused.kind(), Kind::Invalid, "{refused}");
        assert!(taken.join("cassiterite.manifest").exists());
    }
}

#[test]
fn loading_merges_with_what_is_there_under_the_ids_of_the_table() {
    let directory = tempfile::tempdir().unwrap();
    let taken = directory.path().join("snapshot");
    let store = open(&directory.path().join("store"));
    let source = store.table(&schema(&TABLE, &[(0, "v", "blob"), (0, "gone", "int"), (0, "w", "blob")])).unwrap();
    for (at, column) in [(1, 1), (2, 2), (3, 3)] {
        let fragment = row(10, column, b"loaded");
        source.write(&update(&partition("a"), &[(ROW, &clustering(at), &fragment)]), 0).unwrap();
    }
    source.snapshot(&taken).unwrap();

    let target_id = *b"fedcba9876543210";
    let target = store.table(&schema(&target_id, &[(0, "w", "blob"), (0, "v", "blob")])).unwrap();
    let newer = row(20, 2, b"newer");
    target.write(&update(&partition("a"), &[(ROW, &clustering(1), &newer)]), 0).unwrap();
    assert_eq!(target.load(&taken).unwrap(), 3);
    let found = rows(&target, "a");
    assert_eq!(found[0], newer, "what is newer stays");
    let liveness_only = [&[1, 2][..], &10i64.to_le_bytes()].concat();
    assert_eq!(found[1], liveness_only, "a column that the table has not is left out");
    assert_eq!(found[2], row(10, 1, b"loaded"));
}

#[test]
fn loading_keeps_values_of_columns_that_are_hidden_on_either_side() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory.path().join("store"));
    let (v, w) = ((0, "v", "blob"), (0, "w", "blob"));
    for (number, hidden_in_source, hidden_in_target) in [(1, true, false), (2, false, true), (3, true, true)] {
        let taken = directory.path().join(format!("snapshot {number}"));
        let source = store.table(&schema(&[number; 16], &[v, w])).unwrap();
        source.write(&update(&partition("a"), &[(ROW, &clustering(1), &row(10, 2, b"of w"))]), 0).unwrap();
        let target = store.table(&schema(&[number + 10; 16], &[w, v])).unwrap();
        if hidden_in_source {
            source.columns(&schema(&[number; 16], &[v])).unwrap();
        }
        if hidden_in_target {
            target.columns(&schema(&[number + 10; 16], &[v])).unwrap();
        }
        source.snapshot(&taken).unwrap();
        assert_eq!(target.load(&taken).unwrap(), 1);
        assert_eq!(rows(&target, "a"), [row(10, 1, b"of w")], "{number}");
    }
}

#[test]
fn damage_is_found() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory.path().join("store"));
    let table = filled(&store);
    let taken = directory.path().join("snapshot");
    table.snapshot(&taken).unwrap();
    let file = std::fs::read_dir(&taken)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|extension| extension == "sst"))
        .unwrap();
    assert!(std::fs::metadata(&file).unwrap().nlink() > 1, "a hard link");
    let bytes = std::fs::read(&file).unwrap();
    let replace = |bytes: &[u8]| {
        std::fs::remove_file(&file).unwrap();
        std::fs::write(&file, bytes).unwrap();
    };
    replace(&bytes[..bytes.len() - 1]);
    assert_eq!(table.load(&taken).unwrap_err().kind(), Kind::Corruption);
    let mut flipped = bytes.clone();
    flipped[100] ^= 1;
    replace(&flipped);
    assert_eq!(table.load(&taken).unwrap_err().kind(), Kind::Corruption);
    replace(&bytes);
    let manifest = taken.join("cassiterite.manifest");
    let good = std::fs::read(&manifest).unwrap();
    let mut bad = good.clone();
    bad[20] ^= 1;
    std::fs::write(&manifest, &bad).unwrap();
    assert_eq!(table.load(&taken).unwrap_err().kind(), Kind::Corruption);
    std::fs::write(&manifest, &good).unwrap();
    table.load(&taken).unwrap();
    assert_eq!(table.load(&directory.path().join("nowhere")).unwrap_err().kind(), Kind::Invalid);
}

#[test]
fn an_empty_table_has_an_empty_snapshot() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory.path().join("store"));
    let table = table(&store);
    let taken = directory.path().join("snapshot");
    table.snapshot(&taken).unwrap();
    assert_eq!(table.load(&taken).unwrap(), 0);
    assert_eq!(table.stats().unwrap()[5], 1, "still clean");
}
