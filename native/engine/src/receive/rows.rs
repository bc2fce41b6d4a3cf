// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Files of rows: every fragment as a merge operand, which may be ingested over anything.

use super::sst_set::SstSet;
use crate::compaction::TablePurge;
use crate::error::{EngineError, Result};
use crate::options::rows_options;
use crate::raw::sys::{file_name, TableFile};
use crate::source::Source;
use crate::staging::Staged;
use crate::store_core::StoreCore;
use cassiterite_codec::columns::ColumnMap;
use cassiterite_codec::key::{self, Kind};
use cassiterite_codec::remap;
use cassiterite_codec::{is_empty, min_timestamp, CodecError, Outcome};
use rocksdb::{Options, SstFileWriter};
use std::path::PathBuf;

/// Keys and values of one file, before compression; little in tests, so that a little is many files.
pub(super) const FILE_BYTES: u64 = if cfg!(test) { 1 << 10 } else { 64 << 20 };
/// Files that do not overlap may lie at the bottom: RocksDB has seven levels.
pub(super) const BOTTOM_LEVEL: i32 = 6;

/// Files that do not overlap, as files of a bottommost level.
pub(super) fn disjoint(files: &[TableFile]) -> Vec<TableFile> {
    files.iter().map(|file| TableFile { level: BOTTOM_LEVEL, sequences: (0, 0), ..file.clone() }).collect()
}

/// Rewrites what `source`, which has been brought to its start, holds into files of rows, until `files_max` are full;
/// the first key that is left. `check` is called now and then, and may end the work.
pub(super) fn rewrite(
    store: &StoreCore,
    source: &mut Source,
    map: Option<&ColumnMap>,
    files_max: usize,
    check: impl Fn() -> Result<()>,
) -> Result<(Rows, Option<Vec<u8>>)> {
    let staged = Staged::new(store)?;
    let options = rows_options(&*store.settings()?, &store.shared, &TablePurge::new("rows"));
    let mut writing = Writing {
        directory: staged.directory.clone(),
        options: &options,
        open: None,
        files: Vec::new(),
        min_timestamp: i64::MAX,
    };
    let mut remapped = Vec::new();
    let mut left = None;
    while let Some((found, value)) = source.entry() {
        let kind = key::split(found).map_err(corrupt)?.kind;
        let outcome = match (kind, map) {
            (Kind::Header, _) | (_, None) => Outcome::Unchanged,
            (Kind::Static | Kind::Row, Some(map)) => remap(value, map, &mut remapped).map_err(corrupt)?,
            (Kind::Entry, Some(_)) => return Err(EngineError::corruption("a table's file has a key of an index")),
        };
        let fragment = match outcome {
            Outcome::Unchanged if is_empty(kind, value) => None,
            Outcome::Unchanged => Some(value),
            Outcome::Changed => Some(remapped.as_slice()),
            Outcome::Empty => None,
        };
        if let Some(fragment) = fragment {
            if writing.is_full() {
                writing.finish()?;
                check()?;
                if writing.files.len() >= files_max {
                    left = Some(found.to_vec());
                    break;
                }
            }
            writing.add(kind, found, fragment)?;
        }
        source.step()?;
    }
    writing.finish()?;
    let Writing { files, min_timestamp, .. } = writing;
    let sst_set = SstSet { directory: staged.directory.clone(), files, min_timestamp, whole: false };
    Ok((Rows { sst_set, _staged: staged }, left))
}

/// Files of rows, and the folder they lie in, which goes with them.
pub(super) struct Rows {
    pub sst_set: SstSet,
    _staged: Staged,
}

struct Writing<'a> {
    directory: PathBuf,
    options: &'a Options,
    open: Option<(SstFileWriter<'a>, TableFile)>,
    files: Vec<TableFile>,
    min_timestamp: i64,
}

impl Writing<'_> {
    fn is_full(&self) -> bool {
        self.open.as_ref().is_some_and(|(_, file)| file.bytes >= FILE_BYTES)
    }

    fn add(&mut self, kind: Kind, key: &[u8], fragment: &[u8]) -> Result<()> {
        if self.open.is_none() {
            let number = self.files.len() as u64 + 1;
            let file = TableFile {
                name: file_name(number),
                number,
                level: BOTTOM_LEVEL,
                bytes: 0,
                sequences: (0, 0),
                smallest_key: key.to_vec(),
                largest_key: Vec::new(),
                checksum: None,
            };
            let writer = SstFileWriter::create(self.options);
            writer.open(self.directory.join(&file.name)).map_err(failed)?;
            self.open = Some((writer, file));
        }
        if let Some((writer, file)) = &mut self.open {
            writer.merge(key, fragment).map_err(failed)?;
            file.bytes += (key.len() + fragment.len()) as u64;
            file.largest_key.clear();
            file.largest_key.extend_from_slice(key);
        }
        self.min_timestamp = self.min_timestamp.min(min_timestamp(kind, fragment).map_err(corrupt)?);
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        if let Some((mut writer, mut file)) = self.open.take() {
            writer.finish().map_err(failed)?;
            file.bytes = writer.file_size();
            self.files.push(file);
        }
        Ok(())
    }
}

fn failed(error: rocksdb::Error) -> EngineError {
    EngineError::from(error).context("writing a file of rows")
}

fn corrupt(error: CodecError) -> EngineError {
    EngineError::corruption(format!("a fragment is malformed: {error}; take the data from another replica"))
        .caused_by(error)
}
