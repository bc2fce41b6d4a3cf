// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Merging row fragments: against the model, and its algebra.

#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use cassiterite_codec::key::Kind;
use cassiterite_codec::{
    has_row_deletion, is_empty, max_timestamp, merge, min_timestamp, outlasts, shadow, validate, ColumnSet,
    DeletionTime, Outcome,
};
use proptest::prelude::*;
use support::generate::{deletion, row, rows, Data};
use support::model::{self, encode, Column, Content, Row};

fn merged(operands: &[Vec<u8>]) -> Vec<u8> {
    let operands: Vec<&[u8]> = operands.iter().map(Vec::as_slice).collect();
    let mut out = vec![0xAA];
    merge(Kind::Row, &operands, &mut out).unwrap();
    out
}

fn encoded(rows: &[Row]) -> Vec<Vec<u8>> {
    rows.iter().map(encode).collect()
}

fn shadowed(fragment: &[u8], covering: DeletionTime) -> Vec<u8> {
    let mut out = Vec::new();
    match shadow(fragment, covering, &mut out).unwrap() {
        Outcome::Changed => out,
        Outcome::Unchanged => fragment.to_vec(),
        Outcome::Empty => vec![1, 0],
    }
}

/// A fragment without its clustering, which an empty outcome does not tell.
fn without_clustering(row: &Row) -> Row {
    Row { clustering: None, ..row.clone() }
}

fn timestamps(row: &Row) -> Vec<i64> {
    let mut all: Vec<i64> = row.liveness.iter().map(|liveness| liveness.0).collect();
    all.extend(row.deletion.map(|deletion| deletion.0));
    for column in row.columns.values() {
        match column {
            Column::Simple(cell) => all.push(cell.timestamp),
            Column::Complex(deletion, cells) => {
                all.extend(deletion.map(|deletion| deletion.0));
                all.extend(cells.values().map(|(_, cell)| cell.timestamp));
            }
        }
    }
    all
}

/// The row with something in each column of these others that is no counter, all of it later by so much.
fn whole(mut row: Row, others: &[Row], later: i64) -> Row {
    row.clustering = None;
    row.liveness.get_or_insert((0, None));
    for (id, column) in others.iter().flat_map(|other| &other.columns) {
        match column {
            Column::Simple(model::Cell { content: Content::Counter(_), .. }) => {}
            Column::Simple(_) => {
                row.columns
                    .entry(*id)
                    .or_insert(Column::Simple(model::Cell { timestamp: 0, content: Content::Tombstone(1) }));
            }
            Column::Complex(..) => {
                row.columns.entry(*id).or_insert(Column::Complex(None, [].into()));
            }
        }
    }
    row.liveness = row.liveness.map(|(timestamp, expiry)| (timestamp + later, expiry));
    row.deletion = row.deletion.map(|(timestamp, at_s)| (timestamp + later, at_s));
    for column in row.columns.values_mut() {
        match column {
            Column::Simple(cell) => cell.timestamp += later,
            Column::Complex(deletion, cells) => {
                cells.values_mut().for_each(|(_, cell)| cell.timestamp += later);
                let (timestamp, at_s) = deletion.unwrap_or((-1, 100));
                *deletion = Some((timestamp + later, at_s));
            }
        }
    }
    model::merge(&[row])
}

/// What happens to one counter, in the order in which it happens.
fn counter_history() -> impl Strategy<Value = Vec<Row>> {
    let shard = (0u8..3, 1i64..4, 1i64..9).prop_map(|(id, clock, count)| {
        Content::Counter([([id; 16], model::Shard { is_global: true, clock, count })].into())
    });
    let event = prop_oneof![
        4 => shard.prop_map(Some),
        1 => Just(Some(Content::Tombstone(100))),
        1 => Just(None),
    ];
    proptest::collection::vec(event, 1..12).prop_map(|events| {
        let row = |(timestamp, event): (usize, Option<Content>)| {
            let timestamp = timestamp as i64;
            let cell = event.map(|content| (5, Column::Simple(model::Cell { timestamp, content })));
            let deletion = cell.is_none().then_some((timestamp, 100));
            Row { deletion, columns: cell.into_iter().collect(), ..Row::default() }
        };
        events.into_iter().enumerate().map(row).collect()
    })
}

