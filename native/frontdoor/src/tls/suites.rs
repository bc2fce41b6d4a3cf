// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Cipher suites: those of the library, by the names that Java gives them.

use std::sync::LazyLock;

use rustls::crypto::ring::ALL_CIPHER_SUITES;
use rustls::{CipherSuite, CipherSuiteCommon, SignatureAlgorithm, SupportedCipherSuite, Tls12CipherSuite};

/// Those with which the door can speak. A TLS 1.2 key cannot be changed, so that the library would end a connection after
/// 2^24 records of AES-GCM: at 5,000 responses a second within an hour. BoringSSL, and so Cassandra, counts none.
static SUITES: LazyLock<Vec<SupportedCipherSuite>> = LazyLock::new(|| {
    let uncounted = |suite: &SupportedCipherSuite| match suite {
        SupportedCipherSuite::Tls12(suite) => SupportedCipherSuite::Tls12(with_limit(suite, u64::MAX)),
        of_tls13 => *of_tls13,
    };
    ALL_CIPHER_SUITES.iter().map(uncounted).collect()
});

/// All suites with which the door can speak.
pub(crate) fn suites() -> &'static [SupportedCipherSuite] {
    &SUITES
}

/// A suite of which one key encrypts so many records. It is never freed.
pub(crate) fn with_limit(suite: &Tls12CipherSuite, records: u64) -> &'static Tls12CipherSuite {
    let common = CipherSuiteCommon {
        suite: suite.common.suite,
        hash_provider: suite.common.hash_provider,
        confidentiality_limit: records,
    };
    Box::leak(Box::new(Tls12CipherSuite {
        common,
        prf_provider: suite.prf_provider,
        kx: suite.kx,
        sign: suite.sign,
        aead_alg: suite.aead_alg,
    }))
}

/// The name of a suite, if it is known.
pub(crate) fn name(suite: CipherSuite) -> Option<&'static str> {
    match suite {
        CipherSuite::TLS13_AES_128_GCM_SHA256 => Some("TLS_AES_128_GCM_SHA256"),
        CipherSuite::TLS13_AES_256_GCM_SHA384 => Some("TLS_AES_256_GCM_SHA384"),
        CipherSuite::TLS13_CHACHA20_POLY1305_SHA256 => Some("TLS_CHACHA20_POLY1305_SHA256"),
        other => other.as_str(),
    }
}

/// The suite of a name.
pub(crate) fn named(wanted: &str) -> Option<CipherSuite> {
    (0..=u16::MAX).map(CipherSuite::from).find(|suite| name(*suite) == Some(wanted))
}

/// Whether a suite is one of TLS 1.3.
pub(crate) fn is_of_tls13(suite: CipherSuite) -> bool {
    u16::from(suite) >> 8 == 0x13
}

/// Whether the server's key has to be another one than that.
pub(crate) fn needs_other_key(suite: CipherSuite, key: SignatureAlgorithm) -> bool {
    let other = match key {
        SignatureAlgorithm::RSA => "_ECDHE_ECDSA_",
        SignatureAlgorithm::ECDSA => "_RSA_",
        _ => return false,
    };
    name(suite).is_some_and(|name| name.contains(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_javas() {
        let java = ["TLS_AES_256_GCM_SHA384", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_RSA_WITH_AES_256_CBC_SHA"];
        for wanted in java {
            assert_eq!(named(wanted).and_then(name), Some(wanted));
        }
        assert_eq!(named("TLS_ROT13"), None);
    }

    #[test]
    fn a_suite_needs_its_kind_of_key() {
        let of_ec = CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256;
        let of_rsa = CipherSuite::TLS_RSA_WITH_AES_128_CBC_SHA;
        assert!(needs_other_key(of_ec, SignatureAlgorithm::RSA) && !needs_other_key(of_ec, SignatureAlgorithm::ECDSA));
        assert!(
            needs_other_key(of_rsa, SignatureAlgorithm::ECDSA) && !needs_other_key(of_rsa, SignatureAlgorithm::RSA)
        );
    }
}
