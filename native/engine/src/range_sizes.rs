// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! How much data token ranges hold: estimates for the depth of hash trees and for the size estimates of the node.

use crate::error::Result;
use crate::faults::{reached, Step};
use crate::raw::sys::{approximate_bytes, IterSpec, Reach};
use crate::raw::{sampled_files, SAMPLE_FILES};
use crate::source::Source;
use crate::table::{ColumnFamilies, ColumnFamily, Table, TableCore};
use crate::tokens::{token_of, TokenRange};
use cassiterite_codec::key;
use std::collections::BinaryHeap;

/// Places in a range at which partitions are counted, and how many at each: an error of about 5 %.
const PROBES: u64 = 8;
const PARTITIONS_PER_PROBE: u64 = 64;
/// What RocksDB's estimate of bytes is too coarse for is added up.
const BYTES_ADDED_UP: u64 = 256 << 10;
/// A partition with fewer bytes of keys and values is not searched for.
const LARGE_BYTES: u64 = 1 << 20;
/// Each takes two of RocksDB's estimates. A partition of a thousandth of the table is found.
const HALVINGS_MAX: usize = 2_000;
/// So many steps are tried before a seek to the next partition.
const STEPS: usize = 4;

impl Table {
    /// Bytes of keys and values of the largest partition, where it is much larger than its share of the table; 0 where the
    /// search has found none. Estimated, as RocksDB estimates ranges of keys.
    pub fn large_partition(&self) -> Result<u64> {
        self.on_copy(|core| {
            let families = core.column_families();
            let inflation = inflation(families)?;
            let bytes = largest((LARGE_BYTES as f64 / inflation) as u64, |range| {
                core.check_open()?;
                let (first, end) = (range.first_key(), range.end_key());
                let of = |family: &ColumnFamily| approximate_bytes(&family.handle, &first, &end);
                families.all().map(of).try_fold(0_u64, |sum, bytes| Ok(sum.saturating_add(bytes?)))
            })?;
            Ok((bytes as f64 * inflation) as u64)
        })
    }

    /// Per token range (docs/internals/boundary.md, Token ranges), in the order given: i64 estimated partitions, i64
    /// estimated bytes, i64 the same uncompressed. None is 0 where there is data.
    pub fn range_sizes(&self, ranges: &[u8]) -> Result<Vec<u8>> {
        let ranges = TokenRange::list(ranges)?;
        self.on_copy(|core| {
            let mut answer = Vec::with_capacity(24 * ranges.len());
            let mut sampler = Sampler::open(core)?;
            for range in &ranges {
                core.check_open()?;
                reached(Step::Sampling)?;
                for figure in sampler.size(range)? {
                    answer.extend_from_slice(&i64::try_from(figure).unwrap_or(i64::MAX).to_le_bytes());
                }
            }
            Ok(answer)
        })
    }
}

/// Samples one view of a table.
struct Sampler {
    families: ColumnFamilies,
    iter: Source,
    partition: Vec<u8>,
    /// Bytes of keys and values for each byte of a file.
    inflation: f64,
}

/// What was counted, and up to which token.
struct Counted {
    partitions: u64,
    first_token: i64,
    last_token: i64,
    to_the_end: bool,
}

impl Sampler {
    fn open(core: &TableCore) -> Result<Sampler> {
        let spec =
            IterSpec { lower: Vec::new(), upper: Vec::new(), one_prefix: false, fill_cache: true, reach: Reach::Files };
        let families = core.column_families().clone();
        let inflation = inflation(&families)?;
        Ok(Sampler { iter: families.iterate(spec), families, partition: Vec::new(), inflation })
    }

    /// Partitions, bytes, and bytes uncompressed.
    fn size(&mut self, range: &TokenRange) -> Result<[u64; 3]> {
        let partitions = self.partitions(range)?;
        if partitions == 0 {
            return Ok([0; 3]);
        }
        let mut coarse = 0u64;
        for family in self.families.all() {
            coarse = coarse.saturating_add(approximate_bytes(&family.handle, &range.first_key(), &range.end_key())?);
        }
        let exact = if coarse > BYTES_ADDED_UP { None } else { self.few_bytes(range)? };
        Ok(match exact {
            Some(bytes) => [partitions, bytes, bytes],
            None => {
                let data = ((coarse as f64 * self.inflation) as u64).max(BYTES_ADDED_UP);
                [partitions, coarse.max((BYTES_ADDED_UP as f64 / self.inflation) as u64).max(1), data]
            }
        })
    }

    /// Counts at several places; tokens are hashes, so that what lies between is as dense.
    fn partitions(&mut self, range: &TokenRange) -> Result<u64> {
        let head = self.count(range)?;
        if head.to_the_end {
            return Ok(head.partitions);
        }
        let mut all = 0.0;
        for part in parts(range) {
            let counted = self.count(&part)?;
            all += if counted.to_the_end {
                counted.partitions as f64
            } else {
                let seen = width(counted.first_token, counted.last_token).max(1.0);
                (counted.partitions - 1) as f64 * width(part.left, part.right) / seen
            };
        }
        Ok((all as u64).max(head.partitions))
    }

