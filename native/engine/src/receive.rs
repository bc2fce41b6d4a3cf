// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What other nodes send: a shipment is taken in as it is, and merged into the base of its table later.
//!
//! Files that were written as rows hold merge operands only, which hide nothing: they may be ingested over anything.
//! Files of another node's tree end in values that hide every older operand: they never go where the table has data,
//! but into a *side column family*. Reads merge it with the base ([`crate::source`]); the merge-in then rewrites the
//! smaller as rows into the larger ([`merge_in`]).
//!
//! Everything here is atomic: a column family counts once the catalog names it, and an ingestion is one
//! edit of the manifest. Column families that the catalog does not name are dropped at the next start.

mod chunk;
mod columns;
mod departure;
mod merge_in;
mod placement;
mod restore;
mod rewrite;
mod rows;
mod shipment;
mod socket;
mod sst_set;
#[cfg(test)]
mod tests;

pub use chunk::{ChunkFigures, ChunkWriter};
pub use socket::{receive_bytes, share_socket};

use crate::error::Result;
use crate::table::Table;
use std::path::Path;

/// Every read of the table also reads each side column family.
const SIDE_FAMILIES_MAX: usize = 2;
/// An ingestion over data of the base makes that many files of level 0 at most.
const FILES_AT_ONCE_MAX: usize = 4;

impl Table {
    /// Moves the shipment in `directory` into the table: all of it or nothing, and durably when it returns; the
    /// directory is then gone. After an error it is as it was, and can be received again. Its rows are seen by every
    /// read that begins later. Columns are those of the sender by name, kind and type: `Invalid` where it has one that
    /// this table never had. Answers with the bytes of whole files that were rewritten as rows: where column ids
    /// differ, or there are as many side column families as there may be.
    pub fn receive(&self, directory: &Path) -> Result<u64> {
        shipment::receive(self, directory)
            .map_err(|error| error.context(format_args!("receiving the shipment in {}", directory.display())))
    }

    /// Takes a snapshot of this table in, as [`Table::receive`] does a shipment, but leaves `directory` as it is: the
    /// store has links to its files, or copies of them where it is on another device. All files are read first: nothing
    /// is taken in unless the directory has exactly the files that its manifest lists, with the bytes that they were
    /// written with. A snapshot may have increments beside it, or increments may come alone: their rows are written into
    /// the table once the first has been taken in. A call that was cut short then has to be repeated, and goes on.
    pub fn restore(&self, directory: &Path) -> Result<u64> {
        restore::restore(self, directory)
            .map_err(|error| error.context(format_args!("restoring the snapshot in {}", directory.display())))
    }

    /// One step of bringing what was received into the table's base, in the calling thread: some tens of megabytes,
    /// written as fast as compaction may. Answers with the bytes still outside of the base, about; 0 when done. Reads
    /// cost more until then, and nothing is purged. [`crate::Kind::NoSpace`], and nothing has been done, while
    /// little more than the store's reserve is free; [`crate::Kind::Busy`] while the table is cleaned up, loaded
    /// or receives. After any error the next call goes on where this one began.
    pub fn merge_in(&self) -> Result<u64> {
        merge_in::merge_in(self).map_err(|error| error.context("merging in what was received"))
    }

    /// Sets aside the rows that the table has now, for their owner to copy them elsewhere: a base of more than
    /// `base_bytes_max` becomes a side column family, and nothing comes into any of these until
    /// [`Table::forget_departed`] or [`Table::end_departure`]. Answers with their bytes, about; 0 where there are none.
    /// Writes go on, and stay. What scans that begin later show has all of these rows in it.
    /// [`crate::Kind::Busy`] as for [`Table::merge_in`]; `Invalid` where rows would be lost, or deleted ones come back: the
    /// table has indexes, hidden columns, or may purge deletions.
    pub fn begin_departure(&self, base_bytes_max: u64) -> Result<u64> {
        departure::begin(self, base_bytes_max).map_err(|error| error.context("setting the rows of a table aside"))
    }

    /// Forgets what [`Table::begin_departure`] has set aside, all of it or nothing, and durably when it returns. Reads
    /// that have begun still see it. After an error the table has it, but a start may not find it any more. Errors as
    /// those of [`Table::begin_departure`]; to be called again after `Busy`.
    pub fn forget_departed(&self) -> Result<()> {
        departure::forget(self).map_err(|error| error.context("forgetting rows that have left a table"))
    }

    /// What [`Table::begin_departure`] has set aside stays in the table.
    pub fn end_departure(&self) -> Result<()> {
        departure::end(self)
    }

    /// The numbers of the column families, that of the base first. What [`Table::begin_departure`] has set aside is in the
    /// table as long as its side column families are, each under its number, which no other one gets. `Busy` while a start
    /// may not find all of them.
    pub fn families(&self) -> Result<Vec<u32>> {
        departure::families(self)
    }

    /// Bytes in the base, and in all side column families, about.
    pub fn family_bytes(&self) -> Result<(u64, u64)> {
        self.on_copy(|core| {
            let beside = core.side_families().iter().map(|family| family.bytes().max(1));
            Ok((core.column_families().base.bytes(), beside.fold(0, u64::saturating_add)))
        })
    }
}
