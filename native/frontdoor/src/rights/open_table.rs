// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A table that the door may answer from, as its owner opened it (docs/internals/boundary.md, "Opening a table").

use std::fmt;
use std::sync::Arc;

use super::interned::Interned;
use super::ranges::{Levels, Ranges};
use super::replicas::Replicas;
use super::table_reader::TableReader;
use crate::statement::Layout;

/// Of a table that only this node answers from.
const ALONE: u8 = 1;
/// Of a table whose replicas are compared.
const COMPARED: u8 = 2;

/// A table's id: its UUID, more significant half first.
pub(crate) type TableId = [u8; 16];

/// What the owner of the door has said that may be answered from a table.
pub(crate) struct OpenTable {
    pub id: TableId,
    pub reader: Arc<dyn TableReader>,
    /// More tombstones in one read are for Cassandra to warn of.
    pub tombstones_max: u32,
    /// At which a read needs no other replica.
    levels: Levels,
    ranges: Arc<Ranges>,
    /// What other nodes may be asked, and may ask.
    pub compared: Option<Compared>,
}

/// How the replicas of a table are compared.
#[derive(Debug)]
pub(crate) struct Compared {
    /// The table's gc_grace_seconds.
    pub gc_grace_s: u32,
    pub layout: Arc<Layout>,
    pub replicas: Arc<Replicas>,
}

impl Compared {
    fn decode(bytes: &[u8]) -> Option<Compared> {
        let (gc_grace_s, rest) = bytes.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (layout, rest) = rest.split_at_checked(u32::from_be_bytes(*length) as usize)?;
        let (replicas, rest) = Replicas::decode(rest)?;
        let layout = Arc::new(Layout::decode(layout)?);
        rest.is_empty().then_some(Compared {
            gc_grace_s: u32::from_be_bytes(*gc_grace_s),
            layout,
            replicas: Arc::new(replicas),
        })
    }
}

impl OpenTable {
    /// `None` where the bytes are not what the boundary describes.
    pub(crate) fn decode(reader: Arc<dyn TableReader>, bytes: &[u8]) -> Option<OpenTable> {
        let (&version, rest) = bytes.split_first()?;
        let (id, rest) = rest.split_first_chunk::<16>()?;
        let (levels, rest) = rest.split_first_chunk()?;
        let (tombstones_max, rest) = rest.split_first_chunk()?;
        let (ranges, rest) = Ranges::decode(rest)?;
        let compared = match version {
            ALONE if rest.is_empty() => None,
            COMPARED => Some(Compared::decode(rest)?),
            _ => return None,
        };
        Some(OpenTable {
            id: *id,
            reader,
            tombstones_max: u32::from_be_bytes(*tombstones_max),
            levels: Levels::of(levels),
            ranges: Arc::new(ranges),
            compared,
        })
    }

    /// Has with other tables what is the same: that of a keyspace, of which there may be a thousand.
    pub(super) fn share(&mut self, ranges: &Interned<Ranges>, replicas: &Interned<Replicas>) {
        self.ranges = ranges.share(Arc::clone(&self.ranges));
        if let Some(compared) = &mut self.compared {
            compared.replicas = replicas.share(Arc::clone(&compared.replicas));
        }
    }

    /// Whether this node alone can answer at a consistency level.
    pub(crate) fn answers_at(&self, level: u16) -> bool {
        self.levels.has(level)
    }

    /// Whether this node is a replica of a token.
    pub(crate) fn has(&self, token: i64) -> bool {
        self.ranges.has(token)
    }
}

impl fmt::Debug for OpenTable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("OpenTable").field("id", &self.id).field("ranges", &self.ranges.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod tests {
    use super::*;
    use crate::rights::table_reader::{Entries, Reach, Unread};

    pub(crate) struct NoReader;

    impl TableReader for NoReader {
        fn read(&self, _: &[u8], _: usize, _: Reach, _: &mut Vec<u8>) -> Result<Entries, Unread> {
            Err(Unread::Failed)
        }
    }

    pub(crate) fn spec(id: TableId, levels: u32, ranges: &[(i64, i64)]) -> Vec<u8> {
        let ranges_bytes = ranges.iter().flat_map(|(left, right)| [left.to_be_bytes(), right.to_be_bytes()].concat());
        let head = [&[1][..], &id, &levels.to_be_bytes(), &1000u32.to_be_bytes(), &(ranges.len() as u32).to_be_bytes()];
        head.concat().into_iter().chain(ranges_bytes).collect()
    }

    fn open(ranges: &[(i64, i64)]) -> Option<OpenTable> {
        OpenTable::decode(Arc::new(NoReader), &spec([7; 16], 0b100_0000_0010, ranges))
    }

    #[test]
    fn a_token_belongs_to_the_range_that_ends_with_it() {
        let table = open(&[(i64::MIN, -10), (0, 5), (5, 9)]).unwrap();
        for (token, is_here) in [
            (i64::MIN, false),
            (i64::MIN + 1, true),
            (-10, true),
            (-9, false),
            (0, false),
            (1, true),
            (5, true),
            (6, true),
            (9, true),
            (10, false),
            (i64::MAX, false),
        ] {
            assert_eq!(table.has(token), is_here, "{token}");
        }
        assert!(!open(&[]).unwrap().has(3));
    }

    #[test]
    fn levels_are_bits() {
        let table = open(&[]).unwrap();
        assert_eq!((0..40).filter(|level| table.answers_at(*level)).collect::<Vec<u16>>(), [1, 10]);
    }

    #[test]
    fn other_bytes_are_refused() {
        assert!(open(&[(5, 5)]).is_none() && open(&[(0, 5), (4, 9)]).is_none());
        let good = spec([7; 16], 2, &[(1, 2)]);
        for length in 0..good.len() {
            assert!(OpenTable::decode(Arc::new(NoReader), &good[..length]).is_none(), "{length} bytes");
        }
    }
}
