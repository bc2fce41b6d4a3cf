// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A loop, as other threads see it: one thread with its connections.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use mio::net::{TcpStream, UnixStream};
use mio::{Events, Poll, Token, Waker};

use crate::hand_over::HandOver;
use crate::loop_answerer::Shared;
use crate::loop_thread::LoopThread;
use crate::pool::Done;
use crate::protocol::Negotiated;
use crate::served::Served;

/// Other tokens are those of connections.
pub(crate) const WAKER: Token = Token(usize::MAX);
const EVENTS: usize = 1024;
/// Much longer than a loop's turn; whoever waits has nothing urgent to do.
const SERVED_WAIT: Duration = Duration::from_secs(1);

/// A client with its way to Cassandra, on its way to a loop.
pub(crate) struct Newcomer {
    pub number: u64,
    pub client: TcpStream,
    pub cassandra: UnixStream,
    /// Of a client that comes back to the door.
    pub negotiated: Option<Negotiated>,
}

/// The two ends of a client's way to Cassandra: the loop's, and the far one.
pub(crate) fn new_pair() -> io::Result<(UnixStream, OwnedFd)> {
    let (near, far) = StdUnixStream::pair()?;
    near.set_nonblocking(true)?;
    far.set_nonblocking(true)?;
    Ok((UnixStream::from_std(near), far.into()))
}

/// What other threads have for a loop.
pub(crate) enum Message {
    Newcomer(Newcomer),
    /// Cassandra has logged a connection in.
    Admit(u64, u32),
    Done(Box<Done>),
    HandOver(Arc<HandOver>),
    /// Somebody waits for what the loop has answered.
    GiveServed,
}

/// What other threads see of a loop.
pub(crate) struct EventLoop {
    /// Nothing once the loop has ended: whatever comes then is refused.
    inbox: Mutex<Option<Vec<Message>>>,
    /// What the loop has given away; locked by who takes it.
    pub served: Mutex<Receiver<Served>>,
    waker: Waker,
    connections: AtomicUsize,
    is_stopping: AtomicBool,
}

impl EventLoop {
    /// Starts the thread.
    ///
    /// * `window` how long a connection is watched before it may be offered back
    pub(crate) fn start(
        number: usize,
        window: Duration,
        shared: Shared,
    ) -> io::Result<(Arc<EventLoop>, JoinHandle<()>)> {
        EventLoop::start_with(Events::with_capacity(EVENTS), number, window, shared)
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

    /// A loop without a thread, what wakes that, and where it gives what it has answered.
    pub(crate) fn new() -> io::Result<(Arc<EventLoop>, Poll, Sender<Served>)> {
        let poll = Poll::new()?;
        let (give, served) = channel();
        let handle = EventLoop {
            inbox: Mutex::new(Some(Vec::new())),
            served: Mutex::new(served),
            waker: Waker::new(poll.registry(), WAKER)?,
            connections: AtomicUsize::new(0),
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

    /// Asks for the client's socket of a connection, which may have gone.
    pub(crate) fn hand_over(&self, asked: Arc<HandOver>) -> io::Result<()> {
        self.tell(Message::HandOver(asked))
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

    /// A connection has left the loop.
    pub(crate) fn has_gone(&self) {
        self.connections.fetch_sub(1, Ordering::Relaxed);
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::pool::Pool;
    use crate::routes::Routes;
    use std::io::Read;
    use std::net::{TcpListener, TcpStream as StdTcpStream};

    const PATIENCE: Duration = Duration::from_secs(60);

    fn shared() -> Shared {
        let routes = Arc::new(Routes::default());
        Shared { pool: Pool::new(Arc::clone(&routes), 1), routes, notices: Arc::default(), tally: Arc::default() }
    }

    #[test]
    fn a_loop_that_cannot_wait_ends_with_its_clients() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = StdTcpStream::connect(listener.local_addr().unwrap()).unwrap();
        client.set_read_timeout(Some(PATIENCE)).unwrap();
        let served = TcpStream::from_std(listener.accept().unwrap().0);
        let (near, _far) = StdUnixStream::pair().unwrap();
        let shared = shared();
        // epoll_wait refuses to wait for no events at all.
        let (event_loop, thread) =
            EventLoop::start_with(Events::with_capacity(0), 0, Duration::MAX, shared.clone()).unwrap();
        let newcomer = Newcomer { number: 1, client: served, cassandra: UnixStream::from_std(near), negotiated: None };
        let _ = event_loop.add(newcomer);
        assert_eq!(client.read(&mut [0]).unwrap(), 0);
        thread.join().unwrap();
        assert!(event_loop.has_ended());
        assert_eq!(shared.tally.read().threads_failed, 1);
    }
}
