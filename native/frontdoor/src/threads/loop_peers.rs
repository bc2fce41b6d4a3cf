// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The doors of other nodes, as one loop has them: those that it asks, and those that ask it.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Registry, Token};
use slab::Slab;

use super::event_loop::{Done, EventLoop, PeerDone};
use super::held::Held;
use super::inquiry::{choose, Chosen, Inquiry};
use super::pool::{PeerJob, Pool};
use crate::answering::{Answering, NoDigest};
use crate::counters::Tally;
use crate::notices::Notices;
use crate::peer::channel::Channel;
use crate::peer::cluster::{Cluster, QuorumReads};
use crate::peer::guest::{Asked, Guest, Left, Served, Serving};
use crate::peer::link::Link;
use crate::peer::waiting::{Reply, Ticket, Waiters};
use crate::reason::Reason;
use crate::refusal::Refusal;
use crate::rights::digest::Quorum;
use crate::rights::routes::Routes;
use crate::rights::table_reader::Reach;

/// Peers that may ask one loop.
const MAX_GUESTS: usize = 4096;
/// A turn of a peer that has taken longer makes way for others.
const MAX_TURN: Duration = Duration::from_micros(500);
/// How often silent peers are looked for.
const ROUND: Duration = Duration::from_millis(100);

/// What a loop shares with others.
#[derive(Clone)]
pub(crate) struct Ground {
    pub cluster: Arc<Cluster>,
    pub routes: Arc<Routes>,
    pub pool: Arc<Pool>,
    pub notices: Arc<Notices>,
    pub tally: Arc<Tally>,
    pub event_loop: Arc<EventLoop>,
}

/// The peers of one loop.
pub(crate) struct LoopPeers {
    ground: Ground,
    registry: Registry,
    links: Slab<Link>,
    guests: Slab<(u64, Guest)>,
    /// Names the next guest; never used again.
    next_guest: u64,
    /// Guests that wait for another turn.
    again: Vec<usize>,
    /// Links that have something to send.
    unsent: Vec<usize>,
    waiters: Waiters<Inquiry>,
    answering: Answering,
    ended: Vec<Done>,
    replies: Vec<(Ticket, Reply)>,
    next_round: Instant,
}

impl LoopPeers {
    pub(crate) fn new(ground: Ground, registry: Registry) -> Self {
        LoopPeers {
            ground,
            registry,
            links: Slab::new(),
            guests: Slab::new(),
            next_guest: 0,
            again: Vec::new(),
            unsent: Vec::new(),
            waiters: Waiters::default(),
            answering: Answering::default(),
            ended: Vec::new(),
            replies: Vec::new(),
            next_round: Instant::now(),
        }
    }

    /// The other replicas to ask.
    ///
    /// # Errors
    /// Too few can be asked now.
    pub(crate) fn choose(&self, quorum: &Quorum) -> Result<Chosen, Reason> {
        choose(&self.links, quorum, Instant::now())
    }

    /// Asks other replicas whether they have what this node has. The request comes back by [`LoopPeers::take_ended`].
    pub(crate) fn ask(&mut self, chosen: &Chosen, quorum: Box<Quorum>, held: Held) {
        let now = Instant::now();
        let links = chosen.iter().filter_map(|at| self.links.get(*at));
        let patience = links.map(|link| link.latency().patience()).max().unwrap_or_default();
        let ticket = self.waiters.ticket();
        let (digest, needed) = (quorum.digest, quorum.needed);
        let mut inquiry = Inquiry::new(held, quorum);
        for at in chosen {
            if let Some(link) = self.links.get_mut(*at) {
                inquiry.ask(link, ticket, patience, now);
                self.unsent.push(*at);
            }
        }
        self.waiters.add(ticket, inquiry, digest, needed, now + patience);
    }

    /// Asks one more replica in place of one that has given no digest. False if there is none, or no time for it.
    fn ask_another(&mut self, ticket: Ticket, now: Instant) -> bool {
        let Some((inquiry, deadline)) = self.waiters.get_mut(ticket) else { return false };
        let left = deadline.saturating_duration_since(now);
        let another = inquiry.another(&self.links, left, now);
        let Some((at, link)) = another.and_then(|at| Some((at, self.links.get_mut(at)?))) else { return false };
        inquiry.ask(link, ticket, left, now);
        self.unsent.push(at);
        true
    }

