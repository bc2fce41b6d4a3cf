// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The pieces of a header fragment: positions and ranges, read and written.

use crate::deletion::DeletionTime;
use crate::error::CodecError;
use crate::row::{put_deletion, read_deletion, read_version_and_flags, validate_raw_clustering, VERSION};
use crate::wire::{put_prefixed, put_uvarint, Reader};

const PARTITION_DELETION: u8 = 0x01;
const RANGES: u8 = 0x02;
/// Ends a position before all that it is a prefix of.
const BEFORE: u8 = 0x20;
/// Ends a position after all that it is a prefix of.
const AFTER: u8 = 0x60;

/// A place between rows: a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position<'a> {
    /// The bound's order bytes, which give its position.
    pub order: &'a [u8],
    /// The bound's raw values.
    pub raw: &'a [u8],
}

/// A range tombstone: the rows between two positions, deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range<'a> {
    /// Where it starts.
    pub start: Position<'a>,
    /// Where it ends.
    pub end: Position<'a>,
    /// How the rows in between are deleted.
    pub deletion: DeletionTime,
}

/// Reads a header fragment: the partition deletion and the ranges, in the order in which they are written.
pub fn read(fragment: &[u8]) -> Result<(DeletionTime, Vec<Range<'_>>), CodecError> {
    let mut ranges = Vec::new();
    let partition = read_into(fragment, &mut ranges)?;
    Ok((partition, ranges))
}

/// Reads a header fragment and adds its ranges to `ranges`.
pub(crate) fn read_into<'a>(fragment: &'a [u8], ranges: &mut Vec<Range<'a>>) -> Result<DeletionTime, CodecError> {
    let mut reader = Reader::new(fragment);
    let flags = read_version_and_flags(&mut reader, PARTITION_DELETION | RANGES)?;
    let partition = match flags & PARTITION_DELETION {
        0 => DeletionTime::LIVE,
        _ => read_deletion(&mut reader)?,
    };
    if flags & RANGES != 0 {
        for _ in 0..reader.uvarint("range count")? {
            let start = Position::read(&mut reader)?;
            let end = Position::read(&mut reader)?;
            ranges.push(Range { start, end, deletion: read_deletion(&mut reader)? });
        }
    }
    if !reader.is_done() {
        return Err(reader.fail("end of header"));
    }
    Ok(partition)
}

/// Writes a header fragment into `out`, which is cleared. It is canonical if the ranges are.
pub fn write(partition: &DeletionTime, ranges: &[Range<'_>], out: &mut Vec<u8>) {
    out.clear();
    let partition_flag = if partition.is_live() { 0 } else { PARTITION_DELETION };
    let ranges_flag = if ranges.is_empty() { 0 } else { RANGES };
    out.extend_from_slice(&[VERSION, partition_flag | ranges_flag]);
    if !partition.is_live() {
        put_deletion(out, partition);
    }
    if !ranges.is_empty() {
        put_uvarint(out, ranges.len() as u64);
    }
    for range in ranges {
        range.start.write(out);
        range.end.write(out);
        put_deletion(out, &range.deletion);
    }
}

impl<'a> Position<'a> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, CodecError> {
        Ok(Position { order: reader.prefixed("position order")?, raw: reader.prefixed("position")? })
    }

    fn write(&self, out: &mut Vec<u8>) {
        put_prefixed(out, self.order);
        put_prefixed(out, self.raw);
    }

    /// Checks what reading takes on trust.
    pub(crate) fn validate(&self, fragment: &[u8]) -> Result<(), CodecError> {
        if !matches!(self.order.last(), Some(&(BEFORE | AFTER))) {
            // borrowed from the fragment, so the addresses tell the offset
            let offset = (self.order.as_ptr() as usize).saturating_sub(fragment.as_ptr() as usize);
            return Err(CodecError::malformed("position order, which is no bound's", offset));
        }
        validate_raw_clustering(self.raw)
    }
}
