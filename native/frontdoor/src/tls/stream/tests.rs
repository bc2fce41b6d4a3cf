// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

use std::net::{Shutdown, TcpListener, TcpStream as Socket};
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{poll, PollFd, PollFlags};
use rustls::crypto::ring::{cipher_suite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, default_provider};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use rustls::server::ServerConfig;
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::version::TLS12;
use rustls::{ClientConnection, StreamOwned, SupportedCipherSuite};

use super::super::handshake::{Handshake, Progress};
use super::super::suites::with_limit;
use super::super::tests::{client, key};
use super::*;

pub(crate) type Client = StreamOwned<ClientConnection, Socket>;

const CERTIFICATE: &[u8] = b"the node's";
const PART: &[u8] = b"a part";
const PATIENCE: Duration = Duration::from_secs(60);

/// A suite that encrypts so many records.
pub(crate) fn limited(records: u64) -> SupportedCipherSuite {
    let SupportedCipherSuite::Tls12(suite) = TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 else { unreachable!() };
    let suite = with_limit(suite, records);
    SupportedCipherSuite::Tls12(suite)
}

/// Both ends of a connection whose handshake is over.
pub(crate) fn pair(suite: SupportedCipherSuite) -> (TlsStream, Client) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let far = Socket::connect(listener.local_addr().unwrap()).unwrap();
    far.set_read_timeout(Some(PATIENCE)).unwrap();
    far.set_nodelay(true).unwrap();
    let near = listener.accept().unwrap().0;
    near.set_nonblocking(true).unwrap();
    let (mut near, mut far) =
        (TcpStream::from_std(near), Client::new(client(&[&TLS12], &[suite.suite()], CERTIFICATE), far));
    let mut handshake = Handshake::new(config(suite)).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| far.conn.complete_io(&mut far.sock).unwrap());
        while handshake.step(&mut near).unwrap() != Progress::Agreed {
            await_events(&near, PollFlags::IN);
        }
    });
    (handshake.into_stream(near), far)
}

fn config(suite: SupportedCipherSuite) -> Arc<ServerConfig> {
    let key = rustls::crypto::ring::sign::any_supported_type(&PrivatePkcs8KeyDer::from(key()).into()).unwrap();
    let key = CertifiedKey::new(vec![CertificateDer::from(CERTIFICATE)], key);
    let provider = CryptoProvider { cipher_suites: vec![suite], ..default_provider() };
    let config = ServerConfig::builder_with_provider(Arc::new(provider)).with_protocol_versions(&[&TLS12]).unwrap();
    Arc::new(config.with_no_client_auth().with_cert_resolver(Arc::new(SingleCertAndKey::from(key))))
}

fn await_events(socket: &TcpStream, flags: PollFlags) {
    let mut polled = [PollFd::new(socket, flags)];
    let patience = PATIENCE.try_into().unwrap();
    while poll(&mut polled, Some(&patience)).unwrap() > 0 && !polled[0].revents().contains(flags) {}
    assert!(polled[0].revents().contains(flags));
}

/// Whether or not an alert goes out in their place.
#[test]
fn bytes_that_tls_does_not_take_do_not_count_as_sent() {
    for length in 1..=PART.len() {
        let (mut stream, mut client) = pair(limited(10));
        let mut sent = Vec::new();
        let part = &PART[..length];
        while let Ok(count) = stream.write(part) {
            sent.extend(&part[..count]);
            assert!(sent.len() < 100, "more than the suite encrypts");
        }
        assert!(!sent.is_empty() && stream.write_vectored(&[IoSlice::new(part)]).is_err());
        drop(stream);
        let mut heard = Vec::new();
        // The alert says that nothing is missing of what was sent.
        client.read_to_end(&mut heard).unwrap();
        assert_eq!(heard, sent);
    }
}

/// The door's loop hears of what a killed client sent last and of its end at once, and of nothing later.
#[test]
fn an_end_within_a_record_is_seen_with_the_bytes_before_it() {
    for whole_records in [0, 1] {
        let (mut stream, mut client) = pair(limited(u64::MAX));
        let mut records = Vec::new();
        for _ in 0..=whole_records {
            client.conn.writer().write_all(PART).unwrap();
            client.conn.write_tls(&mut records).unwrap();
        }
        client.sock.write_all(&records[..records.len() - PART.len()]).unwrap();
        client.sock.shutdown(Shutdown::Write).unwrap();
        await_events(stream.socket(), PollFlags::RDHUP);
        let mut bytes = [0; 100];
        for _ in 0..whole_records {
            assert_eq!(stream.read(&mut bytes).unwrap(), PART.len());
        }
        assert_eq!(stream.read(&mut bytes).unwrap(), 0);
        assert!(stream.has_ended());
    }
}
