// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Doors that ask each other: when one answers, and that it waits for nobody in vain.

use super::fixture::*;
use crate::door::Door;
use crate::peer::cluster::QuorumReads;
use crate::peer::members::{tests::encode, Member, Members};
use crate::reason::Reason;
use crate::rights::open_table::tests::spec;
use crate::rights::replicas::tests::bytes as replicas;
use std::io::{ErrorKind, Read};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::time::Instant;

const LOCAL_QUORUM: u8 = 6;
const NODES: usize = 3;

/// Nodes with the same table, of which each has all rows.
struct Nodes {
    doors: Vec<Fixture>,
    peers: Vec<SocketAddr>,
}

impl Nodes {
    fn new(mode: QuorumReads) -> Nodes {
        let doors: Vec<Fixture> = (0..NODES).map(|_| Fixture::new(HAS_NOTHING)).collect();
        let listen = |fixture: &Fixture| fixture.door.listen_for_peers("127.0.0.1:0".parse().unwrap()).unwrap().1;
        let peers = doors.iter().map(listen).collect();
        let nodes = Nodes { doors, peers };
        for at in 0..NODES {
            nodes.serve(at);
            nodes.meet(at, mode, |_| true);
        }
        nodes.wait_for_all();
        nodes
    }

    fn wait_for_all(&self) {
        for fixture in &self.doors {
            wait_until("the connections", || fixture.door.counters().peers_connected == NODES as u64 - 1);
        }
    }

    /// Gives the rights for reads of several replicas.
    fn serve(&self, at: usize) {
        self.doors[at].serve();
        let layout = [&[1, 0, 1, 0, 3][..], b"int", &[0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1], b"v", &[0, 3], b"int"].concat();
        let others: Vec<[u8; 16]> = (0..NODES).filter(|other| *other != at).map(host).collect();
        let replicas = replicas(&[(LOCAL_QUORUM, 2), (5, 3)], &others, &[&[0, 1]], &[(i64::MIN, i64::MAX, 0)]);
        let mut opening = spec(TABLE, 1 << 1, &[(i64::MIN, i64::MAX)]);
        opening[0] = 2;
        opening.extend([&10u32.to_be_bytes()[..], &(layout.len() as u32).to_be_bytes(), &layout, &replicas].concat());
        assert!(self.doors[at].door.open_table(Arc::clone(&self.doors[at].engine) as _, &opening));
    }

    /// Tells a door of the others.
    fn meet(&self, at: usize, mode: QuorumReads, is_up: impl Fn(usize) -> bool) {
        let member = |other: usize| Member {
            host: host(other),
            fingerprint: self.doors[other].door.fingerprint(),
            is_up: is_up(other),
            port: self.peers[other].port(),
            addresses: vec![self.peers[other].ip()],
        };
        let others = (0..NODES).filter(|other| *other != at).map(member).collect();
        assert!(self.doors[at].door.set_peers(mode, &encode(&Members { own: host(at), others })));
    }

    fn passed(&self, reason: Reason) -> u64 {
        self.doors[0].passed(reason)
    }
}

fn host(at: usize) -> [u8; 16] {
    [at as u8 + 1; 16]
}

fn at_level(level: u8, stream: u8) -> Vec<u8> {
    let mut request = execute(stream);
    request[9 + 2 + 16 + 1] = level;
    request
}

/// Repeats a request until the door answers it: a peer that is late on a busy machine is no fault.
fn answered(pair: &mut Pair, request: &[u8]) {
    let begin = Instant::now();
    while !exchange(pair, request) {
        assert!(begin.elapsed() < PATIENCE, "the door does not answer");
    }
}

/// Cassandra gets the unchanged request.
fn passed(pair: &mut Pair, request: &[u8], stream: u8) {
    std::io::Write::write_all(&mut pair.client, request).unwrap();
    assert_eq!(read(&mut pair.cassandra, request.len()), request);
    let answer = result(stream, b"by Cassandra");
    std::io::Write::write_all(&mut pair.cassandra, &answer).unwrap();
    assert_eq!(read(&mut pair.client, answer.len()), answer);
}

#[test]
fn a_read_is_answered_where_the_replicas_agree() {
    let nodes = Nodes::new(QuorumReads::On);
    let mut pair = nodes.doors[0].admitted();
    let asked = || nodes.doors[1].door.counters().digests_given + nodes.doors[2].door.counters().digests_given;
    let late = || nodes.passed(Reason::PeerLate);
    for _ in 1..100 {
        answered(&mut pair, &at_level(LOCAL_QUORUM, 9));
    }
    assert!(asked() >= 99 && (late() > 0 || asked() == 99), "one other of three");
    let before = asked();
    answered(&mut pair, &at_level(5, 9));
    assert!(asked() >= before + 2, "both others");
    let before = (asked(), late());
    answered(&mut pair, &execute(9));
    assert!(before.1 > 0 || asked() == before.0, "nobody");
    passed(&mut pair, &at_level(4, 102), 102);
    assert_eq!(nodes.passed(Reason::Consistency), 1);
}

