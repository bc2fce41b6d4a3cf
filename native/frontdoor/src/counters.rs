// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What the door has done since it opened. Every thread adds to the same atomics, at most once for each wake-up.

use crate::parting::Parting;
use crate::protocol::{Opcode, REQUESTS};
use crate::reason::Reason;
use crate::refusal::Refusal;
use std::sync::atomic::{AtomicU64, Ordering};

/// Kinds of partings.
const PARTINGS: usize = Parting::ALL.len();
/// Kinds of refusals.
const REFUSALS: usize = Refusal::ALL.len();
/// Kinds of reasons.
const REASONS: usize = Reason::ALL.len();

/// Counters of the door; all but `open` and `peers_connected` only grow.
#[derive(Debug)]
pub(crate) struct Tally {
    pub accepted: AtomicU64,
    pub direct: AtomicU64,
    pub tls: AtomicU64,
    pub tls_failed: AtomicU64,
    pub tls_refused: AtomicU64,
    pub passed_by: AtomicU64,
    pub handed_over: AtomicU64,
    pub taken_back: AtomicU64,
    pub open: AtomicU64,
    pub to_cassandra_bytes: AtomicU64,
    pub to_clients_bytes: AtomicU64,
    pub sent_straight: AtomicU64,
    pub accept_failures: AtomicU64,
    pub threads_failed: AtomicU64,
    pub loops_prioritized: AtomicU64,
    pub opaque: AtomicU64,
    pub answered: AtomicU64,
    pub mismatches: AtomicU64,
    pub peers_connected: AtomicU64,
    pub peers_unreachable: AtomicU64,
    pub digests_given: AtomicU64,
    pub copies_written: AtomicU64,
    pub copies_missed: AtomicU64,
    peers_refused: [AtomicU64; PARTINGS],
    requests: [AtomicU64; REQUESTS],
    digests_refused: [AtomicU64; REFUSALS],
    copies_refused: [AtomicU64; REFUSALS],
    passed: [AtomicU64; REASONS],
}

/// The counters as they were at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counters {
    /// Clients accepted.
    pub accepted: u64,
    /// Of these, handed to Cassandra with their own socket.
    pub direct: u64,
    /// Others that were handed over so, because too many are connected through the door.
    pub passed_by: u64,
    /// Clients with whom the door speaks TLS.
    pub tls: u64,
    /// Handshakes of TLS with the door that have failed, or have taken too long.
    pub tls_failed: u64,
    /// Clients whose connection has ended because the door's TLS took no more bytes for them.
    pub tls_refused: u64,
    /// Clients whose own socket Cassandra got later, because nearly nothing of theirs was answered natively.
    pub handed_over: u64,
    /// How often one of these came back to the door.
    pub taken_back: u64,
    /// Connections through the door now.
    pub open: u64,
    /// Bytes passed on to Cassandra.
    pub to_cassandra_bytes: u64,
    /// Bytes passed on to clients.
    pub to_clients_bytes: u64,
    /// Times that Cassandra's thread has sent to a client itself.
    pub sent_straight: u64,
    /// Times that a client could not be accepted, such as for want of file descriptors.
    pub accept_failures: u64,
    /// Threads that have ended of themselves, with their connections.
    pub threads_failed: u64,
    /// Loops with priority over the JVM's threads: all or none.
    pub loops_prioritized: u64,
    /// Clients whose requests the door cannot tell apart.
    pub opaque: u64,
    /// Requests of the other clients: STARTUP, OPTIONS, QUERY, PREPARE, EXECUTE, REGISTER, BATCH, AUTH_RESPONSE.
    pub requests: [u64; REQUESTS],
    /// EXECUTEs answered natively.
    pub answered: u64,
    /// Answers that differed from Cassandra's, and were not sent.
    pub mismatches: u64,
    /// Connections to doors of other replicas that stand now: one of each loop to each.
    pub peers_connected: u64,
    /// Times that such a connection could not be had.
    pub peers_unreachable: u64,
    /// Connections of other nodes' doors that were refused or ended, by reason.
    pub peers_refused: [u64; PARTINGS],
    /// Digests that this node has given to others.
    pub digests_given: u64,
    /// Digests that it has refused others, by reason.
    pub digests_refused: [u64; REFUSALS],
    /// Writes of others that this node has done, too.
    pub copies_written: u64,
    /// Those that it has refused others, by reason.
    pub copies_refused: [u64; REFUSALS],
    /// Writes that replicas lacked when they were acknowledged: each is a hint for each of them.
    pub copies_missed: u64,
    /// EXECUTEs passed on, by reason.
    pub passed: [u64; REASONS],
}

impl Counters {
    /// Of a door that has done nothing.
    pub fn none() -> Counters {
        Tally::default().read()
    }

