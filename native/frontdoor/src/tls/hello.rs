// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a TLS client offers, read from bytes that stay in its socket: another one may have to answer them.

use rustls::server::Acceptor;
use rustls::{CipherSuite, NamedGroup, SignatureScheme};

/// The types of TLS records (RFC 8446, 5.1); no version of CQL is one of them.
const RECORDS: std::ops::RangeInclusive<u8> = 20..=23;
const HANDSHAKE_RECORD: u8 = 22;
const RECORD_HEADER_BYTES: usize = 5;
const CLIENT_HELLO: u8 = 1;
const MAX_RECORD_BYTES: usize = 16 << 10;
const SUPPORTED_VERSIONS: u16 = 43;
const TLS12: u16 = 0x0303;
const TLS13: u16 = 0x0304;

/// As many bytes as have to be looked at.
pub(crate) const MAX_HELLO_BYTES: usize = RECORD_HEADER_BYTES + MAX_RECORD_BYTES;

/// What the first bytes of a client are.
#[derive(Debug)]
pub(crate) enum First {
    /// No TLS.
    Plain,
    /// TLS, of which more has to come.
    Incomplete,
    /// TLS that the door does not understand.
    Unknown,
    Hello(Hello),
}

/// What a client offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hello {
    pub offers_tls12: bool,
    pub offers_tls13: bool,
    /// In the client's order.
    pub suites: Vec<CipherSuite>,
    pub groups: Vec<NamedGroup>,
    pub schemes: Vec<SignatureScheme>,
}

impl First {
    /// Looks at the first bytes, of which there is at least one.
    pub(crate) fn of(bytes: &[u8]) -> First {
        match bytes.first() {
            Some(first) if !RECORDS.contains(first) => First::Plain,
            Some(&HANDSHAKE_RECORD) => First::of_handshake(bytes),
            Some(_) => First::Unknown,
            None => First::Incomplete,
        }
    }

    fn of_handshake(bytes: &[u8]) -> First {
        let Some(&[_, _, _, high, low]) = bytes.first_chunk() else { return First::Incomplete };
        let length = usize::from(u16::from_be_bytes([high, low]));
        if length > MAX_RECORD_BYTES {
            return First::Unknown;
        }
        let Some(record) = bytes.get(..RECORD_HEADER_BYTES + length) else { return First::Incomplete };
        Hello::of_record(record).map_or(First::Unknown, First::Hello)
    }
}

impl Hello {
    /// Of a record that has the whole message, and nothing else.
    fn of_record(record: &[u8]) -> Option<Hello> {
        let versions = Versions::of_message(record.get(RECORD_HEADER_BYTES..)?)?;
        let mut acceptor = Acceptor::default();
        let mut rest = record;
        while !rest.is_empty() {
            acceptor.read_tls(&mut rest).ok().filter(|count| *count > 0)?;
        }
        let accepted = acceptor.accept().ok()??;
        let hello = accepted.client_hello();
        Some(Hello {
            offers_tls12: versions.tls12,
            offers_tls13: versions.tls13,
            suites: hello.cipher_suites().to_vec(),
            groups: hello.named_groups().unwrap_or_default().to_vec(),
            schemes: hello.signature_schemes().to_vec(),
        })
    }
}

/// The versions that a ClientHello offers; the library tells of all else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Versions {
    tls12: bool,
    tls13: bool,
}

impl Versions {
    fn of_message(message: &[u8]) -> Option<Versions> {
        let mut rest = message;
        let kind = take(&mut rest, 1)?;
        let length = take(&mut rest, 3)?;
        if kind != [CLIENT_HELLO] || number(length) != rest.len() {
            return None;
        }
        let legacy = number(take(&mut rest, 2)?) as u16;
        take(&mut rest, 32)?; // the random
        take_sized(&mut rest, 1)?; // the session
        take_sized(&mut rest, 2)?; // the suites
        take_sized(&mut rest, 1)?; // compressions
        let mut extensions = if rest.is_empty() { rest } else { take_sized(&mut rest, 2)? };
        while !extensions.is_empty() {
            let kind = number(take(&mut extensions, 2)?) as u16;
            let mut content = take_sized(&mut extensions, 2)?;
            if kind == SUPPORTED_VERSIONS {
                let offered = take_sized(&mut content, 1)?;
                let offers = |version: u16| offered.chunks_exact(2).any(|one| one == version.to_be_bytes());
                return Some(Versions { tls12: offers(TLS12), tls13: offers(TLS13) });
            }
        }
        Some(Versions { tls12: legacy >= TLS12, tls13: false })
    }
}

fn number(bytes: &[u8]) -> usize {
    bytes.iter().fold(0, |number, byte| number << 8 | usize::from(*byte))
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(taken)
}

/// Bytes behind their length, which has so many bytes itself.
fn take_sized<'a>(bytes: &mut &'a [u8], length_bytes: usize) -> Option<&'a [u8]> {
    let length = number(take(bytes, length_bytes)?);
    take(bytes, length)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests;
