// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! How long silent clients wait, and who has to leave.

#![allow(clippy::unwrap_used)]

use super::*;
use mio::Poll;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream as Client};

const SECOND: Duration = Duration::from_secs(1);

/// Two may wait, ten seconds each.
struct Fixture {
    undecided: Undecided,
    poll: Poll,
    listener: TcpListener,
    begin: Instant,
}

impl Fixture {
    fn new() -> Self {
        Fixture {
            undecided: Undecided::new(2, 10 * SECOND),
            poll: Poll::new().unwrap(),
            listener: TcpListener::bind("127.0.0.1:0").unwrap(),
            begin: Instant::now(),
        }
    }

    /// A client that says nothing.
    fn silent(&mut self, after: Duration) -> Client {
        let client = Client::connect(self.listener.local_addr().unwrap()).unwrap();
        client.set_read_timeout(Some(60 * SECOND)).unwrap();
        let (accepted, remote) = self.listener.accept().unwrap();
        accepted.set_nonblocking(true).unwrap();
        let local = accepted.local_addr().unwrap();
        let accepted = FirstByte {
            client: TcpStream::from_std(accepted),
            endpoints: Endpoints { listener: ListenerId(0), remote, local },
            is_tls_only: false,
        };
        assert!(self.undecided.wait_for(accepted, self.begin + after, None, self.poll.registry()).is_none());
        client
    }

    fn end(&mut self, number: usize) -> Option<(FirstByte, Speaks)> {
        self.undecided.end(number, self.poll.registry())
    }

    fn overdue(&self, after: Duration) -> Option<usize> {
        self.undecided.overdue(self.begin + after)
    }
}

/// Says something, which has come when this returns.
fn say(client: &mut Client, waiting: &FirstByte) {
    client.write_all(&[4]).unwrap();
    while look(&waiting.client, &mut [0], None).unwrap().is_none() {
        std::thread::yield_now();
    }
}

/// Else silent clients of one host would keep everybody else out.
#[test]
fn the_one_that_has_waited_longest_makes_room() {
    let mut fixture = Fixture::new();
    let mut first = fixture.silent(Duration::ZERO);
    assert_eq!(fixture.undecided.in_the_way(), None);
    let mut second = fixture.silent(Duration::ZERO);
    assert_eq!(fixture.undecided.in_the_way(), Some(0));
    assert!(fixture.end(0).is_none());
    assert_eq!(first.read(&mut [0]).unwrap(), 0);
    assert_eq!(fixture.undecided.in_the_way(), None);

    let _third = fixture.silent(Duration::ZERO);
    assert_eq!(fixture.undecided.in_the_way(), Some(1));
    say(&mut second, &fixture.undecided.clients[&1].0);
    assert!(fixture
        .undecided
        .decide(1, None, fixture.poll.registry())
        .is_some_and(|(_, speaks)| matches!(speaks, Speaks::Plain)));
    assert!(fixture.undecided.decide(2, None, fixture.poll.registry()).is_none());
    assert_eq!(fixture.undecided.clients.len(), 1);
}

#[test]
fn who_is_silent_for_too_long_is_closed() {
    let mut fixture = Fixture::new();
    let mut first = fixture.silent(Duration::ZERO);
    let _second = fixture.silent(SECOND);
    assert_eq!(fixture.overdue(9 * SECOND), None);
    assert_eq!(fixture.overdue(10 * SECOND), Some(0));
    assert!(fixture.end(0).is_none());
    assert_eq!(first.read(&mut [0]).unwrap(), 0);
    assert_eq!(fixture.overdue(10 * SECOND), None);
    assert_eq!(fixture.undecided.until_overdue(fixture.begin + 10 * SECOND), Some(SECOND));
    assert_eq!(fixture.overdue(11 * SECOND), Some(1));
}

/// The acceptor may have been busy when the byte came.
#[test]
fn who_has_said_something_in_time_is_not_closed() {
    let mut fixture = Fixture::new();
    let mut client = fixture.silent(Duration::ZERO);
    say(&mut client, &fixture.undecided.clients[&0].0);
    assert_eq!(fixture.overdue(10 * SECOND), Some(0));
    assert!(fixture.end(0).is_some_and(|(_, speaks)| matches!(speaks, Speaks::Plain)));
}
