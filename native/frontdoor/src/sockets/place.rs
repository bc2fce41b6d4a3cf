// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Where a connection is, for its loop and for the thread that writes Cassandra's responses. One at a time has it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::connection::Connection;
use super::turn::Turn;

/// A connection, or nothing once it is over.
#[derive(Debug)]
pub(crate) struct Place {
    turn: Turn,
    /// Never waited for: only who has the turn locks it.
    connection: Mutex<Option<Connection>>,
}

/// The turn, until it is dropped.
#[derive(Debug)]
pub(crate) struct Visit<'a> {
    turn: &'a Turn,
    connection: Option<MutexGuard<'a, Option<Connection>>>,
}

impl Place {
    pub(crate) fn new(connection: Connection) -> Self {
        Place { turn: Turn::default(), connection: Mutex::new(Some(connection)) }
    }

    /// The connection, for its loop; nothing while another thread has it, which then wakes the loop.
    pub(crate) fn enter(&self) -> Option<Visit<'_>> {
        self.turn.take_or_wait().then(|| self.visit())
    }

    /// The connection, for another thread; nothing while somebody else has it.
    pub(crate) fn try_enter(&self) -> Option<Visit<'_>> {
        self.turn.try_take().then(|| self.visit())
    }

    fn visit(&self) -> Visit<'_> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        Visit { turn: &self.turn, connection: Some(connection) }
    }
}

impl Visit<'_> {
    /// The connection, unless it is over.
    pub(crate) fn connection(&mut self) -> Option<&mut Connection> {
        self.connection.as_mut()?.as_mut()
    }

    /// Takes the connection out of its place, for good.
    pub(crate) fn take(&mut self) -> Option<Connection> {
        self.connection.as_mut()?.take()
    }

    /// Gives the turn back; whether the loop is to be woken.
    pub(crate) fn leave(mut self) -> bool {
        self.end()
    }

    fn end(&mut self) -> bool {
        // The lock first: the next one does not wait for it.
        self.connection.take().is_some_and(|guard| {
            drop(guard);
            self.turn.release()
        })
    }
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        self.end();
    }
}
