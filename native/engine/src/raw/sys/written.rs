// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What RocksDB has counted of the bytes that it wrote.

use super::family::FamilyHandle;
use super::raw;
use librocksdb_sys as ffi;
use rocksdb::DB;

/// More than a column family has.
const LEVELS: usize = 16;

extern "C" {
    fn cassiterite_log_bytes(database: *mut ffi::rocksdb_t) -> u64;
    fn cassiterite_written_bytes(
        database: *mut ffi::rocksdb_t,
        family: *mut ffi::rocksdb_column_family_handle_t,
        by_level: *mut u64,
        levels: usize,
    ) -> u64;
}

/// Bytes of files that were written since the store was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    pub flushed: u64,
    /// By compactions, into each level.
    pub compacted: [u64; LEVELS],
}

impl Written {
    pub(crate) fn add(&mut self, other: &Written) {
        self.flushed += other.flushed;
        self.compacted.iter_mut().zip(other.compacted).for_each(|(sum, bytes)| *sum += bytes);
    }
}

/// Bytes written to the log of all tables since the store was opened.
pub(crate) fn log_bytes(db: &DB) -> u64 {
    // SAFETY: the handle is valid while `db` is borrowed; the call may come from any thread.
    unsafe { cassiterite_log_bytes(raw(db)) }
}

/// Of one column family.
pub(crate) fn written(family: &FamilyHandle) -> Written {
    let mut written = Written::default();
    let levels = &mut written.compacted;
    // SAFETY: handle and database are alive, and at most so many levels are filled in.
    written.flushed =
        unsafe { cassiterite_written_bytes(raw(family.db()), family.pointer(), levels.as_mut_ptr(), LEVELS) };
    written
}
