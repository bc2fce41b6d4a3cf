// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

#![allow(clippy::expect_used)]

use super::block::Block;
use super::row::{join, split, Order, Row};
use super::{pack, unpack};
use cassiterite_codec::key::put_entry;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

const TRAILER: [u8; 8] = [1, 0, 0, 0, 0, 0, 0, 0];
const RESTART_INTERVAL: usize = 16;

/// The block of these entries, as RocksDB makes it.
fn block(mut entries: Vec<(Vec<u8>, Vec<u8>)>, restart_interval: usize, flags: u32) -> Vec<u8> {
    entries.sort();
    let entries = entries.iter().map(|(key, entry)| ([&key[..], &TRAILER].concat(), &entry[..])).collect();
    Block { entries, restart_interval, flags }.build(0)
}

fn key(value: &[u8], partition: &[u8], rest: &[u8]) -> Vec<u8> {
    join(&[b"A", value, b"1"].concat(), Row { partition, rest }, Order::Little)
}

fn partition() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        (0u32..1_000_000).prop_map(|number| number.to_be_bytes().to_vec()),
        any::<u64>().prop_map(|number| number.to_be_bytes().to_vec()),
        (0u32..9999).prop_map(|number| format!("customer-{number:06}").into_bytes()),
        vec(any::<u8>(), 0..24),
        vec(any::<u8>(), 250..300),
    ]
}

fn entry() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![Just(vec![0x32, 7, 7]), any::<[u8; 9]>().prop_map(Vec::from), vec(any::<u8>(), 0..40)]
}

proptest! {
    #[test]
    fn what_is_packed_comes_back(
        rows in btree_map((vec(any::<u8>(), 0..3), partition(), prop_oneof![Just(vec![]), vec(any::<u8>(), 0..9)]), entry(), 1..120),
        alike in any::<bool>(),
        restart_interval in 1usize..20,
        uniform in any::<bool>(),
    ) {
        let entry_of = |entry: Vec<u8>| if alike { vec![0x32, 1] } else { entry };
        let entries = rows.into_iter().map(|((value, partition, rest), entry)| (key(&value, &partition, &rest), entry_of(entry)));
        let block = block(entries.collect(), restart_interval, if uniform { 2 } else { 0 });
        let packed = pack(&block).expect("it is a block of an index");
        let unpacked = unpack(&packed, block.len());
        prop_assert_eq!(unpacked.as_ref(), Some(&block));
        prop_assert!(unpack(&packed, block.len() + 1).is_none());
    }

    #[test]
    fn what_is_no_block_of_an_index_is_left_alone(bytes in vec(any::<u8>(), 0..200)) {
        if let Some(packed) = pack(&bytes) {
            prop_assert_eq!(unpack(&packed, bytes.len()), Some(bytes));
        }
    }

    /// RocksDB has compared checksums before; what is damaged all the same must end in an error.
    #[test]
    fn damaged_bytes_are_no_panic(at in any::<prop::sample::Index>(), bit in 0u8..8, cut in any::<prop::sample::Index>()) {
        let mut packed = pack(&of_one_value(60, |row| row.to_be_bytes().to_vec())).expect("packed");
        let whole = packed.len();
        packed[at.index(whole)] ^= 1 << bit;
        unpack(&packed, 4096);
        packed.truncate(cut.index(whole));
        prop_assert!(unpack(&packed, 4096).is_none());
    }
}

fn of_one_value(rows: u32, partition: impl Fn(u32) -> Vec<u8>) -> Vec<u8> {
    let entries = (0..rows)
        .map(|row| (key(b"red", &partition(row.wrapping_mul(2_654_435_761) % 1_000_000), &[]), vec![0x32, 9, 9]));
    block(entries.collect(), RESTART_INTERVAL, 0)
}

