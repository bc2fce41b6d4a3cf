// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A node's key, and what a client sends first.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use ring::rand::SystemRandom;
use ring::signature::{EcdsaKeyPair, ECDSA_P256_SHA256_ASN1_SIGNING};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::ring::{default_provider, ALL_CIPHER_SUITES};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CipherSuite, ClientConfig, ClientConnection, DigitallySignedStruct, SignatureScheme, SupportedProtocolVersion,
};

/// As BoringSSL has them behind Netty.
pub(crate) const SUITES: [&str; 11] = [
    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
    "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
    "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
    "TLS_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_RSA_WITH_AES_128_CBC_SHA",
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
];

/// An elliptic key.
pub(crate) fn key() -> Vec<u8> {
    let key = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &SystemRandom::new()).unwrap();
    key.as_ref().to_vec()
}

/// The bytes of terms, of versions 1 (TLS 1.2), 2 (TLS 1.3), or both.
pub(crate) fn terms(versions: u8, suites: &[&str], certificate: &[u8], key: &[u8]) -> Vec<u8> {
    let put = |out: &mut Vec<u8>, thing: &[u8]| {
        out.extend((thing.len() as u32).to_be_bytes());
        out.extend(thing);
    };
    let mut bytes = vec![1, versions];
    bytes.extend((suites.len() as u16).to_be_bytes());
    suites.iter().for_each(|name| put(&mut bytes, name.as_bytes()));
    bytes.extend(1u16.to_be_bytes());
    put(&mut bytes, certificate);
    put(&mut bytes, key);
    bytes
}

/// Takes one certificate, whatever is in it.
#[derive(Debug)]
struct Known(Vec<u8>);

impl ServerCertVerifier for Known {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        match shown.as_ref() == self.0 {
            true => Ok(ServerCertVerified::assertion()),
            false => Err(rustls::Error::General("another certificate".to_owned())),
        }
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        key: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.verify_tls12_signature(message, key, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        default_provider().signature_verification_algorithms.supported_schemes()
    }
}

/// A client that offers these, in this order, and knows one certificate.
pub(crate) fn client(
    versions: &[&'static SupportedProtocolVersion],
    suites: &[CipherSuite],
    certificate: &[u8],
) -> ClientConnection {
    let known = |suite: &CipherSuite| *ALL_CIPHER_SUITES.iter().find(|known| known.suite() == *suite).unwrap();
    let provider = CryptoProvider { cipher_suites: suites.iter().map(known).collect(), ..default_provider() };
    let config = ClientConfig::builder_with_provider(Arc::new(provider))
        .with_protocol_versions(versions)
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Known(certificate.to_vec())))
        .with_no_client_auth();
    ClientConnection::new(Arc::new(config), "localhost".try_into().unwrap()).unwrap()
}

/// What it sends first.
pub(crate) fn hello(mut client: ClientConnection) -> Vec<u8> {
    let mut sent = Vec::new();
    client.write_tls(&mut sent).unwrap();
    sent
}
