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
use crate::raw::sys::{file_name, FamilyHandle};
use crate::raw::{file_origin, listed_files, placed_files, Origin};
use crate::staging::Staged;
use crate::table::{Table, TableCore};
use crate::tokens::TokenSet;
use rocksdb::DB;
use std::collections::HashMap;
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
        let (mut manifest, families) = table.on_present_families(list)?;
        name_for_good(&mut manifest, &families)?;
        if link_all(&manifest, db.path(), directory)? {
            return Ok(Image { manifest, staged: None });
        }
        let staged = Staged::new(core.store())?;
        if link_all(&manifest, db.path(), &staged.directory)? {
            return Ok(Image { manifest, staged: Some(staged) });
        }
        let why = format!("{} is not on the device of the store's files", staged.directory.display());
        Err(EngineError::Io(why))
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

/// The files by their names in the database, and their column families.
fn list(core: &TableCore) -> Result<(Manifest, Vec<FamilyHandle>)> {
    let headers = core.headers().seen();
    let listed = core.column_families().consistent(|family| placed_files(&core.store().db, &family.handle));
    let whole = (0_u8..).zip(listed).flat_map(|(family, files)| {
        files.into_iter().map(move |file| ListedFile { kind: FileKind::Whole, family, file: file.into() })
    });
    // After the files: they have no column that it does not know.
    let manifest = Manifest::new(core.id(), &core.record(headers)?, TokenSet::all(), whole.collect());
    Ok((manifest, core.column_families().all().map(|family| family.handle.clone()).collect()))
}

/// Gives the files names that no other file ever has, of no store: by session and number of their birth. Two snapshots
/// have the same file under the same name. A number that differs in this database is told, too: by it a file is found,
/// and of one birth there may be several here.
fn name_for_good(manifest: &mut Manifest, families: &[FamilyHandle]) -> Result<()> {
    let mut born = HashMap::new();
    for family in families {
        for file in listed_files(family.db(), family)? {
            born.insert(file.number, (file.origin, file.checksum));
        }
    }
    for ListedFile { file, .. } in &mut manifest.files {
        let (mut origin, checksum) = born.remove(&file.number).unwrap_or_default();
        if let (true, Some(family)) = (origin == Origin::default(), families.first()) {
            origin = file_origin(&family.db().path().join(&file.name))?; // compacted away since
        }
        let Origin { session, number } = origin;
        if session.is_empty() {
            return Err(EngineError::Internal(format!("{} does not tell in which session it was written", file.name)));
        }
        file.name = match number == file.number {
            true => format!("{session}-{number:06}.sst"),
            false => format!("{session}-{number:06}-{:06}.sst", file.number),
        };
        file.checksum = checksum;
    }
    Ok(())
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

/// While it lives no file of the database is deleted. It lives for milliseconds, for it concerns all tables.
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
