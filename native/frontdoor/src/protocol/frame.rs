// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Frames of version 5: a header with its own checksum, a payload, and the payload's checksum
//! (native_protocol_v5.spec, section 2).

use super::crc24::crc24;

/// The most that one frame's payload holds.
pub(crate) const MAX_PAYLOAD_BYTES: usize = (1 << LENGTH_BITS) - 1;
/// Bytes behind the payload.
const TRAILER_BYTES: usize = 4;
const LENGTH_BITS: u32 = 17;
const CRC24_BYTES: usize = 3;
/// The checksum of a payload begins with these (`Crc.initialBytes`).
const CRC32_PREFIX: [u8; 4] = [0xFA, 0x2D, 0x55, 0xCA];

/// How the payloads of a connection are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    Plain,
    /// Frames whose payload may be an LZ4 block.
    Lz4,
}

/// The header of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameHeader {
    kind: FrameKind,
    /// Bytes of the payload as it is sent.
    sent_bytes: usize,
    /// Bytes of the payload as an LZ4 block's content; 0 where it is none.
    unpacked_bytes: usize,
    /// Whether the payload is whole envelopes, and not a part of one.
    pub is_self_contained: bool,
}

/// A payload that is not what was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Corrupt;

impl FrameKind {
    /// Bytes of a header.
    pub(crate) fn header_bytes(self) -> usize {
        self.length_bytes() + CRC24_BYTES
    }

    fn length_bytes(self) -> usize {
        match self {
            FrameKind::Plain => 3,
            FrameKind::Lz4 => 5,
        }
    }
}

impl FrameHeader {
    /// The header in front of `bytes`, which hold one.
    ///
    /// # Errors
    /// [`Corrupt`] where its checksum is wrong: what follows cannot be told.
    pub(crate) fn parse(kind: FrameKind, bytes: &[u8]) -> Result<FrameHeader, Corrupt> {
        let (lengths, crc) = bytes.get(..kind.header_bytes()).ok_or(Corrupt)?.split_at(kind.length_bytes());
        if crc != crc_of(lengths) {
            return Err(Corrupt);
        }
        let bits = lengths.iter().rev().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
        let length = |shift: u32| (bits >> shift) as usize & MAX_PAYLOAD_BYTES;
        Ok(match kind {
            FrameKind::Plain => FrameHeader {
                kind,
                sent_bytes: length(0),
                unpacked_bytes: 0,
                is_self_contained: bits >> LENGTH_BITS & 1 == 1,
            },
            FrameKind::Lz4 => FrameHeader {
                kind,
                sent_bytes: length(0),
                unpacked_bytes: length(LENGTH_BITS),
                is_self_contained: bits >> (2 * LENGTH_BITS) & 1 == 1,
            },
        })
    }

    /// Bytes of the whole frame.
    pub(crate) fn frame_bytes(&self) -> usize {
        self.kind.header_bytes() + self.sent_bytes + TRAILER_BYTES
    }

    /// Bytes of envelopes in the payload.
    pub(crate) fn envelope_bytes(&self) -> usize {
        match self.unpacked_bytes {
            0 => self.sent_bytes,
            bytes => bytes,
        }
    }

    /// Appends the envelopes of a whole frame to `out`; the checksum of the payload is not looked at.
    pub(crate) fn unpack(&self, frame: &[u8], out: &mut Vec<u8>) -> Result<(), Corrupt> {
        let begin = self.kind.header_bytes();
        let sent = frame.get(begin..begin + self.sent_bytes).ok_or(Corrupt)?;
        if self.unpacked_bytes == 0 {
            out.extend_from_slice(sent);
            return Ok(());
        }
        let (before, whole) = (out.len(), out.len() + self.unpacked_bytes);
        out.resize(whole, 0);
        let unpacked = out.get_mut(before..).map(|target| lz4_flex::block::decompress_into(sent, target));
        match unpacked {
            Some(Ok(bytes)) if bytes == self.unpacked_bytes => Ok(()),
            _ => {
                out.truncate(before);
                Err(Corrupt)
            }
        }
    }

    /// Whether the payload of a whole frame is what was sent.
    pub(crate) fn is_intact(&self, frame: &[u8]) -> bool {
        let begin = self.kind.header_bytes();
        let Some((payload, crc)) = frame.get(begin..).and_then(|rest| rest.split_at_checked(self.sent_bytes)) else {
            return false;
        };
        crc == crc32(payload).to_le_bytes()
    }
}

/// Appends frames with these envelopes to `out`: as many as they need, and as Cassandra reads them.
///
/// * `envelopes` whole ones; each that does not fit into a frame is given alone
pub(crate) fn put_frames(kind: FrameKind, envelopes: &[u8], out: &mut Vec<u8>) {
    let is_self_contained = envelopes.len() <= MAX_PAYLOAD_BYTES;
    for payload in envelopes.chunks(MAX_PAYLOAD_BYTES) {
        put_frame(kind, payload, is_self_contained, out);
    }
}

