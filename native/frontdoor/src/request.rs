// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! An EXECUTE, and what can become of it.

use std::sync::Arc;

use crate::protocol::{Framing, Header};
use crate::reason::Reason;
use crate::rights::prepared::Prepared;

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The connection's number, which no other has had.
    pub connection: u64,
    /// What Cassandra has admitted the connection as, once it has.
    pub login: Option<u32>,
}

/// One EXECUTE of a client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    pub header: Header,
    /// Not compressed.
    pub body: &'a [u8],
    /// Header and body as they were sent, without a frame.
    pub envelope: &'a [u8],
    /// Whether the pool may have it.
    pub may_wait: bool,
}

/// What becomes of a request.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// The door answers: the body is there.
    Answered,
    /// Cassandra answers.
    Passed,
    /// Cassandra answers this one, but the door may answer another like it.
    PassedForNow,
    /// The door answers later, or passes it on then.
    Pooled,
    /// Cassandra answers, and the door compares.
    Auditioned(Audition),
}

/// An answer that is compared with Cassandra's, and not sent.
#[derive(Debug)]
pub(crate) struct Audition {
    pub prepared: Arc<Prepared>,
    pub header: Header,
    /// The body of the request.
    pub request: Vec<u8>,
    /// The body of the door's answer.
    pub body: Vec<u8>,
}

impl Audition {
    /// The longest answer that is compared.
    pub(crate) const MAX_BYTES: usize = 64 << 10;

    /// Keeps an answer, unless it is too long to be compared.
    pub(crate) fn of(prepared: Arc<Prepared>, header: Header, request: &[u8], body: &[u8]) -> Option<Self> {
        (body.len() <= Self::MAX_BYTES).then(|| Audition {
            prepared,
            header,
            request: request.to_vec(),
            body: body.to_vec(),
        })
    }
}

/// A request that the pool has dealt with.
#[derive(Debug)]
pub(crate) struct Pooled {
    pub header: Header,
    pub envelope: Vec<u8>,
    pub framing: Framing,
    pub verdict: PoolVerdict,
}

/// What the pool has made of a request.
#[derive(Debug)]
pub(crate) enum PoolVerdict {
    /// The body of the answer.
    Answered(Vec<u8>),
    /// Cassandra answers.
    Passed,
    /// Cassandra answers, and the door compares.
    Auditioned(Audition),
}

/// Answers requests, or says who does.
pub(crate) trait Answerer {
    /// Decides on a request; the body of an answer is appended to `body`.
    fn answer(&mut self, identity: &Identity, framing: Framing, request: &Request<'_>, body: &mut Vec<u8>) -> Verdict;

    /// Whether the connection that has its turn may go on with it.
    fn has_time(&self) -> bool {
        true
    }

    /// A request was passed on undecided.
    fn passed(&mut self, reason: Reason);

    /// Compares an audition with Cassandra's answer; `None` where that was too large to be kept.
    fn judge(&mut self, identity: &Identity, audition: Audition, flags: u8, opcode: u8, body: Option<&[u8]>);
}