/// What the others have to read from files comes later.
#[test]
fn a_replica_may_need_its_device() {
    let nodes = Nodes::new(QuorumReads::On);
    let mut pair = nodes.doors[0].admitted();
    let request = at_level(LOCAL_QUORUM, 1);
    nodes.doors[1..].iter().for_each(|other| {
        other.engine.behaviour.store(IS_SLOW, Ordering::SeqCst);
        // The first one that asks need not wait.
        other.release.send(()).unwrap();
    });
    std::io::Write::write_all(&mut pair.client, &request).unwrap();
    // Within 50 ms, or Cassandra answers.
    wait_until("an end", || {
        nodes.doors[0].door.counters().answered + nodes.passed(Reason::PeerLate) + nodes.passed(Reason::PeerRefused) > 0
    });
}

/// None of them costs a client more than a while.
#[test]
fn without_the_others_cassandra_answers() {
    let nodes = Nodes::new(QuorumReads::On);
    let mut pair = nodes.doors[0].admitted();
    nodes.doors[1..].iter().for_each(|other| other.door.shut());
    assert_eventually(&nodes, &mut pair, Reason::PeerRefused);
    nodes.doors[1..].iter().for_each(|other| other.door.renew(LONG));
    nodes.doors[1..].iter().for_each(|other| other.door.close_table(&TABLE));
    assert_eventually(&nodes, &mut pair, Reason::PeerRefused);
    (1..NODES).for_each(|at| nodes.serve(at));

    nodes.doors[1..].iter().for_each(|other| other.engine.behaviour.store(IS_SLOW, Ordering::SeqCst));
    assert_eventually(&nodes, &mut pair, Reason::PeerLate);
    nodes.doors[1..].iter().for_each(|other| {
        other.engine.behaviour.store(HAS_NOTHING, Ordering::SeqCst);
        // However many reads have begun.
        (0..64).for_each(|_| other.release.send(()).unwrap());
    });

    nodes.meet(0, QuorumReads::On, |_| false);
    // The loop hears of it in its next round.
    assert_eventually(&nodes, &mut pair, Reason::Replicas);
    nodes.meet(0, QuorumReads::On, |_| true);
    answered(&mut pair, &at_level(LOCAL_QUORUM, 9));

    nodes.doors[1..].iter().for_each(|other| other.door.close());
    assert_eventually(&nodes, &mut pair, Reason::Replicas);
}

/// A replica that gives no digest is one of three: the third one is asked.
#[test]
fn another_replica_is_asked_in_place_of_one_that_refuses() {
    let nodes = Nodes::new(QuorumReads::On);
    let mut pair = nodes.doors[0].admitted();
    nodes.doors[1].door.shut();
    for _ in 0..50 {
        answered(&mut pair, &at_level(LOCAL_QUORUM, 9));
    }
    assert!(nodes.doors[1].door.counters().digests_refused.iter().sum::<u64>() > 0, "the first one was asked");
    assert!(nodes.doors[2].door.counters().digests_given >= 50);
    assert_eq!(nodes.passed(Reason::PeerRefused), 0);
    // Where all are needed, there is no other.
    assert_at_level(&nodes, &mut pair, 5, Reason::PeerRefused);
}

#[test]
fn another_replica_is_asked_in_place_of_one_that_is_lost() {
    let nodes = Nodes::new(QuorumReads::On);
    let mut pair = nodes.doors[0].admitted();
    let begin = Instant::now();
    loop {
        assert!(begin.elapsed() < PATIENCE, "no read is in time");
        let (first, given) = (&nodes.doors[1], nodes.doors[2].door.counters().digests_given);
        first.engine.behaviour.store(IS_SLOW, Ordering::SeqCst);
        std::io::Write::write_all(&mut pair.client, &at_level(LOCAL_QUORUM, 9)).unwrap();
        let has_begun = first.begun.recv_timeout(std::time::Duration::from_millis(20)).is_ok();
        // It serves nobody any more.
        assert!(first.door.set_peers(QuorumReads::On, &encode(&Members { own: host(1), others: Vec::new() })));
        let is_native = reply(&mut pair);
        first.engine.behaviour.store(HAS_NOTHING, Ordering::SeqCst);
        first.release.send(()).unwrap();
        assert_eq!(nodes.passed(Reason::PeerLost), 0);
        if has_begun && is_native && nodes.doors[2].door.counters().digests_given > given {
            return;
        }
        // On a busy machine all of this takes longer than anybody waits for an answer.
        nodes.meet(1, QuorumReads::On, |_| true);
        nodes.wait_for_all();
    }
}

