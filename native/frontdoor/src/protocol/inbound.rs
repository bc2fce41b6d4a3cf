// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a client sends, cut into what the door may answer and what it only passes on.

use super::envelope::{Header, Opcode, HEADER_BYTES};
use super::frame::{FrameHeader, FrameKind};
use super::large_message::LargeMessage;
use super::negotiated::Negotiated;
use super::startup::{framing, Framing};
use super::{Compression, REQUESTS};

/// A STARTUP body that is longer has no meaning for the door.
const MAX_STARTUP_BYTES: usize = 4 << 10;
/// A longer query is no USE.
const MAX_USE_BYTES: u32 = 4 << 10;
/// A longer EXECUTE is passed on as it comes.
const MAX_EXECUTE_BYTES: usize = 64 << 10;

/// The stream of one client. After bytes that it does not understand the client is opaque for good.
#[derive(Debug, Default)]
pub(crate) struct Inbound {
    state: State,
    /// That of STARTUP: another one is refused by Cassandra.
    version: u8,
    /// Bytes of an envelope that are passed on as they come.
    passing_bytes: usize,
    large: LargeMessage,
    seen: [u64; REQUESTS],
    /// Streams of short queries, of which each may be a USE.
    queries: Vec<[u8; 2]>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Envelopes, until STARTUP.
    #[default]
    Starting,
    Started(Framing),
    Opaque,
}

