// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Index entries merge and are purged as rows of nothing but a head are; and rounded times hide no entry that is wanted.

#![allow(clippy::unwrap_used, clippy::panic)]

use cassiterite_codec::entry::{Entry, TICK};
use cassiterite_codec::key::Kind;
use cassiterite_codec::row::{Head, Liveness, RowReader, RowWriter};
use cassiterite_codec::{
    compact, has_row_deletion, is_empty, max_timestamp, merge, min_timestamp, validate, ColumnSet, DeletionTime,
    Outcome, Purge,
};
use proptest::collection::vec;
use proptest::prelude::*;

type Owned = (Option<Vec<u8>>, Liveness, DeletionTime);

/// Few times, so that many are equal; some are multiples of a tick.
fn time() -> impl Strategy<Value = i64> {
    prop_oneof![-2i64..3, (0i64..3).prop_map(|ticks| ticks * TICK), (0i64..3).prop_map(|ticks| ticks * TICK - 1)]
}

fn entry() -> impl Strategy<Value = Owned> {
    let names = prop::option::of(prop_oneof![Just(vec![2, 7]), Just(vec![2, 8]), Just(vec![0])]);
    let live = prop_oneof![
        2 => time().prop_map(Liveness::without_ttl),
        1 => (time(), 1u32..3, 100i64..103).prop_map(|(timestamp, ttl_s, local_expiration_time_s)| Liveness {
            timestamp,
            ttl_s,
            local_expiration_time_s
        }),
        1 => Just(Liveness::NONE),
    ];
    let deletion = prop_oneof![
        1 => (time(), 99i64..103).prop_map(|(at, local)| DeletionTime::new(at, local)),
        2 => Just(DeletionTime::LIVE),
    ];
    (names, live, deletion)
}

fn as_entry((names, live, deletion): &Owned) -> Vec<u8> {
    let mut out = Vec::new();
    Entry { names: names.as_deref(), live: *live, deletion: *deletion }.write(&mut out);
    out
}

fn as_row((names, live, deletion): &Owned) -> Vec<u8> {
    let head = Head { clustering: names.as_deref(), liveness: *live, deletion: *deletion, is_shadowable: false };
    let mut out = Vec::new();
    RowWriter::new(&head, &mut out).finish();
    out
}

/// What a row of nothing but a head says, as an entry.
fn entry_of(row: &[u8]) -> Vec<u8> {
    let (head, _) = RowReader::new(row).unwrap();
    as_entry(&(head.clustering.map(<[u8]>::to_vec), head.liveness, head.deletion))
}

fn merged(kind: Kind, operands: &[Vec<u8>]) -> Vec<u8> {
    let operands: Vec<&[u8]> = operands.iter().map(Vec::as_slice).collect();
    let mut out = Vec::new();
    merge(kind, &operands, &mut out).unwrap();
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn entries_merge_as_rows_do(entries in vec(entry(), 1..6), split in any::<prop::sample::Index>()) {
        let operands: Vec<Vec<u8>> = entries.iter().map(as_entry).collect();
        let rows: Vec<Vec<u8>> = entries.iter().map(as_row).collect();
        let all = merged(Kind::Entry, &operands);
        prop_assert_eq!(&all, &entry_of(&merged(Kind::Row, &rows)));
        prop_assert_eq!(validate(Kind::Entry, &all), Ok(()));
        let at = split.index(operands.len());
        if at > 0 {
            let parts = [merged(Kind::Entry, &operands[..at]), merged(Kind::Entry, &operands[at..]), vec![1, 0]];
            prop_assert_eq!(merged(Kind::Entry, &parts), merged(Kind::Entry, &[operands, vec![vec![1, 0]]].concat()));
        }
    }

    #[test]
    fn entries_are_purged_as_rows_are(entry in entry(), gc_before_s in 98i64..104, max_purgeable_timestamp in time()) {
        let purge = Purge { now_s: 101, gc_before_s, max_purgeable_timestamp };
        let (mut of_entry, mut of_row) = (Vec::new(), Vec::new());
        let (bytes, row) = (as_entry(&entry), as_row(&entry));
        let live = DeletionTime::LIVE;
        let outcome = compact(Kind::Entry, &bytes, live, &purge, &ColumnSet::new(), &mut of_entry).unwrap();
        prop_assert_eq!(outcome, compact(Kind::Row, &row, live, &purge, &ColumnSet::new(), &mut of_row).unwrap());
        if outcome == Outcome::Changed {
            prop_assert_eq!(of_entry, entry_of(&of_row));
        }
        prop_assert_eq!(is_empty(Kind::Entry, &bytes), is_empty(Kind::Row, &row));
        prop_assert_eq!(min_timestamp(Kind::Entry, &bytes), min_timestamp(Kind::Row, &row));
        prop_assert_eq!(max_timestamp(Kind::Entry, &bytes), max_timestamp(Kind::Row, &row));
        prop_assert_eq!(has_row_deletion(Kind::Entry, &bytes), has_row_deletion(Kind::Row, &row));
    }

    #[test]
    fn whatever_is_read_is_written_so(bytes in vec(prop_oneof![0x20u8..0x40, 0u8..8, any::<u8>()], 0..24)) {
        if let Ok(entry) = Entry::read(&bytes) {
            let mut out = Vec::new();
            entry.write(&mut out);
            prop_assert!(out == bytes || bytes == [1, 0]);
        }
    }
}

