// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The hot path: a read of one row of 1 KB in the cache, a logged write of one, a slice of ten. Run with `cargo bench
//! -p cassiterite-engine`; the data (200 MB) lie in the temporary folder. With `CASSITERITE_BENCH_CPU=1` the calling
//! thread's CPU time is measured, which other work on the machine disturbs less.
#![allow(missing_docs, clippy::unwrap_used)]

#[path = "../tests/common/mod.rs"]
mod common;

use cassiterite_engine::{Store, Table};
use common::*;
use cpu_time::ThreadTime;
use criterion::{criterion_group, criterion_main, Criterion};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const PARTITIONS: u32 = 10_000;
const ROWS_PER_PARTITION: u32 = 10;
const ROW_BYTES: usize = 1024;

fn value(seed: u32) -> Vec<u8> {
    half_noise(u64::from(seed), ROW_BYTES)
}

fn filled() -> (tempfile::TempDir, Arc<Store>, Arc<Table>) {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(&format!(
        "directory={}\nblock_cache_size=512MiB\ncompaction_rate_limit=0B/s",
        directory.path().display()
    ))
    .unwrap();
    let table = table(&store);
    for number in 0..PARTITIONS {
        let rows: Vec<Vec<u8>> = (0..ROWS_PER_PARTITION).map(|at| row(i64::from(at), 1, &value(number + at))).collect();
        let keys: Vec<Vec<u8>> = (0..ROWS_PER_PARTITION).map(clustering).collect();
        let entries: Vec<(u8, &[u8], &[u8])> =
            keys.iter().zip(&rows).map(|(key, row)| (ROW, key.as_slice(), row.as_slice())).collect();
        table.write(&update(&partition(&format!("p{number}")), &entries), 0).unwrap();
    }
    table.compact().unwrap();
    // Two sorted runs, as after a while of writing.
    for number in (0..PARTITIONS).step_by(10) {
        put(&table, &format!("p{number}"), 3, 1_000_000, &value(number));
    }
    table.flush().unwrap();
    (directory, store, table)
}

fn timed(criterion: &mut Criterion, name: &str, mut work: impl FnMut()) {
    let cpu = std::env::var_os("CASSITERITE_BENCH_CPU").is_some();
    criterion.bench_function(name, |bencher| {
        bencher.iter_custom(|iterations| {
            let (wall, thread) = (Instant::now(), ThreadTime::now());
            for _ in 0..iterations {
                work();
            }
            if cpu {
                thread.elapsed()
            } else {
                wall.elapsed()
            }
        });
    });
}

fn next(state: &mut u32) -> u32 {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    (*state >> 8) % PARTITIONS
}

fn hot_path(criterion: &mut Criterion) {
    let (_directory, store, table) = filled();
    let mut answer = vec![0; 64 << 10];
    let mut state = 1;
    let gets: Vec<Vec<u8>> = (0..4096)
        .map(|number| {
            let name = format!("p{}", next(&mut state));
            read_request(POINTS, 0, &partition(&name), &[point(number % ROWS_PER_PARTITION)])
        })
        .collect();
    let slices: Vec<Vec<u8>> = (0..4096)
        .map(|_| read_request(0, 1 << 20, &partition(&format!("p{}", next(&mut state))), &everything()))
        .collect();
    let puts: Vec<Vec<u8>> = (0..4096)
        .map(|number| {
            let fragment = row(2_000_000 + i64::from(number), 1, &value(number));
            let name = format!("q{}", next(&mut state));
            update(&partition(&name), &[(ROW, &clustering(number % ROWS_PER_PARTITION), &fragment)])
        })
        .collect();
    for request in gets.iter().chain(&slices) {
        assert!(table.read(request, &mut answer).unwrap() > 1000);
    }
    let mut at = 0;
    let mut cycle = |requests: &[Vec<u8>]| {
        at = (at + 1) % requests.len();
        at
    };
    timed(criterion, "get 1 KB, hot", || {
        table.read(black_box(&gets[cycle(&gets)]), &mut answer).unwrap();
    });
    timed(criterion, "slice of 10 rows, hot", || {
        table.read(black_box(&slices[cycle(&slices)]), &mut answer).unwrap();
    });
    let absent = read_request(POINTS, 0, &partition("nowhere"), &[point(1)]);
    timed(criterion, "get absent", || {
        table.read(black_box(&absent), &mut answer).unwrap();
    });
    timed(criterion, "put 1 KB, logged", || {
        table.write(black_box(&puts[cycle(&puts)]), 0).unwrap();
    });
    table.write(&update(&partition("p1"), &[(HEADER, b"", &partition_deletion(1))]), 0).unwrap();
    timed(criterion, "get 1 KB, hot, table with headers", || {
        table.read(black_box(&gets[cycle(&gets)]), &mut answer).unwrap();
    });
    timed(criterion, "slice of 10 rows, hot, table with headers", || {
        table.read(black_box(&slices[cycle(&slices)]), &mut answer).unwrap();
    });
    store.close().unwrap();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(std::time::Duration::from_secs(3))
        .warm_up_time(std::time::Duration::from_secs(1));
    targets = hot_path
}
criterion_main!(benches);
