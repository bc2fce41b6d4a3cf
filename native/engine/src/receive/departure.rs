// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The rows that a table has now leave it, while it takes writes: an empty column family becomes the base, and what was
//! there becomes *departing* side column families, into which nothing comes any more. Their owner copies them elsewhere;
//! then all of them are forgotten at once.
//!
//! Which ones depart is known to this process alone. After a start they are side column families as others are.

use super::merge_in::{give_up, record};
use crate::catalog::{family_name, ColumnState};
use crate::error::{EngineError, Kind, Result};
use crate::faults::{reached, Step};
use crate::raw::sys::FamilyHandle;
use crate::table::{ColumnFamily, FoundFamily, MergeInProgress, Table, TableCore};
use std::sync::Arc;

/// Each departure that a crash ends leaves a side column family, and reads merge all of them.
const SIDE_FAMILIES_MAX: usize = 4;

/// See [`Table::begin_departure`].
pub(super) fn begin(table: &Table, base_bytes_max: u64) -> Result<u64> {
    table.on_copy(|core| {
        let mut progress = core.try_change_lock()?;
        let core = present(table)?;
        check(&core)?;
        check_columns(&core)?;
        if core.column_families().base.bytes() > base_bytes_max && core.side_families().len() < SIDE_FAMILIES_MAX {
            replace_base(table, &core, &mut progress)?;
        }
        let core = present(table)?;
        progress.departing = core.side_families().iter().map(|family| family.number).collect();
        // A log that is given up later takes nothing of them along, and holds up no other log until then.
        for family in core.side_families() {
            core.store().db.flush_cf(&family.handle)?;
        }
        Ok(core.side_families().iter().map(|family| family.bytes().max(1)).fold(0, u64::saturating_add))
    })
}

/// See [`Table::forget_departed`].
pub(super) fn forget(table: &Table) -> Result<()> {
    table.on_copy(|core| {
        let mut progress = core.try_change_lock()?;
        let core = present(table)?;
        check(&core)?;
        let (gone, left): (Vec<ColumnFamily>, Vec<ColumnFamily>) =
            core.side_families().iter().cloned().partition(|family| progress.departing.contains(&family.number));
        if gone.is_empty() {
            return Ok(());
        }
        // From here on a start may find them or not, whatever becomes of this call: nothing may come into them.
        progress.is_doubtful = true;
        record(&core, core.column_families().base.number, left.iter().map(|family| family.number).collect())?;
        reached(Step::FamilyUnrecorded)?;
        table.exclusive(|core| {
            core.column_families_mut().side_families.retain(|family| !progress.departing.contains(&family.number));
            Ok(())
        })?;
        progress.is_doubtful = false;
        progress.departing.clear();
        progress.position = None;
        reached(Step::Unpublished)?;
        gone.into_iter().map(|family| family.delete(core.store())).fold(Ok(()), Result::and)
    })
}

/// See [`Table::end_departure`].
pub(super) fn end(table: &Table) -> Result<()> {
    table.on_copy(|core| {
        let mut progress = core.change_lock()?;
        give_up(core, &mut progress)
    })
}

/// See [`Table::families`].
pub(super) fn families(table: &Table) -> Result<Vec<u32>> {
    table.on_copy(|core| {
        let progress = core.change_lock()?;
        let core = present(table)?;
        match progress.is_doubtful {
            true => Err(EngineError::busy("a start may not find rows of the table that were to be forgotten")),
            false => {
                let base = core.column_families().base.number;
                Ok([base].into_iter().chain(core.side_families().iter().map(|family| family.number)).collect())
            }
        }
    })
}

/// The table as it is, under [`TableCore::change_lock`].
fn present(table: &Table) -> Result<TableCore> {
    let core = table.shared(|core| Ok(core.clone()))?;
    match core.is_current()? {
        true => Ok(core),
        false => Err(EngineError::closed("the table has been truncated")),
    }
}

fn check(core: &TableCore) -> Result<()> {
    core.store().durability.check()?;
    if !core.indexes().all()?.is_empty() {
        return Err(EngineError::invalid("the table has indexes, which would have no entries for rows elsewhere"));
    }
    // A deletion here may hide what is elsewhere by then.
    if core.column_families().all().any(|family| family.purge.is_purging()) {
        return Err(EngineError::invalid("compactions of the table may purge deletions: rows must not leave it"));
    }
    Ok(())
}

/// No answer shows hidden values: they would be lost.
fn check_columns(core: &TableCore) -> Result<()> {
    let record = core.store().catalog.get(core.id())?.ok_or_else(EngineError::has_closed)?;
    match record.columns.iter().find(|column| column.state == ColumnState::Hidden) {
        None => Ok(()),
        Some(hidden) => Err(EngineError::invalid(format!(
            "the schema of {}.{} lacks column {} ({}) and has not dropped it: its values would be lost. Add the column",
            record.keyspace,
            record.name,
            String::from_utf8_lossy(&hidden.name),
            hidden.of
        ))),
    }
}

/// Makes an empty column family the base, and the base a side column family. A write that has begun is in the former.
fn replace_base(table: &Table, core: &TableCore, progress: &mut MergeInProgress) -> Result<()> {
    let store = core.store();
    let is_compacted = core.automatic_compaction().is_on()?;
    let family = make(core, is_compacted)?;
    let side_families: Vec<u32> = core.column_families().all().map(|family| family.number).collect();
    match record(core, family.number, side_families) {
        Ok(()) => {}
        Err(error) if error.kind() == Kind::Closed => {
            family.delete(store)?;
            return Err(error);
        }
        // The device may have the record all the same: the column family stays until the next start.
        Err(error) => return Err(error),
    }
    reached(Step::SwapRecorded)?;
    table.exclusive(|core| {
        family.purge.follow(core.purge());
        let families = core.column_families_mut();
        let former = std::mem::replace(&mut families.base, family);
        families.side_families.push(former);
        Ok(())
    })?;
    // The record names all column families that there are.
    progress.is_doubtful = false;
    progress.position = None;
    reached(Step::Swapped)?;
    table.shared(|core| {
        core.side_families().iter().try_for_each(|side_family| side_family.set_compacted(false))?;
        core.automatic_compaction().apply(core, is_compacted)
    })
}

/// An empty column family that nothing names yet.
fn make(core: &TableCore, is_compacted: bool) -> Result<ColumnFamily> {
    let store = core.store();
    let number = core.next_family();
    let name = family_name(core.id(), core.generation(), number);
    let (purge, options) = ColumnFamily::options(store, &name, is_compacted)?;
    purge.follow(core.purge());
    purge.suspend(true);
    let give_up = |handle: FamilyHandle| {
        let _ = store.drop_family(&name, handle); // logs where that fails
    };
    let handle = FamilyHandle::create(&store.db, &name, &options).inspect_err(|_| {
        FamilyHandle::half_made(&store.db, &name).into_iter().for_each(give_up);
    })?;
    let made = reached(Step::FamilyMade)
        .and_then(|()| {
            ColumnFamily::open(store, number, FoundFamily { handle: handle.clone(), purge: Arc::clone(&purge) })
        })
        .and_then(|family| core.set_period(&family).map(|()| family));
    made.inspect_err(|_| give_up(handle))
}
