// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Writes that other replicas are to have, too. A client has its answer once as many have acknowledged as its level wants. If
//! they cannot any more, Cassandra does the whole write again. What a replica lacks afterwards is *missed*: as Cassandra would
//! leave it a hint.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::time::{Duration, Instant};

use super::waiting::{Reply, Ticket};
use crate::reason::Reason;
use crate::rights::digest::HostId;
use crate::writing::Hosts;

/// Writes of one loop that wait, and their bytes.
const MAX_WRITES: usize = 4096;
const MAX_BYTES: usize = 16 << 20;
/// For so long a client waits before Cassandra does the write.
pub(crate) const PATIENCE: Duration = Duration::from_millis(500);
/// For so long a replica may write at all: write_request_timeout, as Cassandra has it unless told otherwise.
pub(crate) const BUDGET: Duration = Duration::from_secs(2);

/// What becomes of a write.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Settled<H, W> {
    /// Enough replicas have it: its client has its answer.
    Acknowledged(H),
    /// Cassandra does it.
    Passed(H, Reason),
    /// It was acknowledged, and these replicas may lack it.
    Missed(W, Hosts),
}

#[derive(Debug)]
struct Waiting<H, W> {
    /// Until the client has its answer.
    held: Option<H>,
    write: W,
    bytes: usize,
    /// Replicas that are yet to acknowledge before the client has it.
    left: usize,
    silent: Hosts,
    missed: Hosts,
    deadline: Instant,
    /// After that nobody writes any more.
    over: Instant,
}

/// All such writes of one loop.
///
/// * `H` what a client's answer needs
/// * `W` what a write needs to be done once more
#[derive(Debug)]
pub(crate) struct Pending<H, W> {
    writes: HashMap<Ticket, Waiting<H, W>>,
    bytes: usize,
    /// Also of writes that have ended meanwhile.
    deadlines: BinaryHeap<Reverse<(Instant, Ticket)>>,
    settled: Vec<Settled<H, W>>,
}

impl<H, W> Default for Pending<H, W> {
    fn default() -> Self {
        Pending { writes: HashMap::new(), bytes: 0, deadlines: BinaryHeap::new(), settled: Vec::new() }
    }
}

impl<H, W> Pending<H, W> {
    /// Whether one more may wait.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        self.writes.len() < MAX_WRITES && self.bytes + bytes <= MAX_BYTES
    }

    /// Waits for replicas.
    ///
    /// * `held` of a client that waits for so many of them; `None` where it has its answer
    /// * `bytes` that the write keeps
    /// * `silent` those that have been asked
    /// * `missed` those that are down
    pub(crate) fn add(
        &mut self,
        ticket: Ticket,
        held: Option<(H, usize)>,
        (write, bytes): (W, usize),
        (silent, missed): (Hosts, Hosts),
        now: Instant,
    ) {
        let (held, left) = held.map_or((None, 0), |(held, left)| (Some(held), left));
        let over = now + BUDGET;
        let deadline = if held.is_some() { now + PATIENCE } else { over };
        self.bytes += bytes;
        self.writes.insert(ticket, Waiting { held, write, bytes, left, silent, missed, deadline, over });
        self.deadlines.push(Reverse((deadline, ticket)));
        self.end_if_all_said(ticket);
    }

    /// Takes what a replica has said. False where the ticket is not of a write that waits.
    pub(crate) fn replied(&mut self, ticket: Ticket, host: &HostId, reply: Reply) -> bool {
        let Some(waiting) = self.writes.get_mut(&ticket) else { return false };
        waiting.silent.retain(|silent| silent != host);
        match reply {
            Reply::Ack => waiting.left = waiting.left.saturating_sub(1),
            Reply::Digest(_) | Reply::No | Reply::Lost => waiting.missed.push(*host),
        }
        let reason = if reply == Reply::Lost { Reason::PeerLost } else { Reason::PeerRefused };
        if waiting.left == 0 {
            self.acknowledge(ticket);
        } else if waiting.silent.len() < waiting.left {
            return self.pass(ticket, reason);
        }
        self.end_if_all_said(ticket);
        true
    }

    fn acknowledge(&mut self, ticket: Ticket) {
        let Some(waiting) = self.writes.get_mut(&ticket) else { return };
        let Some(held) = waiting.held.take() else { return };
        self.settled.push(Settled::Acknowledged(held));
        waiting.deadline = waiting.over;
        self.deadlines.push(Reverse((waiting.deadline, ticket)));
    }

    fn pass(&mut self, ticket: Ticket, reason: Reason) -> bool {
        if let Some(held) = self.remove(ticket).and_then(|waiting| waiting.held) {
            self.settled.push(Settled::Passed(held, reason));
        }
        true
    }

    fn end_if_all_said(&mut self, ticket: Ticket) {
        if self.writes.get(&ticket).is_some_and(|waiting| waiting.silent.is_empty()) {
            self.end(ticket);
        }
    }

    /// Whoever has said nothing may lack it.
    fn end(&mut self, ticket: Ticket) {
        let Some(mut waiting) = self.remove(ticket) else { return };
        waiting.missed.extend(waiting.silent.drain(..));
        if !waiting.missed.is_empty() {
            self.settled.push(Settled::Missed(waiting.write, waiting.missed));
        }
    }

    fn remove(&mut self, ticket: Ticket) -> Option<Waiting<H, W>> {
        self.writes.remove(&ticket).inspect(|waiting| self.bytes -= waiting.bytes)
    }

    /// Ends what has waited for too long.
    pub(crate) fn end_overdue(&mut self, now: Instant) {
        while let Some(Reverse((deadline, ticket))) = self.deadlines.peek().copied() {
            let of = self.writes.get(&ticket).filter(|waiting| waiting.deadline == deadline);
            let is_held = of.map(|waiting| waiting.held.is_some());
            if is_held.is_some() && deadline > now {
                return;
            }
            self.deadlines.pop();
            match is_held {
                Some(true) => drop(self.pass(ticket, Reason::PeerLate)),
                Some(false) => self.end(ticket),
                None => {}
            }
        }
    }

    /// When the next time is over; maybe earlier.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        self.deadlines.peek().map(|Reverse((deadline, _))| *deadline)
    }

    /// What has become of writes since the last call.
    pub(crate) fn take_settled(&mut self) -> Vec<Settled<H, W>> {
        std::mem::take(&mut self.settled)
    }

    /// Nobody is waited for any more.
    pub(crate) fn end_all(&mut self, reason: Reason) {
        self.deadlines.clear();
        for ticket in self.writes.keys().copied().collect::<Vec<_>>() {
            match self.writes.get(&ticket).is_some_and(|waiting| waiting.held.is_some()) {
                true => drop(self.pass(ticket, reason)),
                false => self.end(ticket),
            }
        }
    }
}

#[cfg(test)]
mod tests;
