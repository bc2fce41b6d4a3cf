// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The one error type of this crate.

/// Why bytes could not be read or combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CodecError {
    /// The bytes are not what docs/internals/formats.md describes.
    #[error("malformed {what} at byte {offset}")]
    Malformed {
        /// What was being read, or which rule was broken.
        what: &'static str,
        /// Offset in bytes from the start of the fragment or key.
        offset: usize,
    },
    /// The fragment was written by a later version of Cassiterite: upgrade this node before it reads this data.
    #[error("fragment version {found} at byte {offset} is not known here; upgrade Cassiterite")]
    Version {
        /// The version byte.
        found: u8,
        /// Its offset in bytes.
        offset: usize,
    },
    /// Two fragments disagree about what one column is, or two columns became one.
    #[error("column {column}: {what}")]
    Conflict {
        /// What they disagree about.
        what: &'static str,
        /// The column's id.
        column: u32,
    },
    /// No operand was given to a merge.
    #[error("a merge needs at least one operand")]
    NoOperand,
}

impl CodecError {
    #[cold]
    pub(crate) fn malformed(what: &'static str, offset: usize) -> Self {
        CodecError::Malformed { what, offset }
    }
}
