// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Bytes that were streamed as whole files, and as rows.

use std::iter::Sum;

use serde::{Deserialize, Serialize};

/// Files and bytes of a streaming.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shares {
    /// Files that went as they lay on the sender's disk.
    pub whole_files: u64,
    /// Their bytes.
    pub whole_bytes: u64,
    /// Others: sections of an sstable, which the receiver decodes row by row, or rows that were gathered in a file.
    pub cut_files: u64,
    /// Their bytes.
    pub cut_bytes: u64,
}

impl Shares {
    /// All bytes.
    pub fn bytes(&self) -> u64 {
        self.whole_bytes.saturating_add(self.cut_bytes)
    }

    /// Whole bytes of all; `None` when nothing went.
    pub fn whole_percent(&self) -> Option<f64> {
        let all = self.bytes();
        (all > 0).then(|| 100.0 * self.whole_bytes as f64 / all as f64)
    }
}

impl Sum for Shares {
    fn sum<I: Iterator<Item = Self>>(shares: I) -> Self {
        shares.fold(Self::default(), |all, one| Self {
            whole_files: all.whole_files + one.whole_files,
            whole_bytes: all.whole_bytes.saturating_add(one.whole_bytes),
            cut_files: all.cut_files + one.cut_files,
            cut_bytes: all.cut_bytes.saturating_add(one.cut_bytes),
        })
    }
}
