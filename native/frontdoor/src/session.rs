// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Both directions of a connection: what a client asks and what Cassandra answers, with the door's answers in between.

use std::io::{ErrorKind, Read, Result, Write};

use crate::outlet::Outlet;
use crate::protocol::{
    put_frames, unpack, Compression, Envelopes, FrameKind, Framing, Header, Inbound, Outbound, Response,
    ResponseHeader, Unit, COMPRESSED, HEADER_BYTES, REQUESTS,
};
use crate::reason::Reason;
use crate::replies::Replies;
use crate::request::{Answerer, Audition, Identity, PoolVerdict, Pooled, Request, Verdict};

/// Bytes that one turn may read before other connections have theirs.
const TURN_BYTES: usize = 256 << 10;
/// No more is read from a client, and nothing more answered, while more bytes wait for it.
const MAX_UNSENT_BYTES: usize = 256 << 10;
/// A compressed EXECUTE with more content is Cassandra's.
const MAX_BODY_BYTES: usize = 64 << 10;
/// The kind of a RESULT that tells of another keyspace of the connection.
const SET_KEYSPACE: [u8; 4] = [0, 0, 0, 3];
/// A kind, and a name.
const MAX_SET_KEYSPACE_BYTES: usize = 4 + 2 + u16::MAX as usize;
/// Requests of one connection that may be the pool's: their answers come whether the client reads or not.
const MAX_POOLED: usize = 64;
/// Answers of one connection that are compared at a time.
const MAX_AUDITIONS: usize = 16;

/// What a turn has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The source has no more bytes now.
    Drained,
    /// The target takes no more bytes now.
    Blocked,
    /// There is more to do, but others wait.
    More,
    /// The source has ended, and all its bytes are passed on.
    Ended,
}

/// What the door has answered, and the bytes of requests and answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answered {
    pub requests: u64,
    pub received_bytes: u64,
    pub sent_bytes: u64,
}

impl Answered {
    fn add(&mut self, request: &[u8], body: &[u8]) {
        self.requests += 1;
        self.received_bytes += request.len() as u64;
        self.sent_bytes += (HEADER_BYTES + body.len()) as u64;
    }
}

/// Buffers that all connections of a loop share.
#[derive(Debug)]
pub(crate) struct Work {
    read: Vec<u8>,
    envelopes: Vec<u8>,
    unpacked: Vec<u8>,
    body: Vec<u8>,
    /// Requests of one frame for Cassandra, up to one that is not, and the frames of those before.
    rest: Vec<u8>,
    frames: Vec<u8>,
    replies: Replies,
}

impl Work {
    /// * `read_bytes` the most that one read takes
    pub(crate) fn new(read_bytes: usize) -> Self {
        Work {
            read: vec![0; read_bytes],
            envelopes: Vec::new(),
            unpacked: Vec::new(),
            body: Vec::new(),
            rest: Vec::new(),
            frames: Vec::new(),
            replies: Replies::default(),
        }
    }
}

/// The state of a connection, without its sockets.
#[derive(Debug)]
pub(crate) struct Session {
    pub identity: Identity,
    inbound: Inbound,
    outbound: Outbound,
    to_cassandra: Outlet,
    to_client: Outlet,
    /// What the client has sent of a unit that is not complete.
    pending: Vec<u8>,
    /// Answers that wait for the end of a response of Cassandra's.
    held: Vec<u8>,
    /// Requests for Cassandra that wait for the end of another one.
    late: Vec<u8>,
    auditions: Vec<Audition>,
    /// Requests that are the pool's.
    pooled: usize,
    /// Streams of queries whose result may be that the connection's keyspace is another one.
    queries: Vec<[u8; 2]>,
    answered: Answered,
    /// Requests that were passed on, of which the door may answer others like them.
    promising: u64,
    /// Whether no more is read from the client than what was read needs.
    is_paused: bool,
}

