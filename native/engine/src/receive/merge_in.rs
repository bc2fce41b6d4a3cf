// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Merges side column families into the base, step by step. Where a side column family is larger than the base the two
//! change places first, so that the smaller is rewritten.

use super::placement::Placement;
use super::rows::{rewrite, FILE_BYTES};
use crate::disk_space::check_free_space;
use crate::error::{EngineError, Result};
use crate::faults::{reached, Step};
use crate::imported::everything;
use crate::options::L0_CALM_FILES;
use crate::raw::sys::{Iter, IterSpec};
use crate::source::Source;
use crate::table::{ColumnFamily, MergeInProgress, Table, TableCore};
use std::time::{Duration, Instant};

/// A step waits this long at most for the base's compaction, or for the rate at which it may write.
const WAIT_MAX: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(20);

/// See [`Table::merge_in`].
pub(super) fn merge_in(table: &Table) -> Result<u64> {
    table.on_copy(|core| {
        let mut progress = core.try_change_lock()?;
        let core = &table.shared(|core| Ok(core.clone()))?;
        if core.side_families().is_empty() || !core.is_current()? {
            return Ok(0);
        }
        if progress.is_doubtful {
            give_up(core, &mut progress)?; // forgetting them has failed
        }
        if !progress.departing.is_empty() {
            return Err(EngineError::busy("the rows of the table are leaving it; try again when that has ended"));
        }
        core.store().durability.check()?;
        check_free_space(core.store().db.path(), FILE_BYTES)?;
        let mut step = MergeIn { table, core, progress: &mut progress };
        if let Some(larger) = step.larger_side_family() {
            step.swap_with_base(larger)?;
        } else {
            step.rewrite_some()?;
        }
        table.shared(|core| Ok(side_family_bytes(core)))
    })
}

/// What was departing is like any side column family from now on.
pub(super) fn give_up(core: &TableCore, progress: &mut MergeInProgress) -> Result<()> {
    if progress.is_doubtful && core.is_current()? {
        let families = core.column_families();
        record(core, families.base.number, families.side_families.iter().map(|family| family.number).collect())?;
        core.store().catalog.store_again(core.id())?;
    }
    progress.is_doubtful = false;
    progress.departing.clear();
    Ok(())
}

/// The bytes of the side column families; at least 1 while there is one.
fn side_family_bytes(core: &TableCore) -> u64 {
    core.side_families().iter().map(|side_family| side_family.bytes().max(1)).fold(0, u64::saturating_add)
}

/// One step of it, under [`TableCore::change_lock`].
struct MergeIn<'a> {
    table: &'a Table,
    core: &'a TableCore,
    progress: &'a mut MergeInProgress,
}

