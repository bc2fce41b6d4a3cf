// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What is done to a range of keys: `first` included, `end` not.

use super::super::status::{outcome, Failure};
use super::{raw, FamilyHandle};
use crate::error::Result;
use librocksdb_sys as ffi;
use std::ffi::c_char;
use std::sync::atomic::AtomicBool;

type Database = *mut ffi::rocksdb_t;
type Handle = *mut ffi::rocksdb_column_family_handle_t;
/// Address and length of a key.
type Key = (*const c_char, usize);

extern "C" {
    fn cassiterite_compact_range(
        database: Database,
        family: Handle,
        first: *const c_char,
        first_size: usize,
        end: *const c_char,
        end_size: usize,
        canceled: *mut bool,
    ) -> *mut Failure;
}

/// Rewrites the files that have keys in the range, down to the bottommost level and there too; fails early once
/// `canceled`.
pub(crate) fn compact_range(family: &FamilyHandle, first: &[u8], end: &[u8], canceled: &AtomicBool) -> Result<()> {
    let (first, end, canceled) = (key(first), key(end), canceled.as_ptr());
    // SAFETY: both handles, both keys and the flag are alive for the call, which only reads the flag, atomically.
    let failure = unsafe {
        cassiterite_compact_range(raw(family.db()), family.pointer(), first.0, first.1, end.0, end.1, canceled)
    };
    outcome(failure).map_err(|error| error.context("compacting a range of a table"))
}

/// About how many bytes the range takes, in files and in memory.
pub(crate) fn approximate_bytes(family: &FamilyHandle, first: &[u8], end: &[u8]) -> Result<u64> {
    let (first, end) = (key(first), key(end));
    let flags =
        ffi::rocksdb_size_approximation_flags_include_memtable | ffi::rocksdb_size_approximation_flags_include_files;
    let mut bytes = 0;
    // SAFETY: the arrays have one element each; keys and handles are alive for the call.
    super::checked(|error| unsafe {
        ffi::rocksdb_approximate_sizes_cf_with_flags(
            raw(family.db()),
            family.pointer(),
            1,
            &first.0,
            &first.1,
            &end.0,
            &end.1,
            flags as u8,
            &mut bytes,
            error,
        );
    })?;
    Ok(bytes)
}

fn key(bytes: &[u8]) -> Key {
    (bytes.as_ptr().cast(), bytes.len())
}
