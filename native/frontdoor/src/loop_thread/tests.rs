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
    let shared =
        Shared { pool: Pool::new(Arc::clone(&routes)), routes, notices: Arc::default(), tally: Arc::default() };
    let (handle, poll) = EventLoop::new().unwrap();
    LoopThread::new(handle, poll, Duration::MAX, shared)
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
    running.add(Newcomer {
        number,
        client: TcpStream::from_std(accepted),
        cassandra: UnixStream::from_std(near),
        negotiated: None,
    });
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
