// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! F41: peers have few turns in a round, and few places.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::peer::cluster::Cluster;
use crate::rights::routes::Routes;
use crate::threads::event_loop::EventLoop;
use crate::threads::pool::Pool;
use mio::net::TcpListener;
use mio::Poll;
use std::thread;

fn guests(mode: QuorumReads) -> (Guests, Poll) {
    let (event_loop, poll, _) = EventLoop::new().unwrap();
    let routes = Arc::new(Routes::default());
    let cluster = Arc::new(Cluster::new().unwrap());
    cluster.set_mode(mode);
    let pool = Pool::new(Arc::clone(&routes), 1);
    let ground = Ground { cluster, routes, pool, notices: Arc::default(), tally: Arc::default(), event_loop };
    (Guests::new(ground), poll)
}

fn come(guests: &mut Guests, poll: &Poll, listener: &TcpListener, address: &str) -> std::net::TcpStream {
    let peer = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let socket = loop {
        match listener.accept() {
            Ok((socket, _)) => break socket,
            Err(_) => thread::yield_now(),
        }
    };
    guests.come(socket, address.parse().unwrap(), |at| Token(at * 2 + 1), poll.registry(), Instant::now());
    peer
}

fn refused(guests: &Guests, parting: Parting) -> u64 {
    guests.ground.tally.read().peers_refused[parting as usize]
}

#[test]
fn a_round_has_so_many_turns() {
    let (mut guests, poll) = guests(QuorumReads::On);
    let listener = TcpListener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let _peers: Vec<_> = (0..40).map(|_| come(&mut guests, &poll, &listener, "10.0.0.1")).collect();
    let mut rounds = 0;
    while guests.has_more() {
        let before = guests.queue.len();
        guests.go_on();
        assert!(before - guests.queue.len() <= ROUND_TURNS && before > guests.queue.len());
        rounds += 1;
    }
    assert!(rounds >= 3);
    // One that wants several turns has one.
    (0..10).for_each(|_| guests.want_turn(3));
    assert_eq!(guests.queue.len(), 1);
}

#[test]
fn an_address_has_so_many_places() {
    let (mut guests, poll) = guests(QuorumReads::On);
    let listener = TcpListener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let mut peers: Vec<_> = (0..130).map(|_| come(&mut guests, &poll, &listener, "10.0.0.1")).collect();
    assert_eq!((guests.seats.len(), refused(&guests, Parting::TooMany)), (MAX_OF_ADDRESS, 2));
    // Others have theirs.
    let _other = come(&mut guests, &poll, &listener, "10.0.0.2");
    assert_eq!((guests.seats.len(), refused(&guests, Parting::TooMany)), (MAX_OF_ADDRESS + 1, 2));
    // Who goes makes room.
    peers.truncate(1);
    while guests.seats.len() > 2 {
        let all: Vec<usize> = guests.seats.iter().map(|(at, _)| at).collect();
        all.into_iter().for_each(|at| guests.want_turn(at));
        guests.go_on();
    }
    assert_eq!(guests.of_address.values().copied().collect::<Vec<_>>(), [1, 1]);
    peers.push(come(&mut guests, &poll, &listener, "10.0.0.1"));
    assert_eq!((guests.seats.len(), refused(&guests, Parting::TooMany)), (3, 2));
}

#[test]
fn those_that_say_nothing_or_are_not_wanted_go() {
    let (mut guests, poll) = guests(QuorumReads::On);
    let listener = TcpListener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let _peer = come(&mut guests, &poll, &listener, "10.0.0.1");
    guests.look_round(Instant::now());
    assert!(!guests.is_empty());
    guests.look_round(Instant::now() + Duration::from_secs(5));
    assert!(guests.is_empty() && guests.of_address.is_empty() && !guests.has_more());
    assert_eq!(refused(&guests, Parting::Silent), 1);
    let _peer = come(&mut guests, &poll, &listener, "10.0.0.1");
    guests.ground.cluster.set_mode(QuorumReads::Off);
    guests.look_round(Instant::now());
    let _other = come(&mut guests, &poll, &listener, "10.0.0.1");
    assert_eq!((guests.is_empty(), refused(&guests, Parting::Departed)), (true, 2));
}
