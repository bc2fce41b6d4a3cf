// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! One compaction of one table: what goes and what stays, key by key.

use super::bounds::FileBounds;
use super::memtables::Segment;
use super::progress::ReadCounter;
use super::purge::{Policy, TablePurge};
use super::straddle::StraddlingHeaders;
use crate::log::log;
use crate::raw::{CompactionHooks, CompactionSource, Decision};
use cassiterite_codec::header::Coverage;
use cassiterite_codec::key::{self, KeyParts, Kind};
use cassiterite_codec::{CodecError, DeletionTime, Outcome, Purge};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// The empty fragment, of any kind (docs/internals/formats.md).
const EMPTY_FRAGMENT: [u8; 2] = [1, 0];

/// What this compaction knows of the data that it does not read.
struct Outside {
    files: FileBounds,
    memtables: Arc<Segment>,
    ingestions: Arc<Segment>,
    /// Whether this filter sees all rows of a partition that the compaction reads.
    whole_partitions: bool,
    headers: StraddlingHeaders,
}

/// The state of one running compaction.
pub(crate) struct CompactionRun {
    table: Arc<TablePurge>,
    policy: Policy,
    /// `None`: nothing is purged.
    outside: Option<Outside>,
    partition: Partition,
    /// The key whose operands were shown last, and how many of them.
    shown_key: Vec<u8>,
    shown_operands: usize,
    merged: Vec<u8>,
    read: ReadCounter,
}

/// What is known of the partition that is being compacted.
#[derive(Default)]
struct Partition {
    prefix: Vec<u8>,
    coverage: Coverage,
    /// Part of the header could not be read: it stays as it is.
    header_unreadable: bool,
    /// Smallest timestamp in files outside, once computed.
    outside_timestamp: Option<i64>,
}

impl CompactionRun {
    pub(super) fn begin(table: &Arc<TablePurge>, source: &CompactionSource<'_>) -> Self {
        let outside = read_outside(table, source);
        if outside.is_none() {
            add(&table.counters.blind_compactions, 1);
        }
        CompactionRun {
            table: Arc::clone(table),
            policy: table.policy(),
            outside,
            partition: Partition::default(),
            shown_key: Vec::new(),
            shown_operands: 0,
            merged: Vec::new(),
            read: ReadCounter::of_this_thread(),
        }
    }

    fn enter(&mut self, parts: &KeyParts<'_>) {
        if self.partition.prefix != parts.partition {
            let partition = &mut self.partition;
            partition.prefix.clear();
            partition.prefix.extend_from_slice(parts.partition);
            partition.coverage.clear();
            partition.header_unreadable = false;
            partition.outside_timestamp = None;
            if let Some(header) = self.outside.as_ref().and_then(|outside| outside.headers.of(parts.partition)) {
                // One that cannot be read covers nothing.
                let _ = partition.coverage.add(header);
            }
        }
    }

    /// The deletion of this partition's header that covers a key.
    fn covering(&self, parts: &KeyParts<'_>) -> DeletionTime {
        match parts.kind {
            Kind::Header | Kind::Entry => DeletionTime::LIVE,
            Kind::Static => self.partition.coverage.partition_deletion(),
            Kind::Row => self.partition.coverage.deletion_for(parts.clustering),
        }
    }

    /// Records what a header fragment deletes.
    fn cover(&mut self, fragment: &[u8]) {
        if self.partition.coverage.add(fragment).is_err() {
            self.partition.header_unreadable = true;
        }
    }

    /// What may be purged from this key now.
    fn purge(&mut self, kind: Kind) -> Purge {
        let nothing = Purge { now_s: self.policy.now_s, ..Purge::NOTHING };
        // Before the question whether purging is suspended: rows of sstables join, and only then do these go.
        let max_purgeable_timestamp = self.table.max_purgeable_timestamp();
        let Some(outside) = self.outside.as_mut().filter(|_| !self.table.is_suspended()) else { return nothing };
        if kind == Kind::Header && (!outside.whole_partitions || self.partition.header_unreadable) {
            return nothing;
        }
        let prefix = &self.partition.prefix;
        let in_files =
            *self.partition.outside_timestamp.get_or_insert_with(|| outside.files.smallest_timestamp(prefix));
        let unlisted = outside.memtables.smallest_from_here().min(outside.ingestions.smallest_from_here());
        Purge {
            now_s: self.policy.now_s,
            gc_before_s: self.policy.gc_before_s,
            max_purgeable_timestamp: max_purgeable_timestamp.min(in_files).min(unlisted),
        }
    }

