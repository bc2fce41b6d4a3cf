// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The two sockets of a client, and how its connection ends.

use std::io::{self, ErrorKind, IoSlice};
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use mio::net::UnixStream;
use mio::{Interest, Registry, Token};
use rustix::io::Errno;
use rustix::net::{recv, RecvFlags};

use super::client_socket::ClientSocket;
use super::hand_over::HandedOver;
use super::native_share::NativeShare;
use super::newcomer::Newcomer;
use crate::counters::Tally;
use crate::protocol::Opcode;
use crate::request::{Answerer, Pooled};
use crate::served::Answered;
use crate::session::{Session, Turn, Work};

/// Turns for what Cassandra has sent to a connection that fails: more than a socket holds.
const LAST_TURNS: usize = 64;
/// How long a request may be under way that Cassandra had before the door did: longer than its native_transport_timeout is,
/// unless somebody sets it. A later USE is seen all the same, within a second, by the owner of the door.
const UNDER_WAY: Duration = Duration::from_secs(15);

/// The two sockets of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Client,
    Cassandra,
}

/// What a connection needs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Next {
    /// An event.
    Wait,
    /// Another turn, once others have had theirs.
    Again,
    /// To be dropped: one side has ended, and the other has all its bytes.
    Close,
}

/// What Cassandra's thread has sent of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Straight {
    /// The others are to come by the pair.
    pub sent_bytes: usize,
    /// Whether the loop has something to do about it: bytes wait for the client, or fewer do, so that it can be read on.
    pub wants_loop: bool,
}

/// One client, with its way to Cassandra.
#[derive(Debug)]
pub(crate) struct Connection {
    client: ClientSocket,
    cassandra: UnixStream,
    session: Session,
    share: NativeShare,
    client_has_ended: bool,
    cassandra_has_ended: bool,
    was_opaque: bool,
    /// When the requests were read that earlier turns have left.
    pub left_since: Option<Instant>,
    tokens: (Token, Token),
    /// Whether writability is asked for: of the client, of Cassandra.
    asked: (bool, bool),
}

impl Connection {
    /// Registers both sockets; their events carry `tokens`, the client's first.
    pub(crate) fn new(newcomer: Newcomer, tokens: (Token, Token), registry: &Registry) -> io::Result<Self> {
        let Newcomer { number, mut client, mut cassandra, negotiated } = newcomer;
        registry.register(client.source(), tokens.0, Interest::READABLE)?;
        registry.register(&mut cassandra, tokens.1, Interest::READABLE)?;
        let session = match negotiated {
            None => Session::new(number),
            Some(negotiated) => Session::taken_back(number, negotiated, Instant::now() + UNDER_WAY),
        };
        Ok(Self {
            client,
            cassandra,
            session,
            share: NativeShare::new(Instant::now()),
            client_has_ended: false,
            cassandra_has_ended: false,
            was_opaque: false,
            left_since: None,
            tokens,
            asked: (false, false),
        })
    }

    /// Whether bytes may have been read that no event tells of.
    pub(crate) fn has_begun(&self) -> bool {
        self.client.is_tls()
    }

    /// Cassandra has logged the client in.
    pub(crate) fn admit(&mut self, login: u32) {
        self.session.identity.login = Some(login);
    }

    /// Notes that a side sends no more, so that what it has sent is read to the end.
    pub(crate) fn ended(&mut self, side: Side) {
        match side {
            Side::Client => self.client_has_ended = true,
            Side::Cassandra => self.cassandra_has_ended = true,
        }
    }

    /// Moves bytes after an event of `side`: what it sends, and what waits for it.
    pub(crate) fn turn(
        &mut self,
        side: Side,
        is_writable: bool,
        registry: &Registry,
        work: &mut Work,
        answerer: &mut impl Answerer,
    ) -> Next {
        let from_client = side == Side::Client || is_writable;
        let from_cassandra = side == Side::Cassandra || is_writable;
        self.try_turn(from_client, from_cassandra, registry, work, answerer).unwrap_or_else(|_| {
            self.pass_last_words(work, answerer);
            Next::Close
        })
    }

