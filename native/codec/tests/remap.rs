// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Rewriting fragments under other column ids.

#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use cassiterite_codec::remap;
use cassiterite_codec::{CodecError, ColumnMap, ColumnSet, Outcome};
use proptest::prelude::*;
use support::generate::{row, Data};
use support::model::{encode, Row};

proptest! {
    #[test]
    fn columns_move_and_unmapped_ones_go(
        row in row(Data::All), to in Just(vec![1u32, 2, 3, 7, 300]).prop_shuffle(), mapped in 0usize..6,
    ) {
        let map: Vec<(u32, u32)> = [1, 2, 3, 5, 200].into_iter().zip(to).take(mapped).collect();
        let mut expected = Row { columns: Default::default(), ..row.clone() };
        for (old, new) in &map {
            expected.columns.extend(row.columns.get(old).map(|column| (*new, column.clone())));
        }
        let map: ColumnMap = map.into_iter().collect();
        // Two equal columns that swap their ids are a change too, though the bytes stay.
        let unchanged = row.columns.keys().all(|id| map.get(*id) == Some(*id));
        let bytes = encode(&row);
        let mut out = vec![0xAA];
        let outcome = remap(&bytes, &map, &mut out).unwrap();
        if (Row { clustering: None, ..expected.clone() }) == Row::default() {
            prop_assert_eq!(outcome, Outcome::Empty);
        } else if unchanged {
            prop_assert_eq!(outcome, Outcome::Unchanged);
        } else {
            prop_assert_eq!(outcome, Outcome::Changed);
            prop_assert_eq!(&out, &encode(&expected));
        }
        prop_assert_eq!(outcome == Outcome::Changed, !out.is_empty());
    }
}

#[test]
fn equal_columns_that_swap_their_ids_are_a_change() {
    let fragment = [1, 0x20, 9, 0, 0, 0, 0, 0, 0, 0, 3, 0x24, 4, 0x24];
    let swap: ColumnMap = [(3, 4), (4, 3)].into_iter().collect();
    let mut out = Vec::new();
    assert_eq!(remap(&fragment, &swap, &mut out).unwrap(), Outcome::Changed);
    assert_eq!(out, fragment);
}

#[test]
fn two_columns_cannot_become_one() {
    let fragment = [1, 0x20, 9, 0, 0, 0, 0, 0, 0, 0, 3, 0x24, 4, 0x24];
    let map: ColumnMap = [(3, 8), (4, 8)].into_iter().collect();
    let mut out = Vec::new();
    assert!(matches!(remap(&fragment, &map, &mut out), Err(CodecError::Conflict { column: 8, .. })));
    assert!(out.is_empty());
}

#[test]
fn a_column_set_is_sorted_and_has_no_twins() {
    let mut set: ColumnSet = [5, 1, 5].into_iter().collect();
    assert!(set.insert(3));
    assert!(!set.insert(3));
    assert_eq!(set.iter().collect::<Vec<_>>(), [1, 3, 5]);
    assert!(set.contains(3) && !set.contains(2));
    assert_eq!(set.len(), 3);
}
