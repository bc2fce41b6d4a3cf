// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Both directions of a connection: what a client asks and what Cassandra answers, with the door's answers in between.

use std::time::Instant;

use crate::protocol::{FrameKind, Inbound, Negotiated, Outbound, REQUESTS};
use crate::request::{Answerer, Audition, Identity};
use crate::served::Answered;
use outlet::Outlet;
use replies::Replies;

mod buffer;
mod outlet;
mod replies;
mod requests;
mod responses;
mod sending;
mod straight;

/// Bytes that one turn may read before other connections have theirs.
const TURN_BYTES: usize = 256 << 10;
/// Reads of the engine that one turn may have before other connections have theirs.
pub(crate) const TURN_READS: usize = 64;
/// No more is read from a client, and nothing more answered, while more bytes wait for it.
pub(crate) const MAX_UNSENT_BYTES: usize = 256 << 10;

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
    /// EXECUTEs that this turn has decided, and reads that it has had.
    decided: usize,
    reads: usize,
    /// Reads that a turn may have.
    turn_reads: usize,
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
            decided: 0,
            reads: 0,
            turn_reads: TURN_READS,
        }
    }

    /// Begins a turn.
    fn begin(&mut self) {
        (self.decided, self.reads) = (0, 0);
    }

    /// Whether the turn, which has brought something on, is to make way for those of other connections.
    fn is_spent(&self, answerer: &impl Answerer) -> bool {
        self.reads >= self.turn_reads || self.decided > 0 && !answerer.has_time()
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
    /// What the client has sent of a unit that is not complete; or also whole ones, which wait for another turn.
    pending: Vec<u8>,
    is_cut: bool,
    /// The envelopes of a frame, in front of that, which wait for another turn.
    left: Option<(FrameKind, Vec<u8>)>,
    /// Answers that wait for the end of a response of Cassandra's.
    held: Vec<u8>,
    /// Requests for Cassandra that wait for the end of another one.
    late: Vec<u8>,
    auditions: Vec<Audition>,
    /// Requests that are the pool's.
    pooled: usize,
    /// Streams of queries whose result may be that the connection's keyspace is another one.
    queries: Vec<[u8; 2]>,
    /// Until when other requests than those in `queries` may change it, which the door has not seen.
    unseen_queries_until: Option<Instant>,
    answered: Answered,
    /// Requests that were passed on, of which the door may answer others like them.
    promising: u64,
    /// Whether no more is read from the client than what was read needs.
    is_paused: bool,
    /// Whether Cassandra may have sent more than was read, because bytes waited for the client.
    is_cassandra_left: bool,
    /// Whether the client may have sent more than was read, because bytes waited for either side.
    is_client_left: bool,
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
            is_cut: false,
            left: None,
            held: Vec::new(),
            late: Vec::new(),
            auditions: Vec::new(),
            pooled: 0,
            queries: Vec::new(),
            unseen_queries_until: None,
            answered: Answered::default(),
            promising: 0,
            is_paused: false,
            is_cassandra_left: false,
            is_client_left: false,
        }
    }

    /// A connection that comes back to the door, with whole units on both sides. Requests may be under way, until then.
    pub(crate) fn taken_back(connection: u64, negotiated: Negotiated, under_way_until: Instant) -> Self {
        Session {
            inbound: Inbound::started(negotiated),
            outbound: Outbound::started(negotiated.framing),
            unseen_queries_until: Some(under_way_until),
            ..Session::new(connection)
        }
    }

    /// Whether Cassandra may still answer requests that the door has not seen. Once it is over the clock is not asked again.
    fn has_unseen_queries(&mut self) -> bool {
        self.unseen_queries_until = self.unseen_queries_until.filter(|until| Instant::now() < *until);
        self.unseen_queries_until.is_some()
    }

    /// What [`Session::taken_back`] wants to know; `None` if the door cannot serve the connection again.
    pub(crate) fn negotiated(&self) -> Option<Negotiated> {
        self.inbound.negotiated().filter(|negotiated| self.outbound.framing() == Some(negotiated.framing))
    }

    /// Whether the client's next bytes stay where they are; not while bytes that were read wait for them.
    pub(crate) fn pause(&mut self, is_paused: bool) {
        self.is_paused = is_paused;
    }

    /// Whether bytes wait: for the client, for Cassandra.
    pub(crate) fn is_blocked(&self) -> (bool, bool) {
        (self.to_client.unsent_bytes() > 0, self.to_cassandra.unsent_bytes() > 0)
    }

    /// Whether the client can be read on. Its socket tells only of what comes later.
    pub(crate) fn can_read_on(&self) -> bool {
        self.is_client_left && !self.is_slow() && self.to_cassandra.unsent_bytes() == 0
    }

    /// Whether the client takes bytes more slowly than they come. Where Cassandra's wait as well, they go before further
    /// answers: those would keep the queue from ever being empty.
    fn is_slow(&self) -> bool {
        self.is_backlogged(0) || self.is_cassandra_left && self.to_client.unsent_bytes() > 0
    }

    /// Whether so many bytes wait for the client, with those of this turn, that the door answers nothing more.
    fn is_backlogged(&self, more_bytes: usize) -> bool {
        self.waiting_bytes() + more_bytes > MAX_UNSENT_BYTES
    }

    /// Whether even answers of the pool are dropped, and Cassandra asked: a client that reads nothing could pile them up. Behind
    /// what the door does not understand nothing can be asked.
    pub(crate) fn takes_no_more(&self) -> bool {
        self.is_backlogged(0) && !self.inbound.is_opaque()
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
            && self.left.is_none()
            && self.held.is_empty()
            && self.late.is_empty()
            && self.auditions.is_empty()
            && self.pooled == 0
    }

    /// Whether requests were read that wait for another turn.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Whether the pool has requests of this client.
    pub(crate) fn waits_for_pool(&self) -> bool {
        self.pooled > 0
    }

    pub(crate) fn is_opaque(&self) -> bool {
        self.inbound.is_opaque()
    }
}

#[cfg(test)]
mod tests;
