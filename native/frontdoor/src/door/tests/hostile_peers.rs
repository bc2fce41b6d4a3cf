// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! F41: what a member's door may do to another one's clients, which share the loop with it.

use super::fixture::*;
use super::nodes::*;
use super::rogue::{reads, Liar, Rogue, Way};
use crate::parting::Parting;
use crate::peer::channel::Channel;
use crate::peer::cluster::QuorumReads;
use crate::peer::message::{Message, MAX_BYTES, VERSION};
use crate::reason::Reason;
use crate::refusal::Refusal;
use crate::Counters;
use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

const VICTIM: usize = 1;

/// A client of the door that is attacked.
fn client(nodes: &Nodes) -> Pair {
    nodes.doors[VICTIM].admitted()
}

fn assert_served(pair: &mut Pair) {
    (0..50).for_each(|stream| pair.assert_answered_by_the_door(stream));
}

/// Runs an attack again and again while a client is served, until the door has noticed it.
fn while_attacked(nodes: &Nodes, ways: Vec<Way>, attack: impl Fn(&mut Way) + Sync, noticed: impl Fn(&Counters) -> u64) {
    let mut pair = client(nodes);
    let is_over = AtomicBool::new(false);
    let (is_over, attack) = (&is_over, &attack);
    thread::scope(|scope| {
        for mut way in ways {
            scope.spawn(move || {
                while !is_over.load(Ordering::SeqCst) {
                    attack(&mut way);
                }
            });
        }
        assert_served(&mut pair);
        let noticed = || noticed(&nodes.doors[VICTIM].door.counters());
        wait_until("the attack", || noticed() > 0);
        let before = noticed();
        assert_served(&mut pair);
        wait_until("more of it", || noticed() > before);
        is_over.store(true, Ordering::SeqCst);
    });
}

/// More than the 1,024 reads that an honest peer has on its way.
#[test]
fn a_flood_of_reads_holds_no_client_up() {
    let nodes = Nodes::new(QuorumReads::On);
    let rogue = Rogue::of(&nodes, VICTIM);
    let ways = (0..4).map(|_| rogue.greeted(&nodes, VICTIM)).collect();
    let attack = |way: &mut Way| {
        if way.channel.unsent_bytes() < 1 << 20 {
            way.ask(2000, &rogue.asked.1);
        }
        way.exchange().unwrap();
    };
    while_attacked(&nodes, ways, attack, |counters| counters.digests_given);
}

/// More than the 16 MiB that an honest peer has on its way.
#[test]
fn a_flood_of_bytes_holds_no_client_up() {
    let nodes = Nodes::new(QuorumReads::On);
    let rogue = Rogue::of(&nodes, VICTIM);
    let long = vec![7; MAX_BYTES - 64];
    let mut way = rogue.greeted(&nodes, VICTIM);
    way.ask(100, &long);
    let ways = vec![way, rogue.greeted(&nodes, VICTIM)];
    let attack = |way: &mut Way| {
        if way.channel.unsent_bytes() < 1 << 20 {
            way.ask(8, &long);
            way.channel.send(&Message::Spec { number: 2, contents: &long });
        }
        way.exchange().unwrap();
    };
    let malformed = Refusal::Malformed as usize - 1;
    while_attacked(&nodes, ways, attack, |counters| counters.digests_refused[malformed]);
}

/// Nobody reads what these ask for.
#[test]
fn answers_that_nobody_reads_hold_no_client_up() {
    let nodes = Nodes::new(QuorumReads::On);
    let rogue = Rogue::of(&nodes, VICTIM);
    let mut ways: Vec<Way> = (0..2).map(|_| rogue.greeted(&nodes, VICTIM)).collect();
    let mut pair = client(&nodes);
    for _ in 0..20 {
        for way in &mut ways {
            way.ask(2000, &rogue.asked.1);
            // What the socket does not take waits here.
            way.channel.flush().unwrap();
        }
        assert_served(&mut pair);
    }
}

/// What they ask for waits for the device, as what the client asks for.
#[test]
fn slow_reads_of_peers_leave_a_thread_to_clients() {
    let nodes = Nodes::new(QuorumReads::On);
    let rogue = Rogue::of(&nodes, VICTIM);
    let victim = &nodes.doors[VICTIM];
    victim.engine.behaviour.store(IS_SLOW, Ordering::SeqCst);
    let mut way = rogue.greeted(&nodes, VICTIM);
    way.ask(3000, &rogue.asked.1);
    let busy = Refusal::Busy as usize - 1;
    while victim.door.counters().digests_refused[busy] == 0 {
        way.exchange().unwrap();
    }
    let mut pair = client(&nodes);
    (0..3).for_each(|_| {
        // No thread is free in time: Cassandra answers.
        assert!(!exchange(&mut pair, &execute(9)));
    });
    victim.engine.behaviour.store(HAS_NOTHING, Ordering::SeqCst);
    // However many reads have begun.
    (0..READERS).for_each(|_| victim.release.send(()).unwrap());
    assert_served(&mut pair);
}

