// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Which cells of a row a client sees.

use cassiterite_codec::row::Cell;
use cassiterite_codec::DeletionTime;

/// Tells which cells a client sees.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judge {
    /// What deletes them.
    pub active: DeletionTime,
    pub now_s: i64,
}

impl Judge {
    /// Whether a client sees the cell.
    #[inline]
    pub(super) fn sees(&self, cell: &Cell<'_>) -> bool {
        !self.active.deletes(cell.timestamp) && cell.is_live(self.now_s)
    }

    /// Counts a cell; whether a client sees it.
    #[inline]
    pub(super) fn count(&self, cell: &Cell<'_>, counts: &mut Counts) -> bool {
        if self.active.deletes(cell.timestamp) {
            return false;
        }
        let is_live = cell.is_live(self.now_s);
        *(if is_live { &mut counts.live } else { &mut counts.dead }) += 1;
        is_live
    }
}

/// What was found among the fetched columns.
#[derive(Default)]
pub(super) struct Counts {
    pub live: u32,
    pub dead: u32,
    /// Whether a column of many cells is deleted.
    pub has_column_deletion: bool,
}