    /// Compacts the whole of a key's history into `out`.
    fn compact(
        &mut self,
        parts: &KeyParts<'_>,
        fragment: &[u8],
        whole_history: bool,
        out: &mut Vec<u8>,
    ) -> Result<Outcome, CodecError> {
        let purge =
            if whole_history { self.purge(parts.kind) } else { Purge { now_s: self.policy.now_s, ..Purge::NOTHING } };
        let covering = self.covering(parts);
        let dropped = &self.policy.dropped;
        cassiterite_codec::compact(parts.kind, fragment, covering, &purge, dropped, out)
    }

    /// The next key that the table owns, where it does not own this one.
    fn not_owned(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.policy.owned.as_ref()?.resume_key(key::token(key).ok()?)
    }

    fn filter_operand(&mut self, parts: &KeyParts<'_>, fragment: &[u8], out: &mut Vec<u8>) -> Decision {
        if parts.kind == Kind::Header {
            self.cover(fragment);
            return Decision::Keep;
        }
        let covering = self.covering(parts);
        if covering.is_live() {
            return Decision::Keep;
        }
        // Where one is removed, an older value below, left without operands on top, is then shown as a value.
        let outcome = cassiterite_codec::shadow(fragment, covering, out);
        self.decide(&outcome, fragment.len(), out.len())
    }

    fn filter_value(&mut self, parts: &KeyParts<'_>, fragment: &[u8], out: &mut Vec<u8>) -> Decision {
        if parts.kind == Kind::Header {
            self.cover(fragment);
        }
        let outcome = self.compact(parts, fragment, true, out);
        self.decide(&outcome, fragment.len(), out.len())
    }

    /// What becomes of an entry: one that cannot be read stays.
    fn decide(&self, outcome: &Result<Outcome, CodecError>, bytes_before: usize, bytes_after: usize) -> Decision {
        match outcome {
            Ok(Outcome::Changed) => {
                self.count_change(bytes_before, bytes_after);
                Decision::Change
            }
            Ok(Outcome::Empty) => {
                self.count_removal(bytes_before);
                Decision::Remove
            }
            Ok(Outcome::Unchanged) | Err(_) => Decision::Keep,
        }
    }

    fn merge_history(
        &mut self,
        key: &[u8],
        has_value: bool,
        fragments: &[&[u8]],
        out: &mut Vec<u8>,
    ) -> Result<(), CodecError> {
        let parts = key::split(key)?;
        self.enter(&parts);
        // Operands at or below a snapshot are not shown; one above it may be older by its timestamps.
        let all_shown = self.shown_key == key && self.shown_operands == fragments.len() - usize::from(has_value);
        let mut merged = std::mem::take(&mut self.merged);
        let result = cassiterite_codec::merge(parts.kind, fragments, &mut merged).and_then(|()| {
            if parts.kind == Kind::Header {
                self.cover(&merged);
            }
            self.compact(&parts, &merged, all_shown, out)
        });
        match result {
            Ok(Outcome::Unchanged) => out.extend_from_slice(&merged),
            Ok(Outcome::Changed) => self.count_change(merged.len(), out.len()),
            Ok(Outcome::Empty) => {
                // A merge cannot remove its key.
                out.extend_from_slice(&EMPTY_FRAGMENT);
                self.count_change(merged.len(), out.len());
                add(&self.table.counters.empties_left, 1);
            }
            Err(_) => {}
        }
        self.merged = merged;
        result.map(|_| ())
    }

    fn count_change(&self, bytes_before: usize, bytes_after: usize) {
        add(&self.table.counters.fragments_changed, 1);
        add(&self.table.counters.bytes_removed, bytes_before.saturating_sub(bytes_after) as u64);
    }

