// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a client and Cassandra see of a door that passes everything on.

#![allow(clippy::unwrap_used)]

mod common;

use cassiterite_frontdoor::{Counters, DoorOptions, ListenOptions, Tls, Way};
use common::{cassandras_end, pattern, read, wait_until, Fixture, PATIENCE, PLAIN};
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::{Duration, Instant};

/// Whether the other side has gone, by whatever way.
fn has_ended(source: &mut impl Read) -> bool {
    match source.read(&mut [0; 16]) {
        Ok(count) => count == 0,
        Err(error) => error.kind() == ErrorKind::ConnectionReset,
    }
}

#[test]
fn bytes_pass_both_ways_on_many_connections() {
    let fixture = Fixture::new(PLAIN);
    let pairs: Vec<(TcpStream, UnixStream)> = (0..24).map(|_| fixture.pair()).collect();
    thread::scope(|scope| {
        for (number, (client, cassandra)) in pairs.iter().enumerate() {
            let length = 100 + number * 40_000;
            let (up, down) = (pattern(number, length), pattern(number + 7, length));
            scope.spawn({
                let up = up.clone();
                move || (&mut &*client).write_all(&up).unwrap()
            });
            scope.spawn({
                let down = down.clone();
                move || (&mut &*cassandra).write_all(&down).unwrap()
            });
            scope.spawn(move || assert!(read(&mut &*cassandra, length) == up, "up {number}"));
            scope.spawn(move || assert!(read(&mut &*client, length) == down, "down {number}"));
        }
    });
    // A loop counts after it has written.
    let expected = pairs.iter().enumerate().map(|(number, _)| 100 + number as u64 * 40_000).sum::<u64>();
    let counted = |counters: Counters| (counters.to_cassandra_bytes, counters.to_clients_bytes);
    wait_until("the count", || counted(fixture.door.counters()) == (expected, expected));
    let counters = fixture.door.counters();
    assert_eq!((counters.accepted, counters.open, counters.direct), (24, 24, 0));
}

#[test]
fn cassandra_learns_the_addresses_of_the_client() {
    let fixture = Fixture::new(PLAIN);
    let client = fixture.connect();
    let seen = fixture.next();
    assert_eq!(
        (seen.listener, seen.remote, seen.local),
        (fixture.listener, client.local_addr().unwrap(), fixture.address)
    );
}

#[test]
fn an_end_of_the_client_reaches_cassandra_after_its_bytes() {
    let fixture = Fixture::new(PLAIN);
    let (mut client, mut cassandra) = fixture.pair();
    let sent = pattern(1, 300_000);
    let written = sent.clone();
    let writer = thread::spawn(move || {
        client.write_all(&written).unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        client
    });
    assert!(read(&mut cassandra, sent.len()) == sent);
    assert!(has_ended(&mut cassandra));
    drop(writer.join().unwrap());
    wait_until("the connection's end", || fixture.door.counters().open == 0);
}

#[test]
fn an_end_of_cassandra_reaches_the_client_after_its_bytes() {
    let fixture = Fixture::new(PLAIN);
    let (mut client, mut cassandra) = fixture.pair();
    cassandra.write_all(b"the last answer").unwrap();
    drop(cassandra);
    assert_eq!(read(&mut client, 15), b"the last answer");
    assert!(has_ended(&mut client));
    wait_until("the connection's end", || fixture.door.counters().open == 0);
}

#[test]
fn a_client_that_does_not_read_makes_cassandra_wait() {
    let fixture = Fixture::new(PLAIN);
    let (mut client, mut cassandra) = fixture.pair();
    cassandra.set_nonblocking(true).unwrap();
    let block = pattern(3, 64 << 10);
    let mut sent = Vec::new();
    // The kernel's buffers take some; the door itself takes one read of it.
    let begin = Instant::now();
    let mut refused = 0;
    while refused < 200 {
        match cassandra.write(&block) {
            Ok(count) => sent.extend_from_slice(&block[..count]),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::WouldBlock);
                refused += 1;
                thread::sleep(Duration::from_millis(1));
            }
        }
        assert!(begin.elapsed() < PATIENCE && sent.len() < 64 << 20, "nothing holds Cassandra back");
    }
    assert!(read(&mut client, sent.len()) == sent);
    wait_until("room for more", || (&cassandra).write(b"more").is_ok());
    assert_eq!(read(&mut client, 4), b"more");
}

