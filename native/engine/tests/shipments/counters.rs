// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Counters that are received add up to what they would be had every update been written here, however often they are
//! received.

use crate::common::shipments::merge_in_all;
use crate::common::*;
use crate::received::{Dice, World};
use crate::tokens::*;
use cassiterite_engine::{Store, Table};
use std::sync::Arc;

const REPLICAS: u64 = 3;
const COUNTER: u8 = 0x10;
const SAME_TIMESTAMP: u8 = 0x04;
const BASE: u8 = 0x20;

fn counters(store: &Store) -> Arc<Table> {
    store.table(&schema(&TABLE, &[(0, "n", "counter"), (1, "s", "counter")])).unwrap()
}

/// A row or static with one counter, in which one replica has counted so far.
fn count(replica: u64, clock: u64, column: u32) -> Vec<u8> {
    let timestamp = (clock * REPLICAS + replica) as i64;
    let mut out = vec![1, BASE];
    out.extend_from_slice(&timestamp.to_le_bytes());
    uvarint(u64::from(column), &mut out);
    out.push(SAME_TIMESTAMP | COUNTER);
    let mut context = vec![0, 1, 0x80, 0]; // one mark: the shard 0 is global
    context.extend_from_slice(&u128::from(replica).to_be_bytes());
    context.extend_from_slice(&clock.to_be_bytes());
    context.extend_from_slice(&(clock * 7 + replica).to_be_bytes());
    uvarint(context.len() as u64, &mut out);
    out.extend_from_slice(&context);
    out
}

/// Counts in all of the tables at random.
fn scatter(tables: &[&Arc<Table>], dice: &mut Dice, updates: u64) {
    for _ in 0..updates {
        let name = partition(&format!("p{}", dice.below(300)));
        let (replica, clock, at) = (dice.below(REPLICAS), dice.below(1000), clustering(dice.below(4) as u32));
        let request = match dice.below(5) {
            0 => update(&name, &[(STATIC, b"", &count(replica, clock, 2))]),
            _ => update(&name, &[(ROW, &at, &count(replica, clock, 1))]),
        };
        tables.iter().for_each(|table| table.write(&request, 0).unwrap());
    }
}

/// Brings what a table has to different places: last level, level 0, memtable.
fn spread(tables: &[&Arc<Table>], dice: &mut Dice, updates: u64) {
    scatter(tables, dice, updates);
    tables.iter().for_each(|table| table.compact().unwrap());
    scatter(tables, dice, updates / 4);
    tables.iter().for_each(|table| table.flush().unwrap());
    scatter(tables, dice, updates / 4);
}

#[test]
fn counters_add_up_however_often_they_are_received() {
    for seed in 0..3 {
        let mut dice = Dice(seed * 31 + 7);
        let mut world = World::new();
        let (sender, receiver, oracle) = (world.store("sender"), world.store("receiver"), world.store("oracle"));
        let (from, to, expected) = (counters(&sender), counters(&receiver), counters(&oracle));
        spread(&[&from, &expected], &mut dice, 4000);
        if seed > 0 {
            spread(&[&to, &expected], &mut dice, 2000);
        }
        // a part, as of a session that was cut short, then all, and all once more
        for wanted in [&ring(9)[..4], &[ALL], &[ALL]] {
            let (shipment, lines) = world.ship(&from, wanted);
            assert!(lines.iter().any(|line| line.kind == "whole"), "{lines:?}");
            assert!(lines.iter().any(|line| line.kind == "rows"), "{lines:?}");
            to.receive(&shipment).unwrap();
            scatter(&[&to, &expected], &mut dice, 100);
        }
        assert!(visible(&to) == visible(&expected), "seed {seed}: received");
        merge_in_all(&to);
        assert!(visible(&to) == visible(&expected), "seed {seed}: merged in");
        to.compact().unwrap();
        assert!(visible(&to) == visible(&expected), "seed {seed}: compacted");
    }
}
