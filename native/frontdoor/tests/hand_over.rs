// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Connections that leave the door while they are in use: no byte is lost, comes twice or out of order.

#![allow(clippy::unwrap_used)]

mod common;

use cassiterite_frontdoor::{Door, HandedOver, Notice, Way};
use common::{moved, pattern, under_traffic, wait_until, Dice, Fixture, PATIENCE, PLAIN};
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::{Duration, Instant};

const ROUNDS: usize = 150;
const STATEMENT: [u8; 16] = [9; 16];
const STARTUP: &[u8] = b"\x04\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00";
const READY: &[u8] = b"\x84\x00\x00\x00\x02\x00\x00\x00\x00";
const OPTIONS: &[u8] = b"\x04\x00\x00\x01\x05\x00\x00\x00\x00";
const QUERY: &[u8] = b"\x04\x00\x00\x01\x07\x00\x00\x00\x03abc";

/// Cassandra's end of a connection: the pair's, and later the client's socket.
enum End {
    Pair(UnixStream),
    Client(TcpStream),
}

impl End {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        match self {
            End::Pair(pair) => pair.read(bytes),
            End::Client(client) => client.read(bytes),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            End::Pair(pair) => pair.write(bytes),
            End::Client(client) => client.write(bytes),
        }
    }
}

/// One thread that reads and writes like an event loop, and asks for the socket at moments that `dice` tells. Returns
/// its end, what it has read, and how often it asked.
fn serve(
    fixture: &Fixture,
    connection: u64,
    end: OwnedFd,
    down: &[u8],
    up_bytes: usize,
    dice: &mut Dice,
) -> (End, Vec<u8>, usize) {
    let mut end = End::Pair(end.into());
    let (mut up, mut sent, mut asked) = (Vec::new(), 0, 0);
    let mut buffer = vec![0; 64 << 10];
    let begin = Instant::now();
    while up.len() < up_bytes || sent < down.len() || matches!(end, End::Pair(_)) {
        assert!(begin.elapsed() < PATIENCE, "{} of {up_bytes} and {sent} of {}", up.len(), down.len());
        let most = 1 + dice.below(buffer.len());
        match dice.below(4) {
            0 | 1 => {
                let count = moved(end.read(&mut buffer[..most]));
                up.extend_from_slice(&buffer[..count]);
            }
            2 if sent < down.len() => sent += moved(end.write(&down[sent..(sent + most).min(down.len())])),
            _ => {
                if let End::Pair(pair) = &end {
                    asked += 1;
                    if let Some(given) = fixture.door.hand_over(connection, pair.as_fd(), dice.below(2) == 0) {
                        end = End::Client(given.client.into());
                    }
                }
            }
        }
    }
    (end, up, asked)
}

/// Requests of all sizes, whole.
fn requests(dice: &mut Dice, length: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while bytes.len() < length {
        let most = if dice.below(20) == 0 { 100_000 } else { 200 };
        let body = dice.below(most);
        bytes.extend_from_slice(b"\x04\x00\x00\x01\x07");
        bytes.extend_from_slice(&u32::try_from(body).unwrap().to_be_bytes());
        bytes.extend_from_slice(&pattern(bytes.len(), body));
    }
    bytes
}

#[test]
fn no_byte_is_lost_when_a_connection_leaves_under_traffic() {
    let fixture = Fixture::new(PLAIN);
    let mut dice = Dice(0x5eed);
    let mut asked = 0;
    for round in 0..ROUNDS {
        let client = fixture.connect();
        let seen = fixture.next();
        let Way::Pair(end) = seen.way else { unreachable!("no client here speaks TLS") };
        let length = [100, 10_000, 300_000][round % 3];
        // Opaque bytes, and requests, of which the door may have the first half.
        let up = if round % 2 == 0 { pattern(round, length) } else { requests(&mut dice, length) };
        let down = pattern(round + 7, length);
        let (_end, read, times) = under_traffic(&client, &up, &down, Dice(round as u64 + 1), || {
            serve(&fixture, seen.connection, end, &down, up.len(), &mut dice)
        });
        assert!(read == up, "up {round}");
        asked += times;
    }
    let counters = fixture.door.counters();
    assert_eq!((counters.handed_over, counters.open), (ROUNDS as u64, 0));
    assert!(asked > ROUNDS, "the door never said: not now");
}

