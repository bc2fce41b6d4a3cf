// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What happens to fragments when RocksDB merges and compacts them: the merge operator, and the purging of deletions,
//! expired cells, dropped columns and everything that a deletion covers.
//!
//! A deletion may be purged only when nothing that it hides can ever be seen again. It is purged when it is older than
//! gc_grace *and* its timestamp is below all of these at that time:
//! * the max purgeable timestamp of the node ([`TablePurge::set`]), from its own sstables and memtables of the table;
//! * the memtables of this table that are in no file yet ([`memtables`]), and files that were ingested since it began;
//! * every live file that this compaction does not read and that holds keys of the same partition ([`bounds`]).
//!
//! What this compaction reads itself needs no bound: the versions of one key come together in a full merge, and what
//! the header of a partition deletes is removed from its rows, which follow it in key order ([`run`]); the header of a
//! partition that began in an earlier file is looked up ([`straddle`]). Where any of this cannot be known (an input
//! list that does not fit, an explicit snapshot, several subcompactions), nothing is purged that depends on it. Purging
//! is suspended while side column families exist ([`TablePurge::suspend`]). A flush never purges.

mod bounds;
mod brake;
pub(crate) mod cleanup;
mod damage;
mod errors;
mod events;
mod hot;
mod jobs;
mod memtables;
mod pressed;
mod progress;
mod purge;
mod readership;
mod run;
mod straddle;
#[cfg(test)]
mod tests;

pub use crate::raw::StallCondition;
pub(crate) use brake::{now_ns, Backlog};
pub(crate) use brake::{L0_SLOWDOWN_FILES, L0_STOP_FILES, PENDING_SLOWDOWN_BYTES, PENDING_STOP_BYTES};
pub use errors::BackgroundError;
pub use events::{EventTotals, StoreEvents};
pub(crate) use hot::FRAGMENTS_MAX;
pub(crate) use memtables::Written;
pub(crate) use progress::BegunCompaction;
#[cfg(test)]
pub(crate) use purge::MERGES;
pub use purge::{IngestGuard, PurgeStats, TablePurge, WriteGuard};
pub(crate) use readership::{Calls, Level0};
