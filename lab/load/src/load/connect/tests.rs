// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! One clear line for each way in which a connection fails; the other sides are threads of this test.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};

use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};

use super::*;
use crate::load::target::TlsFiles;
use lab_testkit::authority::Authority;

const NO_CASSANDRA: &str = "or is it no Apache Cassandra node?";

/// What the one line says of a target.
fn refusal(target: &Target) -> String {
    let error = runtime(1).unwrap().block_on(connect(target)).expect_err("connected");
    let line = format!("{error:#}");
    assert!(!line.contains('\n'), "more than a line: {line}");
    assert!(line.len() < 300, "too long: {line}");
    line
}

/// Serves each connection in a thread; the target that leads there.
fn served(serve: impl Fn(TcpStream) + Send + Sync + 'static) -> Target {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = Target::new([listener.local_addr().unwrap().to_string()]);
    let serve = Arc::new(serve);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let serve = Arc::clone(&serve);
            std::thread::spawn(move || serve(stream));
        }
    });
    Target { connect_timeout: Duration::from_secs(20), ..target }
}

#[test]
fn nothing_listens() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let line = refusal(&Target::new([format!("127.0.0.1:{port}")]));
    assert_eq!(line, format!("cannot connect to 127.0.0.1:{port}: nothing listens there"));
}

#[test]
fn no_such_host_and_no_contact_point() {
    assert!(refusal(&Target::new(["no-such-host.invalid:9042"])).contains("no such host"));
    assert_eq!(refusal(&Target::new(Vec::<String>::new())), "no contact point was given");
}

#[test]
fn nobody_answers() {
    let silent = served(|stream| {
        std::thread::sleep(Duration::from_secs(20));
        drop(stream);
    });
    let line = refusal(&Target { connect_timeout: Duration::from_millis(300), ..silent });
    assert!(line.contains("no answer within"), "{line}");
}

/// As when the driver has lost the end of its first connection.
#[test]
fn the_first_connection_says_nothing() {
    let first = AtomicBool::new(true);
    let target = served(move |stream| {
        if first.swap(false, Ordering::Relaxed) {
            std::thread::sleep(Duration::from_secs(20));
        }
        drop(stream);
    });
    let line = refusal(&Target { connect_timeout: Duration::from_millis(300), ..target });
    assert!(line.contains(NO_CASSANDRA), "{line}");
}

#[test]
fn not_a_cassandra() {
    let web = served(|mut stream| {
        let _ = stream.read(&mut [0; 64]);
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    });
    let line = refusal(&web);
    assert!(line.contains(NO_CASSANDRA), "{line}");
    let closing = refusal(&served(drop));
    assert!(closing.contains(NO_CASSANDRA), "{closing}");
}

/// Speaks as much of version 4 of the CQL protocol as it takes to refuse a password.
fn wants_password(mut stream: TcpStream) {
    let mut header = [0; 9];
    while stream.read_exact(&mut header).is_ok() {
        if header[0] != 0x04 {
            // As Cassandra does: an error in the clear, whatever came.
            let _ = stream.write_all(&[0x84, 0, 0, 0, 0, 0, 0, 0, 0]);
            return;
        }
        let length = u32::from_be_bytes([header[5], header[6], header[7], header[8]]) as usize;
        stream.read_exact(&mut vec![0; length]).unwrap();
        let text = |words: &str| [&(words.len() as u16).to_be_bytes()[..], words.as_bytes()].concat();
        let (opcode, body) = match header[4] {
            0x05 => (0x06, vec![0, 0]),
            0x01 => (0x03, text("org.apache.cassandra.auth.PasswordAuthenticator")),
            _ => (
                0x00,
                [&0x0100_u32.to_be_bytes()[..], &text("Provided username u and/or password are incorrect")].concat(),
            ),
        };
        let length = (body.len() as u32).to_be_bytes();
        let answer = [&[0x84, 0, header[2], header[3], opcode][..], &length, &body].concat();
        if stream.write_all(&answer).is_err() {
            return;
        }
    }
}

