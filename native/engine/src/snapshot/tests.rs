// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A snapshot on another device is a copy, which takes long: nothing waits for it, and it is complete or absent.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::{open, put, rows, table, TABLE};
use crate::faults::{at_once, Paused, Step, HOOK};
use crate::links::OTHER_DEVICE;
use crate::manifest::NAME;
use crate::{EngineError, Kind, Result, Store, Table};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const ROWS: u32 = 100;

struct World {
    table: Arc<Table>,
    store: Arc<Store>,
    // After the store: that writes into it until it has closed.
    folder: tempfile::TempDir,
}

impl World {
    /// A table of two files.
    fn new() -> World {
        let folder = tempfile::tempdir().unwrap();
        let store = open(&folder.path().join("store"));
        let table = table(&store);
        for at in 0..ROWS {
            put(&table, "p", at, 1, b"value");
            if at == ROWS / 2 {
                table.flush().unwrap();
            }
        }
        World { table, store, folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A folder for a snapshot, on another device for the thread that has called [`World::snapshot`].
    fn taken(&self) -> PathBuf {
        self.path("device/snapshots/one")
    }

    /// What takes a snapshot on another device.
    fn snapshot(&self) -> impl FnOnce() -> Result<()> + Send + 'static {
        let (table, device, taken) = (Arc::clone(&self.table), self.path("device"), self.taken());
        move || {
            OTHER_DEVICE.set(Some(device));
            table.snapshot(&taken)
        }
    }

    /// Whether the store has nothing but the table in it.
    fn is_tidy(&self) -> bool {
        let staged = std::fs::read_dir(self.path("store/staging")).map_or(0, Iterator::count);
        staged == 0 && self.deletes_files()
    }

    fn deletes_files(&self) -> bool {
        let property = |name| self.store.shared(|core| Ok(core.db.property_int_value(name)?)).unwrap();
        property("rocksdb.is-file-deletions-enabled") == Some(1)
    }
}

fn loaded(folder: &Path, snapshot: &Path) -> Vec<Vec<u8>> {
    let store = open(folder);
    let table = table(&store);
    table.load(snapshot).unwrap();
    rows(&table, "p")
}

#[test]
fn a_copy_delays_no_change_of_its_table() {
    let world = World::new();
    let before = rows(&world.table, "p");
    let paused = Paused::at(Step::Copying, world.snapshot());
    let table = Arc::clone(&world.table);
    at_once(move || table.exclusive(|_| Ok(()))).unwrap();
    let names =
        std::fs::read_dir(world.taken()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let manifests = names.filter(|name| name.ends_with(NAME));
    assert_eq!(manifests.count(), 0, "an incomplete copy passes for a snapshot");

    put(&world.table, "p", ROWS, 1, b"later");
    world.table.compact().unwrap();
    let table = Arc::clone(&world.table);
    at_once(move || {
        table.truncate().unwrap();
        table.retire().unwrap();
    });
    paused.end().unwrap();
    assert!(world.is_tidy());
    assert!(loaded(&world.path("other"), &world.taken()) == before);
}

#[test]
fn a_copy_leaves_the_deletion_of_files_on() {
    let world = World::new();
    let paused = Paused::at(Step::Copying, world.snapshot());
    assert!(world.deletes_files(), "files of all tables stay for as long as the copy takes");
    paused.end().unwrap();
}

#[test]
fn a_copy_that_fails_leaves_nothing_and_can_be_repeated() {
    let world = World::new();
    for fails_at in 0..4 {
        let mut number = 0;
        HOOK.set(Some(Box::new(move |step| {
            assert_eq!(step, Step::Copying);
            number += 1;
            match number > fails_at {
                true => Err(EngineError::no_space("a test has none")),
                false => Ok(()),
            }
        })));
        assert_eq!(world.snapshot()().unwrap_err().kind(), Kind::NoSpace);
        HOOK.set(None);
        assert!(!world.taken().exists());
        assert!(world.is_tidy());
    }
    world.snapshot()().unwrap();
    OTHER_DEVICE.set(None);
    assert!(world.is_tidy());
    assert!(loaded(&world.path("other"), &world.taken()) == rows(&world.table, "p"));
}

#[test]
fn closing_the_store_ends_a_copy() {
    let world = World::new();
    let begun = world.table.shared(|core| Ok(Arc::clone(&core.store().closing))).unwrap();
    let paused = Paused::at(Step::Copying, world.snapshot());
    let store = Arc::clone(&world.store);
    let closing = std::thread::spawn(move || store.close());
    while begun.check().is_ok() {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(paused.end().unwrap_err().kind(), Kind::Closed);
    closing.join().unwrap().unwrap();
    assert!(!world.taken().exists());
    assert_eq!(std::fs::read_dir(world.path("store/staging")).unwrap().count(), 0);
}

#[test]
fn a_snapshot_on_another_device_is_loaded() {
    let world = World::new();
    world.snapshot()().unwrap();
    let other = open(&world.path("other"));
    assert_eq!(table(&other).load(&world.taken()).unwrap(), u64::from(ROWS));
    OTHER_DEVICE.set(None);
    assert!(rows(&table(&other), "p") == rows(&world.table, "p"));
}

/// Closing a table waits for what is being loaded into it.
#[test]
fn dropping_a_table_ends_the_copying_of_what_is_loaded() {
    let world = World::new();
    world.table.snapshot(&world.taken()).unwrap();
    let other = open(&world.path("other"));
    let (into, device, taken) = (table(&other), world.path("device"), world.taken());
    let core = into.shared(|core| Ok(core.clone())).unwrap();
    let paused = Paused::at(Step::Copying, move || {
        OTHER_DEVICE.set(Some(device));
        into.load(&taken)
    });
    let dropping = {
        let other = Arc::clone(&other);
        std::thread::spawn(move || other.drop_table(&[&TABLE[..], b""].concat()))
    };
    while core.check_open().is_ok() {
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(core);
    assert_eq!(paused.end().unwrap_err().kind(), Kind::Closed);
    dropping.join().unwrap().unwrap();
}
