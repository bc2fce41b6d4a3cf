// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Frames of version 5 without compression: a header of 6 bytes, a payload, and 4 bytes of its checksum.

use super::crc24::crc24;

/// Bytes of the header.
const HEADER_BYTES: usize = 6;
/// Bytes behind the payload.
const TRAILER_BYTES: usize = 4;
const LENGTH_BITS: u32 = 17;

/// Takes the payloads out of a stream of frames that comes in pieces. The checksums of payloads are Cassandra's part.
#[derive(Debug, Default)]
pub(super) struct Frames {
    header: [u8; HEADER_BYTES],
    header_bytes: usize,
    payload_bytes: usize,
    trailer_bytes: usize,
}

/// A piece of the stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Bytes of a payload.
    Payload(&'a [u8]),
    /// Bytes around payloads.
    Around,
    /// What follows cannot be told.
    Corrupt,
}

impl Frames {
    /// Takes the next piece in front of `bytes`, which are not empty.
    pub(super) fn next<'a>(&mut self, bytes: &mut &'a [u8]) -> Piece<'a> {
        if self.payload_bytes > 0 {
            return Piece::Payload(take(bytes, &mut self.payload_bytes));
        }
        if self.trailer_bytes > 0 {
            take(bytes, &mut self.trailer_bytes);
            return Piece::Around;
        }
        let mut missing = HEADER_BYTES - self.header_bytes;
        let part = take(bytes, &mut missing);
        self.header[self.header_bytes..][..part.len()].copy_from_slice(part);
        self.header_bytes += part.len();
        if missing == 0 {
            return self.begin_frame();
        }
        Piece::Around
    }

    fn begin_frame<'a>(&mut self) -> Piece<'a> {
        let [first, second, third, crc @ ..] = self.header;
        let [low, middle, high] = crc;
        if crc24(&self.header[..3]) != u32::from_le_bytes([low, middle, high, 0]) {
            return Piece::Corrupt;
        }
        let length = u32::from_le_bytes([first, second, third, 0]) & ((1 << LENGTH_BITS) - 1);
        self.payload_bytes = length as usize;
        self.trailer_bytes = TRAILER_BYTES;
        self.header_bytes = 0;
        Piece::Around
    }
}

/// Takes at most `wanted` bytes in front, and counts them down.
pub(super) fn take<'a>(bytes: &mut &'a [u8], wanted: &mut usize) -> &'a [u8] {
    let (part, rest) = bytes.split_at(bytes.len().min(*wanted));
    *bytes = rest;
    *wanted -= part.len();
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Headers as Cassandra 5.0.9 writes them (`FrameEncoderCrc.writeHeader`).
    const GOLDEN: [([u8; HEADER_BYTES], usize); 5] = [
        ([0x09, 0x00, 0x02, 0xa4, 0xc8, 0xc1], 9),
        ([0x00, 0x00, 0x02, 0x6a, 0x36, 0xc4], 0),
        ([0xff, 0xff, 0x03, 0x25, 0x40, 0x47], 131_071),
        ([0xff, 0xff, 0x01, 0x38, 0x91, 0xfe], 131_071),
        ([0xe8, 0x03, 0x00, 0xf2, 0x51, 0x87], 1000),
    ];

    #[test]
    fn headers_of_cassandra_are_understood() {
        for (header, payload_bytes) in GOLDEN {
            let mut frames = Frames::default();
            assert_eq!(frames.next(&mut &header[..]), Piece::Around);
            assert_eq!((frames.payload_bytes, frames.trailer_bytes), (payload_bytes, TRAILER_BYTES));
        }
    }

    #[test]
    fn any_flipped_bit_of_a_header_is_seen() {
        for (header, _) in GOLDEN {
            for bit in 0..HEADER_BYTES * 8 {
                let mut flipped = header;
                flipped[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(Frames::default().next(&mut &flipped[..]), Piece::Corrupt, "bit {bit} of {header:?}");
            }
        }
    }
}