impl MergeIn<'_> {
    /// The number of the largest side column family, if it is larger than the base.
    fn larger_side_family(&self) -> Option<u32> {
        let largest =
            self.core.side_families().iter().map(|side_family| (side_family.bytes(), side_family.number)).max()?;
        (largest.0 > self.core.column_families().base.bytes()).then_some(largest.1)
    }

    /// Makes a side column family the base, and the base a side column family. Meanwhile writes go to either, and reads
    /// merge both.
    fn swap_with_base(&mut self, number: u32) -> Result<()> {
        let is_compacted = self.core.automatic_compaction().is_on()?;
        for side_family in self.core.side_families().iter().filter(|side_family| side_family.number == number) {
            side_family.relax_stall_triggers(true)?;
            side_family.set_compacted(is_compacted)?;
        }
        let base = self.core.column_families().base.number;
        let others =
            self.core
                .side_families()
                .iter()
                .map(|side_family| if side_family.number == number { base } else { side_family.number });
        record(self.core, number, others.collect())?;
        reached(Step::SwapRecorded)?;
        self.table.exclusive(|core| {
            let families = core.column_families_mut();
            let side_family = families.side_families.iter_mut().find(|side_family| side_family.number == number);
            side_family.into_iter().for_each(|side_family| std::mem::swap(side_family, &mut families.base));
            Ok(())
        })?;
        self.progress.position = None;
        reached(Step::Swapped)?;
        self.table.shared(|core| {
            core.side_families().iter().try_for_each(|side_family| side_family.set_compacted(false))?;
            core.automatic_compaction().apply(core, is_compacted)
        })
    }

    /// Rewrites the next file's worth of the smallest side column family as rows into the base; drops the side column
    /// column family at its end.
    fn rewrite_some(&mut self) -> Result<()> {
        let Some(side_family) =
            self.core.side_families().iter().min_by_key(|side_family| (side_family.bytes(), side_family.number))
        else {
            return Ok(());
        };
        if !self.base_is_ready()? {
            return Ok(());
        }
        let begun = Instant::now();
        let from = match &self.progress.position {
            Some((number, from)) if *number == side_family.number => from.clone(),
            _ => Vec::new(),
        };
        let mut source = Source::one(Iter::open(&side_family.handle, IterSpec { lower: from.clone(), ..everything() }));
        source.seek(&from)?;
        let (rows, left) = rewrite(self.core.store(), &mut source, None, 1, || self.core.check_open())?;
        drop(source);
        if !rows.sst_set.is_empty() {
            // Rows of a former base may be younger than what the device has of the log: their index entries, and what
            // Cassandra wrote before them, are in the log alone.
            let store = self.core.store();
            store.durability.sync(&store.db)?;
            let placement = Placement::new(self.table, self.core, self.progress);
            placement.put_into_base(&rows.sst_set)?;
            reached(Step::MergedIn)?;
        }
        match left {
            Some(next) => {
                self.progress.position = Some((side_family.number, next));
                self.wait_until(begun + self.time_for(rows.sst_set.bytes())?)
            }
            None => self.drop_side_family(side_family.clone()),
        }
    }

    /// Removes a side column family whose data are in the base, all of them.
    fn drop_side_family(&mut self, side_family: ColumnFamily) -> Result<()> {
        let number = side_family.number;
        let others =
            self.core.side_families().iter().map(|side_family| side_family.number).filter(|other| *other != number);
        record(self.core, self.core.column_families().base.number, others.collect())?;
        reached(Step::FamilyUnrecorded)?;
        self.table.exclusive(|core| {
            core.column_families_mut().side_families.retain(|family| family.number != number);
            Ok(())
        })?;
        reached(Step::Unpublished)?;
        side_family.delete(self.core.store())
    }

    /// Waits while the base has so many files of level 0 that more would slow writers down; whether it has few by now.
    fn base_is_ready(&self) -> Result<bool> {
        let deadline = Instant::now() + WAIT_MAX;
        loop {
            self.core.check_open()?;
            if !self.core.automatic_compaction().is_on()? {
                return Ok(true); // no file holds writers back, and none would ever go
            }
            let base = &self.core.column_families().base;
            if base.level0_files() < L0_CALM_FILES {
                base.relax_stall_triggers(false)?;
                return Ok(true);
            }
            if Instant::now() >= deadline {
                return Ok(false);
            }
            std::thread::sleep(POLL);
        }
    }

    /// How long compaction would have to take to write that much.
    fn time_for(&self, bytes: u64) -> Result<Duration> {
        let bytes_per_second = self.core.store().settings()?.compaction_bytes_per_second;
        let time_ms = bytes.saturating_mul(1000).checked_div(bytes_per_second).unwrap_or_default();
        Ok(Duration::from_millis(time_ms).min(WAIT_MAX))
    }

    fn wait_until(&self, deadline: Instant) -> Result<()> {
        while Instant::now() < deadline {
            self.core.check_open()?;
            std::thread::sleep(POLL);
        }
        Ok(())
    }
}

/// Names the column families in the catalog, all of them: an attempt that failed halfway does not count.
pub(super) fn record(core: &TableCore, base: u32, side_families: Vec<u32>) -> Result<()> {
    let generation = core.generation();
    let named = core.store().catalog.update(core.id(), |record| {
        if record.generation != generation {
            return Err(EngineError::closed("the table has been truncated"));
        }
        let last = side_families.iter().copied().fold(base, u32::max);
        record.next_family = record.next_family.max(last.saturating_add(1));
        record.base = base;
        record.side_families = side_families;
        Ok(())
    });
    named.map(drop)
}
