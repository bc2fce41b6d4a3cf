// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reads the manifest before the database is open.

use super::super::status::{outcome, Failure};
use super::c_string;
use crate::error::{EngineError, Result};
use std::ffi::c_char;
use std::path::Path;

extern "C" {
    fn cassiterite_needed_logs(database: *const c_char, first: *mut u64, next_file: *mut u64) -> *mut Failure;
}

/// What a manifest tells of the write-ahead logs.
pub(crate) struct NeededLogs {
    /// The number of the oldest one that opening the database would replay.
    pub first: u64,
    /// Files with this number or a greater one are younger than the manifest. The log to which the database wrote at
    /// the time has a smaller one.
    pub next_file: u64,
}

/// Of the manifest of a database that is not open.
pub(crate) fn needed_logs(database: &Path) -> Result<NeededLogs> {
    let path = database.to_str().ok_or_else(|| EngineError::invalid(format!("{} is not UTF-8", database.display())))?;
    let path = c_string(path)?;
    let (mut first, mut next_file) = (0, 0);
    // SAFETY: the path is NUL-terminated and the numbers may be written; all outlive the call.
    outcome(unsafe { cassiterite_needed_logs(path.as_ptr(), &mut first, &mut next_file) })
        .map_err(|error| error.context(format_args!("reading the manifest in {}", database.display())))?;
    Ok(NeededLogs { first, next_file })
}
