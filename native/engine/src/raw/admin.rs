// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What an operator does: resume after an error, and end compactions.

use super::object_of;
use super::status::{outcome, Failure};
use crate::error::Result;
use rocksdb::{AsRawPtr, Options, DB};
use std::ffi::c_void;

extern "C" {
    fn cassiterite_resume(db: *mut c_void) -> *mut Failure;
    fn cassiterite_stop_compactions(db: *mut c_void);
    fn cassiterite_sum_files(options: *mut c_void);
}

/// Keeps, in the manifest of every database that is opened with `options`, a CRC-32C of each file from when it is
/// written.
pub(crate) fn sum_files(options: &mut Options) {
    // SAFETY: `rocksdb_options_t` is `{ Options rep; }`, borrowed mutably for the call.
    unsafe { cassiterite_sum_files(options.as_raw_ptr().cast()) }
}

/// Asks RocksDB to leave the read-only state that a background error put it in.
pub(crate) fn resume(db: &DB) -> Result<()> {
    // SAFETY: the database is borrowed for the call.
    outcome(unsafe { cassiterite_resume(object_of(db.as_raw_ptr())) })
}

/// Ends all compactions that run or wait, automatic and manual ones, and returns when they have ended. RocksDB begins an
/// automatic one anew only when something else makes it look at the column family.
pub(crate) fn stop_compactions(db: &DB) {
    // SAFETY: the database is borrowed for the call.
    unsafe { cassiterite_stop_compactions(object_of(db.as_raw_ptr())) }
}
