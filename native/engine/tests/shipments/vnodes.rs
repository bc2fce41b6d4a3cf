// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! With many tokens per node nearly all of what a node asks for lies in files that go whole.

use crate::common::*;
use crate::received::Dice;
use crate::tokens::*;
use cassiterite_engine::{Store, Table};
use std::path::Path;

const NODES: usize = 3;
const VNODES: usize = 16;
const PARTITIONS: u32 = 10_000;
/// Enough for some two files in each range: smaller ranges share files.
const VALUE_BYTES: usize = 600;
const SHARE_MIN: f64 = 0.9;

/// The ranges of a ring with as many vnodes, at random tokens.
fn vnodes(seed: u64) -> Vec<(i64, i64)> {
    let mut dice = Dice(seed);
    let mut tokens: Vec<i64> = (0..NODES * VNODES).map(|_| (dice.below(1 << 31) << 33) as i64).collect();
    tokens.sort_unstable();
    let starts = std::iter::once(i64::MIN).chain(tokens.iter().copied());
    let ends = tokens.iter().copied().chain(std::iter::once(i64::MAX));
    starts.zip(ends).collect()
}

fn learn(store: &Store, ring: &[(i64, i64)]) {
    store.set_ring(&boundaries(&ring.iter().map(|range| range.1).collect::<Vec<_>>())).unwrap();
}

/// The share of the bytes that go whole of every third range.
fn whole_share(table: &Table, ring: &[(i64, i64)], shipment: &Path) -> f64 {
    let wanted: Vec<(i64, i64)> = ring.iter().copied().step_by(NODES).collect();
    let lines = lines(&table.export(&ranges(&wanted), shipment).unwrap());
    std::fs::remove_dir_all(shipment).unwrap();
    let bytes = |kind: &str| lines.iter().filter(|line| line.kind == kind).map(|line| line.bytes).sum::<u64>() as f64;
    bytes("whole") / (bytes("whole") + bytes("rows"))
}

#[test]
fn nearly_all_goes_whole() {
    let directory = tempfile::tempdir().unwrap();
    let store = small_files(&directory.path().join("store"));
    let table = table(&store);
    let share = |ring: &[(i64, i64)]| whole_share(&table, ring, &directory.path().join("shipment"));
    let ring = vnodes(1);
    fill(&table, 0..PARTITIONS, 1, VALUE_BYTES);
    table.compact().unwrap();
    assert!(share(&ring) < SHARE_MIN, "files that are cut anywhere: {}", share(&ring));

    for ring in [ring, vnodes(2)] {
        learn(&store, &ring);
        table.compact().unwrap();
        assert!(share(&ring) > 0.99, "{}", share(&ring));
        // What a client writes meanwhile goes as rows.
        fill(&table, 0..PARTITIONS / 40, 2, VALUE_BYTES);
        table.flush().unwrap();
        fill(&table, PARTITIONS / 40..PARTITIONS / 20, 2, VALUE_BYTES);
        assert!((SHARE_MIN..0.99).contains(&share(&ring)), "{}", share(&ring));
    }
}
