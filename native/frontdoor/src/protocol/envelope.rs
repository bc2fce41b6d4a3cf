// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Headers of requests and responses.

/// Bytes of a header.
pub(crate) const HEADER_BYTES: usize = 9;
/// The header's flag of a body that is compressed by itself (versions 3 and 4).
pub(crate) const COMPRESSED: u8 = 0x01;
/// The most that Cassandra can be set to take (`native_transport_max_frame_size` is an `int`).
const MAX_BODY_BYTES: u32 = i32::MAX as u32;
const DIRECTION: u8 = 0x80;
/// A bit of the flags: the client means a version that is not finished.
const USE_BETA: u8 = 0x10;

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Opcode {
    Startup,
    Options,
    Query,
    Prepare,
    Execute,
    Register,
    Batch,
    AuthResponse,
}

impl Opcode {
    /// All of them, in the order of the counters.
    pub(crate) const ALL: [Opcode; 8] = [
        Opcode::Startup,
        Opcode::Options,
        Opcode::Query,
        Opcode::Prepare,
        Opcode::Execute,
        Opcode::Register,
        Opcode::Batch,
        Opcode::AuthResponse,
    ];

    /// Its name in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Opcode::Startup => "startup",
            Opcode::Options => "options",
            Opcode::Query => "query",
            Opcode::Prepare => "prepare",
            Opcode::Execute => "execute",
            Opcode::Register => "register",
            Opcode::Batch => "batch",
            Opcode::AuthResponse => "auth_response",
        }
    }

    /// Its number in a header.
    fn code(self) -> u8 {
        match self {
            Opcode::Startup => 1,
            Opcode::Options => 5,
            Opcode::Query => 7,
            Opcode::Prepare => 9,
            Opcode::Execute => 10,
            Opcode::Register => 11,
            Opcode::Batch => 13,
            Opcode::AuthResponse => 15,
        }
    }
}

/// The header of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub version: u8,
    pub flags: u8,
    pub stream: [u8; 2],
    pub opcode: Opcode,
    pub body_bytes: u32,
}

impl Header {
    /// `None` where this is no request of a version that the door knows.
    pub(crate) fn parse(bytes: &[u8; HEADER_BYTES]) -> Option<Header> {
        let [version, flags, high, low, code, length @ ..] = *bytes;
        let opcode = Opcode::ALL.into_iter().find(|opcode| opcode.code() == code)?;
        let body_bytes = u32::from_be_bytes(length);
        let is_known = Header::is_known_version(version) && flags & USE_BETA == 0;
        let stream = [high, low];
        (is_known && body_bytes <= MAX_BODY_BYTES).then_some(Header { version, flags, stream, opcode, body_bytes })
    }

    /// Whether a request begins with this byte.
    pub(crate) fn is_known_version(byte: u8) -> bool {
        (3..=5).contains(&byte)
    }

    /// Bytes of header and body.
    pub(crate) fn envelope_bytes(&self) -> usize {
        HEADER_BYTES + self.body_bytes as usize
    }
}

/// The header of one response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ResponseHeader {
    pub flags: u8,
    pub stream: [u8; 2],
    pub opcode: u8,
    pub body_bytes: u32,
}

impl ResponseHeader {
    pub(crate) const READY: u8 = 2;
    pub(crate) const AUTHENTICATE: u8 = 3;
    pub(crate) const SUPPORTED: u8 = 6;
    pub(crate) const RESULT: u8 = 8;

    /// `None` where this is no response.
    pub(crate) fn parse(bytes: &[u8; HEADER_BYTES]) -> Option<ResponseHeader> {
        let [version, flags, high, low, opcode, length @ ..] = *bytes;
        let body_bytes = u32::from_be_bytes(length);
        let is_response = version & DIRECTION != 0 && body_bytes <= MAX_BODY_BYTES;
        is_response.then_some(ResponseHeader { flags, stream: [high, low], opcode, body_bytes })
    }
}

/// Appends the header of a RESULT.
pub(crate) fn put_result_header(version: u8, flags: u8, stream: [u8; 2], body_bytes: u32, out: &mut Vec<u8>) {
    let [high, low] = stream;
    out.extend_from_slice(&[version | DIRECTION, flags, high, low, ResponseHeader::RESULT]);
    out.extend_from_slice(&body_bytes.to_be_bytes());
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_known_versions_are_recognised() {
        let header = Header::parse(&[5, 0, 0, 1, 10, 0, 0, 1, 2]).unwrap();
        assert_eq!(
            (header.version, header.stream, header.opcode, header.body_bytes),
            (5, [0, 1], Opcode::Execute, 258)
        );
        for unknown in [
            [2, 0, 0, 1, 10, 0, 0, 0, 0],    // an old version
            [6, 0x10, 0, 1, 10, 0, 0, 0, 0], // a version to come
            [0x85, 0, 0, 1, 10, 0, 0, 0, 0], // a response
            [5, 0, 0, 1, 8, 0, 0, 0, 0],     // an opcode of responses
            [5, 0, 0, 1, 10, 0x80, 0, 0, 0], // a negative length
            [22, 3, 1, 1, 10, 0, 0, 0, 0],   // TLS
        ] {
            assert_eq!(Header::parse(&unknown), None, "{unknown:?}");
        }
    }
}
