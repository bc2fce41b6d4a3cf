// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The peers that ask one loop. They have their turns one after the other, few in a round: clients of the loop come between.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Registry, Token};
use slab::Slab;

use super::event_loop::PeerDone;
use super::ground::Ground;
use super::pool::PeerJob;
use crate::answering::{Answering, NoDigest};
use crate::counters::Tally;
use crate::parting::Parting;
use crate::peer::channel::{Channel, Left};
use crate::peer::cluster::QuorumReads;
use crate::peer::guest::{Asked, Guest, Served, Serving};
use crate::refusal::Refusal;
use crate::rights::open_table::TableId;
use crate::rights::table_reader::Reach;
use crate::served::Served as Figures;
use crate::writing::{Copy, Writing};

/// Peers that may ask one loop, and those of one address.
const MAX_GUESTS: usize = 4096;
const MAX_OF_ADDRESS: usize = 128;
/// Turns of one round, and how long they may take.
const ROUND_TURNS: usize = 16;
const MAX_ROUND: Duration = Duration::from_millis(1);
/// A turn that has taken longer makes way for others.
const MAX_TURN: Duration = Duration::from_micros(500);

/// One peer.
struct Seat {
    /// Names it; never used again.
    number: u64,
    guest: Guest,
    waits_for_turn: bool,
}

/// All of them.
pub(crate) struct Guests {
    ground: Ground,
    seats: Slab<Seat>,
    of_address: HashMap<IpAddr, usize>,
    next_number: u64,
    /// Those that wait for a turn; some may have gone.
    queue: VecDeque<usize>,
    answering: Answering,
    writing: Writing,
    /// What was read and written for them, for Cassandra's metrics.
    served: Figures,
}

impl Guests {
    pub(crate) fn new(ground: Ground) -> Guests {
        let (answering, writing) = (Answering::default(), Writing::new(&ground.routes));
        Guests {
            ground,
            seats: Slab::new(),
            of_address: HashMap::new(),
            next_number: 0,
            queue: VecDeque::new(),
            answering,
            writing,
            served: Figures::default(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.seats.is_empty()
    }

    /// Takes the connection of a peer.
    ///
    /// * `token` that of its events, by its place
    pub(crate) fn come(
        &mut self,
        socket: TcpStream,
        address: IpAddr,
        token: impl FnOnce(usize) -> Token,
        registry: &Registry,
        now: Instant,
    ) {
        if self.ground.cluster.mode() == QuorumReads::Off {
            return self.ground.tally.add_parting(Parting::Departed);
        }
        let of_address = self.of_address.get(&address).copied().unwrap_or_default();
        if self.seats.len() >= MAX_GUESTS || of_address >= MAX_OF_ADDRESS {
            return self.ground.tally.add_parting(Parting::TooMany);
        }
        let entry = self.seats.vacant_entry();
        let at = entry.key();
        let serving = Arc::clone(&self.ground.cluster.serving);
        // Without a socket there is nobody any more.
        let Ok(channel) = Channel::accepted(socket, serving, token(at), registry) else { return };
        self.next_number += 1;
        let guest = Guest::new(channel, address, now);
        entry.insert(Seat { number: self.next_number, guest, waits_for_turn: false });
        self.of_address.insert(address, of_address + 1);
        // What has come with it may have no event of its own.
        self.want_turn(at);
    }

    /// Gives a peer a turn, once others have had theirs.
    pub(crate) fn want_turn(&mut self, at: usize) {
        if let Some(seat) = self.seats.get_mut(at) {
            if !std::mem::replace(&mut seat.waits_for_turn, true) {
                self.queue.push_back(at);
            }
        }
    }

    /// Whether somebody waits for a turn.
    pub(crate) fn has_more(&self) -> bool {
        !self.queue.is_empty()
    }

    /// The turns of one round.
    pub(crate) fn go_on(&mut self) {
        let began = Instant::now();
        // Nobody has two of them.
        for _ in 0..self.queue.len().min(ROUND_TURNS) {
            if let Some(at) = self.queue.pop_front() {
                self.turn(at);
            }
            if began.elapsed() >= MAX_ROUND {
                break;
            }
        }
    }

    fn turn(&mut self, at: usize) {
        let Some(seat) = self.seats.get_mut(at) else { return };
        seat.waits_for_turn = false;
        let members = self.ground.cluster.members.load();
        let began = Instant::now();
        let mut server = Server {
            ground: &self.ground,
            answering: &mut self.answering,
            writing: &mut self.writing,
            figures: &mut self.served,
            slot: at,
            guest: seat.number,
            began,
        };
        match seat.guest.turn(&members, &mut server, began) {
            Ok(Left::Nothing) => {}
            Ok(Left::More) => self.want_turn(at),
            Err(error) => {
                let parting = seat.guest.parting(&error);
                self.end(at, parting);
            }
        }
    }

    fn end(&mut self, at: usize, parting: Option<Parting>) {
        let Some(seat) = self.seats.try_remove(at) else { return };
        self.queue.retain(|waiting| *waiting != at);
        let address = seat.guest.address();
        match self.of_address.get_mut(&address) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(self.of_address.remove(&address)),
        }
        parting.into_iter().for_each(|parting| self.ground.tally.add_parting(parting));
    }

    /// Takes what the pool has made of a peer's read.
    pub(crate) fn done(&mut self, done: PeerDone) {
        let Some(seat) = self.seats.get_mut(done.slot).filter(|seat| seat.number == done.guest) else { return };
        count(&self.ground.tally, &mut self.served, (&done.table, done.since), &done.served);
        seat.guest.pooled(done.id, done.served);
        self.want_turn(done.slot);
    }

    /// Ends those that may not stay.
    pub(crate) fn look_round(&mut self, now: Instant) {
        let members = self.ground.cluster.members.load();
        let is_off = self.ground.cluster.mode() == QuorumReads::Off;
        let overdue = |guest: &Guest| match is_off {
            true => Some(Parting::Departed),
            false => guest.overdue(&members, now),
        };
        let over = self.seats.iter().filter_map(|(at, seat)| Some((at, overdue(&seat.guest)?)));
        let over: Vec<(usize, Parting)> = over.collect();
        over.into_iter().for_each(|(at, parting)| self.end(at, Some(parting)));
    }

    /// What was read for them since the last call.
    pub(crate) fn take_served(&mut self) -> Figures {
        std::mem::take(&mut self.served)
    }

    /// Ends them all.
    pub(crate) fn clear(&mut self) {
        let (ground, next_number) = (self.ground.clone(), self.next_number);
        *self = Guests { next_number, ..Guests::new(ground) };
    }
}

/// Reads and writes for one guest.
struct Server<'a> {
    ground: &'a Ground,
    answering: &'a mut Answering,
    writing: &'a mut Writing,
    figures: &'a mut Figures,
    slot: usize,
    guest: u64,
    began: Instant,
}