fn put_frame(kind: FrameKind, payload: &[u8], is_self_contained: bool, out: &mut Vec<u8>) {
    match kind {
        FrameKind::Plain => put(kind, payload, 0, is_self_contained, out),
        FrameKind::Lz4 => match lz4_flex::block::compress(payload) {
            packed if packed.len() < payload.len() => put(kind, &packed, payload.len(), is_self_contained, out),
            _ => put(kind, payload, 0, is_self_contained, out),
        },
    }
}

fn put(kind: FrameKind, sent: &[u8], unpacked_bytes: usize, is_self_contained: bool, out: &mut Vec<u8>) {
    let (lengths, bits) = match kind {
        FrameKind::Plain => (0, LENGTH_BITS),
        FrameKind::Lz4 => ((unpacked_bytes as u64) << LENGTH_BITS, 2 * LENGTH_BITS),
    };
    let bits = sent.len() as u64 | lengths | u64::from(is_self_contained) << bits;
    let bytes = bits.to_le_bytes();
    let lengths = bytes.get(..kind.length_bytes()).unwrap_or_default();
    out.extend_from_slice(lengths);
    out.extend_from_slice(&crc_of(lengths));
    out.extend_from_slice(sent);
    out.extend_from_slice(&crc32(sent).to_le_bytes());
}

fn crc_of(lengths: &[u8]) -> [u8; CRC24_BYTES] {
    let [low, middle, high, _] = crc24(lengths).to_le_bytes();
    [low, middle, high]
}

fn crc32(payload: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(&CRC32_PREFIX);
    crc.update(payload);
    crc.finalize()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Headers as Cassandra 5.0.9 writes them (`FrameEncoderCrc.writeHeader`): bytes, payload, self-contained.
    const GOLDEN: [([u8; 6], usize, bool); 5] = [
        ([0x09, 0x00, 0x02, 0xa4, 0xc8, 0xc1], 9, true),
        ([0x00, 0x00, 0x02, 0x6a, 0x36, 0xc4], 0, true),
        ([0xff, 0xff, 0x03, 0x25, 0x40, 0x47], 131_071, true),
        ([0xff, 0xff, 0x01, 0x38, 0x91, 0xfe], 131_071, false),
        ([0xe8, 0x03, 0x00, 0xf2, 0x51, 0x87], 1000, false),
    ];

    #[test]
    fn headers_of_cassandra_are_understood() {
        for (bytes, payload_bytes, is_self_contained) in GOLDEN {
            let header = FrameHeader::parse(FrameKind::Plain, &bytes).unwrap();
            assert_eq!((header.sent_bytes, header.is_self_contained), (payload_bytes, is_self_contained));
            assert_eq!(header.frame_bytes(), 6 + payload_bytes + 4);
        }
    }

    #[test]
    fn any_flipped_bit_of_a_header_is_seen() {
        for (bytes, ..) in GOLDEN {
            for bit in 0..bytes.len() * 8 {
                let mut flipped = bytes;
                flipped[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(FrameHeader::parse(FrameKind::Plain, &flipped), Err(Corrupt), "bit {bit} of {bytes:?}");
            }
        }
    }

    fn read(kind: FrameKind, mut bytes: &[u8]) -> (Vec<u8>, Vec<bool>) {
        let (mut envelopes, mut contained) = (Vec::new(), Vec::new());
        while !bytes.is_empty() {
            let header = FrameHeader::parse(kind, bytes).unwrap();
            let (frame, rest) = bytes.split_at(header.frame_bytes());
            assert!(header.is_intact(frame));
            let before = envelopes.len();
            header.unpack(frame, &mut envelopes).unwrap();
            assert_eq!(envelopes.len() - before, header.envelope_bytes());
            contained.push(header.is_self_contained);
            bytes = rest;
        }
        (envelopes, contained)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_is_put_is_read_back(
            kind in prop_oneof![Just(FrameKind::Plain), Just(FrameKind::Lz4)],
            noise in prop::collection::vec(any::<u8>(), 0..500),
            zeros in prop_oneof![9 => 0usize..2000, 1 => 100_000usize..400_000],
            flip in any::<prop::sample::Index>(),
        ) {
            let envelopes = [noise, vec![0; zeros]].concat();
            let mut bytes = Vec::new();
            put_frames(kind, &envelopes, &mut bytes);
            let (read_back, contained) = read(kind, &bytes);
            prop_assert!(read_back == envelopes);
            prop_assert!(contained.iter().all(|is_contained| *is_contained == (contained.len() == 1)));
            if let Ok(header) = FrameHeader::parse(kind, &bytes) {
                let mut frame = bytes[..header.frame_bytes()].to_vec();
                let bit = kind.header_bytes() * 8 + flip.index((frame.len() - kind.header_bytes()) * 8);
                frame[bit / 8] ^= 1 << (bit % 8);
                prop_assert!(!header.is_intact(&frame));
                let _ = header.unpack(&frame, &mut Vec::new());
            }
        }
    }
}
