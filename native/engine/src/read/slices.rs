// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The slices of a request, copied for the cursor that outlives it.

use super::request::Selection;

/// Start and end of slices in one buffer: each bound lies where the one before ends.
#[derive(Default)]
pub(super) struct Slices {
    bytes: Vec<u8>,
    ends: Vec<(usize, usize)>,
}

impl Slices {
    pub(super) fn copy(selection: &Selection<'_>) -> Self {
        let mut slices = Slices { bytes: Vec::new(), ends: Vec::with_capacity(selection.count()) };
        for (start, end) in selection.iter() {
            slices.bytes.extend_from_slice(start);
            let middle = slices.bytes.len();
            slices.bytes.extend_from_slice(end);
            slices.ends.push((middle, slices.bytes.len()));
        }
        slices
    }

    pub(super) fn count(&self) -> usize {
        self.ends.len()
    }

    /// Start and end of one.
    pub(super) fn get(&self, index: usize) -> Option<(&[u8], &[u8])> {
        let &(middle, end) = self.ends.get(index)?;
        let start = match index.checked_sub(1) {
            Some(before) => self.ends.get(before)?.1,
            None => 0,
        };
        Some((self.bytes.get(start..middle)?, self.bytes.get(middle..end)?))
    }
}
