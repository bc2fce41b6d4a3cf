// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The thread that accepts clients, and hands them to the loops and to the owner of the door.

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener as StdListener};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use mio::net::{TcpListener, TcpStream};
use mio::{Events, Interest, Poll, Registry, Token, Waker};
use rustls::ServerConfig;
use socket2::{Domain, Protocol, SockRef, Socket, Type};

use super::handshaker::Handshaker;
use super::reception::Reception;
use super::waiting::{run_to_the_end, wait_for_events};
use crate::client::ListenerId;
use crate::counters::Tally;
use crate::parting::Parting;
use crate::peer::cluster::Cluster;
use crate::sockets::undecided::{Endpoints, FirstByte, Speaks, Undecided};
use crate::tls::terms::Terms;

/// Other even tokens are listeners', odd ones those of clients whose first byte has not come.
const WAKER: Token = Token(usize::MAX);
const EVENTS: usize = 256;
const PEERS_BACKLOG: i32 = 128;
/// Connections that are accepted at one listener before others have their turn.
const TURN_ACCEPTS: usize = 128;
/// How long the thread waits before it accepts again after a failure, such as for want of file descriptors.
const RETRY: Duration = Duration::from_millis(100);

/// How clients of one listener are treated.
#[derive(Clone, Copy, Debug)]
pub struct ListenOptions {
    /// Connections that may wait to be accepted.
    pub backlog: i32,
    /// Whether the kernel probes silent clients.
    pub keep_alive: bool,
    /// Whether clients speak TLS.
    pub tls: Tls,
}

/// Whether clients of a listener speak TLS. Those with whom the door does not speak it are handed over whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tls {
    /// None does.
    Never,
    /// Their first byte tells.
    Optional,
    /// All have to: whoever does not is handed over whole, to be refused.
    Always,
}

/// Where clients go.
pub(crate) struct Ways {
    pub reception: Arc<Reception>,
    /// How the door speaks TLS, if it does.
    pub speaking: Arc<ArcSwapOption<Speaking>>,
}

/// How the door speaks TLS with clients that come from now on.
pub(crate) struct Speaking {
    pub terms: Terms,
    pub handshakers: Vec<Arc<Handshaker>>,
}

/// Who connects to a listener.
#[derive(Clone, Copy, Debug)]
enum Serves {
    Clients(ListenOptions),
    /// Doors of other nodes.
    Peers,
}

struct Listener {
    socket: TcpListener,
    serves: Serves,
}

/// What other threads see of the acceptor.
pub(crate) struct Acceptor {
    listeners: Mutex<HashMap<ListenerId, Listener>>,
    next: AtomicUsize,
    registry: Registry,
    waker: Waker,
    is_stopping: AtomicBool,
}

impl Acceptor {
    /// Starts the thread.
    pub(crate) fn start(ways: Ways, cluster: Arc<Cluster>) -> io::Result<(Arc<Acceptor>, JoinHandle<()>)> {
        Acceptor::start_with(Events::with_capacity(EVENTS), Undecided::default(), ways, cluster)
    }

    fn start_with(
        events: Events,
        undecided: Undecided,
        ways: Ways,
        cluster: Arc<Cluster>,
    ) -> io::Result<(Arc<Acceptor>, JoinHandle<()>)> {
        let (handle, running) = Acceptor::new(undecided, ways, cluster)?;
        let thread =
            thread::Builder::new().name("cassiterite-door-accept".to_owned()).spawn(move || running.run(events))?;
        Ok((handle, thread))
    }

    fn new(undecided: Undecided, ways: Ways, cluster: Arc<Cluster>) -> io::Result<(Arc<Acceptor>, Running)> {
        let poll = Poll::new()?;
        let handle = Arc::new(Acceptor {
            listeners: Mutex::new(HashMap::new()),
            next: AtomicUsize::new(0),
            registry: poll.registry().try_clone()?,
            waker: Waker::new(poll.registry(), WAKER)?,
            is_stopping: AtomicBool::new(false),
        });
        let shared = Arc::clone(&handle);
        let tally = Arc::clone(ways.reception.tally());
        let running = Running { handle: shared, poll, ways, tally, undecided, cluster, next_peer: 0 };
        Ok((handle, running))
    }

    /// Binds and listens; clients can connect when it returns. Returns also the address, with the port if `address` has 0.
    pub(crate) fn listen(&self, address: SocketAddr, options: ListenOptions) -> io::Result<(ListenerId, SocketAddr)> {
        self.listen_for(address, options.backlog, Serves::Clients(options))
    }

