// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

use super::*;
use crate::peer::waiting::Waiters;

const ONE: HostId = [1; 16];
const TWO: HostId = [2; 16];

struct Node {
    pending: Pending<char, u32>,
    names: Waiters<()>,
    now: Instant,
}

impl Node {
    fn new() -> Node {
        Node { pending: Pending::default(), names: Waiters::default(), now: Instant::now() }
    }

    /// A write of three replicas, of which this node is one.
    fn write(&mut self, needed: usize, silent: &[HostId], missed: &[HostId]) -> Ticket {
        let ticket = self.names.ticket();
        let held = (needed > 0).then_some(('h', needed));
        self.pending.add(ticket, held, (7, 100), (silent.into(), missed.into()), self.now);
        ticket
    }

    fn settled(&mut self) -> Vec<Settled<char, u32>> {
        self.pending.take_settled()
    }

    fn is_empty(&self) -> bool {
        self.pending.writes.is_empty() && self.pending.bytes == 0
    }
}

fn missed(hosts: &[HostId]) -> Settled<char, u32> {
    Settled::Missed(7, hosts.into())
}

#[test]
fn a_write_is_acknowledged_once_as_its_level_wants() {
    let mut node = Node::new();
    let ticket = node.write(1, &[ONE, TWO], &[]);
    assert!(node.pending.replied(ticket, &TWO, Reply::Ack));
    assert_eq!(node.settled(), [Settled::Acknowledged('h')]);
    assert!(node.pending.replied(ticket, &ONE, Reply::Ack));
    assert!(node.settled().is_empty() && node.is_empty(), "nobody lacks it");
    assert!(!node.pending.replied(ticket, &ONE, Reply::Ack), "F35");

    let ticket = node.write(2, &[ONE, TWO], &[]);
    node.pending.replied(ticket, &ONE, Reply::Ack);
    assert!(node.settled().is_empty());
    node.pending.replied(ticket, &TWO, Reply::Ack);
    assert_eq!(node.settled(), [Settled::Acknowledged('h')]);
    assert!(node.is_empty());
}

#[test]
fn what_a_replica_lacks_after_the_acknowledgement_is_missed() {
    for reply in [Reply::No, Reply::Lost] {
        let mut node = Node::new();
        let ticket = node.write(1, &[ONE, TWO], &[]);
        node.pending.replied(ticket, &ONE, reply);
        assert!(node.settled().is_empty(), "the other one may have it yet");
        node.pending.replied(ticket, &TWO, Reply::Ack);
        assert_eq!(node.settled(), [Settled::Acknowledged('h'), missed(&[ONE])]);
        assert!(node.is_empty());
    }
    let mut node = Node::new();
    let ticket = node.write(1, &[ONE, TWO], &[]);
    node.pending.replied(ticket, &ONE, Reply::Ack);
    node.settled();
    node.pending.end_overdue(node.now + PATIENCE);
    assert!(node.settled().is_empty(), "it may take as long as a write may");
    node.pending.end_overdue(node.now + BUDGET);
    assert_eq!(node.settled(), [missed(&[TWO])], "F33: silent");
    assert!(node.is_empty());
}

#[test]
fn cassandra_does_what_too_few_replicas_have() {
    for (reply, reason) in [(Reply::No, Reason::PeerRefused), (Reply::Lost, Reason::PeerLost)] {
        let mut node = Node::new();
        let ticket = node.write(2, &[ONE, TWO], &[]);
        node.pending.replied(ticket, &ONE, reply);
        assert_eq!(node.settled(), [Settled::Passed('h', reason)]);
        assert!(node.is_empty(), "it sees to all replicas");
        assert!(!node.pending.replied(ticket, &TWO, Reply::Ack));
    }
    let mut node = Node::new();
    let ticket = node.write(1, &[ONE, TWO], &[]);
    node.pending.end_overdue(node.now + PATIENCE - Duration::from_millis(1));
    assert!(node.settled().is_empty());
    node.pending.end_overdue(node.now + PATIENCE);
    assert_eq!(node.settled(), [Settled::Passed('h', Reason::PeerLate)]);
    assert!(node.is_empty() && !node.pending.replied(ticket, &ONE, Reply::Ack));
}

#[test]
fn a_replica_that_is_down_is_missed_at_once() {
    let mut node = Node::new();
    let ticket = node.write(1, &[ONE], &[TWO]);
    node.pending.replied(ticket, &ONE, Reply::Ack);
    assert_eq!(node.settled(), [Settled::Acknowledged('h'), missed(&[TWO])]);
    node.write(0, &[], &[ONE, TWO]);
    assert_eq!(node.settled(), [missed(&[ONE, TWO])], "at ONE its client has its answer already");
    assert!(node.is_empty());
}

#[test]
fn so_many_may_wait() {
    let mut node = Node::new();
    assert!(node.pending.has_room(MAX_BYTES) && !node.pending.has_room(MAX_BYTES + 1));
    for _ in 0..MAX_WRITES {
        node.write(1, &[ONE, TWO], &[]);
    }
    assert!(!node.pending.has_room(0));
}

#[test]
fn an_end_leaves_nothing_behind() {
    let mut node = Node::new();
    node.write(1, &[ONE, TWO], &[]);
    node.write(0, &[ONE, TWO], &[]);
    node.pending.end_all(Reason::NodeGate);
    let mut settled = node.settled();
    settled.sort_by_key(|settled| matches!(settled, Settled::Missed(..)));
    assert_eq!(settled, [Settled::Passed('h', Reason::NodeGate), missed(&[ONE, TWO])]);
    assert!(node.is_empty() && node.pending.next_deadline().is_none());
}
