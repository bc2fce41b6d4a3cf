// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! With what the node meets TLS clients: its key, and what Cassandra's own TLS, which is BoringSSL, would agree on.

use std::sync::Arc;

use rustls::crypto::ring::{default_provider, sign::any_supported_type};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::{NoServerSessionStorage, ServerConfig};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::version::{TLS12, TLS13};
use rustls::{CipherSuite, SignatureScheme, SupportedCipherSuite, SupportedProtocolVersion};

use super::hello::Hello;
use super::suites::{is_of_tls13, named, needs_other_key, suites};

const VERSION: u8 = 1;
const HAS_TLS12: u8 = 1;
const HAS_TLS13: u8 = 2;

/// The node's side of all handshakes that begin from now on.
#[derive(Debug)]
pub(crate) struct Terms {
    key: Arc<CertifiedKey>,
    has_tls12: bool,
    has_tls13: bool,
    /// In the order of Cassandra's own.
    suites: Vec<CipherSuite>,
    /// One for each suite that Cassandra and the library have: a handshake agrees on that or fails.
    configs: Vec<(CipherSuite, Arc<ServerConfig>)>,
}

impl Terms {
    /// From the bytes that docs/internals/boundary.md describes ("TLS of clients").
    ///
    /// # Errors
    /// What the library lacks, for people.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Terms, String> {
        let parts = Parts::read(bytes).ok_or("the bytes are none that this library knows")?;
        if parts.has_tls13 && !has_fast_aes() {
            return Err("this processor has no instructions for AES, so that BoringSSL prefers other suites".to_owned());
        }
        let find = |name: &&str| named(name).ok_or_else(|| format!("the cipher suite {name} is unknown"));
        let suites = parts.suites.iter().map(find).collect::<Result<Vec<CipherSuite>, String>>()?;
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(parts.key));
        let key = any_supported_type(&key).map_err(|error| format!("the private key is of no use: {error}"))?;
        let chain = parts.chain.iter().map(|certificate| CertificateDer::from(certificate.to_vec()));
        let key = Arc::new(CertifiedKey::new(chain.collect(), key));
        // Netty says that TLS 1.3 is on also where no suite of it is wanted, and has switched it off then.
        let has_tls13 = parts.has_tls13 && suites.iter().any(|suite| is_of_tls13(*suite));
        let mut terms = Terms { key, has_tls12: parts.has_tls12, has_tls13, suites, configs: Vec::new() };
        terms.make_configs().map_err(|error| error.to_string())?;
        Ok(terms)
    }

    fn make_configs(&mut self) -> Result<(), rustls::Error> {
        for known in suites().iter().filter(|known| self.suites.contains(&known.suite())) {
            if self.has(known.suite()) {
                let config = self.config(*known)?;
                self.configs.push((known.suite(), config));
            }
        }
        Ok(())
    }

    fn has(&self, suite: CipherSuite) -> bool {
        if is_of_tls13(suite) {
            self.has_tls13
        } else {
            self.has_tls12
        }
    }

    /// For clients with whom this suite is agreed on.
    fn config(&self, suite: SupportedCipherSuite) -> Result<Arc<ServerConfig>, rustls::Error> {
        let mut chosen = vec![suite];
        let mut versions: Vec<&SupportedProtocolVersion> = vec![&TLS13];
        if !is_of_tls13(suite.suite()) {
            versions = vec![&TLS12];
            if self.has_tls13 {
                // So that the client can tell that nobody has taken TLS 1.3 out of its offer (RFC 8446, 4.1.3).
                versions.push(&TLS13);
                chosen.extend(suites().iter().filter(|other| is_of_tls13(other.suite())));
            }
        }
        let provider = CryptoProvider { cipher_suites: chosen, ..default_provider() };
        let mut config = ServerConfig::builder_with_provider(Arc::new(provider))
            .with_protocol_versions(&versions)?
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(SingleCertAndKey::from(Arc::clone(&self.key))));
        // As Cassandra's own: no tickets. Nor are sessions kept: each handshake proves the present key.
        config.send_tls13_tickets = 0;
        config.session_storage = Arc::new(NoServerSessionStorage {});
        Ok(Arc::new(config))
    }

    /// With what the door answers a client as Cassandra's own TLS would; `None` where only that can.
    pub(crate) fn agree(&self, hello: &Hello) -> Option<Arc<ServerConfig>> {
        let groups = default_provider().kx_groups;
        if !groups.iter().any(|group| hello.groups.contains(&group.name())) {
            return None;
        }
        let suite = match hello.offers_tls13 && self.has_tls13 {
            true => self.choose_tls13(hello)?,
            false => self.choose_tls12(hello)?,
        };
        self.configs.iter().find(|(known, _)| *known == suite).map(|(_, config)| Arc::clone(config))
    }

    /// BoringSSL takes the client's first choice, whatever the order of its own.
    fn choose_tls13(&self, hello: &Hello) -> Option<CipherSuite> {
        let schemes: Vec<SignatureScheme> = hello.schemes.iter().copied().filter(is_scheme_of_tls13).collect();
        self.key.key.choose_scheme(&schemes)?;
        hello.suites.iter().copied().find(|suite| is_of_tls13(*suite) && self.suites.contains(suite))
    }

    /// And here its own, whatever the client's order.
    fn choose_tls12(&self, hello: &Hello) -> Option<CipherSuite> {
        if !hello.offers_tls12 || !self.has_tls12 {
            return None;
        }
        let key = self.key.key.algorithm();
        let mut own = self.suites.iter().copied().filter(|suite| !is_of_tls13(*suite) && !needs_other_key(*suite, key));
        let suite = own.find(|suite| hello.suites.contains(suite))?;
        let known = suites().iter().find(|known| known.suite() == suite)?;
        let SupportedCipherSuite::Tls12(known) = known else { return None };
        self.key.key.choose_scheme(&known.resolve_sig_schemes(&hello.schemes))?;
        Some(suite)
    }
}

