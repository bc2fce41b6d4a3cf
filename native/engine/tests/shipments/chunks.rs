// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Rows from elsewhere on the node, taken in chunk by chunk beside writes, are as if every row had been written.

use crate::common::chunks::*;
use crate::common::shipments::{families, merge_in_all};
use crate::common::*;
use crate::received::Dice;
use crate::tokens::*;
use cassiterite_engine::{Store, Table};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const CHUNKS: usize = 20;
const PARTITIONS: u64 = 300;
const CLUSTERINGS: u64 = 8;
const STAMPS: u64 = 1000;

/// One entry at random. Deletions of ranges are older than every row: compaction removes what they hide, and reads before
/// it do not.
fn entry(dice: &mut Dice) -> (u8, u32, Vec<u8>) {
    let (at, stamp) = (dice.below(CLUSTERINGS) as u32, dice.below(STAMPS) as i64);
    match dice.below(20) {
        0 => (HEADER, 0, partition_deletion(stamp)),
        1 => (HEADER, 0, range_tombstone(at, at + dice.below(5) as u32, -1 - stamp)),
        2 => (STATIC, 0, row(stamp, 3, &noise(dice.below(9), 20))),
        3 | 4 => (ROW, at, row_deletion(stamp)),
        other => (ROW, at, row(stamp, 1 + other as u32 % 2, &noise(dice.below(1 << 30), dice.below(600) as usize))),
    }
}

fn some_partition(dice: &mut Dice) -> Vec<u8> {
    partition(&format!("p{}", dice.below(PARTITIONS)))
}

/// Writes into all of the tables, newer and older than what comes in chunks.
fn scatter(tables: &[&Arc<Table>], dice: &mut Dice, updates: u64) {
    for _ in 0..updates {
        let (kind, at, fragment) = entry(dice);
        let order = if kind == ROW { clustering(at) } else { Vec::new() };
        let request = update(&some_partition(dice), &[(kind, &order, &fragment)]);
        tables.iter().for_each(|table| table.write(&request, 0).unwrap());
    }
}

fn outside(dice: &mut Dice, entries: u64) -> AllOutside {
    let mut all = AllOutside::new();
    for _ in 0..entries {
        let (kind, at, fragment) = entry(dice);
        let partition = all.entry(some_partition(dice)).or_default();
        match kind {
            HEADER => partition.headers.push(fragment),
            STATIC => partition.statics = Some(fragment),
            _ => drop(partition.rows.insert(at, fragment)),
        }
    }
    // One that is spread over several chunks.
    let large = all.entry(some_partition(dice)).or_default();
    large.headers = vec![range_tombstone(0, 300, -5), partition_deletion(500), range_tombstone(100, 900, -7)];
    large.rows = (0..800).map(|at| (at, row(i64::from(at), 1, &noise(u64::from(at), 100)))).collect();
    all
}

/// Fails where a file goes meanwhile.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let path = entry?.path();
        let target = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy(&path, &target)?,
            false => drop(std::fs::copy(&path, target)?),
        }
    }
    Ok(())
}

struct World {
    store: Arc<Store>,
    style: &'static str,
    images: u32,
    folder: tempfile::TempDir,
}

