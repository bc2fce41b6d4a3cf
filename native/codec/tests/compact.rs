// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Compacting row fragments: what a reader sees stays, what may be purged is removed.

#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use std::collections::BTreeMap;

use cassiterite_codec::key::Kind;
use cassiterite_codec::row::{Cell, Head, Liveness, PathCell, RowReader, RowWriter};
use cassiterite_codec::{compact, merge, validate, ColumnSet, DeletionTime, Outcome, Purge};
use proptest::prelude::*;
use support::generate::{deletion, row, Data, LOCAL_S, TIMESTAMP_END};
use support::model::{self, encode, view, Column, Content, Deletion, Expiry, Row};

const KEEP_ALL: ColumnSet = ColumnSet::new();

fn time(deletion: Option<Deletion>) -> DeletionTime {
    deletion.map_or(DeletionTime::LIVE, |(marked, at_s)| DeletionTime::new(marked, at_s))
}

/// What compaction leaves, an empty fragment if nothing; checked to be canonical and true to its outcome.
fn compacted(fragment: &[u8], covering: Option<Deletion>, purge: &Purge, dropped: &ColumnSet) -> Vec<u8> {
    let mut out = vec![0xAA];
    let outcome = compact(Kind::Row, fragment, time(covering), purge, dropped, &mut out).unwrap();
    assert_eq!(outcome == Outcome::Changed, !out.is_empty());
    match outcome {
        Outcome::Changed => {
            assert_eq!(validate(Kind::Row, &out), Ok(()));
            assert_ne!(out, fragment);
            out
        }
        Outcome::Unchanged => fragment.to_vec(),
        Outcome::Empty => vec![1, 0],
    }
}

fn purge() -> impl Strategy<Value = Purge> {
    let around = LOCAL_S.start - 2..LOCAL_S.end + 2;
    (around.clone(), around, -1..TIMESTAMP_END + 2).prop_map(|(now_s, gc_before_s, max_purgeable_timestamp)| Purge {
        now_s,
        gc_before_s,
        max_purgeable_timestamp,
    })
}

/// Reads a fragment back into the model; counters stay opaque (their view is compared as bytes).
fn decode(fragment: &[u8]) -> Row {
    let (head, mut reader) = RowReader::new(fragment).unwrap();
    let mut row = Row { clustering: head.clustering.map(<[u8]>::to_vec), ..Row::default() };
    if head.liveness != Liveness::NONE {
        let expiry = Expiry { ttl_s: head.liveness.ttl_s, at_s: head.liveness.local_expiration_time_s };
        row.liveness = Some((head.liveness.timestamp, (expiry.ttl_s != 0).then_some(expiry)));
    }
    let plain = |time: DeletionTime| {
        (time != DeletionTime::LIVE).then_some((time.marked_for_delete_at, time.local_deletion_time_s))
    };
    row.deletion = plain(head.deletion);
    while let Some(start) = reader.next_column().unwrap() {
        let column = if start.is_complex() {
            let complex = reader.complex(start).unwrap();
            let mut cells = BTreeMap::new();
            for _ in 0..complex.cells {
                let PathCell { order, raw, cell } = reader.path_cell().unwrap();
                cells.insert(order.to_vec(), (raw.unwrap_or(order).to_vec(), decode_cell(&cell)));
            }
            Column::Complex(plain(complex.deletion), cells)
        } else {
            Column::Simple(decode_cell(&reader.cell(start).unwrap()))
        };
        row.columns.insert(start.id, column);
    }
    row
}

fn decode_cell(cell: &Cell<'_>) -> model::Cell {
    let content = if cell.is_tombstone() {
        Content::Tombstone(cell.local_deletion_time_s)
    } else if cell.ttl_s != 0 {
        Content::Expiring(Expiry { ttl_s: cell.ttl_s, at_s: cell.local_deletion_time_s }, cell.value.to_vec())
    } else {
        Content::Live(cell.value.to_vec())
    };
    model::Cell { timestamp: cell.timestamp, content }
}

/// Moves a row's timestamps past all others.
fn later(row: &Row) -> Row {
    let mut row = row.clone();
    let shift = |timestamp: &mut i64| *timestamp += TIMESTAMP_END + 2;
    row.liveness.iter_mut().for_each(|liveness| shift(&mut liveness.0));
    row.deletion.iter_mut().for_each(|deletion| shift(&mut deletion.0));
    for column in row.columns.values_mut() {
        match column {
            Column::Simple(cell) => shift(&mut cell.timestamp),
            Column::Complex(deletion, cells) => {
                deletion.iter_mut().for_each(|deletion| shift(&mut deletion.0));
                cells.values_mut().for_each(|(_, cell)| shift(&mut cell.timestamp));
            }
        }
    }
    row
}