impl Session {
    pub(crate) fn new(connection: u64) -> Self {
        Session {
            identity: Identity { connection, login: None },
            inbound: Inbound::default(),
            outbound: Outbound::default(),
            to_cassandra: Outlet::default(),
            to_client: Outlet::default(),
            pending: Vec::new(),
            held: Vec::new(),
            late: Vec::new(),
            auditions: Vec::new(),
            pooled: 0,
            queries: Vec::new(),
            answered: Answered::default(),
            promising: 0,
            is_paused: false,
        }
    }

    /// Whether the client's next bytes stay where they are; not while bytes that were read wait for them.
    pub(crate) fn pause(&mut self, is_paused: bool) {
        self.is_paused = is_paused;
    }

    /// Whether bytes wait: for the client, for Cassandra.
    pub(crate) fn is_blocked(&self) -> (bool, bool) {
        (self.to_client.unsent_bytes() > 0, self.to_cassandra.unsent_bytes() > 0)
    }

    /// Bytes for the client.
    fn waiting_bytes(&self) -> usize {
        self.to_client.unsent_bytes() + self.held.len()
    }

    /// Bytes that the sockets took since the last call: the client's, Cassandra's.
    pub(crate) fn take_sent_bytes(&mut self) -> (u64, u64) {
        (self.to_client.take_sent_bytes(), self.to_cassandra.take_sent_bytes())
    }

    /// Requests that began since the last call.
    pub(crate) fn take_seen(&mut self) -> [u64; REQUESTS] {
        self.inbound.take_seen()
    }

    /// Requests that the door has answered since the last call.
    pub(crate) fn take_answered(&mut self) -> Answered {
        std::mem::take(&mut self.answered)
    }

    /// Requests since the last call that were passed on, of which the door may answer others like them.
    pub(crate) fn take_promising(&mut self) -> u64 {
        std::mem::take(&mut self.promising)
    }

    /// Whether all that was read is passed on, and nothing of the door's own is on its way: then the two sockets could
    /// go on without it, wherever in a request or a response they are.
    pub(crate) fn is_clear(&self) -> bool {
        self.is_blocked() == (false, false)
            && self.pending.is_empty()
            && self.held.is_empty()
            && self.late.is_empty()
            && self.auditions.is_empty()
            && self.pooled == 0
    }

    pub(crate) fn is_opaque(&self) -> bool {
        self.inbound.is_opaque()
    }

    /// Reads what the client sends. Reads nothing more while either side takes no bytes, so that the sender feels it.
    ///
    /// * `to_end` whether the client is known to have ended, so that a short read does not mean that it is drained
    ///
    /// # Errors
    /// Those of the sockets; the connection is over then.
    pub(crate) fn client_turn(
        &mut self,
        client: &mut (impl Read + Write),
        cassandra: &mut impl Write,
        to_end: bool,
        work: &mut Work,
        answerer: &mut impl Answerer,
    ) -> Result<Turn> {
        let mut read = std::mem::take(&mut work.read);
        let turn = self.read_client(client, cassandra, to_end, &mut read, work, answerer);
        work.read = read;
        work.replies.clear();
        turn
    }

    fn read_client(
        &mut self,
        client: &mut (impl Read + Write),
        cassandra: &mut impl Write,
        to_end: bool,
        read: &mut [u8],
        work: &mut Work,
        answerer: &mut impl Answerer,
    ) -> Result<Turn> {
        let mut read_bytes = 0;
        loop {
            let is_slow = self.waiting_bytes() > MAX_UNSENT_BYTES;
            if !self.to_cassandra.flush(cassandra)? || is_slow {
                return Ok(Turn::Blocked);
            }
            if read_bytes >= TURN_BYTES {
                return Ok(Turn::More);
            }
            if self.is_paused && self.pending.is_empty() && self.late.is_empty() {
                return Ok(Turn::Drained);
            }
            let count = match client.read(read) {
                Ok(0) => {
                    let rest = std::mem::take(&mut self.pending);
                    self.to_cassandra.send(cassandra, &rest)?;
                    let is_over = self.to_cassandra.unsent_bytes() == 0;
                    return Ok(if is_over { Turn::Ended } else { Turn::Blocked });
                }
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Turn::Drained),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            read_bytes += count;
            self.take(read.get(..count).unwrap_or_default(), cassandra, work, answerer)?;
            self.send_replies(client, work)?;
            if count < read.len() && !to_end {
                // epoll(7): a short read of a stream socket has emptied it, and later bytes are a new edge
                let is_blocked = self.to_cassandra.unsent_bytes() > 0;
                return Ok(if is_blocked { Turn::Blocked } else { Turn::Drained });
            }
        }
    }

