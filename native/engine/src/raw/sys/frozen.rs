// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A column family at one point in time, without an iterator: iterators of it are made when they are wanted.

use super::{raw, FamilyHandle, Iter, IterSpec};
use librocksdb_sys as ffi;
use std::ffi::c_void;

extern "C" {
    fn cassiterite_view_freeze(
        database: *mut ffi::rocksdb_t,
        family: *mut ffi::rocksdb_column_family_handle_t,
        last_sequence: *mut u64,
    ) -> *mut c_void;
    fn cassiterite_view_thaw(database: *mut ffi::rocksdb_t, view: *mut c_void);
    fn cassiterite_view_iterate(
        database: *mut ffi::rocksdb_t,
        family: *mut ffi::rocksdb_column_family_handle_t,
        view: *mut c_void,
        last_sequence: u64,
        options: *const ffi::rocksdb_readoptions_t,
    ) -> *mut ffi::rocksdb_iterator_t;
}

/// What a column family held when this was made. It pins memtables and files as one iterator does.
pub(crate) struct Frozen {
    view: *mut c_void,
    last_sequence: u64,
    family: FamilyHandle,
}

// SAFETY: RocksDB's views are counted atomically, may be used and given back on any thread, and do not change.
unsafe impl Send for Frozen {}
// SAFETY: as above.
unsafe impl Sync for Frozen {}

impl Frozen {
    pub(crate) fn take(family: &FamilyHandle) -> Frozen {
        let mut last_sequence = 0;
        // SAFETY: handle and database are alive; the share is given back once, when this is dropped.
        let view = unsafe { cassiterite_view_freeze(raw(family.db()), family.pointer(), &mut last_sequence) };
        Frozen { view, last_sequence, family: family.clone() }
    }

    /// An iterator over what was frozen; it may outlive this.
    pub(crate) fn iterate(&self, spec: IterSpec) -> Iter {
        Iter::make(&self.family, spec, None, |options| {
            // SAFETY: handle, database and view are alive; the iterator takes a share of its own, and copies the
            // options.
            unsafe {
                let database = raw(self.family.db());
                cassiterite_view_iterate(database, self.family.pointer(), self.view, self.last_sequence, options)
            }
        })
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        // SAFETY: the share that `take` has got, given back once; the handle keeps the database open.
        unsafe { cassiterite_view_thaw(raw(self.family.db()), self.view) }
    }
}