/// One request of stream 9; whether the door answers it.
fn exchange(pair: &mut Pair, request: &[u8]) -> bool {
    std::io::Write::write_all(&mut pair.client, request).unwrap();
    reply(pair)
}

/// Whether the answer is the door's.
fn reply(pair: &mut Pair) -> bool {
    pair.cassandra.set_nonblocking(true).unwrap();
    pair.client.set_nonblocking(true).unwrap();
    let mut bytes = vec![0; 1 << 10];
    let is_native = loop {
        match pair.client.read(&mut bytes) {
            Ok(_) => break true,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => panic!("{error}"),
        }
        match pair.cassandra.read(&mut bytes) {
            Ok(_) => break false,
            Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::yield_now(),
            Err(error) => panic!("{error}"),
        }
    };
    pair.cassandra.set_nonblocking(false).unwrap();
    pair.client.set_nonblocking(false).unwrap();
    if !is_native {
        let answer = result(9, b"by Cassandra");
        std::io::Write::write_all(&mut pair.cassandra, &answer).unwrap();
        assert_eq!(read(&mut pair.client, answer.len()), answer);
    }
    is_native
}

fn assert_eventually(nodes: &Nodes, pair: &mut Pair, reason: Reason) {
    assert_at_level(nodes, pair, LOCAL_QUORUM, reason);
}

fn assert_at_level(nodes: &Nodes, pair: &mut Pair, level: u8, reason: Reason) {
    let before = nodes.passed(reason);
    let begin = Instant::now();
    while nodes.passed(reason) == before {
        assert!(begin.elapsed() < PATIENCE, "{reason:?}");
        exchange(pair, &at_level(level, 9));
    }
}

#[test]
fn what_is_only_compared_is_cassandras() {
    let nodes = Nodes::new(QuorumReads::Compare);
    let mut pair = nodes.doors[0].admitted();
    assert_eventually(&nodes, &mut pair, Reason::Compared);
    assert_eq!(nodes.doors[0].door.counters().answered, 0);
    for at in 0..NODES {
        nodes.meet(at, QuorumReads::Off, |_| true);
    }
    assert_eventually(&nodes, &mut pair, Reason::Replicas);
}

/// F13: nobody is served but who has the key that gossip has, at the address that it has.
#[test]
fn strangers_are_not_served() {
    let nodes = Nodes::new(QuorumReads::On);
    let stranger = Fixture::new(HAS_NOTHING);
    let known: Vec<Member> = (1..NODES)
        .map(|other| Member {
            host: host(other),
            fingerprint: nodes.doors[other].door.fingerprint(),
            is_up: true,
            port: nodes.peers[other].port(),
            addresses: vec![nodes.peers[other].ip()],
        })
        .collect();
    // It says that it is the first one, and has not that one's key.
    assert!(stranger.door.set_peers(QuorumReads::On, &encode(&Members { own: host(0), others: known })));
    wait_until("the refusals", || refused(&nodes.doors[1].door) > 0 && refused(&nodes.doors[2].door) > 0);
    assert_eq!(stranger.door.counters().peers_connected, 0);

    // No TLS at all.
    let before = refused(&nodes.doors[1].door);
    let mut plain = TcpStream::connect(nodes.peers[1]).unwrap();
    std::io::Write::write_all(&mut plain, b"GET / HTTP/1.1\r\n\r\n").unwrap();
    plain.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut rest = Vec::new();
    let _ = plain.read_to_end(&mut rest);
    wait_until("the refusal", || refused(&nodes.doors[1].door) > before);

    // Nobody's address.
    nodes.doors[1].door.set_peers(QuorumReads::On, &encode(&Members::default())).then_some(()).unwrap();
    let before = refused(&nodes.doors[1].door);
    let mut other = TcpStream::connect(nodes.peers[1]).unwrap();
    other.set_read_timeout(Some(PATIENCE)).unwrap();
    assert!(!matches!(other.read(&mut [0]), Ok(1..)));
    wait_until("the refusal", || refused(&nodes.doors[1].door) > before);
}

fn refused(door: &Door) -> u64 {
    door.counters().peers_refused
}

/// F13: a node that has started anew has another key; whoever has the old one is not asked any more.
#[test]
fn a_key_that_gossip_has_no_more_opens_nothing() {
    let nodes = Nodes::new(QuorumReads::On);
    let others = vec![Member {
        host: host(1),
        fingerprint: [7; 32],
        is_up: true,
        port: nodes.peers[1].port(),
        addresses: vec![nodes.peers[1].ip()],
    }];
    assert!(nodes.doors[0].door.set_peers(QuorumReads::On, &encode(&Members { own: host(0), others })));
    let door = &nodes.doors[0].door;
    wait_until("the tries", || door.counters().peers_unreachable > 0 && door.counters().peers_connected == 0);
    let mut pair = nodes.doors[0].admitted();
    assert_eventually(&nodes, &mut pair, Reason::Replicas);
}