/// What comes next in the stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unit<'a> {
    /// So many bytes for Cassandra.
    Pass(usize),
    /// A whole EXECUTE, with its header.
    Execute(Header, &'a [u8]),
    /// A whole frame with an EXECUTE in it, its form and bytes, and its envelopes in the caller's buffer.
    Frame(FrameKind, &'a [u8]),
    /// Nothing before more bytes come.
    Incomplete,
}

impl Inbound {
    /// A stream that begins behind STARTUP, with a whole unit.
    pub(crate) fn started(negotiated: Negotiated) -> Self {
        let Negotiated { version, framing } = negotiated;
        Inbound { state: State::Started(framing), version, ..Inbound::default() }
    }

    /// The next unit in front of `bytes`, which are not empty. It is not to be asked for again, unless it is
    /// [`Unit::Incomplete`].
    ///
    /// `envelopes` holds those of a [`Unit::Frame`] afterwards.
    pub(crate) fn next<'a>(&mut self, bytes: &'a [u8], envelopes: &mut Vec<u8>) -> Unit<'a> {
        if self.passing_bytes > 0 {
            let count = bytes.len().min(self.passing_bytes);
            self.passing_bytes -= count;
            return Unit::Pass(count);
        }
        match self.state {
            State::Opaque => Unit::Pass(bytes.len()),
            State::Starting | State::Started(Framing::Envelopes(_)) => self.envelope(bytes),
            State::Started(Framing::Frames(kind)) => self.frame(kind, bytes, envelopes),
        }
    }

    /// Whether nothing more can be told of this client.
    pub(crate) fn is_opaque(&self) -> bool {
        self.state == State::Opaque
    }

    /// What STARTUP has asked for, once it is known.
    pub(crate) fn framing(&self) -> Option<Framing> {
        match self.state {
            State::Started(framing) => Some(framing),
            State::Starting | State::Opaque => None,
        }
    }

    /// What a stream like this one begins with behind STARTUP, once that is known.
    pub(crate) fn negotiated(&self) -> Option<Negotiated> {
        self.framing().map(|framing| Negotiated { version: self.version, framing })
    }

    /// Whether all that was passed on is whole: another request may follow.
    pub(crate) fn is_between_requests(&self) -> bool {
        self.passing_bytes == 0 && self.large.is_over() && !self.is_opaque()
    }

    /// Whether a request is of the kind that the door answers.
    pub(crate) fn may_answer(&self, header: &Header) -> bool {
        header.opcode == Opcode::Execute && header.version == self.version
    }

    /// The requests that began since the last call, in the order of [`Opcode::ALL`].
    pub(crate) fn take_seen(&mut self) -> [u64; REQUESTS] {
        std::mem::take(&mut self.seen)
    }

    /// The streams of queries since the last call that may change the connection's keyspace.
    pub(crate) fn take_queries(&mut self) -> std::vec::Drain<'_, [u8; 2]> {
        self.queries.drain(..)
    }

    fn envelope<'a>(&mut self, bytes: &'a [u8]) -> Unit<'a> {
        // Cassandra looks at the version before the rest has come.
        if !bytes.first().is_some_and(|version| Header::is_known_version(*version)) {
            return self.opaque(bytes.len());
        }
        let Some(first) = bytes.first_chunk::<HEADER_BYTES>() else { return Unit::Incomplete };
        let Some(header) = Header::parse(first) else { return self.opaque(bytes.len()) };
        let whole = bytes.get(..header.envelope_bytes());
        match (self.state, header.opcode) {
            (State::Starting, Opcode::Startup) => {
                let Some(whole) = whole else {
                    let is_too_long = header.body_bytes as usize > MAX_STARTUP_BYTES;
                    return if is_too_long { self.opaque(bytes.len()) } else { Unit::Incomplete };
                };
                self.count(&header);
                self.version = header.version;
                let known = framing(&header, whole.get(HEADER_BYTES..).unwrap_or_default());
                self.state = known.map_or(State::Opaque, State::Started);
                Unit::Pass(whole.len())
            }
            (State::Started(Framing::Envelopes(compression)), _)
                if self.may_answer(&header)
                    && compression != Compression::Other
                    && header.body_bytes as usize <= MAX_EXECUTE_BYTES =>
            {
                let Some(whole) = whole else { return Unit::Incomplete };
                self.count(&header);
                Unit::Execute(header, whole)
            }
            _ => {
                self.count(&header);
                let count = bytes.len().min(header.envelope_bytes());
                self.passing_bytes = header.envelope_bytes() - count;
                Unit::Pass(count)
            }
        }
    }

    fn frame<'a>(&mut self, kind: FrameKind, bytes: &'a [u8], envelopes: &mut Vec<u8>) -> Unit<'a> {
        if bytes.len() < kind.header_bytes() {
            return Unit::Incomplete;
        }
        let Ok(header) = FrameHeader::parse(kind, bytes) else { return self.opaque(bytes.len()) };
        let Some(frame) = bytes.get(..header.frame_bytes()) else { return Unit::Incomplete };
        if !header.is_self_contained {
            return self.part(&header, frame, envelopes);
        }
        envelopes.clear();
        // What is corrupt Cassandra sees to.
        let has_execute = header.unpack(frame, envelopes).is_ok() && self.count_all(envelopes);
        if has_execute && header.is_intact(frame) {
            Unit::Frame(kind, frame)
        } else {
            Unit::Pass(frame.len())
        }
    }

    /// A part of an envelope that fills several frames.
    fn part<'a>(&mut self, header: &FrameHeader, frame: &'a [u8], envelopes: &mut Vec<u8>) -> Unit<'a> {
        if !self.large.is_over() {
            self.large.go_on(header);
            return Unit::Pass(frame.len());
        }
        envelopes.clear();
        let unpacked = header.unpack(frame, envelopes);
        let envelope = envelopes.first_chunk().filter(|_| unpacked.is_ok()).and_then(Header::parse);
        let Some(envelope) = envelope else { return self.opaque(frame.len()) };
        self.count(&envelope);
        self.large.begin(envelope.envelope_bytes(), header);
        Unit::Pass(frame.len())
    }

    /// Counts the requests of a frame; whether one of them is an EXECUTE. What is not whole envelopes is not looked at.
    fn count_all(&mut self, envelopes: &[u8]) -> bool {
        let all = || Envelopes::new(envelopes);
        if !all().are_whole() {
            return false;
        }
        all().for_each(|(header, _)| self.count(&header));
        all().any(|(header, _)| self.may_answer(&header))
    }

    fn count(&mut self, header: &Header) {
        if header.opcode == Opcode::Query && header.body_bytes <= MAX_USE_BYTES {
            self.queries.push(header.stream);
        }
        if let Some(seen) = self.seen.get_mut(header.opcode as usize) {
            *seen += 1;
        }
    }

    fn opaque(&mut self, count: usize) -> Unit<'static> {
        self.state = State::Opaque;
        Unit::Pass(count)
    }
}

/// The envelopes of one payload: header, and all bytes.
#[derive(Clone, Debug)]
pub(crate) struct Envelopes<'a> {
    rest: &'a [u8],
}

impl<'a> Envelopes<'a> {
    pub(crate) fn new(payload: &'a [u8]) -> Self {
        Envelopes { rest: payload }
    }

    /// Whether there is nothing but whole requests.
    fn are_whole(mut self) -> bool {
        while self.next().is_some() {}
        self.rest.is_empty()
    }
}

impl<'a> Iterator for Envelopes<'a> {
    type Item = (Header, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let header = Header::parse(self.rest.first_chunk()?)?;
        let (envelope, rest) = self.rest.split_at_checked(header.envelope_bytes())?;
        self.rest = rest;
        Some((header, envelope))
    }
}

#[cfg(test)]
mod tests;
