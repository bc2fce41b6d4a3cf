// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Indexes of tables: entries come with the rows and go with the generation, and an index knows whether it has all.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use cassiterite_codec::key::murmur3_token;
use cassiterite_engine::{Depth, Kind, Missed, Store, Table};
use common::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::Arc;
use std::time::Duration;

const NAME: &str = "by_v";
const NO_LOG: u32 = 1;
/// Of the figures of a table.
const FILE_BYTES: usize = 2;

/// A write request of one row, or none, and parts for indexes: number, and pairs of value and row.
fn indexed(name: &str, row_at: Option<u32>, parts: &[(u32, &[(&str, u32)])]) -> Vec<u8> {
    let fragment = row(1, 1, b"v");
    let order = row_at.map(clustering);
    let entries: Vec<(u8, &[u8], &[u8])> =
        order.iter().map(|order| (ROW, order.as_slice(), fragment.as_slice())).collect();
    let mut out = update(&partition(name), &entries);
    out[0] = 2;
    out.extend_from_slice(&(parts.len() as u32).to_le_bytes());
    for (number, entries) in parts {
        out.extend_from_slice(&number.to_le_bytes());
        out.extend_from_slice(&1i64.to_le_bytes());
        out.extend_from_slice(&(entries.len() as u32).to_le_bytes());
        for (value, at) in *entries {
            counted(&mut out, &value_of(value));
            counted(&mut out, &clustering(*at));
            counted(&mut out, &entry(1));
        }
    }
    out
}

fn entries_of(table: &Table, value: &str) -> usize {
    found(table, value).len()
}

/// What an index has of a value: entries, each with the row that it is of.
fn found(table: &Table, value: &str) -> Vec<Vec<u8>> {
    let all = read_request(0, 1 << 20, &value_of(value), &[(vec![0], vec![0xFF; 9])]);
    let entries = read_all(&table.index(NAME).unwrap(), &all, 1 << 20).into_iter();
    entries.filter_map(|entry| if let Entry::Row(found) = entry { Some(found) } else { None }).collect()
}

fn missed(writes: u64, bulk_loads: u64) -> Missed {
    Missed { writes, bulk_loads }
}

fn with_index(store: &Store) -> (Arc<Table>, u32) {
    let table = table(store);
    let number = table.create_index(NAME).unwrap().number;
    assert!(table.complete_index(number, missed(0, 0)).unwrap());
    (table, number)
}

#[test]
fn rows_and_entries_come_together_and_stay() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let (table, number) = with_index(&store);
    table.write(&indexed("a", Some(1), &[(number, &[("red", 1), ("blue", 1)])]), 0).unwrap();
    table.write(&indexed("a", Some(2), &[(number, &[("red", 2)])]), 0).unwrap();
    table.write(&indexed("a", Some(3), &[(number, &[])]), 0).unwrap();
    let check = |table: &Arc<Table>| {
        assert_eq!((rows(table, "a").len(), entries_of(table, "red"), entries_of(table, "blue")), (3, 2, 1));
        let state = table.index_state(NAME).unwrap();
        assert_eq!((state.number, state.complete, state.missed), (number, true, missed(0, 0)));
    };
    check(&table);
    store.close().unwrap();
    let store = open(folder.path());
    check(&common::table(&store));
    store.close().unwrap();
}

#[test]
fn entries_alone_need_no_row() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let (table, number) = with_index(&store);
    table.write(&indexed("a", None, &[(number, &[("red", 1)])]), 0).unwrap();
    assert_eq!((rows(&table, "a").len(), entries_of(&table, "red")), (0, 1));
    assert!(table.index_is_complete(table.index_state(NAME).unwrap().number).unwrap());
    store.close().unwrap();
}

#[test]
fn unlogged_rows_come_with_entries() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let (table, number) = with_index(&store);
    table.write(&indexed("a", Some(1), &[(number, &[("red", 1)])]), NO_LOG).unwrap();
    assert_eq!((rows(&table, "a").len(), entries_of(&table, "red")), (1, 1));
    store.close().unwrap();
    let store = open(folder.path());
    let table = common::table(&store);
    assert_eq!((rows(&table, "a").len(), entries_of(&table, "red")), (1, 1));
    store.close().unwrap();
}

