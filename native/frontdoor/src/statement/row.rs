// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Whether a row exists, and what it has of the fetched columns.

use super::plan::Fetched;
use crate::reason::Reason;
use cassiterite_codec::row::{Cell, Head, RowReader};
use cassiterite_codec::{CodecError, DeletionTime};

/// What a row has of one fetched column.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slot<'a> {
    Null,
    Value(&'a [u8]),
}

/// What one row counts for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// Whether a client sees the row.
    pub is_live: bool,
    /// Tombstones and expired cells.
    pub tombstones: u32,
}

impl From<CodecError> for Reason {
    fn from(_: CodecError) -> Self {
        Reason::UnknownContent
    }
}

/// Reads the columns of a row that `covering` and its own deletion leave, as they are at `now_s`, into `slots`: one for
/// each fetched column.
#[inline]
pub(super) fn read<'a>(
    head: &Head<'a>,
    mut reader: RowReader<'a>,
    fetched: &Fetched,
    covering: DeletionTime,
    now_s: i64,
    slots: &mut [Slot<'a>],
) -> Result<Found, Reason> {
    if head.is_shadowable {
        return Err(Reason::UnknownContent);
    }
    slots.fill(Slot::Null);
    let mut cells = Cells { active: covering.max(head.deletion), now_s, live: 0, dead: 0 };
    let mut wanted = fetched.columns.iter().zip(slots).peekable();
    while let Some(column) = reader.next_column()? {
        while wanted.next_if(|(next, _)| next.id < column.id).is_some() {}
        let Some((next, slot)) = wanted.next_if(|(next, _)| next.id == column.id) else {
            reader.skip(column)?;
            continue;
        };
        if column.is_complex() {
            return Err(Reason::UnknownContent);
        }
        let cell = reader.cell(column)?;
        if cell.is_counter {
            return Err(Reason::UnknownContent);
        }
        if cells.count(&cell) && next.encoder.is_some() {
            *slot = Slot::Value(cell.value);
        }
    }
    Ok(cells.found(head, covering))
}

/// The cells of a row, counted.
struct Cells {
    /// What deletes them.
    active: DeletionTime,
    now_s: i64,
    live: u32,
    dead: u32,
}

impl Cells {
    /// Counts a cell; whether it is live.
    #[inline]
    fn count(&mut self, cell: &Cell<'_>) -> bool {
        if self.active.deletes(cell.timestamp) {
            return false;
        }
        let is_live = cell.is_live(self.now_s);
        *(if is_live { &mut self.live } else { &mut self.dead }) += 1;
        is_live
    }

    /// Cassandra counts the deletion of a row, or of its primary key, only where none of its cells counts.
    fn found(self, head: &Head<'_>, covering: DeletionTime) -> Found {
        let has_liveness = !self.active.deletes(head.liveness.timestamp);
        let is_live = self.live > 0 || (has_liveness && head.liveness.is_live(self.now_s));
        let has_deletion = has_liveness || head.deletion.supersedes(&covering);
        let is_tombstone = !is_live && self.dead == 0 && has_deletion;
        Found { is_live, tombstones: self.dead.saturating_add(u32::from(is_tombstone)) }
    }
}