/// A client and Cassandra's end, which is not blocking, with the connection's number.
fn connected(fixture: &Fixture) -> (TcpStream, OwnedFd, u64) {
    let client = fixture.connect();
    let seen = fixture.next();
    let Way::Pair(end) = seen.way else { unreachable!("no client here speaks TLS") };
    (client, end, seen.connection)
}

fn socket(given: HandedOver) -> TcpStream {
    TcpStream::from(given.client)
}

/// The client's socket, once the door gives it.
fn handed_over(fixture: &Fixture, connection: u64, end: &OwnedFd) -> TcpStream {
    let client = socket(common::handed_over(&fixture.door, connection, end));
    client.set_nonblocking(false).unwrap();
    client
}

#[test]
fn a_connection_stays_while_cassandra_has_not_read_all() {
    let fixture = Fixture::new(PLAIN);
    let (mut client, end, connection) = connected(&fixture);
    client.write_all(QUERY).unwrap();
    wait_until("the request", || fixture.door.counters().to_cassandra_bytes == QUERY.len() as u64);
    for _ in 0..10 {
        assert!(fixture.door.hand_over(connection, end.as_fd(), false).is_none());
    }
    let mut end = UnixStream::from(end);
    end.read_exact(&mut [0; QUERY.len()]).unwrap();
    handed_over(&fixture, connection, &end.into());
}

/// A connection whose first request Cassandra has not read, and what Cassandra reads after the door was asked in vain.
fn asked_in_vain(is_repeated: bool) -> (Fixture, TcpStream, UnixStream, u64) {
    let fixture = Fixture::new(PLAIN);
    let (mut client, end, connection) = connected(&fixture);
    client.write_all(OPTIONS).unwrap();
    wait_until("the request", || fixture.door.counters().to_cassandra_bytes == OPTIONS.len() as u64);
    for is_repeated in [true, true, is_repeated] {
        assert!(fixture.door.hand_over(connection, end.as_fd(), is_repeated).is_none());
    }
    client.write_all(QUERY).unwrap();
    let mut pair = UnixStream::from(end);
    pair.set_nonblocking(false).unwrap();
    pair.read_exact(&mut [0; OPTIONS.len()]).unwrap();
    (fixture, client, pair, connection)
}

#[test]
fn requests_wait_between_two_tries() {
    let (fixture, _client, pair, connection) = asked_in_vain(true);
    let begin = Instant::now();
    let mut socket = loop {
        assert!(begin.elapsed() < PATIENCE, "the door keeps the connection");
        // The loop may be late for one.
        if let Some(given) = fixture.door.hand_over(connection, pair.as_fd(), true) {
            break TcpStream::from(given.client);
        }
    };
    socket.set_nonblocking(false).unwrap();
    let mut read = [0; QUERY.len()];
    socket.read_exact(&mut read).unwrap();
    assert_eq!(read, QUERY);
}

#[test]
fn requests_go_on_behind_the_last_try() {
    let (_fixture, _client, mut pair, _) = asked_in_vain(false);
    let mut read = [0; QUERY.len()];
    pair.read_exact(&mut read).unwrap();
    assert_eq!(read, QUERY);
}

