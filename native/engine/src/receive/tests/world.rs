// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A store that receives, beside one that sends and two that are told what its answers must be.

use super::common::shipments::*;
use super::common::*;
use super::images::{copy, images, Image};
use crate::faults::Step;
use crate::{Store, Table};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub const CLUSTERINGS: u32 = 6;

pub fn names() -> Vec<String> {
    (0..8).map(|number| format!("p{number}")).collect()
}

/// Rows, and deletions that are older than all of them, of `seed` (not 0) in all partitions.
pub fn fill(tables: &[&Arc<Table>], seed: u32) {
    fill_within(tables, seed, EVERYWHERE);
}

/// The same in the partitions of a token range.
pub fn fill_within(tables: &[&Arc<Table>], seed: u32, (left, right): (i64, i64)) {
    let write = |name: &str, kind: u8, at: &[u8], fragment: &[u8]| {
        let request = update(&partition(name), &[(kind, at, fragment)]);
        tables.iter().for_each(|table| table.write(&request, 0).unwrap());
    };
    let is_within = |name: &str| (left + 1..=right).contains(&token(name));
    for (number, name) in names().iter().enumerate().filter(|(_, name)| is_within(name)) {
        for at in 0..CLUSTERINGS {
            let value = format!("{seed} {number}");
            let fragment = row(i64::from((seed * 5 + at) % 7), 1 + (seed + at) % 2, value.as_bytes());
            write(name, ROW, &clustering(at), &fragment);
        }
        if number % 3 == 0 {
            write(name, HEADER, b"", &partition_deletion(-i64::from(seed)));
        }
    }
}

pub struct World {
    pub folder: tempfile::TempDir,
    pub sender: Arc<Store>,
    pub receiver: Arc<Store>,
    /// What the receiver holds without the shipment that is on its way, and with it.
    pub before: Arc<Store>,
    pub after: Arc<Store>,
}

impl World {
    /// Stores without data.
    pub fn empty() -> World {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| open(&folder.path().join(name));
        World { sender: at("sender"), receiver: at("receiver"), before: at("before"), after: at("after"), folder }
    }

    /// A receiver with data or without, and a sender.
    pub fn new(receiver_has_data: bool) -> World {
        let world = World::empty();
        fill(&[&table(&world.sender), &table(&world.after)], 1);
        table(&world.sender).compact().unwrap();
        fill(&[&table(&world.sender), &table(&world.after)], 2);
        if receiver_has_data {
            world.fill_receiver(3..5);
        }
        world
    }

    pub fn fill_receiver(&self, seeds: Range<u32>) {
        let receiver = table(&self.receiver);
        for seed in seeds {
            receiver.flush().unwrap();
            fill(&[&receiver, &table(&self.before), &table(&self.after)], seed);
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Sends everything; images of the receiver at each step.
    pub fn receive(&self) -> Vec<Image> {
        self.receive_shipment(&ship(&table(&self.sender), self.folder.path()))
    }

    /// The same with a given shipment, of which a copy stays for [`World::check`].
    pub fn receive_shipment(&self, shipment: &Path) -> Vec<Image> {
        let _ = std::fs::remove_dir_all(self.path("copy"));
        assert!(copy(shipment, &self.path("copy")).unwrap());
        let number = std::fs::read_dir(self.folder.path()).unwrap().count();
        images(&self.path("receiver"), &self.path(&format!("images {number}")), || {
            table(&self.receiver).receive(shipment).unwrap();
        })
    }

    /// Each image has all of the shipment from one of these steps on, and before it nothing of it, but takes it again.
    pub fn check(&self, images: &[Image], named: &[Step]) {
        for image in images {
            let has = self.has_shipment(&image.path);
            assert_eq!(has, named.contains(&image.step), "{:?}", image.step);
            if !has {
                self.receives_again(&image.path);
            }
        }
    }

    /// Opens an image; whether the shipment is in it, all or nothing of it.
    pub fn has_shipment(&self, image: &Path) -> bool {
        let store = open(image);
        let found = table(&store);
        let has = whole(&found) == whole(&table(&self.after));
        let wanted = if has { &self.after } else { &self.before };
        assert_same(&found, &table(wanted), &names(), CLUSTERINGS);
        // And the store continues from there.
        merge_in_all(&found);
        assert_same(&found, &table(wanted), &names(), CLUSTERINGS);
        drop(found);
        store.close().unwrap();
        has
    }

    fn receives_again(&self, image: &Path) {
        let shipment = self.path("again");
        assert!(copy(&self.path("copy"), &shipment).unwrap());
        let store = open(image);
        let found = table(&store);
        found.receive(&shipment).unwrap();
        assert_same(&found, &table(&self.after), &names(), CLUSTERINGS);
        merge_in_all(&found);
        assert_same(&found, &table(&self.after), &names(), CLUSTERINGS);
        drop(found);
        store.close().unwrap();
    }
}

/// Larger rows in all partitions, each table's under its id of the column.
pub fn fill_large(tables: &[(&Arc<Table>, u32)], seeds: Range<u32>) {
    for seed in seeds {
        for (number, name) in names().iter().enumerate() {
            for at in 0..CLUSTERINGS {
                let value = format!("{seed} {number} {}", "x".repeat(60));
                for (table, id) in tables {
                    let fragment = row(i64::from(seed * 3 + at), *id, value.as_bytes());
                    table.write(&update(&partition(name), &[(ROW, &clustering(at), &fragment)]), 0).unwrap();
                }
            }
        }
    }
}

/// A shipment of the table by another sender, whose columns have other ids: it is rewritten.
pub fn ship_renumbered(world: &World, name: &str, seeds: Range<u32>) -> PathBuf {
    let store = open(&world.path(name));
    let renumbered = store.table(&renumbered_schema()).unwrap();
    table(&world.receiver).column_ids().unwrap(); // known from now on, so that they stay
    fill_large(&[(&renumbered, 3), (&table(&world.after), 1)], seeds);
    ship(&renumbered, world.folder.path())
}

/// The test's table with its columns in another order.
pub fn renumbered_schema() -> Vec<u8> {
    schema(&TABLE, &[(1, "s", "blob"), (0, "w", "blob"), (0, "v", "blob")])
}
