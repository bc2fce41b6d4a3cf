// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Requests that shared a frame with answered ones.

use super::pipes::{Duplex, Pipe};
use super::scripted::{Scripted, ANSWERED, KINDS, POOLED};
use super::wire::{envelope, framing, sent, startup};
use crate::protocol::{Envelopes, FrameHeader, Framing};
use crate::session::{Session, Work};

/// Cassandra forgives one request of a frame that it cannot decode, and forgets it with the next one that it can: a frame
/// without the answered ones in between would look like garbage to it.
#[test]
fn requests_on_both_sides_of_an_answered_one_are_in_two_frames() {
    for is_packed in [false, true] {
        let framing = framing(5, is_packed);
        let Framing::Frames(frame_kind) = framing else { unreachable!("version 5 has frames") };
        let (up, to_cassandra, from_cassandra) = (Pipe::default(), Pipe::default(), Pipe::default());
        let mut client = Duplex { up: up.clone(), down: Pipe::default() };
        let (mut session, mut work, mut answerer) = (Session::new(1), Work::new(1000), Scripted::default());
        let mut turn = |session: &mut Session| {
            session.client_turn(&mut client, &mut to_cassandra.clone(), true, &mut work, &mut answerer).unwrap();
            session.cassandra_turn(&mut from_cassandra.clone(), &mut client, true, &mut work, &mut answerer).unwrap();
        };
        up.put(&startup(5, is_packed));
        from_cassandra.put(&envelope(0x85, 0, 0, 2, &[]));
        turn(&mut session);
        to_cassandra.drain();
        let kinds = [ANSWERED, KINDS, KINDS, ANSWERED, POOLED, KINDS, ANSWERED, KINDS, KINDS, KINDS];
        let group = kinds.iter().zip(1..).map(|(kind, stream)| (stream, vec![*kind; 9])).collect();
        up.put(&sent(framing, 5, &[group]));
        turn(&mut session);
        let bytes = to_cassandra.drain();
        let mut rest = &bytes[..];
        let mut found = Vec::new();
        while !rest.is_empty() {
            let header = FrameHeader::parse(frame_kind, rest).unwrap();
            let (frame, behind) = rest.split_at(header.frame_bytes());
            let mut envelopes = Vec::new();
            header.unpack(frame, &mut envelopes).unwrap();
            found.push(Envelopes::new(&envelopes).map(|(header, _)| header.stream[1]).collect::<Vec<_>>());
            rest = behind;
        }
        assert_eq!(found, [vec![2, 3], vec![6], vec![8, 9, 10]]);
    }
}
