// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A fault in one connection's turn.

#![allow(clippy::unwrap_used, clippy::panic)]

use super::*;
use crate::pool::Pool;
use crate::routes::Routes;
use mio::net::{TcpStream, UnixStream};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream as Client};

fn running() -> LoopThread {
    let routes = Arc::new(Routes::default());
    let shared = Shared {
        pool: Pool::new(Arc::clone(&routes)),
        routes,
        notices: Arc::default(),
        tally: Arc::default(),
        open: Arc::default(),
    };
    let (handle, poll) = EventLoop::new().unwrap();
    LoopThread::new(handle, poll, Duration::MAX, shared).unwrap()
}

/// Adds a connection; its two far ends.
fn join(running: &mut LoopThread, number: u64) -> (Client, std::os::unix::net::UnixStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = Client::connect(listener.local_addr().unwrap()).unwrap();
    let (near, far) = std::os::unix::net::UnixStream::pair().unwrap();
    let accepted = listener.accept().unwrap().0;
    accepted.set_nonblocking(true).unwrap();
    near.set_nonblocking(true).unwrap();
    running.handle.has_come();
    running.add(Newcomer { number, client: TcpStream::from_std(accepted), cassandra: UnixStream::from_std(near) });
    (client, far)
}

/// F28: stray bytes of one client end that client, not the loop with all others.
#[test]
fn a_panic_costs_its_connection_only() {
    let mut running = running();
    let (mut broken, _cassandra) = join(&mut running, 1);
    let (mut other, mut cassandra) = join(&mut running, 2);
    let slot = running.slots[&1];
    running.guarded(slot, |_, _, _, _| panic!("as the test wants it"));
    assert_eq!(broken.read(&mut [0]).unwrap_or(0), 0);
    assert_eq!((running.connections.len(), running.handle.connections()), (1, 1));
    let panics = Reason::ALL.iter().position(|reason| *reason == Reason::Panic).unwrap();
    assert_eq!(running.tally.read().passed[panics], 1);

    other.write_all(b"\x04\x00\x00\x01\x05\x00\x00\x00\x00").unwrap();
    let slot = running.slots[&2];
    running.turn(slot, Side::Client, false);
    assert_eq!(cassandra.read(&mut [0; 16]).unwrap(), 9);
}

/// A connection whose STARTUP Cassandra has answered.
fn started(running: &mut LoopThread) -> (Client, std::os::unix::net::UnixStream) {
    let (mut client, mut cassandra) = join(running, 1);
    client.write_all(b"\x04\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00").unwrap();
    turn(running, Side::Client);
    cassandra.read_exact(&mut [0; 11]).unwrap();
    assert!(!running.open.send(1, READY), "the response to STARTUP goes through the pair");
    cassandra.write_all(READY).unwrap();
    turn(running, Side::Cassandra);
    client.read_exact(&mut [0; READY.len()]).unwrap();
    (client, cassandra)
}

fn turn(running: &mut LoopThread, side: Side) {
    let slot = running.slots[&1];
    running.turn(slot, side, false);
}

const READY: &[u8] = &[0x84, 0, 0, 0, 2, 0, 0, 0, 0];

/// RESULT void, of a length.
fn response(stream: u8, length: u16) -> Vec<u8> {
    let [high, low] = length.to_be_bytes();
    [vec![0x84, 0, 0, stream, 8, 0, 0, high, low], vec![stream; usize::from(length)]].concat()
}

fn received(client: &mut Client, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    client.read_exact(&mut bytes).unwrap();
    bytes
}

#[test]
fn a_response_goes_straight_to_the_client() {
    let mut running = running();
    let (mut client, _cassandra) = started(&mut running);
    assert!(running.open.send(1, &response(1, 100)));
    assert_eq!(received(&mut client, 109), response(1, 100));
    assert!(!running.open.send(2, &response(1, 100)), "there is no such connection");
}

/// F9: what Cassandra has sent through the pair comes first.
#[test]
fn a_response_does_not_overtake_the_pair() {
    let mut running = running();
    let (mut client, mut cassandra) = started(&mut running);
    let (begin, end) = (&response(1, 100)[..50], &response(1, 100)[50..]);
    cassandra.write_all(begin).unwrap();
    assert!(!running.open.send(1, end));
    turn(&mut running, Side::Cassandra);
    assert!(running.open.send(1, end));
    assert_eq!(received(&mut client, 109), response(1, 100));
}

#[test]
fn a_turn_is_not_waited_for() {
    let mut running = running();
    let _ends = started(&mut running);
    let slot = running.slots[&1];
    let open = Arc::clone(&running.open);
    running.guarded(slot, |_, _, _, _| {
        assert!(!open.send(1, &response(1, 100)));
        Next::Wait
    });
    assert!(open.send(1, &response(1, 100)));
}

/// What a slow client has not taken waits in the loop; what comes then goes through the pair, and waits there.
#[test]
fn a_client_that_does_not_read_holds_up_its_sender() {
    let mut running = running();
    let (mut client, mut cassandra) = started(&mut running);
    let long = response(1, 60_000);
    let mut sent = 0;
    while running.open.send(1, &long) {
        sent += 1;
        assert!(sent < 10_000, "the client takes everything");
    }
    cassandra.write_all(&response(2, 3)).unwrap();
    let all = received_all(&mut running, client.try_clone().unwrap(), sent * long.len() + 12);
    assert!(all[..sent * long.len()].chunks(long.len()).all(|one| one == long));
    assert_eq!(all[sent * long.len()..], response(2, 3));
    assert!(running.open.send(1, &response(3, 3)));
    assert_eq!(received(&mut client, 12), response(3, 3));
}

/// Reads while the loop goes on.
fn received_all(running: &mut LoopThread, mut client: Client, length: usize) -> Vec<u8> {
    let reader = std::thread::spawn(move || received(&mut client, length));
    while !reader.is_finished() {
        turn(running, Side::Cassandra);
        std::thread::yield_now();
    }
    reader.join().unwrap()
}

/// F12: after a USE the connection is admitted anew, which the door learns from the response.
#[test]
fn the_response_to_a_query_is_looked_at() {
    let mut running = running();
    let (mut client, mut cassandra) = started(&mut running);
    client.write_all(b"\x04\x00\x00\x05\x07\x00\x00\x00\x03USE").unwrap();
    turn(&mut running, Side::Client);
    cassandra.read_exact(&mut [0; 12]).unwrap();
    assert!(!running.open.send(1, &response(5, 4)));
    cassandra.write_all(&response(5, 4)).unwrap();
    turn(&mut running, Side::Cassandra);
    assert!(running.open.send(1, &response(6, 4)));
}

#[test]
fn nothing_is_sent_to_a_client_that_has_gone() {
    let mut running = running();
    let (client, _cassandra) = started(&mut running);
    drop(client);
    running.connections[running.slots[&1]].lock().ended(Side::Client);
    turn(&mut running, Side::Client);
    assert!(running.slots.is_empty());
    assert!(!running.open.send(1, &response(1, 100)));
}
