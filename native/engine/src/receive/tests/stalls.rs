// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! However many files a side column family has at level 0: no writer waits for their compaction when it becomes the
//! base.

use super::common::shipments::*;
use super::common::*;
use super::world::*;
use crate::compaction::L0_STOP_FILES;
use crate::options::L0_CALM_FILES;
use crate::table::TableCore;
use crate::Table;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

const SHIPMENTS: u64 = L0_STOP_FILES as u64 + 14;
const VALUE_BYTES: usize = 200_000;

fn with_core<T>(table: &Table, at: impl FnOnce(&TableCore) -> T) -> T {
    table.shared(|core| Ok(at(core))).unwrap()
}

fn base_files(table: &Table) -> u64 {
    with_core(table, |core| core.column_families().base.level0_files())
}

/// Whether the table's writers, or all, are slowed down or stopped.
fn writers_wait(table: &Table) -> bool {
    let figures = ["rocksdb.is-write-stopped", "rocksdb.actual-delayed-write-rate"];
    with_core(table, |core| {
        core.purge().brake().is_on() || figures.iter().any(|name| core.family().property(name) != 0)
    })
}

/// Whether writers ever waited while something was done.
fn while_watched(table: &Arc<Table>, work: impl FnOnce()) -> bool {
    let done = Arc::new(AtomicBool::new(false));
    let (table, ended) = (Arc::clone(table), Arc::clone(&done));
    let watch = std::thread::spawn(move || {
        let mut waited = false;
        while !ended.load(Ordering::Acquire) {
            waited |= writers_wait(&table);
        }
        waited
    });
    work();
    done.store(true, Ordering::Release);
    watch.join().unwrap()
}

/// A base whose level 0 takes no more, so that rows gather in the side column family beside it.
fn fill_base(world: &World, table: &Arc<Table>) {
    with_core(table, |core| core.column_families().base.set_compacted(false).unwrap());
    for number in 0..=L0_CALM_FILES {
        [table, &self::table(&world.after)].into_iter().for_each(|to| put(to, "p1", 1, number as i64, b"small"));
        table.flush().unwrap();
    }
}

fn receive_many(world: &World, table: &Arc<Table>) {
    let sender = self::table(&world.sender);
    for number in 0..SHIPMENTS {
        let value = half_noise(number, VALUE_BYTES);
        for name in names() {
            [&sender, &self::table(&world.after)].into_iter().for_each(|to| put(to, &name, 2, number as i64, &value));
        }
        table.receive(&ship(&sender, world.folder.path())).unwrap();
    }
}

#[test]
fn many_shipments_stop_no_writers_when_they_become_the_base() {
    let mut world = World::empty();
    let receiver = table(&world.receiver);
    fill_base(&world, &receiver);
    receive_many(&world, &receiver);
    let gathered =
        with_core(&receiver, |core| core.side_families().iter().map(|side_family| side_family.level0_files()).max());
    assert!(gathered > Some(L0_STOP_FILES as u64), "{gathered:?} files");
    assert!(!while_watched(&receiver, || assert!(receiver.merge_in().unwrap() > 0, "the larger one becomes the base")));
    [&receiver, &table(&world.after)].into_iter().for_each(|to| put(to, "p1", 3, 1, b"written"));

    drop(receiver);
    world.receiver.close().unwrap();
    world.receiver = open(&world.path("receiver"));
    let receiver = table(&world.receiver);
    assert!(!writers_wait(&receiver), "after a restart");

    merge_in_all(&receiver);
    assert!(base_files(&receiver) < L0_CALM_FILES);
    assert_same(&receiver, &table(&world.after), &names(), CLUSTERINGS);
}

#[test]
fn the_merge_in_ends_without_automatic_compaction_and_its_base_has_none() {
    let world = World::empty();
    let receiver = table(&world.receiver);
    fill_base(&world, &receiver);
    receiver.set_automatic_compaction(false).unwrap();
    let after = table(&world.after);
    let flush = |number: u64| {
        [&receiver, &after].into_iter().for_each(|to| put(to, "p2", 1, number as i64, b"small"));
        receiver.flush().unwrap();
    };
    (0..L0_CALM_FILES).for_each(flush);
    receive_many(&world, &receiver);
    assert_ne!(with_core(&receiver, |core| core.side_families().len()), 0);
    merge_in_all(&receiver);
    assert_eq!(with_core(&receiver, |core| core.side_families().len()), 0);

    let files = base_files(&receiver);
    (0..L0_CALM_FILES).for_each(flush);
    assert_eq!(base_files(&receiver), files + L0_CALM_FILES);
    assert!(!writers_wait(&receiver));
    assert_same(&receiver, &after, &names(), CLUSTERINGS);
}
