// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Buffers that connections share.

use std::io::ErrorKind;

use super::pipes::Gone;
use super::scripted::{ANSWERED, POOLED};
use super::started::Started;
use super::wire::envelope;
use crate::session::Work;

/// F10: a loop has one buffer for the answers of all its connections.
#[test]
fn an_answer_for_a_client_that_has_gone_reaches_no_other() {
    let mut started = Started::new();
    started.client_sends(&envelope(4, 0, 1, 10, &[POOLED]));
    let pooled = started.answerer.pooled.pop().unwrap();
    let sent = started.session.pooled(pooled, &mut Gone, &mut started.to_cassandra.clone(), &mut started.work);
    assert_eq!(sent.unwrap_err().kind(), ErrorKind::BrokenPipe);
    let mut other = Started { work: std::mem::replace(&mut started.work, Work::new(1000)), ..Started::new() };
    other.client.down.drain();
    other.client_sends(&envelope(4, 0, 2, 7, &[7]));
    assert!(other.client.down.is_empty());
}

#[test]
fn answers_are_sent_although_cassandra_has_gone() {
    let mut started = Started::new();
    started.client.down.drain();
    started.client.up.put(&[envelope(4, 0, 1, 10, &[ANSWERED]), envelope(4, 0, 2, 7, &[7])].concat());
    let Started { session, work, answerer, client, .. } = &mut started;
    let turn = session.client_turn(client, &mut Gone, true, work, answerer);
    assert_eq!(turn.unwrap_err().kind(), ErrorKind::BrokenPipe);
    assert_eq!(client.down.drain(), envelope(0x84, 0, 1, 8, &[b"door".as_slice(), &[ANSWERED]].concat()));
}
