// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! How a client that was accepted gets to one of the loops, or to the owner of the door with its own socket.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::Arc;

use super::event_loop::EventLoop;
use crate::client::{Client, Secured, Way};
use crate::counters::Tally;
use crate::notices::Notices;
use crate::sockets::client_socket::ClientSocket;
use crate::sockets::newcomer::{new_pair, Newcomer};
use crate::sockets::undecided::{Endpoints, FirstByte};

/// Shared by all threads that clients come from.
pub(crate) struct Reception {
    loops: Vec<Arc<EventLoop>>,
    notices: Arc<Notices>,
    tally: Arc<Tally>,
    connections_max: usize,
    /// Clients on their way, of which no loop knows yet.
    arriving: AtomicUsize,
    next_connection: AtomicU64,
}

impl Reception {
    /// * `connections_max` clients that may be with the loops; further ones are handed over whole
    pub(crate) fn new(
        connections_max: usize,
        loops: Vec<Arc<EventLoop>>,
        notices: Arc<Notices>,
        tally: Arc<Tally>,
    ) -> Self {
        let (arriving, next_connection) = (AtomicUsize::new(0), AtomicU64::new(1));
        Reception { loops, notices, tally, connections_max, arriving, next_connection }
    }

    pub(crate) fn loops(&self) -> &[Arc<EventLoop>] {
        &self.loops
    }

    pub(crate) fn tally(&self) -> &Arc<Tally> {
        &self.tally
    }

    /// Whether the loops have as many clients as they may.
    pub(crate) fn is_full(&self) -> bool {
        let seated = self.loops.iter().map(|event_loop| event_loop.connections()).sum::<usize>();
        seated + self.arriving.load(Ordering::Relaxed) >= self.connections_max
    }

    /// Counts a client that comes to a loop later.
    pub(crate) fn begins(&self) {
        self.arriving.fetch_add(1, Ordering::Relaxed);
    }

    /// It has come, or comes no more.
    pub(crate) fn ends(&self) {
        self.arriving.fetch_sub(1, Ordering::Relaxed);
    }

    /// Hands a client over with its own socket, of which nothing has been read.
    pub(crate) fn pass_by(&self, arrived: FirstByte) {
        let FirstByte { client, endpoints: Endpoints { listener, remote, local }, .. } = arrived;
        let socket = OwnedFd::from(std::net::TcpStream::from(client));
        let connection = self.number(0);
        self.notices.add(Client { connection, listener, remote, local, way: Way::Direct(socket) });
    }

    /// Gives a client to the loop that has the fewest.
    pub(crate) fn seat(&self, client: ClientSocket, endpoints: Endpoints, secured: Option<Secured>) {
        let Endpoints { listener, remote, local } = endpoints;
        match self.through_the_door(client) {
            Ok((connection, far)) => {
                let way = match secured {
                    None => Way::Pair(far),
                    Some(secured) => Way::Secured(far, secured),
                };
                self.notices.add(Client { connection, listener, remote, local, way });
            }
            Err(_) => Tally::add(&self.tally.accept_failures, 1),
        }
    }

    /// The same for one that needs nothing more.
    pub(crate) fn seat_plain(&self, arrived: FirstByte) {
        self.seat(ClientSocket::Plain(arrived.client), arrived.endpoints, None);
    }

    fn through_the_door(&self, client: ClientSocket) -> io::Result<(u64, OwnedFd)> {
        let (near, far) = new_pair()?;
        let serving = self.loops.iter().enumerate().filter(|(_, event_loop)| !event_loop.has_ended());
        let least = serving.min_by_key(|(_, event_loop)| event_loop.connections());
        let (at, least) = least.ok_or_else(|| io::Error::other("no loop serves"))?;
        let number = self.number(at);
        least.add(Newcomer { number, client, cassandra: near, negotiated: None })?;
        Ok((number, far))
    }

    /// A number that no connection has had. It tells the loop: [`Door::loop_of`](crate::Door::loop_of).
    fn number(&self, of_loop: usize) -> u64 {
        self.next_connection.fetch_add(1, Ordering::Relaxed) * self.loops.len() as u64 + of_loop as u64
    }

    #[cfg(test)]
    pub(crate) fn closed(tally: &Arc<Tally>) -> Arc<Self> {
        Arc::new(Reception::new(usize::MAX, Vec::new(), Arc::default(), Arc::clone(tally)))
    }
}

#[cfg(test)]
impl std::fmt::Debug for Reception {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Reception").finish_non_exhaustive()
    }
}
