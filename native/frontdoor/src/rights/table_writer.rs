// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What the door writes to: one table of the engine.

/// Why a write does not count as done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unwritten {
    /// The write would have had to wait: for memtables, for compaction, for a sync of the log or for a lock.
    WouldWait,
    /// The engine failed, or the table is closed: Cassandra will meet it, too.
    Failed,
}

/// One table generation of the engine. Any thread may use it.
pub trait TableWriter: Send + Sync {
    /// Applies a write request of `docs/internals/boundary.md` whole, or not at all. When it returns, the write is as
    /// durable as the node's `commitlog_sync` promises.
    ///
    /// # Errors
    /// See [`Unwritten`]. Cassandra then writes the same, at the same time of writing: if it was applied, once or twice is one.
    fn write_at_once(&self, request: &[u8]) -> Result<(), Unwritten>;
}