    /// Counts the first partitions of a range.
    fn count(&mut self, range: &TokenRange) -> Result<Counted> {
        let end = range.end_key();
        let mut counted = Counted { partitions: 0, first_token: 0, last_token: 0, to_the_end: true };
        self.iter.seek(&range.first_key())?;
        while let Some(found) = self.iter.key().filter(|found| *found < end.as_slice()) {
            counted.last_token = token_of(found)?;
            if counted.partitions == 0 {
                counted.first_token = counted.last_token;
            }
            counted.partitions += 1;
            if counted.partitions == PARTITIONS_PER_PROBE {
                counted.to_the_end = false;
                break;
            }
            self.partition.clear();
            self.partition
                .extend_from_slice(found.get(..key::partition_len(found).unwrap_or(found.len())).unwrap_or(found));
            self.next_partition()?;
        }
        Ok(counted)
    }

    fn next_partition(&mut self) -> Result<()> {
        for _ in 0..STEPS {
            self.iter.step()?;
            if !self.iter.key().is_some_and(|found| found.starts_with(&self.partition)) {
                return Ok(());
            }
        }
        if let Some(last) = self.partition.last_mut() {
            *last += 1; // from 0x38, which ends every partition
        }
        self.iter.seek(&self.partition)
    }

    /// The bytes of all keys and values, if they are few.
    fn few_bytes(&mut self, range: &TokenRange) -> Result<Option<u64>> {
        let end = range.end_key();
        let mut bytes = 0;
        self.iter.seek(&range.first_key())?;
        while let Some((found, value)) = self.iter.entry().filter(|(found, _)| *found < end.as_slice()) {
            bytes += (found.len() + value.len()) as u64;
            if bytes > BYTES_ADDED_UP {
                return Ok(None);
            }
            self.iter.step()?;
        }
        Ok(Some(bytes))
    }
}

/// How much larger keys and values are than the files that hold them; 1 where there are none.
fn inflation(families: &ColumnFamilies) -> Result<f64> {
    let (mut raw_bytes, mut file_bytes) = (0.0, 0.0);
    for family in families.all() {
        for file in sampled_files(family.handle.db(), &family.handle, SAMPLE_FILES)? {
            if file.raw_bytes > 0 {
                raw_bytes += file.raw_bytes as f64;
                file_bytes += file.file_bytes as f64;
            }
        }
    }
    Ok(if file_bytes > 0.0 { raw_bytes / file_bytes } else { 1.0 })
}

/// Halves the range that has most, again and again, until that is one token: then no other token has more. 0 where that
/// takes too many steps, so that all partitions are much alike, or where none has `least`.
fn largest(least: u64, mut bytes_in: impl FnMut(&TokenRange) -> Result<u64>) -> Result<u64> {
    let mut ranges = BinaryHeap::from([(bytes_in(&TokenRange::ALL)?, i64::MIN, i64::MAX)]);
    for _ in 0..HALVINGS_MAX {
        let Some((bytes, left, right)) = ranges.pop().filter(|(bytes, ..)| *bytes >= least) else { return Ok(0) };
        if i128::from(right) - i128::from(left) == 1 {
            return Ok(bytes);
        }
        let middle = i64::midpoint(left, right);
        for (left, right) in [(left, middle), (middle, right)] {
            ranges.push((bytes_in(&TokenRange { left, right })?, left, right));
        }
    }
    Ok(0)
}

/// The range in as many equal parts as there are probes.
fn parts(range: &TokenRange) -> impl Iterator<Item = TokenRange> {
    let (left, right) = (i128::from(range.left), i128::from(range.right));
    let cut = move |part: u64| {
        let at = left + (right - left) * i128::from(part) / i128::from(PROBES);
        i64::try_from(at).unwrap_or(i64::MAX)
    };
    (0..PROBES).map(move |part| TokenRange { left: cut(part), right: cut(part + 1) })
}

fn width(left: i64, right: i64) -> f64 {
    (i128::from(right) - i128::from(left)) as f64
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Tokens and their bytes.
    fn largest_of(tokens: &[(i64, u64)]) -> u64 {
        let held = |range: &TokenRange, token: i64| token > range.left && token <= range.right;
        largest(LARGE_BYTES, |range| {
            Ok(tokens.iter().filter(|(token, _)| held(range, *token)).map(|(_, bytes)| bytes).sum())
        })
        .unwrap()
    }

    #[test]
    fn the_largest_of_some_large_partitions_is_found_among_many_small_ones() {
        let mut tokens: Vec<(i64, u64)> =
            (0..10_000).map(|at: i64| (at.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64), 10_000)).collect();
        assert_eq!(largest_of(&tokens), 0, "they are all alike");
        tokens.extend([(i64::MAX, 2 << 20), (i64::MIN + 1, 3 << 20), (17, 4 << 20), (18, 5 << 20), (-1, 4 << 20)]);
        assert_eq!(largest_of(&tokens), 5 << 20);
        assert_eq!(largest_of(&[(5, 3 << 20)]), 3 << 20);
        assert_eq!(largest_of(&[(5, 1000)]), 0);
        assert_eq!(largest_of(&[]), 0);
    }
}
