// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Slices and rows become places in the engine's request.

use super::support::*;
use super::table::Table;
use crate::reason::Reason;
use cassiterite_codec::header::{self, Position, Range};
use cassiterite_codec::row::{Cell, Liveness};
use cassiterite_codec::DeletionTime;

/// A bound of the clusterings (text, int DESC).
fn bound(kind: u8, values: &[Vec<u8>]) -> Vec<u8> {
    [&[kind][..], &(values.len() as u16).to_be_bytes(), &values.concat()].concat()
}

pub(super) fn slices(slices: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let bounds: Vec<_> = slices.iter().map(|(start, end)| [start.as_slice(), end].concat()).collect();
    [&[1][..], &(slices.len() as u16).to_be_bytes(), &bounds.concat()].concat()
}

pub(super) fn bottom() -> Vec<u8> {
    bound(0, &[])
}

pub(super) fn top() -> Vec<u8> {
    bound(2, &[])
}

/// A recipe over one partition by a constant, clustered by (text, int DESC), with five values to bind.
fn recipe(selection: Vec<u8>, flags: u8) -> RecipeBytes {
    let columns = vec![clustering(0), clustering(1)];
    let partition = vec![constant(b"key")];
    RecipeBytes {
        binds: 5,
        partition,
        clustering: vec![TEXT, INT | 0x80],
        selection,
        flags,
        columns,
        ..Default::default()
    }
}

/// The rows (a, 9), (a, 5), (a, 1), (b, 9), (b, 5), (b, 1), which is their order.
fn table() -> Table {
    let mut rows = Vec::new();
    for text in [b'a', b'b'] {
        for number in [9, 5, 1] {
            let inverted = [0x80, 0, 0, number].map(|byte: u8| !byte);
            let form = [&[0x40, text, 0, 0x40][..], &inverted, &[0x38]].concat();
            let raw = [&[2, text][..], &raw_int(i32::from(number))].concat();
            let cells = [(1, Cell::live(T, b"v"))];
            rows.push((form, fragment(Some(&raw), Liveness::NONE, DeletionTime::LIVE, &cells)));
        }
    }
    assert!(rows.is_sorted());
    Table { rows, ..Table::default() }
}

/// What a selection finds, as `a9 b5`.
fn found(selection: Vec<u8>, flags: u8, values: [&[u8]; 5]) -> Result<String, Reason> {
    let execute = ExecuteBytes::new(4, &values).with(2, &[]);
    let (response, _) = table().execute(&recipe(selection, flags).recipe(), &execute)?;
    let row = |row: Vec<Returned>| match &row[..] {
        [Some(text), Some(number)] => format!("{}{}", char::from(text[0]), number[3]),
        _ => "?".to_owned(),
    };
    Ok(returned(&response, 2).into_iter().map(row).collect::<Vec<_>>().join(" "))
}

fn t(index: u16) -> Vec<u8> {
    bind(index, TEXT)
}

fn i(index: u16) -> Vec<u8> {
    bind(index, INT)
}

#[test]
fn slices_have_inclusive_and_exclusive_ends() {
    let one = int(1);
    let five = int(5);
    let values: [&[u8]; 5] = [b"a", b"b", &one, &five, b""];
    for (start, end, forward) in [
        (bottom(), top(), "a9 a5 a1 b9 b5 b1"),
        (bound(0, &[t(0)]), bound(2, &[t(0)]), "a9 a5 a1"),
        (bound(1, &[t(0)]), top(), "b9 b5 b1"),
        (bottom(), bound(3, &[t(1)]), "a9 a5 a1"),
        (bound(0, &[t(0), i(3)]), bound(2, &[t(0), i(2)]), "a5 a1"),
        (bound(1, &[t(0), i(3)]), bound(2, &[t(0)]), "a1"),
        (bound(0, &[t(0), i(3)]), bound(3, &[t(0), i(2)]), "a5"),
        (bound(0, &[t(0), i(2)]), bound(2, &[t(1), i(3)]), "a1 b9 b5"),
    ] {
        let selection = slices(&[(start, end)]);
        assert_eq!(found(selection.clone(), 0, values).as_deref(), Ok(forward));
        let backward = forward.split(' ').rev().collect::<Vec<_>>().join(" ");
        assert_eq!(found(selection, 1, values), Ok(backward));
    }
}