#[test]
fn a_request_may_come_half_by_the_pair_and_half_by_the_socket() {
    let fixture = Fixture::new(PLAIN);
    let (mut client, end, connection) = connected(&fixture);
    let large = [b"\x04\x00\x00\x01\x07\x00\x40\x00\x00".to_vec(), pattern(1, 4 << 20)].concat();
    let mut pair = UnixStream::from(end);
    thread::scope(|scope| {
        scope.spawn(|| client.write_all(&large).unwrap());
        let (mut read, mut given) = (Vec::new(), None);
        let begin = Instant::now();
        while read.len() < large.len() && given.is_none() {
            assert!(begin.elapsed() < PATIENCE, "{} bytes came", read.len());
            let mut bytes = vec![0; 64 << 10];
            let count = moved(pair.read(&mut bytes));
            read.extend_from_slice(&bytes[..count]);
            given = fixture.door.hand_over(connection, pair.as_fd(), true).map(socket);
        }
        // The rest comes by the client's own socket where the door had a moment for it.
        if let Some(mut socket) = given {
            socket.set_nonblocking(false).unwrap();
            let mut rest = vec![0; large.len() - read.len()];
            socket.read_exact(&mut rest).unwrap();
            read.extend(rest);
        }
        assert!(read == large);
    });
}

#[test]
fn a_connection_stays_while_a_request_is_half_there() {
    let fixture = Fixture::new(PLAIN);
    let (mut client, end, connection) = connected(&fixture);
    client.write_all(OPTIONS).unwrap();
    client.write_all(&QUERY[..4]).unwrap();
    wait_until("the first request", || fixture.door.counters().to_cassandra_bytes == OPTIONS.len() as u64);
    let mut end = UnixStream::from(end);
    end.set_nonblocking(false).unwrap();
    end.read_exact(&mut [0; OPTIONS.len()]).unwrap();
    // The half may still be in the client's socket, and go with it. Otherwise the door waits for the other half.
    let end = OwnedFd::from(end);
    let given = fixture.door.hand_over(connection, end.as_fd(), false);
    client.write_all(&QUERY[4..]).unwrap();
    let mut bytes = [0; QUERY.len()];
    match given {
        Some(given) => {
            let mut socket = socket(given);
            socket.set_nonblocking(false).unwrap();
            socket.read_exact(&mut bytes).unwrap();
        }
        None => UnixStream::from(end).read_exact(&mut bytes).unwrap(),
    }
    assert_eq!(bytes, QUERY);
}

#[test]
fn a_client_that_does_not_read_gets_all_bytes_later() {
    let fixture = Fixture::new(PLAIN);
    let (mut client, end, connection) = connected(&fixture);
    let mut pair = UnixStream::from(end.try_clone().unwrap());
    let down = pattern(5, 64 << 20);
    let (mut sent, mut refused) = (0, 0);
    while refused < 50 {
        match pair.write(&down[sent..]) {
            Ok(count) => sent += count,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::WouldBlock);
                refused += 1;
                thread::sleep(Duration::from_millis(1));
            }
        }
    }
    // Usually there is more than the client's socket takes.
    let given = fixture.door.hand_over(connection, end.as_fd(), false);
    let mut read = vec![0; sent];
    client.read_exact(&mut read).unwrap();
    assert!(read == down[..sent]);
    let mut socket = given.map_or_else(|| handed_over(&fixture, connection, &end), socket);
    socket.write_all(b"more").unwrap();
    client.read_exact(&mut read[..4]).unwrap();
    assert_eq!(&read[..4], b"more");
}

#[test]
fn a_connection_that_has_gone_is_not_handed_over() {
    let fixture = Fixture::new(PLAIN);
    let (client, end, connection) = connected(&fixture);
    wait_until("its place in a loop", || fixture.door.counters().open == 1);
    drop(client);
    wait_until("the end", || fixture.door.counters().open == 0);
    assert!(fixture.door.hand_over(connection, end.as_fd(), false).is_none());
    assert!(fixture.door.hand_over(connection + 1, end.as_fd(), false).is_none());
    assert_eq!(fixture.door.counters().handed_over, 0);
}

