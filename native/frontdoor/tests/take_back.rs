// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Connections that leave the door and come back while they are in use: no byte is lost, comes twice or out of order.

#![allow(clippy::unwrap_used)]

mod common;

use cassiterite_frontdoor::{Negotiated, Way};
use common::{handed_over, moved, under_traffic, Dice, Fixture, PATIENCE, PLAIN};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Instant;

const ROUNDS: u64 = 40;
const MOVES: usize = 10;
const HEADER_BYTES: usize = 9;
const STARTUP: &[u8] = b"\x04\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00";
const READY: &[u8] = b"\x84\x00\x00\x00\x02\x00\x00\x00\x00";
const QUERY: u8 = 7;
const RESULT: u8 = 8;

/// Cassandra's end of a connection.
enum End {
    Pair(UnixStream),
    Client(TcpStream, Negotiated),
}

impl End {
    fn read(&mut self, bytes: &mut [u8]) -> usize {
        let read = match self {
            End::Pair(pair) => pair.read(bytes),
            End::Client(client, _) => client.read(bytes),
        };
        moved(read)
    }

    fn write(&mut self, bytes: &[u8]) -> usize {
        let written = match self {
            End::Pair(pair) => pair.write(bytes),
            End::Client(client, _) => client.write(bytes),
        };
        moved(written)
    }

    fn write_all(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            bytes = &bytes[self.write(bytes)..];
        }
    }
}

/// Whole envelopes of version 4.
fn envelopes(dice: &mut Dice, direction: u8, opcode: u8, count: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..count {
        let most = if dice.below(20) == 0 { 100_000 } else { 200 };
        let body = dice.below(most);
        bytes.extend_from_slice(&[direction | 4, 0, 0, 1, opcode]);
        bytes.extend_from_slice(&u32::try_from(body).unwrap().to_be_bytes());
        bytes.extend((0..body).map(|at| (at * 31 + bytes.len()) as u8).collect::<Vec<u8>>());
    }
    bytes
}

/// How many bytes of an envelope's header, or of its body, are missing behind `bytes`; 0 where these end with an envelope.
fn missing(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    while let Some(header) = rest.first_chunk::<HEADER_BYTES>() {
        let body = u32::from_be_bytes(*header.last_chunk().unwrap()) as usize;
        match rest.get(HEADER_BYTES + body..) {
            Some(behind) => rest = behind,
            None => return HEADER_BYTES + body - rest.len(),
        }
    }
    if rest.is_empty() {
        0
    } else {
        HEADER_BYTES - rest.len()
    }
}

/// Reads and writes like an event loop, and leaves and comes back at moments that `dice` tells. Returns its end, and what
/// it has read.
fn serve(
    fixture: &Fixture,
    connection: u64,
    end: OwnedFd,
    up_bytes: usize,
    down: &[u8],
    dice: &mut Dice,
) -> (End, Vec<u8>) {
    let mut end = End::Pair(end.into());
    let (mut up, mut unit, mut sent, mut moves) = (Vec::new(), Vec::new(), 0, 0);
    let mut buffer = vec![0; 8 << 10];
    let begin = Instant::now();
    while up.len() < up_bytes || sent < down.len() || moves < MOVES {
        assert!(begin.elapsed() < PATIENCE, "{} of {up_bytes}, {sent} of {}, {moves} moves", up.len(), down.len());
        match dice.below(4) {
            0 | 1 => {
                // Where it has the client's own socket it does not read behind an envelope that it has begun.
                let most = if matches!(end, End::Client(..)) { missing(&unit).max(1) } else { buffer.len() };
                let count = end.read(&mut buffer[..most.min(8 << 10)]);
                up.extend_from_slice(&buffer[..count]);
                unit.extend_from_slice(&buffer[..count]);
                if missing(&unit) == 0 {
                    unit.clear();
                }
            }
            2 if sent < down.len() => {
                let whole = HEADER_BYTES + u32::from_be_bytes(down[sent + 5..sent + 9].try_into().unwrap()) as usize;
                end.write_all(&down[sent..sent + whole]);
                sent += whole;
            }
            _ => {
                end = match end {
                    End::Pair(pair) => match fixture.door.hand_over(connection, pair.as_fd(), dice.below(2) == 0) {
                        Some(given) => End::Client(given.client.into(), given.negotiated.unwrap()),
                        None => End::Pair(pair),
                    },
                    End::Client(client, negotiated) if unit.is_empty() => {
                        moves += 1;
                        let again = Negotiated::from_number(negotiated.number()).unwrap();
                        End::Pair(fixture.door.take_back(connection, client.into(), again).unwrap().into())
                    }
                    client => client,
                };
            }
        }
    }
    (end, up)
}

#[test]
fn no_byte_is_lost_when_a_connection_leaves_and_comes_back_under_traffic() {
    let fixture = Fixture::new(PLAIN);
    for round in 1..=ROUNDS {
        let mut dice = Dice(round);
        let (client, end, connection) = started(&fixture);
        let up = envelopes(&mut dice, 0, QUERY, 300);
        let down = envelopes(&mut dice, 0x80, RESULT, 300);
        let (_end, read) = under_traffic(&client, &up, &down, Dice(round + 1_000), || {
            serve(&fixture, connection, end, up.len(), &down, &mut dice)
        });
        assert!(read == up, "up {round}");
    }
    let counters = fixture.door.counters();
    assert!(counters.taken_back >= ROUNDS * MOVES as u64 && counters.opaque == 0, "{counters:?}");
}

/// A client that has begun with version 4, and Cassandra's end, which is not blocking, with the connection's number.
fn started(fixture: &Fixture) -> (TcpStream, OwnedFd, u64) {
    let mut client = fixture.connect();
    let seen = fixture.next();
    let Way::Pair(end) = seen.way else { unreachable!("no client here speaks TLS") };
    let mut pair = UnixStream::from(end);
    pair.set_nonblocking(false).unwrap();
    client.write_all(STARTUP).unwrap();
    pair.read_exact(&mut [0; STARTUP.len()]).unwrap();
    pair.write_all(READY).unwrap();
    client.read_exact(&mut [0; READY.len()]).unwrap();
    pair.set_nonblocking(true).unwrap();
    (client, pair.into(), seen.connection)
}

#[test]
fn a_client_that_the_door_does_not_understand_has_no_way_back() {
    let fixture = Fixture::new(PLAIN);
    for garbage in [false, true] {
        let (mut client, end, connection) = started(&fixture);
        let mut pair = UnixStream::from(end);
        if garbage {
            client.write_all(b"GET / HTTP/1.1").unwrap();
            pair.set_nonblocking(false).unwrap();
            pair.read_exact(&mut [0; 14]).unwrap();
        }
        assert_eq!(handed_over(&fixture.door, connection, &pair).negotiated.is_none(), garbage);
    }
}

#[test]
fn a_client_that_has_ended_does_not_come_back() {
    let fixture = Fixture::new(PLAIN);
    let (client, end, connection) = started(&fixture);
    let pair = UnixStream::from(end);
    let given = handed_over(&fixture.door, connection, &pair);
    let left = given.client.try_clone().unwrap();
    let begin = Instant::now();
    client.shutdown(std::net::Shutdown::Write).unwrap();
    while TcpStream::from(left.try_clone().unwrap()).peek(&mut [0]).is_err() {
        assert!(begin.elapsed() < PATIENCE, "the end does not come");
    }
    assert!(fixture.door.take_back(connection, given.client, given.negotiated.unwrap()).is_err());
    assert_eq!((fixture.door.counters().taken_back, fixture.door.counters().open), (0, 0));
}
