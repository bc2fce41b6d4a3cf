// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A read that must not wait neither takes the database's mutex nor frees what it was the last one to see.
#![allow(clippy::unwrap_used)]

use super::super::*;
use crate::common::{await_until, everything, open_with, partition, point, put, read_request, table, POINTS};
use crate::raw::sys::with_mutex;
use crate::Store;
use std::sync::mpsc::channel;
use std::time::Duration;
use tempfile::TempDir;

const MIB: usize = 1 << 20;
const BUFFER_BYTES: usize = 1 << 16;
/// Longer than any read that waits for nothing.
const TRY_MAX: Duration = Duration::from_secs(50);

struct World {
    table: Arc<Table>,
    store: Arc<Store>,
    _directory: TempDir,
}

impl World {
    fn new() -> World {
        let directory = tempfile::tempdir().unwrap();
        let store = open_with(directory.path(), "");
        World { table: table(&store), store, _directory: directory }
    }

    fn with_a_row() -> World {
        let world = World::new();
        put(&world.table, "a", 1, 1, b"value");
        world
    }

    fn memtable_bytes(&self) -> usize {
        self.store.shared(|core| Ok(core.shared.write_buffers.get_usage())).unwrap()
    }
}

fn requests() -> [Vec<u8>; 2] {
    [read_request(POINTS, 4096, &partition("a"), &[point(1)]), read_request(0, 4096, &partition("a"), &everything())]
}

fn has_answer(table: &Table, request: &[u8]) -> bool {
    table.read_in_memory(request, &mut vec![0; BUFFER_BYTES]).unwrap().is_some()
}

/// After each flush and compaction the thread has to renew its view.
#[test]
fn a_read_in_memory_does_not_wait_for_the_databases_mutex() {
    for request in requests() {
        let world = World::with_a_row();
        let (go_on, turns) = channel();
        let (answered, answers) = channel();
        let reader = {
            let (table, request) = (Arc::clone(&world.table), request.clone());
            std::thread::spawn(move || turns.iter().for_each(|()| answered.send(has_answer(&table, &request)).unwrap()))
        };
        // Nothing, where it waits.
        let reads = || {
            go_on.send(()).ok()?;
            answers.recv_timeout(TRY_MAX).ok()
        };
        await_until("a view", || reads().unwrap());
        let db = world.store.shared(|core| Ok(Arc::clone(&core.db))).unwrap();
        assert_eq!(with_mutex(&db, reads).unwrap(), Some(true), "its view is the present one");
        world.table.flush().unwrap();
        assert!(world.table.read(&request, &mut vec![0; BUFFER_BYTES]).is_ok(), "the files' blocks are in the cache");
        assert_eq!(with_mutex(&db, reads).unwrap(), Some(false), "its view is an older one");
        await_until("an answer", || reads().unwrap());
        drop((go_on, db));
        reader.join().unwrap();
    }
}

/// The last one to see a memtable frees it, of whatever size it is.
#[test]
fn what_only_a_reader_has_left_is_freed_by_another_thread() {
    let world = World::new();
    let value = vec![7; 128 << 10];
    (0..64).for_each(|row| put(&world.table, "a", row, 1, &value));
    let full = world.memtable_bytes();
    let core = world.store.shared(|core| Ok(Arc::clone(core))).unwrap();
    let left = world.table.shared(|table| {
        let mut view = None;
        await_until("a view", || {
            view = View::try_take(table.family());
            view.is_some()
        });
        let flushed = std::thread::scope(|scope| scope.spawn(|| world.table.flush()).join());
        flushed.unwrap()?;
        // The thread that frees waits for the mutex.
        Ok(with_mutex(&core.db, || {
            view.take();
            world.memtable_bytes()
        }))
    });
    let left = left.unwrap().unwrap();
    assert!(left >= full, "the reader has freed {} of {full} bytes", full - left);
    await_until("the memtable is still there", || world.memtable_bytes() < MIB);
    drop(core);
    world.store.close().unwrap();
}
