// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

use super::super::hello::First;
use super::super::tests::{client, hello, key, terms, SUITES};
use super::*;

const EC_256: CipherSuite = CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384;
const EC_128: CipherSuite = CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256;
const EC_CHACHA: CipherSuite = CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256;
const RSA_128: CipherSuite = CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256;
const TLS13_128: CipherSuite = CipherSuite::TLS13_AES_128_GCM_SHA256;
const TLS13_256: CipherSuite = CipherSuite::TLS13_AES_256_GCM_SHA384;
const TLS13_CHACHA: CipherSuite = CipherSuite::TLS13_CHACHA20_POLY1305_SHA256;

fn offer(versions: &[&'static SupportedProtocolVersion], suites: &[CipherSuite]) -> Hello {
    match First::of(&hello(client(versions, suites, b"any"))) {
        First::Hello(hello) => hello,
        other => unreachable!("{other:?}"),
    }
}

fn with(versions: u8, suites: &[&str]) -> Terms {
    Terms::decode(&terms(versions, suites, b"certificate", &key())).unwrap()
}

/// The one suite that is agreed on.
fn agreed(terms: &Terms, hello: &Hello) -> Option<CipherSuite> {
    let config = terms.agree(hello)?;
    let of_version = |suite: &&SupportedCipherSuite| is_of_tls13(suite.suite()) == hello.offers_tls13;
    config.crypto_provider().cipher_suites.iter().find(of_version).map(|suite| suite.suite())
}

#[test]
fn the_clients_order_counts_in_tls13_and_cassandras_in_tls12() {
    let terms = with(3, &SUITES);
    for order in [[TLS13_256, TLS13_128, TLS13_CHACHA], [TLS13_CHACHA, TLS13_256, TLS13_128]] {
        assert_eq!(agreed(&terms, &offer(&[&TLS13], &order)), Some(order[0]));
    }
    for order in [[EC_128, EC_256], [EC_256, EC_128]] {
        assert_eq!(agreed(&terms, &offer(&[&TLS12], &order)), Some(EC_256));
    }
    assert_eq!(agreed(&terms, &offer(&[&TLS12], &[RSA_128, EC_128])), Some(EC_128), "the key is no RSA key");
    let both = offer(&[&TLS12, &TLS13], &[EC_256, TLS13_128]);
    assert_eq!(agreed(&terms, &both), Some(TLS13_128));
}

/// Cassandra would agree on something with each of them, or tell it why not.
#[test]
fn what_the_door_would_answer_otherwise_is_cassandras() {
    let terms = with(3, &SUITES);
    assert!(terms.agree(&offer(&[&TLS12], &[EC_CHACHA])).is_none(), "Cassandra has it not");
    assert!(terms.agree(&offer(&[&TLS12], &[RSA_128])).is_none());
    let fine = offer(&[&TLS12, &TLS13], &[EC_256, TLS13_128]);
    for change in [
        &(|hello: &mut Hello| hello.groups.clear()) as &dyn Fn(&mut Hello),
        &|hello| hello.schemes.retain(|scheme| *scheme == SignatureScheme::RSA_PSS_SHA256),
        &|hello| hello.schemes = vec![SignatureScheme::ECDSA_SHA1_Legacy],
        &|hello| (hello.offers_tls12, hello.offers_tls13) = (false, false),
        // Of these Cassandra would take the first, which the library lacks.
        &|hello| {
            hello.offers_tls13 = false;
            hello.suites = vec![CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA];
        },
    ] {
        let mut hello = fine.clone();
        change(&mut hello);
        assert!(terms.agree(&hello).is_none(), "{hello:?}");
    }
    let cbc_first = with(1, &["TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"]);
    let mut hello = offer(&[&TLS12], &[EC_128]);
    assert_eq!(agreed(&cbc_first, &hello), Some(EC_128));
    hello.suites.push(CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA);
    assert!(cbc_first.agree(&hello).is_none());
}

#[test]
fn a_version_that_is_off_is_not_spoken() {
    let both = offer(&[&TLS12, &TLS13], &[EC_256, TLS13_128]);
    assert!(with(1, &SUITES).agree(&offer(&[&TLS13], &[TLS13_128])).is_none());
    assert!(with(2, &SUITES).agree(&offer(&[&TLS12], &[EC_256])).is_none());
    let config = with(1, &SUITES).agree(&both).unwrap();
    assert!(config.crypto_provider().cipher_suites.iter().all(|suite| suite.suite() == EC_256));
}

/// BoringSSL counts none: a connection with a response a record must not end after 2^24 of them.
#[test]
fn no_suite_of_tls12_counts_records_out() {
    let terms = with(3, &SUITES);
    let of_tls12 = terms.configs.iter().flat_map(|(_, config)| &config.crypto_provider().cipher_suites);
    let limits = of_tls12.filter_map(|suite| match suite {
        SupportedCipherSuite::Tls12(suite) => Some(suite.common.confidentiality_limit),
        _ => None,
    });
    let limits = limits.collect::<Vec<u64>>();
    assert_eq!(limits, [u64::MAX; 3]);
}

/// As Netty has it where `cipher_suites` names none of TLS 1.3.
#[test]
fn a_version_without_a_suite_is_off() {
    let both = offer(&[&TLS12, &TLS13], &[EC_256, TLS13_128]);
    let terms = with(3, &SUITES[..3]);
    assert!(terms.agree(&offer(&[&TLS13], &[TLS13_128])).is_none());
    assert!(terms.agree(&both).unwrap().crypto_provider().cipher_suites.iter().all(|suite| suite.suite() == EC_256));
}

#[test]
fn bytes_that_are_no_terms_are_refused_with_the_reason() {
    let key = key();
    let fine = terms(3, &SUITES, b"certificate", &key);
    let refused = |bytes: &[u8]| Terms::decode(bytes).unwrap_err();
    for length in 0..fine.len() {
        refused(&fine[..length]);
    }
    refused(&[&fine[..], b"!"].concat());
    refused(&[&[2], &fine[1..]].concat());
    refused(&terms(0, &SUITES, b"certificate", &key));
    refused(&terms(7, &SUITES, b"certificate", &key));
    assert!(refused(&terms(3, &["TLS_ROT13"], b"certificate", &key)).contains("TLS_ROT13"));
    assert!(refused(&terms(3, &SUITES, b"certificate", b"no key")).contains("private key"));
}
