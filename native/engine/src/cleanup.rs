// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Cleanup: removes what lies outside token ranges, also from the files.
//!
//! It decides on what is there when it begins. From then on compactions drop what the table does not own, and every file
//! that reaches outside is compacted. A partition outside that is written to meanwhile stays whole: the node may be told
//! of the range later than the writer. A crash leaves everything inside as it was, and outside possibly part of what was
//! there.

#[cfg(test)]
mod tests;

use crate::compaction::cleanup::{stopped, DroppingOutside};
use crate::error::{EngineError, Result};
use crate::faults::{reached, Step};
use crate::raw::sys::{compact_range, FamilyHandle, Iter, IterSpec, Reach};
use crate::raw::{placed_files, PlacedFile};
use crate::table::{ColumnFamily, Table, TableCore, VERSION};
use crate::tokens::{token_of, TokenRange, TokenSet};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// Compactions that began before the first pass may bring back what it removed; later ones cannot.
const PASSES: usize = 3;

impl Table {
    /// Removes everything outside token ranges (docs/internals/boundary.md, Token ranges), for good when it returns.
    /// Takes long. What is written outside meanwhile stays, and has it fail at its end: see [`Table::stop_cleanup`], too.
    pub fn cleanup(&self, ranges: &[u8]) -> Result<()> {
        let owned = Arc::new(TokenSet::of(TokenRange::list(ranges)?));
        let cleaned = self.on_copy(|core| {
            let stop = core.begin_cleanup()?;
            let _one = core.cleaning()?;
            let drop_outside = |core: &TableCore| {
                let families = core.column_families().all();
                families.map(|family| family.purge.drop_outside(&owned, &stop)).collect::<Result<Vec<_>>>()
            };
            let (core, _pinned, dropping) = self.with_column_families_pinned_after(core, drop_outside)?;
            let cleanup = Cleanup { core: &core, stop: &stop, dropping: dropping? };
            cleanup.run(&owned.complement()).or_else(|error| cleanup.go_on().and(Err(error)))
        });
        cleaned.map_err(|error| error.context("cleaning up a table"))
    }

    /// Ends every running [`Table::cleanup`] with [`crate::Kind::Busy`]: its ranges are no longer right. What it has
    /// removed is gone. Once this returns, running compactions remove nothing more.
    pub fn stop_cleanup(&self) -> Result<()> {
        self.shared(|core| {
            core.stop_cleanups();
            Ok(())
        })
    }
}

/// One call of [`Table::cleanup`]. The merge-in, which would bring back what is removed, waits for it. Shipments do
/// not: what they bring outside counts as written meanwhile.
struct Cleanup<'a> {
    core: &'a TableCore,
    stop: &'a AtomicBool,
    /// One for each column family, in their order. Side column families that come later are none of them.
    dropping: Vec<DroppingOutside>,
}

