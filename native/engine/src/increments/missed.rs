// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! That files of a table are in no incremental backup: known until a call has told it, also to a later run.

use super::remove;
use crate::error::Result;
use crate::links::sync_directory;
use crate::log::log;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// An empty file for each that could not be kept. They have numbers, so that telling of one removes no later one.
const MARK: &str = "missed-";

/// Files that could not be kept.
#[derive(Debug)]
pub(crate) struct Missed {
    /// Of the latest one.
    why: String,
    marks: Vec<PathBuf>,
}

impl Missed {
    /// Durably when it returns, where the table's folder takes a file.
    pub(super) fn note(why: String, folder: Result<PathBuf>, numbers: &AtomicU64) -> Missed {
        log(format_args!("a file is kept for no incremental backup: {why}"));
        let mark = folder.and_then(|folder| mark(&folder, numbers)).inspect_err(|error| {
            log(format_args!("if the node ends before a backup has told that, none will: {error}"));
        });
        Missed { why, marks: mark.into_iter().collect() }
    }

    /// What an earlier run has noted and not told.
    pub(super) fn found(folder: &Path) -> Result<Option<Missed>> {
        let mut marks = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(MARK) {
                marks.push(entry.path());
            }
        }
        let why = "before the store was opened; the log of that time has the reason".to_owned();
        Ok((!marks.is_empty()).then_some(Missed { why, marks }))
    }

    pub(super) fn and_before(mut self, before: Option<Missed>) -> Missed {
        self.marks.extend(before.into_iter().flat_map(|before| before.marks));
        self
    }

    /// Why, to be told now: nobody is told again.
    pub(crate) fn tell(self) -> String {
        for mark in &self.marks {
            if let Err(error) = remove(mark) {
                log(format_args!("what is in no incremental backup is told again after a restart: {error}"));
            }
        }
        self.why
    }
}

fn mark(folder: &Path, numbers: &AtomicU64) -> Result<PathBuf> {
    loop {
        let path = folder.join(format!("{MARK}{}", numbers.fetch_add(1, Ordering::Relaxed)));
        match File::create_new(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {} // of an earlier run
            made => {
                made?;
                sync_directory(folder)?;
                return Ok(path);
            }
        }
    }
}
