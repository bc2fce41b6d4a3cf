// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

#![allow(clippy::unwrap_used)]

use super::*;
use crate::common::await_until;
use crate::compaction::StoreEvents;
use crate::database::Database;
use crate::raw::{install_events, CompactionBegin, CompactionEnd, EventHooks, StallCondition, Status};
use rocksdb::{Options, WriteBufferManager, DB};
use std::fs::File;
use std::path::Path;
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::Arc;

/// Holds the first compaction that ends at its end.
struct HeldCompaction {
    ended: Mutex<Option<Sender<()>>>,
    go_on: Mutex<Receiver<()>>,
    stalls: Mutex<Vec<StallCondition>>,
    events: Arc<StoreEvents>,
}

impl EventHooks for HeldCompaction {
    fn memtable_sealed(&self, _: &str, _: u64) {}
    fn flush_begun(&self, family: &str) {
        self.events.flush_begun(family);
    }
    fn job_ended(&self) {
        self.events.job_ended();
    }
    fn flush_completed(&self, family: &str, sequence: u64, bytes: u64) {
        self.events.flush_completed(family, sequence, bytes);
    }
    fn compaction_begun(&self, family: &str, compaction: CompactionBegin) {
        self.events.compaction_begun(family, compaction);
    }
    fn compaction_completed(&self, family: &str, compaction: CompactionEnd) {
        // Held before it is done, as if it had long to go.
        if let Some(ended) = self.ended.lock().unwrap().take() {
            ended.send(()).unwrap();
            let _ = self.go_on.lock().unwrap().recv();
        }
        self.events.compaction_completed(family, compaction);
    }
    fn subcompaction_begun(&self, _: &str, _: i32) {}
    fn stall_changed(&self, _: &str, condition: StallCondition) {
        self.stalls.lock().unwrap().push(condition);
    }
    fn corruption_met(&self, _: &str, _: &str) -> bool {
        false
    }
    fn background_error(&self, _: i32, _: i32, _: Status) {}
    fn recovery_ended(&self, _: bool, _: &str) {}
}

/// A database with a compaction of `compacted` that has not ended.
struct World {
    held: Arc<HeldCompaction>,
    go_on: Sender<()>,
    memtables: WriteBufferManager,
    compacted: FamilyHandle,
    other: FamilyHandle,
    db: Arc<Database>,
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> World {
        let folder = tempfile::tempdir().unwrap();
        let ((ended, has_ended), (go_on, waits)) = (channel(), channel());
        let held = Arc::new(HeldCompaction {
            ended: Mutex::new(Some(ended)),
            go_on: Mutex::new(waits),
            stalls: Mutex::new(Vec::new()),
            events: StoreEvents::new(),
        });
        let memtables = WriteBufferManager::new_write_buffer_manager(1 << 30, false);
        let mut options = Options::default();
        options.create_if_missing(true);
        options.increase_parallelism(8); // all tests of the process share the threads
        options.set_disable_auto_compactions(true);
        options.set_level_zero_slowdown_writes_trigger(3);
        options.set_level_zero_file_num_compaction_trigger(3);
        options.set_write_buffer_manager(&memtables);
        install_events(&mut options, &held);
        let db = DB::open(&options, folder.path()).unwrap();
        db.create_cf("compacted", &options).unwrap();
        db.create_cf("other", &options).unwrap();
        let db = Arc::new(Database::new(db, File::create(folder.path().join("lock")).unwrap()));
        let other = FamilyHandle::named(&db, "other").unwrap();
        db.put_cf(&other, b"key", b"in a file that is older than the compaction").unwrap();
        db.flush_cf(&other).unwrap();
        let compacted = FamilyHandle::named(&db, "compacted").unwrap();
        for value in 0..4u8 {
            db.put_cf(&compacted, b"key", [value]).unwrap();
            db.flush_cf(&compacted).unwrap();
        }
        // Writes are slowed down once compaction counts; the compaction ends that.
        db.set_options_cf(&compacted, &[("disable_auto_compactions", "false")]).unwrap();
        has_ended.recv_timeout(Duration::from_secs(60)).unwrap();
        World { held, go_on, memtables, compacted, other, db, folder }
    }

    fn retirement(&self) -> (Arc<Retirement>, JoinHandle<()>) {
        let events = Arc::clone(&self.held.events);
        Retirement::start(move |name, family| events.has_no_job(name, |property| family.property(property))).unwrap()
    }
}

fn table_files(folder: &Path) -> usize {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_string_lossy().ends_with(".sst")).count()
}

#[test]
fn a_dropped_family_outlives_the_compaction_that_ends_its_stall() {
    let world = World::new();
    let (retirement, thread) = world.retirement();
    let World { held, go_on, compacted, other, db, folder, .. } = world;
    compacted.delete("compacted").unwrap();
    retirement.add("compacted", compacted);
    std::thread::sleep(WRITES_END + 3 * INTERVAL);
    assert_eq!(retirement.len(), 1, "its compaction has not ended");
    drop(go_on);
    await_until("the family is not released", || retirement.len() == 0);
    assert_eq!(held.stalls.lock().unwrap().last(), Some(&StallCondition::Normal));
    retirement.stop();
    thread.join().unwrap();
    drop((other, db, folder));
}

#[test]
fn a_dropped_family_goes_while_another_is_compacted_with_its_files_and_its_memtable() {
    let world = World::new();
    let (retirement, thread) = world.retirement();
    let World { held, go_on, memtables, other, db, folder, .. } = world;
    let (files, charged) = (table_files(folder.path()), memtables.get_usage());
    (0..100u8).for_each(|at| db.put_cf(&other, [at], vec![at; 100 << 10]).unwrap());
    assert!(memtables.get_usage() > charged + (9 << 20));

    other.delete("other").unwrap();
    retirement.add("other", other);
    await_until("its memtable stays charged", || memtables.get_usage() <= charged);
    await_until("its files stay", || table_files(folder.path()) < files);
    assert_eq!(retirement.len(), 0);
    let runs = |property: &str| u64::from(property.ends_with("compactions"));
    assert!(!held.events.has_no_job("compacted", runs) && held.events.has_no_job("other", runs));
    drop(go_on);
    retirement.stop();
    thread.join().unwrap();
}
