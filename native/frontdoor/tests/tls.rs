// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a client that speaks TLS and Cassandra see of a door that speaks it, too.

#![allow(clippy::unwrap_used, unreachable_pub)]

mod common;
#[allow(dead_code)]
#[path = "../src/tls/tests.rs"]
mod material;

use cassiterite_frontdoor::{DoorOptions, ListenOptions, Notice, Secured, Tls, Way};
use common::{cassandras_end, moved, pattern, read, wait_until, Dice, Fixture, PATIENCE, PLAIN};
use material::{client, key, terms, SUITES};
use rustls::version::{TLS12, TLS13};
use rustls::{CipherSuite, ClientConnection, StreamOwned, SupportedProtocolVersion};
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::{Duration, Instant};

const ALWAYS: ListenOptions = ListenOptions { tls: Tls::Always, ..PLAIN };
const CERTIFICATE: &[u8] = b"the node's";
const TLS12_256: CipherSuite = CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384;
const TLS13_128: CipherSuite = CipherSuite::TLS13_AES_128_GCM_SHA256;
const VERSIONS: [(&SupportedProtocolVersion, CipherSuite); 2] = [(&TLS12, TLS12_256), (&TLS13, TLS13_128)];

type Client = StreamOwned<ClientConnection, TcpStream>;

/// A door that speaks TLS.
fn door(options: ListenOptions) -> Fixture {
    let fixture = Fixture::new(options);
    fixture.door.set_tls(Some(&terms(3, &SUITES, CERTIFICATE, &key()))).unwrap();
    fixture
}

/// A client whose handshake is over, and Cassandra's end.
fn pair(fixture: &Fixture, version: (&'static SupportedProtocolVersion, CipherSuite)) -> (Client, UnixStream) {
    let mut connected = Client::new(client(&[version.0], &[version.1], CERTIFICATE), fixture.connect());
    let wanted = Secured {
        protocol: if version.0 == &TLS13 { "TLSv1.3" } else { "TLSv1.2" },
        suite: if version.0 == &TLS13 { "TLS_AES_128_GCM_SHA256" } else { SUITES[0] },
    };
    connected.conn.complete_io(&mut connected.sock).unwrap();
    let come = fixture.next();
    assert!(matches!(come.way, Way::Secured(_, secured) if secured == wanted), "{:?}", come.way);
    assert_eq!(come.remote, connected.sock.local_addr().unwrap());
    (connected, cassandras_end(come))
}

#[test]
fn plain_bytes_pass_both_ways() {
    let fixture = door(ALWAYS);
    for version in VERSIONS {
        let (mut client, mut cassandra) = pair(&fixture, version);
        for length in [1, 100, 16_384, 16_385, 300_000] {
            let bytes = pattern(0, length);
            thread::scope(|scope| {
                scope.spawn(|| client.write_all(&bytes).unwrap());
                assert!(read(&mut cassandra, length) == bytes);
            });
            thread::scope(|scope| {
                scope.spawn(|| cassandra.write_all(&bytes).unwrap());
                assert!(read(&mut client, length) == bytes);
            });
        }
    }
    wait_until("the count", || fixture.door.counters().tls == 2);
    let counters = fixture.door.counters();
    assert_eq!((counters.accepted, counters.direct, counters.tls_failed), (2, 0, 0));
}

/// The client's bytes come in pieces that know nothing of records, from the first one on.
#[test]
fn records_may_be_split_anywhere() {
    let fixture = door(ALWAYS);
    for (seed, version) in [(1, VERSIONS[0]), (2, VERSIONS[1]), (3, VERSIONS[0]), (4, VERSIONS[1])] {
        let mut dice = Dice(seed);
        let mut tls = client(&[version.0], &[version.1], CERTIFICATE);
        let mut socket = fixture.connect();
        socket.set_nodelay(true).unwrap();
        socket.set_nonblocking(true).unwrap();
        let words = pattern(0, 3000);
        tls.writer().write_all(&words).unwrap();
        let (mut unsent, mut cassandra, mut heard) = (Vec::new(), None, Vec::<u8>::new());
        let begin = Instant::now();
        while heard.len() < words.len() {
            assert!(begin.elapsed() < PATIENCE);
            tls.write_tls(&mut unsent).unwrap();
            let most = if seed < 3 { 1 } else { 700 };
            let piece = unsent.len().min(1 + dice.below(most));
            let sent = moved(socket.write(&unsent[..piece]));
            unsent.drain(..sent);
            if moved(tls.read_tls(&mut socket)) > 0 {
                tls.process_new_packets().unwrap();
            }
            if cassandra.is_none() && !tls.is_handshaking() {
                // The door may not have the client's last word yet.
                let come = fixture.door.take(Duration::ZERO).unwrap().pop();
                cassandra = come.map(|notice| match notice {
                    Notice::Client(client) => cassandras_end(client),
                    other => unreachable!("{other:?}"),
                });
                cassandra.iter().for_each(|cassandra| cassandra.set_nonblocking(true).unwrap());
            }
            if let Some(cassandra) = &mut cassandra {
                let mut bytes = [0; 4096];
                let count = moved(cassandra.read(&mut bytes));
                heard.extend(&bytes[..count]);
            }
        }
        assert_eq!(heard, words);
    }
}

/// F: what waits for it waits at the sender's, and comes all in the end.
#[test]
fn a_slow_client_gets_all() {
    let fixture = door(ALWAYS);
    for version in VERSIONS {
        let (mut client, cassandra) = pair(&fixture, version);
        let bytes = pattern(0, 20 << 20);
        cassandra.set_nonblocking(true).unwrap();
        let mut sent = 0;
        loop {
            let now = moved((&cassandra).write(&bytes[sent..]));
            sent += now;
            if now == 0 {
                thread::sleep(Duration::from_millis(100));
                let later = moved((&cassandra).write(&bytes[sent..]));
                sent += later;
                if later == 0 {
                    break;
                }
            }
        }
        assert!(sent < bytes.len(), "nothing held Cassandra up");
        cassandra.set_nonblocking(false).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| (&cassandra).write_all(&bytes[sent..]).unwrap());
            assert!(read(&mut client, bytes.len()) == bytes);
        });
    }
}

