// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The key of an entry: value, row, and the length of the row (`docs/internals/formats.md`, *Index keys*).

use super::stream::{put_uvarint, Reader};
use cassiterite_codec::key::murmur3_token;

const HALF_BYTES: usize = 4;
/// Most that a key has beside value, partition key and rest, and an internal key has behind it.
const OTHER_BYTES: usize = HALF_BYTES + 10 + 5 + 8;
/// In place of a length that needs more than a byte.
const LONG: u8 = 0xFF;

/// Of the bytes of a long length.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// As keys have it.
    Little,
    /// As blocks of version 1 were packed: those that read the same both ways.
    Big,
}

/// Whether the length of the row takes more than a byte.
pub(super) fn is_long(key: &[u8]) -> bool {
    key.last() == Some(&LONG)
}

/// A row of a value. The half of its token follows from its key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Row<'a> {
    pub partition: &'a [u8],
    /// Clustering and path.
    pub rest: &'a [u8],
}

fn half(partition: &[u8]) -> [u8; HALF_BYTES] {
    let upper = (murmur3_token(partition) >> 32) as u32;
    (upper ^ 1 << 31).to_be_bytes()
}

/// Value and row of a key; None if it is not as [`join`] makes it.
pub(super) fn split(key: &[u8]) -> Option<(&[u8], Row<'_>)> {
    let (row_end, length) = match key.split_last()? {
        (&LONG, before) => {
            let (before, length) = before.split_last_chunk::<4>()?;
            (before, usize::try_from(u32::from_le_bytes(*length)).ok()?)
        }
        (&length, before) => (before, usize::from(length)),
    };
    let (value, row) = row_end.split_at_checked(row_end.len().checked_sub(length)?)?;
    let mut reader = Reader::new(row.get(HALF_BYTES..)?);
    let partition_length = reader.length()?;
    let partition = reader.take(partition_length)?;
    (half(partition) == row[..HALF_BYTES]).then(|| (value, Row { partition, rest: reader.rest() }))
}

/// The key of a row of a value.
pub(super) fn join(value: &[u8], row: Row<'_>, order: Order) -> Vec<u8> {
    let mut key = Vec::with_capacity(value.len() + row.partition.len() + row.rest.len() + OTHER_BYTES);
    key.extend_from_slice(value);
    key.extend_from_slice(&half(row.partition));
    put_uvarint(&mut key, row.partition.len() as u64);
    key.extend_from_slice(row.partition);
    key.extend_from_slice(row.rest);
    let length = key.len() - value.len();
    match u8::try_from(length) {
        Ok(short) if short != LONG => key.push(short),
        _ => {
            let length = length as u32;
            key.extend_from_slice(&if order == Order::Big { length.to_be_bytes() } else { length.to_le_bytes() });
            key.push(LONG);
        }
    }
    key
}