#[test]
fn a_gap_of_ten_thousand_takes_two_bytes() {
    let block = of_one_value(100, |row| row.to_be_bytes().to_vec());
    let packed = pack(&block).expect("packed");
    assert!(packed.len() < 240 && block.len() > 1_500, "{} of {} bytes", packed.len(), block.len());
}

#[test]
fn keys_of_every_length_are_split_and_joined() {
    for length in [0, 1, 7, 8, 9, 127, 128, 250, 251, 300, 70_000] {
        let partition = vec![7; length];
        let row = Row { partition: &partition, rest: b"@rest" };
        let joined = join(b"value", row, Order::Little);
        assert!(split(&joined).is_some_and(|(value, found)| value == b"value" && found == row), "{length}");
    }
}

/// As indexes make them, which the other tests do not.
#[test]
fn keys_of_long_rows_are_packed() {
    for length in [1, 250, 300, 70_000] {
        let row = joined_row(&vec![7; length]);
        let mut made = Vec::new();
        put_entry(b"Ared", &row, &mut made);
        let block = block(vec![(made, vec![0x32, 1])], RESTART_INTERVAL, 0);
        let packed = pack(&block);
        assert_eq!(packed.and_then(|packed| unpack(&packed, block.len())), Some(block), "{length}");
    }
}

fn joined_row(partition: &[u8]) -> Vec<u8> {
    let mut row = join(b"", Row { partition, rest: b"@rest" }, Order::Little);
    let length_bytes = if row.last() == Some(&0xFF) { 5 } else { 1 };
    row.truncate(row.len() - length_bytes);
    row
}

#[test]
fn keys_that_do_not_follow_their_partitions_are_not_packed() {
    let mut other_token = key(b"red", b"key", &[]);
    other_token[5] ^= 1;
    for wrong in [other_token, b"no key of an index".to_vec(), Vec::new()] {
        assert!(pack(&block(vec![(wrong, vec![1])], RESTART_INTERVAL, 0)).is_none());
    }
}

/// What packed version 1 kept no long rows but those whose length reads the same both ways.
#[test]
fn long_rows_of_version_1_are_read() {
    let partition = [7; 65_000];
    let rest = vec![8; 0x01_01_00 - 4 - 3 - partition.len()];
    let block = block(vec![(key(b"red", &partition, &rest), vec![1])], RESTART_INTERVAL, 0);
    let mut packed = pack(&block).expect("packed");
    assert_eq!(std::mem::replace(&mut packed[0], 1), 2, "a reader of version 1 refuses what it would read otherwise");
    assert_eq!(unpack(&packed, block.len()), Some(block));
}

#[test]
fn the_format_of_long_rows_is_that_of_the_golden_file() {
    let rows = [("blue", "k1".to_owned()), ("red", "long".repeat(70))];
    let entries = rows.map(|(value, partition)| (key(value.as_bytes(), partition.as_bytes(), b"@c"), vec![0x32, 1]));
    let block = block(entries.to_vec(), RESTART_INTERVAL, 0);
    let golden = include_bytes!("golden/packed-2.bin");
    assert_eq!(pack(&block).as_deref(), Some(&golden[..]), "the format has changed: it needs a new version");
    assert_eq!(unpack(golden, block.len()), Some(block));
}

#[test]
fn the_format_is_that_of_the_golden_file() {
    let entries =
        [("blue", "k1", ""), ("blue", "k22", "@c"), ("red", "a-longer-key-1", ""), ("red", "a-longer-key-2", "")];
    let entries = entries.map(|(value, partition, rest)| {
        (key(value.as_bytes(), partition.as_bytes(), rest.as_bytes()), vec![0x32, partition.len() as u8])
    });
    let block = block(entries.to_vec(), RESTART_INTERVAL, 0);
    let golden = include_bytes!("golden/packed-1.bin");
    assert_eq!(pack(&block).as_deref(), Some(&golden[..]), "the format has changed: it needs a new version");
    assert_eq!(unpack(golden, block.len()), Some(block));
}
