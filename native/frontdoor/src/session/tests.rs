// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A session between sockets that read and write as little as they like, at any time: whoever answers, every request
//! has one answer, whole.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::protocol::{
    put_frames, put_result_header, unpack, Compression, Envelopes, FrameHeader, Framing, Inbound, ResponseHeader,
    COMPRESSED,
};
use crate::reason::Reason;
use crate::request::{Answerer, PoolVerdict, Pooled, Request, Verdict};
use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::io::{ErrorKind, Read, Result, Write};
use std::rc::Rc;

/// Bytes on their way, which move as a script says.
#[derive(Clone, Default)]
struct Pipe(Rc<RefCell<PipeState>>);

#[derive(Default)]
struct PipeState {
    bytes: VecDeque<u8>,
    script: VecDeque<Option<usize>>,
}

impl Pipe {
    fn scripted(script: &[Option<usize>]) -> Self {
        Pipe(Rc::new(RefCell::new(PipeState { bytes: VecDeque::new(), script: script.iter().copied().collect() })))
    }

    fn put(&self, bytes: &[u8]) {
        self.0.borrow_mut().bytes.extend(bytes);
    }

    fn drain(&self) -> Vec<u8> {
        self.0.borrow_mut().bytes.drain(..).collect()
    }

    fn is_empty(&self) -> bool {
        self.0.borrow().bytes.is_empty()
    }

    /// How many of `wanted` bytes the next call moves; all after the end of the script.
    fn step(&self, wanted: usize) -> Result<usize> {
        match self.0.borrow_mut().script.pop_front() {
            Some(None) => Err(ErrorKind::WouldBlock.into()),
            Some(Some(most)) => Ok(wanted.min(most.max(1))),
            None => Ok(wanted),
        }
    }
}

impl Read for Pipe {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        let left = self.0.borrow().bytes.len();
        if left == 0 {
            return Err(ErrorKind::WouldBlock.into());
        }
        let count = self.step(left.min(into.len()))?;
        into[..count].iter_mut().zip(self.0.borrow_mut().bytes.drain(..count)).for_each(|(to, from)| *to = from);
        Ok(count)
    }
}