#[test]
fn rows_without_entries_make_an_index_incomplete_for_good() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let (table, number) = with_index(&store);
    put(&table, "a", 1, 1, b"v");
    let state = table.index_state(NAME).unwrap();
    assert_eq!((state.complete, state.missed), (false, missed(1, 0)));
    assert!(!table.complete_index(number, missed(0, 0)).unwrap(), "one more row came since");
    assert!(!table.index_is_complete(table.index_state(NAME).unwrap().number).unwrap());
    store.close().unwrap();
    let store = open(folder.path());
    let table = common::table(&store);
    assert!(!table.index_state(NAME).unwrap().complete);
    assert!(table.complete_index(number, missed(0, 0)).unwrap());
    store.close().unwrap();
}

/// A query removes stale entries with a part for each.
#[test]
fn a_write_with_many_parts_for_an_index_and_its_drop_do_not_wait_for_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let (table, _) = with_index(&store);
    let over = Arc::new(AtomicBool::new(false));
    let (told, ended) = channel();
    let writer = (Arc::clone(&table), Arc::clone(&over), told.clone());
    std::thread::spawn(move || {
        let (table, over, told) = writer;
        while !over.load(Ordering::Relaxed) {
            if let Ok(state) = table.index_state(NAME) {
                table.write(&indexed("a", None, &vec![(state.number, [("red", 1)].as_slice()); 5_000]), 0).unwrap();
            }
        }
        told.send(()).unwrap();
    });
    let dropper = Arc::clone(&table);
    std::thread::spawn(move || {
        for _ in 0..100 {
            dropper.drop_index(NAME).unwrap();
            dropper.create_index(NAME).unwrap();
        }
        over.store(true, Ordering::Relaxed);
        told.send(()).unwrap();
    });
    for _ in 0..2 {
        ended.recv_timeout(Duration::from_secs(300)).expect("a write and a drop wait for each other");
    }
    store.close().unwrap();
}

/// (danger S10)
#[test]
fn truncation_empties_table_and_index_together() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let (old, number) = with_index(&store);
    old.write(&indexed("a", Some(1), &[(number, &[("red", 1)])]), 0).unwrap();
    let new = old.truncate().unwrap();
    assert_eq!((entries_of(&old, "red"), entries_of(&new, "red")), (1, 0), "a read of the old one goes on");
    assert!(new.index_state(NAME).unwrap().complete);
    // each generation's writes go to its own index
    new.write(&indexed("b", Some(1), &[(number, &[("red", 7)])]), 0).unwrap();
    old.write(&indexed("b", Some(2), &[(number, &[("red", 8)])]), 0).unwrap();
    assert_eq!((entries_of(&old, "red"), entries_of(&new, "red")), (2, 1));
    let held = old.index(NAME).unwrap();
    old.retire().unwrap();
    assert_eq!(held.flush().unwrap_err().kind(), Kind::Closed);
    store.close().unwrap();
    let store = open(folder.path());
    let table = common::table(&store);
    assert_eq!((rows(&table, "b").len(), entries_of(&table, "red")), (1, 1));
    assert!(table.index_state(NAME).unwrap().complete);
    store.close().unwrap();
}

