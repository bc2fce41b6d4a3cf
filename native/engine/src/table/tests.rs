// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A write that waits does not block the table, and gets its outcome whatever happens to the table meanwhile.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::Table;
use crate::common::{clustering, half_noise, open_with, partition, put, row, rows, table, update, ROW};
use crate::faults::{at_once, Paused, Step};
use crate::{Kind, Result, Store};
use std::sync::Arc;
use std::time::Duration;

/// No sync comes by itself while a test runs.
const SYNCED_LATE: &str = "node.commitlog_sync=group\nnode.commitlog_sync_group_window=1m";
const SYNCED_SOON: &str = "node.commitlog_sync=group\nnode.commitlog_sync_group_window=10ms";

struct World {
    table: Arc<Table>,
    store: Arc<Store>,
    // After the store: that writes into it until it has closed.
    folder: tempfile::TempDir,
}

impl World {
    fn new(settings: &str) -> World {
        let folder = tempfile::tempdir().unwrap();
        let store = open_with(folder.path(), settings);
        let table = table(&store);
        World { table, store, folder }
    }

    /// With more in the memtables than is allowed now.
    fn full() -> World {
        let world = World::new("");
        (0..30).for_each(|at| put(&world.table, "full", at, 1, &half_noise(at.into(), 100 << 10)));
        world.store.set("write_buffers_total=1MiB").unwrap();
        world
    }

    /// What writes one row.
    fn write(&self) -> impl FnOnce() -> Result<()> + Send + 'static {
        let table = Arc::clone(&self.table);
        move || table.write(&update(&partition("p"), &[(ROW, &clustering(1), &row(1, 1, b"v"))]), 0)
    }

    fn is_free(&self) -> bool {
        self.table.live.try_write().is_ok()
    }

    fn has_row(&self) -> bool {
        rows(&self.table, "p").len() == 1
    }

    fn has_row_after_a_restart(self) -> bool {
        drop((self.table, self.store));
        rows(&table(&open_with(self.folder.path(), "")), "p").len() == 1
    }
}

#[test]
fn a_write_that_waits_for_a_sync_delays_no_change_of_the_table() {
    let world = World::new(SYNCED_SOON);
    let paused = Paused::at(Step::AwaitingSync, world.write());
    assert!(world.is_free(), "the table cannot change before the sync");
    assert!(world.has_row());
    paused.end().unwrap();
}

#[test]
fn a_write_that_waits_for_flushes_delays_no_change_of_the_table() {
    let world = World::full();
    let paused = Paused::at(Step::AwaitingFlushes, world.write());
    assert!(world.is_free(), "the table cannot change before the flushes");
    assert!(!world.has_row());
    paused.end().unwrap();
    assert!(world.has_row());
}

#[test]
fn loading_waits_for_flushes_and_delays_no_change_of_the_table() {
    let other = World::new("");
    other.write()().unwrap();
    let taken = other.folder.path().join("snapshot");
    other.table.snapshot(&taken).unwrap();
    let world = World::full();
    let table = Arc::clone(&world.table);
    let paused = Paused::at(Step::AwaitingFlushes, move || table.load(&taken));
    assert!(world.is_free(), "the table cannot change before the flushes");
    assert_eq!(paused.end(), Ok(1));
    assert!(world.has_row());
}

#[test]
fn a_write_of_a_generation_that_is_gone_is_acknowledged() {
    let world = World::new(SYNCED_SOON);
    let paused = Paused::at(Step::AwaitingSync, world.write());
    let table = Arc::clone(&world.table);
    at_once(move || {
        table.truncate().unwrap();
        table.retire().unwrap();
    });
    paused.end().unwrap();
}

#[test]
fn closing_the_store_syncs_for_those_who_wait() {
    let world = World::new(SYNCED_LATE);
    let paused = Paused::at(Step::AwaitingSync, world.write());
    let store = Arc::clone(&world.store);
    at_once(move || store.close()).unwrap();
    paused.end().unwrap();
    assert!(world.has_row_after_a_restart());
}

#[test]
fn closing_the_table_ends_the_wait_for_flushes() {
    let world = World::full();
    let core = world.table.shared(|core| Ok(core.clone())).unwrap();
    let paused = Paused::at(Step::AwaitingFlushes, world.write());
    let table = Arc::clone(&world.table);
    let closing = std::thread::spawn(move || table.close().map(drop));
    while core.check_open().is_ok() {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(paused.end().unwrap_err().kind(), Kind::Closed);
    closing.join().unwrap().unwrap();
}
