// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What doors say to each other (docs/internals/formats.md, "Peers of the front door"). TLS is their checksum.

use std::fmt;

use crate::rights::digest::{Digest, HostId};

/// Of HELLO. A peer of another version is none.
pub(crate) const VERSION: u8 = 2;
/// The longest message: a column's name has 64 KiB at most, a partition key as well.
pub(crate) const MAX_BYTES: usize = 256 << 10;
/// In front of each message: the length of what follows.
const LENGTH_BYTES: usize = 4;
/// What is in front of the contents of a message, at most.
pub(crate) const HEAD_BYTES: usize = 64;

const HELLO: u8 = 1;
const SPEC: u8 = 2;
const READ: u8 = 3;
const DIGEST: u8 = 4;
const NO: u8 = 5;
const WRITE: u8 = 6;
const ACK: u8 = 7;

/// One message. Borrows from the bytes that it was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Message<'a> {
    /// The first one, of both sides.
    Hello { version: u8, host: HostId },
    /// What the reads and writes that name `number` are about. It has no answer.
    Spec { number: u64, contents: &'a [u8] },
    /// Asks for a digest.
    ///
    /// * `budget_micros` for so long somebody waits for it
    Read { id: u64, spec: u64, budget_micros: u32, contents: &'a [u8] },
    /// The answer to a read.
    Digest { id: u64, digest: Digest },
    /// There is none.
    ///
    /// * `reason` the number of a [`Refusal`](crate::refusal::Refusal)
    No { id: u64, reason: u8 },
    /// Asks for a write that the sender has done itself.
    ///
    /// * `began_ms` when, in milliseconds since the epoch, by the sender's clock
    /// * `budget_ms` once it is older than that, nobody may do it any more
    Write { id: u64, spec: u64, began_ms: i64, budget_ms: u32, contents: &'a [u8] },
    /// The write is done.
    Ack { id: u64 },
}

/// Bytes that are no message: the connection is of no use any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

impl fmt::Display for Malformed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("not a message of a front door")
    }
}

impl std::error::Error for Malformed {}

impl<'a> Message<'a> {
    /// The message at the beginning of `bytes`, and its length there; `None` if more bytes are to come.
    pub(crate) fn first(bytes: &'a [u8]) -> Result<Option<(Self, usize)>, Malformed> {
        let Some((length, rest)) = bytes.split_first_chunk::<LENGTH_BYTES>() else { return Ok(None) };
        let length = u32::from_be_bytes(*length) as usize;
        if length > MAX_BYTES {
            return Err(Malformed);
        }
        let Some(message) = rest.get(..length) else { return Ok(None) };
        let message = Self::read(message).ok_or(Malformed)?;
        Ok(Some((message, LENGTH_BYTES + length)))
    }

    fn read(bytes: &'a [u8]) -> Option<Self> {
        let (kind, rest) = bytes.split_first()?;
        match *kind {
            HELLO => {
                let (version, rest) = rest.split_first()?;
                // Whatever another version has behind its number.
                match *version {
                    VERSION => Some(Message::Hello { version: VERSION, host: *only(rest)? }),
                    other => Some(Message::Hello { version: other, host: HostId::default() }),
                }
            }
            SPEC => {
                let (number, contents) = rest.split_first_chunk()?;
                Some(Message::Spec { number: u64::from_be_bytes(*number), contents })
            }
            READ => {
                let (id, rest) = rest.split_first_chunk()?;
                let (spec, rest) = rest.split_first_chunk()?;
                let (budget, contents) = rest.split_first_chunk()?;
                let (id, spec) = (u64::from_be_bytes(*id), u64::from_be_bytes(*spec));
                Some(Message::Read { id, spec, budget_micros: u32::from_be_bytes(*budget), contents })
            }
            DIGEST => {
                let (id, rest) = rest.split_first_chunk()?;
                Some(Message::Digest { id: u64::from_be_bytes(*id), digest: *only(rest)? })
            }
            NO => {
                let (id, rest) = rest.split_first_chunk()?;
                let [reason] = *only::<1>(rest)?;
                Some(Message::No { id: u64::from_be_bytes(*id), reason })
            }
            WRITE => {
                let (id, rest) = rest.split_first_chunk()?;
                let (spec, rest) = rest.split_first_chunk()?;
                let (began, rest) = rest.split_first_chunk()?;
                let (budget, contents) = rest.split_first_chunk()?;
                let (id, spec) = (u64::from_be_bytes(*id), u64::from_be_bytes(*spec));
                let (began_ms, budget_ms) = (i64::from_be_bytes(*began), u32::from_be_bytes(*budget));
                Some(Message::Write { id, spec, began_ms, budget_ms, contents })
            }
            ACK => Some(Message::Ack { id: u64::from_be_bytes(*only(rest)?) }),
            _ => None,
        }
    }

