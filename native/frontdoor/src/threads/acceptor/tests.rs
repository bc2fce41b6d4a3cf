// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Clients that say nothing, and an acceptor that cannot wait.

#![allow(clippy::unwrap_used, clippy::panic)]

use super::*;
use std::io::Read;
use std::net::TcpStream as StdTcpStream;

const PATIENCE: Duration = Duration::from_secs(60);

fn cluster() -> Arc<Cluster> {
    Arc::new(Cluster::new().unwrap())
}

/// To nowhere.
fn ways(tally: &Arc<Tally>) -> Ways {
    Ways { reception: Reception::closed(tally), speaking: Arc::new(ArcSwapOption::empty()) }
}

fn start(events: Events, undecided: Undecided, tally: &Arc<Tally>) -> (Arc<Acceptor>, JoinHandle<()>) {
    Acceptor::start_with(events, undecided, ways(tally), cluster()).unwrap()
}

/// Connects to a port that takes TLS, too.
fn connect(acceptor: &Acceptor) -> StdTcpStream {
    let options = ListenOptions { backlog: 8, keep_alive: true, tls: Tls::Optional };
    let (_, address) = acceptor.listen("127.0.0.1:0".parse().unwrap(), options).unwrap();
    let client = StdTcpStream::connect(address).unwrap();
    client.set_read_timeout(Some(PATIENCE)).unwrap();
    client
}

fn assert_closed(client: &mut StdTcpStream) {
    match client.read(&mut [0]) {
        Ok(count) => assert_eq!(count, 0),
        Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
    }
}

#[test]
fn a_silent_client_is_closed_in_the_end() {
    let tally = Arc::new(Tally::default());
    let undecided = Undecided::new(8, Duration::from_millis(1));
    let (acceptor, thread) = start(Events::with_capacity(8), undecided, &tally);
    assert_closed(&mut connect(&acceptor));
    assert_closed(&mut connect(&acceptor));
    acceptor.stop().unwrap();
    thread.join().unwrap();
    assert_eq!((tally.read().accepted, tally.read().accept_failures), (2, 0));
}

#[test]
fn a_newcomer_takes_the_place_of_a_silent_client() {
    let tally = Arc::new(Tally::default());
    let (acceptor, thread) = start(Events::with_capacity(8), Undecided::new(1, 2 * PATIENCE), &tally);
    let mut first = connect(&acceptor);
    let _second = connect(&acceptor);
    assert_closed(&mut first);
    acceptor.stop().unwrap();
    thread.join().unwrap();
}

#[test]
fn an_acceptor_that_cannot_wait_listens_to_nobody() {
    let tally = Arc::new(Tally::default());
    // epoll_wait refuses to wait for no events at all.
    let events = Events::with_capacity(0);
    let (acceptor, thread) = start(events, Undecided::default(), &tally);
    thread.join().unwrap();
    let options = ListenOptions { backlog: 1, keep_alive: true, tls: Tls::Never };
    assert!(acceptor.listen("127.0.0.1:0".parse().unwrap(), options).is_err());
    assert_eq!(tally.read().threads_failed, 1);
}

/// F28: nobody else accepts.
#[test]
fn a_panic_costs_its_client_only() {
    let tally = Arc::new(Tally::default());
    let (_, mut running) = Acceptor::new(Undecided::default(), ways(&tally), cluster()).unwrap();
    assert!(!running.guarded(|_| panic!("as the test wants it")));
    assert!(running.guarded(|_| true));
    assert_eq!((tally.read().accept_failures, tally.read().threads_failed), (1, 0));
}
