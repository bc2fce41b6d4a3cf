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
    /// written with.
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
}
