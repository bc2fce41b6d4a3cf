// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Flushes that run in the background.

use super::{checked, raw, FamilyHandle};
use crate::error::Result;
use librocksdb_sys as ffi;

/// Begins a flush of the memtable, and waits neither for it nor for stalled writes. It may stall writes: the caller has
/// checked that it does not.
pub(crate) fn begin_flush(family: &FamilyHandle) -> Result<()> {
    // SAFETY: the options are made and released here; handle and database are alive for the call, which copies the
    // options.
    unsafe {
        let options = ffi::rocksdb_flushoptions_create();
        ffi::rocksdb_flushoptions_set_wait(options, 0);
        ffi::rocksdb_flushoptions_set_allow_write_stall(options, 1);
        let begun = checked(|error| ffi::rocksdb_flush_cf(raw(family.db()), options, family.pointer(), error));
        ffi::rocksdb_flushoptions_destroy(options);
        begun
    }
}
