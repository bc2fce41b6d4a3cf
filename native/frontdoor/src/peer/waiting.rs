// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Clients' reads that wait for other replicas. Each ends once: when all replicas agree, when one does not, or when the time is
//! over.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::time::Instant;

use crate::reason::Reason;
use crate::rights::digest::Digest;

/// Names a read that waits, or a write; never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Ticket(u64);

/// What a replica has said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Digest(Digest),
    /// It has written.
    Ack,
    /// It gives no digest, or has not written.
    No,
    /// Its connection has ended.
    Lost,
}

/// A read that waits no more.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ended<T> {
    pub read: T,
    /// Whether all agree.
    pub outcome: Result<(), Reason>,
}

#[derive(Debug)]
struct Waiting<T> {
    read: T,
    /// Of this node's own answer.
    digest: Digest,
    deadline: Instant,
    /// Replicas that are yet to agree.
    left: usize,
    /// Replicas that have been asked and have said nothing yet.
    silent: usize,
}

/// All reads of one loop that wait.
#[derive(Debug)]
pub(crate) struct Waiters<T> {
    next: u64,
    reads: HashMap<Ticket, Waiting<T>>,
    /// Also of reads that have ended meanwhile.
    deadlines: BinaryHeap<Reverse<(Instant, Ticket)>>,
}

impl<T> Default for Waiters<T> {
    fn default() -> Self {
        Waiters { next: 0, reads: HashMap::new(), deadlines: BinaryHeap::new() }
    }
}

impl<T> Waiters<T> {
    /// A name for the next read or write.
    pub(crate) fn ticket(&mut self) -> Ticket {
        self.next += 1;
        Ticket(self.next)
    }

    /// Waits until `replicas` have answered with the same digest.
    pub(crate) fn add(&mut self, ticket: Ticket, read: T, digest: Digest, replicas: usize, deadline: Instant) {
        self.reads.insert(ticket, Waiting { read, digest, deadline, left: replicas, silent: replicas });
        self.deadlines.push(Reverse((deadline, ticket)));
    }

    /// A read that waits, and until when.
    pub(crate) fn get_mut(&mut self, ticket: Ticket) -> Option<(&mut T, Instant)> {
        self.reads.get_mut(&ticket).map(|waiting| (&mut waiting.read, waiting.deadline))
    }

    /// One more replica has been asked than must agree, and it may take until then.
    pub(crate) fn asked_another(&mut self, ticket: Ticket, deadline: Instant) {
        if let Some(waiting) = self.reads.get_mut(&ticket) {
            waiting.silent += 1;
            waiting.deadline = waiting.deadline.max(deadline);
            self.deadlines.push(Reverse((waiting.deadline, ticket)));
        }
    }

    /// Takes what a replica has said; the read, if that ends it.
    pub(crate) fn replied(&mut self, ticket: Ticket, reply: Reply) -> Option<Ended<T>> {
        let waiting = self.reads.get_mut(&ticket)?;
        waiting.silent -= 1;
        let outcome = match reply {
            Reply::Digest(digest) if digest == waiting.digest => {
                waiting.left -= 1;
                if waiting.left > 0 {
                    return None;
                }
                Ok(())
            }
            Reply::Digest(_) | Reply::Ack => Err(Reason::Disagreement),
            Reply::No | Reply::Lost if waiting.silent >= waiting.left => return None,
            Reply::No => Err(Reason::PeerRefused),
            Reply::Lost => Err(Reason::PeerLost),
        };
        self.end(ticket, outcome)
    }

    /// A read whose time is over. It waits on where its time is made longer, and ends by [`Waiters::give_up`].
    pub(crate) fn overdue(&mut self, now: Instant) -> Option<Ticket> {
        while let Some(Reverse((deadline, ticket))) = self.deadlines.peek().copied() {
            // A later time of the same read has an entry of its own.
            let waits = self.reads.get(&ticket).is_some_and(|waiting| waiting.deadline == deadline);
            if waits && deadline > now {
                return None;
            }
            self.deadlines.pop();
            if waits {
                return Some(ticket);
            }
        }
        None
    }

    /// Ends a read whose time is over.
    pub(crate) fn give_up(&mut self, ticket: Ticket) -> Option<Ended<T>> {
        self.end(ticket, Err(Reason::PeerLate))
    }

    fn end(&mut self, ticket: Ticket, outcome: Result<(), Reason>) -> Option<Ended<T>> {
        self.reads.remove(&ticket).map(|waiting| Ended { read: waiting.read, outcome })
    }

