// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Random updates and reads against a sorted map of merged fragments, with flushes, compactions and restarts in
//! between, in either style of compaction.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod common;

use cassiterite_codec::key::Kind as KeyKind;
use cassiterite_codec::merge;
use common::*;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

const PARTITIONS: u32 = 6;
const CLUSTERINGS: u32 = 12;

#[derive(Clone, Debug)]
enum Step {
    /// Kind, clustering, timestamp, column, value length.
    Write(u32, Vec<(u8, u32, i64, u32, usize)>),
    Read {
        partition: u32,
        flags: u8,
        slices: Vec<(u32, u32)>,
        chunk: u32,
        buffer: usize,
    },
    Points {
        partition: u32,
        flags: u8,
        points: Vec<u32>,
        buffer: usize,
    },
    Scan {
        with_static: bool,
        chunk: u32,
        buffer: usize,
    },
    Flush,
    Compact,
    /// In this style.
    Reopen(&'static str),
}

fn step() -> impl Strategy<Value = Step> {
    let entry =
        (0..12u8, 0..CLUSTERINGS, 1..50i64, 1..4u32, 0..200usize).prop_map(|(kind, at, timestamp, column, size)| {
            let kind = [HEADER, STATIC].get(usize::from(kind)).copied().unwrap_or(ROW);
            (kind, at, timestamp, column, size)
        });
    let buffer = prop_oneof![Just(0usize), Just(100), Just(1000), Just(1 << 16)];
    let chunk = prop_oneof![Just(0u32), Just(100), Just(1 << 16)];
    let slices = proptest::collection::btree_set(0..CLUSTERINGS + 1, 2..6).prop_map(|bounds| {
        let bounds: Vec<u32> = bounds.into_iter().collect();
        bounds.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
    });
    let points = proptest::collection::btree_set(0..CLUSTERINGS, 0..5).prop_map(|points| points.into_iter().collect());
    prop_oneof![
        8 => (0..PARTITIONS, proptest::collection::vec(entry, 1..5)).prop_map(|(p, entries)| Step::Write(p, entries)),
        4 => (0..PARTITIONS, 0..4u8, slices, chunk.clone(), buffer.clone())
            .prop_map(|(partition, flags, slices, chunk, buffer)| Step::Read { partition, flags, slices, chunk, buffer }),
        4 => (0..PARTITIONS, 0..4u8, points, buffer.clone())
            .prop_map(|(partition, flags, points, buffer)| Step::Points { partition, flags, points, buffer }),
        1 => (any::<bool>(), chunk, buffer).prop_map(|(with_static, chunk, buffer)| Step::Scan { with_static, chunk, buffer }),
        1 => Just(Step::Flush),
        1 => Just(Step::Compact),
        1 => style().prop_map(Step::Reopen),
    ]
}

fn style() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(&STYLES[..])
}

/// By partition, kind and clustering.
type Model = BTreeMap<(Vec<u8>, u8, Vec<u8>), Vec<u8>>;

fn name(number: u32) -> String {
    format!("p{number}")
}

fn write(model: &mut Model, table: &cassiterite_engine::Table, number: u32, entries: &[(u8, u32, i64, u32, usize)]) {
    let key = partition(&name(number));
    let built: Vec<(u8, Vec<u8>, Vec<u8>)> = entries
        .iter()
        .map(|&(kind, at, timestamp, column, size)| match kind {
            // Before every row: compaction removes what a deletion covers, and reads before it do not.
            HEADER => (kind, Vec::new(), partition_deletion(-timestamp)),
            STATIC => (kind, Vec::new(), row(timestamp, column, &vec![size as u8; size])),
            _ => (kind, clustering(at), row(timestamp, column, &vec![size as u8; size])),
        })
        .collect();
    let borrowed: Vec<(u8, &[u8], &[u8])> =
        built.iter().map(|(kind, at, fragment)| (*kind, at.as_slice(), fragment.as_slice())).collect();
    table.write(&update(&key, &borrowed), 0).unwrap();
    for (kind, at, fragment) in built {
        let slot = model.entry((key.clone(), kind, at)).or_default();
        let operands: Vec<&[u8]> =
            if slot.is_empty() { vec![&fragment] } else { vec![slot.as_slice(), fragment.as_slice()] };
        let mut out = Vec::new();
        merge(KeyKind::try_from(kind).unwrap(), &operands, &mut out).unwrap();
        *slot = out;
    }
}