#[test]
fn wrong_credentials() {
    let target = served(wants_password);
    assert!(refusal(&target).ends_with("the cluster wants a user and a password"));
    let wrong = Target { username: Some("u".to_owned()), password: Some("wrong".to_owned()), ..target.clone() };
    let line = refusal(&wrong);
    assert!(line.contains("user 'u' was refused: Provided username u and/or password are incorrect"), "{line}");
    let half = Target { username: Some("u".to_owned()), ..target };
    assert_eq!(refusal(&half), "a user needs a password");
}

/// A TLS server with a certificate for `name`; behind it, nobody speaks CQL: what comes after the handshake is refused.
fn secured(authority: &Authority, name: &str, wants_client: bool) -> Target {
    let (public, private) = authority.sign(name);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ServerConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions().unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(authority.ca()).unwrap()).unwrap();
    let builder = if wants_client {
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap();
        builder.with_client_cert_verifier(verifier)
    } else {
        builder.with_no_client_auth()
    };
    let chain = vec![CertificateDer::from_pem_file(public).unwrap()];
    let config = Arc::new(builder.with_single_cert(chain, PrivateKeyDer::from_pem_file(private).unwrap()).unwrap());
    let target = served(move |mut stream| {
        let mut connection = ServerConnection::new(Arc::clone(&config)).unwrap();
        while connection.is_handshaking() && connection.complete_io(&mut stream).is_ok() {}
        let _ = connection.writer().write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        while connection.wants_write() && connection.write_tls(&mut stream).is_ok() {}
        std::thread::sleep(Duration::from_millis(300));
    });
    Target { tls: Some(TlsFiles { ca: authority.ca(), certificate: None, key: None, check_hostname: true }), ..target }
}

fn with_tls(target: &Target, change: impl FnOnce(&mut TlsFiles)) -> Target {
    let mut target = target.clone();
    change(target.tls.as_mut().unwrap());
    target
}

#[test]
fn a_certificate_of_another_authority_or_for_another_name() {
    let (own, other) = (Authority::new(), Authority::new());
    let target = secured(&own, "127.0.0.1", false);
    let line = refusal(&with_tls(&target, |tls| tls.ca = other.ca()));
    assert!(line.contains("its certificate is not trusted: no authority in"), "{line}");
    let elsewhere = secured(&own, "db.example.org", false);
    let line = refusal(&elsewhere);
    assert!(line.contains("its certificate is for another name"), "{line}");
    for trusted in [target, with_tls(&elsewhere, |tls| tls.check_hostname = false)] {
        let line = refusal(&trusted);
        assert!(line.contains(NO_CASSANDRA), "past the handshake: {line}");
    }
}

#[test]
fn a_node_that_wants_a_client_certificate_and_one_without_tls() {
    let own = Authority::new();
    let target = secured(&own, "127.0.0.1", true);
    let line = refusal(&target);
    assert!(line.contains("client's certificate") || line.contains("client certificate"), "{line}");
    let (public, private) = own.sign("client");
    let line = refusal(&with_tls(&target, |tls| {
        tls.certificate = Some(public);
        tls.key = Some(private);
    }));
    assert!(line.contains(NO_CASSANDRA), "past the handshake: {line}");
    let clear = Target { tls: target.tls, ..served(wants_password) };
    let line = refusal(&clear);
    assert!(line.contains("TLS"), "{line}");
}

#[test]
fn files_that_are_not_there_or_hold_something_else() {
    let own = Authority::new();
    let target = Target {
        tls: Some(TlsFiles {
            ca: own.folder.path().join("none.pem"),
            certificate: None,
            key: None,
            check_hostname: true,
        }),
        ..Target::default()
    };
    assert!(refusal(&target).contains("none.pem: no PEM certificates"));
    let (public, private) = own.sign("client");
    let key_as_ca = with_tls(&target, |tls| tls.ca = private);
    assert!(refusal(&key_as_ca).contains("client.key: no PEM certificates"));
    let half = with_tls(&target, |tls| (tls.ca, tls.certificate) = (own.ca(), Some(public)));
    assert_eq!(refusal(&half), "a client certificate needs its private key");
}