    /// When the next time is over; maybe earlier.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        self.deadlines.peek().map(|Reverse((deadline, _))| *deadline)
    }

    /// All that wait, as after a fault.
    pub(crate) fn take_all(&mut self) -> Vec<T> {
        self.deadlines.clear();
        self.reads.drain().map(|(_, waiting)| waiting.read).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const OWN: Digest = [1; 16];

    fn one(replicas: usize) -> (Waiters<char>, Ticket, Instant) {
        let mut waiters = Waiters::default();
        let (ticket, deadline) = (waiters.ticket(), Instant::now());
        waiters.add(ticket, 'a', OWN, replicas, deadline);
        (waiters, ticket, deadline)
    }

    fn ended(outcome: Result<(), Reason>) -> Option<Ended<char>> {
        Some(Ended { read: 'a', outcome })
    }

    #[test]
    fn all_replicas_must_agree() {
        let (mut waiters, ticket, _) = one(2);
        assert_eq!(waiters.replied(ticket, Reply::Digest(OWN)), None);
        assert_eq!(waiters.replied(ticket, Reply::Digest(OWN)), ended(Ok(())));
        assert_eq!(waiters.replied(ticket, Reply::Digest(OWN)), None, "it ends once");
    }

    #[test]
    fn one_that_does_not_is_enough() {
        for (reply, reason) in [
            (Reply::Digest([2; 16]), Reason::Disagreement),
            (Reply::No, Reason::PeerRefused),
            (Reply::Lost, Reason::PeerLost),
        ] {
            let (mut waiters, ticket, deadline) = one(2);
            assert_eq!(waiters.replied(ticket, reply), ended(Err(reason)), "two of two are needed");
            assert_eq!(waiters.replied(ticket, Reply::Digest(OWN)), None);
            assert_eq!(waiters.overdue(deadline), None);
        }
    }

    #[test]
    fn nobody_waits_longer_than_to_the_deadline() {
        let (mut waiters, ticket, deadline) = one(1);
        assert_eq!(waiters.next_deadline(), Some(deadline));
        assert_eq!(waiters.overdue(deadline - Duration::from_micros(1)), None);
        assert_eq!(waiters.overdue(deadline), Some(ticket));
        assert_eq!(waiters.give_up(ticket), ended(Err(Reason::PeerLate)));
        assert_eq!(waiters.replied(ticket, Reply::Digest(OWN)), None, "F35: a late answer is for nobody");
        assert_eq!(waiters.next_deadline(), None);
    }

    #[test]
    fn one_more_that_is_asked_may_take_the_place_of_any() {
        let later = |deadline: Instant| deadline + Duration::from_millis(3);
        for first in [Reply::No, Reply::Lost] {
            let (mut waiters, ticket, deadline) = one(1);
            waiters.asked_another(ticket, later(deadline));
            assert_eq!(waiters.overdue(deadline), None, "it has more time");
            assert_eq!(waiters.replied(ticket, first), None, "the other one may agree yet");
            assert_eq!(waiters.replied(ticket, Reply::Digest(OWN)), ended(Ok(())));
        }
        let (mut waiters, ticket, deadline) = one(1);
        waiters.asked_another(ticket, later(deadline));
        assert_eq!(
            waiters.replied(ticket, Reply::Digest([2; 16])),
            ended(Err(Reason::Disagreement)),
            "whoever says it"
        );

        let (mut waiters, ticket, deadline) = one(2);
        waiters.asked_another(ticket, deadline);
        assert_eq!(waiters.replied(ticket, Reply::No), None);
        assert_eq!(waiters.replied(ticket, Reply::Lost), ended(Err(Reason::PeerLost)), "one is left for two");

        let (mut waiters, ticket, deadline) = one(1);
        waiters.asked_another(ticket, later(deadline));
        assert_eq!(waiters.overdue(later(deadline)), Some(ticket));
        assert_eq!(waiters.give_up(ticket), ended(Err(Reason::PeerLate)));
        assert_eq!((waiters.overdue(later(deadline)), waiters.next_deadline()), (None, None));
    }

    #[test]
    fn a_deadline_of_one_that_has_ended_holds_up_nobody() {
        let (mut waiters, first, deadline) = one(1);
        let second = waiters.ticket();
        waiters.add(second, 'b', OWN, 1, deadline + Duration::from_secs(1));
        assert!(waiters.replied(first, Reply::No).is_some());
        let late = waiters.overdue(deadline + Duration::from_secs(1));
        assert_eq!(late, Some(second));
        assert_eq!(waiters.give_up(second), Some(Ended { read: 'b', outcome: Err(Reason::PeerLate) }));
        assert_eq!(waiters.next_deadline(), None);
        assert!(waiters.take_all().is_empty());
    }
}
