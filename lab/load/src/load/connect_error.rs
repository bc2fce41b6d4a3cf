// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Explains in one line why a session could not be opened.

use std::error::Error;
use std::io::{self, ErrorKind};

use anyhow::anyhow;
use rustls::{AlertDescription, CertificateError, Error as TlsError};
use scylla::errors::{
    BrokenConnectionError, BrokenConnectionErrorKind, ConnectionError, ConnectionPoolError,
    ConnectionSetupRequestError, ConnectionSetupRequestErrorKind, DbError, MetadataError, NewSessionError,
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
        ConnectionError::BrokenConnection(_) => broken(target),
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
        Kind::BrokenConnection(_) => broken(target),
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
    let wish = if target.tls.is_some() { "another client certificate" } else { "TLS" };
    format!("it closed the connection or sent what is no CQL: does it want {wish}, or is it no Apache Cassandra node?")
}

/// The other side closed the connection while it was set up.
fn broke(error: &(dyn Error + 'static)) -> bool {
    let closed =
        [ErrorKind::UnexpectedEof, ErrorKind::ConnectionReset, ErrorKind::BrokenPipe, ErrorKind::ConnectionAborted];
    find::<io::Error>(error).is_some_and(|io| closed.contains(&io.kind()))
}

/// The first error of a type among the causes.
fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        next = cause(error);
    }
    None
}

/// What an error was caused by; several of these wrap another error without naming it as their source.
fn cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    if let Some(ConnectionError::IoError(io)) = error.downcast_ref() {
        return Some(&**io);
    }
    if let Some(setup) = error.downcast_ref::<ConnectionSetupRequestError>() {
        return Some(setup.get_error());
    }
    if let Some(ConnectionSetupRequestErrorKind::BrokenConnection(broken)) = error.downcast_ref() {
        return Some(broken);
    }
    if let Some(broken) = error.downcast_ref::<BrokenConnectionError>() {
        return broken.downcast_ref::<BrokenConnectionErrorKind>().map(|kind| kind as &(dyn Error + 'static));
    }
    let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    wrapped.map(|inner| inner as &(dyn Error + 'static)).or_else(|| error.source())
}

/// At most so many characters of somebody else's words.
const MOST_WORDS: usize = 160;

fn one_line(error: &dyn std::fmt::Display) -> String {
    let words = error.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(MOST_WORDS) {
        Some((end, _)) => format!("{}...", &words[..end]),
        None => words,
    }
}
