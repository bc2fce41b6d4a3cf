// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Random writes, shipments and merge-ins between stores, whatever their styles of compaction, against one store that
//! is told everything; and the same with writers and readers at work meanwhile.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::expect_used)]

mod common;

use cassiterite_engine::{Kind, Store, Table};
use common::shipments::*;
use common::*;
use proptest::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;

const PARTITIONS: u32 = 6;
const CLUSTERINGS: u32 = 8;
const NODES: usize = 3;
/// The node whose answers are compared.
const RECEIVER: usize = 0;
const LEVELED: &str = STYLES[0];

/// Kind, clustering, timestamp, column name, value length.
type Written = (u8, u32, i64, &'static str, usize);

#[derive(Clone, Debug)]
enum Step {
    Write(usize, u32, Vec<Written>),
    /// From a node other than the receiver: partitions from one to another, in ring order.
    Ship(usize, usize, usize),
    /// A snapshot, from a node other than the receiver.
    ShipAll(usize),
    /// The receiver ships everything on to a store that has nothing.
    Forward,
    MergeIn,
    /// What the receiver has is set aside, and copied to a store of its own.
    BeginDeparture,
    ForgetDeparted,
    EndDeparture,
    Flush(usize),
    Compact(usize),
    Reopen,
    Compare,
}

fn step() -> impl Strategy<Value = Step> {
    let entry =
        (0..14u8, 0..CLUSTERINGS, 1..60i64, 0..2usize, 1..120usize).prop_map(|(kind, at, stamp, column, size)| {
            let kind = [HEADER, STATIC, HEADER + 1].get(usize::from(kind)).copied().unwrap_or(ROW);
            (kind, at, stamp, ["v", "w"][column], size)
        });
    prop_oneof![
        10 => (0..NODES, 0..PARTITIONS, proptest::collection::vec(entry, 1..6))
            .prop_map(|(node, partition, entries)| Step::Write(node, partition, entries)),
        4 => (1..NODES, 0..PARTITIONS as usize, 0..PARTITIONS as usize).prop_map(|(node, one, other)| {
            Step::Ship(node, one.min(other), one.max(other))
        }),
        1 => (1..NODES).prop_map(Step::ShipAll),
        1 => Just(Step::Forward),
        3 => Just(Step::MergeIn),
        1 => Just(Step::BeginDeparture),
        1 => Just(Step::ForgetDeparted),
        1 => Just(Step::EndDeparture),
        2 => (0..NODES).prop_map(Step::Flush),
        2 => (0..NODES).prop_map(Step::Compact),
        1 => Just(Step::Reopen),
        3 => Just(Step::Compare),
    ]
}

/// A range tombstone, older than every row.
fn range_tombstone(from: u32, length: u32, stamp: i64) -> Vec<u8> {
    use cassiterite_codec::header::{write, Position, Range};
    let (start, end) = (bound(from, 0x20), bound(from + length, 0x60));
    let raw = |at: u32| [&[5][..], &at.to_be_bytes()].concat();
    let (raw_start, raw_end) = (raw(from), raw(from + length));
    let range = Range {
        start: Position { order: &start, raw: &raw_start },
        end: Position { order: &end, raw: &raw_end },
        deletion: cassiterite_codec::DeletionTime::new(stamp, 1_700_000_000),
    };
    let mut out = Vec::new();
    write(&cassiterite_codec::DeletionTime::LIVE, &[range], &mut out);
    out
}

struct Node {
    path: PathBuf,
    style: &'static str,
    columns: [(u8, &'static str, &'static str); 3],
    store: Arc<Store>,
    /// What it has been told, to tell the oracle when it ships.
    told: Vec<(u32, Vec<Written>)>,
}

impl Node {
    fn new(path: PathBuf, number: usize, style: &'static str) -> Node {
        let (v, w, s) = ((0, "v", "blob"), (0, "w", "blob"), (1, "s", "blob"));
        // The last node numbers its columns otherwise.
        let columns = if number == NODES - 1 { [w, s, v] } else { [v, w, s] };
        Node { store: open_with(&path, style), path, style, columns, told: Vec::new() }
    }

    fn table(&self) -> Arc<Table> {
        let table = self.store.table(&schema(&TABLE, &self.columns)).unwrap();
        table.column_ids().unwrap(); // known from now on, so that they stay
        table
    }

    fn id(&self, name: &str) -> u32 {
        self.columns.iter().position(|column| column.1 == name).unwrap() as u32 + 1
    }

    fn write(&self, number: u32, entries: &[Written]) {
        let built: Vec<(u8, Vec<u8>, Vec<u8>)> = entries
            .iter()
            .map(|&(kind, at, stamp, column, size)| match kind {
                // Before every row: compaction removes what a deletion covers, and reads before it do not.
                HEADER => (HEADER, Vec::new(), partition_deletion(-100 - stamp)),
                STATIC => (STATIC, Vec::new(), row(stamp, self.id("s"), &vec![size as u8; size])),
                ROW => (ROW, clustering(at), row(stamp, self.id(column), &vec![size as u8; size])),
                _ => (HEADER, Vec::new(), range_tombstone(at, size as u32 % 5, -stamp)),
            })
            .collect();
        let borrowed: Vec<(u8, &[u8], &[u8])> =
            built.iter().map(|(kind, at, fragment)| (*kind, at.as_slice(), fragment.as_slice())).collect();
        self.table().write(&update(&partition(&format!("p{number}")), &borrowed), 0).unwrap();
    }
}

fn token(number: u32) -> i64 {
    cassiterite_codec::key::murmur3_token(format!("p{number}").as_bytes())
}

fn run(styles: [&'static str; NODES], steps: Vec<Step>) {
    let mut tokens: Vec<i64> = (0..PARTITIONS).map(token).collect();
    tokens.sort_unstable();
    let folder = tempfile::tempdir().unwrap();
    let node = |(number, style)| Node::new(folder.path().join(format!("{number}")), number, style);
    let mut nodes: Vec<Node> = styles.into_iter().enumerate().map(node).collect();
    let oracle = Node::new(folder.path().join("oracle"), 0, LEVELED);
    let names: Vec<String> = (0..PARTITIONS).map(|number| format!("p{number}")).collect();
    let departed = Node::new(folder.path().join("departed"), 0, LEVELED);
    let compare = |nodes: &[Node], forward: bool| {
        if whole(&departed.table()).is_empty() {
            assert_same(&nodes[RECEIVER].table(), &oracle.table(), &names, CLUSTERINGS);
            if !forward {
                return;
            }
        }
        let scratch = Node::new(folder.path().join("scratch"), 0, nodes[RECEIVER].style);
        for one in [&departed, &nodes[RECEIVER]] {
            let shipment = folder.path().join("forwarded");
            one.table().export(&ranges(&[EVERYWHERE]), &shipment).unwrap();
            scratch.table().receive(&shipment).unwrap();
        }
        assert_same(&scratch.table(), &oracle.table(), &names, CLUSTERINGS);
        scratch.store.close().unwrap();
        std::fs::remove_dir_all(&scratch.path).unwrap();
    };
    for step in steps {
        match step {
            Step::Write(node, number, entries) => {
                nodes[node].write(number, &entries);
                if node == RECEIVER {
                    oracle.write(number, &entries);
                }
                nodes[node].told.push((number, entries));
            }
            Step::Ship(from, first, last) => {
                let owned = (tokens[first] - 1, tokens[last]);
                let shipment = folder.path().join("shipment");
                nodes[from].table().export(&ranges(&[owned]), &shipment).unwrap();
                nodes[RECEIVER].table().receive(&shipment).unwrap();
                let shipped = |number: u32| token(number) > owned.0 && token(number) <= owned.1;
                let told = nodes[from].told.iter().filter(|(number, _)| shipped(*number));
                told.for_each(|(number, entries)| oracle.write(*number, entries));
            }
            Step::ShipAll(from) => {
                let shipment = ship(&nodes[from].table(), folder.path());
                nodes[RECEIVER].table().receive(&shipment).unwrap();
                nodes[from].told.iter().for_each(|(number, entries)| oracle.write(*number, entries));
            }
            Step::Forward => compare(&nodes, true),
            Step::MergeIn => match nodes[RECEIVER].table().merge_in() {
                Err(error) if error.kind() == Kind::Busy => {} // it departs
                merged => drop(merged.unwrap()),
            },
            Step::BeginDeparture => {
                nodes[RECEIVER].table().begin_departure(0).unwrap();
                let shipment = folder.path().join("departing");
                nodes[RECEIVER].table().export(&ranges(&[EVERYWHERE]), &shipment).unwrap();
                departed.table().receive(&shipment).unwrap();
            }
            Step::ForgetDeparted => nodes[RECEIVER].table().forget_departed().unwrap(),
            Step::EndDeparture => nodes[RECEIVER].table().end_departure().unwrap(),
            Step::Flush(node) => nodes[node].table().flush().unwrap(),
            Step::Compact(node) => nodes[node].table().compact().unwrap(),
            Step::Reopen => {
                nodes[RECEIVER].store.close().unwrap();
                nodes[RECEIVER].store = open_with(&nodes[RECEIVER].path, nodes[RECEIVER].style);
            }
            Step::Compare => compare(&nodes, false),
        }
    }
    compare(&nodes, false);
    nodes[RECEIVER].table().end_departure().unwrap();
    merge_in_all(&nodes[RECEIVER].table());
    compare(&nodes, false);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, max_shrink_iters: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn answers_equal_those_of_one_store(
        styles in proptest::array::uniform3(proptest::sample::select(&STYLES[..])),
        steps in proptest::collection::vec(step(), 1..50),
    ) {
        run(styles, steps);
    }
}

/// The timestamp of the first cell's row.
fn stamp(fragment: &[u8]) -> i64 {
    i64::from_le_bytes(fragment[2..10].try_into().unwrap())
}

#[test]
fn no_acknowledged_write_is_ever_unseen_while_files_come_and_go() {
    const ROUNDS: i64 = 6;
    let folder = tempfile::tempdir().unwrap();
    let nodes: Vec<Node> =
        (0..2).map(|number| Node::new(folder.path().join(format!("{number}")), number, LEVELED)).collect();
    let oracle = Node::new(folder.path().join("oracle"), 0, LEVELED);
    let (receiver, sender, wanted) = (nodes[0].table(), nodes[1].table(), oracle.table());
    let done = AtomicBool::new(false);
    let acknowledged = AtomicU64::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for stamp in 1.. {
                if done.load(Ordering::Acquire) {
                    break;
                }
                let name = format!("p{}", stamp % i64::from(PARTITIONS));
                for table in [&receiver, &wanted] {
                    put(table, &name, 1, 1000 + stamp, b"concurrent");
                }
                if stamp % i64::from(PARTITIONS) == 0 {
                    acknowledged.store(1000 + stamp as u64, Ordering::Release);
                }
            }
        });
        for flags in [POINTS, 0, REVERSED] {
            let (receiver, done, acknowledged) = (&receiver, &done, &acknowledged);
            scope.spawn(move || {
                let selection = if flags == POINTS { vec![point(1)] } else { everything() };
                while !done.load(Ordering::Acquire) {
                    let known = acknowledged.load(Ordering::Acquire) as i64;
                    let found = read_all(receiver, &read_request(flags, 0, &partition("p0"), &selection), 400);
                    let stamps: Vec<i64> = found
                        .iter()
                        .filter_map(|entry| match entry {
                            Entry::Row(fragment) => Some(stamp(fragment)),
                            _ => None,
                        })
                        .collect();
                    assert!(known == 0 || stamps.iter().any(|stamp| *stamp >= known), "{known} {stamps:?}");
                }
            });
        }
        for round in 0..ROUNDS {
            for number in 0..PARTITIONS {
                for at in 0..CLUSTERINGS {
                    let fragment = row(round * 10 + i64::from(at), 1 + (round % 2) as u32, &[round as u8; 500]);
                    let request = update(&partition(&format!("p{number}")), &[(ROW, &clustering(at), &fragment)]);
                    sender.write(&request, 0).unwrap();
                    wanted.write(&request, 0).unwrap();
                }
            }
            sender.compact().unwrap();
            receiver.receive(&ship(&sender, folder.path())).unwrap();
            receiver.begin_departure(0).unwrap();
            receiver.end_departure().unwrap();
            for _ in 0..round {
                receiver.merge_in().unwrap();
                receiver.flush().unwrap();
            }
        }
        merge_in_all(&receiver);
        done.store(true, Ordering::Release);
    });
    let names: Vec<String> = (0..PARTITIONS).map(|number| format!("p{number}")).collect();
    assert_same(&receiver, &wanted, &names, CLUSTERINGS);
}
