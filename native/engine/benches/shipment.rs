// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A table of 50 MiB goes to another node, as whole files, as files of rows and row by row: the microbenchmark of the
//! article on zero-copy streaming (August 2018), whose sstable had 50 MiB, too. One operation is the whole table;
//! criterion's `elem/s` are the article's ops/s. Run with `cargo bench -p cassiterite-engine --bench shipment`.
//!
//! A writer exports the table and sends the files through a socket by `sendfile`. A reader takes them from a socket
//! into a folder, checks them on the way, syncs them and moves them into an empty table. Row by row is what streams of
//! nodes without the engine come as: one logged write for each partition.
#![allow(missing_docs, clippy::unwrap_used)]

#[path = "../tests/common/mod.rs"]
mod common;

use cassiterite_engine::{Store, Table};
use common::*;
use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

const PARTITIONS: u32 = 5_000;
const ROWS_PER_PARTITION: u32 = 10;
const ROW_BYTES: usize = 1024;
const BLOCK_BYTES: usize = 1 << 20;

fn value(seed: u32) -> Vec<u8> {
    half_noise(u64::from(seed), ROW_BYTES)
}

fn mutations() -> Vec<Vec<u8>> {
    (0..PARTITIONS)
        .map(|number| {
            let rows: Vec<Vec<u8>> =
                (0..ROWS_PER_PARTITION).map(|at| row(i64::from(at), 1, &value(number * 16 + at))).collect();
            let keys: Vec<Vec<u8>> = (0..ROWS_PER_PARTITION).map(clustering).collect();
            let entries: Vec<(u8, &[u8], &[u8])> =
                keys.iter().zip(&rows).map(|(key, row)| (ROW, key.as_slice(), row.as_slice())).collect();
            update(&partition(&format!("p{number}")), &entries)
        })
        .collect()
}

/// The table, with nothing in it.
fn emptied(store: &Store) -> Arc<Table> {
    store.drop_table(&TABLE).unwrap();
    table(store)
}

fn write(table: &Table, mutations: &[Vec<u8>]) {
    for mutation in mutations {
        table.write(mutation, 0).unwrap();
    }
}

/// Every token.
fn everywhere() -> Vec<u8> {
    let mut ranges = 1_u32.to_le_bytes().to_vec();
    ranges.extend_from_slice(&i64::MIN.to_le_bytes());
    ranges.extend_from_slice(&i64::MAX.to_le_bytes());
    ranges
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Sends a folder's files; the standard library copies from file to socket by `sendfile`.
fn send(directory: &Path, to: &mut TcpStream) {
    for path in files(directory) {
        let mut file = File::open(&path).unwrap();
        let name = path.file_name().unwrap().as_encoded_bytes();
        to.write_all(&(name.len() as u32).to_le_bytes()).unwrap();
        to.write_all(name).unwrap();
        to.write_all(&file.metadata().unwrap().len().to_le_bytes()).unwrap();
        std::io::copy(&mut file, to).unwrap();
    }
}

/// A connection whose other end is thrown away.
fn drained() -> TcpStream {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let to = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    std::thread::spawn(move || {
        let (mut from, _) = listener.accept().unwrap();
        let mut block = vec![0; BLOCK_BYTES];
        while from.read(&mut block).unwrap() > 0 {}
    });
    to
}

/// What a sender sends once.
fn incoming(directory: &Path) -> TcpStream {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let mut to = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let directory = directory.to_owned();
    std::thread::spawn(move || send(&directory, &mut to));
    listener.accept().unwrap().0
}

/// Takes files until the sender ends, checks them and syncs them.
fn receive(from: &mut TcpStream, directory: &Path) -> u32 {
    fs::create_dir_all(directory).unwrap();
    let mut checksum = 0;
    let mut block = vec![0; BLOCK_BYTES];
    let mut length = [0; 4];
    while from.read_exact(&mut length).is_ok() {
        let mut name = vec![0; u32::from_le_bytes(length) as usize];
        from.read_exact(&mut name).unwrap();
        let mut bytes = [0; 8];
        from.read_exact(&mut bytes).unwrap();
        let mut left = u64::from_le_bytes(bytes);
        let mut file = File::create(directory.join(String::from_utf8(name).unwrap())).unwrap();
        while left > 0 {
            let most = left.min(BLOCK_BYTES as u64) as usize;
            let read = from.read(&mut block[..most]).unwrap();
            checksum = crc32c::crc32c_append(checksum, &block[..read]);
            file.write_all(&block[..read]).unwrap();
            left -= read as u64;
        }
        file.sync_all().unwrap();
    }
    checksum
}

/// Times `work` on each number; what it leaves is thrown away untimed.
fn timed<T>(criterion: &mut Criterion, name: &str, mut ready: impl FnMut() -> T, mut work: impl FnMut(&mut T)) {
    let mut group = criterion.benchmark_group("shipment of 50 MiB");
    group.throughput(Throughput::Elements(1));
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|iterations| {
            (0..iterations)
                .map(|_| {
                    let mut ready = ready();
                    let began = Instant::now();
                    work(&mut ready);
                    began.elapsed()
                })
                .sum::<Duration>()
        });
    });
    group.finish();
}

fn shipments(criterion: &mut Criterion) {
    let home = tempfile::tempdir().unwrap();
    let store = |name: &str| Store::open(&options(&home.path().join(name), "compaction_rate_limit=0B/s")).unwrap();
    let (settled, fresh, receiver) = (store("settled"), store("fresh"), store("receiver"));
    let mutations = mutations();
    // All of it in files of the last level, and all of it in the memtable.
    let (whole, rows) = (table(&settled), table(&fresh));
    write(&whole, &mutations);
    whole.compact().unwrap();
    write(&rows, &mutations);
    let mut sink = drained();
    let folders = [home.path().join("settled/sent"), home.path().join("fresh/sent")];
    let writers = [("writer, whole files", &whole), ("writer, rows", &rows)];
    for ((name, table), folder) in writers.into_iter().zip(&folders) {
        timed(
            criterion,
            name,
            || drop(fs::remove_dir_all(folder)),
            |()| {
                table.export(&everywhere(), folder).unwrap();
                send(folder, &mut sink);
            },
        );
    }
    let staging = home.path().join("receiver/incoming");
    for (name, folder) in ["reader, whole files", "reader, files of rows"].into_iter().zip(&folders) {
        timed(
            criterion,
            name,
            || (emptied(&receiver), incoming(folder)),
            |(table, from)| {
                std::hint::black_box(receive(from, &staging));
                table.receive(&staging).unwrap();
            },
        );
    }
    timed(
        criterion,
        "reader, row by row",
        || emptied(&receiver),
        |table| {
            write(table, &mutations);
            table.flush().unwrap();
        },
    );
    for store in [settled, fresh, receiver] {
        store.close().unwrap();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(Duration::from_secs(5))
        .warm_up_time(Duration::from_secs(1));
    targets = shipments
}
criterion_main!(benches);
