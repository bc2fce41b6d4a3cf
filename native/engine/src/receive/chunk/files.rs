// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The files of a chunk, of values or of operands: ascending, none overlapping another.

use crate::disk_space::check_free_space;
use crate::error::{EngineError, Result};
use crate::raw::sys::{SstWriter, TableFile};
use crate::receive::rows::BOTTOM_LEVEL;
use rocksdb::Options;
use std::path::PathBuf;

/// Where and how files are written.
pub(super) struct Target {
    pub directory: PathBuf,
    pub options: Options,
    /// A file is cut at this size.
    pub file_bytes_max: u64,
}

pub(super) struct Files {
    name: &'static str,
    as_operands: bool,
    open: Option<(SstWriter, TableFile)>,
    done: Vec<TableFile>,
    pub entries: u64,
}

impl Files {
    /// Complete rows: they hide what lies below.
    pub(super) fn of_values() -> Files {
        Files { name: "values", as_operands: false, open: None, done: Vec::new(), entries: 0 }
    }

    /// What is merged with what lies below.
    pub(super) fn of_operands() -> Files {
        Files { name: "headers", as_operands: true, open: None, done: Vec::new(), entries: 0 }
    }

    /// Adds an entry whose key is behind all others.
    pub(super) fn add(&mut self, target: &Target, key: &[u8], fragment: &[u8]) -> Result<()> {
        self.cut_above(target.file_bytes_max)?;
        let (writer, file) = match &mut self.open {
            Some(open) => open,
            none => none.insert(create(target, self.name, self.done.len() as u64 + 1, key).map_err(failed)?),
        };
        let added = match self.as_operands {
            true => writer.merge(key, fragment),
            false => writer.put(key, fragment),
        };
        added.map_err(failed)?;
        file.largest_key.clear();
        file.largest_key.extend_from_slice(key);
        self.entries += 1;
        Ok(())
    }

    /// Ends the open file if it has at least so many bytes.
    pub(super) fn cut_above(&mut self, bytes: u64) -> Result<()> {
        if let Some((writer, mut file)) = self.open.take_if(|(writer, _)| writer.bytes() >= bytes) {
            let finished = writer.finish().map_err(failed)?;
            file.bytes = finished.bytes;
            file.checksum = finished.checksum;
            self.done.push(file);
        }
        Ok(())
    }

    /// All of them, complete.
    pub(super) fn finish(mut self) -> Result<Vec<TableFile>> {
        self.cut_above(0)?;
        Ok(self.done)
    }
}

fn create(target: &Target, name: &str, number: u64, first_key: &[u8]) -> Result<(SstWriter, TableFile)> {
    check_free_space(&target.directory, 0)?;
    let file = TableFile {
        name: format!("{name}-{number:06}.sst"),
        number,
        level: BOTTOM_LEVEL,
        bytes: 0,
        sequences: (0, 0),
        smallest_key: first_key.to_vec(),
        largest_key: first_key.to_vec(),
        checksum: None,
    };
    Ok((SstWriter::create(&target.options, &target.directory.join(&file.name))?, file))
}

fn failed(error: EngineError) -> EngineError {
    error.context("writing a chunk")
}
