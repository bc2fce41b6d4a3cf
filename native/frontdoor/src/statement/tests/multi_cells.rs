// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Columns of many cells, and counters, become the values that Cassandra returns.

use super::support::*;
use crate::reason::Reason;
use crate::statement::response::Served;
use cassiterite_codec::row::{Cell, Liveness};
use cassiterite_codec::DeletionTime;

const GOLDEN: &str = include_str!("../../../tests/golden/multi-cell-values.txt");
const LIVE: DeletionTime = DeletionTime::LIVE;
const SET: &[u8] = &[1];
const LIST: &[u8] = &[2];
const MAP: &[u8] = &[3];
const COUNTER: &[u8] = &[5];

fn udt(fields: u16) -> Vec<u8> {
    [&[4][..], &fields.to_be_bytes()].concat()
}

/// A row with cells of column 1, in this order.
fn row(deletion: DeletionTime, column_deletion: DeletionTime, cells: &[(&[u8], Cell<'_>)]) -> Vec<u8> {
    entry(ROW, &many_cells(deletion, column_deletion, cells))
}

fn select(encoder: &[u8], row: Vec<u8>) -> Result<(Vec<Vec<Returned>>, Served), Reason> {
    let recipe =
        RecipeBytes { columns: vec![regular(1, encoder)], regulars: vec![1], ..RecipeBytes::default() }.recipe();
    let execute = ExecuteBytes::new(4, &[&int(7), &int(5)]).with(2, &[]);
    answered(&recipe, &execute, &[row], 100).map(|(response, served)| (returned(&response, 1), served))
}

/// The value of column 1 in the only row.
fn value(encoder: &[u8], row: Vec<u8>) -> Returned {
    let (mut rows, _) = select(encoder, row).unwrap();
    assert_eq!(rows.len(), 1);
    rows.remove(0).remove(0)
}

fn live(value: &[u8]) -> Cell<'_> {
    Cell::live(T, value)
}

#[test]
fn values_are_those_of_cassandra() {
    let bytes = |hex: &str| if hex == "." { Vec::new() } else { unhex(hex) };
    for line in GOLDEN.lines().filter(|line| !line.starts_with('#')) {
        let [kind, cells, expected] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let encoder = match kind.split(':').collect::<Vec<_>>()[..] {
            ["set"] => SET.to_vec(),
            ["list"] => LIST.to_vec(),
            ["map"] => MAP.to_vec(),
            ["udt", fields] => udt(fields.parse().unwrap()),
            _ => panic!("{line}"),
        };
        let cells = cells.split(',').map(|cell| cell.split_once('=').unwrap());
        let cells: Vec<_> = cells.map(|(path, value)| (bytes(path), bytes(value))).collect();
        let cells: Vec<_> = cells.iter().map(|(path, value)| (&path[..], live(value))).collect();
        assert_eq!(value(&encoder, row(LIVE, LIVE, &cells)), Some(unhex(expected)), "{line}");
    }
}

#[test]
fn only_live_cells_are_in_a_value() {
    let expired = Cell { ttl_s: 60, local_deletion_time_s: NOW_S, ..live(b"expired") };
    let expiring = Cell { ttl_s: 60, local_deletion_time_s: NOW_S + 1, ..live(b"y") };
    let old = Cell::live(T - 10, b"old");
    let cells: [(&[u8], _); 5] =
        [(b"a", live(b"x")), (b"b", Cell::tombstone(T, NOW_S)), (b"c", expired), (b"d", expiring), (b"e", old)];
    let deletion = DeletionTime::new(T - 5, NOW_S);
    for row in [row(LIVE, deletion, &cells), row(deletion, LIVE, &cells)] {
        let (rows, served) = select(MAP, row).unwrap();
        let pairs = [counted(b"a"), counted(b"x"), counted(b"d"), counted(b"y")].concat();
        assert_eq!(rows, [[Some([&2u32.to_be_bytes()[..], &pairs].concat())]]);
        assert_eq!(served.tombstones, 2);
    }
}

#[test]
fn without_a_live_cell_there_is_neither_value_nor_row() {
    let tombstone: [(&[u8], _); 1] = [(b"a", Cell::tombstone(T, NOW_S))];
    let old: [(&[u8], _); 1] = [(b"a", Cell::live(T - 10, b""))];
    let deletion = DeletionTime::new(T, NOW_S);
    for (row, tombstones) in [
        (row(LIVE, LIVE, &tombstone), 1),
        (row(LIVE, deletion, &[]), 1),
        (row(LIVE, deletion, &old), 1),
        (row(deletion, LIVE, &old), 1),
    ] {
        let (rows, served) = select(SET, row).unwrap();
        assert_eq!((rows.len(), served.tombstones), (0, tombstones));
    }
}

#[test]
fn a_row_may_exist_by_such_a_column_that_is_not_selected() {
    let cells: [(&[u8], _); 1] = [(b"a", live(b""))];
    let recipe = RecipeBytes { columns: vec![key(0), regular(2, SET)], ..RecipeBytes::default() }.recipe();
    let execute = ExecuteBytes::new(4, &[&int(7), &int(5)]).with(2, &[]);
    let (response, _) = answered(&recipe, &execute, &[row(LIVE, LIVE, &cells)], 100).unwrap();
    assert_eq!(returned(&response, 2), [[Some(int(7)), None]]);
}

#[test]
fn fields_that_a_type_does_not_have_are_forwarded() {
    let cells: [(&[u8], _); 2] = [(&[0, 0], live(b"x")), (&[0, 2], live(b"y"))];
    let twice: [(&[u8], _); 2] = [(&[0, 1], live(b"x")), (&[0, 1], live(b"y"))];
    let short: [(&[u8], _); 1] = [(&[0], live(b"x"))];
    assert!(select(&udt(3), row(LIVE, LIVE, &cells)).is_ok());
    for (fields, cells) in [(2, &cells[..]), (3, &twice), (3, &short)] {
        assert_eq!(select(&udt(fields), row(LIVE, LIVE, cells)), Err(Reason::UnknownContent));
    }
}

#[test]
fn counters_are_their_totals() {
    let counter = |value| {
        let cell = Cell { is_counter: true, ..live(value) };
        entry(ROW, &fragment(Some(&raw_int(5)), Liveness::NONE, LIVE, &[(1, cell)]))
    };
    let shard = |id: u8, count: i64| [&[id; 16][..], &9i64.to_be_bytes(), &count.to_be_bytes()].concat();
    let two = [vec![0, 1, 0x80, 1], shard(1, 40), shard(2, -42)].concat();
    assert_eq!(value(COUNTER, counter(&two)), Some((-2i64).to_be_bytes().to_vec()));
    assert_eq!(value(COUNTER, counter(&[0, 0])), Some(0i64.to_be_bytes().to_vec()));
    assert_eq!(select(COUNTER, counter(&two[..two.len() - 1])), Err(Reason::UnknownContent));
    let deleted = fragment(Some(&raw_int(5)), Liveness::NONE, LIVE, &[(1, Cell::tombstone(T, NOW_S))]);
    assert_eq!(select(COUNTER, entry(ROW, &deleted)).unwrap().0.len(), 0);
}

#[test]
fn a_column_of_another_kind_is_forwarded() {
    let simple = entry(ROW, &fragment(Some(&raw_int(5)), Liveness::NONE, LIVE, &[(1, live(b"x"))]));
    let cells: [(&[u8], _); 1] = [(b"a", live(b""))];
    let many = row(LIVE, LIVE, &cells);
    for (encoder, row) in [(SET, &simple), (COUNTER, &simple), (&[0], &many), (COUNTER, &many)] {
        assert_eq!(select(encoder, row.clone()), Err(Reason::UnknownContent));
    }
}
