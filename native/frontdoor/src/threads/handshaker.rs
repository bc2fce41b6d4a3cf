// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Threads that agree with clients on TLS. A signature takes up to a millisecond, which a loop has no time for.

use std::collections::BTreeMap;
use std::io;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token, Waker};
use rustls::ServerConfig;

use super::reception::Reception;
use super::waiting::{run_to_the_end, wait_for_events};
use crate::counters::Tally;
use crate::sockets::client_socket::ClientSocket;
use crate::sockets::undecided::{Endpoints, FirstByte};
use crate::tls::handshake::{Handshake, Progress};

/// Other tokens are those of clients.
const WAKER: Token = Token(usize::MAX);
const EVENTS: usize = 256;
/// How long a handshake may take: as Netty has it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// Handshakes of one thread at a time. Others are Netty's.
const MOST: usize = 2048;

/// A client whose offer the door takes.
struct Begun {
    arrived: FirstByte,
    config: Arc<ServerConfig>,
}

/// One thread, as others see it.
pub(crate) struct Handshaker {
    /// Nothing once the thread has ended.
    inbox: Mutex<Option<Vec<Begun>>>,
    waker: Waker,
    handshakes: AtomicUsize,
    is_stopping: AtomicBool,
}

impl Handshaker {
    /// Starts a thread.
    ///
    /// * `patience` how long a handshake may take
    pub(crate) fn start(
        number: usize,
        reception: Arc<Reception>,
        patience: Duration,
    ) -> io::Result<(Arc<Handshaker>, JoinHandle<()>)> {
        let poll = Poll::new()?;
        let handle = Arc::new(Handshaker {
            inbox: Mutex::new(Some(Vec::new())),
            waker: Waker::new(poll.registry(), WAKER)?,
            handshakes: AtomicUsize::new(0),
            is_stopping: AtomicBool::new(false),
        });
        let shared = Arc::clone(&handle);
        let running = Running { handle: shared, poll, reception, patience, clients: BTreeMap::new(), next: 0 };
        let thread = thread::Builder::new().name(format!("cassiterite-door-tls-{number}"));
        Ok((handle, thread.spawn(move || running.run())?))
    }

    /// Handshakes that it has in hand.
    pub(crate) fn handshakes(&self) -> usize {
        self.handshakes.load(Ordering::Relaxed)
    }

    /// Takes a client; gives it back where there are too many, or where the thread has ended.
    pub(crate) fn begin(
        &self,
        arrived: FirstByte,
        config: Arc<ServerConfig>,
        reception: &Reception,
    ) -> Result<(), FirstByte> {
        if self.handshakes() >= MOST {
            return Err(arrived);
        }
        let is_first = {
            let mut inbox = self.inbox();
            let Some(begun) = inbox.as_mut() else { return Err(arrived) };
            self.handshakes.fetch_add(1, Ordering::Relaxed);
            reception.begins();
            begun.push(Begun { arrived, config });
            begun.len() == 1
        };
        if is_first {
            // A thread that cannot be woken sees to it with the next event.
            let _ = self.waker.wake();
        }
        Ok(())
    }

    /// Makes the thread end, and close its clients.
    pub(crate) fn stop(&self) -> io::Result<()> {
        self.is_stopping.store(true, Ordering::Release);
        self.waker.wake()
    }

    fn inbox(&self) -> MutexGuard<'_, Option<Vec<Begun>>> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A client in its handshake.
struct Client {
    socket: TcpStream,
    endpoints: Endpoints,
    handshake: Handshake,
    until: Instant,
}

/// What only the thread itself sees.
struct Running {
    handle: Arc<Handshaker>,
    poll: Poll,
    reception: Arc<Reception>,
    patience: Duration,
    /// By numbers that rise, of which none is used twice: the first one has waited longest.
    clients: BTreeMap<usize, Client>,
    next: usize,
}

impl Running {
    fn run(mut self) {
        let mut events = Events::with_capacity(EVENTS);
        run_to_the_end(&Arc::clone(self.reception.tally()), || self.serve(&mut events));
        let late = self.handle.inbox().take().map_or(0, |begun| begun.len());
        (0..late + self.clients.len()).for_each(|_| self.reception.ends());
    }

    fn serve(&mut self, events: &mut Events) -> io::Result<()> {
        while !self.handle.is_stopping.load(Ordering::Acquire) {
            let oldest = self.clients.first_key_value().map(|(_, client)| client.until);
            let wait = oldest.map(|until| until.saturating_duration_since(Instant::now()));
            wait_for_events(&mut self.poll, events, wait)?;
            for event in events.iter() {
                match event.token() {
                    WAKER => self.take_begun(),
                    Token(number) => self.guarded(number, |running| running.step(number)),
                }
            }
            self.end_overdue();
        }
        Ok(())
    }

    fn take_begun(&mut self) {
        let begun = self.handle.inbox().as_mut().map(std::mem::take).unwrap_or_default();
        for one in begun {
            let number = self.next;
            self.next += 1;
            self.guarded(number, |running| running.add(number, one));
        }
    }

    /// Takes a step. A panic costs its client, not the others.
    fn guarded(&mut self, number: usize, step: impl FnOnce(&mut Self) -> io::Result<()>) {
        let done = catch_unwind(AssertUnwindSafe(|| step(self)));
        if !matches!(done, Ok(Ok(()))) {
            Tally::add(&self.reception.tally().tls_failed, 1);
            self.clients.remove(&number);
            self.has_ended();
        }
    }

    fn add(&mut self, number: usize, begun: Begun) -> io::Result<()> {
        let FirstByte { mut client, endpoints, .. } = begun.arrived;
        let handshake = Handshake::new(begun.config)?;
        // Writability of a TCP socket is an event only after it was full.
        self.poll.registry().register(&mut client, Token(number), Interest::READABLE | Interest::WRITABLE)?;
        let until = Instant::now() + self.patience;
        self.clients.insert(number, Client { socket: client, endpoints, handshake, until });
        self.step(number)
    }

    fn step(&mut self, number: usize) -> io::Result<()> {
        let Some(client) = self.clients.get_mut(&number) else { return Ok(()) };
        if client.handshake.step(&mut client.socket)? == Progress::Waits {
            return Ok(());
        }
        self.poll.registry().deregister(&mut client.socket)?;
        if let Some(Client { socket, endpoints, handshake, .. }) = self.clients.remove(&number) {
            let stream = handshake.into_stream(socket);
            let secured = stream.secured();
            self.reception.seat(ClientSocket::Tls(Box::new(stream)), endpoints, secured);
            Tally::add(&self.reception.tally().tls, 1);
            self.has_ended();
        }
        Ok(())
    }

    fn end_overdue(&mut self) {
        let now = Instant::now();
        while self.clients.first_key_value().is_some_and(|(_, client)| client.until <= now) {
            self.clients.pop_first();
            Tally::add(&self.reception.tally().tls_failed, 1);
            self.has_ended();
        }
    }

    fn has_ended(&self) {
        self.handle.handshakes.fetch_sub(1, Ordering::Relaxed);
        self.reception.ends();
    }
}

#[cfg(test)]
mod tests;
