// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What the door reads from: one table of the engine.

use std::ops::Range;

/// How far a read goes for what it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It waits for nothing: not for a device, nor for a lock.
    Memory,
    /// It may wait.
    Files,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// The read would have had to wait.
    NotInMemory,
    /// The answer is too long for the door.
    TooLong,
    /// The engine failed, or the table is closed: Cassandra will meet it, too.
    Failed,
}

/// What a read has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entries {
    /// Where they are in the caller's buffer.
    pub range: Range<usize>,
    /// Whether these are all.
    pub is_all: bool,
}

/// One table generation of the engine. Any thread may use it.
pub trait TableReader: Send + Sync {
    /// Answers a read request of `docs/internals/boundary.md`.
    ///
    /// * `chunk_bytes` as the request has it: it may stop after so many
    /// * `answer` any content; grows as needed
    ///
    /// # Errors
    /// See [`Unread`].
    fn read(&self, request: &[u8], chunk_bytes: usize, reach: Reach, answer: &mut Vec<u8>) -> Result<Entries, Unread>;
}
