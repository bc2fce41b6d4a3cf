// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What the door has done since it opened. Every thread adds to the same atomics, at most once for each wake-up.

use crate::protocol::REQUESTS;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of the door; all but `open` only grow.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub accepted: AtomicU64,
    pub direct: AtomicU64,
    pub open: AtomicU64,
    pub to_cassandra_bytes: AtomicU64,
    pub to_clients_bytes: AtomicU64,
    pub accept_failures: AtomicU64,
    pub opaque: AtomicU64,
    requests: [AtomicU64; REQUESTS],
}

/// The counters as they were at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Clients accepted.
    pub accepted: u64,
    /// Of these, handed to Cassandra with their own socket.
    pub direct: u64,
    /// Connections through the door now.
    pub open: u64,
    /// Bytes passed on to Cassandra.
    pub to_cassandra_bytes: u64,
    /// Bytes passed on to clients.
    pub to_clients_bytes: u64,
    /// Times that a client could not be accepted, such as for want of file descriptors.
    pub accept_failures: u64,
    /// Clients whose requests the door cannot tell apart.
    pub opaque: u64,
    /// Requests of the other clients: STARTUP, OPTIONS, QUERY, PREPARE, EXECUTE, REGISTER, BATCH, AUTH_RESPONSE.
    pub requests: [u64; REQUESTS],
}

impl Tally {
    /// Adds to one counter.
    pub(crate) fn add(counter: &AtomicU64, count: u64) {
        counter.fetch_add(count, Ordering::Relaxed);
    }

    /// Adds requests, in the order of [`Counters::requests`].
    pub(crate) fn add_requests(&self, seen: [u64; REQUESTS]) {
        for (counter, count) in self.requests.iter().zip(seen).filter(|(_, count)| *count > 0) {
            Tally::add(counter, count);
        }
    }

    /// All counters; not of one instant.
    pub(crate) fn read(&self) -> Counters {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counters {
            accepted: of(&self.accepted),
            direct: of(&self.direct),
            open: of(&self.open),
            to_cassandra_bytes: of(&self.to_cassandra_bytes),
            to_clients_bytes: of(&self.to_clients_bytes),
            accept_failures: of(&self.accept_failures),
            opaque: of(&self.opaque),
            requests: self.requests.each_ref().map(of),
        }
    }
}