    /// Appends the message.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&[0; LENGTH_BYTES]);
        match self {
            Message::Hello { version, host } => put(out, HELLO, &[&[*version], host]),
            Message::Spec { number, contents } => put(out, SPEC, &[&number.to_be_bytes(), contents]),
            Message::Read { id, spec, budget_micros, contents } => {
                put(out, READ, &[&id.to_be_bytes(), &spec.to_be_bytes(), &budget_micros.to_be_bytes(), contents]);
            }
            Message::Digest { id, digest } => put(out, DIGEST, &[&id.to_be_bytes(), digest]),
            Message::No { id, reason } => put(out, NO, &[&id.to_be_bytes(), &[*reason]]),
            Message::Write { id, spec, began_ms, budget_ms, contents } => {
                let (began, budget) = (began_ms.to_be_bytes(), budget_ms.to_be_bytes());
                put(out, WRITE, &[&id.to_be_bytes(), &spec.to_be_bytes(), &began, &budget, contents]);
            }
            Message::Ack { id } => put(out, ACK, &[&id.to_be_bytes()]),
        }
        let length = (out.len() - start - LENGTH_BYTES) as u32;
        if let Some(slot) = out.get_mut(start..start + LENGTH_BYTES) {
            slot.copy_from_slice(&length.to_be_bytes());
        }
    }
}

fn put(out: &mut Vec<u8>, kind: u8, parts: &[&[u8]]) {
    out.push(kind);
    parts.iter().for_each(|part| out.extend_from_slice(part));
}

/// All of the bytes, which are so many.
fn only<const COUNT: usize>(bytes: &[u8]) -> Option<&[u8; COUNT]> {
    bytes.try_into().ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const MESSAGES: [Message<'static>; 7] = [
        Message::Hello { version: VERSION, host: [0xa1; 16] },
        Message::Spec { number: 7, contents: b"spec" },
        Message::Read { id: 0x0102_0304_0506_0708, spec: 7, budget_micros: 2000, contents: b"read" },
        Message::Digest { id: 9, digest: [0xd1; 16] },
        Message::No { id: 10, reason: 3 },
        Message::Write { id: 11, spec: 7, began_ms: 0x0102_0304_0506, budget_ms: 2000, contents: b"write" },
        Message::Ack { id: 11 },
    ];

    fn bytes() -> Vec<u8> {
        let mut bytes = Vec::new();
        MESSAGES.iter().for_each(|message| message.put(&mut bytes));
        bytes
    }

    #[test]
    fn messages_are_as_they_always_were() {
        let golden = include_str!("../../tests/golden/peer-messages.txt");
        let golden: String = golden.lines().filter(|line| !line.starts_with('#')).collect();
        let bytes: String = bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(bytes, golden);
    }

    #[test]
    fn messages_are_read_as_they_were_written_however_they_come() {
        let bytes = bytes();
        let (mut from, mut read) = (0, 0);
        for to in 0..=bytes.len() {
            while let Some((message, length)) = Message::first(&bytes[from..to]).unwrap() {
                assert_eq!(message, MESSAGES[read]);
                from += length;
                read += 1;
            }
        }
        assert_eq!((from, read), (bytes.len(), MESSAGES.len()));
    }

    #[test]
    fn another_version_is_known_as_one() {
        let later = [0, 0, 0, 4, HELLO, VERSION + 1, 5, 6];
        let hello = Message::Hello { version: VERSION + 1, host: [0; 16] };
        assert_eq!(Message::first(&later), Ok(Some((hello, 8))));
    }

    #[test]
    fn other_bytes_are_malformed() {
        let too_long = ((MAX_BYTES + 1) as u32).to_be_bytes();
        assert_eq!(Message::first(&too_long), Err(Malformed));
        for bytes in [&[0, 0, 0, 0][..], &[0, 0, 0, 1, 8], &[0, 0, 0, 1, 0], &[0, 0, 0, 2, DIGEST, 1]] {
            assert_eq!(Message::first(bytes), Err(Malformed), "{bytes:?}");
        }
        for message in MESSAGES {
            if matches!(message, Message::Spec { .. } | Message::Read { .. } | Message::Write { .. }) {
                continue;
            }
            let mut longer = Vec::new();
            message.put(&mut longer);
            longer[3] += 1;
            longer.push(0);
            assert_eq!(Message::first(&longer), Err(Malformed), "{message:?}");
        }
    }
}
