// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Stores and tables open, close, crash, truncate and drop without losing or reviving anything.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod common;

use cassiterite_engine::{cursor_next, Kind, Store};
use common::*;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

fn partitions(table: &std::sync::Arc<cassiterite_engine::Table>) -> usize {
    scan_all(table, &scan_request(KEYS_ONLY, 1 << 20, b"", b"", &[]), 1 << 20).len()
}

fn families(directory: &Path) -> Vec<String> {
    let mut names = rocksdb::DB::list_cf(&rocksdb::Options::default(), directory.join("db")).unwrap();
    names.retain(|name| name != "default");
    names.sort();
    names
}

#[test]
fn what_was_written_is_there_after_reopening() {
    let directory = tempfile::tempdir().unwrap();
    for round in 0..3u32 {
        let store = open(directory.path());
        let table = table(&store);
        assert_eq!(rows(&table, "a").len(), round as usize);
        put(&table, "a", round, 1, b"v");
        store.close().unwrap();
    }
}

#[test]
fn a_store_without_writes_stays_clean_and_any_write_is_remembered() {
    let directory = tempfile::tempdir().unwrap();
    let clean = |store: &Store| table(store).stats().unwrap()[5];
    for _ in 0..2 {
        let store = open(directory.path());
        assert_eq!(clean(&store), 1);
        assert_eq!(table(&store).stats().unwrap()[4], i64::MAX);
        store.close().unwrap();
    }
    let store = open(directory.path());
    put(&table(&store), "a", 1, 5, b"v");
    assert_eq!(clean(&store), 0);
    store.close().unwrap();
    let store = open(directory.path());
    assert_eq!(clean(&store), 0);
    assert_eq!(table(&store).stats().unwrap()[4], 5, "the smallest timestamp survives in the files");
    let emptied = table(&store).truncate().unwrap();
    assert_eq!(emptied.stats().unwrap()[5], 1);
}

#[test]
fn a_small_table_is_counted() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    for _ in 0..5 {
        for (partition, row) in [("a", 1), ("a", 2), ("b", 1)] {
            put(&table, partition, row, 1, b"v");
        }
        let [partitions, keys, ..] = table.stats().unwrap();
        assert_eq!((partitions, keys), (2, 3), "however often they were written, flushed or not");
        table.flush().unwrap();
    }
}

#[test]
fn unlogged_writes_survive_a_clean_close() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let fragment = row(1, 1, b"v");
    table(&store).write(&update(&partition("a"), &[(ROW, &clustering(1), &fragment)]), 1).unwrap();
    store.close().unwrap();
    let store = open(directory.path());
    assert_eq!(rows(&table(&store), "a"), [fragment]);
}

#[test]
fn everything_answers_closed_after_close() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    for at in 0..100 {
        put(&table, "a", at, 1, b"v");
    }
    let mut buffer = vec![0; 1000];
    let filled = table.read(&read_request(0, 1, &partition("a"), &everything()), &mut buffer).unwrap();
    let (cursor, _) = parse(&buffer[..filled as usize]);
    store.close().unwrap();
    store.close().unwrap();
    let closed = |error: cassiterite_engine::EngineError| assert_eq!(error.kind(), Kind::Closed);
    closed(cursor_next(cursor, 0, &mut buffer).unwrap_err());
    closed(table.read(&read_request(POINTS, 0, &partition("a"), &[point(1)]), &mut buffer).unwrap_err());
    closed(table.write(&update(&partition("a"), &[(ROW, &clustering(1), &row(1, 1, b"v"))]), 0).unwrap_err());
    closed(table.stats().unwrap_err());
    closed(table.truncate().map(drop).unwrap_err());
    closed(store.sync().unwrap_err());
    closed(store.report("tables").unwrap_err());
    drop(open(directory.path()));
}

#[test]
fn one_directory_is_opened_once() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let second = Store::open(&options(directory.path(), "")).map(drop).unwrap_err();
    assert_eq!(second.kind(), Kind::Busy, "{second}");
    store.close().unwrap();
    drop(open(directory.path()));
}

/// Files of a directory, and those of the folders in it; an error where one of them goes meanwhile.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?.path();
        let target = to.join(entry.file_name().unwrap());
        if entry.is_dir() {
            copy(&entry, &target)?;
        } else {
            std::fs::copy(&entry, target)?;
        }
    }
    Ok(())
}

/// The files of a directory, with their lengths.
fn listing(directory: &Path) -> Vec<(std::ffi::OsString, u64)> {
    let entries = std::fs::read_dir(directory).unwrap().map(Result::unwrap);
    let length = |entry: &std::fs::DirEntry| entry.metadata().map_or(0, |file| file.len());
    let mut found: Vec<_> = entries.map(|entry| (entry.file_name(), length(&entry))).collect();
    found.sort();
    found
}

