// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! One thread with its connections. A connection stays on its loop, so that nothing of it needs a lock.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use mio::event::Event;
use mio::net::{TcpStream, UnixStream};
use mio::{Events, Poll, Registry, Token, Waker};
use slab::Slab;

use crate::connection::{Connection, Next, Side};
use crate::counters::Tally;
use crate::loop_answerer::{LoopAnswerer, Shared};
use crate::pool::Done;
use crate::reason::Reason;
use crate::served::Served;
use crate::session::Work;

const WAKER: Token = Token(usize::MAX);
const EVENTS: usize = 1024;
/// The most that one read takes: as much as Cassandra's largest frame.
const READ_BYTES: usize = 128 << 10;

/// A client with its way to Cassandra, on its way to a loop.
pub(crate) struct Newcomer {
    pub number: u64,
    pub client: TcpStream,
    pub cassandra: UnixStream,
}

/// What other threads have for a loop.
enum Message {
    Newcomer(Newcomer),
    /// Cassandra has logged a connection in.
    Admit(u64, u32),
    Done(Box<Done>),
}

/// What other threads see of a loop.
pub(crate) struct EventLoop {
    inbox: Mutex<Vec<Message>>,
    served: Arc<Mutex<Served>>,
    waker: Waker,
    connections: AtomicUsize,
    is_stopping: AtomicBool,
}

impl EventLoop {
    /// Starts the thread.
    pub(crate) fn start(number: usize, shared: Shared) -> io::Result<(Arc<EventLoop>, JoinHandle<()>)> {
        let running = Running::new(shared)?;
        let handle = Arc::clone(&running.handle);
        let thread = thread::Builder::new().name(format!("cassiterite-door-{number}")).spawn(move || running.run())?;
        Ok((handle, thread))
    }

    /// The number of its connections, with those on their way.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    pub(crate) fn add(&self, newcomer: Newcomer) -> io::Result<()> {
        self.connections.fetch_add(1, Ordering::Relaxed);
        self.tell(Message::Newcomer(newcomer))
    }

    /// Tells of a login of a connection, which may be another loop's.
    pub(crate) fn admit(&self, connection: u64, login: u32) {
        // Without a waker the loop has ended.
        let _ = self.tell(Message::Admit(connection, login));
    }

    /// Gives back what the pool has done.
    pub(crate) fn done(&self, done: Done) {
        let _ = self.tell(Message::Done(Box::new(done)));
    }

    fn tell(&self, message: Message) -> io::Result<()> {
        let is_first = {
            let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
            inbox.push(message);
            inbox.len() == 1
        };
        if is_first {
            self.waker.wake()?;
        }
        Ok(())
    }

    /// Moves what the loop has answered since the last call into `all`.
    pub(crate) fn drain_served(&self, all: &mut Served) {
        all.drain(&mut self.served.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Makes the thread end, and close all its connections.
    pub(crate) fn stop(&self) -> io::Result<()> {
        self.is_stopping.store(true, Ordering::Release);
        self.waker.wake()
    }
}

/// What only the thread itself sees.
struct Running {
    handle: Arc<EventLoop>,
    poll: Poll,
    tally: Arc<Tally>,
    connections: Slab<Connection>,
    /// Where connections are, by number.
    slots: HashMap<u64, usize>,
    /// Those that wait for another turn.
    again: VecDeque<usize>,
    work: Work,
    answerer: LoopAnswerer,
}

impl Running {
    fn new(shared: Shared) -> io::Result<Self> {
        let poll = Poll::new()?;
        let handle = Arc::new(EventLoop {
            inbox: Mutex::new(Vec::new()),
            served: Arc::default(),
            waker: Waker::new(poll.registry(), WAKER)?,
            connections: AtomicUsize::new(0),
            is_stopping: AtomicBool::new(false),
        });
        Ok(Running {
            handle: Arc::clone(&handle),
            poll,
            tally: Arc::clone(&shared.tally),
            connections: Slab::new(),
            slots: HashMap::new(),
            again: VecDeque::new(),
            work: Work::new(READ_BYTES),
            answerer: LoopAnswerer::new(shared, Arc::clone(&handle), Arc::clone(&handle.served)),
        })
    }

    fn run(mut self) {
        let mut events = Events::with_capacity(EVENTS);
        while !self.handle.is_stopping.load(Ordering::Acquire) {
            let wait = if self.again.is_empty() { None } else { Some(Duration::ZERO) };
            if let Err(error) = self.poll.poll(&mut events, wait) {
                // Of epoll_wait's errors only EINTR can happen here, and passes.
                debug_assert_eq!(error.kind(), io::ErrorKind::Interrupted);
                continue;
            }
            for _ in 0..self.again.len() {
                if let Some(slot) = self.again.pop_front() {
                    self.turn(slot, Side::Client, true);
                }
            }
            for event in &events {
                if event.token() == WAKER {
                    self.take_messages();
                } else {
                    self.on_event(event);
                }
            }
        }
        Tally::add(&self.tally.open, (self.connections.len() as u64).wrapping_neg());
    }

    fn take_messages(&mut self) {
        let messages = std::mem::take(&mut *self.handle.inbox.lock().unwrap_or_else(PoisonError::into_inner));
        for message in messages {
            match message {
                Message::Newcomer(newcomer) => self.add(newcomer),
                Message::Admit(number, login) => {
                    let slot = self.slots.get(&number);
                    if let Some(connection) = slot.and_then(|slot| self.connections.get_mut(*slot)) {
                        connection.admit(login);
                    }
                }
                Message::Done(done) => self.done(*done),
            }
        }
    }

    fn add(&mut self, Newcomer { number, client, cassandra }: Newcomer) {
        let entry = self.connections.vacant_entry();
        let slot = entry.key();
        let tokens = (Token(slot * 2), Token(slot * 2 + 1));
        match Connection::new(number, client, cassandra, tokens, self.poll.registry()) {
            Ok(connection) => {
                entry.insert(connection);
                self.slots.insert(number, slot);
                Tally::add(&self.tally.open, 1);
            }
            Err(_) => {
                self.handle.connections.fetch_sub(1, Ordering::Relaxed);
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
            let next = connection.pooled(done.pooled, registry, work);
            answerer.count(&done.answer, done.since);
            next
        });
    }

    fn on_event(&mut self, event: &Event) {
        let slot = event.token().0 / 2;
        let side = if event.token().0.is_multiple_of(2) { Side::Client } else { Side::Cassandra };
        // A connection may have gone since, in this very batch.
        if let Some(connection) = self.connections.get_mut(slot) {
            if event.is_read_closed() || event.is_error() {
                connection.ended(side);
            }
            self.turn(slot, side, event.is_writable());
        }
    }

    fn turn(&mut self, slot: usize, side: Side, is_writable: bool) {
        self.guarded(slot, |connection, registry, work, answerer| {
            answerer.begin(slot);
            connection.turn(side, is_writable, registry, work, answerer)
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
        match next {
            Next::Wait => {}
            Next::Again => self.again.push_back(slot),
            Next::Close => {
                self.connections.remove(slot);
                self.slots.remove(&number);
                self.again.retain(|waiting| *waiting != slot);
                self.handle.connections.fetch_sub(1, Ordering::Relaxed);
                Tally::add(&self.tally.open, 1u64.wrapping_neg());
            }
        }
    }
}

#[cfg(test)]
mod tests;
