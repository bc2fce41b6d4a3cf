// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Requests as a client sends them, and responses as it gets them.

use std::collections::BTreeMap;

use super::scripted::KINDS;
use crate::protocol::{
    put_frames, unpack, Compression, FrameHeader, Framing, Inbound, ResponseHeader, COMPRESSED, HEADER_BYTES,
};

pub(super) fn envelope(version: u8, flags: u8, stream: u16, opcode: u8, body: &[u8]) -> Vec<u8> {
    let [high, low] = stream.to_be_bytes();
    let length = u32::try_from(body.len()).unwrap().to_be_bytes();
    [&[version, flags, high, low, opcode][..], &length, body].concat()
}

pub(super) fn startup(version: u8, is_packed: bool) -> Vec<u8> {
    let options: &[u8] = if is_packed { b"\x00\x01\x00\x0bCOMPRESSION\x00\x03lz4" } else { b"\x00\x00" };
    envelope(version, 0, 0, 1, options)
}

pub(super) fn framing(version: u8, is_packed: bool) -> Framing {
    let mut inbound = Inbound::default();
    inbound.next(&startup(version, is_packed), &mut Vec::new());
    inbound.framing().unwrap()
}

/// Requests as a client sends them, those of one group together.
pub(super) fn sent(framing: Framing, version: u8, groups: &[Vec<(u16, Vec<u8>)>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for group in groups {
        let mut payload = Vec::new();
        for (stream, body) in group {
            let opcode = if body.first() == Some(&(KINDS - 1)) { 7 } else { 10 };
            let mut packed = Vec::new();
            match framing {
                Framing::Envelopes(Compression::Lz4) => {
                    crate::protocol::pack(body, &mut packed);
                    payload.extend(envelope(version, COMPRESSED, *stream, opcode, &packed));
                }
                // Drivers say it in compressed frames, too, where it means nothing.
                _ => payload.extend(envelope(version, COMPRESSED, *stream, opcode, body)),
            }
        }
        match framing {
            Framing::Envelopes(_) => bytes.extend(payload),
            Framing::Frames(kind) => put_frames(kind, &payload, &mut bytes),
        }
    }
    bytes
}

/// All responses that a client has received, by stream.
pub(super) fn received(framing: Framing, bytes: &[u8]) -> BTreeMap<u16, Vec<u8>> {
    let ready = HEADER_BYTES;
    let mut envelopes = Vec::new();
    match framing {
        Framing::Envelopes(_) => envelopes.extend_from_slice(&bytes[ready..]),
        Framing::Frames(kind) => {
            let mut rest = &bytes[ready..];
            while !rest.is_empty() {
                let header = FrameHeader::parse(kind, rest).unwrap();
                let (frame, behind) = rest.split_at(header.frame_bytes());
                assert!(header.is_intact(frame));
                header.unpack(frame, &mut envelopes).unwrap();
                rest = behind;
            }
        }
    }
    let mut found = BTreeMap::new();
    let mut rest = &envelopes[..];
    while !rest.is_empty() {
        let header = ResponseHeader::parse(rest.first_chunk().unwrap()).unwrap();
        let (envelope, behind) = rest.split_at(HEADER_BYTES + header.body_bytes as usize);
        let mut unpacked = Vec::new();
        let body = match header.flags & COMPRESSED {
            0 => envelope[HEADER_BYTES..].to_vec(),
            _ => {
                assert!(unpack(&envelope[HEADER_BYTES..], 1 << 20, &mut unpacked));
                unpacked
            }
        };
        assert_eq!(found.insert(u16::from_be_bytes(header.stream), body), None, "two answers");
        rest = behind;
    }
    found
}
