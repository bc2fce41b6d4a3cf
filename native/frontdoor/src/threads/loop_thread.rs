// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a loop does with its connections. A connection stays on its loop, so that nothing of it needs a lock.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::mpsc::Sender;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use mio::event::Event;
use mio::{Events, Poll, Registry, Token};
use slab::Slab;

use super::event_loop::{Done, EventLoop, Message, WAKER};
use super::loop_answerer::{LoopAnswerer, Shared};
use super::priority::{self, Rank};
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

/// A token tells the slot of a connection, its side, and in the upper half which connection of that slot it is.
const TOKENS: usize = 1 << 32;

/// What only the thread itself sees.
pub(crate) struct LoopThread {
    handle: Arc<EventLoop>,
    poll: Poll,
    tally: Arc<Tally>,
    notices: Arc<Notices>,
    window: Duration,
    connections: Slab<Connection>,
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
        let running = LoopThread::new(Arc::clone(&handle), poll, served, window, shared);
        let thread =
            thread::Builder::new().name(format!("cassiterite-door-{number}")).spawn(move || running.run(events))?;
        Ok((handle, thread))
    }

    fn new(handle: Arc<EventLoop>, poll: Poll, served: Sender<Served>, window: Duration, shared: Shared) -> Self {
        LoopThread {
            poll,
            tally: Arc::clone(&shared.tally),
            notices: Arc::clone(&shared.notices),
            window,
            connections: Slab::new(),
            joined: 0,
            slots: HashMap::new(),
            again: VecDeque::new(),
            work: Work::new(READ_BYTES),
            answerer: LoopAnswerer::new(shared, Arc::clone(&handle), served),
            handle,
        }
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
        wait_for_events(&mut self.poll, events, if self.again.is_empty() { None } else { Some(Duration::ZERO) })?;
        for _ in 0..self.again.len() {
            if let Some(slot) = self.again.pop_front() {
                if let Some(connection) = self.connections.get_mut(slot) {
                    connection.waits_for_turn = false;
                }
                self.turn(slot, Side::Client, true);
            }
        }
        self.on_events(events);
        Ok(())
    }

    /// Another turn in the next round: one, however many want it.
    fn turn_again(&mut self, slot: usize) {
        if let Some(connection) = self.connections.get_mut(slot) {
            if !std::mem::replace(&mut connection.waits_for_turn, true) {
                self.again.push_back(slot);
            }
        }
    }

    fn on_events(&mut self, events: &Events) {
        for event in events.iter() {
            if event.token() == WAKER {
                self.take_messages();
            } else {
                self.on_event(event);
            }
        }
    }

    fn take_messages(&mut self) {
        for message in self.handle.take_messages() {
            match message {
                Message::Newcomer(newcomer) => self.add(newcomer),
                Message::Admit(number, login) => {
                    let slot = self.slots.get(&number);
                    if let Some(connection) = slot.and_then(|slot| self.connections.get_mut(*slot)) {
                        connection.admit(login);
                    }
                }
                Message::Done(done) => self.done(*done),
                Message::HandOver(asked) => self.on_hand_over(&asked),
                Message::GiveServed => self.answerer.give_served(),
            }
        }
    }

    fn add(&mut self, newcomer: Newcomer) {
        let number = newcomer.number;
        let entry = self.connections.vacant_entry();
        let slot = entry.key();
        self.joined = self.joined.wrapping_add(1);
        let token = |side: usize| Token(self.joined as usize * TOKENS + slot * 2 + side);
        let tokens = (token(0), token(1));
        match Connection::new(newcomer, tokens, self.poll.registry()) {
            Ok(connection) => {
                entry.insert(connection);
                self.slots.insert(number, slot);
                Tally::add(&self.tally.open, 1);
            }
            Err(_) => {
                self.handle.has_gone();
                Tally::add(&self.tally.accept_failures, 1);
            }
        }
    }

    /// Sends an answer of the pool, or the request that it has not answered, if the connection is still there.
    fn done(&mut self, done: Done) {
        self.guarded(done.slot, |connection, registry, work, answerer| {
            if connection.identity().connection != done.connection {
                return Next::Wait;
            }
            let answer = done.answer.and_then(|answer| match connection.takes_no_more() {
                true => Err(Reason::Backlog),
                false => Ok(answer),
            });
            let next = connection.pooled(done.pooled, registry, work);
            answerer.count(&answer, done.since);
            next
        });
    }

    /// Gives up a connection, or reads nothing more of its client until it is asked again.
    fn on_hand_over(&mut self, asked: &HandOver) {
        asked.decide(|| self.give_up(asked));
        // Also where the owner has given up waiting: what it asked before may have paused the connection.
        let Some(slot) = self.slots.get(&asked.connection).copied() else { return };
        if let Some(connection) = self.connections.get_mut(slot) {
            connection.pause(asked.is_repeated);
            self.turn_again(slot);
        }
    }

    /// Gives up a connection, if nothing of it is on its way; otherwise nothing has changed.
    fn give_up(&mut self, asked: &HandOver) -> Option<HandedOver> {
        let slot = *self.slots.get(&asked.connection)?;
        let far = asked.far.as_ref()?;
        // Nobody writes to the far end meanwhile, so that this can come to an end.
        self.turn(slot, Side::Cassandra, false);
        let connection = self.connections.get(slot)?;
        if connection.identity().connection != asked.connection || !connection.can_be_handed_over(far) {
            return None;
        }
        let handed_over = self.remove(slot)?.into_handed_over(self.poll.registry()).ok()?;
        Tally::add(&self.tally.handed_over, 1);
        Some(handed_over)
    }

    fn on_event(&mut self, event: &Event) {
        let slot = event.token().0 % TOKENS / 2;
        let Some(connection) = self.connections.get_mut(slot) else { return };
        // Its connection may have gone in this very batch, and another one may have its slot.
        if let Some(side) = connection.side_of(event.token()) {
            if event.is_read_closed() || event.is_error() {
                connection.ended(side);
            }
            // Its next turn is for both sides.
            if !connection.waits_for_turn {
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

    /// Takes a step of a connection. A panic costs that connection, not the others of this thread.
    fn guarded(
        &mut self,
        slot: usize,
        step: impl FnOnce(&mut Connection, &Registry, &mut Work, &mut LoopAnswerer) -> Next,
    ) {
        let Some(connection) = self.connections.get_mut(slot) else { return };
        let (registry, work, answerer) = (self.poll.registry(), &mut self.work, &mut self.answerer);
        let step = || step(connection, registry, work, answerer);
        let next = catch_unwind(AssertUnwindSafe(step)).unwrap_or_else(|_| {
            self.tally.add_passed(Reason::Panic);
            self.work = Work::new(READ_BYTES);
            Next::Close
        });
        self.after_turn(slot, next);
    }

    fn after_turn(&mut self, slot: usize, next: Next) {
        let Some(connection) = self.connections.get_mut(slot) else { return };
        let number = connection.identity().connection;
        let answered = connection.count(&self.tally);
        if answered.requests > 0 {
            self.answerer.count_connection(number, &answered);
        }
        if connection.is_forwarded(self.window) {
            self.notices.forwarded(number);
        }
        match next {
            Next::Wait => {}
            Next::Again => self.turn_again(slot),
            Next::Close => drop(self.remove(slot)),
        }
    }

    fn remove(&mut self, slot: usize) -> Option<Connection> {
        let connection = self.connections.try_remove(slot)?;
        self.slots.remove(&connection.identity().connection);
        self.again.retain(|waiting| *waiting != slot);
        self.handle.has_gone();
        Tally::add(&self.tally.open, 1u64.wrapping_neg());
        Some(connection)
    }
}

#[cfg(test)]
mod tests;
