// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! How a loop answers: at once from memory, by the pool, or not at all.

use std::collections::HashSet;
use std::sync::mpsc::Sender;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::event_loop::{EventLoop, Given};
use super::held::Held;
use super::held_write::HeldWrite;
use super::loop_peers::LoopPeers;
use super::pool::{Job, Pool};
use crate::answering::{Answer, Answering, Unanswered};
use crate::counters::Tally;
use crate::notices::{Missed, Notices};
use crate::peer::cluster::Cluster;
use crate::protocol::{unpack, Framing, ResponseHeader, COMPRESSED};
use crate::reason::Reason;
use crate::request::{Answerer, Audition, Identity, Request, Verdict};
use crate::rights::digest::{HostId, Quorum};
use crate::rights::prepared::Standing;
use crate::rights::routes::Routes;
use crate::rights::table_reader::Reach;
use crate::served::{Answered, Served};
use crate::statement::Id;
use crate::writing::{NotWritten, Ways, Writing, Written, VOID};

/// A turn that has taken longer makes way for other connections; slices take longer than single rows.
const MAX_TURN: Duration = Duration::from_micros(500);
/// How often the owner of the door hears of the same statement on the same connection.
const WANT_AGAIN: Duration = Duration::from_secs(1);

/// What all loops of a door share.
#[derive(Clone)]
pub(crate) struct Shared {
    pub routes: Arc<Routes>,
    pub pool: Arc<Pool>,
    pub notices: Arc<Notices>,
    pub tally: Arc<Tally>,
    pub cluster: Arc<Cluster>,
}

/// The state of one loop's answers.
pub(crate) struct LoopAnswerer {
    shared: Shared,
    event_loop: Arc<EventLoop>,
    served: Served,
    /// Where what was answered goes.
    give: Sender<Served>,
    answering: Answering,
    writing: Writing,
    pub peers: LoopPeers,
    wanted: HashSet<(u64, Id)>,
    wanted_since: Instant,
    /// The connection that has its turn, and when the turn began.
    slot: usize,
    turn_began: Instant,
    /// When its requests were read.
    since: Instant,
}

impl LoopAnswerer {
    pub(crate) fn new(shared: Shared, event_loop: Arc<EventLoop>, give: Sender<Served>, peers: LoopPeers) -> Self {
        let now = Instant::now();
        let writing = Writing::new(&shared.routes);
        LoopAnswerer {
            shared,
            event_loop,
            served: Served::default(),
            give,
            answering: Answering::default(),
            writing,
            peers,
            wanted: HashSet::new(),
            wanted_since: now,
            slot: 0,
            turn_began: now,
            since: now,
        }
    }

    /// Begins the turn of a connection.
    ///
    /// * `since` when its requests were read, if that was in an earlier turn
    pub(crate) fn begin(&mut self, slot: usize, since: Option<Instant>) {
        self.slot = slot;
        self.turn_began = Instant::now();
        self.since = since.unwrap_or(self.turn_began);
    }

    /// When the requests of this turn were read.
    pub(crate) fn since(&self) -> Instant {
        self.since
    }

    /// Counts an answer that was given, or why none was.
    pub(crate) fn count(&mut self, answer: &Result<Given, Reason>, since: Instant) {
        match answer {
            Ok(Given::Read(answer)) => {
                self.served.add(&answer.id, &answer.table, answer.level, &answer.read, since.elapsed());
            }
            Ok(Given::Write { id, table, level }) => self.served.add_write(id, table, *level, since.elapsed()),
            Err(reason) => self.shared.tally.add_passed(*reason),
        }
    }

    /// Counts answers of one connection.
    pub(crate) fn count_connection(&mut self, connection: u64, answered: &Answered) {
        self.served.add_connection(connection, answered);
    }

    /// Gives away what was answered since the last time, to be added up by others.
    pub(crate) fn give_served(&mut self) {
        // Without a door nobody asks any more.
        let mut served = std::mem::take(&mut self.served);
        served.join(self.peers.guests.take_served());
        let _ = self.give.send(served);
    }

    fn want(&mut self, connection: u64, id: Id) {
        if self.wanted_since.elapsed() >= WANT_AGAIN {
            self.wanted.clear();
            self.wanted_since = Instant::now();
        }
        if self.wanted.insert((connection, id)) {
            self.shared.notices.want(connection, id);
        }
    }

    /// Asks other replicas whether they have what the answer was made of.
    fn ask(
        &mut self,
        (identity, framing): (&Identity, Framing),
        request: &Request<'_>,
        quorum: Box<Quorum>,
        answer: Answer,
        body: &[u8],
    ) -> Result<(), Reason> {
        let chosen = self.peers.choose(&quorum)?;
        let held = Held {
            slot: self.slot,
            connection: identity.connection,
            since: self.since,
            framing,
            header: request.header,
            request: request.body.to_vec(),
            envelope: request.envelope.to_vec(),
            body: body.to_vec(),
            answer,
            epoch: quorum.epoch,
        };
        self.peers.ask(&chosen, quorum, held);
        Ok(())
    }