impl Write for Pipe {
    fn write(&mut self, from: &[u8]) -> Result<usize> {
        let count = self.step(from.len())?;
        self.put(&from[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

/// The client's end of a pair of pipes.
struct Duplex {
    up: Pipe,
    down: Pipe,
}

impl Read for Duplex {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        self.up.read(into)
    }
}

impl Write for Duplex {
    fn write(&mut self, from: &[u8]) -> Result<usize> {
        self.down.write(from)
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Decides by the first byte of the body.
#[derive(Default)]
struct Scripted {
    pooled: Vec<Pooled>,
    judged: Vec<(u16, bool)>,
}

const ANSWERED: u8 = 0;
const POOLED: u8 = 1;
const POOLED_IN_VAIN: u8 = 2;
const AUDITIONED: u8 = 3;
const KINDS: u8 = 5;

impl Answerer for Scripted {
    fn answer(&mut self, _: &Identity, framing: Framing, request: &Request<'_>, body: &mut Vec<u8>) -> Verdict {
        assert_eq!(request.header.flags, 0);
        let answer = [b"door".as_slice(), request.body].concat();
        match request.body.first() {
            Some(&ANSWERED) => {
                body.extend_from_slice(&answer);
                Verdict::Answered
            }
            Some(&kind @ (POOLED | POOLED_IN_VAIN)) => {
                let verdict = if kind == POOLED { PoolVerdict::Answered(answer) } else { PoolVerdict::Passed };
                let envelope = request.envelope.to_vec();
                self.pooled.push(Pooled { header: request.header, envelope, framing, verdict });
                Verdict::Pooled
            }
            Some(&AUDITIONED) => Verdict::Auditioned(Audition {
                prepared: prepared(),
                header: request.header,
                request: request.body.to_vec(),
                body: [b"cassandra".as_slice(), request.body].concat(),
            }),
            _ => Verdict::Passed,
        }
    }

    fn passed(&mut self, _: Reason) {}

    fn judge(&mut self, _: &Identity, audition: Audition, flags: u8, _: u8, body: Option<&[u8]>) {
        let stream = u16::from_be_bytes(audition.header.stream);
        let mut unpacked = Vec::new();
        let body = body.map(|body| match flags & COMPRESSED {
            0 => body,
            _ => {
                assert!(unpack(body, 1 << 20, &mut unpacked));
                &unpacked[..]
            }
        });
        // A large answer is not looked at.
        self.judged.push((stream, body.is_none_or(|body| body == audition.body)));
    }
}

fn prepared() -> std::sync::Arc<crate::prepared::Prepared> {
    std::sync::Arc::new(crate::prepared::Prepared::new(crate::prepared::tests::plan([1; 16], [2; 16])))
}

fn envelope(version: u8, flags: u8, stream: u16, opcode: u8, body: &[u8]) -> Vec<u8> {
    let [high, low] = stream.to_be_bytes();
    let length = u32::try_from(body.len()).unwrap().to_be_bytes();
    [&[version, flags, high, low, opcode][..], &length, body].concat()
}

fn startup(version: u8, is_packed: bool) -> Vec<u8> {
    let options: &[u8] = if is_packed { b"\x00\x01\x00\x0bCOMPRESSION\x00\x03lz4" } else { b"\x00\x00" };
    envelope(version, 0, 0, 1, options)
}

fn framing(version: u8, is_packed: bool) -> Framing {
    let mut inbound = Inbound::default();
    inbound.next(&startup(version, is_packed), &mut Vec::new());
    inbound.framing().unwrap()
}

/// Requests as a client sends them, those of one group together.
fn sent(framing: Framing, version: u8, groups: &[Vec<(u16, Vec<u8>)>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for group in groups {
        let mut payload = Vec::new();
        for (stream, body) in group {
            let opcode = if body.first() == Some(&(KINDS - 1)) { 7 } else { 10 };
            let mut packed = Vec::new();
            match framing {
                Framing::Envelopes(Compression::Lz4) => {
                    crate::protocol::pack(body, &mut packed);
                    payload.extend(envelope(version, COMPRESSED, *stream, opcode, &packed));
                }
                // Drivers say it in compressed frames, too, where it means nothing.
                _ => payload.extend(envelope(version, COMPRESSED, *stream, opcode, body)),
            }
        }
        match framing {
            Framing::Envelopes(_) => bytes.extend(payload),
            Framing::Frames(kind) => put_frames(kind, &payload, &mut bytes),
        }
    }
    bytes
}

/// Cassandra: answers every request that reaches it.
struct Cassandra {
    pending: Vec<u8>,
    framing: Framing,
    version: u8,
    has_started: bool,
    /// Envelopes out of frames.
    payload: Vec<u8>,
}

impl Cassandra {
    fn serve(&mut self, bytes: &[u8], answers: &Pipe) {
        self.pending.extend_from_slice(bytes);
        let pending = std::mem::take(&mut self.pending);
        let mut at = 0;
        let mut out = Vec::new();
        if !self.has_started {
            let whole = startup(self.version, self.framing != framing(self.version, false)).len();
            if pending.len() < whole {
                self.pending = pending;
                return;
            }
            (self.has_started, at) = (true, whole);
            out.extend(envelope(self.version | 0x80, 0, 0, 2, &[]));
        }
        if let Framing::Frames(kind) = self.framing {
            while let Ok(header) = FrameHeader::parse(kind, &pending[at..]) {
                let Some(frame) = pending[at..].get(..header.frame_bytes()) else { break };
                assert!(header.is_intact(frame));
                header.unpack(frame, &mut self.payload).unwrap();
                at += frame.len();
            }
        } else {
            self.payload.extend_from_slice(&pending[at..]);
            at = pending.len();
        }
        self.pending = pending[at..].to_vec();
        let mut group = Vec::new();
        let mut served = 0;
        for (header, envelope) in Envelopes::new(&self.payload) {
            let mut unpacked = Vec::new();
            let body = match self.framing {
                Framing::Envelopes(Compression::Lz4) => {
                    assert!(unpack(&envelope[HEADER_BYTES..], 1 << 20, &mut unpacked));
                    &unpacked
                }
                _ => &envelope[HEADER_BYTES..],
            };
            group.push((header.stream, [b"cassandra".as_slice(), body].concat()));
            served += envelope.len();
        }
        self.payload.drain(..served);
        // One frame holds no more.
        group.iter().for_each(|one| self.respond(std::slice::from_ref(one), &mut out));
        answers.put(&out);
    }

    fn respond(&self, group: &[([u8; 2], Vec<u8>)], out: &mut Vec<u8>) {
        let mut payload = Vec::new();
        for (stream, body) in group {
            let mut packed = Vec::new();
            let (flags, body) = match self.framing {
                Framing::Envelopes(Compression::Lz4) => {
                    crate::protocol::pack(body, &mut packed);
                    (COMPRESSED, &packed)
                }
                _ => (0, body),
            };
            put_result_header(self.version, flags, *stream, body.len() as u32, &mut payload);
            payload.extend_from_slice(body);
        }
        match self.framing {
            Framing::Envelopes(_) => out.extend(payload),
            Framing::Frames(kind) => put_frames(kind, &payload, out),
        }
    }
}

/// All responses that a client has received, by stream.
fn received(framing: Framing, bytes: &[u8]) -> BTreeMap<u16, Vec<u8>> {
    let ready = HEADER_BYTES;
    let mut envelopes = Vec::new();
    match framing {
        Framing::Envelopes(_) => envelopes.extend_from_slice(&bytes[ready..]),
        Framing::Frames(kind) => {
            let mut rest = &bytes[ready..];
            while !rest.is_empty() {
                let header = FrameHeader::parse(kind, rest).unwrap();
                let (frame, behind) = rest.split_at(header.frame_bytes());
                assert!(header.is_intact(frame));
                header.unpack(frame, &mut envelopes).unwrap();
                rest = behind;
            }
        }
    }
    let mut found = BTreeMap::new();
    let mut rest = &envelopes[..];
    while !rest.is_empty() {
        let header = ResponseHeader::parse(rest.first_chunk().unwrap()).unwrap();
        let (envelope, behind) = rest.split_at(HEADER_BYTES + header.body_bytes as usize);
        let mut unpacked = Vec::new();
        let body = match header.flags & COMPRESSED {
            0 => envelope[HEADER_BYTES..].to_vec(),
            _ => {
                assert!(unpack(&envelope[HEADER_BYTES..], 1 << 20, &mut unpacked));
                unpacked
            }
        };
        assert_eq!(found.insert(u16::from_be_bytes(header.stream), body), None, "two answers");
        rest = behind;
    }
    found
}

fn steps() -> impl Strategy<Value = Vec<Option<usize>>> {
    prop::collection::vec(prop::option::of(1usize..300), 0..60)
}

fn groups() -> impl Strategy<Value = Vec<Vec<Vec<u8>>>> {
    let size = prop_oneof![12 => 1usize..200, 1 => 30_000usize..60_000, 1 => 140_000usize..300_000];
    let body = (0..KINDS, size).prop_map(|(kind, size)| [vec![kind], vec![7; size]].concat());
    let group = prop::collection::vec(body, 1..5).prop_map(|mut group| {
        // What does not fit into one frame is sent alone.
        if group.iter().map(Vec::len).sum::<usize>() > 100_000 {
            group.truncate(1);
        }
        group
    });
    prop::collection::vec(group, 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn every_request_has_one_answer(
        version in 3u8..=5,
        is_packed in any::<bool>(),
        groups in groups(),
        scripts in prop::collection::vec(steps(), 5),
        read_bytes in prop_oneof![1usize..300, Just(128 << 10)],
        order in prop::collection::vec(0u8..4, 0..200),
        // From this step on the client's socket is handed over as soon as that is possible.
        leaves in prop::option::of(0usize..250),
    ) {
        let framing = framing(version, is_packed);
        let mut streams = 0..;
        let groups: Vec<Vec<(u16, Vec<u8>)>> =
            groups.into_iter().map(|group| group.into_iter().map(|body| (streams.next().unwrap(), body)).collect()).collect();
        let (up, down) = (Pipe::scripted(&scripts[0]), Pipe::scripted(&scripts[1]));
        let (to_cassandra, from_cassandra) = (Pipe::scripted(&scripts[2]), Pipe::scripted(&scripts[3]));
        // What Cassandra has not written yet: it stops in the middle of a response, too.
        let mut unwritten = Pipe::scripted(&scripts[4]);
        let mut client = Duplex { up: up.clone(), down: down.clone() };
        let mut cassandra = Cassandra {
            pending: Vec::new(), framing, version, has_started: false, payload: Vec::new(),
        };
        let mut session = Session::new(1);
        let mut work = Work::new(read_bytes);
        let mut answerer = Scripted::default();
        let mut seen = Vec::new();
        up.put(&startup(version, is_packed));
        let mut bytes = sent(framing, version, &groups);
        let mut order = order.into_iter().chain([0, 1, 2, 3].into_iter().cycle().take(20_000));
        let mut idle = 0;
        let (mut step, mut has_left) = (0, false);
        while idle < 8 {
            step += 1;
            session.pause(leaves.is_some_and(|from| step >= from) && step % 64 < 32);
            let is_pair_empty = to_cassandra.is_empty() && from_cassandra.is_empty();
            if leaves.is_some_and(|from| step >= from) && session.is_clear() && is_pair_empty {
                has_left = true;
                prop_assert!(answerer.pooled.is_empty());
            }
            // A client sends requests once STARTUP is answered.
            if seen.len() >= HEADER_BYTES {
                up.put(&std::mem::take(&mut bytes));
            }
            let is_quiet = || up.is_empty() && to_cassandra.is_empty() && from_cassandra.is_empty();
            let before = (seen.len(), is_quiet(), unwritten.0.borrow().bytes.len(), answerer.pooled.len());
            match order.next() {
                Some(0) if has_left => to_cassandra.put(&up.drain()),
                Some(1) if has_left => down.put(&from_cassandra.drain()),
                Some(0) => drop(session.client_turn(&mut client, &mut to_cassandra.clone(), true, &mut work, &mut answerer).unwrap()),
                Some(1) => drop(session.cassandra_turn(&mut from_cassandra.clone(), &mut client, true, &mut work, &mut answerer).unwrap()),
                Some(2) => {
                    cassandra.serve(&to_cassandra.drain(), &unwritten);
                    let mut bytes = [0; 1000];
                    let count = unwritten.read(&mut bytes).unwrap_or_default();
                    from_cassandra.put(&bytes[..count]);
                }
                Some(_) => {
                    if let Some(pooled) = answerer.pooled.pop() {
                        session.pooled(pooled, &mut client, &mut to_cassandra.clone(), &mut work).unwrap();
                    }
                }
                None => prop_assert!(false, "it does not end"),
            }
            seen.extend(down.drain());
            let after = (seen.len(), is_quiet(), unwritten.0.borrow().bytes.len(), answerer.pooled.len());
            let is_over = after.1 && after.2 == 0 && after.3 == 0 && session.is_blocked() == (false, false) && bytes.is_empty();
            idle = if before == after && is_over { idle + 1 } else { 0 };
        }
        let all: BTreeMap<u16, Vec<u8>> = groups.concat().into_iter().collect();
        let answers = received(framing, &seen);
        prop_assert_eq!(answers.len(), all.len());
        for (stream, body) in &all {
            let is_small = body.len() <= 60_000 || version == 5 && body.len() < 100_000;
            let by_door = is_small && matches!(body[0], ANSWERED | POOLED);
            let is_by = |by: &[u8]| answers[stream] == [by, body].concat();
            let is_right = if by_door { is_by(b"door") || has_left && is_by(b"cassandra") } else { is_by(b"cassandra") };
            prop_assert!(is_right, "stream {}", stream);
        }
        prop_assert!(leaves.is_none_or(|from| has_left || step < from));
        prop_assert!(answerer.judged.iter().all(|(_, is_equal)| *is_equal));
    }
}

#[test]
fn a_use_ends_what_a_connection_was_admitted_for() {
    for (version, is_packed) in [(3, false), (4, true), (5, false), (5, true)] {
        for (kind, stays) in [(3u8, false), (2, true)] {
            let framing = framing(version, is_packed);
            let cassandra = Cassandra { pending: Vec::new(), framing, version, has_started: true, payload: Vec::new() };
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

/// A session between pipes that take everything, in version 4, after STARTUP.
struct Started {
    session: Session,
    work: Work,
    answerer: Scripted,
    client: Duplex,
    to_cassandra: Pipe,
    from_cassandra: Pipe,
}

impl Started {
    fn new() -> Self {
        let client = Duplex { up: Pipe::default(), down: Pipe::default() };
        let (to_cassandra, from_cassandra) = (Pipe::default(), Pipe::default());
        let (session, work, answerer) = (Session::new(1), Work::new(1000), Scripted::default());
        let mut started = Started { session, work, answerer, client, to_cassandra, from_cassandra };
        started.client_sends(&startup(4, false));
        started.cassandra_sends(&envelope(0x84, 0, 0, 2, &[]));
        started
    }

    fn client_sends(&mut self, bytes: &[u8]) {
        self.client.up.put(bytes);
        let (work, answerer) = (&mut self.work, &mut self.answerer);
        self.session.client_turn(&mut self.client, &mut self.to_cassandra.clone(), true, work, answerer).unwrap();
    }

    fn cassandra_sends(&mut self, bytes: &[u8]) {
        self.from_cassandra.put(bytes);
        let (work, answerer) = (&mut self.work, &mut self.answerer);
        self.session.cassandra_turn(&mut self.from_cassandra.clone(), &mut self.client, true, work, answerer).unwrap();
    }

    fn pool_answers(&mut self) {
        let pooled = self.answerer.pooled.pop().unwrap();
        self.session.pooled(pooled, &mut self.client, &mut self.to_cassandra.clone(), &mut self.work).unwrap();
    }
}

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

/// A socket whose other side has gone.
struct Gone;

impl Write for Gone {
    fn write(&mut self, _: &[u8]) -> Result<usize> {
        Err(ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

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
