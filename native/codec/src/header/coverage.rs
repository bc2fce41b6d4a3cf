// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What the header of a partition deletes, ready to be asked row by row.

use std::ops;

use crate::deletion::DeletionTime;
use crate::error::CodecError;
use crate::header::{merge, range, sweep};

/// What the header fragments of one partition delete, merged.
///
/// Adding n fragments costs O(n log n) in all; asking costs O(log² n).
#[derive(Debug, Default)]
pub struct Coverage {
    partition: DeletionTime,
    /// Canonical headers, each at least twice the size of the next one.
    runs: Vec<Run>,
}

/// A canonical header and where its ranges lie in it.
#[derive(Debug)]
struct Run {
    fragment: Vec<u8>,
    ranges: Vec<RangeAt>,
}

#[derive(Debug)]
struct RangeAt {
    start: ops::Range<usize>,
    end: ops::Range<usize>,
    deletion: DeletionTime,
}

impl Coverage {
    /// Deletes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.partition = DeletionTime::LIVE;
        self.runs.clear();
    }

    /// Whether nothing is deleted.
    pub fn is_empty(&self) -> bool {
        self.partition.is_live() && self.runs.is_empty()
    }

    /// Adds what a header fragment deletes; in any order. After an error the coverage is as before.
    pub fn add(&mut self, fragment: &[u8]) -> Result<(), CodecError> {
        let (partition, ranges) = range::read(fragment)?;
        if !ranges.is_empty() {
            let run = if sweep::is_canonical(&ranges, &partition) {
                Run::new(fragment.to_vec())?
            } else {
                Run::of(&[fragment])?
            };
            if !run.ranges.is_empty() {
                self.push(run)?;
            }
        }
        self.partition = self.partition.max(partition);
        Ok(())
    }

    /// The deletion of the whole partition.
    pub fn partition_deletion(&self) -> DeletionTime {
        self.partition
    }

    /// Whether rows may be deleted that are not all of the partition.
    pub fn has_ranges(&self) -> bool {
        !self.runs.is_empty()
    }

    /// The strongest deletion of the row at this clustering: of the partition or of a range that covers it.
    pub fn deletion_for(&self, clustering_order_bytes: &[u8]) -> DeletionTime {
        let ranges = self.runs.iter().filter_map(|run| run.deletion_for(clustering_order_bytes));
        ranges.fold(self.partition, DeletionTime::max)
    }

    fn push(&mut self, run: Run) -> Result<(), CodecError> {
        let mut newest = run;
        let mut kept = self.runs.len();
        while let Some(older) = kept.checked_sub(1).and_then(|at| self.runs.get(at)) {
            if older.ranges.len() >= 2 * newest.ranges.len() {
                break;
            }
            newest = Run::of(&[&older.fragment, &newest.fragment])?;
            kept -= 1;
        }
        self.runs.truncate(kept);
        self.runs.push(newest);
        Ok(())
    }
}

impl Run {
    /// The union of some headers.
    fn of(fragments: &[&[u8]]) -> Result<Self, CodecError> {
        let mut merged = Vec::new();
        merge(fragments, &mut merged)?;
        Self::new(merged)
    }

    fn new(fragment: Vec<u8>) -> Result<Self, CodecError> {
        let within = |part: &[u8]| {
            let start = (part.as_ptr() as usize).saturating_sub(fragment.as_ptr() as usize);
            start..start + part.len()
        };
        let (_, ranges) = range::read(&fragment)?;
        let ranges = ranges
            .iter()
            .map(|range| RangeAt {
                start: within(range.start.order),
                end: within(range.end.order),
                deletion: range.deletion,
            })
            .collect();
        Ok(Run { fragment, ranges })
    }

    fn deletion_for(&self, clustering: &[u8]) -> Option<DeletionTime> {
        let after = self.ranges.partition_point(|range| self.order(&range.start) < clustering);
        let range = self.ranges.get(after.checked_sub(1)?)?;
        (clustering < self.order(&range.end)).then_some(range.deletion)
    }

    fn order(&self, at: &ops::Range<usize>) -> &[u8] {
        self.fragment.get(at.clone()).unwrap_or_default()
    }
}