impl World {
    fn new(style: &'static str) -> World {
        let folder = tempfile::tempdir().unwrap();
        let store = small_files_of(style, &folder.path().join("store"));
        World { store, folder, style, images: 0 }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn table(&self) -> Arc<Table> {
        table(&self.store)
    }

    fn reopen(&mut self) {
        self.store.close().unwrap();
        self.store = small_files_of(self.style, &self.path("store"));
    }

    /// A copy of the store while it is open: what a kill would leave. Nothing is compacted meanwhile.
    fn image(&mut self) -> Arc<Store> {
        self.images += 1;
        let image = self.path(&format!("image-{}", self.images));
        self.table().set_automatic_compaction(false).unwrap();
        self.table().flush().unwrap();
        await_until("nothing is deleted any more", || {
            let _ = std::fs::remove_dir_all(&image);
            copy(&self.path("store"), &image).is_ok()
        });
        self.table().set_automatic_compaction(true).unwrap();
        std::fs::remove_file(image.join("lock")).unwrap();
        small_files_of(self.style, &image)
    }
}

#[test]
fn chunks_between_writes_are_as_if_they_had_been_written() {
    for seed in 0..2 {
        move_in(seed, STYLES[seed as usize % 2], |_, _, _| 0);
    }
}

#[test]
fn chunks_and_whatever_else_happens_to_the_table() {
    let mut rewritten = 0;
    for seed in 10..14 {
        rewritten += move_in(seed, STYLES[seed as usize % 2], |world, expected, dice| {
            let table = world.table();
            match dice.below(5) {
                0 => drop(table.merge_in().unwrap()),
                1 => table.compact().unwrap(),
                2 => {
                    // A repair brings something.
                    let path = world.path("peer");
                    let peer = small_files_of(world.style, &path);
                    let sent = crate::common::table(&peer);
                    scatter(&[&sent, expected], dice, 200);
                    sent.compact().unwrap();
                    scatter(&[&sent, expected], dice, 50);
                    let shipment = world.path("shipment");
                    sent.export(&ranges(&[ALL]), &shipment).unwrap();
                    table.receive(&shipment).unwrap();
                    peer.close().unwrap();
                    std::fs::remove_dir_all(path).unwrap();
                }
                3 => {
                    table.set_purge(0, i64::MIN, 0).unwrap();
                    table.flush().unwrap();
                }
                _ => {}
            }
            0
        });
    }
    assert!(rewritten > 0, "never did a chunk find a place taken");
}

/// Moves random rows into a table that is written to, and compares it with one that gets the same as writes. Answers with
/// the bytes that had to be rewritten.
fn move_in(seed: u64, style: &'static str, other: impl Fn(&mut World, &Arc<Table>, &mut Dice) -> u64) -> u64 {
    let mut dice = Dice(seed * 31 + 3);
    let mut world = World::new(style);
    let oracle = open(&world.path("oracle"));
    let expected = table(&oracle);
    scatter(&[&world.table(), &expected], &mut dice, 300);
    let all = pieces(&outside(&mut dice, 2500), 1 + dice.below(4) as usize);
    let mut rewritten = 0;
    for some in all.chunks(all.len().div_ceil(CHUNKS)) {
        let (writer, figures) = chunk(&world.table(), some);
        assert!(figures.files > 0 && figures.rows > 0 && figures.bytes > 0, "{figures:?}");
        write_pieces(&expected, some);
        if dice.below(6) == 0 {
            let before = visible(&world.table());
            let image = world.image();
            let found = table(&image);
            assert!(visible(&found) == before, "seed {seed}: nothing of a chunk that was not received");
            let staging = world.path(&format!("image-{}/staging", world.images));
            assert_eq!(std::fs::read_dir(staging).map_or(0, Iterator::count), 0);
            let (again, _) = chunk(&found, some);
            again.receive(true).unwrap();
            assert!(visible(&found) == visible(&expected), "seed {seed}: after a kill");
            // The record of how far the move came is written after the chunk: a kill in between repeats it.
            chunk(&found, some).0.receive(true).unwrap();
            assert!(visible(&found) == visible(&expected), "seed {seed}: twice");
            merge_in_all(&found);
            assert!(visible(&found) == visible(&expected), "seed {seed}: twice, merged in");
            drop(found);
            image.close().unwrap();
        }
        rewritten += writer.receive(true).unwrap();
        assert!(visible(&world.table()) == visible(&expected), "seed {seed}: received");
        scatter(&[&world.table(), &expected], &mut dice, 40);
        other(&mut world, &expected, &mut dice);
        if dice.below(5) == 0 {
            drop(writer);
            world.reopen();
        }
        assert!(visible(&world.table()) == visible(&expected), "seed {seed}: written on top");
    }
    merge_in_all(&world.table());
    assert!(visible(&world.table()) == visible(&expected), "seed {seed}: merged in");
    world.table().compact().unwrap();
    assert!(visible(&world.table()) == visible(&expected), "seed {seed}: compacted");
    world.reopen();
    assert!(visible(&world.table()) == visible(&expected), "seed {seed}: opened again");
    world.store.close().unwrap();
    assert_eq!(families(&world.path("store")).len(), 1);
    rewritten
}

#[test]
fn a_move_alone_rewrites_nothing_and_makes_one_side_family() {
    for style in STYLES {
        let mut dice = Dice(77);
        let mut world = World::new(style);
        let bounds: Vec<i64> = ring(16).iter().map(|range| range.1).collect();
        world.store.set_ring(&boundaries(&bounds)).unwrap();
        scatter(&[&world.table()], &mut dice, 100);
        let all = pieces(&outside(&mut dice, 2500), 3);
        for some in all.chunks(all.len().div_ceil(CHUNKS)) {
            assert_eq!(chunk(&world.table(), some).0.receive(true), Ok(0), "{style}");
        }
        world.reopen();
        world.store.close().unwrap();
        assert_eq!(families(&world.path("store")).len(), 2, "{style}");
        world.reopen();
        let steps = merge_in_all(&world.table());
        assert!(steps <= 3, "{style}: the writes are rewritten, not what was moved: {steps} steps");
        world.store.close().unwrap();
    }
}

#[test]
fn what_was_moved_is_sent_on_in_whole_files() {
    for style in STYLES {
        let mut dice = Dice(78);
        let world = World::new(style);
        let bounds: Vec<i64> = ring(16).iter().map(|range| range.1).collect();
        world.store.set_ring(&boundaries(&bounds)).unwrap();
        let all = pieces(&outside(&mut dice, 2500), 3);
        for some in all.chunks(all.len().div_ceil(CHUNKS)) {
            chunk(&world.table(), some).0.receive(true).unwrap();
        }
        for (when, received) in [("before", false), ("after", true)] {
            if received {
                merge_in_all(&world.table());
            }
            let shipment = world.path(when);
            let lines = lines(&world.table().export(&ranges(&ring(16)[..9]), &shipment).unwrap());
            let bytes = |kind: &str| lines.iter().filter(|line| line.kind == kind).map(|line| line.bytes).sum::<u64>();
            assert!(bytes("whole") > 8 * bytes("rows"), "{style}: {lines:?}");
            assert!(lines.iter().filter(|line| line.kind == "whole").all(|line| line.level == 6), "{style}: {lines:?}");
            let wanted = within(&visible(&world.table()), &ring(16)[..9]);
            assert!(shipped(&shipment, &world.path("loaded")) == wanted, "{style} {when}");
            let other = small_files_of(style, &world.path("other"));
            let receiver = table(&other);
            receiver.receive(&shipment).unwrap();
            assert!(visible(&receiver) == wanted, "{style} {when}");
            merge_in_all(&receiver);
            receiver.compact().unwrap();
            assert!(visible(&receiver) == wanted, "{style} {when}");
            drop(receiver);
            other.close().unwrap();
            std::fs::remove_dir_all(world.path("other")).unwrap();
        }
        world.store.close().unwrap();
    }
}
