// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Damaged files: an error that tells what to do, never a wrong answer, and a crash is not taken for damage.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod common;

use cassiterite_engine::{EngineError, Kind, Store, Table};
use common::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const VALUE: &[u8] = &[b'x'; 900];
/// Flushes that make RocksDB compact.
const FILES: u32 = 8;

fn files(store: &Path, extension: &str) -> Vec<PathBuf> {
    let all = fs::read_dir(store.join("db")).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = all.filter(|path| path.extension().is_some_and(|found| found == extension)).collect();
    found.sort();
    found
}

/// What a killed process leaves of a store with rows 0 to `rows` in one partition, none of them flushed.
fn killed(rows: u32) -> tempfile::TempDir {
    killed_with(rows, |_| ())
}

/// As [`killed`], after something else has been done.
fn killed_with(rows: u32, last: impl FnOnce(&Table)) -> tempfile::TempDir {
    let (alive, killed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = open(alive.path());
    let table = table(&store);
    (0..rows).for_each(|at| put(&table, "a", at, 1, VALUE));
    last(&table);
    copy(alive.path(), killed.path());
    store.close().unwrap();
    killed
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to.join("db")).unwrap();
    for entry in fs::read_dir(from.join("db")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, to.join("db").join(path.file_name().unwrap())).unwrap();
    }
}

fn flip(path: &Path, at: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at] ^= 0x10;
    fs::write(path, bytes).unwrap();
}

fn truncate(path: &Path, length: u64) {
    fs::OpenOptions::new().write(true).open(path).unwrap().set_len(length).unwrap();
}

fn refused(store: &Path) -> EngineError {
    Store::open(&options(store, "")).map(drop).unwrap_err()
}

#[test]
fn a_log_that_was_torn_anywhere_opens_with_all_rows_before() {
    for torn_bytes in [1, 500, 1500, 40_000] {
        let directory = killed(100);
        let log = files(directory.path(), "log").pop().unwrap();
        let length = fs::metadata(&log).unwrap().len();
        truncate(&log, length - torn_bytes);
        let found = rows(&table(&open(directory.path())), "a").len();
        let lost = torn_bytes.div_ceil(950) as usize;
        assert!((100 - lost - 1..100).contains(&found), "{found} rows after {torn_bytes} bytes were cut off");
    }
}

#[test]
fn any_garbage_is_a_torn_end() {
    for of in (0..16).chain([130, 131, 255]) {
        let directory = killed(3);
        let log = files(directory.path(), "log").pop().unwrap();
        let mut bytes = fs::read(&log).unwrap();
        bytes.extend_from_slice(&[1, 2, 3, 4, 5, 6, of, 8, 9]);
        fs::write(&log, bytes).unwrap();
        assert_eq!(rows(&table(&open(directory.path())), "a").len(), 3, "type {of}");
    }
}

#[test]
fn a_log_that_is_damaged_before_intact_records_is_refused_and_nothing_is_touched() {
    // The middle of a block of a log with several, and of a log's last block; a checksum, a length and a value.
    for (count, part) in [(100, 2), (100, 3), (20, 2), (20, 5)] {
        for offset in 0..3 {
            let directory = killed(count);
            let log = files(directory.path(), "log").pop().unwrap();
            let damaged_at = fs::metadata(&log).unwrap().len() as usize / part + 311 * offset;
            flip(&log, damaged_at);
            for _ in 0..2 {
                let error = refused(directory.path());
                assert_eq!(error.kind(), Kind::Corruption);
                assert!(error.message().contains("wal_recovery"), "{error}");
                assert!(error.message().contains(&log.display().to_string()), "{error}");
            }
            flip(&log, damaged_at);
            assert_eq!(rows(&table(&open(directory.path())), "a").len(), count as usize);
        }
    }
}

#[test]
fn a_zeroed_page_in_the_log_is_refused() {
    let directory = killed(100);
    let log = files(directory.path(), "log").pop().unwrap();
    let mut bytes = fs::read(&log).unwrap();
    bytes[32768..32768 + 4096].fill(0);
    fs::write(&log, bytes).unwrap();
    assert!(refused(directory.path()).message().contains("intact records follow"));
}

#[test]
fn the_operator_may_give_up_what_follows_the_damage() {
    let directory = killed(100);
    let log = files(directory.path(), "log").pop().unwrap();
    flip(&log, fs::metadata(&log).unwrap().len() as usize / 2);
    let store = Store::open(&options(directory.path(), "wal_recovery=until_damage")).unwrap();
    let found = rows(&table(&store), "a").len();
    assert!((40..60).contains(&found), "{found} rows");
    store.close().unwrap();
    assert_eq!(rows(&table(&open(directory.path())), "a").len(), found, "once is enough");
}

