// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What an operator does: resume after an error, and change the throughput of background writes.

use super::object_of;
use super::status::{outcome, Failure};
use crate::error::Result;
use rocksdb::{AsRawPtr, Options, DB};
use std::ffi::c_void;

extern "C" {
    fn cassiterite_resume(db: *mut c_void) -> *mut Failure;
    fn cassiterite_stop_compactions(db: *mut c_void);
    fn cassiterite_limiter_new(bytes_per_second: i64) -> *mut c_void;
    fn cassiterite_limiter_drop(limiter: *mut c_void);
    fn cassiterite_sum_files(options: *mut c_void);
    fn cassiterite_limiter_install(limiter: *mut c_void, options: *mut c_void);
    fn cassiterite_limiter_set(limiter: *mut c_void, bytes_per_second: i64);
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

/// Limits what flushes and compactions write; may be changed at any time from any thread.
pub struct RateLimiter {
    raw: *mut c_void,
}

// SAFETY: behind `raw` is a `std::shared_ptr<RateLimiter>` that is never reassigned; the limiter itself is thread-safe.
unsafe impl Send for RateLimiter {}
// SAFETY: as above.
unsafe impl Sync for RateLimiter {}

impl RateLimiter {
    /// Practically no limit.
    pub const UNLIMITED_BYTES_PER_SECOND: i64 = 1 << 40;

    /// A limiter of at least 1 byte per second.
    pub fn new(bytes_per_second: i64) -> Self {
        // SAFETY: allocates; freed once, in `drop`.
        RateLimiter { raw: unsafe { cassiterite_limiter_new(bytes_per_second.max(1)) } }
    }

    /// Puts every database that is opened with `options` under this limiter.
    pub fn install(&self, options: &mut Options) {
        // SAFETY: `rocksdb_options_t` is `{ Options rep; }`, borrowed mutably for the call; the shared pointer is
        // copied.
        unsafe { cassiterite_limiter_install(self.raw, options.as_raw_ptr().cast()) }
    }

    /// Changes the limit; at least 1 byte per second.
    pub fn set_bytes_per_second(&self, bytes_per_second: i64) {
        // SAFETY: `raw` lives as long as `self`.
        unsafe { cassiterite_limiter_set(self.raw, bytes_per_second.max(1)) }
    }
}

impl Drop for RateLimiter {
    fn drop(&mut self) {
        // SAFETY: the last use of `raw`; databases hold their own share of the limiter.
        unsafe { cassiterite_limiter_drop(self.raw) }
    }
}
