// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A snapshot and the increments since have all rows that are in files, whatever compaction, crashes and failures do.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::chunks::*;
use crate::common::shipments::*;
use crate::common::*;
use crate::faults::{Paused, Step, HOOK};
use crate::increments::RECEIVED;
use crate::links::OTHER_DEVICE;
use crate::manifest::NAME;
use crate::{EngineError, Kind, Store, Table};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

struct World {
    store: Arc<Store>,
    table: Arc<Table>,
    folder: tempfile::TempDir,
}

impl World {
    /// Receives a row of another store, which is kept open, and fails to keep it for a backup. That store, and its table.
    fn receives_and_cannot_keep(&self) -> (Arc<Store>, Arc<Table>) {
        let sender = open(&self.path("sender"));
        let from = table(&sender);
        put(&from, "p1", 1, 5, b"sent");
        let shipment = ship(&from, self.folder.path());
        fail_at(Step::KeepingIncrement);
        self.table.receive(&shipment).unwrap();
        HOOK.set(None);
        (sender, from)
    }

    /// A table in a store that keeps increments.
    fn new() -> World {
        let folder = tempfile::tempdir().unwrap();
        let store = open(&folder.path().join("store"));
        store.keep_increments(true).unwrap();
        World { table: table(&store), store, folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn backups(&self) -> PathBuf {
        self.path("table/backups/.cassiterite")
    }

    fn back_up(&self) -> u64 {
        self.table.back_up(&self.backups()).unwrap()
    }

    fn waits(&self) -> bool {
        self.store.report("increments").unwrap().lines().count() > 1
    }

    fn put(&self, seed: u32) {
        for at in 0..20 {
            let value = format!("{seed}");
            put(&self.table, &format!("p{}", at % 4), at + seed, i64::from(seed), value.as_bytes());
        }
    }

    /// What a new store has when these are loaded into it, without what deletions hide.
    fn loaded(&self, folders: &[&Path]) -> Vec<Entry> {
        let directory = tempfile::tempdir().unwrap();
        let store = open(directory.path());
        let table = table(&store);
        for folder in folders {
            table.load(folder).unwrap();
        }
        table.compact().unwrap();
        whole(&table)
    }

    /// What the store has after a crash now.
    fn crashed(&mut self) {
        let image = self.path("image");
        let _ = fs::remove_dir_all(&image);
        copy_all(&self.path("store"), &image);
        self.store.close().unwrap();
        fs::remove_dir_all(self.path("store")).unwrap();
        fs::rename(&image, self.path("store")).unwrap();
        self.store = open(&self.path("store"));
        self.table = table(&self.store);
    }
}

fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap()) {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy_all(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

fn names(folder: &Path, end: &str) -> BTreeSet<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(end)).collect()
}

/// Fails at a step, once.
fn fail_at(step: Step) {
    let mut has_failed = false;
    HOOK.set(Some(Box::new(move |reached| {
        match reached == step && !std::mem::replace(&mut has_failed, reached == step) {
            true => Err(EngineError::io("a test wants it so")),
            false => Ok(()),
        }
    })));
}

#[test]
fn a_snapshot_and_the_increments_since_have_all_rows() {
    let world = World::new();
    world.put(1);
    let snapshot = world.path("snapshots/one/.cassiterite");
    world.table.snapshot(&snapshot).unwrap();
    world.put(2);
    world.table.write(&update(&partition("p1"), &[(HEADER, b"", &partition_deletion(1))]), 0).unwrap();
    world.table.flush().unwrap();
    world.table.compact().unwrap();
    world.put(3);
    world.table.flush().unwrap();
    world.table.compact().unwrap();
    assert_eq!(world.back_up(), 3, "the flush for the snapshot, and two more");
    assert!(!world.waits());
    assert_eq!(names(&world.backups(), ".sst").len(), 3);
    let rows = whole(&world.table);
    assert!(world.loaded(&[&snapshot, &world.backups()]) == rows);
    // The flush for the snapshot is in both.
    for name in names(&snapshot, "").difference(&names(&world.backups(), "")) {
        fs::copy(snapshot.join(name), world.backups().join(name)).unwrap();
    }
    assert!(world.loaded(&[&world.backups()]) == rows, "in one folder");
}

#[test]
fn a_file_is_kept_before_a_compaction_deletes_it() {
    let world = World::new();
    for seed in 1..4 {
        world.put(seed);
        world.table.flush().unwrap();
    }
    let waiting = names(&world.path("store/backups").join(hex()), ".sst");
    let numbers: Vec<&str> = waiting.iter().filter_map(|name| name.rsplit('-').nth(1)).collect();
    assert_eq!(numbers.len(), 3);
    world.table.compact().unwrap();
    await_until("the flushed files are deleted", || {
        numbers.iter().all(|number| !world.path("store/db").join(format!("{number}.sst")).exists())
    });
    assert_eq!(world.back_up(), 3);
    assert!(world.loaded(&[&world.backups()]) == whole(&world.table));
}

#[test]
fn what_another_call_is_bringing_still_waits() {
    let world = World::new();
    world.put(1);
    world.table.flush().unwrap();
    let (table, backups) = (Arc::clone(&world.table), world.backups());
    let other = Paused::at(Step::IncrementLinked, move || table.back_up(&backups));
    assert!(world.waits());
    assert_eq!(world.back_up(), 1);
    assert_eq!(names(&world.backups(), "").len(), 2, "a file and its manifest");
    assert!(!world.waits());
    other.end().unwrap();
    assert_eq!(names(&world.backups(), "").len(), 2);
    assert!(!world.waits());
}

#[test]
fn nothing_is_kept_while_it_is_off() {
    let world = World::new();
    world.store.keep_increments(false).unwrap();
    world.put(1);
    world.table.flush().unwrap();
    assert!(!world.waits());
    world.store.keep_increments(true).unwrap();
    world.put(2);
    world.table.flush().unwrap();
    assert_eq!(world.back_up(), 1);
    world.put(3);
    world.table.flush().unwrap();
    world.table.forget_increments().unwrap();
    assert!(!world.waits());
    assert_eq!(world.back_up(), 0);
}

#[test]
fn what_waits_outlives_a_crash_and_so_does_what_the_log_has() {
    let mut world = World::new();
    world.put(1);
    world.table.flush().unwrap();
    world.put(2);
    world.store.sync().unwrap();
    world.crashed();
    assert!(world.waits());
    assert_eq!(world.back_up(), 2, "the second was flushed when the store was opened");
    assert!(world.loaded(&[&world.backups()]) == whole(&world.table));
}

#[test]
fn a_backup_that_is_cut_short_goes_on() {
    for step in [Step::IncrementLinked, Step::IncrementListed] {
        let world = World::new();
        world.put(1);
        world.table.flush().unwrap();
        fail_at(step);
        world.table.back_up(&world.backups()).unwrap_err();
        HOOK.set(None);
        assert!(world.waits());
        assert_eq!(world.back_up(), 1);
        assert_eq!((names(&world.backups(), ".sst").len(), names(&world.backups(), NAME).len()), (1, 1));
        assert!(world.loaded(&[&world.backups()]) == whole(&world.table));
    }
}

#[test]
fn a_folder_that_cannot_be_written_delays_the_backup() {
    let world = World::new();
    world.put(1);
    world.table.flush().unwrap();
    fs::write(world.path("table"), b"no folder").unwrap();
    let refused = world.table.back_up(&world.backups()).unwrap_err();
    assert!(refused.message().contains("backing up into"), "{refused}");
    assert!(world.waits());
    fs::remove_file(world.path("table")).unwrap();
    assert_eq!(world.back_up(), 1);
}

/// The flush goes on, and the next backup tells of it.
#[test]
fn a_file_that_cannot_be_kept_is_told() {
    let world = World::new();
    world.put(1);
    fs::remove_dir_all(world.path("store/backups")).unwrap();
    fs::write(world.path("store/backups"), b"no folder").unwrap();
    world.table.flush().unwrap();
    fs::remove_file(world.path("store/backups")).unwrap();
    assert!(world.waits());
    let told = world.table.back_up(&world.backups()).unwrap_err();
    assert!(told.message().contains("take a new snapshot"), "{told}");
    assert!(!world.waits());
    world.put(2);
    world.table.flush().unwrap();
    assert_eq!(world.back_up(), 1);
    assert_eq!(whole(&world.table).len(), 4 + 40);
}

/// Once.
#[test]
fn a_file_that_was_missed_is_told_after_a_crash() {
    let mut world = World::new();
    world.put(1);
    world.table.flush().unwrap();
    let _sender = world.receives_and_cannot_keep();
    for _ in 0..2 {
        world.crashed();
        assert!(world.waits());
    }
    let told = world.table.back_up(&world.backups()).unwrap_err();
    assert!(told.message().contains("take a new snapshot"), "{told}");
    assert_eq!(names(&world.backups(), NAME).len(), 1, "what was kept is brought");
    assert!(!world.waits());
    assert_eq!(world.back_up(), 0);
    world.crashed();
    assert_eq!(world.back_up(), 0);
}

#[test]
fn a_folder_on_another_device_gets_copies() {
    let world = World::new();
    world.put(1);
    world.table.flush().unwrap();
    OTHER_DEVICE.set(Some(world.path("table")));
    fail_at(Step::Copying);
    world.table.back_up(&world.backups()).unwrap_err();
    HOOK.set(None);
    assert_eq!(names(&world.backups(), "").len(), 0, "no part of a file");
    assert_eq!(world.back_up(), 1);
    OTHER_DEVICE.set(None);
    assert!(world.loaded(&[&world.backups()]) == whole(&world.table));
}

#[test]
fn what_is_received_is_kept() {
    let world = World::new();
    let sender = open(&world.path("sender"));
    let from = sender.table(&schema(&TABLE, &[(0, "w", "blob"), (0, "v", "blob"), (1, "s", "blob")])).unwrap();
    for (at, file) in [(0, true), (1, false)] {
        put(&from, "p1", at, 5, b"sent");
        put(&from, "p2", at, 5, b"sent");
        if file {
            from.compact().unwrap();
        }
    }
    world.put(1);
    let shipment = ship_ranges(&from, &[(i64::MIN, token("p1")), (token("p1"), i64::MAX)], world.folder.path());
    world.table.receive(&shipment).unwrap();
    world.table.flush().unwrap();
    assert!(names(&world.path("store/backups").join(hex()), "").iter().any(|name| name.starts_with(RECEIVED)));
    assert!(world.back_up() >= 2);
    let rows = whole(&world.table);
    assert!(world.loaded(&[&world.backups()]) == rows);
    merge_in_all(&world.table);
    world.table.compact().unwrap();
    assert_eq!(world.back_up(), 0, "no row is new");
}

#[test]
fn what_is_received_and_cannot_be_kept_comes_in_and_is_told() {
    let world = World::new();
    let (_sender, from) = world.receives_and_cannot_keep();
    assert!(whole(&world.table) == whole(&from));
    let told = world.table.back_up(&world.backups()).unwrap_err();
    assert!(told.message().contains("what the table has received"), "{told}");
    assert!(!world.waits());
}

#[test]
fn chunks_are_kept() {
    let world = World::new();
    let rows = (0..9).map(|at| (at, row(1, 1, b"moved"))).collect();
    let outside = Outside { headers: vec![range_tombstone(20, 30, 1)], statics: None, rows };
    let all: AllOutside = [(partition("p1"), outside)].into();
    let (writer, _) = chunk(&world.table, &pieces(&all, 2));
    writer.receive(false).unwrap();
    assert_eq!(world.back_up(), 1);
    assert!(world.loaded(&[&world.backups()]) == whole(&world.table));
}

#[test]
fn increments_of_before_a_truncate_are_not_loaded_with_those_after_it() {
    let world = World::new();
    world.put(1);
    world.table.flush().unwrap();
    let emptied = world.table.truncate().unwrap();
    world.table.retire().unwrap();
    put(&emptied, "p1", 1, 1, b"after");
    emptied.flush().unwrap();
    assert_eq!(emptied.back_up(&world.backups()).unwrap(), 2);
    let other = open(&world.path("other"));
    let into = table(&other);
    let refused = into.load(&world.backups()).unwrap_err();
    assert!(refused.kind() == Kind::Invalid && refused.message().contains("TRUNCATE"), "{refused}");
    for name in names(&world.backups(), NAME) {
        into.load(&world.backups().join(name)).unwrap();
    }
    assert_eq!(whole(&into).len(), 4 + 21, "one by one they are");
}

#[test]
fn what_is_missing_is_told_before_anything_is_loaded() {
    let world = World::new();
    for seed in 1..3 {
        world.put(seed);
        world.table.flush().unwrap();
        world.back_up();
    }
    let file = world.backups().join(names(&world.backups(), ".sst").pop_first().unwrap());
    let other = open(&world.path("other"));
    let into = table(&other);
    let refused = |what: &str| {
        let refused = into.load(&world.backups()).unwrap_err();
        assert!(refused.message().contains(what), "{refused}");
        assert!(whole(&into).is_empty());
    };
    let bytes = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    refused("move it away");
    let mut damaged = bytes.clone();
    damaged[bytes.len() / 2] ^= 1;
    fs::write(&file, &damaged).unwrap();
    refused("CRC-32C");
    fs::write(&file, &bytes).unwrap();
    fs::write(world.backups().join("ABC-000001.sst"), b"of no manifest").unwrap();
    refused("no manifest");
    fs::remove_file(world.backups().join("ABC-000001.sst")).unwrap();
    into.load(&world.backups()).unwrap();
    assert!(whole(&into) == whole(&world.table));
}

#[test]
fn a_dropped_table_leaves_nothing() {
    let world = World::new();
    world.put(1);
    world.table.flush().unwrap();
    world.store.drop_table(&TABLE).unwrap();
    assert!(!world.waits());
    assert!(!world.path("store/backups").join(hex()).exists());
}

fn hex() -> String {
    TABLE.iter().map(|byte| format!("{byte:02x}")).collect()
}
