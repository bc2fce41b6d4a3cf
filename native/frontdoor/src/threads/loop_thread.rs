// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a loop does with its connections. A connection stays on its loop, so that nothing of it needs a lock.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::mpsc::Sender;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use mio::event::Event;
use mio::{Events, Poll, Registry, Token};
use slab::Slab;

use super::event_loop::{Done, EventLoop, Given, Message, WAKER};
use super::ground::Ground;
use super::held::Held;
use super::loop_answerer::{LoopAnswerer, Shared};
use super::loop_peers::LoopPeers;
use super::priority::{self, Rank};
use super::seat::Seat;
use super::waiting::{run_to_the_end, wait_for_events};
use crate::counters::Tally;
use crate::notices::Notices;
use crate::reason::Reason;
use crate::served::Served;
use crate::session::Work;
use crate::sockets::connection::{Connection, Next, Side};
use crate::sockets::hand_over::{HandOver, HandedOver};
use crate::sockets::newcomer::Newcomer;

/// The most that one read takes: as much as Cassandra's largest frame.
const READ_BYTES: usize = 128 << 10;

const EVENTS: usize = 1024;

/// A token tells the slot of a connection, its side, and in the upper half which connection of that slot it is. Those with
/// nothing there are peers'.
const TOKENS: usize = 1 << 32;

/// What only the thread itself sees.
pub(crate) struct LoopThread {
    handle: Arc<EventLoop>,
    poll: Poll,
    tally: Arc<Tally>,
    notices: Arc<Notices>,
    window: Duration,
    connections: Slab<Seat>,
    /// How many connections there have been.
    joined: u32,
    /// Where connections are, by number.
    slots: HashMap<u64, usize>,
    /// Those that wait for another turn.
    again: VecDeque<usize>,
    work: Work,
    answerer: LoopAnswerer,
}

impl LoopThread {
    /// Starts the thread.
    ///
    /// * `window` how long a connection is watched before it may be offered back
    pub(crate) fn start(
        number: usize,
        window: Duration,
        shared: Shared,
    ) -> io::Result<(Arc<EventLoop>, JoinHandle<()>)> {
        LoopThread::start_with(Events::with_capacity(EVENTS), number, window, shared)
    }

    fn start_with(
        events: Events,
        number: usize,
        window: Duration,
        shared: Shared,
    ) -> io::Result<(Arc<EventLoop>, JoinHandle<()>)> {
        let (handle, poll, served) = EventLoop::new()?;
        let running = LoopThread::new(Arc::clone(&handle), poll, served, window, shared)?;
        let thread =
            thread::Builder::new().name(format!("cassiterite-door-{number}")).spawn(move || running.run(events))?;
        Ok((handle, thread))
    }

    fn new(
        handle: Arc<EventLoop>,
        poll: Poll,
        served: Sender<Served>,
        window: Duration,
        shared: Shared,
    ) -> io::Result<Self> {
        let ground = Ground {
            cluster: Arc::clone(&shared.cluster),
            routes: Arc::clone(&shared.routes),
            pool: Arc::clone(&shared.pool),
            notices: Arc::clone(&shared.notices),
            tally: Arc::clone(&shared.tally),
            event_loop: Arc::clone(&handle),
        };
        let peers = LoopPeers::new(ground, poll.registry().try_clone()?);
        Ok(LoopThread {
            poll,
            tally: Arc::clone(&shared.tally),
            notices: Arc::clone(&shared.notices),
            window,
            connections: Slab::new(),
            joined: 0,
            slots: HashMap::new(),
            again: VecDeque::new(),
            work: Work::new(READ_BYTES),
            answerer: LoopAnswerer::new(shared, Arc::clone(&handle), served, peers),
            handle,
        })
    }

    fn run(mut self, mut events: Events) {
        priority::raise(Rank::Loop);
        run_to_the_end(&Arc::clone(&self.tally), || self.serve(&mut events));
        self.answerer.give_served();
        self.handle.end();
        Tally::add(&self.tally.open, (self.connections.len() as u64).wrapping_neg());
    }

    fn serve(&mut self, events: &mut Events) -> io::Result<()> {
        while !self.handle.is_stopping() {
            self.round(events)?;
        }
        Ok(())
    }

    /// A turn for each connection that wants one.
    fn round(&mut self, events: &mut Events) -> io::Result<()> {
        let wait = match self.again.is_empty() && !self.answerer.peers.has_more() {
            true => self.answerer.peers.next_time().map(|time| time.saturating_duration_since(Instant::now())),
            false => Some(Duration::ZERO),
        };
        wait_for_events(&mut self.poll, events, wait)?;
        for _ in 0..self.again.len() {
            if let Some(slot) = self.again.pop_front() {
                if let Some(seat) = self.connections.get_mut(slot) {
                    seat.waits_for_turn = false;
                }
                self.turn(slot, Side::Client, true);
            }
        }
        self.on_events(events);
        self.with_peers(LoopPeers::go_on);
        // What all these turns have for a peer goes at once.
        self.with_peers(LoopPeers::finish);
        self.take_ended();
        Ok(())
    }

