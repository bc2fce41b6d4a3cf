// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Snapshots: hard links to a table's files, with a manifest that says what they are.

mod manifest;

pub(crate) use manifest::{FileKind, ListedFile, Manifest, NAME as MANIFEST_NAME};

use crate::error::{EngineError, Result};
use crate::say::say;
use crate::sys::table_files;
use crate::table::{Member, Table, TableCore};
use crate::tokens::TokenSet;
use rocksdb::DB;
use std::fs::{self, File};
use std::path::Path;

/// Those that a snapshot may be the first in: of its tag, of all snapshots, of the table.
const FOLDERS_ABOVE: usize = 3;

/// Links the table's files as of now into `directory`, which must not exist, and makes all of it durable.
pub(crate) fn take(table: &Table, directory: &Path) -> Result<()> {
    if directory.exists() {
        return Err(exists(directory));
    }
    table.flush()?;
    create(directory)?;
    table.with(|core| fill(core, directory)).map_err(|error| {
        // Half a snapshot must not look like one; without its manifest it does not, if this fails too.
        let _ = fs::remove_dir_all(directory);
        error.context(format_args!("taking a snapshot into {}", directory.display()))
    })
}

fn exists(directory: &Path) -> EngineError {
    EngineError::Invalid(format!("{} exists already: a snapshot goes into a new directory", directory.display()))
}

/// Of two that come here at once, one must not take the other's directory for its own, and remove it.
fn create(directory: &Path) -> Result<()> {
    let above = directory.parent().map_or(Ok(()), fs::create_dir_all);
    above.and_then(|()| fs::create_dir(directory)).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => exists(directory),
        _ => EngineError::from(error).context(format_args!("making {}", directory.display())),
    })
}

fn fill(core: &TableCore, directory: &Path) -> Result<()> {
    let db = &core.store().db;
    let headers = core.headers().seen();
    let kept = KeptFiles::keep(db)?;
    let mut files = Vec::new();
    let names: Vec<&str> = core.families().all().map(Member::name).collect();
    for (family, file) in table_files(db, &names)? {
        link(&db.path().join(&file.name), &directory.join(&file.name))?;
        files.push(ListedFile { kind: FileKind::Whole, family, file });
    }
    drop(kept);
    Manifest::new(core.id(), &core.record(headers)?, TokenSet::all(), files).write(directory)?;
    let above = directory.ancestors().skip(1).take(FOLDERS_ABOVE);
    above.filter(|folder| !folder.as_os_str().is_empty()).try_for_each(sync_directory)
}

/// Hard-links a file, or copies it, durably, where it lies on another device.
pub(crate) fn link(from: &Path, to: &Path) -> Result<()> {
    let linked = match fs::hard_link(from, to) {
        Err(error) if error.kind() == std::io::ErrorKind::CrossesDevices => {
            fs::copy(from, to).and_then(|_| File::open(to)?.sync_all())
        }
        other => other,
    };
    linked.map_err(|error| EngineError::from(error).context(format_args!("linking {}", from.display())))
}

/// Makes the names in a directory durable.
pub(crate) fn sync_directory(directory: &Path) -> Result<()> {
    let synced = File::open(directory).and_then(|directory| directory.sync_all());
    synced.map_err(|error| EngineError::from(error).context(format_args!("syncing {}", directory.display())))
}

/// While it lives no file of the database is deleted. Held for milliseconds: it is for all tables.
struct KeptFiles<'a>(&'a DB);

impl<'a> KeptFiles<'a> {
    fn keep(db: &'a DB) -> Result<Self> {
        db.disable_file_deletions()?;
        Ok(KeptFiles(db))
    }
}

impl Drop for KeptFiles<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.0.enable_file_deletions() {
            say(format_args!("files that are no longer used stay until the node restarts: {error}"));
        }
    }
}