    /// Answers or passes on what a client has sent.
    fn take(
        &mut self,
        bytes: &[u8],
        cassandra: &mut impl Write,
        work: &mut Work,
        answerer: &mut impl Answerer,
    ) -> Result<()> {
        let mut joined = std::mem::take(&mut self.pending);
        let bytes = if joined.is_empty() {
            bytes
        } else {
            joined.extend_from_slice(bytes);
            &joined
        };
        // What is before `from` has been dealt with; from there to `at` all is Cassandra's.
        let (mut from, mut at) = (0, 0);
        let mut envelopes = std::mem::take(&mut work.envelopes);
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            // Also those of another connection, if that has failed.
            work.frames.clear();
            let length = match self.inbound.next(rest, &mut envelopes) {
                Unit::Incomplete => break,
                Unit::Pass(length) => {
                    at += length;
                    continue;
                }
                Unit::Execute(header, envelope) => {
                    if !self.execute(header, envelope, work, answerer) {
                        at += envelope.len();
                        continue;
                    }
                    envelope.len()
                }
                Unit::Frame(kind, frame) => {
                    if !self.frame(kind, &envelopes, work, answerer) {
                        at += frame.len();
                        continue;
                    }
                    frame.len()
                }
            };
            self.to_cassandra.send(cassandra, bytes.get(from..at).unwrap_or_default())?;
            self.to_cassandra.send(cassandra, &work.frames)?;
            at += length;
            from = at;
        }
        work.envelopes = envelopes;
        self.to_cassandra.send(cassandra, bytes.get(from..at).unwrap_or_default())?;
        self.pending.extend_from_slice(bytes.get(at..).unwrap_or_default());
        if let Some(framing) = self.inbound.framing() {
            self.outbound.expect(framing);
        }
        self.queries.extend(self.inbound.take_queries());
        self.send_late(cassandra)
    }

    /// Whether an EXECUTE is the door's.
    fn execute(&mut self, header: Header, envelope: &[u8], work: &mut Work, answerer: &mut impl Answerer) -> bool {
        let Some(framing) = self.outbound_framing() else { return false };
        let sent = envelope.get(HEADER_BYTES..).unwrap_or_default();
        // Where bodies are not compressed one by one, the flag means nothing to Cassandra; drivers set it in frames, too.
        let is_packed = header.flags & COMPRESSED != 0 && framing == Framing::Envelopes(Compression::Lz4);
        let mut unpacked = std::mem::take(&mut work.unpacked);
        unpacked.clear();
        let body = match is_packed {
            false => Some(sent),
            true => unpack(sent, MAX_BODY_BYTES, &mut unpacked).then_some(&unpacked[..]),
        };
        let header = Header { flags: header.flags & !COMPRESSED, ..header };
        let is_answered = body.is_some_and(|body| {
            let request = Request { header, body, envelope, may_wait: self.pooled < MAX_POOLED };
            self.decide(framing, &request, work, answerer)
        });
        work.unpacked = unpacked;
        is_answered
    }

    /// The framing in which answers go to the client; `None` before STARTUP is answered.
    fn outbound_framing(&self) -> Option<Framing> {
        self.inbound.framing().filter(|_| self.outbound.has_started())
    }

    fn decide(
        &mut self,
        framing: Framing,
        request: &Request<'_>,
        work: &mut Work,
        answerer: &mut impl Answerer,
    ) -> bool {
        if self.waiting_bytes() + work.replies.bytes() > MAX_UNSENT_BYTES {
            answerer.passed(Reason::Backlog);
            self.promising += 1;
            return false;
        }
        work.body.clear();
        match answerer.answer(&self.identity, framing, request, &mut work.body) {
            Verdict::Answered => {
                self.answered.add(request.envelope, &work.body);
                work.replies.add(framing, request.header.version, request.header.stream, &work.body);
                true
            }
            Verdict::Pooled => {
                self.pooled += 1;
                true
            }
            Verdict::Passed => false,
            Verdict::PassedForNow => {
                self.promising += 1;
                false
            }
            Verdict::Auditioned(audition) => {
                self.promising += 1;
                self.audition(audition);
                false
            }
        }
    }

    fn audition(&mut self, audition: Audition) {
        if self.auditions.len() < MAX_AUDITIONS {
            self.auditions.push(audition);
        }
    }

    /// Whether a part of a frame's requests is the door's; the others are in `work.frames` then. Those before and
    /// those behind one of the door's are in two frames: two undecodable requests in a row of one frame make Cassandra
    /// end the connection.
    fn frame(&mut self, kind: FrameKind, envelopes: &[u8], work: &mut Work, answerer: &mut impl Answerer) -> bool {
        work.rest.clear();
        let mut is_answered = false;
        for (header, envelope) in Envelopes::new(envelopes) {
            if self.inbound.may_answer(&header) && self.execute(header, envelope, work, answerer) {
                is_answered = true;
                put_frames(kind, &work.rest, &mut work.frames);
                work.rest.clear();
            } else {
                work.rest.extend_from_slice(envelope);
            }
        }
        if is_answered {
            put_frames(kind, &work.rest, &mut work.frames);
        }
        is_answered
    }

    fn send_late(&mut self, cassandra: &mut impl Write) -> Result<()> {
        if self.late.is_empty() {
            return Ok(());
        }
        if self.inbound.is_opaque() {
            return Err(ErrorKind::InvalidData.into());
        }
        if self.inbound.is_between_requests() {
            let late = std::mem::take(&mut self.late);
            self.to_cassandra.send(cassandra, &late)?;
        }
        Ok(())
    }

    /// Sends the answers of this turn, or holds them while a response of Cassandra's is on its way.
    fn send_replies(&mut self, client: &mut impl Write, work: &mut Work) -> Result<()> {
        if work.replies.is_empty() {
            return Ok(());
        }
        let Some(framing) = self.inbound.framing() else { return Err(ErrorKind::InvalidData.into()) };
        let bytes = work.replies.finish(framing);
        if self.outbound.gap().is_some() && self.held.is_empty() {
            self.to_client.send(client, bytes)?;
        } else if self.outbound.is_lost() {
            return Err(ErrorKind::InvalidData.into());
        } else {
            self.held.extend_from_slice(bytes);
        }
        work.replies.clear();
        Ok(())
    }

    /// Takes what the pool has made of a request.
    pub(crate) fn pooled(
        &mut self,
        pooled: Pooled,
        client: &mut impl Write,
        cassandra: &mut impl Write,
        work: &mut Work,
    ) -> Result<()> {
        self.pooled -= 1;
        match pooled.verdict {
            PoolVerdict::Answered(body) => {
                self.answered.add(&pooled.envelope, &body);
                work.replies.add(pooled.framing, pooled.header.version, pooled.header.stream, &body);
                return self.send_replies(client, work);
            }
            PoolVerdict::Auditioned(audition) => self.audition(audition),
            PoolVerdict::Passed => {}
        }
        self.promising += 1;
        match pooled.framing {
            Framing::Envelopes(_) => self.late.extend_from_slice(&pooled.envelope),
            Framing::Frames(kind) => put_frames(kind, &pooled.envelope, &mut self.late),
        }
        self.send_late(cassandra)
    }

    /// Passes on what Cassandra sends, with the door's answers between its responses.
    ///
    /// # Errors
    /// Those of the sockets; the connection is over then.
    pub(crate) fn cassandra_turn(
        &mut self,
        cassandra: &mut impl Read,
        client: &mut impl Write,
        to_end: bool,
        work: &mut Work,
        answerer: &mut impl Answerer,
    ) -> Result<Turn> {
        let mut read_bytes = 0;
        loop {
            if !self.to_client.flush(client)? {
                return Ok(Turn::Blocked);
            }
            if read_bytes >= TURN_BYTES {
                return Ok(Turn::More);
            }
            let count = match cassandra.read(&mut work.read) {
                Ok(0) => return Ok(Turn::Ended),
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Turn::Drained),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            read_bytes += count;
            self.pass_responses(work.read.get(..count).unwrap_or_default(), client, answerer)?;
            if count < work.read.len() && !to_end {
                let is_blocked = self.to_client.unsent_bytes() > 0;
                return Ok(if is_blocked { Turn::Blocked } else { Turn::Drained });
            }
        }
    }

    fn pass_responses(&mut self, bytes: &[u8], client: &mut impl Write, answerer: &mut impl Answerer) -> Result<()> {
        let (mut from, mut at) = (0, 0);
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let (auditions, queries, identity) = (&mut self.auditions, &mut self.queries, &mut self.identity);
            let wants = !auditions.is_empty() || !queries.is_empty();
            at += self.outbound.advance(rest, wants, &mut |response| {
                judge(auditions, identity, &response, answerer);
                if is_of_query(queries, &response) && is_set_keyspace(&response) {
                    // It was admitted with the former keyspace.
                    identity.login = None;
                }
            });
            if !self.held.is_empty() && self.outbound.gap().is_some() {
                self.to_client.send(client, bytes.get(from..at).unwrap_or_default())?;
                let held = std::mem::take(&mut self.held);
                self.to_client.send(client, &held)?;
                from = at;
            }
        }
        self.to_client.send(client, bytes.get(from..at).unwrap_or_default())
    }
}

