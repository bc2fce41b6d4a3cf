// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The files of a table in one consistent state, pinned by hard links.
//!
//! RocksDB deletes a file once no version of the tree needs it. Links keep it: made while deletion is off for the whole
//! store, which takes milliseconds, they need neither the table nor the database from then on.

use crate::error::{EngineError, Result};
use crate::links::{copy, try_link};
use crate::log::log;
use crate::manifest::{FileKind, ListedFile, Manifest};
use crate::raw::sys::{file_name, TableFile};
use crate::raw::{file_origin, listed_files, LiveFile, Origin};
use crate::staging::Staged;
use crate::table::{Table, TableCore};
use crate::tokens::TokenSet;
use rocksdb::DB;
use std::path::Path;

/// The files of a table, and what they are.
pub(super) struct Image {
    manifest: Manifest,
    /// Where the links are, if not in the snapshot's directory.
    staged: Option<Staged>,
}

impl Image {
    /// Links the files into `directory`, or beside the store's where that lies on another device. `core` is a copy that
    /// keeps the table open.
    pub(super) fn pin(table: &Table, core: &TableCore, directory: &Path) -> Result<Image> {
        let db = &core.store().db;
        let _no_deletions = NoFileDeletions::begin(db)?;
        let manifest = table.on_present_families(list)?;
        if link_all(&manifest, db.path(), directory)? {
            return Ok(Image { manifest, staged: None });
        }
        let staged = Staged::new(core.store())?;
        if link_all(&manifest, db.path(), &staged.directory)? {
            return Ok(Image { manifest, staged: Some(staged) });
        }
        let why = format!("{} is not on the device of the store's files", staged.directory.display());
        Err(EngineError::io(why))
    }

    /// Brings the files into `directory`, unless `check` fails meanwhile, and then the manifest.
    pub(super) fn complete(self, directory: &Path, check: &dyn Fn() -> Result<()>) -> Result<()> {
        if let Some(staged) = &self.staged {
            for ListedFile { file, .. } in &self.manifest.files {
                copy(&staged.directory.join(&file.name), &directory.join(&file.name), check)?;
            }
        }
        self.manifest.write_snapshot(directory)
    }
}

/// The files that the table has, by the names that they get in the snapshot.
fn list(core: &TableCore) -> Result<Manifest> {
    let db = &core.store().db;
    let headers = core.headers().seen();
    let mut whole = Vec::new();
    for (family, files) in (0_u8..).zip(core.column_families().consistent(|family| listed_files(db, &family.handle))) {
        for file in files? {
            whole.push(ListedFile { kind: FileKind::Whole, family, file: named_for_good(file, db.path())? });
        }
    }
    // After the files: they have no column that it does not know.
    Ok(Manifest::new(core.id(), &core.record(headers)?, TokenSet::all(), whole).of_key(&core.key()))
}

/// The file by a name that no other file ever has, of no store: session and number of its birth. Two snapshots have the
/// same file under the same name. A number that differs in this database is told, too: by it a file is found, and of one
/// birth there may be several here.
fn named_for_good(file: LiveFile, database: &Path) -> Result<TableFile> {
    let present = file_name(file.number);
    let Origin { session, number } = match file.origin == Origin::default() {
        true => file_origin(&database.join(&present))?, // compacted away since
        false => file.origin.clone(),
    };
    if session.is_empty() {
        return Err(EngineError::internal(format!("{present} does not tell in which session it was written")));
    }
    let name = match number == file.number {
        true => format!("{session}-{number:06}.sst"),
        false => format!("{session}-{number:06}-{:06}.sst", file.number),
    };
    Ok(TableFile::of(name, file))
}

/// Whether `to` is on the same device; else there is nothing in it.
fn link_all(manifest: &Manifest, from: &Path, to: &Path) -> Result<bool> {
    for ListedFile { file, .. } in &manifest.files {
        if !try_link(&from.join(file_name(file.number)), &to.join(&file.name))? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// While it lives no file of the database is deleted. It concerns all tables, and lives while the properties of
/// each file of one are read, mostly from memory.
struct NoFileDeletions<'a>(&'a DB);

impl<'a> NoFileDeletions<'a> {
    fn begin(db: &'a DB) -> Result<Self> {
        db.disable_file_deletions()?;
        Ok(NoFileDeletions(db))
    }
}

impl Drop for NoFileDeletions<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.0.enable_file_deletions() {
            log(format_args!("files that are no longer used stay until the node restarts: {error}"));
        }
    }
}