    /// Does what an EXECUTE writes; `None` where the door does not know it as one that writes.
    fn write(
        &mut self,
        identity: &Identity,
        framing: Framing,
        request: &Request<'_>,
        body: &mut Vec<u8>,
    ) -> Option<Verdict> {
        let asked = (request.header.version, request.header.flags, request.body);
        let ways = RequestWays { peers: &self.peers, may_wait: request.may_wait };
        let written = self.writing.write(&self.shared.routes, identity.login, asked, &ways)?;
        let Written { id, table, level, copies } = match written {
            Ok(written) => written,
            Err(NotWritten::Passed(reason)) => return Some(self.pass(reason)),
            Err(NotWritten::Wanted(reason, id)) => {
                self.want(identity.connection, id);
                return Some(self.pass(reason));
            }
        };
        if let Some(copies) = copies {
            let held = (copies.needed > 0).then(|| HeldWrite {
                slot: self.slot,
                connection: identity.connection,
                since: self.since,
                framing,
                header: request.header,
                envelope: request.envelope.to_vec(),
                written: (id, table, level),
                epoch: copies.epoch,
            });
            let (version, body_sent, hosts) = (request.header.version, request.body.to_vec(), Vec::new());
            let again = Missed { table, version, body: body_sent, began_ms: copies.began_ms, hosts };
            let is_held = held.is_some();
            self.peers.copy(held, again, &copies, self.writing.request());
            if is_held {
                return Some(Verdict::Pooled);
            }
        }
        self.served.add_write(&id, &table, level, self.since.elapsed());
        body.extend_from_slice(&VOID);
        Some(Verdict::Answered)
    }

    fn pass(&mut self, reason: Reason) -> Verdict {
        self.passed(reason);
        match reason.may_end() {
            true => Verdict::PassedForNow,
            false => Verdict::Passed,
        }
    }

    fn pool(&mut self, identity: &Identity, framing: Framing, request: &Request<'_>) -> bool {
        let job = Job {
            event_loop: Arc::clone(&self.event_loop),
            slot: self.slot,
            identity: *identity,
            framing,
            header: request.header,
            body: request.body.to_vec(),
            envelope: request.envelope.to_vec(),
            since: self.since,
        };
        self.shared.pool.add(job)
    }
}

/// The ways of one request's write.
struct RequestWays<'a> {
    peers: &'a LoopPeers,
    may_wait: bool,
}

impl Ways for RequestWays<'_> {
    fn ready(&self, hosts: &[HostId], needed: usize, bytes: usize) -> Result<usize, Reason> {
        match needed > 0 && !self.may_wait {
            true => Err(Reason::PoolBusy),
            false => self.peers.ready(hosts, bytes),
        }
    }
}

impl Answerer for LoopAnswerer {
    fn answer(&mut self, identity: &Identity, framing: Framing, request: &Request<'_>, body: &mut Vec<u8>) -> Verdict {
        let asked = (request.header.version, request.header.flags, request.body);
        if let Some(verdict) = self.write(identity, framing, request, body) {
            return verdict;
        }
        let answered = self.answering.answer(&self.shared.routes, identity.login, asked, Reach::Memory, body);
        let reason = match answered {
            Ok(mut answer) if answer.quorum.is_some() => {
                let asked = match answer.quorum.take() {
                    Some(quorum) if request.may_wait => self.ask((identity, framing), request, quorum, answer, body),
                    _ => Err(Reason::PoolBusy),
                };
                match asked {
                    Ok(()) => return Verdict::Pooled,
                    Err(reason) => reason,
                }
            }
            Ok(answer) if answer.prepared.standing() == Standing::Serving => {
                self.count(&Ok(Given::Read(answer)), self.since);
                return Verdict::Answered;
            }
            Ok(answer) => {
                self.shared.tally.add_passed(Reason::Auditioning);
                let audition = Audition::of(answer.prepared, request.header, request.body, body);
                return audition.map_or(Verdict::PassedForNow, Verdict::Auditioned);
            }
            Err(Unanswered::NotInMemory) if request.may_wait && self.pool(identity, framing, request) => {
                return Verdict::Pooled;
            }
            Err(Unanswered::NotInMemory) => Reason::PoolBusy,
            Err(Unanswered::Passed(reason)) => reason,
            Err(Unanswered::Wanted(reason, id)) => {
                self.want(identity.connection, id);
                reason
            }
        };
        self.pass(reason)
    }

    fn has_time(&self) -> bool {
        self.turn_began.elapsed() < MAX_TURN
    }

    fn passed(&mut self, reason: Reason) {
        self.shared.tally.add_passed(reason);
    }

    fn judge(&mut self, identity: &Identity, audition: Audition, flags: u8, opcode: u8, body: Option<&[u8]>) {
        let Some(body) = body.filter(|_| opcode == ResponseHeader::RESULT && flags & !COMPRESSED == 0) else { return };
        let mut unpacked = Vec::new();
        let body = match flags & COMPRESSED {
            0 => body,
            _ if unpack(body, 2 * Audition::MAX_BYTES, &mut unpacked) => &unpacked,
            _ => return,
        };
        if audition.body == body {
            return audition.prepared.judged(true);
        }
        // The row may have changed in between: only what the door would say before and after counts.
        let asked = (audition.header.version, audition.header.flags, &audition.request[..]);
        let mut again = Vec::new();
        let answered = self.answering.answer(&self.shared.routes, identity.login, asked, Reach::Memory, &mut again);
        if answered.is_ok() && again == audition.body {
            Tally::add(&self.shared.tally.mismatches, 1);
            audition.prepared.judged(false);
        }
    }
}
