// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Columns keep their ids, and an id is never used again.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod common;

use cassiterite_engine::{Kind, Table};
use common::*;
use std::sync::Arc;

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
    let (a, b, c) = ((0, "a", "int"), (0, "b", "text"), (1, "c", "int"));
    let table = store.table(&schema(&TABLE, &[a, b, c])).unwrap();
    assert_eq!(ids(&table.column_ids().unwrap()), [1, 2, 3]);
    let same = table.columns(&schema(&TABLE, &[c, (0, "b", "varchar"), a])).unwrap();
    assert_eq!(ids(&same), [1, 2, 3]);
    let without = table.columns(&schema_with_drops(&TABLE, &[a, c], &[(0, "b", 5)])).unwrap();
    assert_eq!(ids(&without), [1, 3]);
    let again = table.columns(&schema_with_drops(&TABLE, &[a, b, c], &[(0, "b", 5)])).unwrap();
    assert_eq!(columns(&again)[2], (4, 0, "b".into(), "text".into()));
    let drops = [(0, "a", 6), (0, "b", 5), (1, "c", 6)];
    let retyped = schema_with_drops(&TABLE, &[(0, "a", "blob"), b, (0, "c", "int")], &drops);
    assert_eq!(ids(&table.columns(&retyped).unwrap()), [4, 5, 6], "another type or kind is another column");
    store.close().unwrap();
    let store = open(directory.path());
    let table = store.table(&retyped).unwrap();
    assert_eq!(ids(&table.column_ids().unwrap()), [4, 5, 6]);
    let truncated = table.truncate().unwrap();
    assert_eq!(ids(&truncated.column_ids().unwrap()), [4, 5, 6]);
}

const V: (u8, &str, &str) = (0, "v", "int");
const W: (u8, &str, &str) = (0, "w", "blob");

/// The values of column 2 in the rows of a partition.
fn values(table: &Arc<Table>) -> Vec<Vec<u8>> {
    rows(table, "p").into_iter().filter(|fragment| fragment == &row(1, 2, b"of w")).collect()
}

#[test]
fn a_column_that_a_request_lacks_is_hidden_and_comes_back_with_its_values() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = store.table(&schema(&TABLE, &[V, W])).unwrap();
    let written = update(&partition("p"), &[(ROW, &clustering(1), &row(1, 2, b"of w"))]);
    table.write(&written, 0).unwrap();
    assert_eq!(ids(&table.columns(&schema(&TABLE, &[V])).unwrap()), [1]);
    table.compact().unwrap();
    assert_eq!(ids(&table.column_ids().unwrap()), [1]);
    drop(table);
    store.close().unwrap();
    let store = open(directory.path());
    let table = store.table(&schema(&TABLE, &[V])).unwrap();
    table.compact().unwrap();
    assert_eq!(ids(&table.columns(&schema(&TABLE, &[V, W])).unwrap()), [1, 2]);
    assert_eq!(values(&table).len(), 1);
}

#[test]
fn a_drop_is_for_good_and_for_what_came_before_it() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = store.table(&schema(&TABLE, &[V, W])).unwrap();
    let written = update(&partition("p"), &[(ROW, &clustering(1), &row(1, 2, b"of w"))]);
    table.write(&written, 0).unwrap();
    let told = |columns: &[(u8, &str, &str)], dropped_ms: i64| {
        ids(&table.columns(&schema_with_drops(&TABLE, columns, &[(0, "w", dropped_ms)])).unwrap())
    };
    assert_eq!(told(&[V], 10), [1]);
    table.compact().unwrap();
    assert_eq!(values(&table).len(), 0);
    for _ in 0..2 {
        assert_eq!(told(&[V, W], 10), [1, 3], "the schema still names the drop that came before");
    }
    assert_eq!(told(&[V], 20), [1]);
    assert_eq!(told(&[V, W], 20), [1, 4]);
    for _ in 0..2 {
        assert_eq!(told(&[V, W], 30), [1, 5], "dropped and added again before the next request");
    }
}

#[test]
fn a_schema_from_before_a_column_was_added_again_does_not_drop_it() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let again = schema_with_drops(&TABLE, &[V, W], &[(0, "w", 10)]);
    let dropped = schema_with_drops(&TABLE, &[V], &[(0, "w", 10)]);
    let table = store.table(&schema(&TABLE, &[V, W])).unwrap();
    table.columns(&dropped).unwrap();
    assert_eq!(ids(&table.columns(&again).unwrap()), [1, 3]);
    assert_eq!(ids(&table.columns(&dropped).unwrap()), [1]);
    assert_eq!(ids(&table.columns(&schema(&TABLE, &[V])).unwrap()), [1]);
    assert_eq!(ids(&table.columns(&again).unwrap()), [1, 3]);
}

#[test]
fn a_column_of_another_type_hides_the_one_that_was_there() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = store.table(&schema(&TABLE, &[V, W])).unwrap();
    let retyped = schema(&TABLE, &[V, (0, "w", "text")]);
    assert_eq!(ids(&table.columns(&retyped).unwrap()), [1, 3]);
    assert_eq!(ids(&table.columns(&schema(&TABLE, &[V, W])).unwrap()), [1, 2]);
    assert_eq!(ids(&table.columns(&retyped).unwrap()), [1, 3]);
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
    let dropped_twice = schema_with_drops(&TABLE, &[], &[(0, "v", 1), (0, "v", 2)]);
    assert_eq!(table.columns(&dropped_twice).unwrap_err().kind(), Kind::Invalid);
    let good = schema_with_drops(&TABLE, &[(0, "v", "blob")], &[(0, "x", 1)]);
    for length in 0..good.len() {
        assert_eq!(table.columns(&good[..length]).unwrap_err().kind(), Kind::Invalid);
    }
}