    /// A panic costs the connections to peers, not those of clients.
    fn with_peers(&mut self, step: impl FnOnce(&mut LoopPeers)) {
        let peers = &mut self.answerer.peers;
        if catch_unwind(AssertUnwindSafe(|| step(peers))).is_err() {
            self.tally.add_passed(Reason::Panic);
            peers.start_anew();
        }
    }

    /// Goes on with requests that have waited for other replicas.
    fn take_ended(&mut self) {
        self.answerer.peers.take_ended().into_iter().for_each(|done| self.done(done));
    }

    /// Another turn in the next round: one, however many want it.
    fn turn_again(&mut self, slot: usize) {
        if let Some(seat) = self.connections.get_mut(slot) {
            if !std::mem::replace(&mut seat.waits_for_turn, true) {
                self.again.push_back(slot);
            }
        }
    }

    fn on_events(&mut self, events: &Events) {
        for event in events.iter() {
            if event.token() == WAKER {
                self.take_messages();
            } else if event.token().0 < TOKENS {
                self.with_peers(|peers| peers.on_event(event.token(), Instant::now()));
            } else {
                self.on_event(event);
            }
        }
    }

    fn take_messages(&mut self) {
        for message in self.handle.take_messages() {
            self.on_message(message);
        }
    }

    fn on_message(&mut self, message: Message) {
        match message {
            Message::Newcomer(newcomer) => self.add(newcomer),
            Message::Admit(number, login) => self.admit(number, login),
            Message::Done(done) => self.done(*done),
            Message::PeerDone(done) => self.with_peers(|peers| peers.guests.done(done)),
            Message::Peer(socket, address) => self.with_peers(|peers| peers.come(socket, address, Instant::now())),
            Message::Members => self.with_peers(|peers| peers.members_changed(Instant::now())),
            Message::HandOver(asked) => self.on_hand_over(&asked),
            Message::Pause(number, is_paused) => self.pause(number, is_paused),
            Message::Used(number) => self.used(number),
            Message::GiveServed => self.answerer.give_served(),
            Message::EndCopies(ended) => {
                self.with_peers(LoopPeers::end_copies);
                self.take_ended();
                // Whoever waited may have given up.
                let _ = ended.send(());
            }
        }
    }

    fn add(&mut self, newcomer: Newcomer) {
        let number = newcomer.number;
        let entry = self.connections.vacant_entry();
        let slot = entry.key();
        self.joined = self.joined.checked_add(1).unwrap_or(1);
        let token = |side: usize| Token(self.joined as usize * TOKENS + slot * 2 + side);
        let tokens = (token(0), token(1));
        match Connection::new(newcomer, tokens, self.poll.registry()) {
            Ok(connection) => {
                let has_begun = connection.has_begun();
                let seat = entry.insert(Seat::new(number, connection, tokens));
                self.handle.show(number, seat.place());
                self.slots.insert(number, slot);
                Tally::add(&self.tally.open, 1);
                if has_begun {
                    self.turn_again(slot);
                }
            }
            Err(_) => {
                self.handle.has_gone();
                Tally::add(&self.tally.accept_failures, 1);
            }
        }
    }

    /// The seat of a connection, unless that has gone.
    fn seat(&mut self, number: u64) -> Option<(usize, &mut Seat)> {
        let slot = *self.slots.get(&number)?;
        Some((slot, self.connections.get_mut(slot)?))
    }

    fn admit(&mut self, number: u64, login: u32) {
        let Some(slot) = self.slots.get(&number).copied() else { return };
        let has_entered = self.guarded(slot, |connection, _, _, _| {
            connection.admit(login);
            Next::Wait
        });
        if !has_entered {
            self.keep(slot, Message::Admit(number, login));
        }
    }

    /// Sends an answer of the pool, or the request that it has not answered, if the connection is still there.
    fn done(&mut self, done: Done) {
        let slot = done.slot;
        if self.connections.get(slot).is_none_or(|seat| seat.number != done.connection) {
            return;
        }
        let Some(done) = self.ask(done) else { return };
        let mut done = Some(done);
        let has_entered = self.guarded(slot, |connection, registry, work, answerer| {
            let Some(done) = done.take() else { return Next::Wait };
            let answer = done.answer.and_then(|answer| match connection.takes_no_more() {
                true => Err(Reason::Backlog),
                false => Ok(answer),
            });
            let next = connection.pooled(done.pooled, registry, work);
            answerer.count(&answer, done.since);
            next
        });
        if !has_entered {
            let kept = done.map(|done| Message::Done(Box::new(done)));
            kept.into_iter().for_each(|kept| self.keep(slot, kept));
        }
    }

    /// Asks other replicas about an answer of the pool that needs them; otherwise it is done.
    fn ask(&mut self, mut done: Done) -> Option<Done> {
        let Ok(Given::Read(answer)) = &mut done.answer else { return Some(done) };
        let Some(quorum) = answer.quorum.take() else { return Some(done) };
        let chosen = self.answerer.peers.choose(&quorum);
        match (chosen, Held::of(done, quorum.epoch)) {
            (Ok(chosen), Ok(held)) => {
                self.answerer.peers.ask(&chosen, quorum, held);
                None
            }
            (Err(reason), Ok(held)) => Some(self.answerer.peers.end(held, Err(reason))),
            (_, Err(done)) => Some(*done),
        }
    }