#[test]
fn an_end_of_either_side_is_one_of_the_other() {
    let fixture = door(ALWAYS);
    for version in VERSIONS {
        // By TLS alone, as a client may say that it ends.
        let (mut client, mut cassandra) = pair(&fixture, version);
        client.write_all(b"last words").unwrap();
        client.conn.send_close_notify();
        client.flush().unwrap();
        let mut heard = Vec::new();
        cassandra.read_to_end(&mut heard).unwrap();
        assert_eq!(heard, b"last words");

        let (mut client, mut cassandra) = pair(&fixture, version);
        client.write_all(b"last words").unwrap();
        client.sock.shutdown(Shutdown::Write).unwrap();
        heard.clear();
        cassandra.read_to_end(&mut heard).unwrap();
        assert_eq!(heard, b"last words");

        let (mut client, mut cassandra) = pair(&fixture, version);
        cassandra.write_all(b"good bye").unwrap();
        drop(cassandra);
        heard.clear();
        // Without the alert this would fail.
        client.read_to_end(&mut heard).unwrap();
        assert_eq!(heard, b"good bye");
    }
}

#[test]
fn garbage_ends_its_connection_with_an_alert() {
    let fixture = door(ALWAYS);
    for version in VERSIONS {
        let (mut client, mut cassandra) = pair(&fixture, version);
        let (mut other, mut its_cassandra) = pair(&fixture, version);
        client.sock.write_all(b"\x17\x03\x03\x00\x1fgarbage garbage garbage garbage").unwrap();
        let error = client.read(&mut [0]).unwrap_err();
        assert!(error.to_string().contains("BadRecordMac"), "{error}");
        assert_eq!(cassandra.read(&mut [0]).unwrap_or(0), 0);
        other.write_all(b"unharmed").unwrap();
        assert_eq!(read(&mut its_cassandra, 8), b"unharmed");
    }
}

#[test]
fn keys_may_change_meanwhile() {
    let fixture = door(ALWAYS);
    let (mut client, mut cassandra) = pair(&fixture, VERSIONS[1]);
    for _ in 0..20 {
        client.conn.refresh_traffic_keys().unwrap();
        client.write_all(b"ask").unwrap();
        assert_eq!(read(&mut cassandra, 3), b"ask");
        cassandra.write_all(b"answer").unwrap();
        assert_eq!(read(&mut client, 6), b"answer");
    }
}

/// Cassandra's own TLS tells them what is wrong, or understands them.
#[test]
fn what_the_door_does_not_take_is_handed_over_untouched() {
    let fixture = door(ALWAYS);
    let rsa = client(&[&TLS12], &[CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256], CERTIFICATE);
    for words in
        [b"\x05\x00\x00\x00\x05\x00\x00\x00\x00".to_vec(), b"\x16\x03\x01\x00\x03abc".to_vec(), material::hello(rsa)]
    {
        let mut client = fixture.connect();
        client.write_all(&words).unwrap();
        let Way::Direct(socket) = fixture.next().way else { unreachable!("the door has taken {words:?}") };
        let mut socket = TcpStream::from(socket);
        socket.set_nonblocking(false).unwrap();
        assert_eq!(read(&mut socket, words.len()), words);
    }
    assert_eq!(fixture.door.counters().direct, 3);
}

