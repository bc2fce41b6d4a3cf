// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Where files are cut, so that whole files lie within one token range.

use rocksdb::{AsRawPtr, Options};
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

extern "C" {
    fn cassiterite_ring_new() -> *mut c_void;
    fn cassiterite_ring_drop(ring: *mut c_void);
    fn cassiterite_ring_set(ring: *mut c_void, boundaries: *const u64, count: usize);
    fn cassiterite_ring_install(ring: *const c_void, options: *mut c_void);
}

/// The boundaries of a store; may be changed at any time from any thread. Compactions that run keep what they began
/// with.
pub(crate) struct Ring {
    shared: *mut c_void,
    /// The same boundaries, for files that are written outside of compactions.
    boundaries: Mutex<Arc<Vec<u64>>>,
}

// SAFETY: behind the pointer is a `std::shared_ptr` that is never reassigned, to an object with a lock of its own.
unsafe impl Send for Ring {}
// SAFETY: as above.
unsafe impl Sync for Ring {}

impl Ring {
    /// No boundaries: files are cut by their size alone.
    pub(crate) fn new() -> Ring {
        // SAFETY: allocates; freed once, in `drop`.
        Ring { shared: unsafe { cassiterite_ring_new() }, boundaries: Mutex::default() }
    }

    /// Cuts files behind these tokens from now on; ascending, in the order of keys as unsigned numbers.
    pub(crate) fn set(&self, boundaries: &[u64]) {
        // SAFETY: the numbers are copied during the call.
        unsafe { cassiterite_ring_set(self.shared, boundaries.as_ptr(), boundaries.len()) }
        *self.boundaries.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(boundaries.to_vec());
    }

    /// The last tokens of ranges, ascending in the order of keys.
    pub(crate) fn boundaries(&self) -> Arc<Vec<u64>> {
        Arc::clone(&self.boundaries.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Cuts the files of every column family that is opened with `options`: those of its last two levels, where they
    /// have at least an eighth of their target size. To be called when the options have their levels and target size.
    pub(crate) fn install(&self, options: &mut Options) {
        // SAFETY: `rocksdb_options_t` is `{ Options rep; }`, borrowed mutably for the call; the column family's factory
        // takes its own share of the ring.
        unsafe { cassiterite_ring_install(self.shared, options.as_raw_ptr().cast()) }
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: made in `new`, dropped once; factories hold shares of their own.
        unsafe { cassiterite_ring_drop(self.shared) }
    }
}
