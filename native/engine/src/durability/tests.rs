// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Whom a write waits for, and what it hears.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::error::Kind;

const LAG: Duration = Duration::from_millis(50);
const HOUR: Duration = Duration::from_secs(3600);

/// Without a timer, so that no sync ever comes but those of the test.
fn untimed(mode: SyncMode) -> Arc<Durability> {
    Arc::new(Durability::new(mode, &StoreEvents::new()))
}

fn periodic(lag: Duration) -> Arc<Durability> {
    untimed(SyncMode::Periodic { interval: HOUR, lag })
}

fn writer(durability: &Arc<Durability>) -> JoinHandle<Result<()>> {
    let pending = durability.after_write().unwrap().unwrap();
    std::thread::spawn(move || pending.wait())
}

#[test]
fn writers_wait_for_a_sync_that_is_late_and_for_no_other() {
    assert!(periodic(HOUR).after_write().unwrap().is_none());
    let durability = periodic(LAG);
    std::thread::sleep(2 * LAG);
    let waiting = writer(&durability);
    std::thread::sleep(LAG);
    assert!(!waiting.is_finished(), "the last sync is too long ago");
    durability.synced_at_ns.store(durability.now_ns(), Ordering::Release);
    drop(durability.state.lock().unwrap());
    durability.changed.notify_all();
    waiting.join().unwrap().unwrap();
}

#[test]
fn writers_that_wait_hear_of_a_failure() {
    let durability = periodic(LAG);
    std::thread::sleep(2 * LAG);
    let waiting = writer(&durability);
    durability.state.lock().unwrap().failure = Some(EngineError::io("gone"));
    durability.changed.notify_all();
    assert!(matches!(waiting.join().unwrap(), Err(EngineError { kind: Kind::Io, .. })));
}

#[test]
fn writers_that_wait_at_the_end_hear_what_came_of_the_last_sync() {
    let folder = tempfile::tempdir().unwrap();
    let db = DB::open_default(folder.path()).unwrap();
    for durability in [untimed(SyncMode::Group(HOUR)), periodic(LAG)] {
        std::thread::sleep(2 * LAG);
        let waiting = writer(&durability);
        durability.stop();
        std::thread::sleep(LAG);
        assert!(!waiting.is_finished(), "no sync has ended yet");
        durability.finish(&db).unwrap();
        waiting.join().unwrap().unwrap();

        std::thread::sleep(2 * LAG);
        let failure = EngineError::io("gone");
        durability.state.lock().unwrap().failure = Some(failure.clone());
        durability.failed.store(true, Ordering::Release);
        let waiting = writer(&durability);
        assert_eq!(durability.finish(&db), Err(failure.clone()));
        assert_eq!(waiting.join().unwrap(), Err(failure));
    }
}