    /// The name of each counter in reports, and its value.
    pub fn named(&self) -> Vec<(String, u64)> {
        let figures = [
            ("clients_accepted", self.accepted),
            ("clients_handed_over", self.direct),
            ("clients_tls", self.tls),
            ("tls_handshakes_failed", self.tls_failed),
            ("tls_writes_refused", self.tls_refused),
            ("clients_passed_by", self.passed_by),
            ("clients_handed_over_later", self.handed_over),
            ("clients_taken_back", self.taken_back),
            ("connections_open", self.open),
            ("bytes_to_cassandra", self.to_cassandra_bytes),
            ("bytes_to_clients", self.to_clients_bytes),
            ("sent_straight", self.sent_straight),
            ("accept_failures", self.accept_failures),
            ("threads_failed", self.threads_failed),
            ("loops_prioritized", self.loops_prioritized),
            ("clients_opaque", self.opaque),
            ("executes_answered", self.answered),
            ("answers_different", self.mismatches),
            ("peers_connected", self.peers_connected),
            ("peers_unreachable", self.peers_unreachable),
            ("digests_given", self.digests_given),
            ("copies_written", self.copies_written),
            ("copies_missed", self.copies_missed),
        ];
        let requests =
            Opcode::ALL.iter().zip(self.requests).map(|(opcode, count)| (format!("requests_{}", opcode.name()), count));
        let parted = Parting::ALL.iter().zip(self.peers_refused);
        let parted = parted.map(|(parting, count)| (format!("peers_refused_{}", parting.name()), count));
        let refused = Refusal::ALL.iter().zip(self.digests_refused).filter(|(refusal, _)| refusal.is_of_digests());
        let refused = refused.map(|(refusal, count)| (format!("digests_refused_{}", refusal.name()), count));
        let not_copied = Refusal::ALL.iter().zip(self.copies_refused).filter(|(refusal, _)| refusal.is_of_copies());
        let not_copied = not_copied.map(|(refusal, count)| (format!("copies_refused_{}", refusal.name()), count));
        let passed = Reason::ALL.iter().zip(self.passed);
        let passed = passed.map(|(reason, count)| (format!("executes_passed_{}", reason.name()), count));
        figures
            .map(|(name, count)| (name.to_owned(), count))
            .into_iter()
            .chain(parted)
            .chain(refused)
            .chain(not_copied)
            .chain(requests)
            .chain(passed)
            .collect()
    }
}

impl Default for Tally {
    fn default() -> Self {
        let zero = || AtomicU64::new(0);
        Tally {
            accepted: zero(),
            direct: zero(),
            tls: zero(),
            tls_failed: zero(),
            tls_refused: zero(),
            passed_by: zero(),
            handed_over: zero(),
            taken_back: zero(),
            open: zero(),
            to_cassandra_bytes: zero(),
            to_clients_bytes: zero(),
            sent_straight: zero(),
            accept_failures: zero(),
            threads_failed: zero(),
            loops_prioritized: zero(),
            opaque: zero(),
            answered: zero(),
            mismatches: zero(),
            peers_connected: zero(),
            peers_unreachable: zero(),
            digests_given: zero(),
            copies_written: zero(),
            copies_missed: zero(),
            peers_refused: std::array::from_fn(|_| zero()),
            digests_refused: std::array::from_fn(|_| zero()),
            copies_refused: std::array::from_fn(|_| zero()),
            requests: std::array::from_fn(|_| zero()),
            passed: std::array::from_fn(|_| zero()),
        }
    }
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

    /// Adds a connection of another node's door that was refused or ended.
    pub(crate) fn add_parting(&self, parting: Parting) {
        if let Some(counter) = self.peers_refused.get(parting as usize) {
            Tally::add(counter, 1);
        }
    }

    /// Adds a digest that another node was refused.
    pub(crate) fn add_refused(&self, refusal: Refusal) {
        if let Some(counter) = Refusal::ALL.iter().position(|other| *other == refusal) {
            self.digests_refused.get(counter).into_iter().for_each(|counter| Tally::add(counter, 1));
        }
    }

    /// Adds a write that another node was refused.
    pub(crate) fn add_copy_refused(&self, refusal: Refusal) {
        if let Some(counter) = Refusal::ALL.iter().position(|other| *other == refusal) {
            self.copies_refused.get(counter).into_iter().for_each(|counter| Tally::add(counter, 1));
        }
    }

    /// Adds an EXECUTE that Cassandra answers.
    pub(crate) fn add_passed(&self, reason: Reason) {
        if let Some(counter) = self.passed.get(reason as usize) {
            Tally::add(counter, 1);
        }
    }

    /// All counters; not of one instant.
    pub(crate) fn read(&self) -> Counters {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counters {
            accepted: of(&self.accepted),
            direct: of(&self.direct),
            tls: of(&self.tls),
            tls_failed: of(&self.tls_failed),
            tls_refused: of(&self.tls_refused),
            passed_by: of(&self.passed_by),
            handed_over: of(&self.handed_over),
            taken_back: of(&self.taken_back),
            open: of(&self.open),
            to_cassandra_bytes: of(&self.to_cassandra_bytes),
            to_clients_bytes: of(&self.to_clients_bytes),
            sent_straight: of(&self.sent_straight),
            accept_failures: of(&self.accept_failures),
            threads_failed: of(&self.threads_failed),
            loops_prioritized: of(&self.loops_prioritized),
            opaque: of(&self.opaque),
            requests: self.requests.each_ref().map(of),
            answered: of(&self.answered),
            mismatches: of(&self.mismatches),
            peers_connected: of(&self.peers_connected),
            peers_unreachable: of(&self.peers_unreachable),
            digests_given: of(&self.digests_given),
            peers_refused: self.peers_refused.each_ref().map(of),
            digests_refused: self.digests_refused.each_ref().map(of),
            copies_written: of(&self.copies_written),
            copies_refused: self.copies_refused.each_ref().map(of),
            copies_missed: of(&self.copies_missed),
            passed: self.passed.each_ref().map(of),
        }
    }
}