#[test]
fn giving_up_the_log_gives_up_nothing_that_is_in_files() {
    for garbage in [0, 0xFF] {
        let directory = killed_with(100, |table| table.flush().unwrap());
        for log in files(directory.path(), "log") {
            fs::write(log, [garbage; 4096]).unwrap();
        }
        let store = Store::open(&options(directory.path(), "wal_recovery=until_damage")).unwrap();
        assert_eq!(rows(&table(&store), "a").len(), 100);
    }
}

#[test]
fn giving_up_a_log_works_where_another_table_is_in_files() {
    let other = |store: &Store| store.table(&schema(b"another table...", &[(0, "v", "blob")])).unwrap();
    let (alive, killed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = open(alive.path());
    let (one, other_table) = (table(&store), other(&store));
    for at in 0..100 {
        put(&one, "a", at, 1, VALUE);
        put(&other_table, "a", at, 1, VALUE);
    }
    other_table.flush().unwrap();
    copy(alive.path(), killed.path());
    store.close().unwrap();
    let log = files(killed.path(), "log").into_iter().max_by_key(|log| fs::metadata(log).unwrap().len()).unwrap();
    flip(&log, fs::metadata(&log).unwrap().len() as usize / 2);
    assert!(refused(killed.path()).message().contains("wal_recovery"));
    let store = Store::open(&options(killed.path(), "wal_recovery=until_damage")).unwrap();
    assert_eq!(rows(&other(&store), "a").len(), 100);
    let found = rows(&table(&store), "a").len();
    assert!((40..100).contains(&found), "{found} rows");
    put(&table(&store), "b", 1, 1, VALUE);
    store.close().unwrap();
    let store = open(killed.path());
    assert_eq!((rows(&table(&store), "a").len(), rows(&table(&store), "b").len()), (found, 1), "once is enough");
}

#[test]
fn a_log_directory_that_is_gone_is_refused() {
    let (directory, logs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let elsewhere = format!("wal_directory={}", logs.path().display());
    let store = Store::open(&options(directory.path(), &elsewhere)).unwrap();
    put(&table(&store), "a", 1, 1, VALUE);
    store.close().unwrap();
    let error = refused(directory.path());
    assert!(error.message().contains("wal_directory"), "{error}");
    let store = Store::open(&options(directory.path(), &elsewhere)).unwrap();
    assert_eq!(rows(&table(&store), "a").len(), 1);
}

/// Volumes that are copied one after the other.
mod apart {
    use super::*;
    use std::io::ErrorKind;

    struct Copies {
        alive: tempfile::TempDir,
        copy: tempfile::TempDir,
    }

    impl Copies {
        fn new() -> (Copies, Arc<Store>, Arc<Table>) {
            let (alive, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let store = open(alive.path());
            let table = table(&store);
            (Copies { alive, copy }, store, table)
        }

        /// Copies the log, or all else.
        fn take(&self, is_log: bool) {
            let to = self.copy.path().join("db");
            fs::create_dir_all(&to).unwrap();
            for entry in fs::read_dir(self.alive.path().join("db")).unwrap() {
                let path = entry.unwrap().path();
                if path.extension().is_some_and(|extension| extension == "log") == is_log {
                    match fs::copy(&path, to.join(path.file_name().unwrap())) {
                        Err(error) if error.kind() == ErrorKind::NotFound => {} // not needed, and just deleted
                        copied => assert!(copied.is_ok(), "{copied:?}"),
                    }
                }
            }
        }
    }

    impl Copies {
        /// Copies everything as it was at one time, though the store may delete and compact.
        fn take_all(&self) {
            let listed = || -> Vec<(PathBuf, u64)> {
                let all = fs::read_dir(self.alive.path().join("db")).unwrap().map(|entry| entry.unwrap().path());
                let mut all: Vec<_> =
                    all.map(|path| (path.clone(), fs::metadata(&path).map_or(0, |of| of.len()))).collect();
                all.sort();
                all
            };
            loop {
                let before = listed();
                self.take(false);
                self.take(true);
                if listed() == before {
                    return;
                }
                fs::remove_dir_all(self.copy.path().join("db")).unwrap();
            }
        }
    }

    fn put_ten(table: &Table, from: u32) {
        (from..from + 10).for_each(|at| put(table, "a", at, 1, VALUE));
    }

    #[test]
    fn a_log_that_is_younger_than_the_store_is_refused() {
        for flushes_before in 0..3 {
            let (copies, store, table) = Copies::new();
            for round in 0..flushes_before {
                put_ten(&table, 1000 + 10 * round);
                table.flush().unwrap();
            }
            put_ten(&table, 0);
            copies.take(false);
            table.flush().unwrap();
            put_ten(&table, 10);
            copies.take(true);
            store.close().unwrap();
            let error = refused(copies.copy.path());
            assert!(error.message().contains("younger than the store"), "{error}");
            let gives_up = options(copies.copy.path(), "wal_recovery=until_damage");
            let store = Store::open(&gives_up).unwrap();
            let kept = rows(&common::table(&store), "a").len();
            assert_eq!(kept, 10 + 10 * flushes_before as usize, "the ten rows in between are given up");
            store.close().unwrap();
            assert_eq!(rows(&common::table(&open(copies.copy.path())), "a").len(), kept);
        }
    }

    #[test]
    fn a_log_that_is_older_than_the_store_opens_as_of_then_or_is_refused() {
        let (copies, store, table) = Copies::new();
        put_ten(&table, 0);
        copies.take(true);
        put_ten(&table, 10);
        copies.take(false);
        assert_eq!(rows(&common::table(&open(copies.copy.path())), "a").len(), 10, "as of the log");

        let copies = Copies { copy: tempfile::tempdir().unwrap(), alive: copies.alive };
        let other = other_table(&store);
        copies.take(true);
        put_ten(&table, 20);
        other.write(&update(&partition("z"), &[(ROW, &clustering(1), &row(1, 1, VALUE))]), 0).unwrap();
        other.flush().unwrap();
        copies.take(false);
        store.close().unwrap();
        refused(copies.copy.path());
    }

    #[test]
    fn a_copy_at_one_time_opens_whatever_was_done_before() {
        for steps in 0..16_u32 {
            let (copies, store, table) = Copies::new();
            let other = other_table(&store);
            for bit in 0..4 {
                match (steps >> bit & 1, bit % 2) {
                    (0, _) => put_ten(&table, 10 * bit),
                    (_, 0) => table.flush().unwrap(),
                    _ => {
                        other
                            .write(&update(&partition("z"), &[(ROW, &clustering(bit), &row(1, 1, VALUE))]), 0)
                            .unwrap();
                        other.flush().unwrap();
                    }
                }
            }
            let before = rows(&table, "a").len();
            copies.take_all();
            store.close().unwrap();
            let store = open(copies.copy.path());
            assert_eq!(rows(&common::table(&store), "a").len(), before, "{steps:04b}");
            store.close().unwrap();
            assert_eq!(rows(&common::table(&open(copies.copy.path())), "a").len(), before, "again {steps:04b}");
        }
    }
}

#[test]
fn damage_in_a_log_that_is_not_needed_any_more_is_no_matter() {
    let directory = killed(100);
    let log = files(directory.path(), "log").pop().unwrap();
    let old = fs::read(&log).unwrap();
    open(directory.path()).close().unwrap();
    fs::write(&log, old).unwrap();
    flip(&log, 1000);
    assert_eq!(rows(&table(&open(directory.path())), "a").len(), 100);
}

/// A store whose table is one file of three partitions, and that file.
fn flushed() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(&options(directory.path(), "compression=none")).unwrap();
    let table = table(&store);
    for partition in ["a", "b", "c"] {
        (0..100).for_each(|at| put(&table, partition, at, 1, VALUE));
    }
    table.flush().unwrap();
    store.close().unwrap();
    let mut files = files(directory.path(), "sst");
    files.sort_by_key(|path| fs::metadata(path).unwrap().len());
    let largest = files.pop().unwrap();
    (directory, largest)
}

#[test]
fn a_damaged_block_fails_the_reads_that_need_it_and_no_others() {
    let (directory, file) = flushed();
    flip(&file, fs::metadata(&file).unwrap().len() as usize / 2);
    let store = open(directory.path());
    let table = table(&store);
    let mut failed = 0;
    for name in ["a", "b", "c"] {
        let request = read_request(0, 1 << 20, &partition(name), &everything());
        match table.read(&request, &mut vec![0; 1 << 20]) {
            Ok(_) => assert_eq!(rows(&table, name).len(), 100),
            Err(error) => {
                failed += 1;
                assert_eq!(error.kind(), Kind::Corruption, "{error}");
                assert!(error.message().contains(&file.file_name().unwrap().to_string_lossy()[..]), "{error}");
            }
        }
    }
    assert_eq!(failed, 1);
    put(&table, "d", 1, 1, b"v");
    assert_eq!(rows(&table, "d").len(), 1, "writes go on");
    assert!(table.stats().unwrap()[0] > 0, "estimates do without what cannot be read");
    let all = scan_request(WHOLE, 1 << 20, b"", b"", &[]);
    let answer = table.scan(&all, &mut vec![0; 4 << 20]);
    assert_eq!(answer.unwrap_err().kind(), Kind::Corruption, "a scan does not leave out what it cannot read");
    assert_eq!(table.compact().unwrap_err().kind(), Kind::Corruption);
}

/// Another table of the same store.
fn other_table(store: &Store) -> Arc<Table> {
    store.table(&schema(b"another table...", &[(0, "v", "blob"), (0, "w", "blob"), (1, "s", "blob")])).unwrap()
}

/// Which tables are compacted automatically, by the first letter of their ids.
fn compacted(store: &Store) -> Vec<(char, bool)> {
    let report = store.report("tables").unwrap();
    let mut tables: Vec<_> = report
        .lines()
        .skip(1)
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .map(|values| (values[3].chars().next().unwrap(), *values.last().unwrap() == "1"))
        .collect();
    tables.sort_unstable();
    tables
}

/// The lines of the report on damage.
fn damage(store: &Store) -> Vec<String> {
    store.report("damage").unwrap().lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn a_compaction_that_meets_damage_ends_the_compaction_of_its_table_and_nothing_else() {
    let (directory, file) = flushed();
    let middle = fs::metadata(&file).unwrap().len() as usize / 2;
    flip(&file, middle);
    let store = open(directory.path());
    let (damaged, other) = (table(&store), other_table(&store));
    assert_eq!(damaged.compact().unwrap_err().kind(), Kind::Corruption);
    assert_eq!(store.background_error().unwrap(), None);
    for table in [&damaged, &other] {
        put(table, "d", 1, 1, b"v");
        table.flush().unwrap();
        assert_eq!(rows(table, "d").len(), 1, "writes go on");
        table.set_automatic_compaction(true).unwrap();
    }
    other.compact().unwrap();
    assert_eq!(compacted(&store), [('3', false), ('6', true)]);
    let told = damage(&store);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("ks\tt\t\t"), "{told:?}");
    assert!(told[0].contains(&file.file_name().unwrap().to_string_lossy()[..]), "{told:?}");

    flip(&file, middle);
    damaged.compact().unwrap();
    assert!(damage(&store).is_empty());
    damaged.set_automatic_compaction(true).unwrap();
    assert_eq!(compacted(&store), [('3', true), ('6', true)]);
    assert_eq!(["a", "b", "c", "d"].map(|name| rows(&damaged, name).len()), [100, 100, 100, 1]);
}

#[test]
fn an_automatic_compaction_that_meets_damage_is_not_tried_for_ever() {
    let (directory, file) = flushed();
    let middle = fs::metadata(&file).unwrap().len() as usize / 2;
    flip(&file, middle);
    let store = open(directory.path());
    let damaged = table(&store);
    for at in 0..FILES {
        ["a", "b", "c", "d"].iter().for_each(|name| put(&damaged, name, 1000 + at, 1, b"v"));
        damaged.flush().unwrap();
    }
    await_until("a compaction meets the damage", || !damage(&store).is_empty());
    damaged.set_automatic_compaction(true).unwrap();
    assert_eq!(compacted(&store), [('3', false)]);
    assert_eq!(rows(&damaged, "d").len(), FILES as usize);
    assert_eq!(store.background_error().unwrap(), None);
    store.close().unwrap();

    flip(&file, middle);
    let store = open(directory.path());
    let mended = table(&store);
    await_until("a store that is opened again tries again", || mended.set_automatic_compaction(true).unwrap() == 0);
    assert_eq!(["a", "b", "c"].map(|name| rows(&mended, name).len()), [100 + FILES as usize; 3]);
}

#[test]
fn missing_and_truncated_files_are_refused() {
    let (directory, file) = flushed();
    truncate(&file, fs::metadata(&file).unwrap().len() - 10);
    let error = refused(directory.path());
    assert_eq!(error.kind(), Kind::Corruption);
    assert!(error.message().contains(&file.file_name().unwrap().to_string_lossy()[..]), "{error}");
    fs::remove_file(&file).unwrap();
    let error = refused(directory.path());
    assert!(matches!(error.kind(), Kind::Corruption | Kind::Io), "{error}");
    assert!(error.message().contains(&file.file_name().unwrap().to_string_lossy()[..]), "{error}");
}

#[test]
fn a_damaged_or_missing_manifest_is_refused() {
    let manifest = |directory: &Path| {
        let all = fs::read_dir(directory.join("db")).unwrap().map(|entry| entry.unwrap().path());
        all.filter(|path| path.to_string_lossy().contains("MANIFEST")).max().unwrap()
    };
    let (directory, _) = flushed();
    let path = manifest(directory.path());
    flip(&path, fs::metadata(&path).unwrap().len() as usize / 2);
    let error = refused(directory.path());
    assert_eq!(error.kind(), Kind::Corruption, "{error}");
    fs::remove_file(&path).unwrap();
    let error = refused(directory.path());
    assert!(error.message().contains("MANIFEST"), "{error}");
    fs::remove_file(directory.path().join("db/CURRENT")).unwrap();
    let error = refused(directory.path());
    assert!(error.message().contains("CURRENT"), "a store without CURRENT is not a new one: {error}");
}