    /// What Cassandra has sent before a socket failed, such as why it has closed its own: as far as the client takes it.
    fn pass_last_words(&mut self, work: &mut Work, answerer: &mut impl Answerer) {
        let mut turn = || self.session.cassandra_turn(&mut self.cassandra, &mut self.client, true, work, answerer);
        for _ in 0..LAST_TURNS {
            if !matches!(turn(), Ok(Turn::More)) {
                return;
            }
        }
    }

    fn try_turn(
        &mut self,
        from_client: bool,
        from_cassandra: bool,
        registry: &Registry,
        work: &mut Work,
        answerer: &mut impl Answerer,
    ) -> io::Result<Next> {
        let mut next = Next::Wait;
        self.client.send()?;
        if from_cassandra {
            let ended = self.cassandra_has_ended;
            let turn = self.session.cassandra_turn(&mut self.cassandra, &mut self.client, ended, work, answerer)?;
            self.cassandra_has_ended |= turn == Turn::Ended;
            // Without the door the rest would be lost, too: SO_LINGER is 0.
            if self.cassandra_has_ended && turn == Turn::Blocked {
                return Ok(Next::Close);
            }
            // Cassandra waits for its own requests before it closes, and knows nothing of the pool's.
            let waits = turn == Turn::Ended && self.session.waits_for_pool();
            next = next.and(if waits { Turn::Drained } else { turn });
        }
        if from_client && next != Next::Close {
            let ended = self.client_has_ended;
            let turn = self.session.client_turn(&mut self.client, &mut self.cassandra, ended, work, answerer)?;
            next = next.and(self.seen(turn));
        }
        self.ask(registry)?;
        Ok(if next == Next::Wait { self.next() } else { next })
    }

    /// What a turn of the client has come to, where its socket tells of less than it has read.
    fn seen(&mut self, turn: Turn) -> Turn {
        let ends = self.client.has_ended() && !self.client_has_ended;
        self.client_has_ended |= ends;
        match turn {
            Turn::Drained if ends || self.client.is_left() => Turn::More,
            turn => turn,
        }
    }

    /// What bytes that no longer wait for anything lead to.
    fn next(&self) -> Next {
        if self.session.can_read_on() {
            Next::Again
        } else {
            Next::Wait
        }
    }

    /// Whether requests were read that wait for another turn.
    pub(crate) fn has_left_requests(&self) -> bool {
        self.session.is_cut()
    }

    /// Whether an answer of the pool is dropped.
    pub(crate) fn takes_no_more(&self) -> bool {
        self.session.takes_no_more()
    }

    /// Takes what the pool has made of a request.
    pub(crate) fn pooled(&mut self, pooled: Pooled, registry: &Registry, work: &mut Work) -> Next {
        let sent = self.session.pooled(pooled, &mut self.client, &mut self.cassandra, work);
        match sent.and_then(|()| self.ask(registry)) {
            Ok(()) if self.cassandra_has_ended => Next::Again,
            Ok(()) => self.next(),
            Err(_) => Next::Close,
        }
    }

