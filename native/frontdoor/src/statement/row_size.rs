// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! How much of the engine's answer a statement needs, which does not tell the engine its limit.

use super::limits::ANSWER_BYTES_MAX;
use std::sync::atomic::{AtomicU32, Ordering};

/// What a row is thought to need before one has been read.
const FIRST_BYTES: u32 = 1 << 10;
const CHUNK_BYTES_MIN: usize = 1 << 10;

/// The size of the rows that slices of one statement read, deletions in between included: learned as they come.
#[derive(Debug)]
pub(super) struct RowSize {
    bytes: AtomicU32,
}

impl RowSize {
    pub(super) fn new() -> Self {
        RowSize { bytes: AtomicU32::new(FIRST_BYTES) }
    }

    /// How much the first part of an answer should have for so many rows: half as much again as they are thought to need.
    pub(super) fn chunk_bytes(&self, rows: u32) -> usize {
        let each = self.bytes.load(Ordering::Relaxed) as usize;
        (rows as usize).saturating_mul(each + each / 2).clamp(CHUNK_BYTES_MIN, ANSWER_BYTES_MAX)
    }

    /// So many rows have been found in the first `bytes` bytes of an answer.
    pub(super) fn found(&self, rows: u32, bytes: usize) {
        let known = self.bytes.load(Ordering::Relaxed);
        let next = known - known / 4 + each(rows, bytes) / 4;
        // Loops share the recipe: what changes little is not worth a write.
        if next.abs_diff(known) > known / 16 {
            self.bytes.store(next.max(1), Ordering::Relaxed);
        }
    }

    /// Only so many rows have been found in an answer of `bytes` bytes, and others were wanted.
    pub(super) fn fell_short(&self, rows: u32, bytes: usize) {
        let known = self.bytes.load(Ordering::Relaxed);
        let next = known.saturating_mul(2).max(each(rows, bytes)).min(ANSWER_BYTES_MAX as u32);
        self.bytes.store(next, Ordering::Relaxed);
    }
}

fn each(rows: u32, bytes: usize) -> u32 {
    (bytes.min(ANSWER_BYTES_MAX) as u32) / rows.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_become_as_long_as_rows_need() {
        let size = RowSize::new();
        assert_eq!(size.chunk_bytes(10), 15 << 10);
        for _ in 0..40 {
            size.found(10, 1000);
        }
        assert!((1500..2100).contains(&size.chunk_bytes(10)), "{}", size.chunk_bytes(10));
        size.fell_short(1, 8000);
        assert_eq!(size.chunk_bytes(10), 120_000);
        size.fell_short(9, 9);
        assert_eq!(size.chunk_bytes(10), 240_000);
    }

    #[test]
    fn chunks_have_limits() {
        let size = RowSize::new();
        assert_eq!(size.chunk_bytes(u32::MAX), ANSWER_BYTES_MAX);
        (0..40).for_each(|_| size.fell_short(0, usize::MAX));
        assert_eq!(size.chunk_bytes(1), ANSWER_BYTES_MAX);
        (0..200).for_each(|_| size.found(1, 0));
        assert_eq!(size.chunk_bytes(1), CHUNK_BYTES_MIN);
    }
}
