// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What becomes of ids, from the columns of both sides.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::catalog::{ColumnKind, FIRST_FAMILY, FIRST_INDEX, NO_DROP};
use crate::error::Kind;

fn in_state(id: u32, name: &str, state: ColumnState) -> Column {
    let name = name.as_bytes().to_vec();
    Column { id, kind: ColumnKind::Regular, state, added_after_ms: None, name, of: "int".into() }
}

fn column(id: u32, name: &str, dropped: bool) -> Column {
    in_state(id, name, if dropped { ColumnState::Dropped } else { ColumnState::Live })
}

fn hidden(id: u32, name: &str) -> Column {
    in_state(id, name, ColumnState::Hidden)
}

fn hidden_ids(record: &Record) -> Vec<u32> {
    let hidden = record.columns.iter().filter(|column| column.state == ColumnState::Hidden);
    hidden.map(|column| column.id).collect()
}

fn record(columns: Vec<Column>) -> Record {
    Record {
        generation: 1,
        counter: false,
        has_headers: false,
        has_data: false,
        keyspace: "ks".into(),
        name: "t".into(),
        next_column_id: columns.iter().map(|column| column.id).max().unwrap_or_default() + 1,
        columns,
        base: FIRST_FAMILY,
        side_families: Vec::new(),
        next_family: FIRST_FAMILY + 1,
        next_index: FIRST_INDEX,
        indexes: Vec::new(),
    }
}

#[test]
fn equal_ids_stay_and_ids_dropped_by_the_sender_are_reserved() {
    let theirs = [column(1, "a", false), column(2, "gone", true), column(3, "b", false)];
    let mut here = record(vec![column(1, "a", false), column(3, "b", false)]);
    let Plan::Same(unused) = plan(&theirs, &here).unwrap() else { unreachable!() };
    assert_eq!(unused, [column(2, "gone", true)]);
    reserve(&unused, &mut here);
    reserve(&unused, &mut here);
    assert_eq!(here.columns.len(), 3);
    assert_eq!(here.next_column_id, 4);
    assert!(here.dropped().contains(2));
}

#[test]
fn other_ids_are_mapped_by_name() {
    let theirs = [column(1, "b", false), column(2, "a", false), column(3, "late", true)];
    let here = record(vec![column(1, "a", false), column(2, "b", false), column(3, "c", false)]);
    assert_eq!(plan(&theirs, &here).unwrap(), Plan::Rewrite([(1, 2), (2, 1)].into_iter().collect()));
    let collides = [column(1, "a", false), column(2, "b", false), column(3, "gone", true)];
    assert_eq!(plan(&collides, &here).unwrap(), Plan::Rewrite([(1, 1), (2, 2)].into_iter().collect()));
}

#[test]
fn dropped_here_and_not_yet_there() {
    let theirs = [column(1, "a", false), column(2, "b", false)];
    assert_eq!(plan(&theirs, &record(vec![column(1, "a", false), column(2, "b", true)])).unwrap(), Plan::Same(vec![]));
    let added_again = record(vec![column(1, "a", false), column(2, "b", true), column(3, "b", false)]);
    let Plan::Rewrite(map) = plan(&theirs, &added_again).unwrap() else { unreachable!() };
    assert_eq!(map, [(1, 1), (2, 3)].into_iter().collect());
}

#[test]
fn added_again_there_and_not_yet_here() {
    let theirs = [column(1, "a", false), column(2, "b", true), column(3, "b", false)];
    let behind = record(vec![column(1, "a", false), column(2, "b", true)]);
    assert!(
        matches!(plan(&theirs, &behind), Err(EngineError { kind: Kind::Invalid, message: why, .. }) if why.contains("column b"))
    );
    let ahead = record(vec![column(1, "a", false), column(2, "b", true), column(3, "b", true)]);
    assert_eq!(plan(&theirs, &ahead).unwrap(), Plan::Same(vec![]));
}

#[test]
fn dropped_and_added_again_there_and_neither_known_here() {
    let theirs = [column(1, "a", false), column(2, "b", true), column(3, "b", false)];
    let own = |added_after_ms| Column { added_after_ms: Some(added_after_ms), ..column(2, "b", false) };
    let behind = record(vec![column(1, "a", false), own(NO_DROP)]);
    assert!(
        matches!(plan(&theirs, &behind), Err(EngineError { kind: Kind::Invalid, message: why, .. }) if why.contains("column b"))
    );
    // A node that joined after the drop knows of it, though it never had the dropped column.
    let joined = record(vec![column(1, "a", false), own(1_700_000_000_000)]);
    assert_eq!(plan(&theirs, &joined).unwrap(), Plan::Rewrite([(1, 1), (3, 2)].into_iter().collect()));
}

