// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The entries of indexes in a write request.

use crate::bytes::Bytes;
use crate::compaction::Written;
use crate::error::Result;
use crate::raw::sys::Batch;
use crate::table::{AttachedIndex, Held, TableCore};
use cassiterite_codec::key::{is_partition, put_entry, Kind};
use cassiterite_codec::validate;

/// What a request has for one index, checked.
pub(super) struct IndexPart<'a> {
    number: u32,
    min_timestamp: i64,
    count: u32,
    entries: Bytes<'a>,
}

impl<'a> IndexPart<'a> {
    pub(super) fn parse_all(bytes: &mut Bytes<'a>) -> Result<Vec<IndexPart<'a>>> {
        let count = bytes.u32()?;
        (0..count).map(|_| IndexPart::parse(bytes)).collect()
    }

    fn parse(bytes: &mut Bytes<'a>) -> Result<IndexPart<'a>> {
        let (number, min_timestamp, count) = (bytes.u32()?, bytes.i64()?, bytes.u32()?);
        let part = IndexPart { number, min_timestamp, count, entries: bytes.clone() };
        for _ in 0..count {
            let (value, row, fragment) = (bytes.counted()?, bytes.counted()?, bytes.counted()?);
            if !is_partition(value) || Kind::of_rows(value) != Kind::Entry {
                return Err(bytes.malformed("the value of an index entry is malformed"));
            }
            if row.is_empty() {
                return Err(bytes.malformed("an index entry names no row"));
            }
            let check = validate(Kind::Entry, fragment);
            check
                .map_err(|error| bytes.malformed(&format!("an index entry is malformed: {error}")).caused_by(error))?;
        }
        Ok(part)
    }

    pub(super) fn number(&self) -> u32 {
        self.number
    }

    pub(super) fn is_of(&self, number: u32) -> bool {
        self.number == number
    }

    pub(super) fn written(&self) -> Written {
        Written { min_timestamp: self.min_timestamp, has_header: false }
    }

    pub(super) fn has_entries(&self) -> bool {
        self.count > 0
    }

    /// The index that the part is for, held open; none where it was dropped meanwhile.
    pub(super) fn hold<'h>(&self, core: &TableCore, all: &'h [AttachedIndex]) -> Result<Option<Held<'h>>> {
        match all.iter().find(|index| index.number == self.number) {
            Some(index) => index.table.hold(),
            None => core.indexes().check_number(self.number).map(|()| None),
        }
    }

    /// Adds the entries to a batch.
    pub(super) fn add(&self, batch: &mut Batch, index: &TableCore, key: &mut Vec<u8>) -> Result<()> {
        let mut bytes = self.entries.clone();
        for _ in 0..self.count {
            let (value, row, fragment) = (bytes.counted()?, bytes.counted()?, bytes.counted()?);
            key.clear();
            put_entry(value, row, key);
            batch.merge(index.family(), key, fragment);
        }
        Ok(())
    }
}
