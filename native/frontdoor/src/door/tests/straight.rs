// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Cassandra's thread sends to a client while the loop does.

use super::fixture::*;
use crate::door::Door;
use crate::protocol::HEADER_BYTES;
use std::io::{IoSlice, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread;

/// Requests of one connection; a stream's number comes again only when it has been answered.
const REQUESTS: usize = 20_000;
const STREAMS: usize = 200;
/// Of a request that the door passes on. The response to a QUERY may be one that it wants to see.
const BATCH: u8 = 13;

/// Numbers that look like chance.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }
}

/// As Cassandra's transport does: straight where it may, by the far end otherwise.
fn write(door: &Door, number: u64, far: &mut UnixStream, bytes: &[u8], dice: &mut Dice) {
    let (one, other) = bytes.split_at(dice.below(bytes.len() + 1));
    let sent = door.send_straight(number, &[IoSlice::new(one), IoSlice::new(other)]);
    far.write_all(&bytes[sent..]).unwrap();
}

fn envelope(direction: u8, stream: usize, opcode: u8, body: &[u8]) -> Vec<u8> {
    let head = [direction, 0, (stream >> 8) as u8, stream as u8, opcode];
    [&head[..], &(body.len() as u32).to_be_bytes(), body].concat()
}

/// The next envelope: its stream, and its body.
fn next(source: &mut impl Read) -> Option<(usize, Vec<u8>)> {
    let mut head = [0; HEADER_BYTES];
    source.read_exact(&mut head).ok()?;
    let [_, _, high, low, _, a, b, c, d] = head;
    let mut body = vec![0; u32::from_be_bytes([a, b, c, d]) as usize];
    source.read_exact(&mut body).ok()?;
    Some((usize::from(high) << 8 | usize::from(low), body))
}

/// Answers each request in pieces, a large one now and then, until the client has gone.
fn cassandra(door: &Door, number: u64, mut far: UnixStream) {
    let mut requests = far.try_clone().unwrap();
    let mut dice = Dice(7);
    while let Some((stream, body)) = next(&mut requests) {
        let most = if dice.below(200) == 0 { 400_000 } else { 300 };
        let filling = vec![stream as u8; dice.below(most)];
        let response = envelope(0x84, stream, 8, &[b"by Cassandra".as_slice(), &body, &filling].concat());
        let mut rest = &response[..];
        while !rest.is_empty() {
            let piece = rest.len().min(1 + dice.below(2 * response.len()));
            write(door, number, &mut far, &rest[..piece], &mut dice);
            rest = &rest[piece..];
        }
    }
}

/// Half of the requests are the door's.
fn is_doors(request: usize) -> bool {
    (request / 3).is_multiple_of(2)
}

fn ask(mut client: TcpStream, free: std::sync::mpsc::Receiver<usize>) {
    for request in 0..REQUESTS {
        let stream = free.recv().unwrap();
        let mut asked = if is_doors(request) { execute(0) } else { envelope(4, 0, BATCH, &request.to_be_bytes()) };
        (asked[2], asked[3]) = ((stream >> 8) as u8, stream as u8);
        client.write_all(&asked).unwrap();
    }
}

/// F34: whoever writes to the client, each request has one answer, and that is whole.
#[test]
fn answers_and_responses_come_once_and_whole() {
    let fixture = Fixture::new(HAS_NOTHING);
    let pair = fixture.admitted();
    let (number, mut client) = (pair.number, pair.client);
    let (release, free) = std::sync::mpsc::channel();
    (0..STREAMS).for_each(|stream| release.send(stream).unwrap());
    let door = Arc::clone(&fixture.door);
    let far = pair.cassandra.try_clone().unwrap();
    far.set_read_timeout(None).unwrap();
    let serving = thread::spawn(move || cassandra(&door, number, far));
    let asking = thread::spawn({
        let client = client.try_clone().unwrap();
        move || ask(client, free)
    });
    let (mut native, mut others, mut passed) = (0, 0, Vec::new());
    for _ in 0..REQUESTS {
        let (stream, body) = next(&mut client).unwrap();
        if body == NOTHING {
            native += 1;
        } else {
            let rest = body.strip_prefix(b"by Cassandra").unwrap();
            // While much waits for the client, the door's are Cassandra's, too.
            let asked_bytes =
                if rest.starts_with(&[0, 16]) { execute(0).len() - HEADER_BYTES } else { size_of::<usize>() };
            let (asked, filling) = rest.split_at(asked_bytes);
            passed.extend(asked.try_into().map(usize::from_be_bytes));
            others += usize::from(asked.len() > size_of::<usize>());
            assert!(filling.iter().all(|byte| *byte == stream as u8), "a response is not whole");
        }
        // The one who asks may be through.
        let _ = release.send(stream);
    }
    asking.join().unwrap();
    let expected: Vec<usize> = (0..REQUESTS).filter(|request| !is_doors(*request)).collect();
    assert_eq!(passed, expected);
    assert_eq!(native + others + passed.len(), REQUESTS);
    let straight = fixture.door.counters().sent_straight;
    assert!(straight > 0 && native > 0, "{straight} straight, {native} native");
    drop((client, pair.cassandra));
    fixture.door.close();
    serving.join().unwrap();
}
