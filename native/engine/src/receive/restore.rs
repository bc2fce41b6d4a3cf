// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Takes a snapshot in by its files, after a look at every byte: it comes from a backup.

use super::shipment::{check, take_in};
use crate::disk_space::check_free_space;
use crate::error::{EngineError, Result};
use crate::load::load_part;
use crate::manifest::{check_bytes, read_parts, ListedFile, Manifest, Part};
use crate::raw::file_count;
use crate::table::{Table, TableCore};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// See [`Table::restore`].
pub(super) fn restore(table: &Table, directory: &Path) -> Result<u64> {
    let parts = read_parts(directory)?;
    table.on_copy(|core| check_all(core, directory, &parts))?;
    // Between the parts, too: deletions may come before what they delete.
    let _held = table.shared(|core| Ok(core.purge().hold()))?;
    let mut rewritten_bytes = 0;
    let (first, increments) = parts.split_first().ok_or_else(|| EngineError::internal("no manifest"))?;
    // A call that was cut short has taken it in as a whole, or has left no file.
    let is_there = !increments.is_empty() && table.shared(|core| Ok(has_files(core)))?;
    if !is_there {
        rewritten_bytes = table.on_copy(|core| {
            let mut progress = core.change_lock()?;
            take_in(table, core, &mut progress, directory, &first.manifest)
        })?;
    }
    for increment in increments {
        load_part(table, increment)?;
    }
    if !increments.is_empty() {
        table.flush()?;
    }
    Ok(rewritten_bytes)
}

fn has_files(core: &TableCore) -> bool {
    core.column_families().all().any(|family| file_count(&core.store().db, &family.handle) > 0)
}

fn check_all(core: &TableCore, directory: &Path, parts: &[Part]) -> Result<()> {
    for Part { manifest, .. } in parts {
        check(core, manifest)?;
        if parts.len() == 1 {
            check_listed(directory, manifest)?;
        }
        check_space(core, directory, manifest)?;
        for ListedFile { file, .. } in &manifest.files {
            check_bytes(directory, file, &|| core.check_open())?;
        }
    }
    Ok(())
}

/// Two snapshots in one directory, of which one has lost its manifest, would come back as one of them.
fn check_listed(directory: &Path, manifest: &Manifest) -> Result<()> {
    let listed: BTreeSet<&str> = manifest.files.iter().map(|listed| listed.file.name.as_str()).collect();
    for entry in fs::read_dir(directory)? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        if name.ends_with(".sst") && !listed.contains(name.as_ref()) {
            return Err(EngineError::invalid(format!(
                "the manifest does not list {name}, which is of another snapshot"
            )));
        }
    }
    Ok(())
}

/// Links take no space, copies do.
fn check_space(core: &TableCore, directory: &Path, manifest: &Manifest) -> Result<()> {
    let database = core.store().db.path();
    if fs::metadata(directory)?.dev() == fs::metadata(database)?.dev() {
        return Ok(());
    }
    check_free_space(database, manifest.files.iter().map(|listed| listed.file.bytes).fold(0, u64::saturating_add))
}
