// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Loads a snapshot into a live table: its files become a column family of their own, whose fragments are merged in.

use crate::catalog::Record;
use crate::compaction::Written;
use crate::disk_space::check_free_space;
use crate::error::{EngineError, Result};
use crate::faults::{reached, Step};
use crate::imported::ImportedFamily;
use crate::log::log;
use crate::manifest::{check_bytes, directory_of, read_parts, ListedFile, Manifest, Part};
use crate::raw::sys::{Batch, Iter};
use crate::table::{Table, TableCore};
use crate::tokens::token_of;
use crate::write::{apply, Log};
use cassiterite_codec::columns::ColumnMap;
use cassiterite_codec::key::{self, Kind};
use cassiterite_codec::remap;
use cassiterite_codec::{is_empty, min_timestamp, validate, CodecError, Outcome};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

#[cfg(test)]
mod tests;

/// Fragments are written in batches of about this size: writers of the node do not wait long.
const BATCH_BYTES: usize = 1 << 20;

impl Table {
    /// Merges a snapshot into the table; the number of fragments loaded. `at` is its directory, or the manifest in it:
    /// a directory may hold several snapshots. Of a directory with increments all are merged, and the snapshot that is
    /// with them: [`crate::Kind::Invalid`] where a TRUNCATE came between them, or it has a file that no manifest lists.
    pub fn load(&self, at: &Path) -> Result<u64> {
        load(self, at)
    }
}

fn load(table: &Table, at: &Path) -> Result<u64> {
    into_base(table, |core| load_all(core, at))
}

/// The same of one part, whose files have been checked.
pub(crate) fn load_part(table: &Table, part: &Part) -> Result<u64> {
    into_base(table, |core| load_into(core, part))
}

fn into_base(table: &Table, load: impl FnOnce(&TableCore) -> Result<u64>) -> Result<u64> {
    table.on_copy(|core| {
        // Batches go into the base: it must stay the base.
        let (core, _pinned) = table.with_column_families_pinned(core)?;
        // Old deletions may come before what they delete.
        let _held = core.purge().hold();
        // A shipment that is received meanwhile must not give the columns other ids.
        table.shared(|core| {
            core.hand_out_ids();
            Ok(())
        })?;
        load(&core)
    })
}

fn load_all(core: &TableCore, at: &Path) -> Result<u64> {
    let parts = read_parts(at)?;
    if parts.len() > 1 {
        // Nothing is loaded of a backup that is damaged somewhere.
        for Part { path, manifest } in &parts {
            for ListedFile { file, .. } in &manifest.files {
                check_bytes(directory_of(path), file, &|| core.check_open())?;
            }
        }
    }
    parts.iter().try_fold(0, |loaded, part| Ok(loaded + load_into(core, part)?))
}

fn load_into(core: &TableCore, Part { path: at, manifest }: &Part) -> Result<u64> {
    let directory = directory_of(at);
    let record = core.store().catalog.get(core.id())?.ok_or_else(EngineError::has_closed)?;
    let unlike =
        |why: &str| EngineError::invalid(format!("the snapshot is of {}.{}, {why}", manifest.keyspace, manifest.name));
    if manifest.counter != record.counter {
        return Err(unlike("only one of the two has counters"));
    }
    if let Some(difference) = key_difference(manifest, core) {
        return Err(unlike(&difference));
    }
    if manifest.files.is_empty() {
        return Ok(0);
    }
    check_free_space(core.store().db.path(), space_for(manifest, core, directory)?)?;
    core.note_bulk_load()?;
    let columns = map_columns(manifest, &record, directory);
    let mut sources = Vec::new();
    let loaded = stage(core, directory, manifest, &mut sources).and_then(|()| load_sources(core, &sources, &columns));
    let dropped = sources.into_iter().map(|source| source.close(core.store())).fold(Ok(()), Result::and);
    let loaded = loaded.and_then(|loaded| dropped.map(|()| loaded));
    loaded.map_err(|error| error.context(format_args!("loading the snapshot {}", at.display())))
}

/// How the keys differ; `None` where they do not, or one of the two is not known. Under one id a key stays the same, though a
/// type in it may get fields.
fn key_difference(manifest: &Manifest, core: &TableCore) -> Option<String> {
    let here = core.key();
    let may_be_same = manifest.id == core.id() || manifest.key.is_empty() || here.is_empty() || *manifest.key == *here;
    (!may_be_same).then(|| {
        format!(
            "whose key is {}; the table's key is {here}, and rows under another key make it unreadable. Load it into a \
             table with the snapshot's key",
            manifest.key
        )
    })
}

/// Bytes of the rows that will be written, and of the files where they have to be copied from another device.
fn space_for(manifest: &Manifest, core: &TableCore, directory: &Path) -> Result<u64> {
    let bytes = manifest.files.iter().map(|listed| listed.file.bytes).fold(0, u64::saturating_add);
    let is_near = std::fs::metadata(directory)?.dev() == std::fs::metadata(core.store().db.path())?.dev();
    Ok(if is_near { bytes } else { bytes.saturating_mul(2) })
}

