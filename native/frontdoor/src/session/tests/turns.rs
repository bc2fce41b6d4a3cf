// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! How much one turn of a client may bring on while others wait.

use super::pipes::{Duplex, Pipe};
use super::scripted::{Scripted, ANSWERED, KINDS};
use super::wire::{envelope, framing, received, sent, startup};
use crate::session::{Session, Turn, Work, TURN_READS};

const REQUESTS: usize = 5 * TURN_READS + 7;

/// A session after STARTUP, whose client asks for all at once.
struct World {
    session: Session,
    work: Work,
    answerer: Scripted,
    client: Duplex,
    to_cassandra: Pipe,
}

impl World {
    fn new(version: u8, is_packed: bool, kinds: impl Iterator<Item = u8>) -> World {
        let client = Duplex { up: Pipe::default(), down: Pipe::default() };
        let (session, work, answerer) = (Session::new(1), Work::new(128 << 10), Scripted::default());
        let mut world = World { session, work, answerer, client, to_cassandra: Pipe::default() };
        world.client.up.put(&startup(version, is_packed));
        world.turn();
        let mut ready = Pipe::default();
        ready.put(&envelope(0x80 | version, 0, 0, 2, &[]));
        let (work, answerer) = (&mut world.work, &mut world.answerer);
        world.session.cassandra_turn(&mut ready, &mut world.client, true, work, answerer).unwrap();
        world.to_cassandra.drain();
        let group = (0..).zip(kinds).map(|(stream, kind)| (stream, vec![kind; 9])).collect();
        world.client.up.put(&sent(framing(version, is_packed), version, &[group]));
        world
    }

    fn turn(&mut self) -> Turn {
        let (work, answerer) = (&mut self.work, &mut self.answerer);
        self.session.client_turn(&mut self.client, &mut self.to_cassandra.clone(), false, work, answerer).unwrap()
    }
}

/// Also where all requests are in one frame.
#[test]
fn what_a_client_asks_at_once_is_answered_turn_by_turn() {
    for (version, is_packed) in [(4, false), (4, true), (5, false), (5, true)] {
        let mut world = World::new(version, is_packed, [ANSWERED].into_iter().cycle().take(REQUESTS));
        let mut seen = world.client.down.drain();
        let framing = framing(version, is_packed);
        for turn in 1..=REQUESTS / TURN_READS {
            assert_eq!(world.turn(), Turn::More);
            assert!(world.session.is_cut() && !world.session.is_clear());
            seen.extend(world.client.down.drain());
            assert_eq!(received(framing, &seen).len(), turn * TURN_READS, "version {version}");
        }
        assert_eq!(world.turn(), Turn::Drained);
        assert!(!world.session.is_cut() && world.session.is_clear());
        seen.extend(world.client.down.drain());
        assert_eq!(received(framing, &seen).len(), REQUESTS);
        assert!(world.to_cassandra.is_empty());
    }
}

/// Who has read nothing of the engine has not held the others up.
#[test]
fn requests_that_are_cassandras_are_passed_on_in_one_turn() {
    for version in [4, 5] {
        let mut world = World::new(version, false, [KINDS].into_iter().cycle().take(REQUESTS));
        let sent_bytes = world.client.up.length();
        assert_eq!(world.turn(), Turn::Drained);
        assert_eq!(world.to_cassandra.length(), sent_bytes);
    }
}

/// A slow turn brings on something, however slow.
#[test]
fn a_turn_without_time_answers_one_request() {
    for version in [4, 5] {
        let mut world = World::new(version, false, [ANSWERED].into_iter().cycle().take(3));
        world.answerer.is_late = true;
        let mut seen = world.client.down.drain();
        for answers in 1..=3 {
            let turn = world.turn();
            assert_eq!(turn == Turn::More, answers < 3);
            seen.extend(world.client.down.drain());
            assert_eq!(received(framing(version, false), &seen).len(), answers);
        }
    }
}