#[test]
fn a_dropped_index_is_gone_and_one_of_its_name_begins_anew() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let (table, first) = with_index(&store);
    table.write(&indexed("a", Some(1), &[(first, &[("red", 1)])]), 0).unwrap();
    table.drop_index(NAME).unwrap();
    table.drop_index(NAME).unwrap();
    assert_eq!(table.index_state(NAME).map(|state| state.number).unwrap_err().kind(), Kind::Closed);
    // a write on its way may still name it
    table.write(&indexed("a", Some(2), &[(first, &[("red", 2)])]), 0).unwrap();
    let state = table.create_index(NAME).unwrap();
    assert!(state.number > first && !state.complete);
    // so may a build
    assert!(table.complete_index(first, state.missed).unwrap());
    assert!(!table.index_state(NAME).unwrap().complete);
    assert_eq!(entries_of(&table, "red"), 0);
    let error = table.write(&indexed("a", Some(2), &[(state.number + 1, &[("red", 2)])]), 0).unwrap_err();
    assert!(error.message().contains("never had an index"), "{error}");
    store.close().unwrap();
    let store = open(folder.path());
    let table = common::table(&store);
    assert_eq!(table.index_names().unwrap(), [NAME]);
    assert_eq!((rows(&table, "a").len(), entries_of(&table, "red")), (2, 0));
    store.close().unwrap();
}

#[test]
fn indexes_go_with_their_table() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let (table, number) = with_index(&store);
    table.write(&indexed("a", Some(1), &[(number, &[("red", 1)])]), 0).unwrap();
    let index = table.index(NAME).unwrap();
    store.drop_table(&TABLE).unwrap();
    assert_eq!(index.flush().unwrap_err().kind(), Kind::Closed);
    let table = common::table(&store);
    assert!(table.index_names().unwrap().is_empty());
    store.close().unwrap();
    let store = open(folder.path());
    assert!(store.report("tables").unwrap().lines().count() == 2);
    store.close().unwrap();
}

#[test]
fn a_truncated_generation_gets_no_index() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let old = table(&store);
    let new = old.truncate().unwrap();
    assert_eq!(old.create_index(NAME).map(|state| state.number).unwrap_err().kind(), Kind::Closed);
    new.create_index(NAME).unwrap();
    store.close().unwrap();
}

/// A DROP INDEX that waited for a TRUNCATE has the old generation still.
#[test]
fn an_index_that_is_dropped_beside_a_truncation_is_gone_from_both_generations() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let (old, first) = with_index(&store);
    let new = old.truncate().unwrap();
    old.drop_index(NAME).unwrap();
    assert_eq!(new.index(NAME).map(drop).unwrap_err().kind(), Kind::Closed);
    let again = new.create_index(NAME).unwrap();
    assert!(again.number > first && !again.complete);
    new.write(&indexed("a", Some(1), &[(again.number, &[("red", 1)])]), 0).unwrap();
    assert_eq!(entries_of(&new, "red"), 1);
    store.close().unwrap();
}

/// What comes as files has no entries.
#[test]
fn received_and_loaded_files_make_an_index_incomplete() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let (table, number) = with_index(&store);
    table.write(&indexed("a", Some(1), &[(number, &[("red", 1)])]), 0).unwrap();
    let snapshot = folder.path().join("snapshot");
    table.snapshot(&snapshot).unwrap();
    table.load(&snapshot).unwrap();
    let state = table.index_state(NAME).unwrap();
    assert_eq!((state.complete, state.missed), (false, missed(0, 1)));
    assert!(!table.complete_index(number, missed(0, 0)).unwrap());
    assert!(table.complete_index(number, state.missed).unwrap());
    let shipment = folder.path().join("shipment");
    table.export(&ranges(&[(i64::MIN, i64::MAX)]), &shipment).unwrap();
    table.receive(&shipment).unwrap();
    let state = table.index_state(NAME).unwrap();
    assert_eq!((state.complete, state.missed), (false, missed(0, 2)));
    store.close().unwrap();
}

/// With the log given up, rows may be left whose entries are not.
#[test]
fn a_log_that_is_given_up_makes_an_index_incomplete() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    with_index(&store);
    store.close().unwrap();
    let store = open_with(folder.path(), "wal_recovery=until_damage");
    assert!(!common::table(&store).index_state(NAME).unwrap().complete);
    store.close().unwrap();
    let store = open(folder.path());
    assert!(!common::table(&store).index_state(NAME).unwrap().complete);
    store.close().unwrap();
}

