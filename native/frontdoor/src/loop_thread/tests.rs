// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A fault in one connection's turn, and connections that follow each other.

#![allow(clippy::unwrap_used, clippy::panic)]

use super::*;
use crate::pool::Pool;
use crate::routes::Routes;
use mio::net::{TcpStream, UnixStream};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream as Client};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream as Far;

fn running() -> LoopThread {
    let routes = Arc::new(Routes::default());
    let shared =
        Shared { pool: Pool::new(Arc::clone(&routes)), routes, notices: Arc::default(), tally: Arc::default() };
    let (handle, poll) = EventLoop::new().unwrap();
    LoopThread::new(handle, poll, Duration::MAX, shared)
}

/// A connection, and its two far ends.
fn newcomer(number: u64) -> (Newcomer, Client, Far) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = Client::connect(listener.local_addr().unwrap()).unwrap();
    let (near, far) = Far::pair().unwrap();
    let accepted = listener.accept().unwrap().0;
    accepted.set_nonblocking(true).unwrap();
    near.set_nonblocking(true).unwrap();
    let (accepted, near) = (TcpStream::from_std(accepted), UnixStream::from_std(near));
    (Newcomer { number, client: accepted, cassandra: near, negotiated: None }, client, far)
}

/// Adds a connection; its two far ends.
fn join(running: &mut LoopThread, number: u64) -> (Client, Far) {
    let (newcomer, client, far) = newcomer(number);
    running.handle.has_come();
    running.add(newcomer);
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
    cassandra.set_nonblocking(true).unwrap();
    // The kernel may take its time with the request.
    let heard = loop {
        running.turn(slot, Side::Client, false);
        if let Ok(count) = cassandra.read(&mut [0; 16]) {
            break count;
        }
    };
    assert_eq!(heard, 9);
}

#[test]
fn no_event_of_a_connection_that_left_reaches_the_next_one() {
    let mut running = running();
    let (leaving, client, far) = newcomer(1);
    let accepted = Client::from(leaving.client.as_fd().try_clone_to_owned().unwrap());
    client.shutdown(Shutdown::Write).unwrap();
    while accepted.peek(&mut [0]).is_err() {}
    // The loop is woken first, then hears of the end.
    running.handle.hand_over(Arc::new(HandOver::new(1, Some(far.into()), false))).unwrap();
    running.handle.has_come();
    running.add(leaving);
    let (next, _next_client, next_far) = newcomer(2);
    running.handle.add(next).unwrap();
    let mut events = Events::with_capacity(8);
    wait_for_events(&mut running.poll, &mut events, None).unwrap();
    assert_eq!(events.iter().count(), 2);
    running.on_events(&events);
    let slot = running.slots[&2];
    assert!(running.connections[slot].can_be_handed_over(&next_far));
}
