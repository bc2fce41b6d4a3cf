// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! From columns to the block.

use super::bits::BitReader;
use super::block::{Block, Entry};
use super::columns::{Entries, LARGE_GROUP, NUMBER_BYTES, TRAILER_BYTES, VERSION, VERSION_OF_LONG, WIDTH_BITS};
use super::row::{join, Order, Row};
use super::stream::Reader;

/// Bytes that an entry of a block takes at least: three numbers.
const ENTRY_BYTES_MIN: usize = 3;

/// The block, which has so many bytes; None if this is no packed block.
pub(crate) fn unpack(packed: &[u8], block_bytes: usize) -> Option<Vec<u8>> {
    let mut reader = Reader::new(packed);
    let (version, flags) = (reader.u8()?, reader.u8()?);
    let order = match version {
        VERSION => Order::Big,
        VERSION_OF_LONG => Order::Little,
        _ => return None,
    };
    let trailer = reader.take(TRAILER_BYTES)?;
    let (restart_interval, groups) = (reader.length()?, reader.length()?);
    let groups = values(reader.counted()?, groups, block_bytes)?;
    let count = groups.iter().map(|(_, rows)| rows).sum();
    let mut keys = Keys::read(&mut reader, order)?;
    let own = EntryColumn::read(reader.counted()?, count)?;
    let mut block = Block { entries: Vec::new(), restart_interval, flags: u32::from(flags) };
    for (value, rows) in groups {
        let at = block.entries.len();
        keys.begin_group(rows)?;
        for row in 0..rows {
            let mut key = keys.next(&value)?;
            key.extend_from_slice(trailer);
            block.entries.push((key, own.get(at + row)?));
        }
        block.entries[at..].sort_unstable_by(|(a, _): &Entry<'_>, (b, _)| a.cmp(b));
    }
    let built = block.build(block_bytes);
    (reader.is_done() && built.len() == block_bytes).then_some(built)
}

/// Each value, and how many rows it has.
fn values(column: &[u8], groups: usize, block_bytes: usize) -> Option<Vec<(Vec<u8>, usize)>> {
    let mut reader = Reader::new(column);
    let mut all: Vec<(Vec<u8>, usize)> = Vec::new();
    let mut rows_left = block_bytes / ENTRY_BYTES_MIN;
    for _ in 0..groups {
        let value = reader.shared(all.last().map_or(&[], |(value, _)| value))?;
        let rows = reader.length()?;
        rows_left = rows_left.checked_sub(rows)?;
        all.push((value, rows));
    }
    Some(all)
}

/// The columns of which keys are made.
struct Keys<'a> {
    order: Order,
    lengths: Reader<'a>,
    length: usize,
    of_length: u64,
    bits: BitReader<'a>,
    first_width: u32,
    small_width: u32,
    width: u32,
    before: Option<(usize, u64)>,
    names: Reader<'a>,
    name: Vec<u8>,
    rests: Reader<'a>,
    has_rests: bool,
    rest: Vec<u8>,
}

impl<'a> Keys<'a> {
    fn read(reader: &mut Reader<'a>, order: Order) -> Option<Self> {
        let lengths = Reader::new(reader.counted()?);
        let mut bits = BitReader::new(reader.counted()?);
        let (first_width, small_width) = (bits.bits(WIDTH_BITS)? as u32, bits.bits(WIDTH_BITS)? as u32);
        let (names, rests) = (Reader::new(reader.counted()?), Reader::new(reader.counted()?));
        Some(Self {
            order,
            lengths,
            length: 0,
            of_length: 0,
            bits,
            first_width,
            small_width,
            width: small_width,
            before: None,
            names,
            name: Vec::new(),
            has_rests: !rests.is_done(),
            rests,
            rest: Vec::new(),
        })
    }

    fn begin_group(&mut self, rows: usize) -> Option<()> {
        self.before = None;
        self.name.clear();
        self.width = if rows >= LARGE_GROUP { self.bits.bits(WIDTH_BITS)? as u32 } else { self.small_width };
        Some(())
    }

    fn next(&mut self, value: &[u8]) -> Option<Vec<u8>> {
        while self.of_length == 0 {
            (self.length, self.of_length) = (self.lengths.length()?, self.lengths.uvarint()?);
        }
        self.of_length -= 1;
        if self.has_rests {
            self.rest = self.rests.shared(&self.rest)?;
        }
        if self.length > NUMBER_BYTES {
            let shared = self.names.length()?;
            let own = self.names.take(self.length.checked_sub(shared)?)?;
            self.name = [self.name.get(..shared)?, own].concat();
            return Some(join(value, Row { partition: &self.name, rest: &self.rest }, self.order));
        }
        let number = match self.before {
            Some((length, before)) if length == self.length => before.checked_add(self.bits.rice(self.width)?)?,
            _ => self.bits.rice(self.first_width)?,
        };
        self.before = Some((self.length, number));
        let bytes = number.to_be_bytes();
        Some(join(value, Row { partition: &bytes[NUMBER_BYTES - self.length..], rest: &self.rest }, self.order))
    }
}

/// The entries, in the order of the columns.
enum EntryColumn<'a> {
    Equal(&'a [u8]),
    Even { bytes: Vec<u8>, length: usize },
    Uneven(Vec<&'a [u8]>),
}

impl<'a> EntryColumn<'a> {
    fn read(column: &'a [u8], count: usize) -> Option<Self> {
        let mut reader = Reader::new(column);
        match reader.u8()? {
            kind if kind == Entries::Equal as u8 => Some(Self::Equal(reader.rest())),
            kind if kind == Entries::Transposed as u8 => {
                let length = reader.length()?;
                let across = reader.take(length.checked_mul(count)?)?;
                let bytes = (0..count).flat_map(|at| across.iter().skip(at).step_by(count).copied()).collect();
                Some(Self::Even { bytes, length })
            }
            kind if kind == Entries::Counted as u8 => {
                (0..count).map(|_| reader.counted()).collect::<Option<_>>().map(Self::Uneven)
            }
            _ => None,
        }
    }

    fn get(&self, at: usize) -> Option<&[u8]> {
        match self {
            Self::Equal(entry) => Some(entry),
            Self::Even { bytes, length } => bytes.get(at * length..(at + 1) * length),
            Self::Uneven(entries) => entries.get(at).copied(),
        }
    }
}