impl Serving for Server<'_> {
    fn serve(&mut self, asked: &Asked<'_>) -> Served {
        let since = Instant::now();
        let served = match self.answering.digest(&self.ground.routes, asked.spec, asked.contents, Reach::Memory) {
            Ok(digested) => Served::Digest(digested),
            Err(NoDigest::Refused(refusal)) => {
                // Nobody may read it here by a statement of its own.
                if refusal == Refusal::TableGate {
                    self.ground.notices.want_table(*asked.spec.table_id(), false);
                }
                Served::Refused(refusal)
            }
            Err(NoDigest::NotInMemory) => self.pool(asked),
        };
        count(&self.ground.tally, self.figures, (asked.spec.table_id(), since), &served);
        served
    }

    fn write(&mut self, copy: &Copy<'_>) -> Result<(), Refusal> {
        let since = Instant::now();
        let written = self.writing.write_copy(&self.ground.routes, copy);
        match written {
            Ok(()) => {
                Tally::add(&self.ground.tally.copies_written, 1);
                self.figures.add_copy(copy.spec.table_id(), since.elapsed());
            }
            Err(refusal) => {
                self.ground.tally.add_copy_refused(refusal);
                if refusal == Refusal::TableGate {
                    self.ground.notices.want_table(*copy.spec.table_id(), true);
                }
            }
        }
        written
    }

    fn has_time(&self) -> bool {
        self.began.elapsed() < MAX_TURN
    }
}

impl Server<'_> {
    fn pool(&self, asked: &Asked<'_>) -> Served {
        let job = PeerJob {
            event_loop: Arc::clone(&self.ground.event_loop),
            slot: self.slot,
            guest: self.guest,
            id: asked.id,
            spec: Arc::clone(asked.spec),
            contents: asked.contents.to_vec(),
            budget: asked.budget,
            since: Instant::now(),
        };
        match self.ground.pool.add_for_peer(job) {
            true => Served::Pooled,
            false => Served::Refused(Refusal::Busy),
        }
    }
}

/// Counts what a peer gets of a table, for which it has waited since then.
fn count(tally: &Tally, figures: &mut Figures, (table, since): (&TableId, Instant), served: &Served) {
    match served {
        Served::Digest(digested) => {
            Tally::add(&tally.digests_given, 1);
            figures.add_digest(table, &digested.read, since.elapsed());
        }
        Served::Refused(refusal) => tally.add_refused(*refusal),
        Served::Pooled => {}
    }
}

#[cfg(test)]
mod tests;