/// One write of a value to one row.
#[derive(Clone, Copy, Debug)]
struct Write {
    at: i64,
    ttl_s: u32,
    is_rounded: bool,
}

/// Seconds since the epoch at which all that has a TTL has expired.
const LATER_S: i64 = 1_000;

fn write() -> impl Strategy<Value = Write> {
    (1i64..4 * TICK, prop_oneof![2 => Just(0u32), 1 => Just(5)], any::<bool>())
        .prop_map(|(at, ttl_s, is_rounded)| Write { at, ttl_s, is_rounded })
}

fn rounded_up(at: i64) -> i64 {
    (at + TICK - 1) / TICK * TICK
}

fn entry_of_write(write: &Write) -> Liveness {
    match write.ttl_s {
        0 if write.is_rounded => Liveness::without_ttl(rounded_up(write.at)),
        0 => Liveness::without_ttl(write.at),
        ttl_s => Liveness { timestamp: write.at, ttl_s, local_expiration_time_s: 500 },
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    /// Writes of one value to one row, and of others to the same row, in any order. After each a query may remove the
    /// entry, if the row shows something newer than the entry. The entry is there whenever the row has the value, before
    /// the expiration and after it.
    #[test]
    fn a_row_that_has_the_value_has_its_entry(
        steps in vec((any::<bool>(), write(), any::<bool>()), 1..12),
    ) {
        let mut operands = vec![vec![1, 0]];
        let mut cell: Option<(Write, bool)> = None;
        for (is_of_value, write, is_queried) in steps {
            // Cassandra's rule of two cells: the later one; of the same time, the one that expires
            let supersedes = cell.is_none_or(|(old, _)| (write.at, write.ttl_s) > (old.at, old.ttl_s));
            if supersedes {
                cell = Some((write, is_of_value));
            }
            if is_of_value {
                operands.push(as_entry(&(None, entry_of_write(&write), DeletionTime::LIVE)));
            }
            let merged = merged(Kind::Entry, &operands);
            let entry = Entry::read(&merged).unwrap();
            let (shown, has_value) = cell.unwrap();
            for now_s in [0, LATER_S] {
                let has_row = has_value && (shown.ttl_s == 0 || now_s < 500);
                prop_assert!(!has_row || entry.live.is_live(now_s), "{:?} at {} without entry: {:?}", shown, now_s, entry);
            }
            if is_queried && entry.live.is_live(0) && shown.at > entry.live.timestamp {
                operands.push(as_entry(&(None, Liveness::NONE, DeletionTime::new(entry.live.timestamp, 100))));
            }
        }
    }
}
