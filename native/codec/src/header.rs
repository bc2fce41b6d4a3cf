// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Header fragments: the partition deletion and the range tombstones of one partition (docs/internals/formats.md,
//! Header fragment).

mod coverage;
mod range;
mod sweep;

use crate::deletion::{DeletionTime, Purge};
use crate::error::CodecError;
use crate::outcome::Outcome;

pub use coverage::Coverage;
pub use range::{read, write, Position, Range};

/// Merges header fragments into `out`, which is cleared.
pub(crate) fn merge(operands: &[&[u8]], out: &mut Vec<u8>) -> Result<(), CodecError> {
    let mut partition = DeletionTime::LIVE;
    let mut ranges = Vec::new();
    for operand in operands {
        partition = partition.max(range::read_into(operand, &mut ranges)?);
    }
    write(&partition, &sweep::sweep(ranges, &partition), out);
    Ok(())
}

/// What compaction leaves of a header, in `out`, which is cleared.
pub(crate) fn compact(
    fragment: &[u8],
    covering: DeletionTime,
    purge: &Purge,
    out: &mut Vec<u8>,
) -> Result<Outcome, CodecError> {
    out.clear();
    let (partition, mut ranges) = read(fragment)?;
    let active = partition.max(covering);
    let stays = |deletion: &DeletionTime| deletion.supersedes(&covering) && !purge.allows_deletion(deletion);
    let kept = if stays(&partition) { partition } else { DeletionTime::LIVE };
    let count = ranges.len();
    ranges.retain(|range| range.deletion.supersedes(&active) && stays(&range.deletion));
    if kept.is_live() && ranges.is_empty() {
        return Ok(Outcome::Empty);
    }
    if kept == partition && ranges.len() == count {
        return Ok(Outcome::Unchanged);
    }
    write(&kept, &ranges, out);
    Ok(Outcome::Changed)
}

/// The smallest timestamp of its deletions; `i64::MAX` if there are none.
pub(crate) fn min_timestamp(fragment: &[u8]) -> Result<i64, CodecError> {
    let (partition, ranges) = read(fragment)?;
    let least = ranges.iter().map(|range| range.deletion.marked_for_delete_at).min().unwrap_or(i64::MAX);
    Ok(if partition.is_live() { least } else { least.min(partition.marked_for_delete_at) })
}

/// The greatest timestamp of its deletions; `i64::MIN` if there are none.
pub(crate) fn max_timestamp(fragment: &[u8]) -> Result<i64, CodecError> {
    let (partition, ranges) = read(fragment)?;
    let greatest = ranges.iter().map(|range| range.deletion.marked_for_delete_at).max().unwrap_or(i64::MIN);
    Ok(greatest.max(partition.marked_for_delete_at))
}

/// Whether it deletes nothing.
pub(crate) fn is_empty(fragment: &[u8]) -> Result<bool, CodecError> {
    let (partition, ranges) = read(fragment)?;
    Ok(partition.is_live() && ranges.is_empty())
}

/// Checks structure, order and canonical encoding.
pub(crate) fn validate(fragment: &[u8]) -> Result<(), CodecError> {
    let (partition, ranges) = read(fragment)?;
    for range in &ranges {
        range.start.validate(fragment)?;
        range.end.validate(fragment)?;
    }
    if !sweep::is_canonical(&ranges, &partition) {
        return Err(CodecError::malformed("ranges, which are not canonical", 0));
    }
    let mut canonical = Vec::with_capacity(fragment.len());
    write(&partition, &ranges, &mut canonical);
    crate::row::same_bytes(fragment, &canonical)
}
