// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a loop knows of a connection while another thread has it.

use std::sync::Arc;

use mio::Token;

use super::event_loop::Message;
use crate::sockets::connection::{Connection, Side};
use crate::sockets::place::{Place, Visit};

/// One connection, as its loop sees it from outside.
pub(crate) struct Seat {
    pub number: u64,
    place: Arc<Place>,
    tokens: (Token, Token),
    /// Whether it has a turn in the loop's next round.
    pub waits_for_turn: bool,
    /// Sides that have ended while the connection was another thread's.
    ended: Vec<Side>,
    /// What came for it meanwhile.
    later: Vec<Message>,
}

impl Seat {
    /// * `tokens` of the connection's events, the client's first
    pub(crate) fn new(number: u64, connection: Connection, tokens: (Token, Token)) -> Self {
        Seat {
            number,
            place: Arc::new(Place::new(connection)),
            tokens,
            waits_for_turn: false,
            ended: Vec::new(),
            later: Vec::new(),
        }
    }

    pub(crate) fn place(&self) -> &Arc<Place> {
        &self.place
    }

    /// The side whose events carry that token, if it is this connection's.
    pub(crate) fn side_of(&self, token: Token) -> Option<Side> {
        match token {
            token if token == self.tokens.0 => Some(Side::Client),
            token if token == self.tokens.1 => Some(Side::Cassandra),
            _ => None,
        }
    }

    /// A side sends no more, so that what it has sent is to be read to the end.
    pub(crate) fn ended(&mut self, side: Side) {
        if !self.ended.contains(&side) {
            self.ended.push(side);
        }
    }

    /// The connection; nothing while another thread has it, which tells [`Message::Used`] when it has done.
    pub(crate) fn enter(&mut self) -> Option<Visit<'_>> {
        let mut visit = self.place.enter()?;
        if let Some(connection) = visit.connection() {
            self.ended.drain(..).for_each(|side| connection.ended(side));
        }
        Some(visit)
    }

    /// Keeps what came for the connection while another thread had it.
    pub(crate) fn keep(&mut self, message: Message) {
        self.later.push(message);
    }

    /// What was kept, oldest first.
    pub(crate) fn take_kept(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.later)
    }
}
