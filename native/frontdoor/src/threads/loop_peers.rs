// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The doors of other nodes, as one loop has them: those that it asks, and those that ask it.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Registry, Token};

use super::event_loop::Done;
use super::ground::Ground;
use super::guests::Guests;
use super::held::Held;
use super::held_write::HeldWrite;
use super::inquiry::{choose, Chosen, Inquiry};
use super::links::Links;
use crate::counters::Tally;
use crate::notices::Missed;
use crate::parting::Parting;
use crate::peer::channel::Left;
use crate::peer::cluster::QuorumReads;
use crate::peer::copies::{Pending, Settled, BUDGET};
use crate::peer::latency::LONGEST;
use crate::peer::link::{Link, Sent};
use crate::peer::message::{HEAD_BYTES, MAX_BYTES};
use crate::peer::waiting::{Reply, Ticket, Waiters};
use crate::reason::Reason;
use crate::rights::digest::{HostId, Quorum};
use crate::writing::{Copies, Hosts};

/// How often silent peers are looked for.
const ROUND: Duration = Duration::from_millis(100);

/// The peers of one loop.
pub(crate) struct LoopPeers {
    ground: Ground,
    registry: Registry,
    links: Links,
    pub guests: Guests,
    /// Links that wait for another turn.
    again: Vec<usize>,
    /// Links that have something to send.
    unsent: Vec<usize>,
    waiters: Waiters<Inquiry>,
    copies: Pending<HeldWrite, Missed>,
    ended: Vec<Done>,
    replies: Vec<(Ticket, Reply)>,
    next_round: Instant,
}

