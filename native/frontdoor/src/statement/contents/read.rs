// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What one node asks another: one read of one partition, at one time.

use std::ops;

use crate::statement::bytes::Bytes;
use cassiterite_codec::header::Range;
use cassiterite_codec::key;
use smallvec::SmallVec;

/// A secret of the node that asks: who writes rows must not be able to make two contents of one digest.
pub(crate) type DigestKey = [u8; 16];

const VERSION: u8 = 1;

/// A read that another node digests (docs/internals/formats.md, "Read of a peer").
#[derive(Debug)]
pub(crate) struct PeerRead<'a> {
    /// Of the node that asks.
    pub key: &'a DigestKey,
    /// When cells are judged, seconds since the epoch.
    pub now_s: i64,
    /// What was deleted before is gone, seconds since the epoch.
    pub gc_before_s: i64,
    /// The read stops with so many live rows.
    pub rows_max: u32,
    pub request: ReadRequest<'a>,
}

/// The engine's read request of it (docs/internals/boundary.md, "Read request").
#[derive(Debug)]
pub(crate) struct ReadRequest<'a> {
    bytes: &'a [u8],
    token: i64,
    flags: u8,
    places: SmallVec<[Place; 4]>,
}

/// Where start and end of a slice lie in the request; the same twice for a row.
#[derive(Clone, Debug)]
struct Place {
    start: ops::Range<usize>,
    end: ops::Range<usize>,
}

impl<'a> PeerRead<'a> {
    /// `None` where the bytes are no read of a peer, version 1.
    pub(crate) fn decode(bytes: &'a [u8]) -> Option<PeerRead<'a>> {
        let mut rest = Bytes::new(bytes);
        if rest.u8()? != VERSION {
            return None;
        }
        let (key, now_s, gc_before_s, rows_max) = (rest.array()?, rest.i64()?, rest.i64()?, rest.u32()?);
        let request = ReadRequest::decode(rest.rest())?;
        Some(PeerRead { key, now_s, gc_before_s, rows_max, request })
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(40 + self.request.bytes.len());
        out.push(VERSION);
        out.extend_from_slice(self.key);
        out.extend_from_slice(&self.now_s.to_be_bytes());
        out.extend_from_slice(&self.gc_before_s.to_be_bytes());
        out.extend_from_slice(&self.rows_max.to_be_bytes());
        out.extend_from_slice(self.request.bytes);
        out
    }
}

impl<'a> ReadRequest<'a> {
    const VERSION: u8 = 2;
    const REVERSED: u8 = 1;
    const POINTS: u8 = 4;
    const FLAGS: u8 = 7;

    /// `None` where the bytes are no read request of one partition.
    pub(crate) fn decode(bytes: &'a [u8]) -> Option<ReadRequest<'a>> {
        let mut reader = Little { bytes, at: 0 };
        let (version, flags) = (reader.u8()?, reader.u8()?);
        if version != Self::VERSION || flags & !Self::FLAGS != 0 {
            return None;
        }
        let (_chunk_bytes, rows) = (reader.u32()?, reader.u32()?);
        let partition = bytes.get(reader.counted()?)?;
        // Rows that are dead do not count, and the engine does not know them.
        if rows != 0 || !key::is_partition(partition) {
            return None;
        }
        let mut places = SmallVec::new();
        for _ in 0..reader.u32()? {
            let start = reader.counted()?;
            let end = if flags & Self::POINTS != 0 { start.clone() } else { reader.counted()? };
            places.push(Place { start, end });
        }
        let token = key::token(partition).ok()?;
        (reader.at == bytes.len()).then_some(ReadRequest { bytes, token, flags, places })
    }

    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    pub(crate) fn token(&self) -> i64 {
        self.token
    }

    pub(super) fn is_reversed(&self) -> bool {
        self.flags & Self::REVERSED != 0
    }

    pub(super) fn are_points(&self) -> bool {
        self.flags & Self::POINTS != 0
    }

    /// Start and end of each, equal for rows; in clustering order.
    pub(super) fn places(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + '_ {
        self.places.iter().map(|place| (self.at(&place.start), self.at(&place.end)))
    }

    /// How many of the places a range reaches into.
    pub(super) fn touched_by(&self, range: &Range<'_>) -> usize {
        let first = self.places.partition_point(|place| self.at(&place.end) <= range.start.order);
        let behind = self.places.partition_point(|place| self.at(&place.start) < range.end.order);
        behind.saturating_sub(first)
    }

    fn at(&self, range: &ops::Range<usize>) -> &'a [u8] {
        self.bytes.get(range.clone()).unwrap_or_default()
    }
}

/// Reads little-endian bytes, and knows where.
struct Little<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Little<'_> {
    fn u8(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn u32(&mut self) -> Option<u32> {
        let bytes = self.bytes.get(self.at..)?.first_chunk()?;
        self.at += 4;
        Some(u32::from_le_bytes(*bytes))
    }

    /// Where bytes are that stand behind their length.
    fn counted(&mut self) -> Option<ops::Range<usize>> {
        let length = usize::try_from(self.u32()?).ok()?;
        let range = self.at..self.at.checked_add(length).filter(|end| *end <= self.bytes.len())?;
        self.at = range.end;
        Some(range)
    }
}
