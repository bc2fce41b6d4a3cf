// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! All of it, for its owner.

use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::num::NonZero;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use mio::net::TcpStream;
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::process::{getrlimit, Resource};

use crate::client::ListenerId;
use crate::counters::{Counters, Tally};
use crate::notices::Notice;
use crate::peer::cluster::Cluster;
use crate::protocol::Negotiated;
use crate::rights::routes::Routes;
use crate::sockets::client_socket::ClientSocket;
use crate::sockets::connection::Straight;
use crate::sockets::hand_over::{HandOver, HandedOver};
use crate::sockets::newcomer::{new_pair, Newcomer};
use crate::threads::acceptor::{Acceptor, ListenOptions, Speaking, Ways};
use crate::threads::event_loop::EventLoop;
use crate::threads::handshaker::{self, Handshaker};
use crate::threads::loop_answerer::Shared;
use crate::threads::loop_thread::LoopThread;
use crate::threads::pool::{threads_for, Pool};
use crate::threads::priority;
use crate::threads::reception::Reception;
use crate::tls::terms::Terms;

/// How a door is made.
#[derive(Clone, Copy, Debug)]
pub struct DoorOptions {
    /// Threads that serve connections; at least one.
    pub loops: usize,
    /// Threads that read files, at most; at least one.
    pub readers: usize,
    /// How long a connection is watched before [`Notice::Forwarded`], at least; a tenth of it after it came.
    pub window: Duration,
    /// Clients that may be connected through the door at a time. Others are handed over with their own socket.
    pub connections_max: usize,
}

impl Default for DoorOptions {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        DoorOptions {
            loops: 1,
            readers: threads_for(cores),
            window: Duration::from_secs(10),
            connections_max: affordable_connections(),
        }
    }
}

/// A client takes three descriptors: its socket, and a pair. Half of all that this process may have are for others, such
/// as clients that take one.
const DESCRIPTORS_OF_CLIENT: u64 = 3;

fn affordable_connections() -> usize {
    let descriptors = getrlimit(Resource::Nofile).current;
    descriptors.map_or(usize::MAX, |most| (most / 2 / DESCRIPTORS_OF_CLIENT) as usize)
}

/// How long a connection's owner waits for a loop, which others of its connections wait for, too.
const HAND_OVER_WAIT: Duration = Duration::from_millis(1);

