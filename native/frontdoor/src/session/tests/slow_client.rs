// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A client that asks faster than it reads.

use super::pipes::{Duplex, Pipe};
use super::scripted::ANSWERED;
use super::started::Started;
use super::wire::envelope;
use crate::protocol::HEADER_BYTES;

const REQUEST_BYTES: usize = 40_000;
/// What the client takes at a time: less than may wait for it, so that something always does.
const TAKEN_BYTES: usize = 200_000;
const TURNS: usize = 40;

#[test]
fn a_response_of_cassandras_comes_between_answers_of_the_door() {
    let mut started = Started::new();
    let script: Vec<Option<usize>> = [Some(TAKEN_BYTES), None].repeat(2 * TURNS);
    started.client = Duplex { up: Pipe::default(), down: Pipe::scripted(&script) };
    let request = envelope(4, 0, 1, 10, &[ANSWERED; REQUEST_BYTES]);
    let mut received = Vec::new();
    for turn in 0..TURNS {
        started.client.up.put(&request.repeat(8));
        if turn == 5 {
            started.from_cassandra.put(&envelope(0x84, 0, 2, 8, b"cassandra"));
        }
        // As a connection does when the client's socket takes bytes again.
        started.cassandra_sends(&[]);
        started.client_sends(&[]);
        received.extend(started.client.down.drain());
    }
    assert!(streams(&received).contains(&2), "{} answers, and no response", streams(&received).len());
}

/// Streams of the whole envelopes.
fn streams(mut bytes: &[u8]) -> Vec<u16> {
    let mut streams = Vec::new();
    while let Some(&[_, _, high, low, _, a, b, c, d]) = bytes.first_chunk::<HEADER_BYTES>() {
        let length = HEADER_BYTES + u32::from_be_bytes([a, b, c, d]) as usize;
        let Some(rest) = bytes.get(length..) else { break };
        streams.push(u16::from_be_bytes([high, low]));
        bytes = rest;
    }
    streams
}
