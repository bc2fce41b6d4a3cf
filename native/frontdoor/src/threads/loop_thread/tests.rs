// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A fault in one connection's turn, and connections that follow each other.

#![allow(clippy::unwrap_used, clippy::panic)]

use super::*;
use crate::peer::cluster::Cluster;
use crate::rights::open_table::{tests::spec, OpenTable};
use crate::rights::prepared::tests::recipe;
use crate::rights::routes::Routes;
use crate::rights::table_reader::{Entries, Reach, TableReader, Unread};
use crate::session::TURN_READS;
use crate::sockets::client_socket::ClientSocket;
use crate::threads::pool::Pool;
use crate::tls::stream::tests::{limited, pair};
use mio::net::{TcpStream, UnixStream};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream as Client};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream as Far;
use std::sync::atomic::{AtomicUsize, Ordering};

const PATIENCE: Duration = Duration::from_secs(60);

fn running() -> LoopThread {
    running_with(Routes::default())
}

fn shared(routes: Routes) -> Shared {
    let routes = Arc::new(routes);
    let cluster = Arc::new(Cluster::new().unwrap());
    Shared { pool: Pool::new(Arc::clone(&routes), 1), routes, notices: Arc::default(), tally: Arc::default(), cluster }
}

fn running_with(routes: Routes) -> LoopThread {
    let (handle, poll, served) = EventLoop::new().unwrap();
    LoopThread::new(handle, poll, served, Duration::MAX, shared(routes)).unwrap()
}

/// A connection, and its two far ends.
fn newcomer(number: u64) -> (Newcomer, Client, Far) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = Client::connect(listener.local_addr().unwrap()).unwrap();
    let (near, far) = Far::pair().unwrap();
    let accepted = listener.accept().unwrap().0;
    accepted.set_nonblocking(true).unwrap();
    near.set_nonblocking(true).unwrap();
    let (accepted, near) = (TcpStream::from_std(accepted), UnixStream::from_std(near));
    (Newcomer { number, client: ClientSocket::Plain(accepted), cassandra: near, negotiated: None }, client, far)
}

/// Adds a connection; its two far ends.
fn join(running: &mut LoopThread, number: u64) -> (Client, Far) {
    let (newcomer, client, far) = newcomer(number);
    running.handle.has_come();
    running.add(newcomer);
    (client, far)
}

#[test]
fn a_loop_that_cannot_wait_ends_with_its_clients() {
    let (newcomer, mut client, _far) = newcomer(1);
    client.set_read_timeout(Some(PATIENCE)).unwrap();
    let shared = shared(Routes::default());
    // epoll_wait refuses to wait for no events at all.
    let (event_loop, thread) =
        LoopThread::start_with(Events::with_capacity(0), 0, Duration::MAX, shared.clone()).unwrap();
    let _ = event_loop.add(newcomer);
    assert_eq!(client.read(&mut [0]).unwrap(), 0);
    thread.join().unwrap();
    assert!(event_loop.has_ended());
    assert_eq!(shared.tally.read().threads_failed, 1);
}

/// F28: stray bytes of one client end that client, not the loop with all others.
#[test]
fn a_panic_costs_its_connection_only() {
    let mut running = running();
    let (mut broken, _cassandra) = join(&mut running, 1);
    let (mut other, mut cassandra) = join(&mut running, 2);
    let slot = running.slots[&1];
    running.guarded(slot, |_, _, _, _| panic!("as the test wants it"));
    assert_eq!(broken.read(&mut [0]).unwrap_or(0), 0);
    assert_eq!((running.connections.len(), running.handle.connections()), (1, 1));
    let panics = Reason::ALL.iter().position(|reason| *reason == Reason::Panic).unwrap();
    assert_eq!(running.tally.read().passed[panics], 1);

    other.write_all(b"\x04\x00\x00\x01\x05\x00\x00\x00\x00").unwrap();
    let slot = running.slots[&2];
    cassandra.set_nonblocking(true).unwrap();
    // The kernel may take its time with the request.
    let heard = loop {
        running.turn(slot, Side::Client, false);
        if let Ok(count) = cassandra.read(&mut [0; 16]) {
            break count;
        }
    };
    assert_eq!(heard, 9);
}

/// Cassandra's responses must not vanish in a connection that looks well.
#[test]
fn a_client_whose_tls_takes_no_more_is_ended_and_counted() {
    let mut running = running();
    let (stream, mut client) = pair(limited(10));
    let (mut newcomer, _, mut far) = newcomer(1);
    newcomer.client = ClientSocket::Tls(Box::new(stream));
    running.handle.has_come();
    running.add(newcomer);
    let slot = running.slots[&1];
    let mut sent = 0;
    while running.connections.contains(slot) {
        sent += 1;
        assert!(sent < 20, "more than the suite encrypts");
        far.write_all(b"\xff").unwrap();
        running.turn(slot, Side::Cassandra, false);
    }
    let mut heard = Vec::new();
    client.read_to_end(&mut heard).unwrap();
    assert_eq!(heard.len(), sent - 1);
    assert_eq!((running.tally.read().tls_refused, running.tally.read().open), (1, 0));
}

