// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

use super::super::tests::{client, hello};
use super::*;
use rustls::version::{TLS12, TLS13};

const OFFERED: [CipherSuite; 2] =
    [CipherSuite::TLS13_AES_256_GCM_SHA384, CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256];

fn sent() -> Vec<u8> {
    hello(client(&[&TLS12, &TLS13], &OFFERED, b"any"))
}

fn understood(bytes: &[u8]) -> Hello {
    match First::of(bytes) {
        First::Hello(hello) => hello,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_hello_tells_what_the_client_offers() {
    let hello = understood(&sent());
    assert_eq!((hello.offers_tls12, hello.offers_tls13), (true, true));
    assert_eq!(hello.suites[..2], OFFERED);
    assert!(hello.groups.contains(&NamedGroup::X25519));
    assert!(hello.schemes.contains(&SignatureScheme::ECDSA_NISTP256_SHA256));
}

#[test]
fn a_client_without_the_extension_offers_what_its_version_says() {
    let sent = hello_of_tls12();
    let hello = understood(&sent);
    assert_eq!((hello.offers_tls12, hello.offers_tls13), (true, false));
    let mut older = sent;
    older[10] = 2; // client_version 3.2
    assert!(matches!(First::of(&older), First::Hello(Hello { offers_tls12: false, offers_tls13: false, .. })));
}

/// Without the extension of versions, as older clients are.
fn hello_of_tls12() -> Vec<u8> {
    let mut sent = hello(client(&[&TLS12], &OFFERED[1..], b"any"));
    let at = sent.windows(7).position(|part| part == [0, 43, 0, 3, 2, 3, 3]).unwrap();
    sent[at..at + 2].copy_from_slice(&[0xfe, 0xed]); // one that nobody knows
    sent
}

/// However few bytes come at a time, and whatever comes behind.
#[test]
fn a_part_of_a_hello_is_waited_for() {
    let mut sent = sent();
    for length in 1..sent.len() {
        assert!(matches!(First::of(&sent[..length]), First::Incomplete), "{length}");
    }
    sent.extend(b"more");
    understood(&sent);
}

#[test]
fn what_is_no_hello_is_not_taken_for_one() {
    for plain in [&b"\x04\x00\x00\x00\x01"[..], b"GET / HTTP/1.1", b"\x00", b"\xff"] {
        assert!(matches!(First::of(plain), First::Plain));
    }
    for tls in [&b"\x15\x03\x01\x00\x02\x02\x28"[..], b"\x16\x03\x01\xff\xff", b"\x16\x03\x01\x00\x00", b"\x17"] {
        assert!(matches!(First::of(tls), First::Unknown), "{tls:?}");
    }
}

/// None of them is a reason to panic, or to wait for ever.
#[test]
fn a_damaged_hello_is_left_to_others() {
    let sent = sent();
    for at in 5..sent.len() {
        for byte in [0, 1, 0x7f, 0xff, sent[at] ^ 1] {
            let mut damaged = sent.clone();
            damaged[at] = byte;
            assert!(!matches!(First::of(&damaged), First::Incomplete | First::Plain), "{at}");
        }
    }
}
