// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Spares the file with the options of all column families, which RocksDB writes when one comes, goes or changes.

use crate::error::Result;
use rocksdb::{AsRawPtr, Options};
use std::ffi::c_void;

extern "C" {
    fn cassiterite_options_file_install(options: *mut c_void);
    fn cassiterite_options_file_skip();
    fn cassiterite_options_file_skipped() -> bool;
}

/// Makes [`without_options_file`] work on every database that is opened with `options`.
pub(crate) fn spare_options_file(options: &mut Options) {
    // SAFETY: `rocksdb_options_t` is `{ Options rep; }`, borrowed mutably for the call.
    unsafe { cassiterite_options_file_install(options.as_raw_ptr().cast()) }
}

/// Runs a call of RocksDB whose last step is to write that file; without that step.
pub(super) fn without_options_file(call: impl FnOnce() -> Result<()>) -> Result<()> {
    // SAFETY: both change a variable of this thread alone.
    unsafe { cassiterite_options_file_skip() };
    let outcome = call();
    // SAFETY: as above.
    match unsafe { cassiterite_options_file_skipped() } {
        true => Ok(()), // all that comes before it has succeeded
        false => outcome,
    }
}