#[test]
fn an_entry_comes_with_the_row_that_its_key_names() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let (table, number) = with_index(&store);
    let values = ["", "a", "a\0", "ab", "b"];
    for (at, value) in values.iter().enumerate() {
        table.write(&indexed("a", None, &[(number, &[(value, at as u32), (value, 7)])]), 0).unwrap();
    }
    let named = |at: u32| [&entry(1)[..], &clustering(at), &[clustering(at).len() as u8]].concat();
    for (at, value) in values.iter().enumerate() {
        assert_eq!(found(&table, value), [named(at as u32), named(7)], "{value:?}");
    }
    let mut scan = vec![2, 0];
    scan.extend_from_slice(&[0; 8]);
    counted(&mut scan, &value_of("a"));
    counted(&mut scan, &[&value_of("ab")[..], &[0xFF]].concat());
    scan.extend_from_slice(&1u32.to_le_bytes());
    counted(&mut scan, &clustering(2));
    counted(&mut scan, &[0xFF; 9]);
    let scanned = scan_all(&table.index(NAME).unwrap(), &scan, 1 << 20);
    let scanned: Vec<_> = scanned.into_iter().filter(|entry| matches!(entry, Entry::Row(_))).collect();
    let expected = [named(7), named(2), named(7), named(3), named(7)];
    assert_eq!(scanned, expected.map(Entry::Row), "of three values, each from row 2 on");
    store.close().unwrap();
}

#[test]
fn rows_with_long_names_are_found_over_a_compaction() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let (table, number) = with_index(&store);
    for (at, length) in [1, 253, 254, 255, 70_000].into_iter().enumerate() {
        let mut request = indexed("a", None, &[(number, &[])]);
        let count_at = request.len() - 4;
        request[count_at] = 1;
        counted(&mut request, &value_of("red"));
        counted(&mut request, &[&[at as u8][..], &vec![0x10; length - 1]].concat());
        counted(&mut request, &entry(1));
        table.write(&request, 0).unwrap();
    }
    for _ in 0..2 {
        let lengths: Vec<usize> = found(&table, "red").iter().map(Vec::len).collect();
        assert_eq!(lengths, [9 + 1 + 1, 9 + 253 + 1, 9 + 254 + 1, 9 + 255 + 5, 9 + 70_000 + 5]);
        let index = table.index(NAME).unwrap();
        index.flush().unwrap();
        index.compact().unwrap();
    }
    store.close().unwrap();
}

/// What is not an entry is stored nowhere.
#[test]
fn keys_of_tables_and_row_fragments_are_no_entries() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let (table, number) = with_index(&store);
    for (value, row_name, fragment, why) in [
        (partition("red"), clustering(1), entry(1), "value"),
        (value_of("red"), Vec::new(), entry(1), "names no row"),
        (value_of("red"), clustering(1), row(1, 1, b"v"), "version"),
    ] {
        let mut request = indexed("a", None, &[(number, &[])]);
        let count_at = request.len() - 4;
        request[count_at] = 1;
        [value, row_name, fragment].iter().for_each(|part| counted(&mut request, part));
        let error = table.write(&request, 0).unwrap_err();
        assert!(error.message().contains(why), "{error}");
    }
    let of_value = update(&value_of("red"), &[(ROW, &clustering(1), &row(1, 1, b"v"))]);
    assert!(table.write(&of_value, 0).is_err(), "the value of an index is no partition of a table");
    store.close().unwrap();
}

