// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The requests of one client, found in the bytes that it sends.

use super::envelope::{Header, Opcode, HEADER_BYTES};
use super::frame::{take, Frames, Piece};

/// A STARTUP body that is longer has no meaning for the door.
const MAX_STARTUP_BYTES: usize = 4 << 10;
/// Kinds of requests.
pub(crate) const REQUESTS: usize = Opcode::ALL.len();
const FRAMED_SINCE: u8 = 5;

/// Counts requests in a stream that comes in pieces, and changes nothing of it. After bytes that it does not understand,
/// and on connections of version 5 that are compressed, the client is opaque for good.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    framing: Framing,
    header: [u8; HEADER_BYTES],
    header_bytes: usize,
    /// Bytes of a body that are still to come.
    body_bytes: usize,
    startup: Option<Startup>,
    seen: [u64; REQUESTS],
}

#[derive(Debug, Default)]
enum Framing {
    /// Envelopes follow one another.
    #[default]
    None,
    Frames(Frames),
    Opaque,
}

/// The body of a STARTUP so far.
#[derive(Debug)]
struct Startup {
    version: u8,
    body: Vec<u8>,
}

impl Requests {
    /// Goes over the next bytes of the client.
    pub(crate) fn read(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let piece = match &mut self.framing {
                Framing::Opaque => return,
                Framing::None => Piece::Payload(std::mem::take(&mut bytes)),
                Framing::Frames(frames) => frames.next(&mut bytes),
            };
            match piece {
                Piece::Payload(mut envelopes) => {
                    while !envelopes.is_empty() && !self.is_opaque() {
                        let was_framed = matches!(self.framing, Framing::Frames(_));
                        self.read_envelope(&mut envelopes);
                        if !was_framed && matches!(self.framing, Framing::Frames(_)) {
                            bytes = std::mem::take(&mut envelopes);
                        }
                    }
                }
                Piece::Around => {}
                Piece::Corrupt => self.framing = Framing::Opaque,
            }
        }
    }

    /// Whether nothing more can be told of this client.
    pub(crate) fn is_opaque(&self) -> bool {
        matches!(self.framing, Framing::Opaque)
    }

    /// The requests that began since the last call, in the order of [`Opcode::ALL`].
    pub(crate) fn take_seen(&mut self) -> [u64; REQUESTS] {
        std::mem::take(&mut self.seen)
    }

    /// Takes what belongs to one header or one body.
    fn read_envelope(&mut self, bytes: &mut &[u8]) {
        if self.body_bytes > 0 {
            let part = take(bytes, &mut self.body_bytes);
            if let Some(startup) = &mut self.startup {
                startup.body.extend_from_slice(part);
            }
        } else {
            let mut missing = HEADER_BYTES - self.header_bytes;
            let part = take(bytes, &mut missing);
            self.header[self.header_bytes..][..part.len()].copy_from_slice(part);
            self.header_bytes += part.len();
            if missing > 0 {
                return;
            }
            self.begin_body();
        }
        if self.body_bytes == 0 {
            self.end_body();
        }
    }

    fn begin_body(&mut self) {
        self.header_bytes = 0;
        let Some(header) = Header::parse(&self.header) else {
            self.framing = Framing::Opaque;
            return;
        };
        self.body_bytes = header.body_bytes as usize;
        if let Some(seen) = self.seen.get_mut(header.opcode as usize) {
            *seen += 1;
        }
        if header.opcode == Opcode::Startup && matches!(self.framing, Framing::None) {
            if self.body_bytes > MAX_STARTUP_BYTES {
                self.framing = Framing::Opaque;
            } else {
                self.startup = Some(Startup { version: header.version, body: Vec::new() });
            }
        }
    }

    /// After STARTUP a client of version 5 sends frames, once it has the response; before that it sends nothing.
    fn end_body(&mut self) {
        let Some(startup) = self.startup.take() else { return };
        if startup.version < FRAMED_SINCE {
            return;
        }
        self.framing = match is_compressed(&startup.body) {
            Some(false) => Framing::Frames(Frames::default()),
            Some(true) | None => Framing::Opaque,
        };
    }
}

/// Whether a STARTUP asks for compression; `None` where its body is no string map.
fn is_compressed(mut body: &[u8]) -> Option<bool> {
    let entries = u16::from_be_bytes(*take_array(&mut body)?);
    let mut compressed = false;
    for _ in 0..entries {
        let key = take_string(&mut body)?;
        let value = take_string(&mut body)?;
        compressed |= key == b"COMPRESSION" && !value.is_empty();
    }
    Some(compressed)
}

fn take_string<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::from(u16::from_be_bytes(*take_array(bytes)?));
    let (string, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(string)
}

fn take_array<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8; 2]> {
    let (array, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(array)
}

#[cfg(test)]
mod tests;
