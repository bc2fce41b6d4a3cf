// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What the door knows of one prepared INSERT, UPDATE or DELETE of one row (docs/internals/boundary.md, Recipes of
//! modifications), and the engine's write request for an EXECUTE of it.

mod decode;
mod request;
#[cfg(test)]
mod tests;

use super::execute::Id;
use super::value::{ClusteringColumn, Value};
use cassiterite_codec::key::Kind;
pub(crate) use request::{Scratch, WriteHead};
use std::sync::atomic::{AtomicU32, Ordering};

/// Panics that end a recipe.
const PANICS_MAX: u32 = 2;

/// How one statement writes. Made once, used by every request; its write requests are those of the memtable, byte by byte.
#[derive(Debug)]
pub struct Modification {
    id: Id,
    table_id: Id,
    binds: usize,
    partition: Box<[Value]>,
    /// The row's clustering; empty for the static row.
    clustering: Box<[(ClusteringColumn, Value)]>,
    kind: Kind,
    change: Change,
    /// After how many seconds what is written expires; an int.
    ttl: Option<Value>,
    panics: AtomicU32,
}

/// What becomes of the row.
#[derive(Debug)]
enum Change {
    /// Cells are written or deleted, by ascending id of their columns. With `is_insert` the row is there without them, too.
    Write { is_insert: bool, cells: Box<[(u32, CellChange)]> },
    /// The row is deleted whole.
    Delete,
}

/// What becomes of a cell.
#[derive(Debug)]
enum CellChange {
    Put(Value),
    Delete,
}

impl Modification {
    /// Notes that a write could not be made.
    pub(crate) fn panicked(&self) {
        self.panics.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether it is not to be tried any more (danger F28).
    pub(crate) fn has_failed(&self) -> bool {
        self.panics.load(Ordering::Relaxed) >= PANICS_MAX
    }

    /// The statement's id.
    pub(crate) fn id(&self) -> &Id {
        &self.id
    }

    /// The id of the table that it writes.
    pub(crate) fn table_id(&self) -> &Id {
        &self.table_id
    }
}
