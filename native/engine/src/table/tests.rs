// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A write that waits does not block the table, and gets its outcome whatever happens to the table meanwhile.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::Table;
use crate::common::{
    clustering, half_noise, open_with, partition, partition_deletion, put, ranges, row, rows, schema, table, update,
    HEADER, ROW, TABLE,
};
use crate::faults::{at_once, Paused, Step};
use crate::raw::LISTINGS;
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

/// Whatever lists files, reads some keys or writes the catalog for long: the table may change meanwhile, and takes writes.
fn goes_on_beside(step: Step, work: impl FnOnce(&Table) -> Result<()> + Send + 'static) {
    let world = World::new("");
    let deletion = partition_deletion(1);
    world.table.write(&update(&partition("deleted"), &[(HEADER, b"", &deletion)]), 0).unwrap();
    (0..200).for_each(|at| put(&world.table, &format!("p{at}"), 1, 1, &half_noise(at, 3000)));
    world.table.create_index("present").unwrap();
    world.table.flush().unwrap();
    let table = Arc::clone(&world.table);
    let paused = Paused::at(step, move || work(&table));
    let table = Arc::clone(&world.table);
    at_once(move || {
        assert!(table.exclusive(|_| Ok(())).is_ok(), "it changes");
        put(&table, "meanwhile", 1, 1, b"v");
        assert_eq!(rows(&table, "meanwhile").len(), 1);
    });
    assert!(world.is_free());
    paused.end().unwrap();
}

#[test]
fn no_lock_of_the_table_is_held_while_files_are_listed() {
    goes_on_beside(Step::ListingFiles, |table| table.range_sizes(&ranges(&[(i64::MIN, 0)])).map(drop));
    goes_on_beside(Step::ListingFiles, |table| table.large_partition().map(drop));
    goes_on_beside(Step::ListingFiles, |table| table.file_figures().map(drop));
    goes_on_beside(Step::ListingFiles, |table| table.verify(crate::Depth::Quick, &ranges(&[])).map(drop));
    goes_on_beside(Step::ListingFiles, Table::clear_headers);
    goes_on_beside(Step::ListingFiles, |table| {
        let folder = tempfile::tempdir().unwrap();
        table.export(&ranges(&[(i64::MIN, 0)]), &folder.path().join("shipment")).map(drop)
    });
}

#[test]
fn no_lock_of_the_table_is_held_while_keys_are_sampled() {
    goes_on_beside(Step::Sampling, |table| table.range_sizes(&ranges(&[(i64::MIN, 0)])).map(drop));
    goes_on_beside(Step::Sampling, |table| table.stats().map(drop));
}

#[test]
fn no_lock_of_the_table_is_held_while_the_catalog_is_written() {
    goes_on_beside(Step::WritingCatalog, |table| table.truncate().map(drop));
    goes_on_beside(Step::WritingCatalog, |table| table.create_index("made").map(drop));
    goes_on_beside(Step::WritingCatalog, |table| table.drop_index("present"));
    goes_on_beside(Step::WritingCatalog, |table| {
        let more = schema(&TABLE, &[(0, "v", "blob"), (0, "w", "blob"), (0, "x", "blob"), (1, "s", "blob")]);
        table.columns(&more).map(drop)
    });
}

#[test]
fn a_report_holds_no_lock_of_a_table_while_it_lists_files() {
    let world = World::new("");
    world.write()().unwrap();
    world.table.flush().unwrap();
    let store = Arc::clone(&world.store);
    let paused = Paused::at(Step::ListingFiles, move || store.report("levels"));
    assert!(world.is_free());
    paused.end().unwrap();
}

#[test]
fn figures_of_a_table_take_no_list_of_its_files() {
    let world = World::new("");
    world.write()().unwrap();
    world.table.flush().unwrap();
    LISTINGS.set(0);
    assert_eq!(world.table.stats().unwrap()[11], 1);
    world.store.report("tables").unwrap();
    assert_eq!(LISTINGS.get(), 0);
    world.table.flush().unwrap();
    world.table.file_figures().unwrap();
    assert_eq!(LISTINGS.get(), 1);
}

#[test]
fn a_snapshot_lists_the_files_of_its_table_only() {
    let world = World::new("");
    world.write()().unwrap();
    for id in 1..20 {
        let other = world.store.table(&schema(&[id; 16], &[(0, "v", "blob")])).unwrap();
        put(&other, "p", 1, 1, b"v");
        other.flush().unwrap();
    }
    LISTINGS.set(0);
    world.table.snapshot(&world.folder.path().join("taken")).unwrap();
    assert_eq!(LISTINGS.get(), 1);
}
