// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The entries of an answer of the engine (docs/internals/boundary.md, Answer).

use crate::reason::Reason;

/// One entry of the answer to a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry<'a> {
    Header(&'a [u8]),
    Static(&'a [u8]),
    Row(&'a [u8]),
    SliceEnd,
}

/// The entries of a payload, one by one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entries<'a> {
    rest: &'a [u8],
}

impl<'a> Entries<'a> {
    pub(crate) fn new(payload: &'a [u8]) -> Self {
        Entries { rest: payload }
    }

    /// How many bytes are left.
    pub(crate) fn left(&self) -> usize {
        self.rest.len()
    }

    /// The next entry, if there is one.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<Entry<'a>>, Reason> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        self.read().map(Some).ok_or(Reason::UnknownContent)
    }

    fn read(&mut self) -> Option<Entry<'a>> {
        let (kind, rest) = self.rest.split_first()?;
        let (length, rest) = rest.split_first_chunk()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let (bytes, rest) = rest.split_at_checked(length)?;
        self.rest = rest;
        match kind {
            1 => Some(Entry::Header(bytes)),
            2 => Some(Entry::Static(bytes)),
            3 => Some(Entry::Row(bytes)),
            5 if bytes.is_empty() => Some(Entry::SliceEnd),
            _ => None,
        }
    }
}
