// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Writes an answer straight into the caller's buffer (docs/internals/boundary.md).

use crate::error::{EngineError, Result};

/// Cursor and payload length.
pub(crate) const HEAD_BYTES: usize = 12;
/// Kind and length in front of each entry.
pub(crate) const ENTRY_HEAD_BYTES: usize = 5;

/// The kinds of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Entry {
    Header = 1,
    Static = 2,
    Row = 3,
    Partition = 4,
    SliceEnd = 5,
}

/// How much of an answer is wanted at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// Payload.
    pub bytes: usize,
    /// Rows, one at least.
    pub rows: usize,
}

impl Chunk {
    /// As much as the buffer takes.
    pub(crate) const ALL: Self = Chunk { bytes: usize::MAX, rows: usize::MAX };

    /// As a request says it: no rows are no bound.
    pub(crate) fn of(bytes: u32, rows: u32) -> Self {
        Chunk { bytes: bytes as usize, rows: if rows == 0 { usize::MAX } else { rows as usize } }
    }
}

/// Whether an entry was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Put {
    Taken,
    /// The answer has what was asked for, or its buffer is full: continue with this entry later.
    Later,
}

/// An answer being written.
pub(crate) struct Answer<'a> {
    buffer: &'a mut [u8],
    /// Bytes filled, head included.
    length: usize,
    /// Length from which on nothing more is wanted.
    wanted: usize,
    /// Rows after which nothing more is wanted.
    rows_wanted: usize,
    /// What the entry that did not fit needs.
    needed: usize,
}

impl<'a> Answer<'a> {
    /// `chunk`: after which the answer stops, if the buffer goes that far.
    pub(crate) fn new(buffer: &'a mut [u8], chunk: Chunk) -> Self {
        let wanted = HEAD_BYTES.saturating_add(chunk.bytes);
        Answer { buffer, length: HEAD_BYTES, wanted, rows_wanted: chunk.rows, needed: 0 }
    }

    /// Appends an entry of two parts. Ends of slices are taken also when the answer has enough: they cost less than
    /// another call.
    pub(crate) fn put(&mut self, entry: Entry, first: &[u8], second: &[u8]) -> Put {
        let length = first.len() + second.len();
        let end = self.length + ENTRY_HEAD_BYTES + length;
        let has_bytes = self.length > HEAD_BYTES && self.length >= self.wanted;
        if (has_bytes || self.rows_wanted == 0) && entry != Entry::SliceEnd {
            return Put::Later;
        }
        let (Some(entry_bytes), Ok(length)) = (self.buffer.get_mut(self.length..end), u32::try_from(length)) else {
            self.needed = end;
            return Put::Later;
        };
        let (head, body) = entry_bytes.split_at_mut(ENTRY_HEAD_BYTES);
        let (kind, counted) = head.split_at_mut(1);
        kind.fill(entry as u8);
        counted.copy_from_slice(&length.to_le_bytes());
        let (front, back) = body.split_at_mut(first.len());
        front.copy_from_slice(first);
        back.copy_from_slice(second);
        self.length = end;
        if entry == Entry::Row {
            self.rows_wanted -= 1;
        }
        Put::Taken
    }

    /// Free bytes for a value and, behind it, the end of its slice; the value is then accepted in place.
    pub(crate) fn free(&mut self) -> &mut [u8] {
        let end = self.buffer.len().saturating_sub(ENTRY_HEAD_BYTES);
        self.buffer.get_mut(self.length + ENTRY_HEAD_BYTES..end).unwrap_or_default()
    }

    /// Makes an entry of the first `length` bytes of [`Answer::free`].
    pub(crate) fn accept(&mut self, entry: Entry, length: usize) -> Result<()> {
        let (start, body) = (self.length, self.length + ENTRY_HEAD_BYTES);
        let counted = u32::try_from(length).map_err(|_| too_long(length))?;
        let head = self.buffer.get_mut(start..body).ok_or_else(|| too_long(length))?;
        let (kind, bytes) = head.split_at_mut(1);
        kind.fill(entry as u8);
        bytes.copy_from_slice(&counted.to_le_bytes());
        self.length = body + length;
        Ok(())
    }

    /// Whether nothing has been put so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.length == HEAD_BYTES
    }

    /// Bytes that the caller can take in all.
    pub(crate) fn capacity(&self) -> usize {
        self.buffer.len()
    }

    /// Whether an answer that is not complete holds nothing because its first entry does not fit.
    pub(crate) fn starved(&self) -> bool {
        self.is_empty() && self.needed > 0
    }

    /// Writes the head. `cursor` is 0 where the answer is complete. Asks for a larger buffer where that takes nothing.
    pub(crate) fn finish(self, cursor: i64) -> Result<i32> {
        if self.starved() {
            return wanting(self.needed.max(HEAD_BYTES));
        }
        self.finish_first(cursor)
    }

    /// The same for the first chunk, which may be the head alone: what it has read, the cursor keeps.
    pub(crate) fn finish_first(self, cursor: i64) -> Result<i32> {
        if self.buffer.len() < HEAD_BYTES {
            return wanting(self.needed.max(HEAD_BYTES));
        }
        let payload = u32::try_from(self.length - HEAD_BYTES).map_err(|_| too_long(self.length))?;
        let (head, _) = self.buffer.split_at_mut(HEAD_BYTES);
        let (first, second) = head.split_at_mut(8);
        first.copy_from_slice(&cursor.to_le_bytes());
        second.copy_from_slice(&payload.to_le_bytes());
        i32::try_from(self.length).map_err(|_| too_long(self.length))
    }
}

/// The return value that asks for a buffer of `bytes`.
pub(crate) fn wanting(bytes: usize) -> Result<i32> {
    i32::try_from(bytes).map(|bytes| -bytes).map_err(|_| too_long(bytes))
}

#[cold]
fn too_long(bytes: usize) -> EngineError {
    EngineError::invalid(format!("an answer of {bytes} bytes is longer than one buffer can be; delete the row"))
}
