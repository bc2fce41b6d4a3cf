// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Answers of the door on their way to a client, in the connection's framing.

use crate::protocol::{put_frames, put_result_header, Compression, Framing, MAX_PAYLOAD_BYTES};

/// Answers of one turn. One buffer serves all connections of a loop.
#[derive(Debug, Default)]
pub(crate) struct Replies {
    /// Envelopes that wait for their frame.
    envelopes: Vec<u8>,
    bytes: Vec<u8>,
}

impl Replies {
    /// Adds a RESULT.
    pub(crate) fn add(&mut self, framing: Framing, version: u8, stream: [u8; 2], body: &[u8]) {
        match framing {
            Framing::Envelopes(Compression::Lz4) => self.add_packed(version, stream, body),
            Framing::Envelopes(_) => put_envelope(version, 0, stream, body, &mut self.bytes),
            Framing::Frames(kind) => {
                let before = self.envelopes.len();
                put_envelope(version, 0, stream, body, &mut self.envelopes);
                if self.envelopes.len() > MAX_PAYLOAD_BYTES {
                    let (others, one) = self.envelopes.split_at(before);
                    put_frames(kind, others, &mut self.bytes);
                    put_frames(kind, one, &mut self.bytes);
                    self.envelopes.clear();
                }
            }
        }
    }

    fn add_packed(&mut self, version: u8, stream: [u8; 2], body: &[u8]) {
        self.envelopes.clear();
        crate::protocol::pack(body, &mut self.envelopes);
        put_envelope(version, crate::protocol::COMPRESSED, stream, &self.envelopes, &mut self.bytes);
        self.envelopes.clear();
    }

    /// How much there is.
    pub(crate) fn bytes(&self) -> usize {
        self.envelopes.len() + self.bytes.len()
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.envelopes.is_empty() && self.bytes.is_empty()
    }

    /// All of them as they are sent; [`Replies::clear`] follows.
    pub(crate) fn finish(&mut self, framing: Framing) -> &[u8] {
        if let Framing::Frames(kind) = framing {
            put_frames(kind, &self.envelopes, &mut self.bytes);
            self.envelopes.clear();
        }
        &self.bytes
    }

    pub(crate) fn clear(&mut self) {
        self.envelopes.clear();
        self.bytes.clear();
    }
}

fn put_envelope(version: u8, flags: u8, stream: [u8; 2], body: &[u8], out: &mut Vec<u8>) {
    put_result_header(version, flags, stream, body.len() as u32, out);
    out.extend_from_slice(body);
}
