// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reads the manifest before the database is open.

use super::super::status::{outcome, Failure};
use super::c_string;
use crate::error::{EngineError, Result};
use std::ffi::c_char;
use std::path::Path;

extern "C" {
    fn cassiterite_first_needed_log(database: *const c_char, first: *mut u64) -> *mut Failure;
}

/// The number of the oldest write-ahead log that opening the database would replay.
pub(crate) fn first_needed_log(database: &Path) -> Result<u64> {
    let path = database.to_str().ok_or_else(|| EngineError::Invalid(format!("{} is not UTF-8", database.display())))?;
    let path = c_string(path)?;
    let mut first = 0;
    // SAFETY: the path is NUL-terminated and `first` may be written; both outlive the call.
    outcome(unsafe { cassiterite_first_needed_log(path.as_ptr(), &mut first) })
        .map_err(|error| error.context(format_args!("reading the manifest in {}", database.display())))?;
    Ok(first)
}
