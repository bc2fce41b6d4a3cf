// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Why a session could not be opened, in one line.

use std::error::Error;
use std::io::{self, ErrorKind};

use anyhow::anyhow;
use rustls::{AlertDescription, CertificateError, Error as TlsError};
use scylla::errors::{
    ConnectionError, ConnectionPoolError, ConnectionSetupRequestError, ConnectionSetupRequestErrorKind, DbError,
    MetadataError, NewSessionError,
};

use crate::load::target::Target;

/// One line: the contact points and what is wrong with them.
pub(super) fn explain(error: &NewSessionError, target: &Target) -> anyhow::Error {
    let reason = match error {
        NewSessionError::FailedToResolveAnyHostname(_) => "no such host, or not written as host:port".to_owned(),
        NewSessionError::MetadataError(MetadataError::ConnectionPoolError(ConnectionPoolError::Broken {
            last_connection_error,
        })) => connection(last_connection_error, target),
        other => one_line(other),
    };
    anyhow!("cannot connect to {}: {reason}", target.contact_points.join(", "))
}

fn connection(error: &ConnectionError, target: &Target) -> String {
    if let Some(tls) = find::<TlsError>(error) {
        return tls_reason(tls, target);
    }
    match error {
        ConnectionError::ConnectTimeout => {
            format!("no answer within {} s", target.connect_timeout.as_secs_f64())
        }
        ConnectionError::IoError(io) if io.kind() == ErrorKind::ConnectionRefused => "nothing listens there".to_owned(),
        ConnectionError::ConnectionSetupRequestError(setup) => setup_reason(setup, target),
        _ if broke(error) => broken(target),
        other => one_line(other),
    }
}

fn setup_reason(error: &ConnectionSetupRequestError, target: &Target) -> String {
    use ConnectionSetupRequestErrorKind as Kind;
    let user = target.username.as_deref().unwrap_or_default();
    match error.get_error() {
        Kind::MissingAuthentication => "the cluster wants a user and a password".to_owned(),
        Kind::DbError(DbError::AuthenticationError | DbError::Unauthorized, words) => {
            format!("user '{user}' was refused: {}", words.replace('\n', " "))
        }
        Kind::DbError(DbError::ProtocolError, words) => {
            format!("it does not take version 4 of the CQL protocol: {}", words.replace('\n', " "))
        }
        Kind::BrokenConnection(_) if broke(error) => broken(target),
        _ => format!("it does not answer as an Apache Cassandra node does ({})", one_line(error)),
    }
}

fn tls_reason(error: &TlsError, target: &Target) -> String {
    let ca = target.tls.as_ref().map(|files| files.ca.display().to_string()).unwrap_or_default();
    match error {
        TlsError::InvalidCertificate(CertificateError::UnknownIssuer | CertificateError::BadSignature) => {
            format!("its certificate is not trusted: no authority in {ca} signed it")
        }
        TlsError::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => "its certificate is for another name or address (host name check)".to_owned(),
        TlsError::InvalidCertificate(CertificateError::Expired | CertificateError::ExpiredContext { .. }) => {
            "its certificate has expired".to_owned()
        }
        TlsError::InvalidCertificate(other) => format!("its certificate is not good: {}", one_line(other)),
        TlsError::AlertReceived(
            AlertDescription::CertificateRequired
            | AlertDescription::BadCertificate
            | AlertDescription::CertificateUnknown
            | AlertDescription::UnknownCA
            | AlertDescription::AccessDenied,
        ) => format!("it refused the client's certificate ({})", one_line(error)),
        TlsError::InvalidMessage(_) => "it does not speak TLS on this port".to_owned(),
        other => format!("TLS failed: {}", one_line(other)),
    }
}

fn broken(target: &Target) -> String {
    match target.tls {
        Some(_) => {
            "it closed the connection; is TLS on for this port, and which client certificate does it want?".to_owned()
        }
        None => "it closed the connection; does it want TLS, or is it no Apache Cassandra node?".to_owned(),
    }
}

/// The other side closed the connection while it was set up.
fn broke(error: &(dyn Error + 'static)) -> bool {
    let closed =
        [ErrorKind::UnexpectedEof, ErrorKind::ConnectionReset, ErrorKind::BrokenPipe, ErrorKind::ConnectionAborted];
    find::<io::Error>(error).is_some_and(|io| closed.contains(&io.kind()))
}

/// The first error of a type among the causes; looks into I/O errors, which do not name what they wrap as their source.
fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        let wrapped = match error.downcast_ref::<io::Error>() {
            Some(io) => io.get_ref().map(|inner| inner as &(dyn Error + 'static)),
            None => None,
        };
        next = wrapped.or_else(|| error.source());
    }
    None
}

fn one_line(error: &dyn std::fmt::Display) -> String {
    error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}
