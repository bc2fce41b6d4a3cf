// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A loop, as other threads see it: one thread with its connections.

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Poll, Token, Waker};

use crate::answering::Answer;
use crate::peer::guest::Served as PeerServed;
use crate::reason::Reason;
use crate::request::Pooled;
use crate::rights::open_table::TableId;
use crate::served::Served;
use crate::sockets::hand_over::HandOver;
use crate::sockets::newcomer::Newcomer;
use crate::sockets::place::Place;
use crate::statement::Id;

/// Other tokens are those of connections.
pub(crate) const WAKER: Token = Token(usize::MAX);
/// Much longer than a loop's turn; whoever waits has nothing urgent to do.
const SERVED_WAIT: Duration = Duration::from_secs(1);

/// What a client gets.
#[derive(Debug)]
pub(crate) enum Given {
    Read(Answer),
    Write { id: Id, table: TableId, level: u16 },
}

/// What came of a request that the pool had, or other replicas.
pub(crate) struct Done {
    pub slot: usize,
    pub connection: u64,
    pub since: Instant,
    /// The body of the request, not compressed: for an answer that other replicas are to be asked about.
    pub request: Vec<u8>,
    pub pooled: Pooled,
    pub answer: Result<Given, Reason>,
}

/// What came of a read of a peer that the pool had.
pub(crate) struct PeerDone {
    pub slot: usize,
    /// Names the connection of the peer.
    pub guest: u64,
    pub id: u64,
    pub table: TableId,
    /// When it was asked for.
    pub since: Instant,
    pub served: PeerServed,
}

/// What other threads have for a loop.
pub(crate) enum Message {
    Newcomer(Newcomer),
    /// Cassandra has logged a connection in.
    Admit(u64, u32),
    Done(Box<Done>),
    PeerDone(PeerDone),
    /// A peer has connected, from that address.
    Peer(TcpStream, IpAddr),
    /// There are other members than before.
    Members,
    HandOver(Arc<HandOver>),
    /// Whether a connection's client is left unread.
    Pause(u64, bool),
    /// Another thread has used a connection, and there is something for the loop to do.
    Used(u64),
    /// Somebody waits for what the loop has answered.
    GiveServed,
    /// Somebody waits until no write waits for other replicas.
    EndCopies(Sender<()>),
}

/// What other threads see of a loop.
pub(crate) struct EventLoop {
    /// Nothing once the loop has ended: whatever comes then is refused.
    inbox: Mutex<Option<Vec<Message>>>,
    /// What the loop has given away; locked by who takes it.
    pub served: Mutex<Receiver<Served>>,
    waker: Waker,
    connections: AtomicUsize,
    /// Where its connections are, for the threads that write Cassandra's responses.
    places: Mutex<HashMap<u64, Weak<Place>>>,
    is_stopping: AtomicBool,
}

impl EventLoop {
    /// A loop without a thread, what wakes that, and where it gives what it has answered.
    pub(crate) fn new() -> io::Result<(Arc<EventLoop>, Poll, Sender<Served>)> {
        let poll = Poll::new()?;
        let (give, served) = channel();
        let handle = EventLoop {
            inbox: Mutex::new(Some(Vec::new())),
            served: Mutex::new(served),
            waker: Waker::new(poll.registry(), WAKER)?,
            connections: AtomicUsize::new(0),
            places: Mutex::default(),
            is_stopping: AtomicBool::new(false),
        };
        Ok((Arc::new(handle), poll, give))
    }

    /// Whether it serves nobody any more.
    pub(crate) fn has_ended(&self) -> bool {
        self.inbox().is_none()
    }

