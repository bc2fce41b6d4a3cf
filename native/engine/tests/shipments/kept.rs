// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Cleanup leaves nothing of what it removes, and all of what it keeps.

use crate::common::*;
use crate::tokens::*;
use std::path::Path;

/// Every value holds this, in its token's half of the ring.
const MARKS: [&[u8]; 2] = [b"lower half of the ring", b"upper half of the ring"];
const LOWER: (i64, i64) = (i64::MIN, 0);

fn fill_marked(table: &cassiterite_engine::Table, timestamp: i64) {
    for number in 0..3000u64 {
        let name = format!("p{number}");
        let mark = MARKS[usize::from(token(&name) > 0)];
        put(table, &name, 1, timestamp, &[mark, &noise(number + 1, 100)].concat());
    }
}

/// How often the mark is in any table file of the store.
fn marks(store: &Path, mark: &[u8]) -> usize {
    std::fs::read_dir(store.join("db"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sst"))
        .map(|path| std::fs::read(path).unwrap().windows(mark.len()).filter(|window| *window == mark).count())
        .sum()
}

#[test]
fn what_is_not_kept_leaves_no_trace() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let store = small_files(&path);
    let table = table(&store);
    fill_marked(&table, 1);
    table.compact().unwrap();
    fill_marked(&table, 2); // above what is there: several versions, on several levels, and in the memtable
    let before = content(&table);
    let kept = [(i64::MIN, -4_000_000_000_000_000_000), (-3_000_000_000_000_000_000, 0)];
    table.keep(&ranges(&kept)).unwrap();
    assert!(content(&table) == within(&before, &kept));
    assert_eq!(marks(&path, MARKS[1]), 0);
    let left = marks(&path, MARKS[0]);
    let expected = within(&before, &kept).len();
    assert!((expected..expected * 2 + 1).contains(&left), "{left} of {expected}");

    fill_marked(&table, 3);
    assert!(content(&table).len() == before.len(), "what is written afterwards stays");
    table.keep(&ranges(&[LOWER])).unwrap();
    assert_eq!(marks(&path, MARKS[1]), 0);
    store.close().unwrap();
    let store = small_files(&path);
    assert!(content(&crate::common::table(&store)).keys().all(|(token, _)| *token <= 0));
}

#[test]
fn keeping_nothing_empties_and_keeping_all_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let store = small_files(&path);
    let table = table(&store);
    table.keep(&ranges(&[LOWER])).unwrap();
    fill_marked(&table, 1);
    let before = content(&table);
    table.keep(&ranges(&[ALL])).unwrap();
    assert!(content(&table) == before);
    table.keep(&ranges(&[])).unwrap();
    assert!(content(&table).is_empty());
    assert_eq!(marks(&path, MARKS[0]) + marks(&path, MARKS[1]), 0);
}

#[test]
fn headers_and_statics_go_with_their_partition() {
    let directory = tempfile::tempdir().unwrap();
    let store = small_files(&directory.path().join("store"));
    let table = table(&store);
    for number in 0..300 {
        let name = format!("p{number}");
        let header = partition_deletion(5);
        let (fixed, at_one) = (row(6, 3, b"static"), row(7, 1, b"row"));
        let entries: [(u8, &[u8], &[u8]); 3] =
            [(HEADER, b"", &header), (STATIC, b"", &fixed), (ROW, &clustering(1), &at_one)];
        table.write(&update(&partition(&name), &entries), 0).unwrap();
    }
    let before = content(&table);
    table.keep(&ranges(&[LOWER])).unwrap();
    assert!(content(&table) == within(&before, &[LOWER]));
}
