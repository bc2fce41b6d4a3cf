// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Which rows a client sees.

use super::support::*;
use crate::reason::Reason;
use cassiterite_codec::header::{self, Position, Range};
use cassiterite_codec::row::{Cell, Liveness};
use cassiterite_codec::DeletionTime;

const LIVE: DeletionTime = DeletionTime::LIVE;

fn at(timestamp: i64) -> Liveness {
    Liveness::without_ttl(timestamp)
}

fn expiring(ttl_s: u32, expires_s: i64) -> Cell<'static> {
    Cell { ttl_s, local_deletion_time_s: expires_s, ..Cell::live(T, b"abcd") }
}

/// The clustering 5 with what is given.
fn row(liveness: Liveness, deletion: DeletionTime, columns: &[(u32, Cell<'_>)]) -> Vec<u8> {
    entry(ROW, &fragment(Some(&raw_int(5)), liveness, deletion, columns))
}

/// What the default recipe makes of the entries, with the number of tombstones.
fn select(entries: &[Vec<u8>]) -> (Vec<Vec<Returned>>, u32) {
    let execute = ExecuteBytes::new(4, &[&int(7), &int(5)]).with(2, &[]);
    let (response, served) = answered(&RecipeBytes::default().recipe(), &execute, entries, 1000).unwrap();
    let rows = returned(&response, 3);
    assert_eq!(rows.len(), served.rows as usize);
    (rows, served.tombstones)
}

fn seen(value: Option<&[u8]>) -> Vec<Vec<Returned>> {
    vec![vec![Some(int(7)), Some(int(5)), value.map(<[u8]>::to_vec)]]
}

#[test]
fn liveness_or_any_fetched_cell_makes_a_row() {
    let value = (1, Cell::live(T, b"value"));
    for (liveness, columns, rows) in [
        (at(T), vec![], seen(None)),
        (at(T), vec![value], seen(Some(b"value"))),
        (at(T), vec![(1, Cell::live(T, b""))], seen(Some(b""))),
        (Liveness::NONE, vec![value], seen(Some(b"value"))),
        (Liveness::NONE, vec![(2, Cell::live(T, b"other"))], seen(None)),
        (Liveness::NONE, vec![(3, Cell::live(T, b"not fetched"))], vec![]),
        (Liveness::NONE, vec![value, (3, Cell::live(T, b"not fetched"))], seen(Some(b"value"))),
    ] {
        assert_eq!(select(&[row(liveness, LIVE, &columns), entry(SLICE_END, &[])]), (rows, 0), "{columns:?}");
    }
    assert_eq!(select(&[entry(SLICE_END, &[])]), (vec![], 0));
    assert_eq!(select(&[]), (vec![], 0));
}

#[test]
fn cells_end_in_the_second_in_which_they_expire() {
    for (expires_s, rows, tombstones) in
        [(NOW_S + 1, seen(Some(b"abcd")), 0), (NOW_S, vec![], 1), (NOW_S - 1, vec![], 1)]
    {
        let entries = [row(Liveness::NONE, LIVE, &[(1, expiring(60, expires_s))])];
        assert_eq!(select(&entries), (rows, tombstones));
    }
    // The row outlives its cell, which is then null.
    assert_eq!(select(&[row(at(T), LIVE, &[(1, expiring(60, NOW_S))])]), (seen(None), 1));
}

#[test]
fn a_liveness_ends_in_the_second_in_which_it_expires() {
    let until = |ttl_s, local_expiration_time_s| Liveness { timestamp: T, ttl_s, local_expiration_time_s };
    assert_eq!(select(&[row(until(60, NOW_S + 1), LIVE, &[])]), (seen(None), 0));
    assert_eq!(select(&[row(until(60, NOW_S), LIVE, &[])]), (vec![], 1));
    assert_eq!(select(&[row(until(i32::MAX as u32, NOW_S + 1), LIVE, &[])]), (vec![], 1));
    let outlived = [row(until(60, NOW_S), LIVE, &[(2, Cell::live(T, b"x"))])];
    assert_eq!(select(&outlived), (seen(None), 0));
}

#[test]
fn a_request_may_bring_its_own_time() {
    let execute = |now_s: i64| {
        let now = u32::try_from(now_s).unwrap().to_be_bytes();
        ExecuteBytes::new(5, &[&int(7), &int(5)]).with(2, &[]).with(0x100, &now)
    };
    let entries = [row(Liveness::NONE, LIVE, &[(1, expiring(60, NOW_S + 100))])];
    for (now_s, rows) in [(NOW_S + 99, 1), (NOW_S + 100, 0)] {
        let (response, _) = answered(&RecipeBytes::default().recipe(), &execute(now_s), &entries, 10).unwrap();
        assert_eq!(returned(&response, 3).len(), rows);
    }
}

#[test]
fn tombstones_make_no_row() {
    let tombstone = Cell::tombstone(T, NOW_S);
    assert_eq!(select(&[row(Liveness::NONE, LIVE, &[(1, tombstone), (2, tombstone)])]), (vec![], 2));
    assert_eq!(select(&[row(Liveness::NONE, LIVE, &[(1, tombstone), (3, tombstone)])]), (vec![], 1));
    assert_eq!(select(&[row(at(T), LIVE, &[(1, tombstone)])]), (seen(None), 1));
}

#[test]
fn deletions_of_rows_and_partitions_hide_what_is_not_newer() {
    let deletion = |timestamp| DeletionTime::new(timestamp, NOW_S);
    let partition = |timestamp| {
        let mut out = Vec::new();
        header::write(&deletion(timestamp), &[], &mut out);
        entry(HEADER, &out)
    };
    let value = [(1, Cell::live(T, b"value"))];
    assert_eq!(select(&[row(Liveness::NONE, deletion(T), &[])]), (vec![], 1));
    assert_eq!(select(&[row(Liveness::NONE, deletion(T - 1), &value)]), (seen(Some(b"value")), 0));
    assert_eq!(select(&[partition(T - 1), row(at(T), LIVE, &value)]), (seen(Some(b"value")), 0));
    assert_eq!(select(&[partition(T), row(at(T), LIVE, &value)]), (vec![], 0));
    assert_eq!(select(&[partition(T), row(at(T + 1), LIVE, &value)]), (seen(None), 0));
    assert_eq!(select(&[partition(T), row(Liveness::NONE, deletion(T), &value)]), (vec![], 0));
    assert_eq!(select(&[partition(T), row(Liveness::NONE, deletion(T + 1), &[])]), (vec![], 1));
    // A deletion at the smallest time deletes nothing.
    assert_eq!(select(&[partition(i64::MIN), row(at(T), LIVE, &value)]), (seen(Some(b"value")), 0));
}

/// A header with the rows from one clustering up to another, deleted at T.
fn ranges(clusterings: &[(&[u8], &[u8])]) -> Vec<u8> {
    let position = |order| Position { order, raw: &[] };
    let deletion = DeletionTime::new(T, NOW_S);
    let ranges: Vec<_> =
        clusterings.iter().map(|(start, end)| Range { start: position(start), end: position(end), deletion }).collect();
    let mut out = Vec::new();
    header::write(&LIVE, &ranges, &mut out);
    entry(HEADER, &out)
}

#[test]
fn range_tombstones_hide_the_rows_in_them() {
    let value = [(1, Cell::live(T, b"value"))];
    let five = |end: u8| vec![0x40, 0x80, 0, 0, 5, end];
    let (before, after) = (five(0x20), five(0x60));
    for (start, end, is_hidden) in [
        (&[0x20][..], &[0x60][..], true),
        (&before, &after, true),
        (&after, &[0x60], false),
        (&[0x20], &before, false),
        (&[0x20], &after, true),
        (&before, &[0x60], true),
    ] {
        let (rows, _) = select(&[ranges(&[(start, end)]), row(at(T), LIVE, &value)]);
        assert_eq!(rows, if is_hidden { vec![] } else { seen(Some(b"value")) }, "{start:x?} {end:x?}");
        let newer = row(at(T + 1), LIVE, &value);
        let (rows, _) = select(&[ranges(&[(start, end)]), newer]);
        assert_eq!(rows, seen(if is_hidden { None } else { Some(b"value") }));
    }
}

#[test]
fn static_columns_come_with_the_row_or_alone() {
    let recipe = |flags| {
        let columns = vec![regular(1, &[0]), static_column(4, &[0]), key(0), clustering(0)];
        RecipeBytes { columns, statics: vec![4], flags, ..RecipeBytes::default() }.recipe()
    };
    let execute = ExecuteBytes::new(4, &[&int(7), &int(5)]).with(2, &[]);
    let statics = |cell| entry(STATIC, &fragment(None, Liveness::NONE, LIVE, &[(4, cell), (9, cell)]));
    let rows = |flags, entries: &[Vec<u8>]| {
        let (response, served) = answered(&recipe(flags), &execute, entries, 10).unwrap();
        (returned(&response, 4), served.live_rows)
    };
    let (shared, value) = (statics(Cell::live(T, b"shared")), row(at(T), LIVE, &[(1, Cell::live(T, b"value"))]));
    let with = |value: Option<&[u8]>, shared: Option<&[u8]>, clustering| {
        vec![vec![value.map(<[u8]>::to_vec), shared.map(<[u8]>::to_vec), Some(int(7)), clustering]]
    };
    let five = Some(int(5));
    assert_eq!(rows(2, &[shared.clone(), value.clone()]), (with(Some(b"value"), Some(b"shared"), five.clone()), 2));
    assert_eq!(rows(2, &[statics(expiring(60, NOW_S)), value.clone()]), (with(Some(b"value"), None, five.clone()), 1));
    assert_eq!(rows(2, std::slice::from_ref(&value)), (with(Some(b"value"), None, five), 1));
    assert_eq!(rows(2, std::slice::from_ref(&shared)), (vec![], 1));
    assert_eq!(rows(6, std::slice::from_ref(&shared)), (with(None, Some(b"shared"), None), 1));
    assert_eq!(rows(6, &[statics(Cell::tombstone(T, NOW_S))]), (vec![], 0));
    let mut deleted = Vec::new();
    header::write(&DeletionTime::new(T, NOW_S), &[], &mut deleted);
    assert_eq!(rows(6, &[entry(HEADER, &deleted), shared]), (vec![], 0));
}

#[test]
fn a_table_without_clustering_columns_has_one_row() {
    let recipe = RecipeBytes { clustering: vec![], selection: rows(&[vec![]]), binds: 1, ..RecipeBytes::default() };
    let recipe = RecipeBytes { columns: vec![regular(1, &[0]), regular(1, &[0])], ..recipe }.recipe();
    let execute = ExecuteBytes::new(4, &[&int(7)]).with(2, &[]);
    for clustering in [None, Some(&[][..])] {
        let fragment = fragment(clustering, at(T), LIVE, &[(1, Cell::live(T, b"v"))]);
        let (response, _) = answered(&recipe, &execute, &[entry(ROW, &fragment)], 0).unwrap();
        assert_eq!(returned(&response, 2), [vec![Some(b"v".to_vec()), Some(b"v".to_vec())]]);
    }
}

#[test]
fn what_a_recipe_does_not_explain_is_forwarded() {
    let execute = ExecuteBytes::new(4, &[&int(7), &int(5)]);
    let forwarded = |entries: &[Vec<u8>]| answered(&RecipeBytes::default().recipe(), &execute, entries, 1).unwrap_err();
    let counter = Cell { is_counter: true, ..Cell::live(T, b"x") };
    let tombstone = Cell::tombstone(T, NOW_S);
    let long = vec![b'x'; 1 << 20];
    for (entries, reason) in [
        (row(at(T), LIVE, &[(1, counter)]), Reason::UnknownContent),
        (entry(ROW, &fragment(None, at(T), LIVE, &[])), Reason::UnknownContent),
        (entry(ROW, &[2, 0]), Reason::UnknownContent),
        (entry(HEADER, &[2, 0]), Reason::UnknownContent),
        (entry(4, &[]), Reason::UnknownContent),
        (vec![3, 1], Reason::UnknownContent),
        (row(at(T), LIVE, &[(1, tombstone), (2, tombstone)]), Reason::Tombstones),
        (row(at(T), LIVE, &[(1, Cell::live(T, &long))]), Reason::AnswerLength),
    ] {
        assert_eq!(forwarded(&[entries]), reason);
    }
}
