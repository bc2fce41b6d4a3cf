// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Headers of partitions that began before a file that a compaction reads.
//!
//! A partition larger than a file has its header in the first of its files only. Without looking it up, what it deletes
//! would stay in the others for good, and it with them.

use crate::raw::{CompactionSource, LiveFile};
use cassiterite_codec::header;
use cassiterite_codec::key::{self, Kind};
use cassiterite_codec::DeletionTime;
use std::collections::HashMap;

/// What is deleted in such partitions, by partition prefix.
pub(super) struct StraddlingHeaders {
    headers: HashMap<Vec<u8>, Vec<u8>>,
}

impl StraddlingHeaders {
    /// Looks up the headers: at most one read per input file. A deletion that was made at `settled_before_s` or later
    /// may be in a memtable that a crash still loses; what it covers must not go before it is certain.
    pub(super) fn read(source: &CompactionSource<'_>, inputs: &[LiveFile], settled_before_s: i64) -> Self {
        let mut headers = HashMap::new();
        for file in inputs {
            let Ok(parts) = key::split(&file.smallest_key) else { continue };
            if parts.kind == Kind::Header || headers.contains_key(parts.partition) {
                continue;
            }
            let mut header_key = parts.partition.to_vec();
            header_key.push(Kind::Header.into());
            // One that cannot be read deletes nothing here: its rows stay until it can.
            let found = source.get(&header_key).ok().flatten();
            headers.insert(
                parts.partition.to_vec(),
                found.map(|found| settled(&found, settled_before_s)).unwrap_or_default(),
            );
        }
        headers.retain(|_, header| !header.is_empty());
        StraddlingHeaders { headers }
    }

    /// The header fragment of a partition, if it has one.
    pub(super) fn of(&self, partition: &[u8]) -> Option<&[u8]> {
        if self.headers.is_empty() {
            return None;
        }
        self.headers.get(partition).map(Vec::as_slice)
    }
}

/// The deletions of a header that are old enough to be durable; empty if there are none.
fn settled(fragment: &[u8], settled_before_s: i64) -> Vec<u8> {
    let mut out = Vec::new();
    let Ok((partition, mut ranges)) = header::read(fragment) else { return out };
    let is_settled = |deletion: &DeletionTime| deletion.local_deletion_time_s < settled_before_s;
    ranges.retain(|range| is_settled(&range.deletion));
    let partition = if is_settled(&partition) { partition } else { DeletionTime::LIVE };
    if !partition.is_live() || !ranges.is_empty() {
        header::write(&partition, &ranges, &mut out);
    }
    out
}
