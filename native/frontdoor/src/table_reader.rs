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

/// One table generation of the engine. Any thread may use it.
pub trait TableReader: Send + Sync {
    /// Answers a read request of `docs/internals/boundary.md`.
    ///
    /// * `answer` any content; grows as needed
    ///
    /// Returns where in `answer` the entries are: all of them, never a part.
    ///
    /// # Errors
    /// See [`Unread`].
    fn read(&self, request: &[u8], reach: Reach, answer: &mut Vec<u8>) -> Result<Range<usize>, Unread>;
}
