// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Doors that write what others have written: who acknowledges it, and what becomes of those that lack it.

use super::fixture::*;
use super::nodes::*;
use crate::notices::{Missed, Notice};
use crate::peer::cluster::QuorumReads;
use crate::reason::Reason;
use crate::refusal::Refusal;
use crate::rights::replicas::tests::bytes as replicas;
use crate::writing::VOID;
use std::io::Write;
use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::time::{Duration, Instant};

const WRITES: [u8; 16] = [9; 16];
const ONE: u8 = 1;
const ALL: u8 = 5;
const SMALLEST: i64 = 1000;

/// `DELETE FROM t WHERE k = ?` of a table without clustering.
fn recipe() -> Vec<u8> {
    let head = [&[2][..], &WRITES, &TABLE, &[0, 1]].concat();
    [&head[..], &[0, 1, 0, 0, 0, 0x09], &[0], &[0, 0], &[2], &[0, 0], &[0]].concat()
}

/// `DELETE FROM t WHERE k = 3`, of stream 9.
fn delete(level: u8) -> Vec<u8> {
    let body = [&[0, 16][..], &WRITES, &[0, level], &[0x21, 0, 1, 0, 0, 0, 4, 0, 0, 0, 3]].concat();
    let body = [&body[..], &SMALLEST.to_be_bytes()].concat();
    [&[4, 0, 0, 9, 10, 0, 0, 0, body.len() as u8][..], &body].concat()
}

fn open(nodes: &Nodes, at: usize, smallest: i64) {
    let layout = [&[1, 0, 1, 0, 3][..], b"int", &[0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1], b"v", &[0, 3], b"int"].concat();
    let others: Vec<[u8; 16]> = (0..NODES).filter(|other| *other != at).map(host).collect();
    let levels = [(ONE, 1), (LOCAL_QUORUM, 2), (ALL, 3)];
    let replicas = replicas(&levels, &others, &[&[0, 1]], &[(i64::MIN, i64::MAX, 0)]);
    let head = [&[2][..], &TABLE, &0u32.to_be_bytes(), &smallest.to_be_bytes(), &0u32.to_be_bytes()].concat();
    let opening = [&head[..], &(layout.len() as u32).to_be_bytes(), &layout, &replicas].concat();
    let node = &nodes.doors[at];
    assert!(node.door.open_to_writes(Arc::clone(&node.engine) as _, &opening));
    node.door.put_modification(&recipe()).unwrap();
    node.door.set_grants([(LOGIN, STATEMENT), (LOGIN, WRITES)].into());
}

fn nodes() -> Nodes {
    let nodes = Nodes::new(QuorumReads::On);
    (0..NODES).for_each(|at| open(&nodes, at, SMALLEST));
    nodes
}

fn written(nodes: &Nodes) -> Vec<usize> {
    nodes.doors.iter().map(|node| node.engine.written.lock().unwrap().len()).collect()
}

/// Whether the door acknowledges; what Cassandra gets is the whole request.
fn is_acknowledged(pair: &mut Pair, level: u8) -> bool {
    pair.client.write_all(&delete(level)).unwrap();
    reply(pair)
}

/// A peer that has refused a write is asked for none for a while.
fn await_acknowledged(pair: &mut Pair, level: u8) {
    let begin = Instant::now();
    while !is_acknowledged(pair, level) {
        assert!(begin.elapsed() < PATIENCE, "the door does not write");
    }
}

fn assert_acknowledged(pair: &mut Pair, level: u8) {
    pair.client.write_all(&delete(level)).unwrap();
    assert_eq!(read(&mut pair.client, 9 + VOID.len()), result(9, &VOID));
}

/// The next write that replicas lack.
fn missed(nodes: &Nodes) -> Missed {
    let begin = Instant::now();
    loop {
        assert!(begin.elapsed() < PATIENCE, "nobody lacks anything");
        let notices = nodes.doors[0].door.take(Duration::from_millis(10)).unwrap();
        let missed = notices.into_iter().find_map(|notice| match notice {
            Notice::Missed(missed) => Some(missed),
            _ => None,
        });
        if let Some(missed) = missed {
            return missed;
        }
    }
}

#[test]
fn all_replicas_have_what_is_acknowledged() {
    let nodes = nodes();
    let mut pair = nodes.doors[0].admitted();
    for (count, level) in [ONE, LOCAL_QUORUM, ALL].into_iter().enumerate() {
        assert_acknowledged(&mut pair, level);
        wait_until("the copies", || written(&nodes) == [count + 1; 3]);
    }
    let requests: Vec<_> = nodes.doors.iter().map(|node| node.engine.written.lock().unwrap()[0].clone()).collect();
    assert!(requests.windows(2).all(|two| two[0] == two[1]), "byte by byte");
    let counters = nodes.doors[1].door.counters();
    assert_eq!((counters.copies_written, nodes.doors[0].door.counters().copies_missed), (3, 0));
    // A write of the table there, and nobody's request.
    let served = nodes.doors[1].door.served();
    assert_eq!(served[served.len() - 4..], [0; 4]);
}