/// Listens for CQL clients, and passes on what they send. Every method may be called from any thread.
pub struct Door {
    acceptor: Arc<Acceptor>,
    reception: Arc<Reception>,
    speaking: Arc<ArcSwapOption<Speaking>>,
    /// None before they are needed; nothing once the door is closed.
    handshakers: Mutex<Option<Vec<Arc<Handshaker>>>>,
    pub(crate) loops: Vec<Arc<EventLoop>>,
    pub(crate) shared: Shared,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Door {
    /// Starts the threads; nobody can connect yet.
    ///
    /// # Errors
    /// Where the system has no thread or file descriptor left.
    pub fn open(options: DoorOptions) -> io::Result<Door> {
        let routes = Arc::new(Routes::default());
        let pool = Pool::new(Arc::clone(&routes), options.readers);
        let cluster = Arc::new(Cluster::new()?);
        let shared = Shared { pool, routes, notices: Arc::default(), tally: Arc::default(), cluster };
        let mut threads = Vec::new();
        let mut loops = Vec::new();
        for number in 0..options.loops.max(1) {
            let (event_loop, thread) = LoopThread::start(number, options.window, shared.clone())?;
            loops.push(event_loop);
            threads.push(thread);
        }
        if priority::can_be_raised() {
            Tally::add(&shared.tally.loops_prioritized, loops.len() as u64);
        }
        let (notices, tally) = (Arc::clone(&shared.notices), Arc::clone(&shared.tally));
        let reception = Arc::new(Reception::new(options.connections_max, loops.clone(), notices, tally));
        let speaking = Arc::new(ArcSwapOption::empty());
        let ways = Ways { reception: Arc::clone(&reception), speaking: Arc::clone(&speaking) };
        let (acceptor, thread) = Acceptor::start(ways, Arc::clone(&shared.cluster))?;
        threads.push(thread);
        let (handshakers, threads) = (Mutex::new(Some(Vec::new())), Mutex::new(threads));
        Ok(Door { acceptor, reception, speaking, handshakers, loops, shared, threads })
    }

    /// Listens on an address; clients can connect when it returns. Returns the address too, for port 0 names any.
    ///
    /// # Errors
    /// Where the address cannot be bound.
    pub fn listen(&self, address: SocketAddr, options: ListenOptions) -> io::Result<(ListenerId, SocketAddr)> {
        self.acceptor.listen(address, options)
    }

    /// Stops listening; the port is free when it returns. Connections stay. Does nothing where it was done already.
    pub fn stop_listening(&self, listener: ListenerId) {
        self.acceptor.stop_listening(listener);
    }

    /// Says with what it meets clients that speak TLS, from the next one on; nothing: those are handed over whole. The bytes
    /// are in docs/internals/boundary.md ("TLS of clients").
    ///
    /// # Errors
    /// What the library lacks of them, for people; nothing has changed then.
    pub fn set_tls(&self, bytes: Option<&[u8]>) -> Result<(), String> {
        let Some(bytes) = bytes else {
            self.speaking.store(None);
            return Ok(());
        };
        let terms = Terms::decode(bytes)?;
        let handshakers = self.handshakers().map_err(|error| error.to_string())?;
        self.speaking.store(Some(Arc::new(Speaking { terms, handshakers })));
        Ok(())
    }

    /// Threads for handshakes, which begin with the first call.
    fn handshakers(&self) -> io::Result<Vec<Arc<Handshaker>>> {
        let mut known = self.handshakers.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.as_mut().ok_or_else(|| io::Error::other("the door is closed"))?;
        while known.len() < self.loops.len() {
            let (handshaker, thread) =
                Handshaker::start(known.len(), Arc::clone(&self.reception), handshaker::PATIENCE)?;
            known.push(handshaker);
            self.threads.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
        }
        Ok(known.clone())
    }

    /// What its owner has to see to since the last call; waits up to `timeout`. `None` once the door is closed.
    pub fn take(&self, timeout: Duration) -> Option<Vec<Notice>> {
        self.shared.notices.take(timeout)
    }

    /// The client's socket in place of the pair, which ends; whoever has the far end goes on with it, as if nothing had
    /// happened. `None` where bytes are on their way just now: the pair serves on.
    ///
    /// * `far` the far end of the pair, which nobody reads or writes during the call; that takes some milliseconds at
    ///   most
    /// * `is_repeated` whether the caller asks again soon if this is in vain. Until then the door reads nothing more of
    ///   the client, so that what is on its way comes to an end.
    pub fn hand_over(&self, connection: u64, far: BorrowedFd<'_>, is_repeated: bool) -> Option<HandedOver> {
        let asked = Arc::new(HandOver::new(connection, far.try_clone_to_owned().ok(), is_repeated));
        self.loop_of(connection)?.hand_over(Arc::clone(&asked)).ok()?;
        asked.wait(HAND_OVER_WAIT)
    }

    /// Serves a connection again that was handed over. Returns the far end of a new pair, for whoever goes on with it in
    /// place of the client's socket, as if nothing had happened. The loop has `client` already.
    ///
    /// * `client` the client's socket, which nobody else reads or writes any more; what was read of it, and written to
    ///   it, ends with whole frames, or whole envelopes where there are no frames. Requests may be under way.
    /// * `negotiated` as [`Door::hand_over`] returned it
    ///
    /// # Errors
    /// Where the client or the loop has ended, or where no descriptor is left: `client` is closed, and was not read.
    pub fn take_back(&self, connection: u64, client: OwnedFd, negotiated: Negotiated) -> io::Result<OwnedFd> {
        // Netty reads a socket of an ended client again and again, and would do so with the pair.
        if has_ended(&client)? {
            return Err(io::ErrorKind::NotConnected.into());
        }
        let event_loop = self.loop_of(connection).ok_or_else(|| io::Error::other("no such connection"))?;
        let (cassandra, far) = new_pair()?;
        let client = ClientSocket::Plain(TcpStream::from_std(client.into()));
        event_loop.add(Newcomer { number: connection, client, cassandra, negotiated: Some(negotiated) })?;
        Tally::add(&self.shared.tally.taken_back, 1);
        Ok(far)
    }

    /// Sends what Cassandra has for a client on the calling thread, if all that came before it has gone, and nothing of the
    /// client's own is in hand; how many bytes of it. The others are to go by the pair, as all bytes may.
    ///
    /// * `parts` what whoever has the far end would write there next; nobody else writes there during the call
    pub fn send_straight(&self, connection: u64, parts: &[IoSlice<'_>]) -> usize {
        let Some(event_loop) = self.loop_of(connection) else { return 0 };
        let Some(place) = event_loop.place(connection) else { return 0 };
        let Some(mut visit) = place.try_enter() else { return 0 };
        let send = || visit.connection().map(|connection| connection.send_straight(parts));
        let straight = match catch_unwind(AssertUnwindSafe(send)) {
            Ok(Some(Ok(straight))) => straight,
            Ok(None) => Straight::default(),
            Ok(Some(Err(_))) | Err(_) => {
                visit.take().into_iter().for_each(|over| over.count_end(&self.shared.tally));
                Straight { sent_bytes: 0, wants_loop: true }
            }
        };
        if straight.sent_bytes > 0 {
            Tally::add(&self.shared.tally.sent_straight, 1);
        }
        if visit.leave() || straight.wants_loop {
            event_loop.used(connection);
        }
        straight.sent_bytes
    }

    /// The loop that has, or had, a connection.
    pub(crate) fn loop_of(&self, connection: u64) -> Option<&Arc<EventLoop>> {
        let at = connection.checked_rem(self.loops.len() as u64)?;
        self.loops.get(at as usize)
    }

    /// What it has done since it opened.
    pub fn counters(&self) -> Counters {
        self.shared.tally.read()
    }

    /// Ends all connections and threads; returns when they are gone. Idempotent.
    pub fn close(&self) {
        // A failing wake-up of a thread that has ended already is none.
        let _ = self.acceptor.stop();
        let handshakers = self.handshakers.lock().unwrap_or_else(PoisonError::into_inner).take();
        for handshaker in handshakers.into_iter().flatten() {
            let _ = handshaker.stop();
        }
        for event_loop in &self.loops {
            let _ = event_loop.stop();
        }
        self.shared.notices.close();
        self.shared.pool.close();
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            let _ = thread.join();
        }
    }
}

/// Whether the other side of a socket sends no more, whatever of it is still unread.
fn has_ended(socket: &OwnedFd) -> io::Result<bool> {
    let mut asked = [PollFd::new(socket, PollFlags::RDHUP)];
    Ok(poll(&mut asked, Some(&Timespec::default()))? > 0)
}

impl Drop for Door {
    fn drop(&mut self) {
        self.close();
    }
}

mod peers;
mod rights;

#[cfg(test)]
mod tests;
