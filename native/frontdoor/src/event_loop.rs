// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! One thread with its connections. A connection stays on its loop, so that nothing of it needs a lock.

use std::collections::VecDeque;
use std::io;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use mio::event::Event;
use mio::net::{TcpStream, UnixStream};
use mio::{Events, Poll, Token, Waker};
use slab::Slab;

use crate::connection::{Connection, Next, Side};
use crate::counters::Tally;

const WAKER: Token = Token(usize::MAX);
const EVENTS: usize = 1024;
/// The most that one read takes: as much as Cassandra's largest frame.
const SCRATCH_BYTES: usize = 128 << 10;

/// A client with its way to Cassandra, on its way to a loop.
pub(crate) type Newcomer = (TcpStream, UnixStream);

/// What other threads see of a loop.
pub(crate) struct EventLoop {
    inbox: Mutex<Vec<Newcomer>>,
    waker: Waker,
    connections: AtomicUsize,
    is_stopping: AtomicBool,
}

impl EventLoop {
    /// Starts the thread.
    pub(crate) fn start(number: usize, tally: Arc<Tally>) -> io::Result<(Arc<EventLoop>, JoinHandle<()>)> {
        let poll = Poll::new()?;
        let handle = Arc::new(EventLoop {
            inbox: Mutex::new(Vec::new()),
            waker: Waker::new(poll.registry(), WAKER)?,
            connections: AtomicUsize::new(0),
            is_stopping: AtomicBool::new(false),
        });
        let running = Running {
            handle: Arc::clone(&handle),
            poll,
            tally,
            connections: Slab::new(),
            again: VecDeque::new(),
            scratch: vec![0; SCRATCH_BYTES],
        };
        let thread = thread::Builder::new().name(format!("cassiterite-door-{number}")).spawn(move || running.run())?;
        Ok((handle, thread))
    }

    /// The number of its connections, with those on their way.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    pub(crate) fn add(&self, newcomer: Newcomer) -> io::Result<()> {
        self.connections.fetch_add(1, Ordering::Relaxed);
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner).push(newcomer);
        self.waker.wake()
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
    /// Those that wait for another turn.
    again: VecDeque<usize>,
    scratch: Vec<u8>,
}

impl Running {
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
                    self.admit();
                } else {
                    self.on_event(event);
                }
            }
        }
        Tally::add(&self.tally.open, (self.connections.len() as u64).wrapping_neg());
    }

    fn admit(&mut self) {
        let newcomers = std::mem::take(&mut *self.handle.inbox.lock().unwrap_or_else(PoisonError::into_inner));
        for (client, cassandra) in newcomers {
            let entry = self.connections.vacant_entry();
            let tokens = (Token(entry.key() * 2), Token(entry.key() * 2 + 1));
            match Connection::new(client, cassandra, tokens, self.poll.registry()) {
                Ok(connection) => {
                    entry.insert(connection);
                    Tally::add(&self.tally.open, 1);
                }
                Err(_) => {
                    self.handle.connections.fetch_sub(1, Ordering::Relaxed);
                    Tally::add(&self.tally.accept_failures, 1);
                }
            }
        }
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
        let Some(connection) = self.connections.get_mut(slot) else { return };
        let (registry, scratch, tally) = (self.poll.registry(), &mut self.scratch[..], &*self.tally);
        // A panic costs its connection, not the others of this thread.
        let next = catch_unwind(AssertUnwindSafe(|| connection.turn(side, is_writable, registry, scratch, tally)));
        match next.unwrap_or(Next::Close) {
            Next::Wait => {}
            Next::Again => self.again.push_back(slot),
            Next::Close => {
                self.connections.remove(slot);
                self.again.retain(|waiting| *waiting != slot);
                self.handle.connections.fetch_sub(1, Ordering::Relaxed);
                Tally::add(&self.tally.open, 1u64.wrapping_neg());
            }
        }
    }
}
