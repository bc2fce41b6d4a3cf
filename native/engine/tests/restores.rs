// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A snapshot that a backup has put back comes in as it was, or not at all.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod common;

use cassiterite_engine::{Kind, Store, Table};
use common::*;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const NEVER_WRITTEN: usize = 5;
const SST_FILES: usize = 11;

fn filled(store: &Store, rows: u32) -> Arc<Table> {
    let table = table(store);
    for number in 0..rows {
        put(&table, &format!("p{}", number % 50), number / 50, i64::from(number) + 1, b"kept");
        if number == rows / 2 {
            table.flush().unwrap();
        }
    }
    table
}

fn whole(table: &Arc<Table>) -> Vec<Entry> {
    scan_all(table, &scan_request(WHOLE | WITH_STATIC, 1 << 20, b"", b"", &[]), 1 << 20)
}

struct World {
    folder: tempfile::TempDir,
    rows: Vec<Entry>,
    taken: PathBuf,
}

impl World {
    /// A snapshot of two files.
    fn new() -> World {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("snapshots/one");
        let store = open(&folder.path().join("source"));
        let source = filled(&store, 200);
        source.snapshot(&taken).unwrap();
        World { rows: whole(&source), taken, folder }
    }

    fn files(&self) -> Vec<PathBuf> {
        let paths = fs::read_dir(&self.taken).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|end| end == "sst")).collect();
        files.sort();
        files
    }

    fn empty(&self, name: &str) -> Arc<Store> {
        open(&self.folder.path().join(name))
    }

    fn assert_refused(&self, kind: Kind, what: &str) {
        let store = self.empty(what);
        let fresh = table(&store);
        let refused = fresh.restore(&self.taken).unwrap_err();
        assert!(refused.kind() == kind && refused.message().contains(what), "{refused}");
        assert_eq!(fresh.stats().unwrap()[NEVER_WRITTEN], 1, "nothing was taken in");
    }
}

fn inodes(paths: &[PathBuf]) -> Vec<u64> {
    let mut inodes: Vec<u64> = paths.iter().map(|path| fs::metadata(path).unwrap().ino()).collect();
    inodes.sort_unstable();
    inodes
}

fn ssts(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|end| end == "sst")).collect()
}

#[test]
fn the_store_has_links_to_its_files_and_takes_nothing_away() {
    let world = World::new();
    let (store, before) = (world.empty("new"), world.files());
    let fresh = table(&store);
    assert_eq!(fresh.restore(&world.taken).unwrap(), 0, "nothing is rewritten");
    assert!(whole(&fresh) == world.rows);
    assert_eq!(world.files(), before);
    let linked = inodes(&ssts(&world.folder.path().join("new/db")));
    assert!(inodes(&before).iter().all(|inode| linked.contains(inode)));
    while fresh.merge_in().unwrap() > 0 {}
    assert!(whole(&fresh) == world.rows);
    store.close().unwrap();
    assert!(whole(&table(&world.empty("new"))) == world.rows, "it is durable");
}

#[test]
fn a_second_time_changes_nothing() {
    let world = World::new();
    let store = world.empty("new");
    let fresh = table(&store);
    fresh.restore(&world.taken).unwrap();
    fresh.restore(&world.taken).unwrap();
    assert!(whole(&fresh) == world.rows);
    assert!(fresh.stats().unwrap()[SST_FILES] > 0);
}

#[test]
fn an_emptied_generation_takes_it() {
    let world = World::new();
    let store = world.empty("truncated");
    let emptied = filled(&store, 50).truncate().unwrap();
    emptied.restore(&world.taken).unwrap();
    assert!(whole(&emptied) == world.rows);
}

#[test]
fn what_is_not_as_it_was_written_is_refused() {
    let world = World::new();
    let first = world.files().remove(0);
    let bytes = fs::read(&first).unwrap();
    let replace = |bytes: &[u8]| {
        fs::remove_file(&first).unwrap();
        fs::write(&first, bytes).unwrap();
    };
    let mut spoilt = bytes.clone();
    spoilt[bytes.len() / 2] ^= 1;
    replace(&spoilt);
    world.assert_refused(Kind::Corruption, "its CRC-32C is");
    replace(&bytes[..bytes.len() - 1]);
    world.assert_refused(Kind::Corruption, "bytes instead of");
    fs::remove_file(&first).unwrap();
    world.assert_refused(Kind::Io, "No such file");
    fs::write(&first, &bytes).unwrap();
    fs::write(world.taken.join("OTHER-000012.sst"), &bytes).unwrap();
    world.assert_refused(Kind::Invalid, "OTHER-000012.sst");
}

#[test]
fn a_snapshot_of_another_table_is_refused() {
    let world = World::new();
    let store = world.empty("new");
    let other = store.table(&schema(b"another table id", &[(0, "v", "blob")])).unwrap();
    let refused = other.restore(&world.taken).unwrap_err();
    assert!(refused.kind() == Kind::Invalid && refused.message().contains("of another table"), "{refused}");
}

#[test]
fn increments_beside_a_snapshot_come_in_and_a_call_that_was_cut_short_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let taken = folder.path().join("taken");
    let store = open(&folder.path().join("source"));
    store.keep_increments(true).unwrap();
    let source = filled(&store, 200);
    source.snapshot(&taken).unwrap();
    for number in 100..300 {
        put(&source, &format!("p{}", number % 50), number / 50, i64::from(number) + 1000, b"later");
    }
    source.flush().unwrap();
    source.back_up(&taken).unwrap();
    let rows = whole(&source);
    let other = open(&folder.path().join("other"));
    let fresh = table(&other);
    for _ in 0..2 {
        fresh.restore(&taken).unwrap();
        assert!(whole(&fresh) == rows);
    }
    for path in ssts(&taken).iter().take(1) {
        fs::remove_file(path).unwrap();
    }
    let refused = table(&open(&folder.path().join("third"))).restore(&taken).unwrap_err();
    assert!(refused.message().contains("move it away"), "{refused}");
}
