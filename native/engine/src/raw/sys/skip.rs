// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Which files an iterator leaves out.

use super::super::Origin;
use librocksdb_sys as ffi;
use std::ffi::{c_char, c_void};

extern "C" {
    fn cassiterite_skipped_new() -> *mut c_void;
    fn cassiterite_skipped_drop(skipped: *mut c_void);
    fn cassiterite_skipped_add(skipped: *mut c_void, session: *const c_char, session_size: usize, number: u64);
    fn cassiterite_skipped_install(skipped: *const c_void, options: *mut c_void);
}

/// Files that one iterator leaves out. It is asked about a file of level 0 when it is made, and about others not before
/// it moves: until then files may be added.
pub(super) struct SkippedFiles(*mut c_void);

// SAFETY: a shared pointer to a set that only the owner of the iterator changes, through `&mut`.
unsafe impl Send for SkippedFiles {}

impl SkippedFiles {
    pub(super) fn none() -> SkippedFiles {
        // SAFETY: allocates; freed once, in `drop`.
        SkippedFiles(unsafe { cassiterite_skipped_new() })
    }

    pub(super) fn add(&mut self, file: &Origin) {
        // SAFETY: the session's bytes are copied during the call.
        unsafe { cassiterite_skipped_add(self.0, file.session.as_ptr().cast(), file.session.len(), file.number) }
    }

    /// Has every iterator that is made with `options` leave these files out.
    pub(super) fn install(&self, options: *mut ffi::rocksdb_readoptions_t) {
        // SAFETY: the options are the caller's, alive; they take their own share of the set.
        unsafe { cassiterite_skipped_install(self.0, options.cast()) }
    }
}

impl Drop for SkippedFiles {
    fn drop(&mut self) {
        // SAFETY: made in `none`, dropped once; iterators and options hold shares of their own.
        unsafe { cassiterite_skipped_drop(self.0) }
    }
}
