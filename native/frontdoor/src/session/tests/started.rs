// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A session after STARTUP.

use super::pipes::{Duplex, Pipe};
use super::scripted::Scripted;
use super::wire::{envelope, startup};
use crate::session::{Session, Work};

/// A session between pipes that take everything, in version 4, after STARTUP.
pub(super) struct Started {
    pub(super) session: Session,
    pub(super) work: Work,
    pub(super) answerer: Scripted,
    pub(super) client: Duplex,
    pub(super) to_cassandra: Pipe,
    pub(super) from_cassandra: Pipe,
}

impl Started {
    pub(super) fn new() -> Self {
        let client = Duplex { up: Pipe::default(), down: Pipe::default() };
        let (to_cassandra, from_cassandra) = (Pipe::default(), Pipe::default());
        let (session, work, answerer) = (Session::new(1), Work::new(1000), Scripted::default());
        let mut started = Started { session, work, answerer, client, to_cassandra, from_cassandra };
        started.client_sends(&startup(4, false));
        started.cassandra_sends(&envelope(0x84, 0, 0, 2, &[]));
        started
    }

    pub(super) fn client_sends(&mut self, bytes: &[u8]) {
        self.client.up.put(bytes);
        let (work, answerer) = (&mut self.work, &mut self.answerer);
        self.session.client_turn(&mut self.client, &mut self.to_cassandra.clone(), true, work, answerer).unwrap();
    }

    pub(super) fn cassandra_sends(&mut self, bytes: &[u8]) {
        self.from_cassandra.put(bytes);
        let (work, answerer) = (&mut self.work, &mut self.answerer);
        self.session.cassandra_turn(&mut self.from_cassandra.clone(), &mut self.client, true, work, answerer).unwrap();
    }

    pub(super) fn pool_answers(&mut self) {
        let pooled = self.answerer.pooled.pop().unwrap();
        self.session.pooled(pooled, &mut self.client, &mut self.to_cassandra.clone(), &mut self.work).unwrap();
    }
}