/// Compares the response with the audition of its stream, if there is one.
fn judge(auditions: &mut Vec<Audition>, identity: &Identity, response: &Response<'_>, answerer: &mut impl Answerer) {
    let (header, body) = match *response {
        Response::Whole(header, body) => (header, Some(body)),
        Response::Large(header) => (header, None),
    };
    if let Some(at) = auditions.iter().position(|audition| audition.header.stream == header.stream) {
        let audition = auditions.swap_remove(at);
        answerer.judge(identity, audition, header.flags, header.opcode, body);
    }
}

/// Whether this is the response to one of the queries, which is taken off them.
fn is_of_query(queries: &mut Vec<[u8; 2]>, response: &Response<'_>) -> bool {
    let (Response::Whole(header, _) | Response::Large(header)) = response;
    let at = queries.iter().position(|stream| *stream == header.stream);
    at.map(|at| queries.swap_remove(at)).is_some()
}

/// Whether this is the result of a USE.
fn is_set_keyspace(response: &Response<'_>) -> bool {
    let Response::Whole(header, body) = response else { return false };
    if header.flags & !COMPRESSED != 0 {
        // Warnings or a trace come first: who is admitted anew loses nothing.
        return true;
    }
    let mut unpacked = Vec::new();
    let body = match header.flags & COMPRESSED {
        0 => *body,
        _ if unpack(body, MAX_SET_KEYSPACE_BYTES, &mut unpacked) => &unpacked,
        _ => return false,
    };
    header.opcode == ResponseHeader::RESULT && body.starts_with(&SET_KEYSPACE)
}

#[cfg(test)]
mod tests;
