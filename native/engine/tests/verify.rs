// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Verification reads every file, and names those that are not what was written.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod common;

use cassiterite_engine::{Depth, Kind, Store, Table};
use common::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const VALUE: &[u8] = &[b'x'; 900];
const PARTITIONS: [&str; 3] = ["a", "b", "c"];
const ROWS: u32 = 100;
/// No ranges.
const ANYWHERE: [u8; 4] = [0; 4];
const DEPTHS: [Depth; 3] = [Depth::Quick, Depth::Checksums, Depth::Entries];

fn fill(table: &Table) {
    for partition in PARTITIONS {
        (0..ROWS).for_each(|at| put(table, partition, at, 1, VALUE));
    }
    table.flush().unwrap();
}

/// A closed store whose table has two files, and these.
fn two_files(more: &str) -> (tempfile::TempDir, Vec<PathBuf>) {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(&options(directory.path(), &format!("compression=none\n{more}"))).unwrap();
    let table = table(&store);
    fill(&table);
    fill(&table);
    store.close().unwrap();
    let found = fs::read_dir(directory.path().join("db")).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = found
        .filter(|path| fs::metadata(path).unwrap().len() > 100_000 && path.to_string_lossy().ends_with("sst"))
        .collect();
    files.sort();
    assert_eq!(files.len(), 2);
    (directory, files)
}

fn flip(path: &Path, at: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at] ^= 0x10;
    fs::write(path, bytes).unwrap();
}

fn length(path: &Path) -> usize {
    fs::metadata(path).unwrap().len() as usize
}

#[test]
fn intact_files_are_counted() {
    let (directory, files) = two_files("");
    let store = open(directory.path());
    let table = table(&store);
    for depth in DEPTHS {
        let verified = table.verify(depth, &ANYWHERE).unwrap();
        assert_eq!((verified.files, verified.bytes), (2, files.iter().map(|file| length(file) as u64).sum()));
        let entries = if depth == Depth::Entries { 2 * PARTITIONS.len() as u64 * u64::from(ROWS) } else { 0 };
        assert_eq!(verified.entries, entries);
    }
}

#[test]
fn damage_anywhere_in_a_file_is_found_and_the_file_is_named() {
    let (directory, files) = two_files("");
    let size = length(&files[1]);
    let store = open(directory.path());
    let table = table(&store);
    assert_eq!(rows(&table, "a").len(), ROWS as usize, "what is in the cache hides nothing");
    for at in [0, size / 3, size / 2, size - 2000] {
        flip(&files[1], at);
        for depth in [Depth::Checksums, Depth::Entries] {
            let error = table.verify(depth, &ANYWHERE).unwrap_err();
            assert_eq!(error.kind(), Kind::Corruption, "{error}");
            assert!(error.message().contains("1 of 2 files are damaged"), "{error}");
            assert!(error.message().contains(&files[1].display().to_string()), "{error}");
            assert!(!error.message().contains(&files[0].display().to_string()), "{error}");
        }
        assert_eq!(table.verify(Depth::Quick, &ANYWHERE).is_ok(), at < size - 2000, "blocks are not read, byte {at}");
        flip(&files[1], at);
    }
}

#[test]
fn all_damaged_files_are_named() {
    let (directory, files) = two_files("");
    files.iter().for_each(|file| flip(file, length(file) / 2));
    let store = open(directory.path());
    let error = table(&store).verify(Depth::Checksums, &ANYWHERE).unwrap_err();
    assert!(error.message().contains("2 of 2 files are damaged"), "{error}");
    assert!(files.iter().all(|file| error.message().contains(&file.display().to_string())), "{error}");
}

