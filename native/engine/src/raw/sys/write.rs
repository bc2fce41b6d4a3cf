// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Write batches that are used again, and how a batch is written.

use super::{checked, raw, FamilyHandle};
use crate::error::Result;
use librocksdb_sys as ffi;
use rocksdb::DB;

/// How a batch is written. Shared by all threads.
pub(crate) struct WriteMode(*mut ffi::rocksdb_writeoptions_t);

// SAFETY: set up once in `new`, only read afterwards.
unsafe impl Send for WriteMode {}
// SAFETY: as above.
unsafe impl Sync for WriteMode {}

impl WriteMode {
    /// `sync`: the log is on the device before the call returns. `wal`: whether there is a log record at all.
    pub(crate) fn new(sync: bool, wal: bool) -> WriteMode {
        // SAFETY: plain setters on options made here.
        unsafe {
            let options = ffi::rocksdb_writeoptions_create();
            ffi::rocksdb_writeoptions_set_sync(options, u8::from(sync));
            ffi::rocksdb_writeoptions_disable_WAL(options, i32::from(!wal));
            WriteMode(options)
        }
    }

    /// With a log record, not synced; fails as cut short where RocksDB would have the write wait for flushes or compactions.
    pub(crate) fn at_once() -> WriteMode {
        let mode = WriteMode::new(false, true);
        // SAFETY: the options are alive, and nobody else has them yet.
        unsafe { ffi::rocksdb_writeoptions_set_no_slowdown(mode.0, 1) }
        mode
    }
}

impl Drop for WriteMode {
    fn drop(&mut self) {
        // SAFETY: made in `new`, released once.
        unsafe { ffi::rocksdb_writeoptions_destroy(self.0) }
    }
}

/// A write batch. Clearing keeps its memory.
pub(crate) struct Batch(*mut ffi::rocksdb_writebatch_t);

// SAFETY: a batch has no tie to a thread; it is used through `&mut`.
unsafe impl Send for Batch {}

impl Batch {
    pub(crate) fn new() -> Batch {
        // SAFETY: never returns null.
        Batch(unsafe { ffi::rocksdb_writebatch_create() })
    }

    pub(crate) fn merge(&mut self, family: &FamilyHandle, key: &[u8], value: &[u8]) {
        // SAFETY: key and value are copied into the batch during the call.
        unsafe {
            ffi::rocksdb_writebatch_merge_cf(
                self.0,
                family.pointer(),
                key.as_ptr().cast(),
                key.len(),
                value.as_ptr().cast(),
                value.len(),
            );
        }
    }

    /// Forgets the operations, keeps the memory.
    pub(crate) fn clear(&mut self) {
        // SAFETY: the batch is alive.
        unsafe { ffi::rocksdb_writebatch_clear(self.0) }
    }

    pub(crate) fn is_empty(&self) -> bool {
        // SAFETY: the batch is alive.
        unsafe { ffi::rocksdb_writebatch_count(self.0) == 0 }
    }

    /// Bytes of all operations so far.
    pub(crate) fn bytes(&self) -> usize {
        let mut length = 0;
        // SAFETY: only the length is used.
        unsafe { ffi::rocksdb_writebatch_data(self.0, &mut length) };
        length
    }

    /// Applies all operations atomically.
    pub(crate) fn write(&mut self, db: &DB, mode: &WriteMode) -> Result<()> {
        // SAFETY: all three are alive; RocksDB may be written from any thread.
        checked(|error| unsafe { ffi::rocksdb_write(raw(db), mode.0, self.0, error) })
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        // SAFETY: made in `new`, released once.
        unsafe { ffi::rocksdb_writebatch_destroy(self.0) }
    }
}
