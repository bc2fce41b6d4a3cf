// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What waits for a thread of the pool: clients' requests and peers' reads by turns, so that neither starves the other.

use std::collections::VecDeque;

/// Who waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    Clients,
    Peers,
}

/// Tasks of either lane that may wait; Cassandra sheds load by its own rules.
pub(crate) const MAX_WAITING: usize = 1024;

/// Tasks that wait, in two lanes.
#[derive(Debug)]
pub(crate) struct Lanes<T> {
    clients: VecDeque<T>,
    peers: VecDeque<T>,
    is_peers_turn: bool,
}

impl<T> Default for Lanes<T> {
    fn default() -> Self {
        Lanes { clients: VecDeque::new(), peers: VecDeque::new(), is_peers_turn: false }
    }
}

impl<T> Lanes<T> {
    pub(crate) fn len(&self) -> usize {
        self.clients.len() + self.peers.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether one more of that lane may wait.
    pub(crate) fn has_room(&self, lane: Lane) -> bool {
        let waiting = match lane {
            Lane::Clients => &self.clients,
            Lane::Peers => &self.peers,
        };
        waiting.len() < MAX_WAITING
    }

    pub(crate) fn push(&mut self, lane: Lane, task: T) {
        match lane {
            Lane::Clients => self.clients.push_back(task),
            Lane::Peers => self.peers.push_back(task),
        }
    }

    /// The next one: of either lane by turns, where both have one.
    pub(crate) fn pop(&mut self) -> Option<T> {
        let is_peers = self.clients.is_empty() || self.is_peers_turn && !self.peers.is_empty();
        self.is_peers_turn = !is_peers;
        match is_peers {
            true => self.peers.pop_front(),
            false => self.clients.pop_front(),
        }
    }

    /// The oldest one of each lane.
    pub(crate) fn oldest(&self) -> impl Iterator<Item = &T> {
        self.clients.front().into_iter().chain(self.peers.front())
    }

    /// Takes the oldest one of a lane, if that is so.
    pub(crate) fn pop_if(&mut self, is_so: impl Fn(&T) -> bool) -> Option<T> {
        [&mut self.clients, &mut self.peers].into_iter().find(|lane| lane.front().is_some_and(&is_so))?.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(clients: usize, peers: usize) -> Lanes<(char, usize)> {
        let mut lanes = Lanes::default();
        (0..peers).for_each(|at| lanes.push(Lane::Peers, ('p', at)));
        (0..clients).for_each(|at| lanes.push(Lane::Clients, ('c', at)));
        lanes
    }

    /// F41: peers that came first, and are many, hold up a client by one read.
    #[test]
    fn lanes_have_their_turns() {
        let mut lanes = of(3, 1000);
        let first: String = std::iter::from_fn(|| lanes.pop()).take(8).map(|(lane, _)| lane).collect();
        assert_eq!(first, "cpcpcppp");
        let mut lanes = of(3, 0);
        assert_eq!(std::iter::from_fn(|| lanes.pop()).map(|(_, at)| at).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(lanes.is_empty() && lanes.pop().is_none());
    }

    /// F41
    #[test]
    fn a_full_lane_leaves_the_other_one_its_room() {
        let lanes = of(0, MAX_WAITING);
        assert!(!lanes.has_room(Lane::Peers) && lanes.has_room(Lane::Clients));
    }

    #[test]
    fn the_oldest_of_each_lane_can_be_taken() {
        let mut lanes = of(2, 2);
        assert_eq!(lanes.oldest().copied().collect::<Vec<_>>(), [('c', 0), ('p', 0)]);
        assert_eq!(lanes.pop_if(|(lane, _)| *lane == 'p'), Some(('p', 0)));
        assert_eq!(lanes.pop_if(|(_, at)| *at > 5), None);
        assert_eq!(lanes.len(), 3);
    }
}