#[test]
fn no_event_of_a_connection_that_left_reaches_the_next_one() {
    let mut running = running();
    let (mut leaving, client, far) = newcomer(1);
    let accepted = Client::from(leaving.client.source().as_fd().try_clone_to_owned().unwrap());
    client.shutdown(Shutdown::Write).unwrap();
    while accepted.peek(&mut [0]).is_err() {}
    // The loop is woken first, then hears of the end.
    running.handle.hand_over(Arc::new(HandOver::new(1, Some(far.into()), false))).unwrap();
    running.handle.has_come();
    running.add(leaving);
    let (next, _next_client, next_far) = newcomer(2);
    running.handle.add(next).unwrap();
    let mut events = Events::with_capacity(8);
    wait_for_events(&mut running.poll, &mut events, None).unwrap();
    assert_eq!(events.iter().count(), 2);
    running.on_events(&events);
    let slot = running.slots[&2];
    assert!(running.connections[slot].enter().unwrap().connection().unwrap().can_be_handed_over(&next_far));
}

const STATEMENT: [u8; 16] = [1; 16];
const TABLE: [u8; 16] = [2; 16];
const LOGIN: u32 = 7;
const READY: &[u8] = &[0x84, 0, 0, 0, 2, 0, 0, 0, 0];

/// An engine without rows, and the number of its reads.
#[derive(Default)]
struct Engine(AtomicUsize);

impl TableReader for Engine {
    fn read(&self, _: &[u8], _: usize, _: Reach, _: &mut Vec<u8>) -> Result<Entries, Unread> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(Entries { range: 0..0, is_all: true })
    }
}

/// Routes by which all executions of a statement are answered.
fn serving(engine: &Arc<Engine>) -> Routes {
    let routes = Routes::default();
    let reader = Arc::clone(engine) as Arc<dyn TableReader>;
    routes.open_table(OpenTable::decode(reader, &spec(TABLE, 1 << 1, &[(i64::MIN, i64::MAX)])).unwrap());
    routes.put_recipe(recipe(STATEMENT, TABLE));
    (0..100).for_each(|_| routes.view().snapshot.statements[&STATEMENT].judged(true));
    routes.set_grants([(LOGIN, STATEMENT)].into());
    routes.renew(Duration::from_secs(100_000));
    routes
}

/// `SELECT v FROM t WHERE k = 5` at ONE.
fn execute() -> Vec<u8> {
    let body = [&[0, 16][..], &STATEMENT, &[0, 1, 1, 0, 1, 0, 0, 0, 4, 0, 0, 0, 5]].concat();
    [&[4, 0, 0, 1, 10, 0, 0, 0, body.len() as u8][..], &body].concat()
}

/// Turns until the socket has something.
fn rounds_until(running: &mut LoopThread, heard: &mut Client) {
    heard.set_nonblocking(true).unwrap();
    let mut events = Events::with_capacity(8);
    while heard.peek(&mut [0]).is_err() {
        running.handle.waker().wake().unwrap();
        running.round(&mut events).unwrap();
        assert!(running.again.len() <= running.connections.len(), "{:?}", running.again);
    }
}

#[test]
fn one_who_asks_for_much_holds_up_nobody_who_asks_for_little() {
    const REQUESTS: usize = 20 * TURN_READS;
    let engine = Arc::<Engine>::default();
    let mut running = running_with(serving(&engine));
    let mut joined: Vec<(Client, Far)> = (1..=2).map(|number| join(&mut running, number)).collect();
    for (number, (client, far)) in (1..).zip(&mut joined) {
        client.write_all(b"\x04\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00").unwrap();
        far.set_nonblocking(true).unwrap();
        let slot = running.slots[&number];
        while far.read(&mut [0; 64]).is_err() {
            running.turn(slot, Side::Client, false);
        }
        far.write_all(READY).unwrap();
        rounds_until(&mut running, client);
        assert_eq!(client.read(&mut [0; 64]).unwrap(), READY.len());
        running.admit(number, LOGIN);
    }
    let [(much, _much_far), (little, _little_far)] = &mut joined[..] else { unreachable!() };
    much.write_all(&execute().repeat(REQUESTS)).unwrap();
    little.write_all(&execute()).unwrap();
    rounds_until(&mut running, little);
    let reads = engine.0.load(Ordering::SeqCst);
    assert!(reads <= 3 * TURN_READS, "{reads} reads before the one");
    let mut events = Events::with_capacity(8);
    while engine.0.load(Ordering::SeqCst) <= REQUESTS {
        running.handle.waker().wake().unwrap();
        running.round(&mut events).unwrap();
        assert!(running.again.len() <= 1, "more than a turn in each round: {:?}", running.again);
    }
}