#[test]
fn several_slices_are_read_in_their_order_whatever_that_of_the_values() {
    let selection =
        slices(&[(bound(0, &[t(0)]), bound(2, &[t(0), i(2)])), (bound(0, &[t(1)]), bound(2, &[t(1), i(2)]))]);
    let (five, nine) = (int(5), int(9));
    let of = |one, two, until| found(selection.clone(), 0, [one, two, until, b"", b""]);
    assert_eq!(of(b"a", b"b", &five).as_deref(), Ok("a9 a5 b9 b5"));
    assert_eq!(of(b"b", b"a", &five).as_deref(), Ok("a9 a5 b9 b5"));
    assert_eq!(of(b"b", b"b", &nine).as_deref(), Ok("b9"));
}

#[test]
fn empty_and_overlapping_slices_are_forwarded() {
    let (one, five) = (int(1), int(5));
    let values: [&[u8]; 5] = [b"a", b"b", &one, &five, b""];
    let empty = (bound(0, &[t(0), i(2)]), bound(2, &[t(0), i(3)]));
    let all = (bottom(), top());
    let of_b = (bound(0, &[t(1)]), bound(2, &[t(1)]));
    assert_eq!(found(slices(std::slice::from_ref(&empty)), 0, values), Err(Reason::Selection));
    assert_eq!(found(slices(&[(bound(1, &[t(0)]), bound(3, &[t(0)]))]), 0, values), Err(Reason::Selection));
    assert_eq!(found(slices(&[empty, of_b.clone()]), 0, values).as_deref(), Ok("b9 b5 b1"));
    assert_eq!(found(slices(&[all, of_b]), 0, values), Err(Reason::Selection));
}

#[test]
fn rows_of_an_in_come_once_and_in_order() {
    let selection = rows(&[vec![t(0), i(1)], vec![t(0), i(2)], vec![t(0), i(3)]]);
    let (one, five, nine, seven) = (int(1), int(5), int(9), int(7));
    for (values, flags, expected) in [
        ([&b"a"[..], &one, &five, &nine, b""], 0, "a9 a5 a1"),
        ([b"a", &one, &five, &nine, b""], 1, "a1 a5 a9"),
        ([b"b", &five, &one, &five, b""], 0, "b5 b1"),
        ([b"b", &five, &seven, &five, b""], 0, "b5"),
    ] {
        assert_eq!(found(selection.clone(), flags, values).as_deref(), Ok(expected));
    }
}

#[test]
fn range_tombstones_count_where_they_reach_into_what_is_read() {
    let position = |order| Position { order, raw: &[] };
    let deletion = DeletionTime::new(1, NOW_S);
    let range = |start, end| Range { start: position(start), end: position(end), deletion };
    let a = |side| [0x40, b'a', 0, side];
    let b = |side| [0x40, b'b', 0, side];
    let (a_start, a_end, b_start, b_end) = (a(0x20), a(0x60), b(0x20), b(0x60));
    let mut fragment = Vec::new();
    header::write(&DeletionTime::LIVE, &[range(&a_start, &a_end), range(&b_start, &b_end)], &mut fragment);
    let table = Table { prelude: entry(HEADER, &fragment), ..table() };
    let five = int(5);
    let execute = ExecuteBytes::new(4, &[b"a", &five, b"", b"", b""]);
    for (selection, tombstones) in [
        (slices(&[(bottom(), top())]), 4),
        (slices(&[(bound(0, &[t(0)]), bound(2, &[t(0)]))]), 2),
        (slices(&[(bound(1, &[t(0)]), top())]), 2),
        (rows(&[vec![t(0), i(1)]]), 2),
        (rows(&[vec![t(2), i(1)]]), 0),
    ] {
        let (_, served) = table.execute(&recipe(selection, 0).recipe(), &execute).unwrap();
        assert_eq!(served.tombstones, tombstones);
    }
}
