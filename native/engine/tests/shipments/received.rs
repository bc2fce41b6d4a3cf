// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Shipments of whole files and rows are received as if every row had been written, and sent on from there.

use crate::common::shipments::merge_in_all;
use crate::common::*;
use crate::tokens::*;
use cassiterite_engine::{Store, Table};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Pseudo-random numbers.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Writes rows, statics and deletions of random partitions into all of the tables.
fn scatter(tables: &[&Arc<Table>], dice: &mut Dice, updates: u64) {
    for _ in 0..updates {
        let name = format!("p{}", dice.below(400));
        let at = clustering(dice.below(6) as u32);
        let stamp = dice.below(1000) as i64;
        let request = match dice.below(20) {
            0 => update(&partition(&name), &[(HEADER, b"", &partition_deletion(stamp))]),
            1 => update(&partition(&name), &[(STATIC, b"", &row(stamp, 3, b"static"))]),
            other => {
                let value = noise(dice.below(1 << 30), dice.below(800) as usize);
                update(&partition(&name), &[(ROW, &at, &row(stamp, 1 + other as u32 % 2, &value))])
            }
        };
        tables.iter().for_each(|table| table.write(&request, 0).unwrap());
    }
}

/// Brings what a table has to different places: last level, level 0, memtable.
fn spread(tables: &[&Arc<Table>], dice: &mut Dice, updates: u64) {
    scatter(tables, dice, updates);
    tables.iter().for_each(|table| table.compact().unwrap());
    scatter(tables, dice, updates / 8);
    tables.iter().for_each(|table| table.flush().unwrap());
    scatter(tables, dice, updates / 8);
}

/// Stores of one ring, and what they ship.
pub struct World {
    folder: tempfile::TempDir,
    shipments: u32,
}

impl World {
    pub fn new() -> World {
        World { folder: tempfile::tempdir().unwrap(), shipments: 0 }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn store(&self, name: &str) -> Arc<Store> {
        let store = small_files(&self.folder.path().join(name));
        store.set_ring(&boundaries(&ring(9).iter().map(|range| range.1).collect::<Vec<_>>())).unwrap();
        store
    }

    pub fn ship(&mut self, from: &Table, wanted: &[(i64, i64)]) -> (PathBuf, Vec<Line>) {
        self.shipments += 1;
        let shipment = self.folder.path().join(format!("shipment{}", self.shipments));
        let lines = lines(&from.export(&ranges(wanted), &shipment).unwrap());
        assert_sums(&shipment, &lines);
        (shipment, lines)
    }
}

/// Wherever a file came from, its checksum is right.
fn assert_sums(shipment: &Path, lines: &[Line]) {
    for line in lines {
        let found = crc32c::crc32c(&std::fs::read(shipment.join(&line.name)).unwrap());
        assert_eq!(line.checksum.unwrap_or(found), found, "{line:?}");
        assert!(line.kind == "whole" || line.checksum.is_none(), "{line:?}");
    }
}

fn copy(shipment: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(shipment).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
    }
}

#[test]
fn a_shipment_is_received_as_if_it_had_been_written() {
    let (mut whole, mut rows) = (0, 0);
    for seed in 0..3 {
        let mut dice = Dice(seed * 77 + 5);
        let mut world = World::new();
        let (sender, receiver, oracle) = (world.store("sender"), world.store("receiver"), world.store("oracle"));
        let (from, to, expected) = (table(&sender), table(&receiver), table(&oracle));
        spread(&[&from], &mut dice, 3000);
        if seed % 2 == 1 {
            spread(&[&to, &expected], &mut dice, 1000);
        }
        for _ in 0..3 {
            let wanted: Vec<(i64, i64)> = ring(9).into_iter().filter(|_| dice.below(2) == 0).collect();
            let (shipment, lines) = world.ship(&from, &wanted);
            whole += lines.iter().filter(|line| line.kind == "whole").count();
            rows += lines.iter().filter(|line| line.kind == "rows").count();
            let twin = world.folder.path().join("twin");
            copy(&shipment, &twin);
            expected.load(&twin).unwrap();
            std::fs::remove_dir_all(&twin).unwrap();
            to.receive(&shipment).unwrap();
            assert!(visible(&to) == visible(&expected), "seed {seed}: received");
            scatter(&[&to, &expected], &mut dice, 200);
            scatter(&[&from], &mut dice, 200);
            assert!(visible(&to) == visible(&expected), "seed {seed}: written on top");
        }
        merge_in_all(&to);
        assert!(visible(&to) == visible(&expected), "seed {seed}: merged in");
        to.compact().unwrap();
        assert!(visible(&to) == visible(&expected), "seed {seed}: compacted");
    }
    assert!(whole > 10 && rows > 5, "{whole} whole files, {rows} of rows");
}

#[test]
fn side_families_are_shipped_cleaned_up_and_counted_like_the_base() {
    let mut dice = Dice(9);
    let mut world = World::new();
    let (sender, receiver) = (world.store("sender"), world.store("receiver"));
    let (from, to) = (table(&sender), table(&receiver));
    spread(&[&from], &mut dice, 4000);
    spread(&[&to], &mut dice, 1000);
    let (shipment, _) = world.ship(&from, &[ALL]);
    to.receive(&shipment).unwrap();
    scatter(&[&to], &mut dice, 100);
    let before = visible(&to);

    let wanted = [ring(9)[2], ring(9)[4], ring(9)[5]];
    let (shipment, lines) = world.ship(&to, &wanted);
    assert!(lines.iter().any(|line| line.kind == "whole"), "{lines:?}");
    assert!(lines.iter().any(|line| line.reason.contains("side family: ")), "{lines:?}");
    assert!(shipped(&shipment, &world.folder.path().join("other")) == within(&before, &wanted));

    let sizes = to.range_sizes(&ranges(&[ALL])).unwrap();
    let partitions = i64::from_le_bytes(sizes[..8].try_into().unwrap());
    assert!((300..500).contains(&partitions), "{partitions}");

    to.cleanup(&ranges(&wanted)).unwrap();
    assert!(visible(&to) == within(&before, &wanted));
    merge_in_all(&to);
    assert!(visible(&to) == within(&before, &wanted), "nothing comes back");
    to.compact().unwrap();
    assert!(visible(&to) == within(&before, &wanted));
}
