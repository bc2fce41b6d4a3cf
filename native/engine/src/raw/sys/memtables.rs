// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What all memtables take together.

use super::raw;
use librocksdb_sys as ffi;
use rocksdb::DB;

extern "C" {
    fn cassiterite_unflushed_bytes(database: *mut ffi::rocksdb_t) -> u64;
    fn cassiterite_is_flushing(database: *mut ffi::rocksdb_t) -> bool;
}

/// Bytes of the memtables that are not in files yet: without those that only readers still pin, with those of dropped
/// column families that are still in use.
pub(crate) fn unflushed_bytes(db: &DB) -> usize {
    // SAFETY: the handle is valid while `db` is borrowed; the call may come from any thread.
    let bytes = unsafe { cassiterite_unflushed_bytes(raw(db)) };
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// Whether a flush of any table runs, or is due.
pub(crate) fn is_flushing(db: &DB) -> bool {
    // SAFETY: as above.
    unsafe { cassiterite_is_flushing(raw(db)) }
}