#[test]
fn a_file_that_got_shorter_while_the_store_is_open_is_found() {
    let (directory, files) = two_files("");
    let store = open(directory.path());
    let table = table(&store);
    fs::OpenOptions::new().write(true).open(&files[0]).unwrap().set_len(1000).unwrap();
    for depth in DEPTHS {
        let error = table.verify(depth, &ANYWHERE).unwrap_err();
        assert!(error.message().contains("it has 1000 bytes instead of"), "{error}");
    }
    fs::remove_file(&files[0]).unwrap();
    assert_eq!(table.verify(Depth::Quick, &ANYWHERE).unwrap_err().kind(), Kind::Io);
}

#[test]
fn entries_outside_of_the_ranges_are_found_by_the_deepest_look_alone() {
    let (directory, _) = two_files("");
    let store = open(directory.path());
    let table = table(&store);
    let ranges = |left: i64, right: i64| [&1_u32.to_le_bytes()[..], &left.to_le_bytes(), &right.to_le_bytes()].concat();
    let tokens = PARTITIONS.map(token);
    let (first, last) = (*tokens.iter().min().unwrap(), *tokens.iter().max().unwrap());
    assert_eq!(table.verify(Depth::Entries, &ranges(first - 1, last)).unwrap().files, 2);
    let error = table.verify(Depth::Entries, &ranges(first, last)).unwrap_err();
    assert!(error.message().contains(&format!("its token {first} is not of this node")), "{error}");
    assert_eq!(table.verify(Depth::Checksums, &ranges(first, last)).unwrap().files, 2);
}

#[test]
fn it_reads_no_faster_than_compaction_may_write() {
    let directory = tempfile::tempdir().unwrap();
    let store = open_with(directory.path(), "compression=none");
    let table = table(&store);
    (0..8).for_each(|at| put(&table, "a", at, 1, &vec![at as u8; 1 << 20]));
    table.flush().unwrap();
    store.set("compaction_rate_limit=8MiB/s").unwrap();
    let begun = Instant::now();
    table.verify(Depth::Checksums, &ANYWHERE).unwrap();
    assert!(begun.elapsed() > Duration::from_millis(500), "{:?}", begun.elapsed());
    store.set("compaction_rate_limit=1MiB/s").unwrap();
    std::thread::scope(|scope| {
        let verifying = scope.spawn(|| table.verify(Depth::Entries, &ANYWHERE));
        std::thread::sleep(Duration::from_millis(100));
        store.close().unwrap();
        assert_eq!(verifying.join().unwrap().unwrap_err().kind(), Kind::Closed);
    });
}

#[test]
fn files_that_are_compacted_away_meanwhile_are_no_damage() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    std::thread::scope(|scope| {
        let compacting = scope.spawn(|| {
            for _ in 0..20 {
                fill(&table);
                table.compact().unwrap();
            }
        });
        while !compacting.is_finished() {
            table.verify(Depth::Entries, &ANYWHERE).unwrap();
        }
        compacting.join().unwrap();
    });
}

#[test]
fn a_running_verification_tells_how_far_it_is_and_can_be_stopped() {
    let (directory, files) = two_files("compaction_rate_limit=100KiB/s\n");
    let total = files.iter().map(|file| length(file) as u64).sum::<u64>();
    let store = Store::open(&options(directory.path(), "compaction_rate_limit=100KiB/s\n")).unwrap();
    let table = table(&store);
    assert_eq!(table.verified_bytes().unwrap(), (0, 0));
    std::thread::scope(|scope| {
        let verification = scope.spawn(|| table.verify(Depth::Checksums, &ANYWHERE));
        await_until("it tells nothing", || {
            assert!(!verification.is_finished());
            table.verified_bytes().unwrap().0 > 0
        });
        assert_eq!(table.verified_bytes().unwrap().1, total);
        table.stop_verification().unwrap();
        let error = verification.join().unwrap().unwrap_err();
        assert_eq!(error.kind(), Kind::Busy, "{error}");
    });
    assert_eq!(table.verified_bytes().unwrap(), (0, 0));
    assert_eq!(table.verify(Depth::Quick, &ANYWHERE).unwrap().files, 2);
}
