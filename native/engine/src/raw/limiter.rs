// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The limit of what compactions write (`limiter.cc`).

use rocksdb::{AsRawPtr, Options};
use std::ffi::c_void;

extern "C" {
    fn cassiterite_limiter_new(bytes_per_second: i64) -> *mut c_void;
    fn cassiterite_limiter_drop(limiter: *mut c_void);
    fn cassiterite_limiter_install(limiter: *mut c_void, options: *mut c_void);
    fn cassiterite_limiter_set(limiter: *mut c_void, bytes_per_second: i64);
    fn cassiterite_limiter_lift(limiter: *mut c_void, lifted: bool) -> bool;
    #[cfg(test)]
    fn cassiterite_limiter_passed(limiter: *mut c_void) -> i64;
}

/// Limits what compactions write, and nothing else: flushes pass. May be changed at any time from any thread.
#[derive(Debug)]
pub struct CompactionLimiter {
    raw: *mut c_void,
}

// SAFETY: behind `raw` is a `std::shared_ptr` that is never reassigned; the limiter itself is thread-safe.
unsafe impl Send for CompactionLimiter {}
// SAFETY: as above.
unsafe impl Sync for CompactionLimiter {}

impl CompactionLimiter {
    /// Practically no limit.
    pub const UNLIMITED_BYTES_PER_SECOND: i64 = 1 << 40;

    /// A limiter of at least 1 byte per second.
    pub fn new(bytes_per_second: i64) -> Self {
        // SAFETY: allocates; freed once, in `drop`.
        CompactionLimiter { raw: unsafe { cassiterite_limiter_new(bytes_per_second.max(1)) } }
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

    /// Lifts the limit, or puts it back; whether it was lifted before.
    pub fn lift(&self, lifted: bool) -> bool {
        // SAFETY: as above.
        unsafe { cassiterite_limiter_lift(self.raw, lifted) }
    }

    /// Bytes that were written under the limit.
    #[cfg(test)]
    pub fn passed_bytes(&self) -> u64 {
        // SAFETY: as above.
        u64::try_from(unsafe { cassiterite_limiter_passed(self.raw) }).unwrap_or_default()
    }
}

impl Drop for CompactionLimiter {
    fn drop(&mut self) {
        // SAFETY: the last use of `raw`; databases hold their own share of the limiter.
        unsafe { cassiterite_limiter_drop(self.raw) }
    }
}
