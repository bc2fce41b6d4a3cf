// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! TLS from PEM files.

use std::path::Path;
use std::sync::Arc;

use anyhow::{bail, Context, Result};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::WebPkiServerVerifier;
use rustls::crypto::{ring, CryptoProvider};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};

use crate::load::target::TlsFiles;

/// The TLS configuration of the driver; errors name the file.
pub(super) fn client(files: &TlsFiles) -> Result<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let mut roots = RootCertStore::empty();
    for certificate in certificates(&files.ca)? {
        roots.add(certificate).with_context(|| format!("{} holds no certificate authority", files.ca.display()))?;
    }
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    let builder = if files.check_hostname {
        builder.with_root_certificates(roots)
    } else {
        builder.dangerous().with_custom_certificate_verifier(AnyName::new(roots, provider)?)
    };
    match (&files.certificate, &files.key) {
        (Some(certificate), Some(key)) => {
            let private =
                PrivateKeyDer::from_pem_file(key).with_context(|| format!("{}: no private key", key.display()))?;
            let words = || format!("{} and {} do not belong together", certificate.display(), key.display());
            builder.with_client_auth_cert(certificates(certificate)?, private).with_context(words)
        }
        (None, None) => Ok(builder.with_no_client_auth()),
        (Some(_), None) => bail!("a client certificate needs its private key"),
        (None, Some(_)) => bail!("a client's private key needs its certificate"),
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let words = || format!("{}: no PEM certificates", path.display());
    let found: Vec<_> =
        CertificateDer::pem_file_iter(path).with_context(words)?.collect::<Result<_, _>>().with_context(words)?;
    if found.is_empty() {
        bail!(words());
    }
    Ok(found)
}

/// Trusts what the authorities signed, whatever name it is for.
#[derive(Debug)]
struct AnyName(Arc<WebPkiServerVerifier>);

impl AnyName {
    fn new(roots: RootCertStore, provider: Arc<CryptoProvider>) -> Result<Arc<Self>> {
        Ok(Arc::new(Self(WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build()?)))
    }
}

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        // The name is looked at last: whoever fails by it alone is trusted.
        match self.0.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            verdict => verdict,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}
