// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Which wrong answers the consistency levels allow.

use std::sync::atomic::{AtomicU32, Ordering};

use scylla::statement::Consistency;

use crate::check::FaultKind;

/// Copies of each row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replication {
    /// In the data centre to which the client speaks; 0 where it speaks to several, and then all are others.
    pub local: u32,
    /// In each other data centre.
    pub others: Vec<u32>,
}

impl Replication {
    /// One data centre with `factor` copies.
    pub fn one_datacenter(factor: u32) -> Self {
        Self { local: factor, others: Vec::new() }
    }

    fn total(&self) -> u32 {
        self.local + self.others.iter().sum::<u32>()
    }
}

/// How many replicas surely took part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Replicas {
    local: u32,
    total: u32,
}

/// The consistency levels of a run, and what became of its replicas. Safe to share between threads.
///
/// A read must see an acknowledged write when the replicas of both overlap for certain: R + W > RF, over all data centres
/// or within the local one. A node that was down and came back, even after `kill -9`, still counts: it acknowledged what is
/// in its commit log. A node that lost its data (replaced, disk wiped, power lost with a periodic commit log) does not:
/// whoever takes it away calls [`Levels::replica_lost`], and from then on W is one less until [`Levels::repaired`].
/// Mixed-up rows are never allowed. A row resurrected because a replica was away for longer than `gc_grace_seconds` is not
/// recognised as such: it counts as unexplained.
#[derive(Debug)]
pub struct Levels {
    read: Consistency,
    /// Of all kinds of writes.
    writes: Vec<Consistency>,
    replication: Replication,
    lost: AtomicU32,
}

impl Levels {
    /// Reads at `read`, writes at `write`.
    pub fn new(read: Consistency, write: Consistency, replication: Replication) -> Self {
        Self { read, writes: vec![write], replication, lost: AtomicU32::new(0) }
    }

    /// The same where some writes are at another level: a read must meet those, too.
    pub fn and_writes_at(mut self, write: Consistency) -> Self {
        self.writes.push(write);
        self
    }

    /// The same for reads at another level.
    pub fn reading_at(&self, read: Consistency) -> Self {
        let lost = AtomicU32::new(self.lost.load(Ordering::Relaxed));
        Self { read, writes: self.writes.clone(), replication: self.replication.clone(), lost }
    }

    /// The same where rows are there that were written, and lost, under other levels before.
    pub fn after(mut self, before: &Self) -> Self {
        for write in &before.writes {
            if !self.writes.contains(write) {
                self.writes.push(*write);
            }
        }
        self.lost = AtomicU32::new(before.lost.load(Ordering::Relaxed));
        self
    }

    /// A replica lost data that it had acknowledged.
    pub fn replica_lost(&self) {
        self.lost.fetch_add(1, Ordering::Relaxed);
    }

    /// All replicas have all data again (a full repair ended).
    pub fn repaired(&self) {
        self.lost.store(0, Ordering::Relaxed);
    }

    /// Whether a read surely meets a replica that has each acknowledged write.
    pub fn overlap(&self) -> bool {
        self.overlap_at(self.read)
    }

    fn overlap_at(&self, read: Consistency) -> bool {
        self.writes.iter().all(|write| self.pair_overlaps(read, *write))
    }

    fn pair_overlaps(&self, read: Consistency, write: Consistency) -> bool {
        let (read, write) = (self.replicas(read), self.replicas(write));
        let lost = self.lost.load(Ordering::Relaxed);
        let meets = |read: u32, write: u32, of: u32| read + write.saturating_sub(lost) > of && write > lost;
        self.replication.local > 0 && meets(read.local, write.local, self.replication.local)
            || meets(read.total, write.total, self.replication.total())
    }

    /// Whether a fault of this kind may come from the levels alone.
    pub fn explain(&self, fault: FaultKind) -> bool {
        self.explain_at(fault, None)
    }

    /// As [`Levels::explain`], for a read at a level of its own.
    pub fn explain_at(&self, fault: FaultKind, read: Option<Consistency>) -> bool {
        match fault {
            FaultKind::MixedUp => false,
            FaultKind::Lost | FaultKind::Stale | FaultKind::Resurrected => !self.overlap_at(read.unwrap_or(self.read)),
        }
    }

    /// The decision in words, W of the writes that reach the fewest: levels, replicas, lost replicas.
    pub fn reason(&self) -> String {
        let written = self.writes.iter().map(|write| self.replicas(*write).total).min().unwrap_or(0);
        let writes = self.writes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let lost = self.lost.load(Ordering::Relaxed);
        let overlap = if self.overlap() { "every read meets every write" } else { "a read may miss a write" };
        format!(
            "reads at {}, writes at {writes}: R = {}, W = {written}, RF = {}, replicas that lost data = {lost}: {overlap}",
            self.read,
            self.replicas(self.read).total,
            self.replication.total()
        )
    }

    fn replicas(&self, level: Consistency) -> Replicas {
        let (local_factor, total_factor) = (self.replication.local, self.replication.total());
        let quorum = |factor: u32| if factor == 0 { 0 } else { factor / 2 + 1 };
        let anywhere =
            |total: u32| Replicas { local: if self.replication.others.is_empty() { total } else { 0 }, total };
        let near = |local: u32| Replicas { local, total: local };
        match level {
            Consistency::Any => anywhere(0),
            Consistency::One => anywhere(1),
            Consistency::Two => anywhere(2),
            Consistency::Three => anywhere(3),
            Consistency::Quorum | Consistency::Serial => anywhere(quorum(total_factor)),
            Consistency::All => Replicas { local: local_factor, total: total_factor },
            Consistency::LocalOne => near(1),
            Consistency::LocalQuorum | Consistency::LocalSerial => near(quorum(local_factor)),
            Consistency::EachQuorum => {
                let others: u32 = self.replication.others.iter().map(|&factor| quorum(factor)).sum();
                Replicas { local: quorum(local_factor), total: quorum(local_factor) + others }
            }
        }
    }
}

#[cfg(test)]
mod tests;
