// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Read and scan requests (docs/internals/boundary.md).

use super::answer::Chunk;
use crate::bytes::Bytes;
use crate::error::Result;
use crate::raw::sys::Reach;

const VERSION: u8 = 2;
const REVERSED: u8 = 1;
const STATIC: u8 = 2;
const POINTS: u8 = 4;
const KEYS_ONLY: u8 = 8;
const WHOLE: u8 = 16;

/// A read of one partition; borrows from the request.
pub(crate) struct ReadRequest<'a> {
    pub reversed: bool,
    pub with_static: bool,
    pub chunk: Chunk,
    pub partition: &'a [u8],
    pub selection: Selection<'a>,
    /// Not part of the request's bytes.
    pub reach: Reach,
}

impl<'a> ReadRequest<'a> {
    pub(crate) fn parse(request: &'a [u8]) -> Result<Self> {
        let mut bytes = Bytes::new(request, "read request");
        bytes.version(VERSION)?;
        let flags = bytes.u8()?;
        if flags & !(REVERSED | STATIC | POINTS) != 0 {
            return Err(bytes.malformed(&format!("flags {flags:#x} are not known here")));
        }
        let chunk = Chunk::of(bytes.u32()?, bytes.u32()?);
        let partition = bytes.counted()?;
        if !cassiterite_codec::key::is_partition(partition) {
            return Err(bytes.malformed("the partition is not one"));
        }
        let selection = Selection::parse(&mut bytes, flags & POINTS != 0)?;
        Ok(ReadRequest {
            reversed: flags & REVERSED != 0,
            with_static: flags & STATIC != 0,
            chunk,
            partition,
            selection,
            reach: Reach::Files,
        })
    }
}

/// What a scan wants of each partition.
pub(crate) enum ScanOf<'a> {
    /// Only which partitions there are.
    Keys,
    /// All rows.
    Whole,
    /// The same rows of each.
    Selected(Selection<'a>),
}

/// A scan of a range of partitions; borrows from the request.
pub(crate) struct ScanRequest<'a> {
    pub with_static: bool,
    pub chunk: Chunk,
    pub start: &'a [u8],
    /// Empty: open.
    pub end: &'a [u8],
    pub of: ScanOf<'a>,
}

impl<'a> ScanRequest<'a> {
    pub(crate) fn parse(request: &'a [u8]) -> Result<Self> {
        let mut bytes = Bytes::new(request, "scan request");
        bytes.version(VERSION)?;
        let flags = bytes.u8()?;
        let whole_and_keys = flags & (KEYS_ONLY | WHOLE) == (KEYS_ONLY | WHOLE);
        if flags & !(STATIC | POINTS | KEYS_ONLY | WHOLE) != 0 || whole_and_keys {
            return Err(bytes.malformed(&format!("flags {flags:#x} are not possible")));
        }
        let chunk = Chunk::of(bytes.u32()?, bytes.u32()?);
        let (start, end) = (bytes.counted()?, bytes.counted()?);
        let selection = Selection::parse(&mut bytes, flags & POINTS != 0)?;
        let of = match flags & (KEYS_ONLY | WHOLE) {
            KEYS_ONLY => ScanOf::Keys,
            WHOLE => ScanOf::Whole,
            _ => ScanOf::Selected(selection),
        };
        Ok(ScanRequest { with_static: flags & STATIC != 0, chunk, start, end, of })
    }
}

/// Slices or points in clustering order, checked to be so.
#[derive(Clone)]
pub(crate) struct Selection<'a> {
    bytes: Bytes<'a>,
    count: usize,
    points: bool,
}

impl<'a> Selection<'a> {
    fn parse(bytes: &mut Bytes<'a>, points: bool) -> Result<Self> {
        let count = bytes.u32()? as usize;
        let selection = Selection { bytes: bytes.clone(), count, points };
        let mut last: &[u8] = &[];
        for _ in 0..count {
            let start = bytes.counted()?;
            let end = if points { start } else { bytes.counted()? };
            // A slice may touch the one before; a point may not repeat.
            if start.is_empty() || start > end || start < last || (points && start == last) {
                return Err(bytes.malformed("slices or points are not in clustering order"));
            }
            last = end;
        }
        bytes.end()?;
        Ok(selection)
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn points(&self) -> bool {
        self.points
    }

    /// Start and end of each, equal for points.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        let mut bytes = self.bytes.clone();
        let points = self.points;
        (0..self.count).map_while(move |_| {
            let start = bytes.counted().ok()?;
            let end = if points { start } else { bytes.counted().ok()? };
            Some((start, end))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::{everything, partition, point, read_request, scan_request};
    use cassiterite_testkit::spoilt::spoilt;
    use proptest::prelude::*;

    fn good() -> Vec<Vec<u8>> {
        let (key, points) = (partition("a"), [point(1), point(2)]);
        vec![
            read_request(STATIC | REVERSED, 1, &key, &everything()),
            read_request(POINTS, 0, &key, &points),
            scan_request(WHOLE, 1, &key, &[], &everything()),
            scan_request(POINTS | STATIC, 1, &[], &key, &points),
        ]
    }

    /// Slices and points come out as many as were counted.
    fn check(selection: &Selection<'_>) -> bool {
        selection.iter().count() == selection.count()
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(request in spoilt(good())) {
            prop_assert!(ReadRequest::parse(&request).map_or(true, |read| check(&read.selection)));
            if let Ok(ScanRequest { of: ScanOf::Selected(selection), .. }) = ScanRequest::parse(&request) {
                prop_assert!(check(&selection));
            }
        }
    }
}
