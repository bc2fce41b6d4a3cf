// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Handshakes that do not come to an end.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::client::ListenerId;
use crate::tls::hello::First;
use crate::tls::terms::Terms;
use crate::tls::tests::{client, hello, key, terms, SUITES};
use rustls::version::TLS13;
use rustls::CipherSuite;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream as StdTcpStream};

/// A client that has offered something, and says no more.
fn begun(reception: &Arc<Reception>, handshaker: &Handshaker) -> StdTcpStream {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut socket = StdTcpStream::connect(listener.local_addr().unwrap()).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let (accepted, remote) = listener.accept().unwrap();
    accepted.set_nonblocking(true).unwrap();
    let offer = hello(client(&[&TLS13], &[CipherSuite::TLS13_AES_128_GCM_SHA256], b"certificate"));
    socket.write_all(&offer).unwrap();
    let First::Hello(offer) = First::of(&offer) else { unreachable!("a hello") };
    let config = Terms::decode(&terms(3, &SUITES, b"certificate", &key())).unwrap().agree(&offer).unwrap();
    let client = TcpStream::from_std(accepted);
    let arrived = FirstByte {
        client,
        endpoints: Endpoints { listener: ListenerId(0), remote, local: remote },
        is_tls_only: true,
    };
    assert!(handshaker.begin(arrived, config, reception).is_ok());
    socket
}

fn wait_for(handshaker: &Handshaker, handshakes: usize) {
    while handshaker.handshakes() != handshakes {
        thread::yield_now();
    }
}

/// Whether it was answered, and closed then.
fn is_answered_and_closed(mut client: StdTcpStream) -> bool {
    let mut heard = Vec::new();
    let _ = client.read_to_end(&mut heard);
    heard.first() == Some(&22)
}

#[test]
fn who_says_nothing_more_is_closed_in_the_end() {
    let tally = Arc::new(Tally::default());
    let reception = Reception::closed(&tally);
    let (handshaker, thread) = Handshaker::start(0, Arc::clone(&reception), Duration::from_millis(50)).unwrap();
    let clients = [begun(&reception, &handshaker), begun(&reception, &handshaker)];
    assert!(clients.into_iter().all(is_answered_and_closed));
    wait_for(&handshaker, 0);
    assert_eq!((tally.read().tls, tally.read().tls_failed), (0, 2));
    handshaker.stop().unwrap();
    thread.join().unwrap();
}

#[test]
fn who_goes_or_talks_nonsense_leaves_nothing_behind() {
    let tally = Arc::new(Tally::default());
    let reception = Reception::closed(&tally);
    let (handshaker, thread) = Handshaker::start(0, Arc::clone(&reception), PATIENCE * 100).unwrap();
    drop(begun(&reception, &handshaker));
    let mut nonsense = begun(&reception, &handshaker);
    nonsense.write_all(&[22; 100]).unwrap();
    assert!(is_answered_and_closed(nonsense));
    wait_for(&handshaker, 0);
    assert_eq!(tally.read().tls_failed, 2);
    let _waiting = begun(&reception, &handshaker);
    handshaker.stop().unwrap();
    thread.join().unwrap();
    assert_eq!(tally.read().threads_failed, 0);
}