    /// The number of its connections, with those on their way.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    pub(crate) fn add(&self, newcomer: Newcomer) -> io::Result<()> {
        self.has_come();
        self.tell(Message::Newcomer(newcomer)).inspect_err(|_| self.has_gone())
    }

    /// Tells of a login of a connection, which may have gone.
    pub(crate) fn admit(&self, connection: u64, login: u32) {
        // It does not matter to a loop that has ended.
        let _ = self.tell(Message::Admit(connection, login));
    }

    /// Gives back what the pool has done.
    pub(crate) fn done(&self, done: Done) {
        let _ = self.tell(Message::Done(Box::new(done)));
    }

    /// Gives back what the pool has done for a peer.
    pub(crate) fn peer_done(&self, done: PeerDone) {
        let _ = self.tell(Message::PeerDone(done));
    }

    /// Gives it the connection of a peer, which is closed where the loop has ended.
    pub(crate) fn add_peer(&self, socket: TcpStream, address: IpAddr) {
        let _ = self.tell(Message::Peer(socket, address));
    }

    /// The members of the cluster have changed.
    pub(crate) fn members_changed(&self) {
        let _ = self.tell(Message::Members);
    }

    /// Asks for the client's socket of a connection, which may have gone.
    pub(crate) fn hand_over(&self, asked: Arc<HandOver>) -> io::Result<()> {
        self.tell(Message::HandOver(asked))
    }

    /// Another thread has used a connection, which may have gone.
    pub(crate) fn used(&self, connection: u64) {
        let _ = self.tell(Message::Used(connection));
    }

    /// Where a connection is that has not gone yet.
    pub(crate) fn place(&self, connection: u64) -> Option<Arc<Place>> {
        self.places().get(&connection)?.upgrade()
    }

    /// Lets others have a connection, too, until it has gone.
    pub(crate) fn show(&self, connection: u64, place: &Arc<Place>) {
        self.places().insert(connection, Arc::downgrade(place));
    }

    fn places(&self) -> MutexGuard<'_, HashMap<u64, Weak<Place>>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, message: Message) -> io::Result<()> {
        let is_first = {
            let mut inbox = self.inbox();
            let messages = inbox.as_mut().ok_or_else(|| io::Error::other("the loop has ended"))?;
            messages.push(message);
            messages.len() == 1
        };
        if is_first {
            self.waker.wake()?;
        }
        Ok(())
    }

    /// Moves what the loop has answered since the last call into `all`. The loop gives it away between two turns, and
    /// waits for nobody; what a busy one does not give in time comes with the next call.
    pub(crate) fn drain_served(&self, all: &mut Served) {
        let served = self.served.lock().unwrap_or_else(PoisonError::into_inner);
        if self.tell(Message::GiveServed).is_ok() {
            served.recv_timeout(SERVED_WAIT).into_iter().for_each(|part| all.join(part));
        }
        served.try_iter().for_each(|part| all.join(part));
    }

    /// Lets no write wait for other replicas any more; the loop says when none does. One that has ended has none.
    pub(crate) fn end_copies(&self, ended: Sender<()>) {
        let _ = self.tell(Message::EndCopies(ended));
    }

    /// Makes the thread end, and close all its connections.
    pub(crate) fn stop(&self) -> io::Result<()> {
        self.is_stopping.store(true, Ordering::Release);
        self.waker.wake()
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Acquire)
    }

    pub(crate) fn take_messages(&self) -> Vec<Message> {
        self.inbox().as_mut().map(std::mem::take).unwrap_or_default()
    }

    pub(crate) fn has_come(&self) {
        self.connections.fetch_add(1, Ordering::Relaxed);
    }

    /// A connection has left the loop, or did not get there.
    pub(crate) fn has_gone(&self) {
        self.connections.fetch_sub(1, Ordering::Relaxed);
    }

    /// Nobody has a connection any more.
    pub(crate) fn hide(&self, connection: u64) {
        self.places().remove(&connection);
    }

    /// The thread serves nobody any more: closes the clients that were on their way.
    pub(crate) fn end(&self) {
        let messages = self.inbox().take();
        drop(messages);
    }

    /// What wakes the thread.
    #[cfg(test)]
    pub(crate) fn waker(&self) -> &Waker {
        &self.waker
    }

    fn inbox(&self) -> MutexGuard<'_, Option<Vec<Message>>> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