/// Copies a store; whether no flush or compaction changed it meanwhile.
fn copy_still(from: &Path, to: &Path) -> bool {
    let before = listing(&from.join("db"));
    copy(from, to).is_ok() && listing(&from.join("db")) == before
}

#[test]
fn a_second_open_does_not_touch_the_log_of_the_first() {
    let directory = tempfile::tempdir().unwrap();
    let (path, image) = (directory.path().join("store"), directory.path().join("image"));
    let store = open(&path);
    let table = table(&store);
    std::thread::scope(|scope| {
        // Records of several pieces, which another reader of the log sees in parts.
        let writer = scope.spawn(|| (0..30).for_each(|at| put(&table, &format!("p{at}"), 1, 1, &vec![7; 4 << 20])));
        while !writer.is_finished() {
            let second = Store::open(&options(&path, "")).map(drop).unwrap_err();
            assert_eq!(second.kind(), Kind::Busy, "{second}");
        }
    });
    while !copy_still(&path, &image) {
        std::fs::remove_dir_all(&image).unwrap();
        std::thread::sleep(Duration::from_millis(200));
    }
    let copied = open(&image);
    let table = common::table(&copied);
    (0..30).for_each(|at| assert_eq!(rows(&table, &format!("p{at}")).len(), 1, "p{at}"));
}

#[test]
fn a_later_format_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    open(directory.path()).close().unwrap();
    {
        let db = rocksdb::DB::open_default(directory.path().join("db")).unwrap();
        let mut record = 2u32.to_le_bytes().to_vec();
        let checksum = crc32c::crc32c_append(crc32c::crc32c(b"s"), &record);
        record.extend_from_slice(&checksum.to_le_bytes());
        db.put(b"s", &record).unwrap();
    }
    let error = Store::open(&options(directory.path(), "")).map(drop).unwrap_err();
    assert_eq!(error.kind(), Kind::Invalid);
    assert!(error.message().contains("later Cassiterite"), "{error}");
}

#[test]
fn a_damaged_catalog_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    open(directory.path()).close().unwrap();
    {
        let db = rocksdb::DB::open_default(directory.path().join("db")).unwrap();
        db.put(b"t0123456789abcdef", b"nonsense").unwrap();
    }
    assert_eq!(Store::open(&options(directory.path(), "")).map(drop).unwrap_err().kind(), Kind::Corruption);
}

/// Drops a column family behind the store's back.
fn drop_behind(directory: &Path, name: &str) {
    let path = directory.join("db");
    let names = rocksdb::DB::list_cf(&rocksdb::Options::default(), &path).unwrap();
    let mut options = rocksdb::Options::default();
    options.set_merge_operator_associative("cassiterite.fragments", |_, _, _| Some(Vec::new()));
    let all = names.iter().map(|name| (name.as_str(), options.clone()));
    rocksdb::DB::open_cf_with_opts(&rocksdb::Options::default(), &path, all).unwrap().drop_cf(name).unwrap();
}

#[test]
fn a_start_that_fails_leaves_the_directory_unlocked() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    put(&table(&store), "a", 1, 1, b"v");
    store.close().unwrap();
    families(directory.path()).iter().for_each(|name| drop_behind(directory.path(), name));
    for _ in 0..5 {
        let error = Store::open(&options(directory.path(), "")).map(drop).unwrap_err();
        assert!(error.kind() == Kind::Corruption && error.message().contains("are gone"), "{error}");
    }
}

#[test]
fn a_directory_that_cannot_be_used_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    std::fs::write(&file, b"").unwrap();
    let error = Store::open(&options(&file, "")).map(drop).unwrap_err();
    assert_eq!(error.kind(), Kind::Io, "{error}");
}

#[test]
fn truncation_starts_empty_and_the_old_generation_stays_readable_until_retired() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let old = table(&store);
    put(&old, "a", 1, 1, b"v");
    assert_eq!(old.retire().unwrap_err().kind(), Kind::Invalid);
    let new = old.truncate().unwrap();
    assert_eq!((partitions(&old), partitions(&new)), (1, 0));
    assert_eq!(new.stats().unwrap()[9], old.stats().unwrap()[9] + 1);
    assert_eq!(old.truncate().map(drop).unwrap_err().kind(), Kind::Invalid);
    put(&new, "b", 1, 1, b"v");
    assert!(std::sync::Arc::ptr_eq(&table(&store), &new));
    old.retire().unwrap();
    assert_eq!(old.flush().unwrap_err().kind(), Kind::Closed);
    assert_eq!(old.column_ids().unwrap_err().kind(), Kind::Closed);
    assert_eq!(partitions(&new), 1);
    store.close().unwrap();
    assert_eq!(families(directory.path()).len(), 1);
    let store = open(directory.path());
    assert_eq!(rows(&table(&store), "b").len(), 1);
    assert_eq!(rows(&table(&store), "a").len(), 0);
}

