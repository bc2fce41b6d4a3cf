// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! How doors know each other: each makes a key at its start, and gossip has the key's fingerprint. TLS shows the bare key
//! (RFC 7250): there is no certificate, and so nothing that expires or has to be distributed.

use std::fmt;
use std::io;
use std::sync::Arc;

use arc_swap::ArcSwap;
use ring::digest::{digest, SHA256};
use ring::rand::SystemRandom;
use ring::signature::Ed25519KeyPair;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{AlwaysResolvesClientRawPublicKeys, Resumption};
use rustls::crypto::{ring as provider, verify_tls13_signature_with_raw_key, CryptoProvider};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName, SubjectPublicKeyInfoDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::server::AlwaysResolvesServerRawPublicKeys;
use rustls::sign::CertifiedKey;
use rustls::version::TLS13;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, DistinguishedName, Error, ServerConfig, SignatureScheme,
};

use super::members::{Fingerprint, Members};

/// The key of this node's door.
#[derive(Clone)]
pub(crate) struct NodeKey {
    provider: Arc<CryptoProvider>,
    key: Arc<CertifiedKey>,
    fingerprint: Fingerprint,
}

impl NodeKey {
    /// Makes one, which nobody else has, and which ends with it.
    ///
    /// # Errors
    /// Where the system has no randomness.
    pub(crate) fn new() -> io::Result<NodeKey> {
        let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new());
        let made = made.map_err(|_| io::Error::other("the system has no randomness"))?;
        let key = provider::sign::any_eddsa_type(&PrivatePkcs8KeyDer::from(made.as_ref())).map_err(io::Error::other)?;
        let public = key.public_key().ok_or_else(|| io::Error::other("a key without its public half"))?.into_owned();
        let fingerprint = fingerprint(&public);
        let shown = CertificateDer::from(public.to_vec());
        Ok(NodeKey {
            provider: Arc::new(provider::default_provider()),
            key: Arc::new(CertifiedKey::new(vec![shown], key)),
            fingerprint,
        })
    }

    /// What the other doors are to know this one by.
    pub(crate) fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    /// For connections to the door whose key has that fingerprint.
    ///
    /// # Errors
    /// Where the library knows no such connections.
    pub(crate) fn client_config(&self, fingerprint: Fingerprint) -> io::Result<Arc<ClientConfig>> {
        let pinned = Arc::new(Pinned { known: Known::One(fingerprint), provider: Arc::clone(&self.provider) });
        let config = ClientConfig::builder_with_provider(Arc::clone(&self.provider))
            .with_protocol_versions(&[&TLS13])
            .map_err(io::Error::other)?;
        let mut config = config
            .dangerous()
            .with_custom_certificate_verifier(pinned)
            .with_client_cert_resolver(Arc::new(AlwaysResolvesClientRawPublicKeys::new(Arc::clone(&self.key))));
        config.resumption = Resumption::disabled();
        config.enable_sni = false;
        Ok(Arc::new(config))
    }

    /// For connections of any member.
    ///
    /// # Errors
    /// Where the library knows no such connections.
    pub(crate) fn server_config(&self, members: Arc<ArcSwap<Members>>) -> io::Result<Arc<ServerConfig>> {
        let pinned = Arc::new(Pinned { known: Known::Members(members), provider: Arc::clone(&self.provider) });
        let config = ServerConfig::builder_with_provider(Arc::clone(&self.provider))
            .with_protocol_versions(&[&TLS13])
            .map_err(io::Error::other)?;
        let mut config = config
            .with_client_cert_verifier(pinned)
            .with_cert_resolver(Arc::new(AlwaysResolvesServerRawPublicKeys::new(Arc::clone(&self.key))));
        // Each connection proves its keys anew: a key that gossip has no more opens none.
        config.send_tls13_tickets = 0;
        Ok(Arc::new(config))
    }
}

impl fmt::Debug for NodeKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("NodeKey").field("fingerprint", &self.fingerprint).finish_non_exhaustive()
    }
}

/// Of a public key.
pub(crate) fn fingerprint(public: &[u8]) -> Fingerprint {
    let mut bytes = Fingerprint::default();
    digest(&SHA256, public).as_ref().iter().zip(&mut bytes).for_each(|(from, to)| *to = *from);
    bytes
}

/// Which keys the other side may have.
#[derive(Debug)]
enum Known {
    One(Fingerprint),
    Members(Arc<ArcSwap<Members>>),
}

/// Takes no key but those that gossip has.
#[derive(Debug)]
struct Pinned {
    known: Known,
    provider: Arc<CryptoProvider>,
}

impl Pinned {
    fn check(&self, key: &CertificateDer<'_>) -> Result<(), Error> {
        let shown = fingerprint(key);
        let is_known = match &self.known {
            Known::One(fingerprint) => shown == *fingerprint,
            Known::Members(members) => members.load().with_key(&shown).is_some(),
        };
        match is_known {
            true => Ok(()),
            false => Err(Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure)),
        }
    }

    fn verify(
        &self,
        message: &[u8],
        key: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let key = SubjectPublicKeyInfoDer::from(key.as_ref());
        verify_tls13_signature_with_raw_key(message, &key, signed, &self.provider.signature_verification_algorithms)
    }
}

/// There is no other version than TLS 1.3.
const OLDER: Error = Error::General(String::new());

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        key: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.check(key).map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(OLDER)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        key: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verify(message, key, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}

impl ClientCertVerifier for Pinned {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        key: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.check(key).map(|()| ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(OLDER)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        key: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verify(message, key, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}