impl Cleanup<'_> {
    /// An error once it is to end early.
    fn go_on(&self) -> Result<()> {
        self.core.check_open()?;
        if self.stop.load(Ordering::Acquire) {
            return Err(stopped());
        }
        self.dropping.iter().try_for_each(|dropping| dropping.late().map(drop))
    }

    fn run(&self, outside: &TokenSet) -> Result<()> {
        if !self.core.has_data() {
            return Ok(());
        }
        for _ in 0..PASSES {
            self.go_on()?;
            reached(Step::Cleaning)?;
            self.core.flush()?;
            let mut is_all_clear = true;
            for (ColumnFamily { handle: family, .. }, dropping) in self.core.column_families().all().zip(&self.dropping)
            {
                self.pass(family, outside)?;
                is_all_clear &= is_clear(family, outside, dropping)?;
            }
            if is_all_clear {
                self.go_on()?;
                return self.is_complete();
            }
        }
        let why = "compactions that began before it have brought back what it removed; clean the table up again";
        Err(EngineError::busy(why))
    }

    /// Rewrites once every file that has keys in these ranges, or may have.
    fn pass(&self, family: &FamilyHandle, outside: &TokenSet) -> Result<()> {
        self.go_on()?;
        let mut found = Found::list(family, outside)?;
        for range in outside.ranges() {
            self.go_on()?;
            let only = TokenSet::of(vec![*range]);
            // What a compaction of this pass has written holds nothing from outside, though it may reach across it.
            if found.touch(&only) && found.of_now(family).touch(&only) {
                reached(Step::Sweeping)?;
                let (first, end) = (range.first_key(), range.end_key());
                self.core.manually(|| compact_range(family, &first, &end, self.stop))?;
            }
        }
        Ok(())
    }

    /// An error where something outside has been left, since it was written to meanwhile.
    fn is_complete(&self) -> Result<()> {
        let late = self.dropping.iter().map(DroppingOutside::late).collect::<Result<Vec<_>>>()?;
        let partitions: usize = late.iter().map(|(partitions, _)| partitions).sum();
        let ranges = late.iter().map(|(_, ranges)| *ranges).max().unwrap_or_default();
        if (partitions, ranges) == (0, 0) {
            return Ok(());
        }
        let why = format!(
            "{partitions} partitions and {ranges} streamed ranges outside of the table's ranges came while it was cleaned \
             up, and stay; all else outside is removed: clean it up again when the ring has settled"
        );
        Err(EngineError::busy(why))
    }
}

/// A live file, and the tokens that it reaches over.
struct Reaching {
    number: u64,
    first: i64,
    last: i64,
}

impl Reaching {
    fn of(file: &PlacedFile) -> Result<Reaching> {
        let (first, last) = (token_of(&file.smallest_key)?, token_of(&file.largest_key)?);
        Ok(Reaching { number: file.number, first, last })
    }

    fn touches(&self, ranges: &TokenSet) -> bool {
        ranges.touches(self.first, self.last)
    }
}

/// Those files that a pass has found, and that are still there.
struct Found {
    version: u64,
    files: Vec<Reaching>,
}

impl Found {
    fn list(family: &FamilyHandle, ranges: &TokenSet) -> Result<Found> {
        Ok(Found { version: family.property(VERSION), files: touching(family, ranges)? })
    }

    fn touch(&self, ranges: &TokenSet) -> bool {
        self.files.iter().any(|file| file.touches(ranges))
    }

    /// Lists the files again where any have come or gone.
    fn of_now(&mut self, family: &FamilyHandle) -> &Found {
        let version = family.property(VERSION);
        if version != self.version {
            let live: HashSet<u64> = placed_files(family.db(), family).iter().map(|file| file.number).collect();
            self.files.retain(|file| live.contains(&file.number));
            self.version = version;
        }
        self
    }
}

/// The live files that reach into these ranges.
fn touching(family: &FamilyHandle, ranges: &TokenSet) -> Result<Vec<Reaching>> {
    let mut found = placed_files(family.db(), family).iter().map(Reaching::of).collect::<Result<Vec<_>>>()?;
    found.retain(|file| file.touches(ranges));
    Ok(found)
}

/// Whether no file begins or ends in these ranges, and nothing in them can be read, except in what is late.
fn is_clear(family: &FamilyHandle, outside: &TokenSet, dropping: &DroppingOutside) -> Result<bool> {
    let is_left = |token| outside.contains(token) && !dropping.is_late(token);
    if touching(family, outside)?.iter().any(|file| is_left(file.first) || is_left(file.last)) {
        return Ok(false);
    }
    let spec =
        IterSpec { lower: Vec::new(), upper: Vec::new(), one_prefix: false, fill_cache: false, reach: Reach::Files };
    let mut iter = Iter::open(family, spec);
    for range in outside.ranges() {
        let end = range.end_key();
        let mut from = range.first_key();
        loop {
            iter.seek(&from)?;
            let Some(found) = iter.key().filter(|found| *found < end.as_slice()) else { break };
            let token = token_of(found)?;
            if !dropping.is_late(token) {
                return Ok(false);
            }
            from = TokenRange { left: token.saturating_sub(1), right: token }.end_key();
        }
    }
    Ok(true)
}
