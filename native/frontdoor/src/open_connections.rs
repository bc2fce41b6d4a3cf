// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The connections of all loops by their numbers, for threads that send Cassandra's responses themselves.
//!
//! Through the pair a response wakes a loop, which reads and writes it once more. Where nothing of the connection waits,
//! the thread that has the response writes it to the client's socket, under the connection's lock. The loop has that lock
//! during each turn. A sender never waits for it: the response then takes the way through the pair.

use std::collections::HashMap;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use mio::Registry;

use crate::connection::Connection;

/// A connection, which its loop shares with whoever sends its responses.
#[derive(Clone)]
pub(crate) struct SharedConnection {
    connection: Arc<Mutex<Connection>>,
    registry: Arc<Registry>,
}

impl SharedConnection {
    /// * `registry` that of its loop
    pub(crate) fn new(connection: Connection, registry: Arc<Registry>) -> Self {
        SharedConnection { connection: Arc::new(Mutex::new(connection)), registry }
    }

    /// For its loop. Where a turn has panicked the connection is closed next.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Those that are open, by number.
#[derive(Default)]
pub(crate) struct OpenConnections {
    by_number: RwLock<HashMap<u64, SharedConnection>>,
}

impl OpenConnections {
    pub(crate) fn add(&self, number: u64, connection: SharedConnection) {
        self.by_number.write().unwrap_or_else(PoisonError::into_inner).insert(number, connection);
    }

    pub(crate) fn remove(&self, number: u64) {
        self.by_number.write().unwrap_or_else(PoisonError::into_inner).remove(&number);
    }

    /// Sends bytes of Cassandra's to the client, all or none; false where they must go through the pair.
    pub(crate) fn send(&self, number: u64, bytes: &[u8]) -> bool {
        let found = self.by_number.read().unwrap_or_else(PoisonError::into_inner).get(&number).cloned();
        let Some(shared) = found else { return false };
        // Neither a busy connection nor one that a panic has left as it was is worth waiting for.
        let Ok(mut connection) = shared.connection.try_lock() else { return false };
        let sending = AssertUnwindSafe(|| connection.send(bytes, &shared.registry));
        catch_unwind(sending).unwrap_or_else(|_| {
            connection.end_client();
            true
        })
    }
}
