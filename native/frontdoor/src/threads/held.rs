// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A client's request with the door's answer, which is held until other replicas have said that they have the same.

use std::time::Instant;

use super::event_loop::{Done, Given};
use crate::answering::Answer;
use crate::peer::cluster::QuorumReads;
use crate::protocol::{Framing, Header};
use crate::reason::Reason;
use crate::request::{Audition, PoolVerdict, Pooled};
use crate::rights::prepared::Standing;
use crate::rights::routes::Routes;

/// One request.
#[derive(Debug)]
pub(crate) struct Held {
    pub slot: usize,
    pub connection: u64,
    pub since: Instant,
    pub framing: Framing,
    pub header: Header,
    /// Of the request, not compressed.
    pub request: Vec<u8>,
    pub envelope: Vec<u8>,
    /// Of the answer.
    pub body: Vec<u8>,
    pub answer: Answer,
    /// Of the rights under which it was made.
    pub epoch: u64,
}

impl Held {
    /// What the pool has answered.
    ///
    /// # Errors
    /// It has not.
    pub(crate) fn of(done: Done, epoch: u64) -> Result<Held, Box<Done>> {
        let Done { slot, connection, since, request, pooled, answer } = done;
        let Pooled { header, envelope, framing, verdict } = pooled;
        match (verdict, answer) {
            (PoolVerdict::Answered(body), Ok(Given::Read(answer))) => {
                Ok(Held { slot, connection, since, framing, header, request, envelope, body, answer, epoch })
            }
            (verdict, answer) => {
                let pooled = Pooled { header, envelope, framing, verdict };
                Err(Box::new(Done { slot, connection, since, request, pooled, answer }))
            }
        }
    }

    /// What becomes of it.
    ///
    /// * `outcome` whether the replicas agree
    pub(crate) fn end(self, outcome: Result<(), Reason>, mode: QuorumReads, routes: &Routes) -> Done {
        let outcome = outcome.and_then(|()| match routes.holds_epoch(self.epoch, Instant::now()) {
            true => Ok(()),
            false => Err(Reason::RightsMoved),
        });
        let is_sent = mode == QuorumReads::On && self.answer.prepared.standing() == Standing::Serving;
        let (verdict, answer) = match outcome {
            Ok(()) if is_sent => (PoolVerdict::Answered(self.body), Ok(Given::Read(self.answer))),
            Ok(()) => {
                let reason = if mode == QuorumReads::On { Reason::Auditioning } else { Reason::Compared };
                let audition = Audition::of(self.answer.prepared, self.header, &self.request, &self.body);
                (audition.map_or(PoolVerdict::Passed, PoolVerdict::Auditioned), Err(reason))
            }
            Err(reason) => (PoolVerdict::Passed, Err(reason)),
        };
        let pooled = Pooled { header: self.header, envelope: self.envelope, framing: self.framing, verdict };
        let (slot, connection, request) = (self.slot, self.connection, Vec::new());
        Done { slot, connection, since: self.since, request, pooled, answer }
    }
}
