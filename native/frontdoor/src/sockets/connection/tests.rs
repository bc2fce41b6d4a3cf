// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream as Client};

use mio::net::TcpStream;
use mio::Poll;

use super::*;
use crate::protocol::Framing;
use crate::reason::Reason;
use crate::request::{Audition, Identity, Request, Verdict};

/// Passes everything on.
struct Passing;

impl Answerer for Passing {
    fn answer(&mut self, _: &Identity, _: Framing, _: &Request<'_>, _: &mut Vec<u8>) -> Verdict {
        Verdict::Passed
    }

    fn passed(&mut self, _: Reason) {}

    fn judge(&mut self, _: &Identity, _: Audition, _: u8, _: u8, _: Option<&[u8]>) {}
}

/// The loop may hear of the client before it hears that Cassandra has ended.
#[test]
fn what_cassandra_said_before_it_ended_reaches_a_client_that_sends_on() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut client = Client::connect(listener.local_addr().unwrap()).unwrap();
    let (accepted, _) = listener.accept().unwrap();
    accepted.set_nonblocking(true).unwrap();
    let arrived = accepted.try_clone().unwrap();
    let (near, mut far) = std::os::unix::net::UnixStream::pair().unwrap();
    near.set_nonblocking(true).unwrap();
    let poll = Poll::new().unwrap();
    let (client_side, cassandra) = (TcpStream::from_std(accepted), UnixStream::from_std(near));
    let newcomer = Newcomer { number: 1, client: ClientSocket::Plain(client_side), cassandra, negotiated: None };
    let mut connection = Connection::new(newcomer, (Token(0), Token(1)), poll.registry()).unwrap();
    let error = [0x84, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 10, 0, 0];
    far.write_all(&error).unwrap();
    drop(far);
    client.write_all(b"GET / HTTP/1.1").unwrap();
    while arrived.peek(&mut [0]).is_err() {
        std::thread::yield_now();
    }
    drop(arrived);
    let next = connection.turn(Side::Client, false, poll.registry(), &mut Work::new(1000), &mut Passing);
    assert_eq!(next, Next::Close);
    drop(connection);
    let mut heard = Vec::new();
    client.read_to_end(&mut heard).unwrap();
    assert_eq!(heard, error);
}

/// As without the door, where Cassandra's SO_LINGER of 0 ends such a client at once.
#[test]
fn a_client_that_reads_nothing_ends_with_cassandra() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = Client::connect(listener.local_addr().unwrap()).unwrap();
    let (accepted, _) = listener.accept().unwrap();
    accepted.set_nonblocking(true).unwrap();
    let (near, mut far) = std::os::unix::net::UnixStream::pair().unwrap();
    near.set_nonblocking(true).unwrap();
    far.set_nonblocking(true).unwrap();
    let poll = Poll::new().unwrap();
    let (accepted, cassandra) = (TcpStream::from_std(accepted), UnixStream::from_std(near));
    let newcomer = Newcomer { number: 1, client: ClientSocket::Plain(accepted), cassandra, negotiated: None };
    let mut connection = Connection::new(newcomer, (Token(0), Token(1)), poll.registry()).unwrap();
    let mut work = Work::new(128 << 10);
    let mut turn =
        |connection: &mut Connection| connection.turn(Side::Cassandra, false, poll.registry(), &mut work, &mut Passing);
    let responses = [&[0x84, 0, 0, 0, 8, 0, 0, 0, 200][..], &[7; 200]].concat().repeat(300);
    // Until all on the way are full.
    while far.write(&responses).is_ok() || turn(&mut connection) == Next::Again || far.write(&responses).is_ok() {
        assert_ne!(turn(&mut connection), Next::Close);
    }
    drop(far);
    connection.ended(Side::Cassandra);
    assert_eq!(turn(&mut connection), Next::Close);
    drop(client);
}
