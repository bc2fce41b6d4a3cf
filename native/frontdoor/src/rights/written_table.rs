// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A table that the door may write to, as its owner opened it (docs/internals/boundary.md, "Opening a table to writes").

use std::fmt;
use std::sync::Arc;

use super::interned::Interned;
use super::open_table::TableId;
use super::ranges::{Levels, Ranges};
use super::replicas::Replicas;
use super::spec_number;
use super::table_writer::TableWriter;
use crate::statement::{Layout, PeerSpec};

/// Rows have this node alone.
const ALONE: u8 = 1;
/// Other nodes are to have the same writes.
const WITH_OTHERS: u8 = 2;

/// What the owner of the door has said that may be written to a table.
pub(crate) struct WrittenTable {
    pub id: TableId,
    pub writer: Arc<dyn TableWriter>,
    /// At which a write needs no other replica, where rows have none.
    levels: Levels,
    /// Cassandra knows of no earlier time of writing in this table, in microseconds since the epoch.
    smallest_timestamp: i64,
    ranges: Arc<Ranges>,
    /// The other replicas, where the rows have some.
    pub copied: Option<Copied>,
}

/// Where else the rows of a table are.
#[derive(Debug)]
pub(crate) struct Copied {
    pub replicas: Arc<Replicas>,
    pub layout: Arc<Layout>,
    /// No other one of this process has it, nor a statement.
    pub number: u64,
    /// What other nodes have to know of the table.
    pub spec: Box<[u8]>,
}

impl Copied {
    fn decode<'a>(table: &TableId, bytes: &'a [u8]) -> Option<(Copied, &'a [u8])> {
        let (length, rest) = bytes.split_first_chunk()?;
        let (layout, rest) = rest.split_at_checked(u32::from_be_bytes(*length) as usize)?;
        let layout = Arc::new(Layout::decode(layout)?);
        let (replicas, rest) = Replicas::decode(rest)?;
        let spec = PeerSpec::of_table(*table, &layout)?.encode().into();
        Some((Copied { replicas: Arc::new(replicas), layout, number: spec_number::next(), spec }, rest))
    }
}

impl WrittenTable {
    /// `None` where the bytes are not what the boundary describes.
    pub(crate) fn decode(writer: Arc<dyn TableWriter>, bytes: &[u8]) -> Option<WrittenTable> {
        let (&version, rest) = bytes.split_first()?;
        let (id, rest) = rest.split_first_chunk::<16>()?;
        let (levels, rest) = rest.split_first_chunk()?;
        let (smallest_timestamp, rest) = rest.split_first_chunk()?;
        let (ranges, rest) = Ranges::decode(rest)?;
        let (copied, rest) = match version {
            ALONE => (None, rest),
            WITH_OTHERS => Copied::decode(id, rest).map(|(copied, rest)| (Some(copied), rest))?,
            _ => return None,
        };
        rest.is_empty().then_some(WrittenTable {
            id: *id,
            writer,
            levels: Levels::of(levels),
            smallest_timestamp: i64::from_be_bytes(*smallest_timestamp),
            ranges: Arc::new(ranges),
            copied,
        })
    }

    /// Has with other tables what is the same: that of a keyspace, of which there may be a thousand.
    pub(super) fn share(&mut self, ranges: &Interned<Ranges>, replicas: &Interned<Replicas>) {
        self.ranges = ranges.share(Arc::clone(&self.ranges));
        if let Some(copied) = &mut self.copied {
            copied.replicas = replicas.share(Arc::clone(&copied.replicas));
        }
    }

    /// How many other replicas must have a write at a consistency level before it is acknowledged; `None` where Cassandra decides.
    pub(crate) fn acknowledging(&self, level: u16) -> Option<usize> {
        match &self.copied {
            Some(copied) => copied.replicas.acknowledging(level),
            None => self.levels.has(level).then_some(0),
        }
    }

    /// Whether Cassandra knows of such an early time.
    pub(crate) fn knows(&self, timestamp: i64) -> bool {
        timestamp >= self.smallest_timestamp
    }

    /// Whether this node is a replica of a token, and it is known who the others are.
    pub(crate) fn has(&self, token: i64) -> bool {
        match &self.copied {
            Some(copied) => copied.replicas.has(token),
            None => self.ranges.has(token),
        }
    }
}

impl fmt::Debug for WrittenTable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("WrittenTable").field("id", &self.id).finish_non_exhaustive()
    }
}