proptest! {
    #[test]
    fn what_is_written_comes_back(row in row(Data::Plain)) {
        prop_assert_eq!(decode(&encode(&row)), row);
    }

    #[test]
    fn a_reader_sees_the_same(row in row(Data::All), covering in proptest::option::of(deletion()), purge in purge()) {
        let bytes = encode(&row);
        let after = compacted(&bytes, covering, &purge, &KEEP_ALL);
        prop_assert_eq!(view(&decode(&after), covering, purge.now_s), view(&decode(&bytes), covering, purge.now_s));
    }

    #[test]
    fn a_reader_sees_the_same_once_later_data_comes(
        row in row(Data::Plain), newer in row(Data::Plain), covering in proptest::option::of(deletion()), purge in purge(),
    ) {
        let newer = later(&newer);
        let after = decode(&compacted(&encode(&row), covering, &purge, &KEEP_ALL));
        let with_it = model::merge(&[row, newer.clone()]);
        let compacted_with_it = model::merge(&[after, newer]);
        prop_assert_eq!(view(&compacted_with_it, covering, purge.now_s), view(&with_it, covering, purge.now_s));
    }

    #[test]
    fn purging_is_monotone(row in row(Data::All), one in purge(), two in purge()) {
        let more = Purge {
            now_s: one.now_s.max(two.now_s),
            gc_before_s: one.gc_before_s.max(two.gc_before_s),
            max_purgeable_timestamp: one.max_purgeable_timestamp.max(two.max_purgeable_timestamp),
        };
        let bytes = encode(&row);
        let at_once = compacted(&bytes, None, &more, &KEEP_ALL);
        let in_steps = compacted(&compacted(&bytes, None, &one, &KEEP_ALL), None, &more, &KEEP_ALL);
        let without_clustering = |bytes: &[u8]| Row { clustering: None, ..decode(bytes) };
        prop_assert_eq!(without_clustering(&in_steps), without_clustering(&at_once));
        let (had, has) = (decode(&bytes), decode(&at_once));
        prop_assert!(has.columns.keys().all(|id| had.columns.contains_key(id)));
    }

    #[test]
    fn nothing_dead_stays_that_may_be_purged(row in row(Data::All)) {
        let purge = Purge { now_s: LOCAL_S.end, gc_before_s: i64::MAX, max_purgeable_timestamp: i64::MAX };
        let after = decode(&compacted(&encode(&row), None, &purge, &KEEP_ALL));
        prop_assert_eq!(after.deletion, None);
        prop_assert!(after.liveness.is_none_or(|liveness| liveness.1.is_none()));
        for column in after.columns.values() {
            match column {
                Column::Simple(cell) => prop_assert!(matches!(cell.content, Content::Live(_))),
                Column::Complex(deletion, cells) => {
                    prop_assert_eq!(*deletion, None);
                    prop_assert!(cells.values().all(|(_, cell)| matches!(cell.content, Content::Live(_))));
                }
            }
        }
    }

    #[test]
    fn dropped_columns_go_and_others_stay(row in row(Data::All), dropped in proptest::sample::subsequence(vec![1u32, 2, 3, 5], 0..4)) {
        let mut expected = row.clone();
        expected.columns.retain(|id, _| !dropped.contains(id));
        let dropped: ColumnSet = dropped.into_iter().collect();
        let after = compacted(&encode(&row), None, &Purge::NOTHING, &dropped);
        let empty = Row { clustering: None, ..expected.clone() } == Row::default();
        prop_assert_eq!(after, if empty { vec![1, 0] } else { encode(&expected) });
    }

    #[test]
    fn compacting_before_or_after_merging_covered_data_is_the_same(
        one in row(Data::Plain), two in row(Data::Plain), covering in deletion(),
    ) {
        let strip = |row: Row| encode(&Row { clustering: None, ..row });
        let (one, two) = (strip(one), strip(two));
        let each = [&one, &two].map(|bytes| compacted(bytes, Some(covering), &Purge::NOTHING, &KEEP_ALL));
        let (mut before, mut after) = (Vec::new(), Vec::new());
        merge(Kind::Row, &[&each[0], &each[1]], &mut before).unwrap();
        merge(Kind::Row, &[&one, &two], &mut after).unwrap();
        prop_assert_eq!(before, compacted(&after, Some(covering), &Purge::NOTHING, &KEEP_ALL));
    }
}

fn one_cell(cell: &Cell<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = RowWriter::new(&Head::NOTHING, &mut out);
    writer.simple(1, cell);
    writer.finish();
    out
}

#[test]
fn an_expired_cell_becomes_a_tombstone_from_when_it_was_written() {
    let expiring = Cell { ttl_s: 60, local_deletion_time_s: 1_000, ..Cell::live(5, b"value") };
    let at = |now_s, gc_before_s| Purge { now_s, gc_before_s, max_purgeable_timestamp: 6 };
    let bytes = one_cell(&expiring);
    assert_eq!(compacted(&bytes, None, &at(999, i64::MAX), &KEEP_ALL), bytes);
    let buried = one_cell(&Cell::tombstone(5, 940));
    assert_eq!(compacted(&bytes, None, &at(1_000, 940), &KEEP_ALL), buried);
    assert_eq!(compacted(&bytes, None, &at(1_000, 941), &KEEP_ALL), vec![1, 0]);
    assert_eq!(compacted(&buried, None, &at(1_000, 940), &KEEP_ALL), buried);
}

#[test]
fn the_largest_purgeable_timestamp_is_exclusive() {
    let bytes = one_cell(&Cell::tombstone(5, 10));
    let below = |max_purgeable_timestamp| Purge { now_s: 99, gc_before_s: 11, max_purgeable_timestamp };
    assert_eq!(compacted(&bytes, None, &below(5), &KEEP_ALL), bytes);
    assert_eq!(compacted(&bytes, None, &below(6), &KEEP_ALL), vec![1, 0]);
}

#[test]
fn a_cell_whose_expiry_precedes_its_ttl_is_buried_at_the_epoch() {
    let bytes = one_cell(&Cell { ttl_s: 60, local_deletion_time_s: 10, ..Cell::live(5, b"v") });
    let purge = Purge { now_s: 20, gc_before_s: 0, max_purgeable_timestamp: 0 };
    assert_eq!(compacted(&bytes, None, &purge, &KEEP_ALL), one_cell(&Cell::tombstone(5, 0)));
}
