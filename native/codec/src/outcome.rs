// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What comes of rewriting a fragment.

use crate::error::CodecError;

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

/// Leaves nothing in `out` behind an error.
pub(crate) fn cleared_on_error<T>(result: Result<T, CodecError>, out: &mut Vec<u8>) -> Result<T, CodecError> {
    if result.is_err() {
        out.clear();
    }
    result
}
