// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Takes a shipment in: checks it, agrees on column ids, and places its files.

use super::columns::{admit_hidden, adopt, plan, reserve, Plan};
use super::placement::Placement;
use super::rewrite::as_rows;
use super::rows::disjoint;
use super::sst_set::{bytes, SstSet};
use crate::backup::keep_received;
use crate::catalog::Record;
use crate::error::{EngineError, Result};
use crate::faults::{reached, Step};
use crate::links::sync_directory;
use crate::log::log;
use crate::manifest::{FileKind, ListedFile, Manifest};
use crate::raw::sys::TableFile;
use crate::schema::log_hidden;
use crate::table::{MergeInProgress, Table, TableCore};
use std::fs;
use std::path::Path;

/// See [`Table::receive`].
pub(super) fn receive(table: &Table, directory: &Path) -> Result<u64> {
    table.on_copy(|core| {
        let mut progress = core.change_lock()?;
        let manifest = Manifest::read(directory)?;
        let rewritten_bytes = take_in(table, core, &mut progress, directory, &manifest)?;
        remove(directory)?;
        Ok(rewritten_bytes)
    })
}

/// Takes links to the files of a directory in, under [`TableCore::change_lock`]; the bytes of whole files that were
/// rewritten as rows.
pub(super) fn take_in(
    table: &Table,
    core: &TableCore,
    progress: &mut MergeInProgress,
    directory: &Path,
    manifest: &Manifest,
) -> Result<u64> {
    core.store().durability.check()?;
    let record = check(core, manifest)?;
    if manifest.files.is_empty() {
        return Ok(0);
    }
    let plan = agree_on_columns(table, core, manifest, &record)?;
    let core = &table.shared(|core| Ok(core.clone()))?; // as it is under the change lock
    core.note_bulk_load()?;
    // Before they come in: rows of a failure are as good as any.
    keep_received(core, directory, manifest);
    let _recorded = core.record_contents(manifest.has_headers)?;
    reached(Step::ContentsRecorded)?;
    core.column_families().all().for_each(|family| family.purge.keep_late_ranges(&manifest.tokens));
    let mut placement = Placement::new(table, core, progress);
    place_files(&mut placement, directory, manifest, plan)?;
    Ok(placement.rewritten_bytes)
}

/// Refuses what is of another table.
pub(super) fn check(core: &TableCore, manifest: &Manifest) -> Result<Record> {
    let record = core.store().catalog.get(core.id())?.ok_or_else(EngineError::has_closed)?;
    if record.generation != core.generation() {
        return Err(EngineError::closed("the table has been truncated"));
    }
    if manifest.id != core.id() || manifest.counter != record.counter {
        return Err(EngineError::invalid(format!(
            "it is of another table: {}.{}, for {}.{}",
            manifest.keyspace, manifest.name, record.keyspace, record.name
        )));
    }
    Ok(record)
}

/// Makes the ids of the columns mean the same here, where they can.
fn agree_on_columns(table: &Table, core: &TableCore, manifest: &Manifest, record: &Record) -> Result<Plan> {
    if let Plan::Rewrite(_) = plan(&manifest.columns, record)? {
        try_to_adopt(table, manifest)?;
    }
    // The columns may have been altered since: this is decided under the lock of the catalog.
    let (mut before, mut agreed) = (None, Plan::Same(Vec::new()));
    let record = core.store().catalog.update(core.id(), |record| {
        before = Some(record.clone());
        agreed = plan(&manifest.columns, record)?;
        match &agreed {
            Plan::Same(unused) => reserve(unused, record),
            Plan::Rewrite(_) => {
                admit_hidden(&manifest.columns, record)?;
                agreed = plan(&manifest.columns, record)?;
            }
        }
        Ok(())
    })?;
    log_hidden(before.as_ref(), &record);
    table.shared(|core| {
        core.set_dropped(&record.dropped());
        Ok(())
    })?;
    Ok(agreed)
}

/// Takes over the sender's ids if nothing has been written here and no caller knows the ids yet, nor
/// a file that waits for an incremental backup.
fn try_to_adopt(table: &Table, manifest: &Manifest) -> Result<()> {
    // Exclusive: a write that has begun by now would use the old ids.
    let adopted = table.exclusive(|core| {
        if core.has_data() || core.ids_handed_out() || core.store().increments.is_waiting(core.id()) {
            return Ok(false);
        }
        core.store().catalog.update(core.id(), |record| {
            adopt(&manifest.columns, record);
            Ok(())
        })?;
        Ok(true)
    })?;
    if adopted {
        reached(Step::Adopted)?;
    }
    Ok(())
}

fn place_files(placement: &mut Placement<'_>, directory: &Path, manifest: &Manifest, plan: Plan) -> Result<()> {
    let is_rows = |listed: &&ListedFile| listed.kind == FileKind::Rows;
    let rows: Vec<TableFile> = manifest.files.iter().filter(is_rows).map(|listed| listed.file.clone()).collect();
    let mut whole = manifest.groups();
    whole.truncate(whole.len() - usize::from(!rows.is_empty())); // the rows are the last group
    let map = match plan {
        Plan::Same(_) if whole.len() <= 1 => {
            let whole = SstSet::open(directory, whole.pop().unwrap_or_default(), true)?;
            return placement.place(&whole, &SstSet::open(directory, rows, false)?);
        }
        // Column families of a snapshot that may overlap.
        Plan::Same(_) => None,
        Plan::Rewrite(map) => Some(map),
    };
    placement.rewritten_bytes = bytes(whole.iter().flatten());
    whole.push(disjoint(&rows));
    let rewritten = as_rows(placement.core, directory, &whole, map.as_ref())?;
    placement.place_rows(&rewritten.sst_set)
}

/// Its files are links to those in the database by now. What a failure leaves is an error that changes nothing.
fn remove(directory: &Path) -> Result<()> {
    let removed = fs::remove_dir_all(directory).map_err(EngineError::from);
    if let Err(error) = removed.and_then(|()| directory.parent().map_or(Ok(()), sync_directory)) {
        log(format_args!("{} was received but cannot be removed; it stays: {error}", directory.display()));
    }
    Ok(())
}
