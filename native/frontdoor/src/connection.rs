// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Both directions of a connection, and how it ends.

use std::io;

use mio::net::{TcpStream, UnixStream};
use mio::{Interest, Registry, Token};

use crate::counters::Tally;
use crate::protocol::Requests;
use crate::relay::{Relay, Turn};

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

/// One client, with its way to Cassandra.
#[derive(Debug)]
pub(crate) struct Connection {
    client: TcpStream,
    cassandra: UnixStream,
    to_cassandra: Relay,
    to_client: Relay,
    requests: Requests,
    client_has_ended: bool,
    cassandra_has_ended: bool,
    tokens: (Token, Token),
    /// Whether writability is asked for: of the client, of Cassandra.
    asked: (bool, bool),
}

impl Connection {
    /// Registers both sockets; their events carry `tokens`, the client's first.
    pub(crate) fn new(
        mut client: TcpStream,
        mut cassandra: UnixStream,
        tokens: (Token, Token),
        registry: &Registry,
    ) -> io::Result<Self> {
        registry.register(&mut client, tokens.0, Interest::READABLE)?;
        registry.register(&mut cassandra, tokens.1, Interest::READABLE)?;
        Ok(Self {
            client,
            cassandra,
            to_cassandra: Relay::default(),
            to_client: Relay::default(),
            requests: Requests::default(),
            client_has_ended: false,
            cassandra_has_ended: false,
            tokens,
            asked: (false, false),
        })
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
        scratch: &mut [u8],
        tally: &Tally,
    ) -> Next {
        let from_client = side == Side::Client || is_writable;
        let from_cassandra = side == Side::Cassandra || is_writable;
        self.try_turn(from_client, from_cassandra, registry, scratch, tally).unwrap_or(Next::Close)
    }

    fn try_turn(
        &mut self,
        from_client: bool,
        from_cassandra: bool,
        registry: &Registry,
        scratch: &mut [u8],
        tally: &Tally,
    ) -> io::Result<Next> {
        let mut next = Next::Wait;
        if from_cassandra {
            let mut bytes = 0;
            let ended = self.cassandra_has_ended;
            let turn = self.to_client.turn(&mut self.cassandra, &mut self.client, ended, scratch, &mut bytes, |_| {});
            Tally::add(&tally.to_clients_bytes, bytes);
            next = next.and(turn?);
        }
        if from_client && next != Next::Close {
            let mut bytes = 0;
            let ended = self.client_has_ended;
            let was_opaque = self.requests.is_opaque();
            let read = |seen: &[u8]| self.requests.read(seen);
            let turn = self.to_cassandra.turn(&mut self.client, &mut self.cassandra, ended, scratch, &mut bytes, read);
            Tally::add(&tally.to_cassandra_bytes, bytes);
            tally.add_requests(self.requests.take_seen());
            Tally::add(&tally.opaque, u64::from(!was_opaque && self.requests.is_opaque()));
            next = next.and(turn?);
        }
        self.ask(registry)?;
        Ok(next)
    }

    /// Asks for writability where bytes wait, and only there: Unix sockets tell of it whenever their peer reads.
    fn ask(&mut self, registry: &Registry) -> io::Result<()> {
        let wanted = (self.to_client.is_blocked(), self.to_cassandra.is_blocked());
        if wanted.0 != self.asked.0 {
            registry.reregister(&mut self.client, self.tokens.0, interest(wanted.0))?;
        }
        if wanted.1 != self.asked.1 {
            registry.reregister(&mut self.cassandra, self.tokens.1, interest(wanted.1))?;
        }
        self.asked = wanted;
        Ok(())
    }
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