    /// Sends what comes next of Cassandra's to the client, if the pair has nothing that comes before it. Called with the turn, by
    /// the thread that writes the pair's far end.
    ///
    /// # Errors
    /// Those of the client's socket; the connection is over then.
    pub(crate) fn send_straight(&mut self, parts: &[IoSlice<'_>]) -> io::Result<Straight> {
        if self.cassandra_has_ended || !self.session.may_send_straight() || !is_read(&self.cassandra) {
            return Ok(Straight::default());
        }
        let sent_bytes = self.session.send_straight(&mut self.client, parts)?;
        let wants_loop = self.is_blocked().0 || self.session.can_read_on();
        Ok(Straight { sent_bytes, wants_loop })
    }

    /// Counts what has been done since the last call; what the door has answered.
    pub(crate) fn count(&mut self, tally: &Tally) -> Answered {
        let (to_client, to_cassandra) = self.session.take_sent_bytes();
        Tally::add(&tally.to_clients_bytes, to_client);
        Tally::add(&tally.to_cassandra_bytes, to_cassandra);
        let seen = self.session.take_seen();
        tally.add_requests(seen);
        let is_opaque = self.session.is_opaque();
        Tally::add(&tally.opaque, u64::from(is_opaque && !self.was_opaque));
        self.was_opaque = is_opaque;
        let answered = self.session.take_answered();
        Tally::add(&tally.answered, answered.requests);
        let probes = seen.get(Opcode::Options as usize).copied().unwrap_or_default();
        self.share.add(seen.iter().sum::<u64>() - probes, answered.requests, self.session.take_promising());
        if is_opaque {
            self.share.add_opaque();
        }
        answered
    }

    /// Counts a connection that is over.
    pub(crate) fn count_end(&self, tally: &Tally) {
        Tally::add(&tally.tls_refused, u64::from(self.client.has_refused()));
    }

    /// Whether nearly all requests of the latest window were passed on; says so once for each window.
    pub(crate) fn is_forwarded(&mut self, window: Duration) -> bool {
        // Whose TLS is the door's has nowhere to go.
        !self.client.is_tls() && self.share.is_forwarded(window, Instant::now)
    }

    /// Whether the client's next bytes stay in its socket. It is to have a turn after each call.
    pub(crate) fn pause(&mut self, is_paused: bool) {
        self.session.pause(is_paused);
    }

    /// Whether the client's socket could take the place of the pair's far end, without a byte lost: all that either
    /// side has sent is passed on, and Cassandra has read all of it. What the client has sent and the door has not read
    /// stays in the client's socket.
    ///
    /// * `far` the far end, which nobody reads or writes now
    pub(crate) fn can_be_handed_over(&self, far: &impl AsFd) -> bool {
        let is_whole =
            !self.client.is_tls() && !self.client_has_ended && !self.cassandra_has_ended && self.session.is_clear();
        is_whole && is_read(&self.cassandra) && is_read(far)
    }

    /// The client's socket, of which no event comes any more; the pair ends.
    ///
    /// # Errors
    /// Where its events cannot be ended; it is closed then.
    pub(crate) fn into_handed_over(mut self, registry: &Registry) -> io::Result<HandedOver> {
        registry.deregister(self.client.source())?;
        let negotiated = self.session.negotiated();
        let ClientSocket::Plain(client) = self.client else { return Err(ErrorKind::Unsupported.into()) };
        Ok(HandedOver { client: OwnedFd::from(std::net::TcpStream::from(client)), negotiated })
    }

    /// Whether bytes wait: for the client, for Cassandra.
    fn is_blocked(&self) -> (bool, bool) {
        let (for_client, for_cassandra) = self.session.is_blocked();
        (for_client || self.client.wants_write(), for_cassandra)
    }

    /// Asks for writability where bytes wait, and only there: Unix sockets tell of it whenever their peer reads.
    fn ask(&mut self, registry: &Registry) -> io::Result<()> {
        let wanted = self.is_blocked();
        if wanted.0 != self.asked.0 {
            registry.reregister(self.client.source(), self.tokens.0, interest(wanted.0))?;
        }
        if wanted.1 != self.asked.1 {
            registry.reregister(&mut self.cassandra, self.tokens.1, interest(wanted.1))?;
        }
        self.asked = wanted;
        Ok(())
    }
}

/// Whether all that was sent to a socket of a pair is read. An end of the other side counts as unread.
fn is_read(socket: &impl AsFd) -> bool {
    recv(socket, &mut [0], RecvFlags::PEEK | RecvFlags::DONTWAIT) == Err(Errno::AGAIN)
}

fn interest(with_writability: bool) -> Interest {
    if with_writability {
        Interest::READABLE | Interest::WRITABLE
    } else {
        Interest::READABLE
    }
}

impl Next {
    /// This, and what a turn has come to.
    fn and(self, turn: Turn) -> Next {
        match turn {
            Turn::Ended => Next::Close,
            Turn::More if self == Next::Wait => Next::Again,
            Turn::More | Turn::Drained | Turn::Blocked => self,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
