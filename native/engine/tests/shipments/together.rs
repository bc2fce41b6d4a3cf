// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Whole files, and the rows that came with them, go into different column families: no read sees the files alone.

use crate::common::*;
use crate::received::World;
use crate::tokens::*;
use cassiterite_engine::{Store, Table};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;

const RANGES: usize = 60;
const PARTITIONS: u32 = 6000;
const OLD: i64 = 10;
const NEW: i64 = 20;

/// What there is of each range: files with rows of one time, and those of the other in the memtable. The newer hide the
/// older.
fn sender(store: &Store, in_files: i64, in_memtable: i64) -> Arc<Table> {
    let table = table(store);
    store.set_ring(&boundaries(&ring(RANGES as i64).iter().map(|range| range.1).collect::<Vec<_>>())).unwrap();
    fill(&table, 0..PARTITIONS, in_files, 800);
    table.compact().unwrap();
    fill(&table, 0..PARTITIONS, in_memtable, 20);
    table
}

/// The partitions of each range.
fn names(ring: &[(i64, i64)]) -> Vec<Vec<String>> {
    let all: Vec<String> = (0..PARTITIONS).map(|number| format!("p{number}")).collect();
    let within = |range| all.iter().filter(|name| contains(&[range], token(name))).cloned().collect();
    ring.iter().map(|&range| within(range)).collect()
}

fn timestamps(entries: Vec<Entry>) -> Vec<i64> {
    let of = |entry| match entry {
        Entry::Row(fragment) => Some(i64::from_le_bytes(fragment[2..10].try_into().unwrap())),
        _ => None,
    };
    entries.into_iter().filter_map(of).collect()
}

/// Receives one range after the other, while `check` is called again and again with the number of the one under way;
/// `then` afterwards. Once with the newer rows in files, once with the older ones.
fn while_ranges_are_received(check: impl Fn(&World, &Arc<Table>, usize) + Sync, then: impl Fn(&World)) {
    for (in_files, in_memtable) in [(OLD, NEW), (NEW, OLD)] {
        let world = while_receiving(in_files, in_memtable, &check);
        then(&world);
    }
}

fn while_receiving(in_files: i64, in_memtable: i64, check: impl Fn(&World, &Arc<Table>, usize) + Sync) -> World {
    let mut world = World::new();
    let ring = ring(RANGES as i64);
    let (sending, receiving) = (world.store("sender"), world.store("receiver"));
    let (from, to) = (sender(&sending, in_files, in_memtable), table(&receiving));
    let shipments: Vec<_> = ring.iter().map(|&range| world.ship(&from, &[range])).collect();
    let both = |lines: &[Line]| ["whole", "rows"].iter().all(|kind| lines.iter().any(|line| line.kind == *kind));
    assert!(shipments.iter().filter(|(_, lines)| both(lines)).count() > RANGES / 2);
    let (receiving, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let checking = scope.spawn(|| {
            while !stop.load(Ordering::SeqCst) {
                check(&world, &to, receiving.load(Ordering::SeqCst));
            }
        });
        for (range, (shipment, _)) in shipments.iter().enumerate() {
            receiving.store(range, Ordering::SeqCst);
            to.receive(shipment).unwrap();
            if checking.is_finished() {
                break;
            }
        }
        stop.store(true, Ordering::SeqCst);
    });
    world
}

#[test]
fn reads_see_no_file_without_the_rows_that_came_with_it() {
    let names = names(&ring(RANGES as i64));
    while_ranges_are_received(
        |_, table, range| {
            for name in names[range].iter().take(2) {
                let all = read_all(table, &read_request(0, 1 << 16, &partition(name), &everything()), 1 << 16);
                let one = read_all(table, &read_request(POINTS, 1 << 16, &partition(name), &[point(1)]), 1 << 16);
                assert!(timestamps(all).into_iter().chain(timestamps(one)).all(|found| found == NEW), "{name}");
            }
        },
        |_| (),
    );
}

#[test]
fn shipments_and_snapshots_see_no_file_without_the_rows_that_came_with_it() {
    let ring = ring(RANGES as i64);
    let checks = AtomicUsize::new(0);
    while_ranges_are_received(
        |world, table, range| {
            let number = checks.fetch_add(1, Ordering::SeqCst);
            let path = world.path(&format!("check{number}"));
            match number % 2 {
                0 => table.export(&ranges(&[ring[range]]), &path).map(|_| ()).unwrap(),
                _ => table.snapshot(&path).unwrap(),
            }
        },
        |world| {
            for number in 0..checks.swap(0, Ordering::SeqCst) {
                let rows = shipped(&world.path(&format!("check{number}")), &world.path("scratch"));
                assert!(rows.into_values().flat_map(timestamps).all(|found| found == NEW), "check {number}");
            }
        },
    );
}
