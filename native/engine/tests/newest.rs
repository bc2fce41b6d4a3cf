// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reads that stop at a row which is newer than everything below: random histories, in memtables, level 0 and below,
//! answered with and without stopping, and by a merge of all that was written.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod common;

use cassiterite_codec::key::Kind;
use cassiterite_codec::row::{Cell, Head, Liveness, PathCell, RowWriter};
use cassiterite_codec::{is_empty, merge, DeletionTime};
use cassiterite_engine::{Store, Table};
use common::*;
use std::collections::BTreeMap;
use std::sync::Arc;

const KEYS: u64 = 12;
const POINT: &[u8] = &[0x38];
const COLUMNS: &[(u8, &str, &str)] = &[(0, "a", "blob"), (0, "b", "blob"), (0, "c", "set<text>")];
const MANY: u32 = 3;

/// Seeded; the same numbers on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % count
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }
}

struct World {
    dice: Dice,
    store: Arc<Store>,
    table: Arc<Table>,
    /// What was written, merged, by key.
    rows: BTreeMap<u64, Vec<u8>>,
    clock: i64,
    columns: u32,
    _directory: tempfile::TempDir,
}

fn key(number: u64) -> Vec<u8> {
    partition(&format!("key{number}"))
}

impl World {
    fn new(seed: u64, style: &str) -> World {
        let directory = tempfile::tempdir().unwrap();
        let store = open_with(directory.path(), &format!("stats_level=tickers\n{style}"));
        let table = store.table(&schema(&TABLE, COLUMNS)).unwrap();
        World { dice: Dice(seed), store, table, rows: BTreeMap::new(), clock: 100, columns: 3, _directory: directory }
    }

    /// Mostly a little later than all before; now and then earlier, or the same.
    fn timestamp(&mut self) -> i64 {
        self.clock += self.dice.below(3) as i64;
        match self.dice.below(8) {
            0 => 1 + self.dice.below(self.clock as u64) as i64,
            1 => self.clock - 1 - self.dice.below(4) as i64,
            _ => self.clock,
        }
    }

    fn cell<'a>(&mut self, timestamp: i64, value: &'a [u8]) -> Cell<'a> {
        match self.dice.below(8) {
            0 => Cell::tombstone(timestamp, 1_700_000_000),
            1 => Cell { ttl_s: 60, local_deletion_time_s: 1_700_000_060, ..Cell::live(timestamp, value) },
            _ => Cell::live(timestamp, value),
        }
    }

    fn fragment(&mut self) -> Vec<u8> {
        let timestamp = self.timestamp();
        let (is_whole, value) =
            (self.dice.below(3) > 0, vec![self.dice.below(200) as u8; self.dice.below(30) as usize]);
        let mut head = Head::NOTHING;
        if is_whole || self.dice.one_in(2) {
            head.liveness = Liveness::without_ttl(timestamp);
        }
        if self.dice.one_in(8) {
            head.deletion = DeletionTime::new(timestamp - 1, 1_700_000_000);
        }
        if self.dice.one_in(16) {
            (head.deletion, head.liveness) = (DeletionTime::new(timestamp, 1_700_000_000), Liveness::NONE);
            let mut out = Vec::new();
            RowWriter::new(&head, &mut out).finish();
            return out;
        }
        let chosen: Vec<(u32, Cell<'_>, bool)> = (1..=self.columns)
            .filter(|_| is_whole || self.dice.one_in(2))
            .collect::<Vec<_>>()
            .into_iter()
            .map(|id| (id, self.cell(timestamp, &value), is_whole || self.dice.one_in(2)))
            .collect();
        let mut out = Vec::new();
        let mut writer = RowWriter::new(&head, &mut out);
        for (id, cell, is_replaced) in &chosen {
            if *id != MANY {
                writer.simple(*id, cell);
                continue;
            }
            let deletion = match is_replaced {
                true => DeletionTime::new(timestamp - 1, 1_700_000_000),
                false => DeletionTime::LIVE,
            };
            writer
                .complex(*id, &deletion, 1, |many| {
                    many.cell(&PathCell { order: b"path", raw: None, cell: *cell });
                    Ok::<(), ()>(())
                })
                .unwrap();
        }
        writer.finish();
        out
    }

    fn write(&mut self) {
        let number = self.dice.below(KEYS);
        let fragment = self.fragment();
        if is_empty(Kind::Row, &fragment) {
            return;
        }
        self.table.write(&update(&key(number), &[(ROW, POINT, &fragment)]), 0).unwrap();
        let row = self.rows.entry(number).or_default();
        let operands: Vec<&[u8]> = [row.as_slice(), &fragment].into_iter().filter(|one| !one.is_empty()).collect();
        let mut merged = Vec::new();
        merge(Kind::Row, &operands, &mut merged).unwrap();
        *row = merged;
    }

    fn step(&mut self) {
        match self.dice.below(60) {
            0..=2 => self.table.flush().unwrap(),
            3 => self.table.compact().unwrap(),
            4 if self.columns == 3 && self.dice.one_in(8) => {
                let more = [COLUMNS, &[(0, "d", "blob")]].concat();
                self.table.columns(&schema(&TABLE, &more)).unwrap();
                self.columns = 4;
            }
            5..=14 => self.check(),
            _ => self.write(),
        }
    }

    fn read(&self, number: u64) -> Vec<Entry> {
        read_all(&self.table, &read_request(POINTS, 0, &key(number), &[(POINT.to_vec(), vec![])]), 1 << 16)
    }

    fn check(&mut self) {
        let number = self.dice.below(KEYS);
        let row = self.rows.get(&number).map(|row| Entry::Row(row.clone()));
        let expected: Vec<Entry> = row.into_iter().chain([Entry::SliceEnd]).collect();
        for stop in ["true", "false"] {
            self.store.set(&format!("stop_at_newest={stop}")).unwrap();
            assert_eq!(self.read(number), expected, "key {number}, stop_at_newest={stop}");
        }
    }

    /// Blocks that a read of each key asks the cache for.
    fn blocks_asked(&self, stop: bool) -> u64 {
        self.store.set(&format!("stop_at_newest={stop}")).unwrap();
        let asked =
            || number(&self.store, "caches", "block_cache", 4) + number(&self.store, "caches", "block_cache", 5);
        let before = asked();
        (0..KEYS).for_each(|number| drop(self.read(number)));
        asked() - before
    }
}

