// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Takes a snapshot in by its files, after a look at every byte: it comes from a backup.

use super::shipment::{check, take_in};
use crate::disk_space::check_free_space;
use crate::error::{EngineError, Result};
use crate::manifest::{ListedFile, Manifest};
use crate::raw::sys::TableFile;
use crate::raw::verify_file;
use crate::table::{Table, TableCore};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// What is read at once.
const CHUNK_BYTES: usize = 1 << 20;

/// See [`Table::restore`].
pub(super) fn restore(table: &Table, directory: &Path) -> Result<u64> {
    table.on_copy(|core| {
        let manifest = Manifest::read(directory)?;
        check(core, &manifest)?;
        check_listed(directory, &manifest)?;
        check_space(core, directory, &manifest)?;
        for ListedFile { file, .. } in &manifest.files {
            check_bytes(core, directory, file)?;
        }
        let mut progress = core.change_lock()?;
        take_in(table, core, &mut progress, directory, &manifest)
    })
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

fn check_bytes(core: &TableCore, directory: &Path, file: &TableFile) -> Result<()> {
    let path = directory.join(&file.name);
    let checked = match file.checksum {
        Some(written) => compare(core, &path, written),
        None => verify_file(&path, true, None),
    };
    checked.map_err(|error| error.context(path.display()))
}

fn compare(core: &TableCore, path: &Path, written: u32) -> Result<()> {
    let mut chunk = vec![0; CHUNK_BYTES];
    let (mut file, mut found) = (File::open(path)?, 0);
    loop {
        core.check_open()?;
        let read = file.read(&mut chunk)?;
        if read == 0 {
            break;
        }
        found = crc32c::crc32c_append(found, chunk.get(..read).unwrap_or_default());
    }
    if found == written {
        return Ok(());
    }
    let why = format!("its CRC-32C is {found:08x} instead of {written:08x}; take it from another copy");
    Err(EngineError::corruption(why))
}
