// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! An answerer that does what the requests say.

use crate::protocol::{unpack, Framing, COMPRESSED};
use crate::reason::Reason;
use crate::request::{Answerer, Audition, Identity, PoolVerdict, Pooled, Request, Verdict};

/// Decides by the first byte of the body.
#[derive(Default)]
pub(super) struct Scripted {
    pub(super) pooled: Vec<Pooled>,
    pub(super) judged: Vec<(u16, bool)>,
    /// Whether each turn has taken its time.
    pub(super) is_late: bool,
}

pub(super) const ANSWERED: u8 = 0;
pub(super) const POOLED: u8 = 1;
pub(super) const POOLED_IN_VAIN: u8 = 2;
pub(super) const AUDITIONED: u8 = 3;
pub(super) const KINDS: u8 = 5;

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

    fn has_time(&self) -> bool {
        !self.is_late
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

pub(super) fn prepared() -> std::sync::Arc<crate::rights::prepared::Prepared> {
    std::sync::Arc::new(crate::rights::prepared::Prepared::new(crate::rights::prepared::tests::recipe(
        [1; 16], [2; 16],
    )))
}