#[test]
fn what_no_peer_says_ends_its_connection_only() {
    let nodes = Nodes::new(QuorumReads::On);
    let rogue = Rogue::of(&nodes, VICTIM);
    let mut pair = client(&nodes);
    let attacks: [&dyn Fn(&mut Way); 5] = [
        &|way| way.channel.send_bytes(&[0xff; 100]),
        &|way| way.channel.send(&Message::Hello { version: VERSION, host: host(0) }),
        &|way| way.channel.send(&Message::Digest { id: 1, digest: [0; 16] }),
        &|way| way.channel.send(&Message::Read { id: 1, spec: 77, budget_micros: 1, contents: &[] }),
        &|way| way.channel.send_bytes(&[0, 0, 0, 0]),
    ];
    for (attacks, attack) in (1..).zip(attacks) {
        let mut way = rogue.greeted(&nodes, VICTIM);
        attack(&mut way);
        way.await_end();
        wait_until("the count", || nodes.refused(VICTIM, Parting::Malformed) == attacks);
        assert_served(&mut pair);
    }
}

/// Before it has said who it is, or saying that it is another one.
#[test]
fn whoever_proves_nothing_is_not_served() {
    let nodes = Nodes::new(QuorumReads::On);
    let rogue = Rogue::of(&nodes, VICTIM);
    let attacks: [&dyn Fn(&mut Way); 3] = [
        &|way| way.channel.send(&Message::Spec { number: 1, contents: &rogue.asked.0 }),
        &|way| way.channel.send(&Message::Hello { version: VERSION, host: host(0) }),
        &|way| way.channel.send(&Message::Hello { version: VERSION + 1, host: [9; 16] }),
    ];
    for (attacks, attack) in (1..).zip(attacks) {
        let mut way = rogue.connect(&nodes, VICTIM);
        attack(&mut way);
        way.await_end();
        wait_until("the count", || nodes.refused(VICTIM, Parting::Key) == attacks);
    }
    assert_eq!(nodes.doors[VICTIM].door.counters().digests_given, 0);
}

/// Handshakes that never end keep their places, of which one address has only so many.
#[test]
fn connections_of_one_address_are_bounded() {
    let nodes = Nodes::new(QuorumReads::On);
    let rogue = Rogue::of(&nodes, VICTIM);
    let mut half_open = Vec::new();
    while nodes.refused(VICTIM, Parting::TooMany) < 10 {
        assert!(half_open.len() < 1000, "no bound");
        let mut socket = TcpStream::connect(nodes.peers[VICTIM]).unwrap();
        // The begin of a handshake. One that was refused is closed already.
        let _ = socket.write_all(&[22, 3, 1, 2, 0, 1]);
        half_open.push(socket);
    }
    let mut pair = client(&nodes);
    assert_served(&mut pair);
    // Not all were refused.
    assert!(half_open.len() >= 100);
    for socket in &half_open {
        socket.set_nonblocking(true).unwrap();
    }
    let is_open = |socket: &&TcpStream| socket.peek(&mut [0]).is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
    assert!(half_open.iter().filter(is_open).count() >= 100);
    drop(half_open);
    wait_until("their ends", || nodes.refused(VICTIM, Parting::Key) >= 100);
    rogue.greeted(&nodes, VICTIM);
}

/// F35: an answer that comes late, twice, or to nothing that was asked, is for no other request.
#[test]
fn an_answer_to_nothing_that_was_asked_ends_the_connection() {
    let nodes = Nodes::new(QuorumReads::On);
    let liar = Liar::in_place_of(&nodes, 1);
    let mut pair = nodes.doors[0].admitted();
    let all = at_level(5, 9);
    for attack in 0..2 {
        let mut channel = liar.accept(host(1));
        let late = ask_until(&mut channel, &mut pair, &all);
        // Too late: Cassandra has answered. Whatever it says is for nobody.
        channel.send(&Message::Digest { id: late, digest: [7; 16] });
        let next = ask_until(&mut channel, &mut pair, &all);
        assert!(next > late, "ids do not repeat");
        assert_eq!(nodes.passed(Reason::Disagreement), 0);
        let malformed = nodes.refused(0, Parting::Malformed);
        // The same one again; one that nobody has named.
        let id = if attack == 0 { late } else { u64::MAX };
        channel.send(&Message::Digest { id, digest: [7; 16] });
        channel.flush().unwrap();
        wait_until("the end", || nodes.refused(0, Parting::Malformed) == malformed + 1);
    }
    // The two others go on.
    answered(&mut pair, &at_level(LOCAL_QUORUM, 9));
    assert_eq!(nodes.doors[0].door.counters().mismatches, 0);
}

/// Sends a request until the peer has it, and does not answer it there; its id.
fn ask_until(channel: &mut Channel, pair: &mut Pair, request: &[u8]) -> u64 {
    let begin = Instant::now();
    loop {
        assert!(begin.elapsed() < PATIENCE, "the peer is not asked");
        assert!(!exchange(pair, request), "not all replicas have answered");
        if let Some(id) = reads(channel).into_iter().last() {
            return id;
        }
    }
}