/// Makes a column family of each group of files.
fn stage(core: &TableCore, directory: &Path, manifest: &Manifest, sources: &mut Vec<ImportedFamily>) -> Result<()> {
    for files in manifest.groups() {
        sources.push(ImportedFamily::open(core, directory, &files)?);
    }
    Ok(())
}

fn load_sources(core: &TableCore, sources: &[ImportedFamily], columns: &ColumnMap) -> Result<u64> {
    sources.iter().try_for_each(|source| check_all(core, source))?;
    reached(Step::Loading)?;
    sources.iter().try_fold(0, |loaded, source| Ok(loaded + merge_all(core, source, columns)?))
}

/// Columns of the snapshot by name, kind and type, hidden ones too. What the table no longer has is left out.
fn map_columns(manifest: &Manifest, record: &Record, directory: &Path) -> ColumnMap {
    let mut pairs = Vec::new();
    for old in manifest.columns.iter().filter(|column| column.is_kept()) {
        match record.kept_like(old) {
            Some(new) => pairs.push((old.id, new.id)),
            None => log(format_args!(
                "loading {}: the table has no column {} of type {}: its values are left out",
                directory.display(),
                String::from_utf8_lossy(&old.name),
                old.of
            )),
        }
    }
    pairs.into_iter().collect()
}

fn from_start(source: &ImportedFamily) -> Result<Iter> {
    let mut iter = source.iterate();
    iter.seek(&[])?;
    Ok(iter)
}

/// Reads all blocks, keys and fragments: nothing is merged out of a snapshot that is damaged somewhere.
fn check_all(core: &TableCore, source: &ImportedFamily) -> Result<()> {
    let mut iter = from_start(source)?;
    while let Some((found, value)) = iter.entry() {
        core.check_open()?;
        let kind = key::split(found).map_err(corrupt)?.kind;
        validate(kind, value).map_err(corrupt)?;
        iter.step()?;
    }
    Ok(())
}

fn merge_all(core: &TableCore, source: &ImportedFamily, columns: &ColumnMap) -> Result<u64> {
    let mut iter = from_start(source)?;
    let mut loading = Loading { core, batch: Batch::new(), written: NOTHING, tokens: Vec::new(), fragments: 0 };
    let mut remapped = Vec::new();
    while let Some((found, value)) = iter.entry() {
        core.check_open()?;
        let kind = key::split(found).map_err(corrupt)?.kind;
        let outcome = match kind {
            Kind::Header => Outcome::Unchanged,
            Kind::Static | Kind::Row => remap(value, columns, &mut remapped).map_err(corrupt)?,
            Kind::Entry => return Err(EngineError::corruption("a table's file has a key of an index")),
        };
        match outcome {
            Outcome::Unchanged if is_empty(kind, value) => {}
            Outcome::Unchanged => loading.add(kind, found, value)?,
            Outcome::Changed => loading.add(kind, found, &remapped)?,
            Outcome::Empty => {}
        }
        iter.step()?;
    }
    loading.write()?;
    core.store().durability.sync(&core.store().db)?;
    Ok(loading.fragments)
}

/// An empty batch.
const NOTHING: Written = Written { min_timestamp: i64::MAX, has_header: false };

struct Loading<'a> {
    core: &'a TableCore,
    batch: Batch,
    written: Written,
    /// Of the partitions in the batch.
    tokens: Vec<i64>,
    fragments: u64,
}

impl Loading<'_> {
    fn add(&mut self, kind: Kind, key: &[u8], fragment: &[u8]) -> Result<()> {
        self.written.min_timestamp = self.written.min_timestamp.min(min_timestamp(kind, fragment).map_err(corrupt)?);
        self.written.has_header |= kind == Kind::Header;
        let token = token_of(key)?;
        if self.tokens.last() != Some(&token) {
            self.tokens.push(token);
        }
        self.batch.merge(self.core.family(), key, fragment);
        self.fragments += 1;
        if self.batch.bytes() >= BATCH_BYTES {
            self.write()?;
        }
        Ok(())
    }

    fn write(&mut self) -> Result<()> {
        if !self.batch.is_empty() {
            check_free_space(self.core.store().db.path(), 0)?;
            self.core.store().backpressure.wait(self.core.store(), || self.core.check_open())?;
            apply(self.core, &mut self.batch, self.written, &self.tokens, Log::Yes)?;
            self.batch.clear();
            self.tokens.clear();
            self.written = NOTHING;
        }
        Ok(())
    }
}

fn corrupt(error: CodecError) -> EngineError {
    EngineError::corruption(format!("the snapshot holds a malformed fragment: {error}; take it from another copy"))
        .caused_by(error)
}
