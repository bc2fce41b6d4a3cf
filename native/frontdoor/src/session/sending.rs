// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a client sends: read, cut into requests, and passed on where the door does not answer.

use std::io::{ErrorKind, Read, Result, Write};

use super::{Session, Turn, Work, TURN_BYTES};
use crate::protocol::{put_frames, Envelopes, FrameKind, Unit};
use crate::request::Answerer;

impl Session {
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
        work.begin();
        let mut read = std::mem::take(&mut work.read);
        let turn = self.read_client(client, cassandra, to_end, &mut read, work, answerer);
        work.read = read;
        work.replies.clear();
        self.is_client_left = matches!(turn, Ok(Turn::Blocked));
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
            if !self.to_cassandra.flush(cassandra)? || self.is_slow() {
                return Ok(Turn::Blocked);
            }
            if read_bytes >= TURN_BYTES {
                return Ok(Turn::More);
            }
            if self.is_cut {
                self.take_and_send(&[], client, cassandra, work, answerer)?;
                if self.is_cut {
                    return Ok(Turn::More);
                }
                continue;
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
            self.take_and_send(read.get(..count).unwrap_or_default(), client, cassandra, work, answerer)?;
            if self.is_cut {
                return Ok(Turn::More);
            }
            if count < read.len() && !to_end {
                // epoll(7): a short read of a stream socket has emptied it, and later bytes are a new edge
                let is_blocked = self.to_cassandra.unsent_bytes() > 0;
                return Ok(if is_blocked { Turn::Blocked } else { Turn::Drained });
            }
        }
    }

    fn take_and_send(
        &mut self,
        bytes: &[u8],
        client: &mut impl Write,
        cassandra: &mut impl Write,
        work: &mut Work,
        answerer: &mut impl Answerer,
    ) -> Result<()> {
        let taken = self.take(bytes, cassandra, work, answerer);
        self.send_replies(client, work)?;
        taken?;
        self.send_late(cassandra)
    }

    /// Answers or passes on what a client has sent, as far as this turn may: the rest is left to another one.
    fn take(
        &mut self,
        bytes: &[u8],
        cassandra: &mut impl Write,
        work: &mut Work,
        answerer: &mut impl Answerer,
    ) -> Result<()> {
        self.is_cut = false;
        let mut joined = std::mem::take(&mut self.pending);
        if !joined.is_empty() {
            joined.extend_from_slice(bytes);
        }
        let bytes = if joined.is_empty() { bytes } else { &joined };
        let mut envelopes = std::mem::take(&mut work.envelopes);
        let taken = self.take_units(bytes, &mut envelopes, cassandra, work, answerer);
        work.envelopes = envelopes;
        let at = taken?;
        if joined.is_empty() {
            self.pending.extend_from_slice(bytes.get(at..).unwrap_or_default());
        } else if at < joined.len() {
            joined.drain(..at);
            self.pending = joined;
        }
        if let Some(framing) = self.inbound.framing() {
            self.outbound.expect(framing);
        }
        self.queries.extend(self.inbound.take_queries());
        if self.outbound.is_lost() {
            // No response takes them off again.
            self.queries.clear();
        }
        Ok(())
    }

    /// The same for the units in front of `bytes`; the length of what was dealt with.
    fn take_units(
        &mut self,
        bytes: &[u8],
        envelopes: &mut Vec<u8>,
        cassandra: &mut impl Write,
        work: &mut Work,
        answerer: &mut impl Answerer,
    ) -> Result<usize> {
        if let Some((kind, left)) = self.left.take() {
            work.frames.clear();
            if !self.frame(kind, &left, work, answerer) {
                put_frames(kind, &left, &mut work.frames);
            }
            self.to_cassandra.send(cassandra, &work.frames)?;
        }
        // What is before `from` has been dealt with; from there to `at` all is Cassandra's.
        let (mut from, mut at) = (0, 0);
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            self.is_cut = self.left.is_some() || work.is_spent(answerer);
            if self.is_cut {
                break;
            }
            // Also those of another connection, if that has failed.
            work.frames.clear();
            let length = match self.inbound.next(rest, envelopes) {
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
                    if !self.frame(kind, envelopes, work, answerer) {
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
        self.is_cut |= self.left.is_some();
        self.to_cassandra.send(cassandra, bytes.get(from..at).unwrap_or_default())?;
        Ok(at)
    }

    /// Whether a part of a frame's requests is the door's, or left to another turn; the others are in `work.frames` then.
    /// Those before and those behind one of the door's are in two frames: two undecodable requests in a row of one frame
    /// make Cassandra end the connection.
    fn frame(&mut self, kind: FrameKind, envelopes: &[u8], work: &mut Work, answerer: &mut impl Answerer) -> bool {
        work.rest.clear();
        let mut is_changed = false;
        let mut taken_bytes = 0;
        for (header, envelope) in Envelopes::new(envelopes) {
            let may_answer = self.inbound.may_answer(&header);
            if may_answer && work.is_spent(answerer) {
                let left = envelopes.get(taken_bytes..).unwrap_or_default();
                self.left = Some((kind, left.to_vec()));
                is_changed = true;
                break;
            }
            taken_bytes += envelope.len();
            if may_answer && self.execute(header, envelope, work, answerer) {
                is_changed = true;
                put_frames(kind, &work.rest, &mut work.frames);
                work.rest.clear();
            } else {
                work.rest.extend_from_slice(envelope);
            }
        }
        if is_changed {
            put_frames(kind, &work.rest, &mut work.frames);
        }
        is_changed
    }
}