/// A store with a complete index of the former format, killed with entries in its log. The table keeps its rows; the index
/// is gone, and made anew by whoever knows the schema.
#[test]
fn an_index_of_the_former_format_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let golden = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/store-index-v1/db");
    std::fs::create_dir(folder.path().join("db")).unwrap();
    for file in std::fs::read_dir(golden).unwrap().map(Result::unwrap) {
        std::fs::copy(file.path(), folder.path().join("db").join(file.file_name())).unwrap();
    }
    for _ in 0..2 {
        let store = open(folder.path());
        let table = common::table(&store);
        assert_eq!(rows(&table, "a").len(), 3);
        assert!(table.index_names().unwrap().is_empty());
        store.close().unwrap();
    }
    let store = open(folder.path());
    let table = common::table(&store);
    let state = table.create_index(NAME).unwrap();
    assert!(state.number > 1 && !state.complete, "number {}", state.number);
    assert_eq!(entries_of(&table, "red"), 0);
    // a kill in the middle of the build
    store.close().unwrap();
    let store = open(folder.path());
    let table = common::table(&store);
    let state = table.index_state(NAME).unwrap();
    assert!(!state.complete);
    table.write(&indexed("a", None, &[(state.number, &[("red", 1), ("red", 2), ("red", 3)])]), 0).unwrap();
    assert!(table.complete_index(state.number, state.missed).unwrap());
    store.close().unwrap();
    let store = open(folder.path());
    let table = common::table(&store);
    assert!(table.index_state(NAME).unwrap().complete);
    assert_eq!((rows(&table, "a").len(), entries_of(&table, "red")), (3, 3));
    store.close().unwrap();
}

/// What an index has of a row of a table without clustering columns.
fn row_of(partition: &[u8]) -> Vec<u8> {
    let half = ((murmur3_token(partition) >> 32) as u32 ^ 1 << 31).to_be_bytes();
    [&half[..], &[partition.len() as u8], partition].concat()
}

#[test]
fn packed_entries_are_small_and_are_read_after_a_restart() {
    const ROWS: u32 = 20_000;
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let (table, number) = with_index(&store);
    for at in 0..ROWS {
        let mut out = update(&partition("a"), &[]);
        out[0] = 2;
        out.extend_from_slice(&1u32.to_le_bytes());
        out.extend_from_slice(&number.to_le_bytes());
        out.extend_from_slice(&1i64.to_le_bytes());
        out.extend_from_slice(&1u32.to_le_bytes());
        counted(&mut out, &value_of(&(at % 200).to_string()));
        counted(&mut out, &row_of(&(at.wrapping_mul(2_654_435_761) % 1_000_000).to_be_bytes()));
        counted(&mut out, &entry(1));
        table.write(&out, 0).unwrap();
    }
    let index = table.index(NAME).unwrap();
    index.flush().unwrap();
    let before: Vec<_> = (0..200).map(|value| found(&table, &value.to_string())).collect();
    index.compact().unwrap();
    let bytes = index.stats().unwrap()[FILE_BYTES];
    assert!(bytes < 3 * i64::from(ROWS), "{bytes} bytes");
    let check = |table: &Table| {
        for (value, rows) in before.iter().enumerate() {
            assert_eq!(&found(table, &value.to_string()), rows, "{value}");
        }
    };
    check(&table);
    assert_eq!(before.iter().map(Vec::len).sum::<usize>() as u32, ROWS);
    let verified = table.verify(Depth::Checksums, &[0; 4]).unwrap();
    assert_eq!((verified.files, verified.bytes), (1, bytes as u64), "of the index");
    store.close().unwrap();
    let store = open(folder.path());
    let table = common::table(&store);
    check(&table);
    table.index(NAME).unwrap().compact().unwrap();
    check(&table);
    store.close().unwrap();
}

/// These take 3 bytes each, and 6 with LZ4 and the filters that tables have.
#[test]
fn entries_are_smaller_than_lz4_makes_them() {
    const ROWS: u32 = 20_000;
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let (table, number) = with_index(&store);
    for at in 0..ROWS {
        let value = (at % 200).to_string();
        table.write(&indexed(&at.to_string(), None, &[(number, &[(value.as_str(), at)])]), 0).unwrap();
    }
    let index = table.index(NAME).unwrap();
    index.flush().unwrap();
    index.compact().unwrap();
    let bytes = index.stats().unwrap()[FILE_BYTES];
    assert!(bytes < 5 * i64::from(ROWS), "{bytes} bytes");
    store.close().unwrap();
}