proptest! {
    #[test]
    fn counters_and_their_deletions_in_order_group_freely(rows in counter_history(), cuts in any::<[prop::sample::Index; 3]>()) {
        let operands = encoded(&rows);
        let mut cuts = cuts.map(|cut| cut.index(operands.len() + 1));
        cuts.sort();
        let [one, two, three] = cuts;
        let groups = [&operands[..one], &operands[one..two], &operands[two..three], &operands[three..]];
        let grouped: Vec<_> = groups.iter().filter(|group| !group.is_empty()).map(|group| merged(group)).collect();
        prop_assert_eq!(merged(&grouped), merged(&operands));
    }

    #[test]
    fn equals_the_model(rows in rows(Data::All)) {
        prop_assert_eq!(merged(&encoded(&rows)), encode(&model::merge(&rows)));
    }

    #[test]
    fn is_commutative(rows in rows(Data::All).prop_shuffle(), rotation in 0usize..20) {
        let mut operands = encoded(&rows);
        let one = merged(&operands);
        operands.rotate_left(rotation % rows.len());
        prop_assert_eq!(&merged(&operands), &one);
        operands.reverse();
        prop_assert_eq!(&merged(&operands), &one);
    }

    #[test]
    fn is_associative(rows in prop_oneof![rows(Data::Plain), rows(Data::Counters)], cut in 0usize..20) {
        let operands = encoded(&rows);
        let (left, right) = operands.split_at(cut % operands.len());
        let mut grouped = vec![merged(right)];
        if !left.is_empty() {
            grouped.push(merged(left));
        }
        prop_assert_eq!(merged(&grouped), merged(&operands));
    }

    #[test]
    fn is_idempotent(rows in rows(Data::All)) {
        let once = merged(&encoded(&rows));
        prop_assert_eq!(&merged(&[once.clone(), once.clone()]), &once);
        let mut twice = encoded(&rows);
        twice.extend(encoded(&rows));
        prop_assert_eq!(merged(&twice), once);
    }

    #[test]
    fn gives_canonical_fragments(rows in rows(Data::All)) {
        for operand in encoded(&rows) {
            prop_assert_eq!(validate(Kind::Row, &operand), Ok(()));
        }
        prop_assert_eq!(validate(Kind::Row, &merged(&encoded(&rows))), Ok(()));
    }

    #[test]
    fn what_outlasts_others_stays_as_it_is(one in row(Data::All), others in rows(Data::All), later in 0i64..12) {
        let others: Vec<Row> = others.iter().map(without_clustering).collect();
        for later in [later, 20] {
            let one = whole(one.clone(), &others, later);
            let bytes = encode(&one);
            let columns: ColumnSet = others.iter().flat_map(|other| other.columns.keys().copied()).collect();
            let newest = others.iter().flat_map(timestamps).max().unwrap_or(i64::MIN);
            let with_deletions = others.iter().any(|other| other.deletion.is_some());
            let stays = outlasts(&bytes, &columns, newest, with_deletions).unwrap();
            if stays {
                let mut all = encoded(&others);
                all.push(bytes.clone());
                // Deletions come first, as in a merge of everything.
                prop_assert_eq!(merged(&all), bytes);
            }
            let is_counter = |row: &Row| row.columns.contains_key(&5);
            // Whether it hides what it deletes itself is not said of every row that could be told so.
            let may_be_open = one.deletion.is_some() || is_counter(&one) || others.iter().any(is_counter);
            prop_assert!(stays || later < 20 || with_deletions || may_be_open);
        }
    }

    #[test]
    fn emptiness_and_the_span_of_timestamps_are_the_models(row in row(Data::All)) {
        let bytes = encode(&row);
        let all = timestamps(&row);
        prop_assert_eq!(min_timestamp(Kind::Row, &bytes).unwrap(), all.iter().copied().min().unwrap_or(i64::MAX));
        prop_assert_eq!(max_timestamp(Kind::Row, &bytes).unwrap(), all.iter().copied().max().unwrap_or(i64::MIN));
        prop_assert_eq!(has_row_deletion(Kind::Row, &bytes).unwrap(), row.deletion.is_some());
        let empty = without_clustering(&row) == Row::default();
        prop_assert_eq!(is_empty(Kind::Row, &bytes), empty);
    }

    #[test]
    fn shadowing_operands_or_their_merge_is_the_same(
        rows in rows(Data::Plain), (marked, at_s) in deletion(),
    ) {
        let rows: Vec<Row> = rows.iter().map(without_clustering).collect();
        let covering = DeletionTime::new(marked, at_s);
        let first: Vec<Vec<u8>> = encoded(&rows).iter().map(|row| shadowed(row, covering)).collect();
        let after = shadowed(&merged(&encoded(&rows)), covering);
        prop_assert_eq!(&merged(&first), &after);
        let mut with_covering = rows.clone();
        with_covering.push(Row { deletion: Some((marked, at_s)), ..Row::default() });
        let mut expected = model::merge(&with_covering);
        expected.deletion = expected.deletion.filter(|deletion| *deletion > (marked, at_s));
        prop_assert_eq!(after, encode(&expected));
    }

    #[test]
    fn shadowing_by_live_changes_nothing(row in row(Data::All)) {
        let bytes = encode(&row);
        let mut out = Vec::new();
        let outcome = shadow(&bytes, DeletionTime::LIVE, &mut out).unwrap();
        prop_assert_eq!(outcome, if is_empty(Kind::Row, &bytes) { Outcome::Empty } else { Outcome::Unchanged });
        prop_assert!(out.is_empty());
    }
}

#[test]
fn a_counter_deleted_stays_deleted_whatever_the_timestamps() {
    let shard = model::Shard { is_global: true, clock: 1, count: 1 };
    let counter = Content::Counter([([1; 16], shard)].into());
    let of = |timestamp, content| Row {
        columns: [(5, Column::Simple(model::Cell { timestamp, content }))].into(),
        ..Row::default()
    };
    let (deleted, later) = (encode(&of(1, Content::Tombstone(100))), encode(&of(9, counter)));
    assert_eq!(merged(&[later, deleted.clone()]), deleted);
}

#[test]
fn a_single_operand_is_copied_and_none_is_an_error() {
    let mut out = vec![1];
    merge(Kind::Row, &[b"anything"], &mut out).unwrap();
    assert_eq!(out, b"anything");
    assert!(merge(Kind::Row, &[], &mut out).is_err());
    assert!(out.is_empty());
}

#[test]
fn one_column_cannot_be_simple_here_and_complex_there() {
    let simple = [1, 0x20, 9, 0, 0, 0, 0, 0, 0, 0, 3, 0x24];
    let complex = [1, 0, 3, 0xC0, 1, 0, 0, 0, 0, 0, 0, 0, 100, 0];
    assert_eq!(validate(Kind::Row, &simple), Ok(()));
    assert_eq!(validate(Kind::Row, &complex), Ok(()));
    let mut out = Vec::new();
    let conflict = merge(Kind::Row, &[&simple, &complex], &mut out).unwrap_err();
    assert_eq!(conflict.to_string(), "column 3: one cell here, many there");
}