    /// The same for doors of other nodes.
    pub(crate) fn listen_for_peers(&self, address: SocketAddr) -> io::Result<(ListenerId, SocketAddr)> {
        self.listen_for(address, PEERS_BACKLOG, Serves::Peers)
    }

    fn listen_for(&self, address: SocketAddr, backlog: i32, serves: Serves) -> io::Result<(ListenerId, SocketAddr)> {
        let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
        socket.set_reuse_address(true)?;
        socket.set_nonblocking(true)?;
        socket.bind(&address.into())?;
        socket.listen(backlog)?;
        let socket = StdListener::from(socket);
        let bound = socket.local_addr()?;
        let mut socket = TcpListener::from_std(socket);
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let id = ListenerId(number as u64);
        let mut listeners = self.listeners();
        if self.is_stopping.load(Ordering::Acquire) {
            return Err(io::Error::other("the door accepts nobody any more"));
        }
        self.registry.register(&mut socket, Token(number * 2), Interest::READABLE)?;
        listeners.insert(id, Listener { socket, serves });
        Ok((id, bound))
    }

    /// The port is free when it returns. Clients that were accepted stay.
    pub(crate) fn stop_listening(&self, id: ListenerId) {
        self.listeners().remove(&id);
    }

    /// Makes the thread end.
    pub(crate) fn stop(&self) -> io::Result<()> {
        self.end();
        self.waker.wake()
    }

    fn end(&self) {
        let mut listeners = self.listeners();
        listeners.clear();
        self.is_stopping.store(true, Ordering::Release);
    }

    fn listeners(&self) -> MutexGuard<'_, HashMap<ListenerId, Listener>> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What only the thread itself sees.
struct Running {
    handle: Arc<Acceptor>,
    poll: Poll,
    ways: Ways,
    tally: Arc<Tally>,
    undecided: Undecided,
    cluster: Arc<Cluster>,
    next_peer: usize,
}

impl Running {
    fn run(mut self, mut events: Events) {
        run_to_the_end(&Arc::clone(&self.tally), || self.serve(&mut events));
        self.handle.end();
    }

    fn serve(&mut self, events: &mut Events) -> io::Result<()> {
        let mut retry = None;
        while !self.handle.is_stopping.load(Ordering::Acquire) {
            let overdue = self.undecided.until_overdue(Instant::now());
            wait_for_events(&mut self.poll, events, retry.into_iter().chain(overdue).min())?;
            if retry.take().is_some() {
                retry = self.accept_all();
            }
            for event in events.iter().filter(|event| event.token() != WAKER) {
                let number = event.token().0;
                if !self.guarded(|running| running.on_event(number)) {
                    retry = Some(RETRY);
                }
            }
            while let Some(number) = self.undecided.overdue(Instant::now()) {
                self.guarded(|running| running.end(number));
            }
        }
        Ok(())
    }

    /// Takes a step. A panic costs its client, not those who come later: nobody else accepts them. False if there is more
    /// to accept.
    fn guarded(&mut self, step: impl FnOnce(&mut Self) -> bool) -> bool {
        catch_unwind(AssertUnwindSafe(|| step(self))).unwrap_or_else(|_| {
            Tally::add(&self.tally.accept_failures, 1);
            false
        })
    }

    /// False if a listener has to be tried again.
    fn on_event(&mut self, number: usize) -> bool {
        if number % 2 == 1 {
            let speaking = self.ways.speaking.load();
            let terms = speaking.as_deref().map(|speaking| &speaking.terms);
            if let Some((client, speaks)) = self.undecided.decide(number / 2, terms, self.poll.registry()) {
                self.decided(client, speaks);
            }
            return true;
        }
        self.accept(ListenerId((number / 2) as u64))
    }

    /// Accepts from every listener after a failure; how long to wait for the next try, if one is needed.
    fn accept_all(&mut self) -> Option<Duration> {
        let ids: Vec<ListenerId> = self.handle.listeners().keys().copied().collect();
        let failed = ids.into_iter().filter(|id| !self.guarded(|running| running.accept(*id))).count();
        (failed > 0).then_some(RETRY)
    }

