// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Header fragments: merging, asking and compacting against a map of every position.

#![allow(clippy::unwrap_used, clippy::panic)]

use cassiterite_codec::header::{write, Coverage, Position, Range};
use cassiterite_codec::key::Kind;
use cassiterite_codec::{
    compact, is_empty, max_timestamp, merge, min_timestamp, validate, ColumnSet, DeletionTime, Outcome, Purge,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// Rows of the universe: clusterings 0x40 n 0x38. Positions lie before and after each.
const ROWS: u8 = 8;
/// Twice the rows: before and after each, then TOP.
const POSITIONS: usize = 2 * ROWS as usize + 1;

type Times = (i64, i64);

#[derive(Clone, Debug)]
struct Tombstone {
    start: usize,
    end: usize,
    deletion: Times,
    writing: u8,
}

#[derive(Clone, Debug)]
struct Header {
    partition: Option<Times>,
    tombstones: Vec<Tombstone>,
}

fn order(position: usize) -> Vec<u8> {
    match position {
        0 => vec![0x20],
        at if at == POSITIONS => vec![0x60],
        at => vec![0x40, ((at - 1) / 2) as u8, if at % 2 == 1 { 0x20 } else { 0x60 }],
    }
}

fn clustering(row: u8) -> Vec<u8> {
    vec![0x40, row, 0x38]
}

fn time(times: Times) -> DeletionTime {
    DeletionTime::new(times.0, times.1)
}

/// The fragment that holds the tombstones as they are, canonical or not.
fn raw_fragment(header: &Header) -> Vec<u8> {
    let orders: Vec<_> =
        header.tombstones.iter().map(|one| (order(one.start), order(one.end), vec![2, one.writing])).collect();
    let ranges: Vec<Range<'_>> = header
        .tombstones
        .iter()
        .zip(&orders)
        .map(|(one, (start, end, raw))| Range {
            start: Position { order: start, raw },
            end: Position { order: end, raw },
            deletion: time(one.deletion),
        })
        .collect();
    let mut out = Vec::new();
    write(&header.partition.map_or(DeletionTime::LIVE, time), &ranges, &mut out);
    out
}

/// As a writer sends it: canonical.
fn fragment(header: &Header) -> Vec<u8> {
    merged(&[raw_fragment(header), vec![1, 0]])
}

fn merged(operands: &[Vec<u8>]) -> Vec<u8> {
    let operands: Vec<&[u8]> = operands.iter().map(Vec::as_slice).collect();
    let mut out = vec![0xAA];
    merge(Kind::Header, &operands, &mut out).unwrap();
    out
}

fn times() -> impl Strategy<Value = Times> {
    (0i64..5, 100i64..103)
}

fn tombstone() -> impl Strategy<Value = Tombstone> {
    (0..=POSITIONS, 0..=POSITIONS, times(), 0u8..3).prop_map(|(start, end, deletion, writing)| Tombstone {
        start,
        end,
        deletion,
        writing,
    })
}

fn header() -> impl Strategy<Value = Header> {
    (option::weighted(0.3, times()), vec(tombstone(), 0..5))
        .prop_map(|(partition, tombstones)| Header { partition, tombstones })
}

fn headers() -> impl Strategy<Value = Vec<Header>> {
    vec(header(), 1..6)
}

/// The strongest deletion of a row, by comparing all.
fn deletion_of(headers: &[Header], row: u8) -> Option<Times> {
    let place = clustering(row);
    let ranges = headers.iter().flat_map(|header| &header.tombstones);
    let covering = ranges.filter(|one| order(one.start) < place && place < order(one.end)).map(|one| one.deletion);
    covering.chain(headers.iter().filter_map(|header| header.partition)).max()
}

fn asked(coverage: &Coverage, row: u8) -> Option<Times> {
    let found = coverage.deletion_for(&clustering(row));
    (!found.is_live()).then_some((found.marked_for_delete_at, found.local_deletion_time_s))
}

fn coverage(fragments: &[Vec<u8>]) -> Coverage {
    let mut coverage = Coverage::new();
    fragments.iter().for_each(|fragment| coverage.add(fragment).unwrap());
    coverage
}

proptest! {
    #[test]
    fn coverage_knows_every_row(headers in headers()) {
        let raw: Vec<_> = headers.iter().map(raw_fragment).collect();
        let mut apart = coverage(&raw);
        let together = coverage(&[merged(&[raw, vec![vec![1, 0]]].concat())]);
        for row in 0..ROWS {
            prop_assert_eq!(asked(&apart, row), deletion_of(&headers, row));
            prop_assert_eq!(asked(&together, row), deletion_of(&headers, row));
        }
        let partition = headers.iter().filter_map(|header| header.partition).max();
        prop_assert_eq!(apart.partition_deletion(), partition.map_or(DeletionTime::LIVE, time));
        apart.clear();
        prop_assert!(apart.is_empty());
        prop_assert!((0..ROWS).all(|row| asked(&apart, row).is_none()));
    }

    #[test]
    fn merging_is_commutative_associative_and_idempotent(headers in headers(), cut in 0usize..6, rotation in 0usize..6) {
        let mut operands: Vec<_> = headers.iter().map(fragment).collect();
        let all = merged(&operands);
        prop_assert_eq!(validate(Kind::Header, &all), Ok(()));
        let (left, right) = operands.split_at(cut % operands.len());
        let left = if left.is_empty() { vec![1, 0] } else { merged(left) };
        prop_assert_eq!(&merged(&[merged(right), left]), &all);
        prop_assert_eq!(&merged(&[all.clone(), all.clone()]), &all);
        operands.rotate_left(rotation % headers.len());
        prop_assert_eq!(merged(&operands), all);
    }

    #[test]
    fn canonical_fragments_have_the_fewest_ranges(headers in headers()) {
        let all = merged(&[headers.iter().map(fragment).collect(), vec![vec![1, 0]]].concat());
        let mut starts = 0;
        let mut last = None;
        let partition = headers.iter().filter_map(|header| header.partition).max();
        for place in 0..POSITIONS {
            // between two neighbouring positions lies at most one row, but deletions are judged there all the same
            let tombstones = headers.iter().flat_map(|header| &header.tombstones);
            let here = tombstones.filter(|one| one.start <= place && place < one.end).map(|one| one.deletion).max();
            let here = here.filter(|deletion| Some(*deletion) > partition);
            starts += usize::from(here.is_some() && here != last);
            last = here;
        }
        prop_assert_eq!(cassiterite_codec::header::read(&all).unwrap().1.len(), starts);
        prop_assert_eq!(is_empty(Kind::Header, &all), starts == 0 && partition.is_none());
    }

    #[test]
    fn compaction_purges_exactly_what_it_may(header in header(), gc_before_s in 99i64..104, below in -1i64..6, covering in option::of(times())) {
        let before = fragment(&header);
        let purge = Purge { now_s: 200, gc_before_s, max_purgeable_timestamp: below };
        let mut out = Vec::new();
        let covered_by = covering.map_or(DeletionTime::LIVE, time);
        let outcome = compact(Kind::Header, &before, covered_by, &purge, &ColumnSet::new(), &mut out).unwrap();
        let after = match outcome {
            Outcome::Changed => out,
            Outcome::Unchanged => before.clone(),
            Outcome::Empty => vec![1, 0],
        };
        prop_assert_eq!(validate(Kind::Header, &after), Ok(()));
        let stays = |deletion: &Times| *deletion > covering.unwrap_or((i64::MIN, 0)) && !(deletion.1 < gc_before_s && deletion.0 < below);
        let (was, is) = (coverage(&[before]), coverage(&[after]));
        for row in 0..ROWS {
            let strongest = asked(&was, row);
            let expected = strongest.filter(stays);
            // where the range may go but the partition deletion below it may not, the latter shows
            let partition = header.partition.filter(stays);
            prop_assert_eq!(asked(&is, row), expected.or(partition));
        }
    }

    #[test]
    fn the_span_of_timestamps_is_found(header in header()) {
        let bytes = raw_fragment(&header);
        let all: Vec<i64> =
            header.tombstones.iter().map(|one| one.deletion).chain(header.partition).map(|times| times.0).collect();
        prop_assert_eq!(min_timestamp(Kind::Header, &bytes).unwrap(), all.iter().copied().min().unwrap_or(i64::MAX));
        prop_assert_eq!(max_timestamp(Kind::Header, &bytes).unwrap(), all.iter().copied().max().unwrap_or(i64::MIN));
    }
}

#[test]
fn many_single_tombstones_are_found_again() {
    let mut coverage = Coverage::new();
    for at in (0..2_000u16).rev() {
        let edge = |end| [&[0x40][..], &at.to_be_bytes(), &[end]].concat();
        let (start, end) = (edge(0x20), edge(0x60));
        let range = Range {
            start: Position { order: &start, raw: &[] },
            end: Position { order: &end, raw: &[] },
            deletion: DeletionTime::new(i64::from(at) + 1, 7),
        };
        let mut out = Vec::new();
        write(&DeletionTime::LIVE, &[range], &mut out);
        coverage.add(&out).unwrap();
    }
    for at in 0..2_000u16 {
        let row = [&[0x40][..], &at.to_be_bytes(), &[0x38]].concat();
        assert_eq!(coverage.deletion_for(&row), DeletionTime::new(i64::from(at) + 1, 7));
    }
}

#[test]
fn an_order_that_is_no_bound_is_refused() {
    let range = Range {
        start: Position { order: &[0x40, 1, 0x38], raw: &[] },
        end: Position { order: &[0x60], raw: &[] },
        deletion: DeletionTime::new(1, 1),
    };
    let mut out = Vec::new();
    write(&DeletionTime::LIVE, &[range], &mut out);
    let error = validate(Kind::Header, &out).unwrap_err();
    assert_eq!(error.to_string(), "malformed position order, which is no bound's at byte 4");
}
