// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Data blocks as RocksDB lays them out (`table/block_based/block_builder.cc`, 11.8): entries whose keys share prefixes, the
//! offsets of those that do not, and their count. Blocks with a hash index, or with values apart, are not taken.

use super::stream::{put_uvarint, Reader};

const U32_BYTES: usize = 4;
/// Above the count of restarts: features of a block.
const FLAGS_SHIFT: u32 = 28;
/// The one feature that does not change the layout: that its keys are uniform.
const UNIFORM: u32 = 1 << 1;

/// An entry of a block: internal key and value.
pub(super) type Entry<'a> = (Vec<u8>, &'a [u8]);

/// The parts from which RocksDB makes a block.
pub(super) struct Block<'a> {
    pub entries: Vec<Entry<'a>>,
    /// Entries from one whole key to the next.
    pub restart_interval: usize,
    /// The four bits above the count of restarts.
    pub flags: u32,
}

impl<'a> Block<'a> {
    /// None if it is none of the blocks that this knows.
    pub fn parse(block: &'a [u8]) -> Option<Self> {
        let (rest, footer) = block.split_last_chunk::<U32_BYTES>()?;
        let footer = u32::from_le_bytes(*footer);
        let (flags, restarts) = (footer >> FLAGS_SHIFT, footer & ((1 << FLAGS_SHIFT) - 1));
        let entries_end = rest.len().checked_sub(usize::try_from(restarts).ok()?.checked_mul(U32_BYTES)?)?;
        if flags & !UNIFORM != 0 {
            return None;
        }
        let mut reader = Reader::new(&rest[..entries_end]);
        let mut parsed = Block { entries: Vec::new(), restart_interval: 0, flags };
        while !reader.is_done() {
            let (shared, own, value) = (reader.length()?, reader.length()?, reader.length()?);
            let before = parsed.entries.last().map_or(&[][..], |(key, _)| key.as_slice());
            let key = [before.get(..shared)?, reader.take(own)?].concat();
            if shared == 0 && parsed.restart_interval == 0 && !parsed.entries.is_empty() {
                parsed.restart_interval = parsed.entries.len();
            }
            parsed.entries.push((key, reader.take(value)?));
        }
        parsed.restart_interval = parsed.restart_interval.max(if restarts == 1 { parsed.entries.len() } else { 0 });
        Some(parsed)
    }

    /// The block of these parts, of about so many bytes.
    pub fn build(&self, bytes: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes);
        let mut restarts = Vec::new();
        let mut before: &[u8] = &[];
        for (at, (key, value)) in self.entries.iter().enumerate() {
            let shared = if at % self.restart_interval.max(1) == 0 {
                restarts.push(out.len() as u32);
                0
            } else {
                before.iter().zip(key).take_while(|(a, b)| a == b).count()
            };
            for number in [shared, key.len() - shared, value.len()] {
                put_uvarint(&mut out, number as u64);
            }
            out.extend_from_slice(&key[shared..]);
            out.extend_from_slice(value);
            before = key;
        }
        let footer = restarts.len() as u32 | self.flags << FLAGS_SHIFT;
        restarts.iter().chain([&footer]).for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
        out
    }
}