#[test]
fn a_replica_that_may_not_write_gets_a_hint_or_cassandra_the_write() {
    let nodes = nodes();
    let mut pair = nodes.doors[0].admitted();
    let refusing = &nodes.doors[2];
    let refusals: [(&dyn Fn(), Refusal); 5] = [
        (&|| refusing.door.shut(), Refusal::NodeGate),
        (&|| refusing.door.close_to_writes(&TABLE), Refusal::TableGate),
        (&|| open(&nodes, 2, SMALLEST + 1), Refusal::OldTimestamp),
        (&|| refusing.door.add_record(), Refusal::UnsafeRecords),
        (&|| refusing.engine.behaviour.store(IS_SLOW, Ordering::SeqCst), Refusal::WriteWaits),
    ];
    for (refuse, refusal) in refusals {
        open(&nodes, 2, SMALLEST);
        refusing.door.renew(LONG);
        refusing.door.records_are_safe(refusing.door.records());
        refuse();
        let before = refusing.door.counters().copies_refused[refusal as usize - 1];
        await_acknowledged(&mut pair, LOCAL_QUORUM);
        let missed = missed(&nodes);
        assert_eq!(missed.hosts, [host(2)], "{refusal:?}");
        assert_eq!((missed.table, missed.version, &missed.body[..]), (TABLE, 4, &delete(LOCAL_QUORUM)[9..]));
        assert!(!is_acknowledged(&mut pair, ALL), "{refusal:?}");
        assert_eq!(refusing.door.counters().copies_refused[refusal as usize - 1], before + 1);
    }
    assert!(nodes.passed(Reason::PeerRefused) >= 5);
}

/// F33, F7: what is down is hinted, and too few are Cassandra's to tell.
#[test]
fn replicas_that_are_down_are_hinted() {
    let nodes = nodes();
    let mut pair = nodes.doors[0].admitted();
    let others = |is_up: [bool; 2]| {
        let others = nodes
            .others(0)
            .into_iter()
            .zip(is_up)
            .map(|(member, is_up)| crate::peer::members::Member { is_up, ..member });
        let members = crate::peer::members::Members { own: host(0), others: others.collect() };
        assert!(nodes.doors[0].door.set_peers(QuorumReads::On, &crate::peer::members::tests::encode(&members)));
    };
    others([true, false]);
    // The loop hears of it in its next round.
    let begin = Instant::now();
    while nodes.doors[0].door.counters().copies_missed == 0 {
        assert!(begin.elapsed() < PATIENCE);
        is_acknowledged(&mut pair, LOCAL_QUORUM);
    }
    assert_eq!(missed(&nodes).hosts, [host(2)]);
    assert!(!is_acknowledged(&mut pair, ALL));
    others([false, false]);
    while nodes.passed(Reason::Replicas) < 2 {
        assert!(begin.elapsed() < PATIENCE);
        is_acknowledged(&mut pair, LOCAL_QUORUM);
    }
    assert_acknowledged(&mut pair, ONE);
}

/// A node that stops waits for nobody: its owner has all that replicas lack, and then hears that this was all.
#[test]
fn all_that_is_missed_is_told_before_the_end() {
    let nodes = nodes();
    let mut pair = nodes.doors[0].admitted();
    let silent = &nodes.doors[2];
    assert_acknowledged(&mut pair, ONE);
    wait_until("the copies", || written(&nodes) == [1; 3]);
    let held = silent.engine.written.lock().unwrap();
    assert_acknowledged(&mut pair, ONE);
    nodes.doors[0].door.end_copies();
    drop(held);
    let notices = nodes.doors[0].door.take(Duration::ZERO).unwrap();
    let told: Vec<_> = notices.iter().filter(|notice| !matches!(notice, Notice::Client(_))).collect();
    assert!(matches!(told[..], [.., Notice::CopiesEnded]), "{told:?}");
    let missed =
        told.iter().filter(|notice| matches!(notice, Notice::Missed(missed) if missed.hosts.contains(&host(2))));
    assert_eq!(missed.count(), 1);
    // It has written all the same: once or twice is one.
    wait_until("the copy", || written(&nodes) == [2; 3]);
}

/// One that is up and has no door is Cassandra's.
#[test]
fn without_the_door_of_a_replica_cassandra_writes() {
    let nodes = nodes();
    let mut pair = nodes.doors[0].admitted();
    nodes.doors[1].door.close();
    let begin = Instant::now();
    while nodes.passed(Reason::Replicas) == 0 {
        assert!(begin.elapsed() < PATIENCE);
        is_acknowledged(&mut pair, ONE);
    }
    assert!(!is_acknowledged(&mut pair, ONE));
}

/// F31: whoever ends a right waits for writes of others, too, and none comes behind it.
#[test]
fn nothing_is_written_for_others_behind_the_end_of_a_right() {
    let nodes = nodes();
    let mut pair = nodes.doors[0].admitted();
    for _ in 0..100 {
        open(&nodes, 1, SMALLEST);
        pair.client.write_all(&delete(ONE)).unwrap();
        nodes.doors[1].door.close_to_writes(&TABLE);
        let before = nodes.doors[1].engine.written.lock().unwrap().len();
        reply(&mut pair);
        assert_eq!(nodes.doors[1].engine.written.lock().unwrap().len(), before);
    }
}
