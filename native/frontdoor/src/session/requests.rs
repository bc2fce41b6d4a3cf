// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A request that the door may answer: at once, later by the pool, or not; and how its answer is sent.

use std::io::{ErrorKind, Result, Write};

use super::{Session, Work};
use crate::protocol::{put_frames, unpack, Compression, Framing, Header, COMPRESSED, HEADER_BYTES};
use crate::reason::Reason;
use crate::request::{Answerer, Audition, PoolVerdict, Pooled, Request, Verdict};

/// A compressed EXECUTE with more content is Cassandra's.
const MAX_BODY_BYTES: usize = 64 << 10;
/// Requests of one connection that may be the pool's: their answers come whether the client reads or not.
pub(super) const MAX_POOLED: usize = 64;
/// Answers of one connection that are compared at a time.
const MAX_AUDITIONS: usize = 16;

impl Session {
    /// Whether an EXECUTE is the door's.
    pub(super) fn execute(
        &mut self,
        header: Header,
        envelope: &[u8],
        work: &mut Work,
        answerer: &mut impl Answerer,
    ) -> bool {
        let Some(framing) = self.outbound.framing() else { return false };
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

    fn decide(
        &mut self,
        framing: Framing,
        request: &Request<'_>,
        work: &mut Work,
        answerer: &mut impl Answerer,
    ) -> bool {
        if self.is_backlogged(work.replies.bytes()) {
            answerer.passed(Reason::Backlog);
            self.promising += 1;
            return false;
        }
        work.body.clear();
        let verdict = answerer.answer(&self.identity, framing, request, &mut work.body);
        work.decided += 1;
        work.reads += usize::from(!matches!(verdict, Verdict::Passed));
        match verdict {
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

    pub(super) fn send_late(&mut self, cassandra: &mut impl Write) -> Result<()> {
        if self.late.is_empty() {
            return Ok(());
        }
        // Nobody can tell where a request of the client's ends any more, nor put one behind it.
        if self.inbound.is_opaque() {
            return Err(ErrorKind::InvalidData.into());
        }
        if self.inbound.is_between_requests() {
            let late = std::mem::take(&mut self.late);
            self.to_cassandra.send(cassandra, &late)?;
        }
        Ok(())
    }

    /// Sends the answers of this turn, or holds them while a response of Cassandra's is on its way. `work` has none
    /// afterwards, whatever happens: it serves other connections, too.
    pub(super) fn send_replies(&mut self, client: &mut impl Write, work: &mut Work) -> Result<()> {
        if work.replies.is_empty() {
            return Ok(());
        }
        // The client may have become opaque since; what Cassandra sends is understood all the same.
        let sent = match self.outbound.framing() {
            Some(framing) => self.send_or_hold(client, work.replies.finish(framing)),
            None => Err(ErrorKind::InvalidData.into()),
        };
        work.replies.clear();
        sent
    }

    fn send_or_hold(&mut self, client: &mut impl Write, answers: &[u8]) -> Result<()> {
        if self.outbound.gap().is_some() && self.held.is_empty() {
            return self.to_client.send(client, answers);
        }
        if self.outbound.is_lost() {
            return Err(ErrorKind::InvalidData.into());
        }
        self.held.extend_from_slice(answers);
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
            PoolVerdict::Answered(body) if !self.takes_no_more() => {
                self.answered.add(&pooled.envelope, &body);
                work.replies.add(pooled.framing, pooled.header.version, pooled.header.stream, &body);
                return self.send_replies(client, work);
            }
            PoolVerdict::Auditioned(audition) => self.audition(audition),
            PoolVerdict::Answered(_) | PoolVerdict::Passed => {}
        }
        self.promising += 1;
        match pooled.framing {
            Framing::Envelopes(_) => self.late.extend_from_slice(&pooled.envelope),
            Framing::Frames(kind) => put_frames(kind, &pooled.envelope, &mut self.late),
        }
        self.send_late(cassandra)
    }
}