impl LoopPeers {
    pub(crate) fn new(ground: Ground, registry: Registry) -> Self {
        LoopPeers {
            guests: Guests::new(ground.clone()),
            ground,
            registry,
            links: Links::default(),
            again: Vec::new(),
            unsent: Vec::new(),
            waiters: Waiters::default(),
            copies: Pending::default(),
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
        let mut inquiry = Inquiry::new(held, quorum, now + LONGEST);
        for at in chosen {
            if let Some(link) = self.links.get_mut(*at) {
                inquiry.ask(link, ticket, patience, now);
                self.unsent.push(*at);
            }
        }
        self.waiters.add(ticket, inquiry, digest, needed, now + patience);
    }

    /// Has other replicas write what this node has written. The request of a client that waits comes back by
    /// [`LoopPeers::take_ended`].
    pub(crate) fn copy(&mut self, held: Option<HeldWrite>, again: Missed, copies: &Copies, request: &[u8]) {
        let now = Instant::now();
        let Some(copied) = copies.table.copied.as_ref() else { return };
        let ticket = self.waiters.ticket();
        let sent = Sent { began_ms: again.began_ms, budget: BUDGET, request };
        let (mut asked, mut down) = (Hosts::new(), Hosts::new());
        for host in &copies.hosts {
            let ready = self.links.of(host).filter(|(_, link)| link.is_ready(request.len()));
            match ready.map(|(at, _)| at).and_then(|at| Some((at, self.links.get_mut(at)?))) {
                Some((at, link)) => {
                    link.write(ticket, (copied.number, &copied.spec), &sent, now);
                    self.unsent.push(at);
                    asked.push(*host);
                }
                None => down.push(*host),
            }
        }
        let kept = again.body.len() + held.as_ref().map_or(0, |held| held.envelope.len());
        self.copies.add(ticket, held.map(|held| (held, copies.needed)), (again, kept), (asked, down), now);
        self.settle();
    }

    /// Sees to what has become of writes.
    fn settle(&mut self) {
        for settled in self.copies.take_settled() {
            match settled {
                Settled::Acknowledged(held) => self.ended.push(held.end(Ok(()), &self.ground.routes)),
                Settled::Passed(held, reason) => self.ended.push(held.end(Err(reason), &self.ground.routes)),
                Settled::Missed(missed, hosts) => {
                    Tally::add(&self.ground.tally.copies_missed, hosts.len() as u64);
                    self.ground.notices.missed(Missed { hosts: hosts.to_vec(), ..missed });
                }
            }
        }
    }

    /// Asks one more replica, beside those that are silent or in place of one that gives no digest. False if there is none,
    /// or no time for it.
    fn ask_another(&mut self, ticket: Ticket, now: Instant) -> bool {
        let Some((inquiry, deadline)) = self.waiters.get_mut(ticket) else { return false };
        let another = inquiry.another(&self.links, inquiry.latest.saturating_duration_since(now), now);
        let Some((at, link)) = another.and_then(|at| Some((at, self.links.get_mut(at)?))) else { return false };
        let deadline = deadline.max(now + link.latency().patience()).min(inquiry.latest);
        inquiry.ask(link, ticket, deadline.saturating_duration_since(now), now);
        self.waiters.asked_another(ticket, deadline);
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
        let by_host: HashMap<_, _> = others.iter().map(|member| (&member.host, member)).collect();
        let has_gone = |link: &Link| !by_host.get(&link.member.host).is_some_and(|member| member.is_same(&link.member));
        for at in self.links.slots_where(has_gone) {
            self.end_link(at, now);
            self.links.remove(at);
        }
        for member in others {
            match self.links.of_mut(&member.host) {
                Some(link) => link.member.is_up = member.is_up,
                None => {
                    let token = Token(self.links.next_slot() * 2);
                    self.links.add(Link::new(member.clone(), token, now));
                }
            }
        }
        self.round(now);
    }

    /// Takes the connection of a peer.
    pub(crate) fn come(&mut self, socket: TcpStream, address: IpAddr, now: Instant) {
        self.guests.come(socket, address, |at| Token(at * 2 + 1), &self.registry, now);
    }

    /// Serves whoever the token is of.
    pub(crate) fn on_event(&mut self, token: Token, now: Instant) {
        match token.0 % 2 {
            0 => self.link_turn(token.0 / 2, now),
            _ => self.guests.want_turn(token.0 / 2),
        }
    }

    fn link_turn(&mut self, at: usize, now: Instant) {
        let Some(link) = self.links.get_mut(at) else { return };
        let was_connected = link.is_connected();
        let received = link.receive(now, &mut self.replies);
        let received = received.and_then(|left| link.flush().map(|()| left));
        Tally::add(&self.ground.tally.peers_connected, u64::from(link.is_connected() && !was_connected));
        self.take_replies(at, now);
        match received {
            Ok(Left::Nothing) => {}
            Ok(Left::More) => self.again.push(at),
            Err(error) => {
                if error.kind() == ErrorKind::InvalidData && was_connected {
                    self.ground.tally.add_parting(Parting::Malformed);
                }
                self.end_link(at, now);
            }
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
        self.take_replies(at, now);
    }

    /// Takes what the peer of a link has said.
    fn take_replies(&mut self, at: usize, now: Instant) {
        let Some(host) = self.links.get(at).map(|link| link.member.host) else { return };
        for (ticket, reply) in std::mem::take(&mut self.replies) {
            if self.copies.replied(ticket, &host, reply) {
                continue;
            }
            if !matches!(reply, Reply::Digest(_)) {
                self.ask_another(ticket, now);
            }
            if let Some(ended) = self.waiters.replied(ticket, reply) {
                self.ended.push(self.end(ended.read.held, ended.outcome));
            }
        }
        self.settle();
    }

    /// Whether somebody waits for another turn.
    pub(crate) fn has_more(&self) -> bool {
        !self.again.is_empty() || self.guests.has_more()
    }

    /// Turns for those that wait for one.
    pub(crate) fn go_on(&mut self) {
        let now = Instant::now();
        for at in std::mem::take(&mut self.again) {
            self.link_turn(at, now);
        }
        self.guests.go_on();
    }

    /// When it has something to do though nothing happens.
    pub(crate) fn next_time(&self) -> Option<Instant> {
        let round = (!self.links.is_empty() || !self.guests.is_empty()).then_some(self.next_round);
        self.waiters.next_deadline().into_iter().chain(self.copies.next_deadline()).chain(round).min()
    }

    /// Ends what has waited for too long, and sends what the turns before have for peers.
    pub(crate) fn finish(&mut self) {
        let now = Instant::now();
        while let Some(ticket) = self.waiters.overdue(now) {
            if self.ask_another(ticket, now) {
                continue;
            }
            if let Some(ended) = self.waiters.give_up(ticket) {
                self.ended.push(self.end(ended.read.held, ended.outcome));
            }
        }
        self.copies.end_overdue(now);
        self.settle();
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
        self.links.slots_where(|link| link.is_silent(now)).into_iter().for_each(|at| self.end_link(at, now));
        for link in self.links.all_mut() {
            if !link.connect(&self.ground.cluster, &self.registry, now) {
                Tally::add(&self.ground.tally.peers_unreachable, 1);
            }
        }
        self.guests.look_round(now);
    }

    /// Requests that wait for nobody any more.
    pub(crate) fn take_ended(&mut self) -> Vec<Done> {
        std::mem::take(&mut self.ended)
    }

    /// After a fault: all connections end, and Cassandra answers what waits.
    pub(crate) fn start_anew(&mut self) {
        let now = Instant::now();
        self.guests.clear();
        self.again.clear();
        self.unsent.clear();
        let waiting = self.waiters.take_all();
        self.links.slots_where(|_| true).into_iter().for_each(|at| self.end_link(at, now));
        for inquiry in waiting {
            self.ended.push(self.end(inquiry.held, Err(Reason::Panic)));
        }
        self.copies.end_all(Reason::Panic);
        self.settle();
    }

    /// Waits for no replica any more: Cassandra does what clients wait for, and what was acknowledged is missed.
    pub(crate) fn end_copies(&mut self) {
        self.copies.end_all(Reason::NodeGate);
        self.settle();
    }

    /// How many of these can be sent a write of so many bytes now; see [`Ways`](crate::writing::Ways).
    pub(crate) fn ready(&self, hosts: &[HostId], bytes: usize) -> Result<usize, Reason> {
        if bytes > MAX_BYTES - HEAD_BYTES {
            return Err(Reason::WriteLength);
        }
        if !self.copies.has_room(2 * bytes) || self.ground.notices.has_many_missed() {
            return Err(Reason::CopiesBusy);
        }
        let (mut ready, now) = (0, Instant::now());
        for host in hosts {
            match self.links.of(host) {
                Some((_, link)) if link.refuses_writes(now) => return Err(Reason::PeerRefused),
                Some((_, link)) if link.is_ready(bytes) => ready += 1,
                Some((_, link)) if !link.member.is_up => {}
                _ => return Err(Reason::Replicas),
            }
        }
        Ok(ready)
    }
}