    /// What becomes of a request that waits for nobody any more.
    pub(crate) fn end(&self, held: Held, outcome: Result<(), Reason>) -> Done {
        held.end(outcome, self.ground.cluster.mode(), &self.ground.routes)
    }

    /// Takes the members that gossip has now.
    pub(crate) fn members_changed(&mut self, now: Instant) {
        let members = self.ground.cluster.members.load_full();
        let others: &[_] = if self.ground.cluster.mode() == QuorumReads::Off { &[] } else { &members.others };
        let has_gone = |link: &Link| !others.iter().any(|member| member.is_same(&link.member));
        let gone: Vec<usize> = self.links.iter().filter(|(_, link)| has_gone(link)).map(|(at, _)| at).collect();
        for at in gone {
            self.end_link(at, now);
            self.links.try_remove(at);
        }
        for member in others {
            match self.links.iter_mut().find(|(_, link)| link.member.is_same(member)) {
                Some((_, link)) => link.member.is_up = member.is_up,
                None => {
                    let entry = self.links.vacant_entry();
                    let token = Token(entry.key() * 2);
                    entry.insert(Link::new(member.clone(), token, now));
                }
            }
        }
        self.round(now);
    }

    /// Takes the connection of a peer.
    pub(crate) fn come(&mut self, socket: TcpStream, address: IpAddr, now: Instant) {
        if self.guests.len() >= MAX_GUESTS || self.ground.cluster.mode() == QuorumReads::Off {
            return Tally::add(&self.ground.tally.peers_refused, 1);
        }
        let entry = self.guests.vacant_entry();
        let (at, token) = (entry.key(), Token(entry.key() * 2 + 1));
        let serving = Arc::clone(&self.ground.cluster.serving);
        match Channel::accepted(socket, serving, token, &self.registry) {
            Ok(channel) => {
                self.next_guest += 1;
                entry.insert((self.next_guest, Guest::new(channel, address, now)));
                // What has come with it may have no event of its own.
                self.guest_turn(at);
            }
            Err(_) => Tally::add(&self.ground.tally.peers_refused, 1),
        }
    }

    /// Serves whoever the token is of.
    pub(crate) fn on_event(&mut self, token: Token, now: Instant) {
        match token.0 % 2 {
            0 => self.link_turn(token.0 / 2, now),
            _ => self.guest_turn(token.0 / 2),
        }
    }

    fn link_turn(&mut self, at: usize, now: Instant) {
        let Some(link) = self.links.get_mut(at) else { return };
        let was_connected = link.is_connected();
        let received = link.receive(now, &mut self.replies).and_then(|()| link.flush());
        Tally::add(&self.ground.tally.peers_connected, u64::from(link.is_connected() && !was_connected));
        self.take_replies(now);
        if received.is_err() {
            self.end_link(at, now);
        }
    }

    fn end_link(&mut self, at: usize, now: Instant) {
        let Some(link) = self.links.get_mut(at) else { return };
        match link.is_connected() {
            _ if !link.has_connection() => return,
            true => Tally::add(&self.ground.tally.peers_connected, 1u64.wrapping_neg()),
            false => Tally::add(&self.ground.tally.peers_unreachable, 1),
        }
        link.end(now, &mut self.replies);
        self.take_replies(now);
    }

    fn take_replies(&mut self, now: Instant) {
        for (ticket, reply) in std::mem::take(&mut self.replies) {
            let is_of_use = matches!(reply, Reply::Digest(_));
            if !is_of_use && self.ask_another(ticket, now) {
                continue;
            }
            if let Some(ended) = self.waiters.replied(ticket, reply) {
                self.ended.push(self.end(ended.read.held, ended.outcome));
            }
        }
    }

    fn guest_turn(&mut self, at: usize) {
        let Some((number, guest)) = self.guests.get_mut(at) else { return };
        let members = self.ground.cluster.members.load();
        let (ground, answering) = (&self.ground, &mut self.answering);
        let mut reader = Reader { ground, answering, slot: at, guest: *number, began: Instant::now() };
        match guest.turn(&members, &mut reader) {
            Ok(Left::Nothing) => {}
            Ok(Left::More) => self.again.push(at),
            Err(_) => self.end_guest(at),
        }
    }

    fn end_guest(&mut self, at: usize) {
        if let Some((_, guest)) = self.guests.try_remove(at) {
            Tally::add(&self.ground.tally.peers_refused, u64::from(!guest.is_known()));
        }
    }

