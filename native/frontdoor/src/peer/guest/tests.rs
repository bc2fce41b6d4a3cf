// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! F41: what one turn takes, and who may not stay. The time is the test's.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::peer::members::Member;
use crate::peer::node_key::NodeKey;
use arc_swap::ArcSwap;
use mio::net::TcpListener;
use mio::{Poll, Token};
use std::thread;

/// Refuses all, and has all the time.
#[derive(Default)]
struct Refusing(usize);

impl Serving for Refusing {
    fn serve(&mut self, _: &Asked<'_>) -> Served {
        self.0 += 1;
        Served::Refused(Refusal::Busy)
    }

    fn write(&mut self, _: &Copy<'_>) -> Result<(), Refusal> {
        self.0 += 1;
        Err(Refusal::Busy)
    }

    fn has_time(&self) -> bool {
        true
    }
}

/// A guest, and the peer's end.
struct Both {
    guest: Guest,
    peer: Channel,
    members: Members,
    came_at: Instant,
    _poll: Poll,
}

impl Both {
    fn new() -> Both {
        let (own, theirs, poll) = (NodeKey::new().unwrap(), NodeKey::new().unwrap(), Poll::new().unwrap());
        let address: IpAddr = "127.0.0.1".parse().unwrap();
        let member = Member {
            host: [2; 16],
            fingerprint: *theirs.fingerprint(),
            is_up: true,
            port: 1,
            addresses: vec![address],
        };
        let members = Members { own: [1; 16], others: vec![member] };
        let known = Arc::new(ArcSwap::from_pointee(members.clone()));
        let listener = TcpListener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let to = listener.local_addr().unwrap();
        let config = theirs.client_config(*own.fingerprint()).unwrap();
        let peer = Channel::connect(to, None, config, Token(0), poll.registry()).unwrap();
        let socket = loop {
            match listener.accept() {
                Ok((socket, _)) => break socket,
                Err(_) => thread::yield_now(),
            }
        };
        let channel = Channel::accepted(socket, own.server_config(known).unwrap(), Token(1), poll.registry()).unwrap();
        let came_at = Instant::now();
        Both { guest: Guest::new(channel, address, came_at), peer, members, came_at, _poll: poll }
    }

    fn greeted() -> Both {
        let mut both = Both::new();
        both.peer.send(&Message::Hello { version: VERSION, host: [2; 16] });
        while both.guest.known_by.is_none() {
            both.step(&mut Refusing::default());
        }
        both
    }

    fn step(&mut self, serving: &mut Refusing) -> Left {
        self.peer.flush().unwrap();
        let left = self.guest.turn(&self.members, serving, self.came_at).unwrap();
        let _ = self.peer.receive(1 << 10);
        left
    }

    fn ask(&mut self, count: u64) {
        self.peer.send(&Message::Spec { number: 1, contents: b"" });
        self.read(count);
    }

    fn read(&mut self, count: u64) {
        (0..count).for_each(|id| self.peer.send(&Message::Read { id, spec: 1, budget_micros: 1, contents: b"" }));
    }

    fn overdue(&self, after: Duration) -> Option<Parting> {
        self.guest.overdue(&self.members, self.came_at + after)
    }
}

#[test]
fn a_turn_takes_so_many_messages() {
    let mut both = Both::greeted();
    both.read(0);
    // Of whatever kind they are.
    (0..500).for_each(|number| both.peer.send(&Message::Spec { number, contents: b"" }));
    let mut turns = 0;
    while both.guest.specs.get(499).is_none() {
        let before = (0..500).filter(|number| both.guest.specs.get(*number).is_some()).count();
        both.step(&mut Refusing::default());
        let after = (0..500).filter(|number| both.guest.specs.get(*number).is_some()).count();
        assert!(after - before <= TURN_MESSAGES);
        turns += usize::from(after > before);
    }
    assert!(turns >= 500 / TURN_MESSAGES);
}

#[test]
fn who_says_nothing_may_not_stay() {
    let both = Both::new();
    assert_eq!(both.overdue(MAX_SILENCE - Duration::from_millis(1)), None);
    assert_eq!(both.overdue(MAX_SILENCE), Some(Parting::Silent));
    let mut both = Both::greeted();
    assert_eq!(both.overdue(MAX_SILENCE * 100), None);
    both.members.others.clear();
    assert_eq!(both.overdue(Duration::ZERO), Some(Parting::Departed));
}

/// No more is read of one that leaves its answers unread, and after a while it may not stay.
#[test]
fn who_reads_no_answers_may_not_stay() {
    let mut both = Both::greeted();
    both.ask(1);
    let mut asked = 0;
    while !both.guest.is_full() {
        if both.peer.unsent_bytes() < 1 << 16 {
            both.read(1000);
            asked += 1000;
        }
        both.peer.flush().unwrap();
        both.guest.turn(&both.members, &mut Refusing::default(), both.came_at).unwrap();
        assert!(asked < 10_000_000, "answers wait without bound");
    }
    assert!(both.guest.channel.unsent_bytes() < 2 * MAX_UNSENT_BYTES);
    let mut serving = Refusing::default();
    let left = both.guest.turn(&both.members, &mut serving, both.came_at).unwrap();
    assert_eq!((serving.0, left), (0, Left::Nothing));
    assert_eq!(both.overdue(MAX_SILENCE - Duration::from_millis(1)), None);
    assert_eq!(both.overdue(MAX_SILENCE), Some(Parting::Unread));
    // One that reads them after all stays.
    while both.guest.is_full() {
        let _ = both.peer.receive(1 << 20);
        both.guest.flush(both.came_at).unwrap();
    }
    assert_eq!(both.overdue(MAX_SILENCE), None);
}
