// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

#![allow(clippy::unwrap_used)]

use super::*;
use crate::database::Database;
use crate::raw::{install_events, CompactionBegin, CompactionEnd, EventHooks, StallCondition, Status};
use rocksdb::{Options, DB};
use std::fs::File;
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::Arc;

/// Holds the first compaction that ends at its end.
struct HeldCompaction {
    ended: Mutex<Option<Sender<()>>>,
    go_on: Mutex<Receiver<()>>,
    stalls: Mutex<Vec<StallCondition>>,
}

impl EventHooks for HeldCompaction {
    fn memtable_sealed(&self, _: &str, _: u64) {}
    fn flush_completed(&self, _: &str, _: u64, _: u64) {}
    fn compaction_begun(&self, _: &str, _: CompactionBegin) {}
    fn compaction_completed(&self, _: &str, _: CompactionEnd) {
        if let Some(ended) = self.ended.lock().unwrap().take() {
            ended.send(()).unwrap();
            let _ = self.go_on.lock().unwrap().recv();
        }
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

#[test]
fn a_dropped_family_outlives_the_compaction_that_ends_its_stall() {
    let directory = tempfile::tempdir().unwrap();
    let ((ended, has_ended), (go_on, waits)) = (channel(), channel());
    let held = Arc::new(HeldCompaction {
        ended: Mutex::new(Some(ended)),
        go_on: Mutex::new(waits),
        stalls: Mutex::new(Vec::new()),
    });
    let mut options = Options::default();
    options.create_if_missing(true);
    options.set_disable_auto_compactions(true);
    options.set_level_zero_slowdown_writes_trigger(3);
    options.set_level_zero_file_num_compaction_trigger(3);
    install_events(&mut options, &held);
    let db = DB::open(&options, directory.path()).unwrap();
    db.create_cf("dropped", &options).unwrap();
    let db = Arc::new(Database::new(db, File::create(directory.path().join("lock")).unwrap()));
    let family = FamilyHandle::named(&db, "dropped").unwrap();
    for value in 0..4u8 {
        db.put_cf(&family, b"key", [value]).unwrap();
        db.flush_cf(&family).unwrap();
    }
    // Writes are slowed down once compaction counts; the compaction ends that.
    db.set_options_cf(&family, &[("disable_auto_compactions", "false")]).unwrap();
    has_ended.recv_timeout(Duration::from_secs(60)).unwrap();

    let (retirement, thread) = Retirement::start().unwrap();
    family.delete("dropped").unwrap();
    retirement.add(family);
    std::thread::sleep(WRITES_END + 3 * INTERVAL);
    assert_eq!(retirement.len(), 1, "its compaction has not ended");
    drop(go_on);
    while retirement.len() > 0 {
        std::thread::sleep(INTERVAL);
    }
    assert_eq!(held.stalls.lock().unwrap().last(), Some(&StallCondition::Normal));
    retirement.stop();
    thread.join().unwrap();
}