#[test]
fn a_closed_listener_frees_its_port_and_leaves_its_clients() {
    let fixture = Fixture::new(PLAIN);
    let (mut client, mut cassandra) = fixture.pair();
    fixture.door.stop_listening(fixture.listener);
    assert_eq!(TcpStream::connect(fixture.address).unwrap_err().kind(), ErrorKind::ConnectionRefused);
    client.write_all(b"still here").unwrap();
    assert_eq!(read(&mut cassandra, 10), b"still here");

    let (again, address) = fixture.door.listen(fixture.address, PLAIN).unwrap();
    assert_eq!(address, fixture.address);
    assert_ne!(again, fixture.listener);
    let _client = fixture.connect();
    assert_eq!(fixture.next().listener, again);
}

#[test]
fn requests_are_counted_and_other_bytes_pass_uncounted() {
    let fixture = Fixture::new(PLAIN);
    let options = b"\x04\x00\x00\x01\x05\x00\x00\x00\x00";
    for (sent, opaque) in [(&options[..], 0), (b"GET / HTTP/1.1\r\n\r\n", 1)] {
        let (mut client, mut cassandra) = fixture.pair();
        client.write_all(sent).unwrap();
        assert_eq!(read(&mut cassandra, sent.len()), sent);
        wait_until("the count", || fixture.door.counters().opaque == opaque);
    }
    wait_until("the count", || fixture.door.counters().requests == [0, 1, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn an_address_in_use_is_refused() {
    let fixture = Fixture::new(PLAIN);
    assert_eq!(fixture.door.listen(fixture.address, PLAIN).unwrap_err().kind(), ErrorKind::AddrInUse);
}

#[test]
fn tls_clients_are_handed_over_untouched() {
    let fixture = Fixture::new(ListenOptions { tls: Tls::Optional, ..PLAIN });
    let mut silent = fixture.connect();
    let mut tls = fixture.connect();
    tls.write_all(b"\x16\x03\x01hello").unwrap();
    let Way::Direct(socket) = fixture.next().way else { unreachable!("a TLS record was not recognised") };
    let mut socket = TcpStream::from(socket);
    socket.set_nonblocking(false).unwrap();
    assert_eq!(read(&mut socket, 8), b"\x16\x03\x01hello");

    silent.write_all(b"\x05").unwrap();
    let mut plain = cassandras_end(fixture.next());
    silent.write_all(b"\x00\x00\x00\x05\x00\x00\x00\x00").unwrap();
    assert_eq!(read(&mut plain, 9), b"\x05\x00\x00\x00\x05\x00\x00\x00\x00");
    assert_eq!(fixture.door.counters().direct, 1);
}

#[test]
fn a_door_that_closes_ends_its_connections() {
    let fixture = Fixture::new(PLAIN);
    let (mut client, mut cassandra) = fixture.pair();
    fixture.door.close();
    assert!(has_ended(&mut client));
    assert!(has_ended(&mut cassandra));
    assert!(fixture.door.take(PATIENCE).is_none());
    assert_eq!(fixture.door.counters().open, 0);
    fixture.door.close();
}

/// A client through the door takes three descriptors: the others must not be left without any.
#[test]
fn clients_of_whom_there_are_too_many_are_handed_over_whole() {
    let fixture = Fixture::of(DoorOptions { connections_max: 1, ..DoorOptions::default() }, PLAIN);
    let (first, cassandra) = fixture.pair();
    wait_until("its place in a loop", || fixture.door.counters().open == 1);
    for passed_by in 1..=2 {
        let mut client = fixture.connect();
        let Way::Direct(socket) = fixture.next().way else { unreachable!("the door has its client already") };
        let mut socket = TcpStream::from(socket);
        socket.set_nonblocking(false).unwrap();
        client.write_all(b"plain").unwrap();
        assert_eq!(read(&mut socket, 5), b"plain");
        let counters = fixture.door.counters();
        assert_eq!((counters.passed_by, counters.direct, counters.open), (passed_by, 0, 1));
    }
    drop((first, cassandra));
    wait_until("the end", || fixture.door.counters().open == 0);
    let _next = fixture.connect();
    assert!(matches!(fixture.next().way, Way::Pair(_)));
}