    fn count_removal(&self, bytes_before: usize) {
        add(&self.table.counters.fragments_removed, 1);
        add(&self.table.counters.bytes_removed, bytes_before as u64);
    }
}

impl CompactionHooks for CompactionRun {
    fn filter(&mut self, key: &[u8], is_operand: bool, fragment: &[u8], out: &mut Vec<u8>) -> Decision {
        self.read.add(key.len() + fragment.len());
        if let Some(resume) = self.not_owned(key) {
            out.extend_from_slice(&resume);
            return Decision::SkipTo;
        }
        if is_operand && self.shown_key == key {
            self.shown_operands += 1;
        } else {
            self.shown_key.clear();
            self.shown_key.extend_from_slice(key);
            self.shown_operands = usize::from(is_operand);
        }
        let Ok(parts) = key::split(key) else { return Decision::Keep };
        self.enter(&parts);
        let decision = if is_operand {
            self.filter_operand(&parts, fragment, out)
        } else {
            self.filter_value(&parts, fragment, out)
        };
        if is_operand && decision == Decision::Remove {
            self.shown_operands -= 1;
        }
        decision
    }

    fn merge(&mut self, key: &[u8], has_value: bool, fragments: &[&[u8]], out: &mut Vec<u8>) -> bool {
        // Operands have been shown, and counted.
        let value = fragments.first().filter(|_| has_value);
        self.read.add(value.map_or(0, |value| key.len() + value.len()));
        let merged = self.merge_history(key, has_value, fragments, out);
        if merged.is_err() {
            add(&self.table.counters.merge_failures, 1);
        }
        merged.is_ok()
    }
}

/// `None` where something is unknown that purging needs.
fn read_outside(table: &TablePurge, source: &CompactionSource<'_>) -> Option<Outside> {
    if !table.is_attached() {
        return None;
    }
    // In this order: a memtable that is not counted as immutable any more is in a file that is listed, and so are files
    // whose ingestion has ended.
    let (sealed, ingestions) = (table.sealed(), table.ingestions());
    let view = match source.view() {
        Ok(view) => view?,
        Err(error) => {
            log(format_args!("a compaction of {} purges nothing: {error}", table.name()));
            return None;
        }
    };
    if view.snapshots > 0 {
        return None;
    }
    let headers = StraddlingHeaders::read(source, &view.input_files, table.policy().settled_before_s);
    Some(Outside {
        headers,
        files: FileBounds::new(view.other_files),
        memtables: table.forget(sealed, view.immutable_memtables),
        ingestions,
        whole_partitions: view.max_subcompactions <= 1 && !table.subcompactions_seen(),
    })
}

fn add(counter: &AtomicU64, amount: u64) {
    counter.fetch_add(amount, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::{clustering, partition, partition_deletion, row, HEADER, ROW, STATIC};
    use cassiterite_testkit::spoilt::spoilt;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn keys() -> Vec<Vec<u8>> {
        let of = |kind, clustering: &[u8]| [&partition("a"), &[kind][..], clustering].concat();
        vec![of(HEADER, &[]), of(STATIC, &[]), of(ROW, &clustering(1)), of(ROW, &clustering(2))]
    }

    fn fragment() -> impl Strategy<Value = Vec<u8>> {
        spoilt(vec![partition_deletion(3), row(2, 1, b"value"), row(4, 1, b""), EMPTY_FRAGMENT.to_vec()])
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(
            entries in vec((spoilt(keys()), any::<bool>(), fragment()), 1..8),
            operands in vec(fragment(), 1..4),
        ) {
            let table = TablePurge::new("a");
            let mut run = CompactionRun {
                policy: table.policy(),
                table,
                outside: None,
                partition: Partition::default(),
                shown_key: Vec::new(),
                shown_operands: 0,
                merged: Vec::new(),
                read: ReadCounter::default(),
            };
            for (key, is_operand, fragment) in &entries {
                run.filter(key, *is_operand, fragment, &mut Vec::new());
                let shown: Vec<&[u8]> = operands.iter().map(Vec::as_slice).collect();
                run.merge(key, !is_operand, &shown, &mut Vec::new());
            }
        }
    }
}