/// Header and, if wanted, static row.
fn prelude(model: &Model, key: &[u8], with_static: bool) -> Vec<Entry> {
    let mut found = Vec::new();
    found.extend(model.get(&(key.to_vec(), HEADER, Vec::new())).cloned().map(Entry::Header));
    if with_static {
        found.extend(model.get(&(key.to_vec(), STATIC, Vec::new())).cloned().map(Entry::Static));
    }
    found
}

fn expected(model: &Model, number: u32, flags: u8, slices: &[(Vec<u8>, Vec<u8>)]) -> Vec<Entry> {
    let key = partition(&name(number));
    let mut found = prelude(model, &key, flags & WITH_STATIC != 0);
    let mut groups: Vec<Vec<Entry>> = slices
        .iter()
        .map(|(start, end)| {
            let range = (key.clone(), ROW, start.clone())..=(key.clone(), ROW, end.clone());
            model.range(range).map(|(_, fragment)| Entry::Row(fragment.clone())).collect()
        })
        .collect();
    if flags & REVERSED != 0 {
        groups.reverse();
        groups.iter_mut().for_each(|group| group.reverse());
    }
    for group in groups {
        found.extend(group);
        found.push(Entry::SliceEnd);
    }
    found
}

fn expected_scan(model: &Model, with_static: bool) -> Vec<Entry> {
    let mut found = Vec::new();
    let mut keys: Vec<&Vec<u8>> = model.keys().map(|(key, ..)| key).collect();
    keys.dedup();
    for key in keys {
        let mut inside = prelude(model, key, with_static);
        let range = (key.clone(), ROW, Vec::new())..(key.clone(), ROW + 1, Vec::new());
        inside.extend(model.range(range).map(|(_, fragment)| Entry::Row(fragment.clone())));
        if !inside.is_empty() {
            let mut raw = Vec::new();
            cassiterite_codec::key::raw_partition_key(key, &mut raw).unwrap();
            found.push(Entry::Partition(cassiterite_codec::key::token(key).unwrap(), raw));
            found.append(&mut inside);
        }
    }
    found
}

fn run(style: &str, steps: Vec<Step>) {
    let directory = tempfile::tempdir().unwrap();
    let mut store = open_with(directory.path(), style);
    let mut table = common::table(&store);
    let mut model = Model::new();
    for step in steps {
        match step {
            Step::Write(number, entries) => write(&mut model, &table, number, &entries),
            Step::Read { partition: number, flags, slices, chunk, buffer } => {
                let slices: Vec<_> = slices.iter().map(|&(from, to)| (bound(from, 0x20), bound(to, 0x20))).collect();
                let request = read_request(flags, chunk, &partition(&name(number)), &slices);
                assert_eq!(read_all(&table, &request, buffer), expected(&model, number, flags, &slices));
            }
            Step::Points { partition: number, flags, points, buffer } => {
                let points: Vec<_> = points.into_iter().map(point).collect();
                let request = read_request(flags | POINTS, 0, &partition(&name(number)), &points);
                assert_eq!(read_all(&table, &request, buffer), expected(&model, number, flags, &points));
            }
            Step::Scan { with_static, chunk, buffer } => {
                let flags = WHOLE | if with_static { WITH_STATIC } else { 0 };
                let request = scan_request(flags, chunk, b"", b"", &[]);
                assert_eq!(scan_all(&table, &request, buffer), expected_scan(&model, with_static));
            }
            Step::Flush => table.flush().unwrap(),
            Step::Compact => table.compact().unwrap(),
            Step::Reopen(style) => {
                drop(std::mem::replace(&mut table, Arc::clone(&common::table(&store))));
                store.close().unwrap();
                store = open_with(directory.path(), style);
                table = common::table(&store);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reads_equal_the_model(style in style(), steps in proptest::collection::vec(step(), 1..80)) {
        run(style, steps);
    }
}