#[test]
fn a_port_for_both_serves_both() {
    let fixture = door(ListenOptions { tls: Tls::Optional, ..PLAIN });
    let (mut client, mut cassandra) = pair(&fixture, VERSIONS[1]);
    client.write_all(b"secret").unwrap();
    assert_eq!(read(&mut cassandra, 6), b"secret");
    let mut plain = fixture.connect();
    let options = b"\x05\x00\x00\x00\x05\x00\x00\x00\x00";
    plain.write_all(options).unwrap();
    assert_eq!(read(&mut cassandras_end(fixture.next()), options.len()), options);
}

/// F39: as Cassandra does after its stores have changed.
#[test]
fn new_terms_hold_for_new_connections() {
    let fixture = door(ALWAYS);
    let (mut old, mut cassandra) = pair(&fixture, VERSIONS[1]);
    fixture.door.set_tls(Some(&terms(3, &SUITES, b"the next one", &key()))).unwrap();
    let mut next = Client::new(client(&[&TLS13], &[TLS13_128], b"the next one"), fixture.connect());
    next.conn.complete_io(&mut next.sock).unwrap();
    let mut late = Client::new(client(&[&TLS13], &[TLS13_128], CERTIFICATE), fixture.connect());
    assert!(late.conn.complete_io(&mut late.sock).is_err());
    wait_until("the count", || fixture.door.counters().tls_failed == 1);
    old.write_all(b"goes on").unwrap();
    assert_eq!(read(&mut cassandra, 7), b"goes on");
    assert!(fixture.door.set_tls(Some(b"none")).is_err());
    fixture.next();
    pair_with(&fixture, b"the next one");
    fixture.door.set_tls(None).unwrap();
    let mut client = fixture.connect();
    client.write_all(&material::hello(material::client(&[&TLS13], &[TLS13_128], CERTIFICATE))).unwrap();
    assert!(matches!(fixture.next().way, Way::Direct(_)));
}

fn pair_with(fixture: &Fixture, certificate: &[u8]) {
    let mut client = Client::new(client(&[&TLS13], &[TLS13_128], certificate), fixture.connect());
    client.conn.complete_io(&mut client.sock).unwrap();
    assert!(matches!(fixture.next().way, Way::Secured(..)));
}

/// Nobody else could go on with its TLS.
#[test]
fn a_client_of_the_doors_tls_never_leaves() {
    let options = DoorOptions { loops: 1, window: Duration::ZERO, ..DoorOptions::default() };
    let fixture = Fixture::of(options, ALWAYS);
    fixture.door.set_tls(Some(&terms(3, &SUITES, CERTIFICATE, &key()))).unwrap();
    let mut connected = Client::new(client(&[&TLS13], &[TLS13_128], CERTIFICATE), fixture.connect());
    connected.conn.complete_io(&mut connected.sock).unwrap();
    let come = fixture.next();
    let number = come.connection;
    let mut cassandra = cassandras_end(come);
    // What the door cannot tell apart counts as forwarded.
    connected.write_all(&b"\xff".repeat(10_000)).unwrap();
    read(&mut cassandra, 10_000);
    assert!(fixture.door.hand_over(number, cassandra.as_fd(), false).is_none());
    cassandra.write_all(b"still").unwrap();
    assert_eq!(read(&mut connected, 5), b"still");
    assert!(fixture.door.take(Duration::from_millis(50)).unwrap().is_empty());
}

#[test]
fn a_door_that_closes_ends_handshakes_and_connections() {
    let fixture = door(ALWAYS);
    let (mut client, _cassandra) = pair(&fixture, VERSIONS[1]);
    let mut begun = fixture.connect();
    begun.write_all(&material::hello(material::client(&[&TLS13], &[TLS13_128], CERTIFICATE))).unwrap();
    read(&mut begun, 100);
    fixture.door.close();
    for ended in [client.read(&mut [0]), begun.read_to_end(&mut Vec::new())] {
        assert!(ended.is_ok() || ended.is_err_and(|error| error.kind() == ErrorKind::ConnectionReset));
    }
}

/// As a client that is killed while it sends: the last bytes and the end come in one event.
#[test]
fn an_end_within_a_record_is_an_end() {
    let fixture = door(ALWAYS);
    for version in VERSIONS {
        let (mut client, mut cassandra) = pair(&fixture, version);
        let mut record = Vec::new();
        client.conn.writer().write_all(b"never whole").unwrap();
        client.conn.write_tls(&mut record).unwrap();
        // They leave with the end.
        assert_eq!(rustix::net::send(&client.sock, &record[..10], rustix::net::SendFlags::MORE), Ok(10));
        client.sock.shutdown(Shutdown::Write).unwrap();
        assert_eq!(cassandra.read(&mut [0]).unwrap(), 0);
    }
    wait_until("the end of both", || fixture.door.counters().open == 0);
}