#[test]
fn a_dropped_table_is_gone_and_may_be_made_again() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let first = table(&store);
    put(&first, "a", 1, 1, b"v");
    first.truncate().unwrap();
    store.drop_table(&TABLE).unwrap();
    store.drop_table(&TABLE).unwrap();
    assert_eq!(first.flush().unwrap_err().kind(), Kind::Closed);
    let second = table(&store);
    assert_eq!(partitions(&second), 0);
    put(&second, "b", 1, 1, b"v");
    store.close().unwrap();
    assert_eq!(families(directory.path()).len(), 1);
}

#[test]
fn what_a_crash_leaves_behind_is_dropped_at_start() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    put(&table(&store), "a", 1, 1, b"v");
    store.close().unwrap();
    let before = families(directory.path());
    {
        let path = directory.path().join("db");
        let names = rocksdb::DB::list_cf(&rocksdb::Options::default(), &path).unwrap();
        let mut plain = rocksdb::Options::default();
        plain.set_merge_operator_associative("cassiterite.fragments", |_, _, _| Some(Vec::new()));
        let all = names.iter().map(|name| (name.as_str(), plain.clone()));
        let db = rocksdb::DB::open_cf_with_opts(&rocksdb::Options::default(), &path, all).unwrap();
        let orphan = "30313233343536373839616263646566.99";
        db.create_cf(orphan, &plain).unwrap();
        db.put_cf(&db.cf_handle(orphan).unwrap(), b"k", b"v").unwrap();
        db.create_cf("30313233343536373839616263646566.1.load.0", &plain).unwrap();
    }
    std::fs::create_dir_all(directory.path().join("staging/0")).unwrap();
    let store = open(directory.path());
    assert_eq!(rows(&table(&store), "a").len(), 1);
    store.close().unwrap();
    assert_eq!(families(directory.path()), before);
    assert!(!directory.path().join("staging").exists());
}

#[test]
fn a_table_is_named_by_its_id_alone() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let longer = [&TABLE[..], b"by_v"].concat();
    assert_eq!(store.table(&schema(&longer, &[])).map(drop).unwrap_err().kind(), Kind::Invalid);
    assert_eq!(store.drop_table(b"short").unwrap_err().kind(), Kind::Invalid);
}

/// Not a test of its own: the process that the crash test kills.
#[test]
fn crash_child() {
    let Ok(directory) = std::env::var("CASSITERITE_CRASH_DIRECTORY") else { return };
    let mode = std::env::var("CASSITERITE_CRASH_MODE").unwrap();
    let store = Store::open(&options(Path::new(&directory), &mode)).unwrap();
    let table = table(&store);
    for number in 0.. {
        put(&table, &format!("p{number}"), 1, i64::from(number) + 1, b"v");
        if number % 10 == 3 {
            let entries = [(HEADER, &b""[..], &partition_deletion(1)[..])];
            table.write(&update(&partition(&format!("p{number}")), &entries), 0).unwrap();
        }
        println!("acknowledged {number}");
    }
}

#[test]
fn acknowledged_writes_survive_kill_9_in_every_mode() {
    use std::io::BufRead;
    for mode in [
        "node.commitlog_sync=periodic",
        "node.commitlog_sync=group\nnode.commitlog_sync_group_window=2ms",
        "wal_sync=batch",
    ] {
        let directory = tempfile::tempdir().unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["crash_child", "--exact", "--nocapture"])
            .env("CASSITERITE_CRASH_DIRECTORY", directory.path())
            .env("CASSITERITE_CRASH_MODE", mode)
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
        let mut acknowledged = 0;
        while acknowledged < 200 {
            let line = lines.next().unwrap().unwrap();
            acknowledged += usize::from(line.starts_with("acknowledged"));
        }
        child.kill().unwrap();
        acknowledged += lines.map_while(Result::ok).filter(|line| line.starts_with("acknowledged")).count();
        child.wait().unwrap();
        let store = open(directory.path());
        let table = table(&store);
        for number in 0..acknowledged {
            let request = read_request(POINTS, 0, &partition(&format!("p{number}")), &[point(1)]);
            let found = read_all(&table, &request, 1000);
            assert!(found.contains(&Entry::Row(row(number as i64 + 1, 1, b"v"))), "{mode}: {number}");
            let header = found.iter().any(|entry| matches!(entry, Entry::Header(_)));
            assert_eq!(header, number % 10 == 3, "{mode}: {number}");
        }
        store.close().unwrap();
    }
}

#[test]
fn neither_sync_nor_close_claims_to_have_what_a_flush_failed_to_write() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let table = table(&store);
    table.write(&update(&partition("a"), &[(ROW, &clustering(1), &row(1, 1, b"unlogged"))]), 1).unwrap();
    let (here, away) = (directory.path().join("db"), directory.path().join("away"));
    std::fs::rename(&here, &away).unwrap();
    table.flush().unwrap_err();
    store.sync().unwrap_err();
    store.close().unwrap_err();
    std::fs::rename(&away, &here).unwrap();
}
