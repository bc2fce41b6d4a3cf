// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Cleanup: removes what lies outside token ranges, also from the files.
//!
//! Files that lie wholly outside go at once; what is left is compacted while compactions drop what the table does not
//! own. A crash leaves everything inside as it was, and outside possibly part of what was there.

use crate::compaction::cleanup::stopped;
use crate::error::{EngineError, Result};
use crate::faults::{reached, Step};
use crate::raw::sys::{compact_range, delete_files, FamilyHandle, Iter, IterSpec, Reach};
use crate::raw::{listed_files, LiveFile};
use crate::table::{ColumnFamily, Table, TableCore};
use crate::tokens::{token_of, TokenRange, TokenSet};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// Compactions that began before the first pass may bring back what it removed; later ones cannot.
const PASSES: usize = 3;

impl Table {
    /// Removes everything outside token ranges (docs/internals/boundary.md, Token ranges), for good when it returns.
    /// Takes long. What is written outside meanwhile may or may not be removed: see [`Table::stop_cleanup`].
    pub fn cleanup(&self, ranges: &[u8]) -> Result<()> {
        let owned = Arc::new(TokenSet::of(TokenRange::list(ranges)?));
        let cleaned = self.on_copy(|core| {
            let stop = core.begin_cleanup()?;
            let _one = core.cleaning()?;
            let (core, _pinned) = self.with_column_families_pinned(core)?;
            let cleanup = Cleanup { core: &core, stop: &stop };
            cleanup.run(&owned).or_else(|error| cleanup.go_on().and(Err(error)))
        });
        cleaned.map_err(|error| error.context("cleaning up a table"))
    }

    /// Ends every running [`Table::cleanup`] with [`EngineError::Busy`]: its ranges are no longer right. What it has
    /// removed is gone. Once this returns, running compactions remove nothing more.
    pub fn stop_cleanup(&self) -> Result<()> {
        self.shared(|core| {
            core.stop_cleanups();
            Ok(())
        })
    }
}

/// One call of [`Table::cleanup`]. The merge-in, which would bring back what is removed, waits for it. Shipments do
/// not: their rows lie inside the ranges, or count as written meanwhile.
struct Cleanup<'a> {
    core: &'a TableCore,
    stop: &'a AtomicBool,
}

impl Cleanup<'_> {
    /// An error once it is to end early.
    fn go_on(&self) -> Result<()> {
        self.core.check_open()?;
        if self.stop.load(Ordering::Acquire) {
            return Err(stopped());
        }
        Ok(())
    }

    fn run(&self, owned: &Arc<TokenSet>) -> Result<()> {
        if !self.core.has_data() {
            return Ok(());
        }
        let outside = owned.complement();
        let families = self.core.column_families();
        let _dropping =
            families.all().map(|family| family.purge.drop_outside(owned, self.stop)).collect::<Result<Vec<_>>>()?;
        for _ in 0..PASSES {
            self.go_on()?;
            reached(Step::Cleaning)?;
            self.core.flush()?;
            let mut is_all_clear = true;
            for ColumnFamily { handle: family, .. } in families.all() {
                self.pass(family, &outside)?;
                is_all_clear &= is_clear(family, &outside)?;
            }
            if is_all_clear {
                return Ok(());
            }
        }
        let why =
            "rows outside of the table's ranges are written while they are removed; clean it up again when the writes have ended";
        Err(EngineError::Busy(why.into()))
    }

    /// Rewrites once every file that has keys in these ranges, or may have.
    fn pass(&self, family: &FamilyHandle, outside: &TokenSet) -> Result<()> {
        let ranges: Vec<(Vec<u8>, Vec<u8>)> =
            outside.ranges().iter().map(|range| (range.first_key(), range.end_key())).collect();
        self.go_on()?;
        delete_files(family, &ranges)?;
        let found: HashSet<u64> = touching(family, outside)?.iter().map(|file| file.number).collect();
        for (range, (first, end)) in outside.ranges().iter().zip(&ranges) {
            self.go_on()?;
            // What a compaction of this pass has written holds nothing from outside, though it may reach across it.
            let range = TokenSet::of(vec![*range]);
            if touching(family, &range)?.iter().any(|file| found.contains(&file.number)) {
                self.core.manually(|| compact_range(family, first, end, self.stop))?;
            }
        }
        Ok(())
    }
}

/// The live files that reach into these ranges.
fn touching(family: &FamilyHandle, ranges: &TokenSet) -> Result<Vec<LiveFile>> {
    let mut found = Vec::new();
    for file in listed_files(family.db(), family)? {
        if ranges.touches(token_of(&file.smallest_key)?, token_of(&file.largest_key)?) {
            found.push(file);
        }
    }
    Ok(found)
}

/// Whether no file begins or ends in these ranges, and nothing in them can be read.
fn is_clear(family: &FamilyHandle, outside: &TokenSet) -> Result<bool> {
    for file in listed_files(family.db(), family)? {
        if outside.contains(token_of(&file.smallest_key)?) || outside.contains(token_of(&file.largest_key)?) {
            return Ok(false);
        }
    }
    let spec =
        IterSpec { lower: Vec::new(), upper: Vec::new(), one_prefix: false, fill_cache: false, reach: Reach::Files };
    let mut iter = Iter::open(family, spec);
    for range in outside.ranges() {
        iter.seek(&range.first_key())?;
        if iter.key().is_some_and(|key| key < range.end_key().as_slice()) {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::common::{half_noise, open, partition, put, rows};
    use std::time::Duration;

    #[test]
    fn a_compaction_that_runs_drops_nothing_more_once_a_cleanup_is_stopped() {
        let directory = tempfile::tempdir().unwrap();
        let store = open(directory.path());
        let table = crate::common::table(&store);
        let names: Vec<String> = (0..100).map(|number| format!("p{number}")).collect();
        names.iter().zip(0..).for_each(|(name, seed)| put(&table, name, 1, 1, &half_noise(seed, 200_000)));
        table.flush().unwrap();
        store.set("compaction_rate_limit=1MiB/s").unwrap();

        let purge = table.shared(|core| Ok(Arc::clone(core.purge()))).unwrap();
        let dropping = purge
            .drop_outside(
                &Arc::new(TokenSet::of(vec![TokenRange { left: i64::MIN, right: 0 }])),
                &AtomicBool::new(false),
            )
            .unwrap();
        std::thread::scope(|scope| {
            let compacting = scope.spawn(|| table.compact());
            std::thread::sleep(Duration::from_millis(500)); // the half that the table owns comes first, and takes seconds
            assert!(!compacting.is_finished());
            table.stop_cleanup().unwrap();
            store.set("compaction_rate_limit=0B/s").unwrap();
            compacting.join().unwrap().unwrap();
        });
        let left = names.iter().filter(|name| rows(&table, name).len() == 1);
        assert_eq!(left.count(), names.len());
        assert!(names.iter().any(|name| token_of(&partition(name)).unwrap() > 0));
        drop(dropping);
        store.close().unwrap();
    }
}