/// Whether BoringSSL sees a reason to prefer AES.
fn has_fast_aes() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::is_x86_feature_detected!("aes") && std::is_x86_feature_detected!("pclmulqdq");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// TLS 1.3 signs with these no more (RFC 8446, 4.2.3).
fn is_scheme_of_tls13(scheme: &SignatureScheme) -> bool {
    !matches!(
        scheme,
        SignatureScheme::RSA_PKCS1_SHA1
            | SignatureScheme::RSA_PKCS1_SHA256
            | SignatureScheme::RSA_PKCS1_SHA384
            | SignatureScheme::RSA_PKCS1_SHA512
            | SignatureScheme::ECDSA_SHA1_Legacy
    )
}

/// The parts of the bytes.
struct Parts<'a> {
    has_tls12: bool,
    has_tls13: bool,
    suites: Vec<&'a str>,
    chain: Vec<&'a [u8]>,
    key: &'a [u8],
}

impl<'a> Parts<'a> {
    fn read(bytes: &'a [u8]) -> Option<Parts<'a>> {
        let (&[version, versions], rest) = bytes.split_first_chunk()?;
        let (suites, rest) = list(rest)?;
        let (chain, rest) = list(rest)?;
        let (key, rest) = sized(rest)?;
        let is_known = version == VERSION && versions & !(HAS_TLS12 | HAS_TLS13) == 0 && versions != 0;
        (is_known && rest.is_empty() && !chain.is_empty()).then_some(())?;
        let suites = suites.into_iter().map(|name| std::str::from_utf8(name).ok()).collect::<Option<Vec<&str>>>()?;
        let (has_tls12, has_tls13) = (versions & HAS_TLS12 != 0, versions & HAS_TLS13 != 0);
        Some(Parts { has_tls12, has_tls13, suites, chain, key })
    }
}

/// A count, and so many things with their length in front.
fn list(bytes: &[u8]) -> Option<(Vec<&[u8]>, &[u8])> {
    let (count, mut rest) = bytes.split_first_chunk()?;
    let mut things = Vec::new();
    for _ in 0..u16::from_be_bytes(*count) {
        let (thing, behind) = sized(rest)?;
        things.push(thing);
        rest = behind;
    }
    Some((things, rest))
}

fn sized(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(u32::from_be_bytes(*length) as usize)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