    /// Keeps what has come for a connection that another thread has.
    fn keep(&mut self, slot: usize, message: Message) {
        if let Some(seat) = self.connections.get_mut(slot) {
            seat.keep(message);
        }
    }

    /// Gives up a connection, or reads nothing more of its client until it is asked again.
    fn on_hand_over(&mut self, asked: &HandOver) {
        asked.decide(|| self.give_up(asked));
        // Also where the owner has given up waiting: what it asked before may have paused the connection.
        self.pause(asked.connection, asked.is_repeated);
    }

    fn pause(&mut self, number: u64, is_paused: bool) {
        let Some(slot) = self.slots.get(&number).copied() else { return };
        let has_entered = self.guarded(slot, |connection, _, _, _| {
            connection.pause(is_paused);
            Next::Again
        });
        if !has_entered {
            self.keep(slot, Message::Pause(number, is_paused));
        }
    }

    /// Goes on with a connection that another thread has had.
    fn used(&mut self, number: u64) {
        let Some((slot, seat)) = self.seat(number) else { return };
        seat.take_kept().into_iter().for_each(|message| self.on_message(message));
        self.turn_again(slot);
    }

    /// Gives up a connection, if nothing of it is on its way; otherwise nothing has changed.
    fn give_up(&mut self, asked: &HandOver) -> Option<HandedOver> {
        let slot = *self.slots.get(&asked.connection)?;
        let far = asked.far.as_ref()?;
        // Nobody writes to the far end meanwhile, so that this can come to an end.
        self.turn(slot, Side::Cassandra, false);
        let (slot, seat) = self.seat(asked.connection)?;
        let mut visit = seat.enter()?;
        if !visit.connection()?.can_be_handed_over(far) {
            return None;
        }
        let given_up = visit.take();
        drop(visit);
        self.remove(slot);
        let handed_over = given_up?.into_handed_over(self.poll.registry()).ok()?;
        Tally::add(&self.tally.handed_over, 1);
        Some(handed_over)
    }

    fn on_event(&mut self, event: &Event) {
        let slot = event.token().0 % TOKENS / 2;
        let Some(seat) = self.connections.get_mut(slot) else { return };
        // Its connection may have gone in this very batch, and another one may have its slot.
        if let Some(side) = seat.side_of(event.token()) {
            if event.is_read_closed() || event.is_error() {
                seat.ended(side);
            }
            // Its next turn is for both sides.
            if !seat.waits_for_turn {
                self.turn(slot, side, event.is_writable());
            }
        }
    }

    fn turn(&mut self, slot: usize, side: Side, is_writable: bool) {
        self.guarded(slot, |connection, registry, work, answerer| {
            answerer.begin(slot, connection.left_since);
            let next = connection.turn(side, is_writable, registry, work, answerer);
            connection.left_since = connection.has_left_requests().then(|| answerer.since());
            next
        });
    }

    /// Takes a step of a connection. A panic costs that connection, not the others of this thread. False where another
    /// thread has it, which leads to a turn for both sides.
    fn guarded(
        &mut self,
        slot: usize,
        step: impl FnOnce(&mut Connection, &Registry, &mut Work, &mut LoopAnswerer) -> Next,
    ) -> bool {
        let Some(seat) = self.connections.get_mut(slot) else { return true };
        let number = seat.number;
        let Some(mut visit) = seat.enter() else { return false };
        let (registry, work, answerer) = (self.poll.registry(), &mut self.work, &mut self.answerer);
        let mut next = Next::Close;
        if let Some(connection) = visit.connection() {
            let step = || step(connection, registry, work, answerer);
            next = catch_unwind(AssertUnwindSafe(step)).unwrap_or_else(|_| {
                self.tally.add_passed(Reason::Panic);
                *work = Work::new(READ_BYTES);
                Next::Close
            });
        }
        if let Some(connection) = visit.connection() {
            let answered = connection.count(&self.tally);
            if answered.requests > 0 {
                answerer.count_connection(number, &answered);
            }
            if connection.is_forwarded(self.window) {
                self.notices.forwarded(number);
            }
        }
        if next == Next::Close {
            visit.take().into_iter().for_each(|over| over.count_end(&self.tally));
        }
        drop(visit);
        match next {
            Next::Wait => {}
            Next::Again => self.turn_again(slot),
            Next::Close => self.remove(slot),
        }
        true
    }

    /// Forgets a connection that is over.
    fn remove(&mut self, slot: usize) {
        let Some(seat) = self.connections.try_remove(slot) else { return };
        self.slots.remove(&seat.number);
        self.again.retain(|waiting| *waiting != slot);
        self.handle.hide(seat.number);
        self.handle.has_gone();
        Tally::add(&self.tally.open, 1u64.wrapping_neg());
    }
}

#[cfg(test)]
mod tests;
