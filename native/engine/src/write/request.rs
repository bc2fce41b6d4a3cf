// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A write request (docs/internals/boundary.md), taken apart.

use crate::bytes::Bytes;
use crate::error::Result;
use cassiterite_codec::key::{is_partition, Kind};
use cassiterite_codec::validate;

/// Without entries of indexes.
const VERSION_PLAIN: u8 = 1;
pub(super) const VERSION: u8 = 2;

/// One partition update; its entries have not been looked at.
pub(crate) struct Request<'a> {
    pub min_timestamp: i64,
    pub partition: &'a [u8],
    pub count: u32,
    version: u8,
    rest: Bytes<'a>,
}

/// Kind, clustering and fragment of each entry of a request.
pub(crate) struct Entries<'a> {
    left: u32,
    is_checked: bool,
    rest: Bytes<'a>,
}

impl<'a> Request<'a> {
    pub(crate) fn parse(request: &'a [u8]) -> Result<Request<'a>> {
        let mut bytes = Bytes::new(request, "write request");
        let version = bytes.one_of(&[VERSION_PLAIN, VERSION])?;
        let min_timestamp = bytes.i64()?;
        let partition = bytes.counted()?;
        if !is_partition(partition) || Kind::of_rows(partition) != Kind::Row {
            return Err(bytes.malformed("the partition key is malformed"));
        }
        Ok(Request { min_timestamp, partition, count: bytes.u32()?, version, rest: bytes })
    }

    /// Whether entries of indexes follow.
    pub(crate) fn has_parts(&self) -> bool {
        self.version == VERSION
    }

    /// Checks each one.
    pub(crate) fn entries(&self) -> Entries<'a> {
        Entries { left: self.count, is_checked: false, rest: self.rest.clone() }
    }

    /// The same where [`Request::entries`] has come to its end before.
    pub(crate) fn entries_again(&self) -> Entries<'a> {
        Entries { is_checked: true, ..self.entries() }
    }
}

impl<'a> Entries<'a> {
    /// What follows the entries, at their end.
    pub(crate) fn rest(self) -> Bytes<'a> {
        self.rest
    }

    fn take(&mut self) -> Result<(Kind, &'a [u8], &'a [u8])> {
        let bytes = &mut self.rest;
        let kind = bytes.u8()?;
        let known = Kind::try_from(kind).ok().filter(|&kind| kind != Kind::Entry);
        let kind = known.ok_or_else(|| bytes.malformed(&format!("kind {kind:#x} is not known here")))?;
        let (clustering, fragment) = (bytes.counted()?, bytes.counted()?);
        if self.is_checked {
            return Ok((kind, clustering, fragment));
        }
        if (kind == Kind::Row) == clustering.is_empty() {
            return Err(bytes.malformed("a row, and nothing else, has a clustering"));
        }
        // What is stored malformed can never be merged again: refuse it here, where the caller still has the data.
        validate(kind, fragment)
            .map_err(|error| bytes.malformed(&format!("a fragment is malformed: {error}")).caused_by(error))?;
        Ok((kind, clustering, fragment))
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<(Kind, &'a [u8], &'a [u8])>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        Some(self.take())
    }
}
