// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What becomes of good requests when a client sends bytes behind them that nobody understands.

use std::io::ErrorKind;

use super::scripted::{ANSWERED, POOLED, POOLED_IN_VAIN};
use super::started::Started;
use super::wire::envelope;
use crate::protocol::HEADER_BYTES;

const NO_REQUEST: &[u8] = b"GET / HTTP/1.1";

/// The door's answer to an EXECUTE of one byte.
fn answer(stream: u16, kind: u8) -> Vec<u8> {
    envelope(0x84, 0, stream, 8, &[b"door".as_slice(), &[kind]].concat())
}

/// A session whose client has its answer to STARTUP.
fn started() -> Started {
    let started = Started::new();
    assert_eq!(started.client.down.drain().len(), HEADER_BYTES);
    started.to_cassandra.drain();
    started
}

#[test]
fn answers_to_requests_before_them_are_sent() {
    let mut started = started();
    started.client_sends(&[&envelope(4, 0, 1, 10, &[ANSWERED]), NO_REQUEST].concat());
    assert!(started.session.is_opaque());
    assert_eq!(started.client.down.drain(), answer(1, ANSWERED));
    assert_eq!(started.to_cassandra.drain(), NO_REQUEST);
    let error = envelope(0x84, 0, 0, 0, b"what it cannot decode");
    started.cassandra_sends(&error);
    assert_eq!(started.client.down.drain(), error);
}

#[test]
fn an_answer_still_waits_for_the_end_of_a_response() {
    let mut started = started();
    let response = envelope(0x84, 0, 7, 8, &[7; 100]);
    let (begin, end) = response.split_at(50);
    started.cassandra_sends(begin);
    started.client_sends(&[&envelope(4, 0, 1, 10, &[ANSWERED]), NO_REQUEST].concat());
    started.cassandra_sends(end);
    assert_eq!(started.client.down.drain(), [response, answer(1, ANSWERED)].concat());
}

#[test]
fn the_pool_may_answer_later() {
    let mut started = started();
    started.client_sends(&[&envelope(4, 0, 1, 10, &[POOLED]), NO_REQUEST].concat());
    started.pool_answers();
    assert_eq!(started.client.down.drain(), answer(1, POOLED));
}

/// A request that cannot be passed on any more ends the connection: else its client would wait for ever.
#[test]
fn a_request_that_has_no_place_any_more_takes_no_answer_with_it() {
    let mut started = started();
    let query = envelope(4, 0, 1, 7, &[7; 100]);
    let (begin, end) = query.split_at(50);
    started.client_sends(&envelope(4, 0, 2, 10, &[POOLED_IN_VAIN]));
    started.client_sends(begin);
    started.pool_answers();
    started.client.up.put(&[end, &envelope(4, 0, 3, 10, &[ANSWERED]), NO_REQUEST].concat());
    let Started { session, work, answerer, client, to_cassandra, .. } = &mut started;
    let turn = session.client_turn(client, to_cassandra, true, work, answerer);
    assert_eq!(turn.unwrap_err().kind(), ErrorKind::InvalidData);
    assert_eq!(client.down.drain(), answer(3, ANSWERED));
}