    /// Accepts all that wait at one listener; false if it has to be tried again.
    fn accept(&mut self, id: ListenerId) -> bool {
        let mut peers = 0;
        // A flood of peers must not keep clients waiting.
        while peers < TURN_ACCEPTS {
            // The lock is not held while a client is handed over, which may wait for the owner of the door.
            let accepted = match self.handle.listeners().get(&id) {
                None => return true,
                Some(listener) => listener.socket.accept().map(|(client, remote)| (client, remote, listener.serves)),
            };
            match accepted {
                Ok((client, remote, Serves::Clients(options))) => self.arrived(id, client, remote, options),
                Ok((peer, remote, Serves::Peers)) => {
                    peers += 1;
                    self.peer_arrived(peer, canonical(remote));
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return true,
                Err(error) if is_of_the_client(&error) => {}
                Err(_) => {
                    Tally::add(&self.tally.accept_failures, 1);
                    return false;
                }
            }
        }
        false
    }

    /// Gives a loop the connection of a peer, unless no member has its address.
    fn peer_arrived(&mut self, peer: TcpStream, remote: SocketAddr) {
        let is_member = self.cluster.members.load().has_address(remote.ip());
        let serving = || self.ways.reception.loops().iter().filter(|event_loop| !event_loop.has_ended());
        let at = self.next_peer.checked_rem(serving().count()).filter(|_| is_member);
        let Some(event_loop) = at.and_then(|at| serving().nth(at)) else {
            return self.tally.add_parting(Parting::Address);
        };
        event_loop.add_peer(peer, remote.ip());
        self.next_peer += 1;
    }

    fn arrived(&mut self, listener: ListenerId, client: TcpStream, remote: SocketAddr, options: ListenOptions) {
        // Each failure means that the client is gone already.
        let Ok(local) = client.local_addr() else { return };
        let socket = SockRef::from(&client);
        let prepared = socket
            .set_tcp_nodelay(true)
            .and_then(|()| socket.set_linger(Some(Duration::ZERO)))
            .and_then(|()| socket.set_keepalive(options.keep_alive));
        if prepared.is_err() {
            return;
        }
        Tally::add(&self.tally.accepted, 1);
        let is_tls_only = options.tls == Tls::Always;
        let endpoints = Endpoints { listener, remote: canonical(remote), local: canonical(local) };
        let client = FirstByte { client, endpoints, is_tls_only };
        match options.tls {
            Tls::Never => return self.decided(client, Speaks::Plain),
            // Cassandra's TLS has to refuse those that speak none.
            Tls::Always if self.ways.speaking.load().is_none() => return self.decided(client, Speaks::Tls),
            Tls::Always | Tls::Optional => {}
        }
        if let Some(number) = self.undecided.in_the_way() {
            self.end(number);
        }
        let (speaking, now) = (self.ways.speaking.load(), Instant::now());
        let terms = speaking.as_deref().map(|speaking| &speaking.terms);
        if let Some((client, speaks)) = self.undecided.wait_for(client, now, terms, self.poll.registry()) {
            self.decided(client, speaks);
        }
    }

    /// A client whose first byte was waited for leaves, wherever to; true.
    fn end(&mut self, number: usize) -> bool {
        if let Some((client, speaks)) = self.undecided.end(number, self.poll.registry()) {
            self.decided(client, speaks);
        }
        true
    }

    fn decided(&self, arrived: FirstByte, speaks: Speaks) {
        let reception = &self.ways.reception;
        match speaks {
            Speaks::Plain if arrived.is_tls_only => self.hand_over(arrived),
            Speaks::Tls => self.hand_over(arrived),
            Speaks::Plain | Speaks::TlsOfDoor(_) if reception.is_full() => {
                Tally::add(&self.tally.passed_by, 1);
                reception.pass_by(arrived);
            }
            Speaks::Plain => reception.seat_plain(arrived),
            Speaks::TlsOfDoor(config) => self.begin_tls(arrived, config),
        }
    }

    fn hand_over(&self, arrived: FirstByte) {
        Tally::add(&self.tally.direct, 1);
        self.ways.reception.pass_by(arrived);
    }

    fn begin_tls(&self, arrived: FirstByte, config: Arc<ServerConfig>) {
        let speaking = self.ways.speaking.load();
        let handshakers = speaking.iter().flat_map(|speaking| &speaking.handshakers);
        let begun = match handshakers.min_by_key(|handshaker| handshaker.handshakes()) {
            Some(handshaker) => handshaker.begin(arrived, config, &self.ways.reception),
            None => Err(arrived),
        };
        if let Err(arrived) = begun {
            self.hand_over(arrived);
        }
    }
}

/// Errors of accept(2) that concern one client, which is gone.
fn is_of_the_client(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset | ErrorKind::Interrupted)
}

/// The form that Java gives an address: IPv4 also where it came over an IPv6 socket.
fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

#[cfg(test)]
mod tests;
