// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Files of rows: one merged operand per key, as any column family can take them in on top of what it has.

use super::pinned_view::PinnedView;
use crate::disk_space::check_free_space;
use crate::error::{EngineError, Result};
use crate::raw::sys::{Iter, TableFile};
use crate::tokens::TokenSet;
use cassiterite_codec::{is_empty, key, merge, CodecError};
use rocksdb::{Options, SstFileWriter};
use std::fs;
use std::path::{Path, PathBuf};

/// A file is cut at this size, or where a range ends if it has at least the smaller one: many small ranges make one
/// file.
const FILE_BYTES: u64 = 64 << 20;
const FILE_BYTES_AT_RANGE_END: u64 = 8 << 20;
/// So many rows are written between two checks of the file's size, of the free space and of whether the table is open.
const ROWS_PER_CHECK: u64 = 64;

/// Writes what the iterators show in the ranges into files in `directory`; ascending, with the number of their keys.
pub(super) fn write(
    view: &mut PinnedView,
    tokens: &TokenSet,
    directory: &Path,
    is_open: &dyn Fn() -> Result<()>,
) -> Result<Vec<(TableFile, u64)>> {
    let (iters, options) = view.iterators();
    let mut rows = Rows { directory, options, open: None, done: Vec::new() };
    let mut merging = Merging { iters, key: Vec::new(), merged: Vec::new() };
    let mut written = 0u64;
    for range in tokens.ranges() {
        is_open()?;
        merging.seek(&range.first_key())?;
        let end = range.end_key();
        while let Some((found, fragment)) = merging.next(&end)? {
            if !fragment.is_empty() {
                rows.add(found, fragment)?;
            }
            written += 1;
            if written.is_multiple_of(ROWS_PER_CHECK) {
                is_open()?;
                check_free_space(directory, 0)?;
                rows.cut_above(FILE_BYTES)?;
            }
        }
        rows.cut_above(FILE_BYTES_AT_RANGE_END)?;
    }
    rows.cut_above(0)?;
    Ok(rows.done)
}

/// The rows of several column families as those of one.
struct Merging<'a> {
    iters: Vec<&'a mut Iter>,
    key: Vec<u8>,
    merged: Vec<u8>,
}

impl Merging<'_> {
    fn seek(&mut self, first: &[u8]) -> Result<()> {
        self.iters.iter_mut().try_for_each(|iter| iter.seek(first))
    }

    /// The next key before `end` with its merged fragment, which is empty where nothing is left of it.
    fn next(&mut self, end: &[u8]) -> Result<Option<(&[u8], &[u8])>> {
        let Some(smallest) = self.iters.iter().filter_map(|iter| iter.key()).min().filter(|found| *found < end) else {
            return Ok(None);
        };
        self.key.clear();
        self.key.extend_from_slice(smallest);
        let kind = key::split(&self.key).map_err(corrupt)?.kind;
        let here = self.iters.iter().filter_map(|iter| iter.entry()).filter(|(found, _)| *found == self.key);
        let fragments: Vec<&[u8]> = here.map(|(_, fragment)| fragment).collect();
        self.merged.clear();
        match fragments.as_slice() {
            [one] => self.merged.extend_from_slice(one),
            several => merge(kind, several, &mut self.merged).map_err(corrupt)?,
        }
        if is_empty(kind, &self.merged) {
            self.merged.clear();
        }
        for iter in &mut self.iters {
            if iter.key() == Some(self.key.as_slice()) {
                iter.step()?;
            }
        }
        Ok(Some((&self.key, &self.merged)))
    }
}

fn corrupt(error: CodecError) -> EngineError {
    EngineError::corruption(format!("the table holds a malformed fragment: {error}")).caused_by(error)
}

/// The files, of which one is being written.
struct Rows<'a> {
    directory: &'a Path,
    options: &'a Options,
    open: Option<OpenFile<'a>>,
    done: Vec<(TableFile, u64)>,
}

struct OpenFile<'a> {
    writer: SstFileWriter<'a>,
    name: String,
    number: u64,
    path: PathBuf,
    keys: u64,
    smallest_key: Vec<u8>,
    largest_key: Vec<u8>,
}

impl<'a> Rows<'a> {
    fn add(&mut self, found: &[u8], fragment: &[u8]) -> Result<()> {
        let file = match &mut self.open {
            Some(file) => file,
            none => none.insert(OpenFile::create(self.directory, self.options, self.done.len() as u64 + 1, found)?),
        };
        file.writer.merge(found, fragment)?;
        file.keys += 1;
        file.largest_key.clear();
        file.largest_key.extend_from_slice(found);
        Ok(())
    }

    /// Ends the open file if it has at least so many bytes.
    fn cut_above(&mut self, bytes: u64) -> Result<()> {
        if let Some(file) = self.open.take_if(|file| file.writer.file_size() >= bytes) {
            self.done.push(file.finish()?);
        }
        Ok(())
    }
}

impl<'a> OpenFile<'a> {
    fn create(directory: &Path, options: &'a Options, number: u64, first_key: &[u8]) -> Result<OpenFile<'a>> {
        check_free_space(directory, 0)?;
        let name = format!("rows-{number:06}.sst");
        let path = directory.join(&name);
        let writer = SstFileWriter::create(options);
        writer.open(&path)?;
        Ok(OpenFile { writer, name, number, path, keys: 0, smallest_key: first_key.to_vec(), largest_key: Vec::new() })
    }

    fn finish(mut self) -> Result<(TableFile, u64)> {
        self.writer.finish()?;
        let file = TableFile {
            name: self.name,
            number: self.number,
            level: 0,
            bytes: fs::metadata(&self.path)?.len(),
            sequences: (0, 0),
            smallest_key: self.smallest_key,
            largest_key: self.largest_key,
            checksum: None,
        };
        Ok((file, self.keys))
    }
}
