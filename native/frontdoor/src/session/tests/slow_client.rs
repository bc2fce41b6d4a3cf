// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A client that asks faster than it reads.

use super::pipes::{Duplex, Pipe};
use super::scripted::{ANSWERED, POOLED};
use super::started::Started;
use super::wire::envelope;
use crate::protocol::HEADER_BYTES;
use crate::session::requests::MAX_POOLED;
use crate::session::MAX_UNSENT_BYTES;

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

#[test]
fn answers_of_the_pool_do_not_pile_up_for_a_client_that_reads_nothing() {
    let mut started = Started::new();
    started.client = Duplex { up: Pipe::default(), down: Pipe::scripted(&[None; 1000]) };
    for stream in 0..MAX_POOLED as u16 {
        started.client_sends(&envelope(4, 0, stream, 10, &[POOLED; REQUEST_BYTES]));
    }
    assert_eq!(started.answerer.pooled.len(), MAX_POOLED);
    let before = started.to_cassandra.length();
    for _ in 0..MAX_POOLED {
        started.pool_answers();
    }
    let waiting_bytes = started.session.waiting_bytes();
    assert!((MAX_UNSENT_BYTES..MAX_UNSENT_BYTES + 2 * REQUEST_BYTES).contains(&waiting_bytes), "{waiting_bytes}");
    let passed = (started.to_cassandra.length() - before) / REQUEST_BYTES;
    assert_eq!(passed, MAX_POOLED - waiting_bytes / REQUEST_BYTES, "Cassandra answers the others");
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
