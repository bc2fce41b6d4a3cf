// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A table that the door may write to, as its owner opened it (docs/internals/boundary.md, "Opening a table to writes").

use std::fmt;
use std::sync::Arc;

use super::interned::Interned;
use super::open_table::TableId;
use super::ranges::{Levels, Ranges};
use super::table_writer::TableWriter;

const VERSION: u8 = 1;

/// What the owner of the door has said that may be written to a table.
pub(crate) struct WrittenTable {
    pub id: TableId,
    pub writer: Arc<dyn TableWriter>,
    /// At which a write needs no other replica.
    levels: Levels,
    /// Cassandra knows of no earlier time of writing in this table, in microseconds since the epoch.
    smallest_timestamp: i64,
    ranges: Arc<Ranges>,
}

impl WrittenTable {
    /// `None` where the bytes are not what the boundary describes.
    pub(crate) fn decode(writer: Arc<dyn TableWriter>, bytes: &[u8]) -> Option<WrittenTable> {
        let (&[VERSION], rest) = bytes.split_first_chunk()? else { return None };
        let (id, rest) = rest.split_first_chunk::<16>()?;
        let (levels, rest) = rest.split_first_chunk()?;
        let (smallest_timestamp, rest) = rest.split_first_chunk()?;
        let (ranges, rest) = Ranges::decode(rest)?;
        rest.is_empty().then_some(WrittenTable {
            id: *id,
            writer,
            levels: Levels::of(levels),
            smallest_timestamp: i64::from_be_bytes(*smallest_timestamp),
            ranges: Arc::new(ranges),
        })
    }

    /// Has with other tables what is the same: that of a keyspace, of which there may be a thousand.
    pub(super) fn share(&mut self, ranges: &Interned<Ranges>) {
        self.ranges = ranges.share(Arc::clone(&self.ranges));
    }

    /// Whether this node alone has to have a write at a consistency level.
    pub(crate) fn takes_at(&self, level: u16) -> bool {
        self.levels.has(level)
    }

    /// Whether Cassandra knows of such an early time.
    pub(crate) fn knows(&self, timestamp: i64) -> bool {
        timestamp >= self.smallest_timestamp
    }

    /// Whether this node is the only replica of a token.
    pub(crate) fn has(&self, token: i64) -> bool {
        self.ranges.has(token)
    }
}

impl fmt::Debug for WrittenTable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("WrittenTable").field("id", &self.id).finish_non_exhaustive()
    }
}
