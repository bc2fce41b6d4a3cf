// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Rows from a small universe, so that ties and overlaps are the rule.

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;

use super::model::{self, Cell, Column, Content, Deletion, Expiry, Row, Shard};

/// Timestamps of generated data end before this.
pub const TIMESTAMP_END: i64 = 8;
/// Local times of generated data lie in here, ends excluded.
pub const LOCAL_S: std::ops::Range<i64> = 100..108;

const SIMPLE: [u32; 3] = [1, 2, 200];
const COMPLEX: [u32; 2] = [3, 40_000];
const COUNTER: u32 = 5;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Data {
    /// Everything but counters.
    Plain,
    /// Counters and their tombstones only, nothing else.
    Counters,
    /// Counters under row deletions too.
    All,
}

fn timestamp() -> impl Strategy<Value = i64> {
    0..TIMESTAMP_END
}

pub fn deletion() -> impl Strategy<Value = Deletion> {
    (timestamp(), LOCAL_S)
}

fn expiry() -> impl Strategy<Value = Expiry> {
    (1u32..4, LOCAL_S).prop_map(|(ttl_s, at_s)| Expiry { ttl_s, at_s })
}

fn value() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![Just(vec![]), Just(vec![1]), Just(vec![1, 2]), Just(vec![200]), Just(vec![7; 130])]
}

fn cell() -> impl Strategy<Value = Cell> {
    let content = prop_oneof![
        3 => value().prop_map(Content::Live),
        2 => (expiry(), value()).prop_map(|(expiry, value)| Content::Expiring(expiry, value)),
        1 => LOCAL_S.prop_map(Content::Tombstone),
    ];
    (timestamp(), content).prop_map(|(timestamp, content)| Cell { timestamp, content })
}

fn counter() -> impl Strategy<Value = Cell> {
    let shard =
        (any::<bool>(), 1i64..4, -2i64..3).prop_map(|(is_global, clock, count)| Shard { is_global, clock, count });
    let content = prop_oneof![
        5 => btree_map((0u8..4).prop_map(|id| [id; 16]), shard, 1..4).prop_map(Content::Counter),
        1 => LOCAL_S.prop_map(Content::Tombstone),
    ];
    (timestamp(), content).prop_map(|(timestamp, content)| Cell { timestamp, content })
}

fn complex() -> impl Strategy<Value = Column> {
    let path = prop_oneof![Just(vec![]), Just(vec![1]), Just(vec![1, 1]), Just(vec![9; 3])];
    let cells = btree_map(path, (option::of(0u8..2), cell()), 0..4).prop_map(|cells| {
        cells
            .into_iter()
            .map(|(order, (writing, cell))| {
                let raw = writing.map_or(order.clone(), |writing| vec![writing; 2]);
                (order, (raw, cell))
            })
            .collect()
    });
    (option::of(deletion()), cells).prop_map(|(deletion, cells)| Column::Complex(deletion, cells))
}

fn columns(data: Data) -> impl Strategy<Value = Vec<(u32, Column)>> {
    let simple = (proptest::sample::select(&SIMPLE[..]), cell().prop_map(Column::Simple));
    let complex = (proptest::sample::select(&COMPLEX[..]), complex());
    let counter = (Just(COUNTER), counter().prop_map(Column::Simple));
    let column = match data {
        Data::Plain => prop_oneof![simple, complex].boxed(),
        Data::Counters => counter.boxed(),
        Data::All => prop_oneof![simple, complex, counter].boxed(),
    };
    vec(column, 0..5)
}

pub fn row(data: Data) -> impl Strategy<Value = Row> {
    let clustering = prop_oneof![Just(None), Just(Some(vec![2, 7])), Just(Some(vec![2, 8, 0]))];
    let expired = Just(Expiry { ttl_s: i32::MAX as u32, at_s: 103 });
    let liveness = (timestamp(), option::of(prop_oneof![4 => expiry().boxed(), 1 => expired.boxed()]));
    (clustering, option::of(liveness), option::weighted(0.3, deletion()), columns(data)).prop_map(
        move |(clustering, liveness, deletion, columns)| {
            let deletion = deletion.filter(|_| data != Data::Counters);
            let row = Row { clustering, liveness, deletion, columns: columns.into_iter().collect() };
            // a writer does not send what its own deletions delete
            model::merge(&[row])
        },
    )
}

pub fn rows(data: Data) -> impl Strategy<Value = Vec<Row>> {
    prop_oneof![4 => vec(row(data), 1..5), 1 => vec(row(data), 5..20)]
}