    /// Sends what the pool has made of a peer's read.
    pub(crate) fn done(&mut self, done: PeerDone) {
        let Some((number, guest)) = self.guests.get_mut(done.slot) else { return };
        if *number != done.guest {
            return;
        }
        count(&self.ground.tally, &done.served);
        match guest.pooled(done.id, done.served) {
            Ok(()) => self.guest_turn(done.slot),
            Err(_) => self.end_guest(done.slot),
        }
    }

    /// Whether somebody waits for another turn.
    pub(crate) fn has_more(&self) -> bool {
        !self.again.is_empty()
    }

    /// A turn for each guest that waits for one.
    pub(crate) fn go_on(&mut self) {
        for at in std::mem::take(&mut self.again) {
            self.guest_turn(at);
        }
    }

    /// When it has something to do though nothing happens.
    pub(crate) fn next_time(&self) -> Option<Instant> {
        let round = (!self.links.is_empty() || !self.guests.is_empty()).then_some(self.next_round);
        self.waiters.next_deadline().into_iter().chain(round).min()
    }

    /// Ends what has waited for too long, and sends what the turns before have for peers.
    pub(crate) fn finish(&mut self) {
        let now = Instant::now();
        while let Some(ended) = self.waiters.overdue(now) {
            self.ended.push(self.end(ended.read.held, ended.outcome));
        }
        if now >= self.next_round {
            self.round(now);
        }
        // The end of one link may be a question for another one.
        while let Some(at) = self.unsent.pop() {
            if self.links.get_mut(at).is_some_and(|link| link.flush().is_err()) {
                self.end_link(at, now);
            }
        }
    }

    fn round(&mut self, now: Instant) {
        self.next_round = now + ROUND;
        let silent: Vec<usize> = self.links.iter().filter(|(_, link)| link.is_silent(now)).map(|(at, _)| at).collect();
        silent.into_iter().for_each(|at| self.end_link(at, now));
        for (_, link) in &mut self.links {
            if !link.connect(&self.ground.cluster, &self.registry, now) {
                Tally::add(&self.ground.tally.peers_unreachable, 1);
            }
        }
        let members = self.ground.cluster.members.load_full();
        let is_off = self.ground.cluster.mode() == QuorumReads::Off;
        let strangers: Vec<usize> = self
            .guests
            .iter()
            .filter(|(_, (_, guest))| is_off || !guest.may_stay(&members, now))
            .map(|(at, _)| at)
            .collect();
        strangers.into_iter().for_each(|at| self.end_guest(at));
    }

    /// Requests that wait for nobody any more.
    pub(crate) fn take_ended(&mut self) -> Vec<Done> {
        std::mem::take(&mut self.ended)
    }

    /// After a fault: all connections end, and Cassandra answers what waits.
    pub(crate) fn start_anew(&mut self) {
        let now = Instant::now();
        self.answering = Answering::default();
        self.guests.clear();
        self.again.clear();
        self.unsent.clear();
        let waiting = self.waiters.take_all();
        let links: Vec<usize> = self.links.iter().map(|(at, _)| at).collect();
        links.into_iter().for_each(|at| self.end_link(at, now));
        for inquiry in waiting {
            self.ended.push(self.end(inquiry.held, Err(Reason::Panic)));
        }
    }
}

/// Reads for one guest.
struct Reader<'a> {
    ground: &'a Ground,
    answering: &'a mut Answering,
    slot: usize,
    guest: u64,
    began: Instant,
}

impl Serving for Reader<'_> {
    fn serve(&mut self, asked: &Asked<'_>) -> Served {
        let served = match self.answering.digest(&self.ground.routes, asked.spec, asked.contents, Reach::Memory) {
            Ok(digest) => Served::Digest(digest),
            Err(NoDigest::Refused(refusal)) => {
                // Nobody may read it here by a statement of its own.
                if refusal == Refusal::TableGate {
                    self.ground.notices.want_table(*asked.spec.table_id());
                }
                Served::Refused(refusal)
            }
            Err(NoDigest::NotInMemory) => self.pool(asked),
        };
        count(&self.ground.tally, &served);
        served
    }

    fn has_time(&self) -> bool {
        self.began.elapsed() < MAX_TURN
    }
}

impl Reader<'_> {
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

fn count(tally: &Tally, served: &Served) {
    match served {
        Served::Digest(_) => Tally::add(&tally.digests_given, 1),
        Served::Refused(refusal) => tally.add_refused(*refusal),
        Served::Pooled => {}
    }
}
