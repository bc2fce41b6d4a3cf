// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! When a client's socket may leave the door.

use super::scripted::{ANSWERED, AUDITIONED, POOLED_IN_VAIN};
use super::started::Started;
use super::wire::envelope;

#[test]
fn a_session_is_not_clear_while_an_answer_waits_for_a_response() {
    let mut started = Started::new();
    assert!(started.session.is_clear());
    let response = envelope(0x84, 0, 1, 8, &[7; 100]);
    let (begin, end) = response.split_at(50);
    started.cassandra_sends(begin);
    assert!(started.session.is_clear(), "the end of a response passes as well without the door");
    started.client_sends(&envelope(4, 0, 2, 10, &[ANSWERED]));
    assert!(!started.session.is_clear());
    started.cassandra_sends(end);
    assert!(started.session.is_clear());
}

#[test]
fn a_session_is_not_clear_before_the_pool_has_answered() {
    let mut started = Started::new();
    let query = envelope(4, 0, 1, 7, &[7; 100]);
    let (begin, end) = query.split_at(50);
    started.client_sends(&envelope(4, 0, 2, 10, &[POOLED_IN_VAIN]));
    assert!(!started.session.is_clear());
    started.client_sends(begin);
    started.pool_answers();
    assert!(!started.session.is_clear(), "the request waits for the end of another one");
    started.client_sends(end);
    assert!(started.session.is_clear());
}

#[test]
fn a_session_is_not_clear_during_an_audition() {
    let mut started = Started::new();
    started.client_sends(&envelope(4, 0, 2, 10, &[AUDITIONED]));
    assert!(!started.session.is_clear());
    started.cassandra_sends(&envelope(0x84, 0, 2, 8, &[b"cassandra".as_slice(), &[AUDITIONED]].concat()));
    assert!(started.session.is_clear());
}
