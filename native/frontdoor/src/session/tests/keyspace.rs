// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! USE ends what a connection was admitted for.

use super::cassandra::Cassandra;
use super::pipes::{Duplex, Pipe};
use super::scripted::{Scripted, KINDS};
use super::wire::{envelope, framing, sent, startup};
use crate::protocol::Negotiated;
use crate::session::{Session, Work};
use std::time::{Duration, Instant};

#[test]
fn a_use_ends_what_a_connection_was_admitted_for() {
    for (version, is_packed) in [(3, false), (4, true), (5, false), (5, true)] {
        for (kind, stays) in [(3u8, false), (2, true)] {
            let framing = framing(version, is_packed);
            let cassandra = Cassandra::new(framing, version);
            let (up, to_cassandra, from_cassandra) = (Pipe::default(), Pipe::default(), Pipe::default());
            let mut client = Duplex { up: up.clone(), down: Pipe::default() };
            let (mut session, mut work, mut answerer) = (Session::new(1), Work::new(1000), Scripted::default());
            session.identity.login = Some(7);
            let mut turn = |session: &mut Session| {
                session.client_turn(&mut client, &mut to_cassandra.clone(), true, &mut work, &mut answerer).unwrap();
                session
                    .cassandra_turn(&mut from_cassandra.clone(), &mut client, true, &mut work, &mut answerer)
                    .unwrap();
            };
            up.put(&startup(version, is_packed));
            from_cassandra.put(&envelope(version | 0x80, 0, 0, 2, &[]));
            turn(&mut session);
            up.put(&sent(framing, version, &[vec![(5, vec![KINDS - 1, 1, 2, 3])]]));
            turn(&mut session);
            let mut response = Vec::new();
            cassandra.respond(&[([0, 5], vec![0, 0, 0, kind, 0, 1, b'k'])], &mut response);
            from_cassandra.put(&response);
            turn(&mut session);
            let login = stays.then_some(7);
            assert_eq!(session.identity.login, login, "version {version}, result {kind}");
        }
    }
}

/// A connection that has come back with requests under way, until then; and its login once the result of a USE has come.
fn login_after_an_unseen_use(until: Instant) -> (Option<u32>, Session) {
    let framing = framing(5, false);
    let mut session = Session::taken_back(1, Negotiated { version: 5, framing }, until);
    session.identity.login = Some(7);
    let mut client = Duplex { up: Pipe::default(), down: Pipe::default() };
    let (mut from_cassandra, mut response) = (Pipe::default(), Vec::new());
    Cassandra::new(framing, 5).respond(&[([0, 5], vec![0, 0, 0, 3, 0, 1, b'k'])], &mut response);
    from_cassandra.put(&response);
    let (mut work, mut answerer) = (Work::new(1000), Scripted::default());
    session.cassandra_turn(&mut from_cassandra, &mut client, true, &mut work, &mut answerer).unwrap();
    (session.identity.login, session)
}

#[test]
fn a_connection_that_came_back_is_watched_while_requests_may_be_under_way() {
    let now = Instant::now();
    let (login, session) = login_after_an_unseen_use(now + Duration::from_secs(3600));
    assert_eq!((login, session.unseen_queries_until.is_some()), (None, true));
    let (login, session) = login_after_an_unseen_use(now);
    assert_eq!((login, session.unseen_queries_until.is_some()), (Some(7), false), "it costs nothing more");
}
