// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Rows that are written and acknowledged while shipments are received and merged in are in every image.

use super::common::shipments::*;
use super::common::*;
use super::images::{images_under_writes, Image};
use super::world::*;
use crate::receive::SIDE_FAMILIES_MAX;
use crate::{Store, Table};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const PAUSE: Duration = Duration::from_micros(200);
const WRITES_PER_FLUSH: u32 = 40;

/// Writes rows one after the other, each into a place that shipments have, too: newer or older than theirs.
fn write_number(table: &Arc<Table>, number: u32) {
    let names = names();
    let stamp = if number.is_multiple_of(3) { i64::from(number % 7) } else { i64::from(1000 + number) };
    let name = &names[number as usize % names.len()];
    put(table, name, number / 3 % CLUSTERINGS, stamp, format!("written {number}").as_bytes());
}

/// What goes on beside a test: the holder of the count writes, or copies.
#[derive(Clone, Default)]
pub struct Writer {
    acknowledged: Arc<Mutex<u32>>,
    done: Arc<AtomicBool>,
}

impl Writer {
    /// Does something between two writes; how many are acknowledged.
    pub fn pause(&self, during: impl FnOnce()) -> u32 {
        let acknowledged = self.acknowledged.lock().unwrap();
        during();
        *acknowledged
    }

    pub fn write(&self, table: &Arc<Table>) {
        while !self.done.load(Ordering::Acquire) {
            {
                let mut acknowledged = self.acknowledged.lock().unwrap();
                *acknowledged += 1;
                write_number(table, *acknowledged);
                if acknowledged.is_multiple_of(WRITES_PER_FLUSH) {
                    table.flush().unwrap();
                }
            }
            std::thread::sleep(PAUSE);
        }
    }
}

/// Ends the writing, also where the test fails.
pub struct Ending<'a>(pub &'a Writer);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.done.store(true, Ordering::Release);
    }
}

/// Tells stores what was acknowledged, as far as they have not been told.
pub fn tell(stores: &[&Arc<Store>], told: &mut u32, acknowledged: u32) {
    for number in *told + 1..=acknowledged {
        stores.iter().for_each(|store| write_number(&table(store), number));
    }
    *told = (*told).max(acknowledged);
}

/// Each image has what was acknowledged before it, and all of the shipment or nothing, and later ones never less.
fn check(world: &World, images: &[Image], told: &mut u32) {
    let mut had = false;
    for image in images {
        tell(&[&world.before, &world.after], told, image.acknowledged);
        let has = world.has_shipment(&image.path);
        assert!(has || !had, "{:?}", image.step);
        had = has;
    }
    assert!(had);
}

#[test]
fn no_acknowledged_row_is_lost() {
    let world = World::empty();
    world.fill_receiver(10..12);
    let (sender, receiver) = (table(&world.sender), table(&world.receiver));
    let writer = Writer::default();
    let mut told = 0;
    let store = world.path("receiver");
    std::thread::scope(|scope| {
        scope.spawn(|| writer.write(&receiver));
        let _ending = Ending(&writer);
        for number in 0..=SIDE_FAMILIES_MAX {
            let seed = number as u32 + 1;
            fill(&[&sender, &table(&world.after)], seed);
            sender.compact().unwrap();
            let shipment = ship_ranges(&sender, &[EVERYWHERE], world.folder.path());
            let into = world.path(&format!("images of {number}"));
            let images = images_under_writes(&store, &into, &writer, || {
                receiver.receive(&shipment).unwrap();
            });
            check(&world, &images, &mut told);
            fill(&[&table(&world.before)], seed);
        }
        let images = images_under_writes(&store, &world.path("images of merging in"), &writer, || {
            merge_in_all(&receiver);
        });
        check(&world, &images, &mut told);
    });
    tell(&[&world.after], &mut told, writer.pause(|| ()));
    assert!(told > 100, "{told} rows were written");
    assert_same(&receiver, &table(&world.after), &names(), CLUSTERINGS);
}
