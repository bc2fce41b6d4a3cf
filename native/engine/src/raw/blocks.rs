// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Options of block-based tables that the crate `rocksdb` does not offer.

use rocksdb::{AsRawPtr, Options};
use std::ffi::c_void;

extern "C" {
    fn cassiterite_tune_blocks(options: *mut c_void, whole_bytes_max: u64) -> bool;
}

/// Searches index blocks by the token where its keys allow it, keeps flushed blocks in the cache, and has compactions
/// write indexes and filters in parts where they cut files at more than `whole_bytes_max`. To be called when `options`
/// have their block-based table factory; without one it does nothing and returns false.
pub(crate) fn tune_blocks(options: &mut Options, whole_bytes_max: u64) -> bool {
    // SAFETY: `rocksdb_options_t` is `{ Options rep; }`, borrowed mutably for the call.
    unsafe { cassiterite_tune_blocks(options.as_raw_ptr().cast(), whole_bytes_max) }
}
