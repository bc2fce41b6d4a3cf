// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! How long it takes to merge, compact and read rows of 16 cells of 60 bytes, and what else is hot.

#![allow(missing_docs)] // criterion's macro makes a function without

use std::hint::black_box;

use cassiterite_codec::header::{write, Coverage, Position, Range};
use cassiterite_codec::key::{encode_partition, murmur3_token, partition_len, Kind};
use cassiterite_codec::row::{Cell, Head, Liveness, PathCell, RowWriter};
use cassiterite_codec::{compact, merge, min_timestamp, shadow, validate, ColumnSet, DeletionTime, Purge};
use criterion::{criterion_group, criterion_main, BenchmarkId, Criterion};

const CELLS: u32 = 16;
const VALUE_BYTES: usize = 60;

fn head(timestamp: i64) -> Head<'static> {
    Head { clustering: Some(&[9, 1, 2, 3, 4, 5, 6, 7, 8]), liveness: Liveness::without_ttl(timestamp), ..Head::NOTHING }
}

fn full_row(timestamp: i64) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = RowWriter::new(&head(timestamp), &mut out);
    for id in 1..=CELLS {
        writer.simple(id, &Cell::live(timestamp, &[timestamp as u8; VALUE_BYTES]));
    }
    writer.finish();
    out
}

fn update(timestamp: i64) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = RowWriter::new(&head(timestamp), &mut out);
    writer.simple(1 + timestamp as u32 % CELLS, &Cell::live(timestamp, &[timestamp as u8; VALUE_BYTES]));
    writer.finish();
    out
}

/// A row of one list with `cells` elements, the first of them numbered `from`.
fn list(timestamp: i64, from: u32, cells: u32) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = RowWriter::new(&head(timestamp), &mut out);
    let write = |out: &mut cassiterite_codec::row::ComplexWriter<'_, '_>| {
        for at in from..from + cells {
            let order = [[0; 12].as_slice(), &at.to_be_bytes()].concat();
            out.cell(&PathCell { order: &order, raw: None, cell: Cell::live(timestamp, &[7; 20]) });
        }
        Ok::<(), ()>(())
    };
    let _ = writer.complex(1, &DeletionTime::LIVE, u64::from(cells), write);
    writer.finish();
    out
}

fn bench_merge(criterion: &mut Criterion, name: &str, operands: &[Vec<u8>]) {
    let operands: Vec<&[u8]> = operands.iter().map(Vec::as_slice).collect();
    let mut out = Vec::new();
    criterion.bench_with_input(BenchmarkId::new("merge", name), &operands, |bencher, operands| {
        bencher.iter(|| merge(Kind::Row, black_box(operands), &mut out));
    });
}

fn merges(criterion: &mut Criterion) {
    for count in 1..=4 {
        let rows: Vec<_> = (1..=count).map(full_row).collect();
        bench_merge(criterion, &format!("{count} full rows"), &rows);
    }
    for count in [1, 3, 15] {
        let mut rows = vec![full_row(1)];
        rows.extend((2..2 + count).map(update));
        bench_merge(criterion, &format!("a row and {count} updates"), &rows);
    }
    bench_merge(criterion, "a list of 1000 and one more", &[list(1, 0, 1000), list(2, 1000, 1)]);
    let appended: Vec<_> = (0..1000).map(|at| list(i64::from(at), at, 1)).collect();
    bench_merge(criterion, "1000 lists of one", &appended);
    let updates: Vec<_> = (1..=1000).map(update).collect();
    bench_merge(criterion, "1000 updates", &updates);
}

fn rewrites(criterion: &mut Criterion) {
    let row = full_row(5);
    let mut out = Vec::new();
    let purge = Purge { now_s: 1_000, gc_before_s: 900, max_purgeable_timestamp: i64::MAX };
    let (keep, drop) = (ColumnSet::new(), ColumnSet::from_iter([3]));
    let live = DeletionTime::LIVE;
    criterion.bench_function("compact/nothing to do", |bencher| {
        bencher.iter(|| compact(Kind::Row, black_box(&row), live, &purge, &keep, &mut out));
    });
    criterion.bench_function("compact/one column dropped", |bencher| {
        bencher.iter(|| compact(Kind::Row, black_box(&row), live, &purge, &drop, &mut out));
    });
    criterion.bench_function("shadow/all", |bencher| {
        bencher.iter(|| shadow(black_box(&row), DeletionTime::new(9, 9), &mut out));
    });
    criterion.bench_function("min_timestamp", |bencher| bencher.iter(|| min_timestamp(Kind::Row, black_box(&row))));
    criterion.bench_function("validate", |bencher| bencher.iter(|| validate(Kind::Row, black_box(&row))));
}

fn headers(criterion: &mut Criterion) {
    let orders: Vec<[u8; 6]> = (0..1001u16)
        .map(|at| {
            let [high, low] = at.to_be_bytes();
            [0x40, 0x80, 0, high, low, 0x20]
        })
        .collect();
    let mut coverage = Coverage::new();
    let mut fragment = Vec::new();
    for (at, pair) in orders.windows(2).enumerate() {
        let [start, end] = pair else { continue };
        let at_position = |order| Position { order, raw: &[] };
        let deletion = DeletionTime::new(at as i64, 7);
        let range = Range { start: at_position(start), end: at_position(end), deletion };
        write(&DeletionTime::LIVE, &[range], &mut fragment);
        let _ = coverage.add(&fragment);
    }
    let row = [0x40, 0x80, 0, 2, 9, 0x38];
    criterion.bench_function("coverage/1000 ranges", |bencher| {
        bencher.iter(|| coverage.deletion_for(black_box(&row)));
    });
}

fn keys(criterion: &mut Criterion) {
    let raw = b"2cc9ccb7-96c3-4c3f-8d4f-0d4f7f4d3f3a";
    let mut key = Vec::new();
    encode_partition(murmur3_token(raw), raw, &mut key);
    key.extend([0x30, 0x40, 0x80, 0, 0, 5, 0x38]);
    criterion.bench_function("key/partition_len", |bencher| bencher.iter(|| partition_len(black_box(&key))));
    criterion.bench_function("key/murmur3_token", |bencher| bencher.iter(|| murmur3_token(black_box(raw))));
}

criterion_group!(benches, merges, rewrites, headers, keys);
criterion_main!(benches);