#[test]
fn the_ends_of_both_sides_are_seen_without_the_door() {
    let fixture = Fixture::new(PLAIN);
    for ends_first in [true, false] {
        let (mut client, end, connection) = connected(&fixture);
        let mut socket = handed_over(&fixture, connection, &end);
        drop(end);
        socket.write_all(b"answer").unwrap();
        client.read_exact(&mut [0; 6]).unwrap();
        let (one, other) =
            if ends_first { (&client, &mut socket) } else { (&socket, &mut client.try_clone().unwrap()) };
        one.shutdown(Shutdown::Write).unwrap();
        assert_eq!(other.read(&mut [0; 1]).unwrap(), 0);
    }
    assert_eq!(fixture.door.counters().open, 0);
}

#[test]
fn a_connection_of_forwarded_requests_is_offered_back() {
    let fixture = Fixture::watching(Duration::ZERO, PLAIN);
    let (mut client, end, connection) = connected(&fixture);
    let mut pair = UnixStream::from(end);
    pair.set_nonblocking(false).unwrap();
    let mut send = |request: &[u8], times: usize| {
        client.write_all(&request.repeat(times)).unwrap();
        pair.read_exact(&mut vec![0; request.len() * times]).unwrap();
    };
    // Heartbeats tell nothing of a connection.
    send(OPTIONS, 3_000);
    send(QUERY, 199);
    assert!(fixture.door.take(Duration::ZERO).unwrap().is_empty());
    send(QUERY, 1);
    let offered = fixture.door.take(PATIENCE).unwrap();
    assert!(matches!(offered[..], [Notice::Forwarded { connection: named }] if named == connection), "{offered:?}");
    handed_over(&fixture, connection, &pair.into());
}

#[test]
fn a_connection_that_left_has_no_events_here() {
    let fixture = Fixture::new(PLAIN);
    let (client, end, connection) = connected(&fixture);
    let socket = handed_over(&fixture, connection, &end);
    let (_next_client, next_end, next_connection) = connected(&fixture);
    drop(client);
    // The next one has its place in the loop. It would be taken for ended, and kept.
    wait_until("the end", || socket.peek(&mut [0]).is_ok_and(|count| count == 0));
    handed_over(&fixture, next_connection, &next_end);
}

/// Whether a connection of 2,000 EXECUTEs is offered back by a door that was told something.
fn is_offered(tell: impl Fn(&Door)) -> bool {
    let fixture = Fixture::watching(Duration::ZERO, PLAIN);
    tell(&fixture.door);
    let (mut client, end, connection) = connected(&fixture);
    let mut pair = UnixStream::from(end);
    pair.set_nonblocking(false).unwrap();
    client.write_all(STARTUP).unwrap();
    pair.read_exact(&mut [0; STARTUP.len()]).unwrap();
    pair.write_all(READY).unwrap();
    client.read_exact(&mut [0; READY.len()]).unwrap();
    let execute = [&b"\x04\x00\x00\x01\x0a\x00\x00\x00\x15\x00\x10"[..], &STATEMENT, b"\x00\x01\x00"].concat();
    // Of an earlier turn all is told once a later one is counted.
    for (request, times) in [(&execute[..], 2_000), (OPTIONS, 1)] {
        client.write_all(&request.repeat(times)).unwrap();
        pair.read_exact(&mut vec![0; request.len() * times]).unwrap();
    }
    wait_until("the count", || fixture.door.counters().requests[1] == 1);
    let notices = fixture.door.take(Duration::ZERO).unwrap();
    notices.iter().any(|notice| matches!(notice, Notice::Forwarded { connection: named } if *named == connection))
}

#[test]
fn executes_are_forwarded_for_good_where_no_answer_is_to_come() {
    assert!(is_offered(|door| {
        door.renew(PATIENCE);
        door.refuse_recipe(&STATEMENT);
    }));
}

#[test]
fn a_connection_stays_while_its_executes_may_be_answered_yet() {
    assert!(!is_offered(|door| door.renew(PATIENCE)), "a statement that has no recipe yet");
    assert!(!is_offered(|_| ()), "a gate of the node that is closed");
}
