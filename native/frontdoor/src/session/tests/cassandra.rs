// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The other side of the pair.

use super::pipes::Pipe;
use super::wire::{envelope, framing, startup};
use crate::protocol::{
    put_frames, put_result_header, unpack, Compression, Envelopes, FrameHeader, Framing, COMPRESSED, HEADER_BYTES,
};

/// Cassandra: answers every request that reaches it.
pub(super) struct Cassandra {
    pending: Vec<u8>,
    framing: Framing,
    version: u8,
    has_started: bool,
    /// Envelopes out of frames.
    payload: Vec<u8>,
}

impl Cassandra {
    /// * `framing` what a client has asked for by its STARTUP
    pub(super) fn new(framing: Framing, version: u8) -> Self {
        Cassandra { pending: Vec::new(), framing, version, has_started: false, payload: Vec::new() }
    }

    pub(super) fn serve(&mut self, bytes: &[u8], answers: &Pipe) {
        self.pending.extend_from_slice(bytes);
        let pending = std::mem::take(&mut self.pending);
        let mut at = 0;
        let mut out = Vec::new();
        if !self.has_started {
            let whole = startup(self.version, self.framing != framing(self.version, false)).len();
            if pending.len() < whole {
                self.pending = pending;
                return;
            }
            (self.has_started, at) = (true, whole);
            out.extend(envelope(self.version | 0x80, 0, 0, 2, &[]));
        }
        if let Framing::Frames(kind) = self.framing {
            while let Ok(header) = FrameHeader::parse(kind, &pending[at..]) {
                let Some(frame) = pending[at..].get(..header.frame_bytes()) else { break };
                assert!(header.is_intact(frame));
                header.unpack(frame, &mut self.payload).unwrap();
                at += frame.len();
            }
        } else {
            self.payload.extend_from_slice(&pending[at..]);
            at = pending.len();
        }
        self.pending = pending[at..].to_vec();
        let mut group = Vec::new();
        let mut served = 0;
        for (header, envelope) in Envelopes::new(&self.payload) {
            let mut unpacked = Vec::new();
            let body = match self.framing {
                Framing::Envelopes(Compression::Lz4) => {
                    assert!(unpack(&envelope[HEADER_BYTES..], 1 << 20, &mut unpacked));
                    &unpacked
                }
                _ => &envelope[HEADER_BYTES..],
            };
            group.push((header.stream, [b"cassandra".as_slice(), body].concat()));
            served += envelope.len();
        }
        self.payload.drain(..served);
        // One frame holds no more.
        group.iter().for_each(|one| self.respond(std::slice::from_ref(one), &mut out));
        answers.put(&out);
    }

    pub(super) fn respond(&self, group: &[([u8; 2], Vec<u8>)], out: &mut Vec<u8>) {
        let mut payload = Vec::new();
        for (stream, body) in group {
            let mut packed = Vec::new();
            let (flags, body) = match self.framing {
                Framing::Envelopes(Compression::Lz4) => {
                    crate::protocol::pack(body, &mut packed);
                    (COMPRESSED, &packed)
                }
                _ => (0, body),
            };
            put_result_header(self.version, flags, *stream, body.len() as u32, &mut payload);
            payload.extend_from_slice(body);
        }
        match self.framing {
            Framing::Envelopes(_) => out.extend(payload),
            Framing::Frames(kind) => put_frames(kind, &payload, out),
        }
    }
}
