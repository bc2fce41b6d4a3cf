// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Files that are ingested together.

use crate::error::Result;
use crate::raw::sys::{FamilyHandle, TableFile};
use crate::raw::{file_min_timestamp, Ingestion};
use std::path::{Path, PathBuf};

/// The bytes of files together.
pub(super) fn bytes<'a>(files: impl IntoIterator<Item = &'a TableFile>) -> u64 {
    files.into_iter().map(|file| file.bytes).fold(0, u64::saturating_add)
}

/// Files of one kind in one directory.
pub(super) struct SstSet {
    pub directory: PathBuf,
    pub files: Vec<TableFile>,
    /// Of all their entries.
    pub min_timestamp: i64,
    /// Whether they are whole files of a tree; else they were written as rows, and no two overlap.
    pub whole: bool,
}

impl SstSet {
    /// Files from elsewhere, with the smallest timestamp in their properties.
    pub(super) fn open(directory: &Path, mut files: Vec<TableFile>, whole: bool) -> Result<SstSet> {
        // As ingestion wants them: lowest level first, and in level 0 the oldest.
        files.sort_by(|left, right| (right.level, left.sequences.1).cmp(&(left.level, right.sequences.1)));
        let mut min_timestamp = i64::MAX;
        for file in &files {
            let found = file_min_timestamp(&directory.join(&file.name))?;
            min_timestamp = min_timestamp.min(found.unwrap_or(i64::MIN));
        }
        Ok(SstSet { directory: directory.to_owned(), files, min_timestamp, whole })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    pub(super) fn bytes(&self) -> u64 {
        bytes(&self.files)
    }

    /// What ingests these files into a column family.
    pub(super) fn for_family<'a>(&self, family: &'a FamilyHandle) -> Ingestion<'a> {
        let paths = self.files.iter().map(|file| self.directory.join(&file.name)).collect();
        let checksums = self.files.iter().map(|file| file.checksum.map(u32::to_be_bytes)).collect();
        Ingestion { family, paths, whole: self.whole, checksums }
    }
}
