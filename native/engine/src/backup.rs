// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Incremental backups: each file that flushes write or that comes from elsewhere becomes an increment, a manifest of
//! its own beside the file, in a folder that others copy and empty. A snapshot and all increments since have the rows of
//! all files that the table has, in whatever order they are loaded: fragments are merged by their timestamps.
//!
//! Every step may be repeated after a crash. A name in the folder is complete once it is there.

#[cfg(test)]
mod tests;

use crate::catalog::Record;
use crate::disk_space::check_free_space;
use crate::error::{EngineError, Result};
use crate::faults::{reached, Step};
use crate::increments::{link_new, remove, Flushed, RECEIVED};
use crate::links::{copy, sync_directory, try_link};
use crate::manifest::{FileKind, ListedFile, Manifest};
use crate::raw::sys::TableFile;
use crate::raw::{file_origin, flushed_file, Origin};
use crate::table::{Table, TableCore};
use crate::tokens::TokenSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

impl Table {
    /// Brings all that waits for incremental backups of this table into `directory`, durably; the number of increments.
    /// The directory is made if it is missing. After an error what was not brought waits. An error also tells that a file
    /// could not be kept: its rows will be in no increment. Several calls at once do no harm.
    pub fn back_up(&self, directory: &Path) -> Result<u64> {
        self.on_copy(|core| {
            back_up(core, directory)
                .map_err(|error| error.context(format_args!("backing up into {}", directory.display())))
        })
    }

    /// Forgets what waits: the table is to be in no incremental backup.
    pub fn forget_increments(&self) -> Result<()> {
        self.shared(|core| {
            core.store().increments.forget(core.id());
            Ok(())
        })
    }
}

fn back_up(core: &TableCore, directory: &Path) -> Result<u64> {
    let store = core.store();
    let closing = Arc::clone(&store.closing);
    let _open = closing.delay()?;
    let taking = store.increments.begin_taking(core.id());
    let taken = take_all(core, directory, &|| closing.check());
    if taken.is_ok() {
        store.increments.end_taking(core.id(), &taking);
    }
    match taking.missed {
        None => taken,
        Some(missed) => Err(EngineError::io(format!(
            "rows are in no incremental backup, because a link failed: {}; take a new snapshot once its cause has ended",
            missed.tell()
        ))),
    }
}

fn take_all(core: &TableCore, directory: &Path, check: &dyn Fn() -> Result<()>) -> Result<u64> {
    let mut taken = 0;
    for path in waiting(&core.store().increments.folder(core.id()))? {
        check()?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let result = match Flushed::of(&name) {
            Some(flushed) => take_flushed(core, &path, &flushed, directory, check),
            None if name.starts_with(RECEIVED) => take_received(&path, directory, check),
            None => continue,
        };
        match result {
            Ok(()) => taken += 1,
            Err(_) if !path.exists() => {} // another call has taken it
            Err(error) => return Err(error),
        }
    }
    Ok(taken)
}

fn waiting(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn take_flushed(
    core: &TableCore,
    path: &Path,
    flushed: &Flushed,
    directory: &Path,
    check: &dyn Fn() -> Result<()>,
) -> Result<()> {
    let mut found = flushed_file(path)?;
    found.file_bytes = fs::metadata(path)?.len();
    found.checksum = flushed.checksum;
    let name = name_of(path, &found.origin)?;
    let file = ListedFile { kind: FileKind::Whole, family: 0, file: TableFile::of(name, found) };
    // After the file: it has no column that the record does not know. How many headers it has is not counted.
    let record = core.store().catalog.get(core.id())?.ok_or_else(EngineError::has_closed)?;
    let record = Record { has_headers: true, generation: flushed.generation, ..record };
    let manifest = Manifest::new(core.id(), &record, TokenSet::all(), vec![file]).of_key(&core.key()).into_increment();
    put(&manifest, |_| path.to_owned(), directory, check)?;
    remove(path)
}

fn take_received(path: &Path, directory: &Path, check: &dyn Fn() -> Result<()>) -> Result<()> {
    put(&Manifest::read(path)?, |name| path.join(name), directory, check)?;
    remove(path)
}

/// The files first, then the manifest that makes them an increment.
fn put(
    manifest: &Manifest,
    source: impl Fn(&str) -> PathBuf,
    directory: &Path,
    check: &dyn Fn() -> Result<()>,
) -> Result<()> {
    make(directory)?;
    for ListedFile { file, .. } in &manifest.files {
        put_file(&source(&file.name), directory, file, check)?;
    }
    sync_directory(directory)?;
    reached(Step::IncrementLinked)?;
    manifest.write_increment(directory)?;
    reached(Step::IncrementListed)
}

fn put_file(from: &Path, directory: &Path, file: &TableFile, check: &dyn Fn() -> Result<()>) -> Result<()> {
    let to = directory.join(&file.name);
    if let Ok(there) = fs::metadata(&to) {
        // No other file has the name, and a name is there once the file is complete.
        return match there.len() == file.bytes {
            true => Ok(()),
            false => Err(EngineError::io(format!("{} has been changed: move it away", to.display()))),
        };
    }
    match try_link(from, &to) {
        Ok(true) => Ok(()),
        Ok(false) => put_copy(from, directory, file, check),
        Err(_) if to.exists() => Ok(()), // another call has put it there
        Err(error) => Err(error),
    }
}

fn put_copy(from: &Path, directory: &Path, file: &TableFile, check: &dyn Fn() -> Result<()>) -> Result<()> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let partial = directory.join(format!(".{}.partial-{}", file.name, NUMBER.fetch_add(1, Ordering::Relaxed)));
    remove(&partial)?; // of an earlier run
    let copied = check_free_space(directory, file.bytes)
        .and_then(|()| copy(from, &partial, check))
        .and_then(|()| Ok(fs::rename(&partial, directory.join(&file.name))?));
    if copied.is_err() {
        let _ = remove(&partial);
    }
    copied
}

/// With what is above it, as far as the folder of the table.
fn make(directory: &Path) -> Result<()> {
    if directory.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(directory)
        .map_err(|error| EngineError::from(error).context(format_args!("making {}", directory.display())))?;
    directory.ancestors().skip(1).take(2).try_for_each(sync_directory)
}

/// Keeps files that are about to come into the table, as their manifest lists them in `directory`.
pub(crate) fn keep_received(core: &TableCore, directory: &Path, manifest: &Manifest) {
    core.store().increments.keep_received(core.id(), |folder| {
        let mut files = Vec::new();
        for listed in &manifest.files {
            let from = directory.join(&listed.file.name);
            let name = name_of(&from, &file_origin(&from)?)?;
            let to = folder.join(&name);
            if !to.exists() {
                link_new(&from, &to)?;
                files.push(ListedFile { file: TableFile { name, ..listed.file.clone() }, ..listed.clone() });
            }
        }
        let kept = Manifest { generation: core.generation(), files, ..manifest.clone() };
        kept.of_key(&core.key()).into_increment().write_increment(folder)
    });
}

/// The name that no other file has, of no store.
fn name_of(path: &Path, Origin { session, number }: &Origin) -> Result<String> {
    match session.is_empty() {
        false => Ok(format!("{session}-{number:06}.sst")),
        true => Err(EngineError::internal(format!("{} does not tell in which session it was written", path.display()))),
    }
}