#[test]
fn what_was_never_here_is_refused() {
    let error = plan(&[column(1, "a", false), column(2, "new", false)], &record(vec![column(1, "a", false)]));
    assert!(matches!(error, Err(EngineError { kind: Kind::Invalid, message: why, .. }) if why.contains("new")));
}

#[test]
fn an_empty_table_takes_over_ids() {
    let theirs = [column(1, "z", true), column(4, "b", false), column(2, "a", false)];
    let mut here = record(vec![column(1, "a", false), column(2, "b", false), column(3, "c", false)]);
    adopt(&theirs, &mut here);
    let live: Vec<_> = here.live().map(|column| (column.id, column.name.clone())).collect();
    assert_eq!(live, [(4, b"b".to_vec()), (2, b"a".to_vec()), (5, b"c".to_vec())]);
    assert!(here.dropped().contains(1));
    assert_eq!(here.next_column_id, 6);
    assert_eq!(plan(&theirs, &here).unwrap(), Plan::Same(vec![]));
}
#[test]
fn hidden_on_one_side_is_the_same_column() {
    let (live, behind) = ([column(1, "a", false), column(2, "b", false)], [column(1, "a", false), hidden(2, "b")]);
    for (theirs, ours) in [(&live, &behind), (&behind, &live), (&behind, &behind)] {
        assert_eq!(plan(theirs, &record(ours.to_vec())).unwrap(), Plan::Same(vec![]));
    }
    let elsewhere = record(vec![column(1, "a", false), column(2, "c", false), hidden(3, "b")]);
    assert_eq!(plan(&live, &elsewhere).unwrap(), Plan::Rewrite([(1, 1), (2, 3)].into_iter().collect()));
}

#[test]
fn what_neither_schema_has_is_hidden_here_too() {
    let theirs = [column(1, "a", false), hidden(2, "b")];
    let mut here = record(vec![column(1, "a", false)]);
    let Plan::Same(unused) = plan(&theirs, &here).unwrap() else { unreachable!() };
    reserve(&unused, &mut here);
    assert_eq!(hidden_ids(&here), [2]);
    let mut taken = record(vec![column(1, "a", false), column(2, "c", false)]);
    admit_hidden(&theirs, &mut taken).unwrap();
    admit_hidden(&theirs, &mut taken).unwrap();
    assert_eq!(hidden_ids(&taken), [3]);
    assert_eq!(plan(&theirs, &taken).unwrap(), Plan::Rewrite([(1, 1), (2, 3)].into_iter().collect()));
}

#[test]
fn what_is_hidden_there_and_dropped_here_is_dropped() {
    let theirs = [column(1, "a", false), hidden(2, "b")];
    let mut here = record(vec![column(1, "a", false), column(3, "b", true)]);
    assert_eq!(plan(&theirs, &here).unwrap(), Plan::Same(vec![column(2, "b", true)]));
    admit_hidden(&theirs, &mut here).unwrap();
    assert!(hidden_ids(&here).is_empty());
}

#[test]
fn an_empty_table_takes_over_ids_of_hidden_columns() {
    let theirs = [hidden(1, "b"), hidden(2, "x"), column(3, "a", false), column(4, "c", false)];
    let own = |id, name| Column { added_after_ms: Some(5), ..column(id, name, false) };
    let mut here = record(vec![own(1, "a"), own(2, "b"), Column { state: ColumnState::Hidden, ..own(3, "c") }]);
    adopt(&theirs, &mut here);
    let states: Vec<_> = here.columns.iter().map(|column| (column.id, column.state, column.added_after_ms)).collect();
    assert_eq!(
        states,
        [
            (1, ColumnState::Live, Some(5)),
            (2, ColumnState::Hidden, None),
            (3, ColumnState::Live, Some(5)),
            (4, ColumnState::Hidden, Some(5))
        ]
    );
    assert_eq!(plan(&theirs, &here).unwrap(), Plan::Same(vec![]));
}
