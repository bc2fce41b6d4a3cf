// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Doors of three replicas, and clients that ask at levels of several of them.

use super::fixture::*;
use crate::parting::Parting;
use crate::peer::cluster::QuorumReads;
use crate::peer::members::{tests::encode, Member, Members};
use crate::reason::Reason;
use crate::rights::open_table::tests::spec;
use crate::rights::replicas::tests::bytes as replicas;
use std::io::{ErrorKind, Read};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

pub(super) const LOCAL_QUORUM: u8 = 6;
pub(super) const NODES: usize = 3;

/// Nodes with the same table, of which each has all rows.
pub(super) struct Nodes {
    pub(super) doors: Vec<Fixture>,
    pub(super) peers: Vec<SocketAddr>,
}

impl Nodes {
    pub(super) fn new(mode: QuorumReads) -> Nodes {
        let doors: Vec<Fixture> = (0..NODES).map(|_| Fixture::new(HAS_NOTHING)).collect();
        let listen = |fixture: &Fixture| fixture.door.listen_for_peers("127.0.0.1:0".parse().unwrap()).unwrap().1;
        let peers = doors.iter().map(listen).collect();
        let nodes = Nodes { doors, peers };
        for at in 0..NODES {
            nodes.serve(at);
            nodes.meet(at, mode, true);
        }
        nodes.wait_for_all();
        nodes
    }

    pub(super) fn wait_for_all(&self) {
        for fixture in &self.doors {
            wait_until("the connections", || fixture.door.counters().peers_connected == NODES as u64 - 1);
        }
    }

    /// Gives the rights for reads of several replicas.
    pub(super) fn serve(&self, at: usize) {
        self.doors[at].serve();
        self.open(at, TABLE, LOCAL_QUORUM);
    }

    /// Opens a table, of which others have the same rows at a level.
    pub(super) fn open(&self, at: usize, table: [u8; 16], level: u8) {
        let layout = [&[1, 0, 1, 0, 3][..], b"int", &[0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1], b"v", &[0, 3], b"int"].concat();
        let others: Vec<[u8; 16]> = (0..NODES).filter(|other| *other != at).map(host).collect();
        let replicas = replicas(&[(level, 2), (5, 3)], &others, &[&[0, 1]], &[(i64::MIN, i64::MAX, 0)]);
        let mut opening = spec(table, 1 << 1, &[(i64::MIN, i64::MAX)]);
        opening[0] = 2;
        opening.extend([&10u32.to_be_bytes()[..], &(layout.len() as u32).to_be_bytes(), &layout, &replicas].concat());
        assert!(self.doors[at].door.open_table(Arc::clone(&self.doors[at].engine) as _, &opening));
    }

    /// Tells a door of the others.
    pub(super) fn meet(&self, at: usize, mode: QuorumReads, is_up: bool) {
        let others = self.others(at).into_iter().map(|member| Member { is_up, ..member }).collect();
        assert!(self.doors[at].door.set_peers(mode, &encode(&Members { own: host(at), others })));
    }

    /// The members but for one, all up.
    pub(super) fn others(&self, at: usize) -> Vec<Member> {
        let member = |other: usize| Member {
            host: host(other),
            fingerprint: self.doors[other].door.fingerprint(),
            is_up: true,
            port: self.peers[other].port(),
            addresses: vec![self.peers[other].ip()],
        };
        (0..NODES).filter(|other| *other != at).map(member).collect()
    }

    /// Connections that a node has refused or ended for a reason.
    pub(super) fn refused(&self, at: usize, parting: Parting) -> u64 {
        self.doors[at].door.counters().peers_refused[parting as usize]
    }

    pub(super) fn passed(&self, reason: Reason) -> u64 {
        self.doors[0].passed(reason)
    }
}

pub(super) fn host(at: usize) -> [u8; 16] {
    [at as u8 + 1; 16]
}

pub(super) fn at_level(level: u8, stream: u8) -> Vec<u8> {
    let mut request = execute(stream);
    request[9 + 2 + 16 + 1] = level;
    request
}

/// Repeats a request until the door answers it: a peer that is late on a busy machine is no fault.
pub(super) fn answered(pair: &mut Pair, request: &[u8]) {
    let begin = Instant::now();
    while !exchange(pair, request) {
        assert!(begin.elapsed() < PATIENCE, "the door does not answer");
    }
}

/// Cassandra gets the unchanged request.
pub(super) fn passed(pair: &mut Pair, request: &[u8], stream: u8) {
    std::io::Write::write_all(&mut pair.client, request).unwrap();
    assert_eq!(read(&mut pair.cassandra, request.len()), request);
    let answer = result(stream, b"by Cassandra");
    std::io::Write::write_all(&mut pair.cassandra, &answer).unwrap();
    assert_eq!(read(&mut pair.client, answer.len()), answer);
}

/// One request of stream 9; whether the door answers it.
pub(super) fn exchange(pair: &mut Pair, request: &[u8]) -> bool {
    std::io::Write::write_all(&mut pair.client, request).unwrap();
    reply(pair)
}

/// Whether the answer is the door's.
pub(super) fn reply(pair: &mut Pair) -> bool {
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

pub(super) fn assert_eventually(nodes: &Nodes, pair: &mut Pair, reason: Reason) {
    assert_at_level(nodes, pair, LOCAL_QUORUM, reason);
}

pub(super) fn assert_at_level(nodes: &Nodes, pair: &mut Pair, level: u8, reason: Reason) {
    let before = nodes.passed(reason);
    let begin = Instant::now();
    while nodes.passed(reason) == before {
        assert!(begin.elapsed() < PATIENCE, "{reason:?}");
        exchange(pair, &at_level(level, 9));
    }
}
