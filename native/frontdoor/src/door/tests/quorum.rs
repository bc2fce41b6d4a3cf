// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Doors that ask each other: when one answers, and that it waits for nobody in vain.

use super::fixture::*;
use super::nodes::*;
use crate::parting::Parting;
use crate::peer::cluster::QuorumReads;
use crate::peer::members::{tests::encode, Member, Members};
use crate::reason::Reason;
use std::io::Read;
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::time::{Duration, Instant};

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

/// A thousand tables of a keyspace have one map of the ring.
#[test]
fn tables_share_what_their_keyspaces_have_alike() {
    let nodes = Nodes::new(QuorumReads::On);
    nodes.open(0, [3; 16], LOCAL_QUORUM);
    nodes.open(0, [4; 16], 4);
    let view = nodes.doors[0].door.shared.routes.view();
    let replicas = |table: [u8; 16]| Arc::as_ptr(&view.snapshot.tables[&table].compared.as_ref().unwrap().replicas);
    assert_eq!(replicas(TABLE), replicas([3; 16]));
    assert_ne!(replicas(TABLE), replicas([4; 16]));
}

/// As Cassandra counts digests: in the metrics of the replica's table, and as nobody's request.
#[test]
fn a_digest_counts_as_a_read_of_its_table() {
    let nodes = Nodes::new(QuorumReads::On);
    let mut pair = nodes.doors[0].admitted();
    (0..20).for_each(|_| answered(&mut pair, &at_level(5, 9)));
    for other in &nodes.doors[1..] {
        let bytes = other.door.served();
        let given = other.door.counters().digests_given;
        assert_eq!(bytes[..28], [&[0, 0, 0, 1][..], &TABLE, &given.to_be_bytes()].concat());
        // No levels, connections or statements; no bytes.
        assert_eq!(bytes[bytes.len() - 28..], [0; 28]);
    }
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

    nodes.meet(0, QuorumReads::On, false);
    // The loop hears of it in its next round.
    assert_eventually(&nodes, &mut pair, Reason::Replicas);
    nodes.meet(0, QuorumReads::On, true);
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
        let has_begun = first.begun.recv_timeout(Duration::from_millis(20)).is_ok();
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
        nodes.meet(1, QuorumReads::On, true);
        nodes.wait_for_all();
    }
}

/// As Cassandra speculates: it is asked once the first one takes longer than it does.
#[test]
fn another_replica_is_asked_beside_one_that_is_silent() {
    let begin = Instant::now();
    // A door that has waited in vain once is patient for long: each try has doors of its own.
    while !is_asked_beside_a_silent_one() {
        assert!(begin.elapsed() < PATIENCE, "no read is in time");
    }
}

/// False where the machine was too busy to tell.
fn is_asked_beside_a_silent_one() -> bool {
    let nodes = Nodes::new(QuorumReads::On);
    let mut pair = nodes.doors[0].admitted();
    // So that the door knows how long answers take.
    (0..400).for_each(|_| answered(&mut pair, &at_level(LOCAL_QUORUM, 9)));
    let silent = &nodes.doors[1];
    silent.engine.behaviour.store(IS_SLOW, Ordering::SeqCst);
    for _ in 0..200 {
        let given = silent.door.counters().digests_given;
        std::io::Write::write_all(&mut pair.client, &at_level(LOCAL_QUORUM, 9)).unwrap();
        let is_native = reply(&mut pair);
        if silent.begun.recv_timeout(Duration::from_millis(1)).is_ok() {
            let is_of_another = is_native && silent.door.counters().digests_given == given;
            silent.release.send(()).unwrap();
            return is_of_another;
        }
    }
    false
}

#[test]
fn what_is_only_compared_is_cassandras() {
    let nodes = Nodes::new(QuorumReads::Compare);
    let mut pair = nodes.doors[0].admitted();
    assert_eventually(&nodes, &mut pair, Reason::Compared);
    assert_eq!(nodes.doors[0].door.counters().answered, 0);
    for at in 0..NODES {
        nodes.meet(at, QuorumReads::Off, true);
    }
    assert_eventually(&nodes, &mut pair, Reason::Replicas);
}

/// F13: nobody is served but who has the key that gossip has, at the address that it has.
#[test]
fn strangers_are_not_served() {
    let nodes = Nodes::new(QuorumReads::On);
    let stranger = Fixture::new(HAS_NOTHING);
    // It says that it is the first one, and has not that one's key.
    assert!(stranger.door.set_peers(QuorumReads::On, &encode(&Members { own: host(0), others: nodes.others(0) })));
    wait_until("the refusals", || (1..NODES).all(|at| nodes.refused(at, Parting::Key) > 0));
    assert_eq!(stranger.door.counters().peers_connected, 0);

    // No TLS at all.
    let before = nodes.refused(1, Parting::Key);
    let mut plain = TcpStream::connect(nodes.peers[1]).unwrap();
    std::io::Write::write_all(&mut plain, b"GET / HTTP/1.1\r\n\r\n").unwrap();
    plain.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut rest = Vec::new();
    let _ = plain.read_to_end(&mut rest);
    wait_until("the refusal", || nodes.refused(1, Parting::Key) > before);

    // Nobody's address.
    nodes.doors[1].door.set_peers(QuorumReads::On, &encode(&Members::default())).then_some(()).unwrap();
    let before = nodes.refused(1, Parting::Address);
    let mut other = TcpStream::connect(nodes.peers[1]).unwrap();
    other.set_read_timeout(Some(PATIENCE)).unwrap();
    assert!(!matches!(other.read(&mut [0]), Ok(1..)));
    wait_until("the refusal", || nodes.refused(1, Parting::Address) > before);
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
