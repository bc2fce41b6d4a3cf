// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Whatever the bytes, an answer or an error, never a panic.

#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use cassiterite_codec::header::Coverage;
use cassiterite_codec::key::{partition_len, raw_partition_key, split, token, Kind};
use cassiterite_codec::remap;
use cassiterite_codec::row::RowReader;
use cassiterite_codec::{
    compact, has_row_deletion, is_empty, max_timestamp, merge, min_timestamp, outlasts, shadow, validate, ColumnMap,
    ColumnSet, DeletionTime, Outcome, Purge,
};
use proptest::collection::vec;
use proptest::prelude::*;
use support::generate::{row, Data};
use support::model::encode;

/// Random bytes, bytes that begin well, and good fragments with a byte changed or cut off.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let small = prop_oneof![0u8..8, Just(0x20), Just(0x40), Just(0xC0), any::<u8>()];
    let begun = (0u8..64, vec(small, 0..40)).prop_map(|(flags, rest)| [vec![1, flags], rest].concat());
    let spoilt =
        (row(Data::All), any::<prop::sample::Index>(), any::<u8>(), any::<bool>()).prop_map(|(row, at, byte, cuts)| {
            let mut bytes = encode(&row);
            let at = at.index(bytes.len());
            if cuts {
                bytes.truncate(at);
            } else {
                bytes[at] = byte;
            }
            bytes
        });
    prop_oneof![1 => vec(any::<u8>(), 0..40), 2 => begun, 4 => spoilt]
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![Just(Kind::Header), Just(Kind::Static), Just(Kind::Row), Just(Kind::Entry)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn fragments(kind in kind(), operands in vec(bytes(), 0..4)) {
        let refs: Vec<&[u8]> = operands.iter().map(Vec::as_slice).collect();
        let mut out = Vec::new();
        if merge(kind, &refs, &mut out).is_err() {
            prop_assert!(out.is_empty());
        } else if refs.iter().all(|operand| validate(kind, operand).is_ok()) {
            prop_assert_eq!(validate(kind, &out), Ok(()));
        }
        let purge = Purge { now_s: 104, gc_before_s: 104, max_purgeable_timestamp: 5 };
        let covering = DeletionTime::new(3, 101);
        let map: ColumnMap = [(1, 3), (2, 2), (3, 1), (5, 200)].into_iter().collect();
        for operand in refs {
            let _ = validate(kind, operand);
            let _ = is_empty(kind, operand);
            let _ = min_timestamp(kind, operand);
            let _ = (max_timestamp(kind, operand), has_row_deletion(kind, operand));
            let _ = outlasts(operand, &ColumnSet::new(), 0, false);
            let _ = compact(kind, operand, covering, &purge, &ColumnSet::new(), &mut out);
            let _ = shadow(operand, covering, &mut out);
            let _ = remap(operand, &map, &mut out);
            let mut coverage = Coverage::new();
            let _ = coverage.add(operand);
            let _ = coverage.deletion_for(operand);
        }
    }

    #[test]
    fn a_row_is_canonical_if_writing_it_again_gives_the_same_bytes(bytes in bytes()) {
        let mut ids = Vec::new();
        if let Ok((_, mut reader)) = RowReader::new(&bytes) {
            // read on as far as there are columns; a broken one ends it, and remapping finds that again
            while let Ok(Some(column)) = reader.next_column() {
                ids.push(column.id);
                let read = match column.is_complex() {
                    true => reader.complex(column).and_then(|start| (0..start.cells).try_for_each(|_| reader.path_cell().map(drop))),
                    false => reader.cell(column).map(drop),
                };
                if read.is_err() {
                    break;
                }
            }
        }
        let there: ColumnMap = ids.iter().filter_map(|id| Some((*id, id.checked_add(1)?))).collect();
        let back: ColumnMap = ids.iter().filter_map(|id| Some((id.checked_add(1)?, *id))).collect();
        let (mut moved, mut again) = (Vec::new(), Vec::new());
        let rewritten = remap(&bytes, &there, &mut moved) == Ok(Outcome::Changed)
            && remap(&moved, &back, &mut again) == Ok(Outcome::Changed);
        if rewritten {
            prop_assert_eq!(validate(Kind::Row, &again).is_ok() && again == bytes, validate(Kind::Row, &bytes).is_ok());
        }
    }

    #[test]
    fn keys(bytes in vec(prop_oneof![Just(0u8), Just(0x38), Just(0x40), Just(0xFE), Just(0xFF), any::<u8>()], 0..24)) {
        let _ = (token(&bytes), split(&bytes), raw_partition_key(&bytes, &mut Vec::new()));
        let begun = [&[0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0x40][..], &bytes].concat();
        if let Some(length) = partition_len(&begun) {
            prop_assert!(length <= begun.len());
            let mut raw = Vec::new();
            raw_partition_key(&begun[..length], &mut raw).unwrap();
            let mut again = Vec::new();
            cassiterite_codec::key::encode_partition(token(&begun).unwrap(), &raw, &mut again);
            prop_assert_eq!(&again[..], &begun[..length]);
        }
    }

    #[test]
    fn cut_fragments_are_never_canonical_rows(row in row(Data::Plain)) {
        let bytes = encode(&row);
        let mut ends = 0;
        for length in 0..bytes.len() {
            ends += usize::from(validate(Kind::Row, &bytes[..length]).is_ok());
        }
        // only where a column ends may a fragment end
        prop_assert!(ends <= row.columns.len() + 1);
    }
}