#[test]
fn answers_are_the_same_whether_a_search_stops_or_not() {
    let steps = std::env::var("CASSITERITE_STEPS").map_or(1_500, |steps| steps.parse().unwrap());
    for (seed, style) in (1..=6).zip(STYLES.iter().cycle()) {
        let mut world = World::new(u64::wrapping_mul(seed, 0x9e37_79b9_7f4a_7c15), style);
        for step in 0..steps {
            if step % 500 == 0 {
                println!("seed {seed}, {style}, step {step}");
            }
            world.step();
        }
    }
}

/// A whole row of each key.
fn write_all(world: &mut World, columns: u32, timestamp: i64) {
    for number in 0..KEYS {
        let mut out = Vec::new();
        let head = Head { liveness: Liveness::without_ttl(timestamp), ..Head::NOTHING };
        let mut writer = RowWriter::new(&head, &mut out);
        for id in 1..=columns {
            match id {
                MANY => {
                    let deletion = DeletionTime::new(timestamp - 1, 1_700_000_000);
                    writer.complex(id, &deletion, 0, |_| Ok::<(), ()>(())).unwrap();
                }
                _ => writer.simple(id, &Cell::live(timestamp, b"value")),
            }
        }
        writer.finish();
        world.table.write(&update(&key(number), &[(ROW, POINT, &out)]), 0).unwrap();
    }
}

#[test]
fn a_search_stops_at_a_whole_row_that_is_newer() {
    let mut world = World::new(1, STYLES[0]);
    write_all(&mut world, 3, 1000);
    world.table.compact().unwrap();
    write_all(&mut world, 3, 2000);
    assert_eq!(world.blocks_asked(true), 0, "of a memtable");
    assert!(world.blocks_asked(false) > 0);
    world.table.flush().unwrap();
    let (stops, all) = (world.blocks_asked(true), world.blocks_asked(false));
    assert!(stops > 0 && stops < all, "of level 0: {stops} blocks of {all}");
}

#[test]
fn a_search_goes_on_below_an_equal_timestamp_a_lacking_column_and_a_row_deletion() {
    let mut world = World::new(1, STYLES[0]);
    let goes_on = |world: &World, why: &str| assert_eq!(world.blocks_asked(true), world.blocks_asked(false), "{why}");
    write_all(&mut world, 3, 1000);
    world.table.compact().unwrap();
    write_all(&mut world, 2, 2000);
    goes_on(&world, "a column is lacking");
    write_all(&mut world, 3, 1001);
    goes_on(&world, "the deletion of the complex column has the timestamp of what is below");
    write_all(&mut world, 3, 2000);
    assert_eq!(world.blocks_asked(true), 0);
    world.table.columns(&schema(&TABLE, &[COLUMNS, &[(0, "d", "blob")]].concat())).unwrap();
    goes_on(&world, "a column was added");

    let mut world = World::new(1, STYLES[0]);
    write_all(&mut world, 3, 1000);
    let deletion = Head { deletion: DeletionTime::new(900, 1_700_000_000), ..Head::NOTHING };
    let mut out = Vec::new();
    RowWriter::new(&deletion, &mut out).finish();
    world.table.write(&update(&key(0), &[(ROW, POINT, &out)]), 0).unwrap();
    world.table.compact().unwrap();
    write_all(&mut world, 3, 2000);
    goes_on(&world, "an older deletion is part of the row");
}
