// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What can be done with a fragment of any kind.

use crate::columns::ColumnSet;
use crate::deletion::{DeletionTime, Purge};
use crate::error::CodecError;
use crate::key::Kind;

/// What a rewrite did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The fragment stays as it is; `out` is left empty.
    Unchanged,
    /// `out` holds what replaces the fragment.
    Changed,
    /// Nothing is left of the fragment: its key may go; `out` is left empty.
    Empty,
}

/// Merges the fragments of one key, in any order, into `out` (cleared first). A single operand is copied as it is.
pub fn merge(kind: Kind, operands: &[&[u8]], out: &mut Vec<u8>) -> Result<(), CodecError> {
    out.clear();
    let _ = (kind, operands);
    Err(CodecError::NoOperand)
}

/// What compaction leaves of one fully merged fragment, in `out` (cleared first): data that `covering` shadows removed,
/// columns in `dropped` removed, expired cells turned into tombstones, purgeable deletions gone.
pub fn compact(
    kind: Kind,
    fragment: &[u8],
    covering: DeletionTime,
    purge: &Purge,
    dropped: &ColumnSet,
    out: &mut Vec<u8>,
) -> Result<Outcome, CodecError> {
    out.clear();
    let _ = (kind, fragment, covering, purge, dropped);
    Err(CodecError::NoOperand)
}

/// Removes from a row fragment only what `covering` deletes, into `out` (cleared first). Safe on unmerged operands.
pub fn shadow(fragment: &[u8], covering: DeletionTime, out: &mut Vec<u8>) -> Result<Outcome, CodecError> {
    out.clear();
    let _ = (fragment, covering);
    Err(CodecError::NoOperand)
}

/// The smallest timestamp in the fragment, deletions included; `i64::MAX` if it is empty.
pub fn min_timestamp(kind: Kind, fragment: &[u8]) -> Result<i64, CodecError> {
    let _ = (kind, fragment);
    Err(CodecError::NoOperand)
}

/// Whether the fragment says nothing. Malformed bytes are not empty.
pub fn is_empty(kind: Kind, fragment: &[u8]) -> bool {
    let _ = (kind, fragment);
    false
}

/// Checks the whole structure, canonical order and encoding included.
pub fn validate(kind: Kind, fragment: &[u8]) -> Result<(), CodecError> {
    let _ = (kind, fragment);
    Err(CodecError::NoOperand)
}
