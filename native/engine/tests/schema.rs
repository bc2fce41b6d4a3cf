// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Columns keep their ids, and an id is never used again.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod common;

use cassiterite_engine::Kind;
use common::*;

/// Id, kind, name and type of the columns in an answer.
fn columns(answer: &[u8]) -> Vec<(u32, u8, String, String)> {
    let count = u32::from_le_bytes(answer[..4].try_into().unwrap());
    let mut rest = &answer[4..];
    let text = |rest: &mut &[u8]| {
        let length = u32::from_le_bytes(rest[..4].try_into().unwrap()) as usize;
        let text = String::from_utf8(rest[4..4 + length].to_vec()).unwrap();
        *rest = &rest[4 + length..];
        text
    };
    let columns = (0..count)
        .map(|_| {
            let (id, kind) = (u32::from_le_bytes(rest[..4].try_into().unwrap()), rest[4]);
            rest = &rest[5..];
            (id, kind, text(&mut rest), text(&mut rest))
        })
        .collect();
    assert!(rest.is_empty());
    columns
}

fn ids(answer: &[u8]) -> Vec<u32> {
    columns(answer).iter().map(|column| column.0).collect()
}

#[test]
fn columns_keep_their_ids_and_dropped_ones_never_come_back() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = store.table(&schema(&TABLE, &[(0, "a", "int"), (0, "b", "text"), (1, "c", "int")])).unwrap();
    assert_eq!(ids(&table.column_ids().unwrap()), [1, 2, 3]);
    let same = table.columns(&schema(&TABLE, &[(1, "c", "int"), (0, "b", "varchar"), (0, "a", "int")])).unwrap();
    assert_eq!(ids(&same), [1, 2, 3]);
    let without = table.columns(&schema(&TABLE, &[(0, "a", "int"), (1, "c", "int")])).unwrap();
    assert_eq!(ids(&without), [1, 3]);
    let again = table.columns(&schema(&TABLE, &[(0, "a", "int"), (0, "b", "text"), (1, "c", "int")])).unwrap();
    assert_eq!(columns(&again)[2], (4, 0, "b".into(), "text".into()));
    let retyped = table.columns(&schema(&TABLE, &[(0, "a", "blob"), (0, "b", "text"), (0, "c", "int")])).unwrap();
    assert_eq!(ids(&retyped), [4, 5, 6], "another type or kind is another column");
    store.close().unwrap();
    let store = open(directory.path());
    let table = store.table(&schema(&TABLE, &[(0, "a", "blob"), (0, "b", "text"), (0, "c", "int")])).unwrap();
    assert_eq!(ids(&table.column_ids().unwrap()), [4, 5, 6]);
    let truncated = table.truncate().unwrap();
    assert_eq!(ids(&truncated.column_ids().unwrap()), [4, 5, 6]);
}

#[test]
fn requests_that_contradict_the_table_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    let mut counters = schema(&TABLE, &[(0, "v", "counter")]);
    counters[1] = 1;
    assert_eq!(store.table(&counters).map(drop).unwrap_err().kind(), Kind::Invalid);
    let other = schema(b"another_table_id", &[]);
    assert_eq!(table.columns(&other).unwrap_err().kind(), Kind::Invalid);
    let twice = schema(&TABLE, &[(0, "v", "int"), (0, "v", "int")]);
    assert_eq!(table.columns(&twice).unwrap_err().kind(), Kind::Invalid);
    let good = schema(&TABLE, &[(0, "v", "blob")]);
    for length in 0..good.len() {
        assert_eq!(table.columns(&good[..length]).unwrap_err().kind(), Kind::Invalid);
    }
}
