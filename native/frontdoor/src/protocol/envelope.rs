// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The header of a request.

/// Bytes of the header.
pub(super) const HEADER_BYTES: usize = 9;
/// The most that Cassandra can be set to take (`native_transport_max_frame_size` is an `int`).
const MAX_BODY_BYTES: u32 = i32::MAX as u32;
const DIRECTION: u8 = 0x80;
/// A bit of the flags: the client means a version that is not finished.
const USE_BETA: u8 = 0x10;

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Opcode {
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
    pub(super) const ALL: [Opcode; 8] = [
        Opcode::Startup,
        Opcode::Options,
        Opcode::Query,
        Opcode::Prepare,
        Opcode::Execute,
        Opcode::Register,
        Opcode::Batch,
        Opcode::AuthResponse,
    ];

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
pub(super) struct Header {
    pub version: u8,
    pub opcode: Opcode,
    pub body_bytes: u32,
}

impl Header {
    /// `None` where this is no request of a version that the door knows.
    pub(super) fn parse(bytes: &[u8; HEADER_BYTES]) -> Option<Header> {
        let [version, flags, _, _, code, length @ ..] = *bytes;
        let opcode = Opcode::ALL.into_iter().find(|opcode| opcode.code() == code)?;
        let body_bytes = u32::from_be_bytes(length);
        let is_known = (3..=5).contains(&version) && version & DIRECTION == 0 && flags & USE_BETA == 0;
        (is_known && body_bytes <= MAX_BODY_BYTES).then_some(Header { version, opcode, body_bytes })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_known_versions_are_recognised() {
        let header = Header::parse(&[5, 0, 0, 1, 10, 0, 0, 1, 2]).unwrap();
        assert_eq!((header.version, header.opcode, header.body_bytes), (5, Opcode::Execute, 258));
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
