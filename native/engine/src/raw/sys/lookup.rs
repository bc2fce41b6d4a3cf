// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reading single keys into a caller's buffer, or several keys of one view.

use super::super::status::{outcome, Failure};
use super::super::{contained, Bytes};
use super::{raw, take_error, FamilyHandle};
use crate::error::Result;
use cassiterite_codec::ColumnSet;
use librocksdb_sys as ffi;
use std::ffi::{c_char, c_void};
use std::{ptr, slice};

/// How far a read goes for what it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Memtables, block cache and files.
    Files,
    /// Memtables and block cache only. A read that needs a file fails with [`crate::Kind::Busy`], and has not
    /// waited for the device.
    Memory,
}

impl Reach {
    /// RocksDB's `ReadTier`.
    pub(super) fn tier(self) -> std::ffi::c_int {
        match self {
            Reach::Files => 0,
            Reach::Memory => 1,
        }
    }
}

/// Options of single-key reads. Shared by all threads.
pub(crate) struct ReadMode(*mut ffi::rocksdb_readoptions_t);

// SAFETY: set up once in `new`, only read afterwards.
unsafe impl Send for ReadMode {}
// SAFETY: as above.
unsafe impl Sync for ReadMode {}

/// What [`ReadMode::get_into`] found; lengths in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Got {
    Absent,
    Copied(usize),
    /// The value is longer than the buffer: here it is.
    TooLong(Vec<u8>),
}

extern "C" {
    fn cassiterite_get_into(
        database: *mut ffi::rocksdb_t,
        family: *mut ffi::rocksdb_column_family_handle_t,
        mode: *const ffi::rocksdb_readoptions_t,
        outlasts: *const Outlasts,
        key: *const c_char,
        key_size: usize,
        buffer: *mut c_char,
        buffer_size: usize,
        length: *mut usize,
        found: *mut bool,
        call: extern "C" fn(*mut c_void, Bytes),
        target: *mut c_void,
    ) -> *mut Failure;
}

/// `Outlasts` of newest.h.
#[repr(C)]
struct Outlasts {
    call: extern "C" fn(*const c_void, Bytes, i64, bool) -> bool,
    columns: *const c_void,
}

/// Whether older fragments leave one as it is. What cannot be read does not stop a search.
extern "C" fn outlasts(columns: *const c_void, fragment: Bytes, newest: i64, with_deletions: bool) -> bool {
    contained("a lookup", false, || {
        // SAFETY: the only caller passes the set of `get_into`, alive for the call, and a slice of RocksDB.
        let (columns, fragment) = unsafe { (&*columns.cast::<ColumnSet>(), fragment.as_slice()) };
        cassiterite_codec::outlasts(fragment, columns, newest, with_deletions).unwrap_or(false)
    })
}

/// Puts a value into the `Vec<u8>` behind `target`.
extern "C" fn take_value(target: *mut c_void, value: Bytes) {
    // SAFETY: the only caller passes a live vector as target, and the value lives for this call.
    let (too_long, value) = unsafe { (&mut *target.cast::<Vec<u8>>(), value.as_slice()) };
    too_long.extend_from_slice(value);
}

impl ReadMode {
    pub(crate) fn new(reach: Reach) -> ReadMode {
        // SAFETY: never returns null; nobody else has the options yet.
        unsafe {
            let options = ffi::rocksdb_readoptions_create();
            ffi::rocksdb_readoptions_set_read_tier(options, reach.tier());
            ReadMode(options)
        }
    }

    /// Copies the value of a key to the start of `buffer`, where it fits. With `columns` the search stops at a row that
    /// has all of these and is newer than everything below.
    pub(crate) fn get_into(
        &self,
        family: &FamilyHandle,
        key: &[u8],
        columns: Option<&ColumnSet>,
        buffer: &mut [u8],
    ) -> Result<Got> {
        let stop = columns.map(|columns| Outlasts { call: outlasts, columns: ptr::from_ref(columns).cast() });
        let (mut length, mut found, mut too_long) = (0, false, Vec::new());
        // SAFETY: handles, options, columns and key are alive for the call. It writes at most `buffer.len()` bytes into `buffer`;
        // `take_value` gets the vector it expects, only during the call.
        outcome(unsafe {
            cassiterite_get_into(
                raw(family.db()),
                family.pointer(),
                self.0,
                stop.as_ref().map_or(ptr::null(), ptr::from_ref),
                key.as_ptr().cast(),
                key.len(),
                buffer.as_mut_ptr().cast(),
                buffer.len(),
                &mut length,
                &mut found,
                take_value,
                ptr::from_mut(&mut too_long).cast(),
            )
        })?;
        Ok(match found {
            false => Got::Absent,
            true if length <= buffer.len() => Got::Copied(length),
            true => Got::TooLong(too_long),
        })
    }

    /// Reads keys, which ascend, in one view; the values come in the order of the keys.
    pub(crate) fn get_many(&self, family: &FamilyHandle, keys: &[&[u8]]) -> Result<Values> {
        let slices: Vec<ffi::rocksdb_slice_t> =
            keys.iter().map(|key| ffi::rocksdb_slice_t { data: key.as_ptr().cast(), size: key.len() }).collect();
        let mut values = vec![ptr::null_mut(); keys.len()];
        let mut errors: Vec<*mut c_char> = vec![ptr::null_mut(); keys.len()];
        // SAFETY: the three arrays have one element per key and outlive the call.
        unsafe {
            ffi::rocksdb_batched_multi_get_cf_slice(
                raw(family.db()),
                self.0,
                family.pointer(),
                keys.len(),
                slices.as_ptr(),
                values.as_mut_ptr(),
                errors.as_mut_ptr(),
                true,
            );
        }
        let values = Values(values);
        let mut failure = None;
        for error in errors {
            failure = take_error(error).or(failure);
        }
        match failure {
            None => Ok(values),
            Some(error) => Err(error),
        }
    }
}

impl Drop for ReadMode {
    fn drop(&mut self) {
        // SAFETY: made in `new`, released once.
        unsafe { ffi::rocksdb_readoptions_destroy(self.0) }
    }
}

/// Values of [`ReadMode::get_many`], where RocksDB holds them.
pub(crate) struct Values(Vec<*mut ffi::rocksdb_pinnableslice_t>);

impl Values {
    /// The value of the key at `index`, if it is there.
    pub(crate) fn get(&self, index: usize) -> Option<&[u8]> {
        let pinned = *self.0.get(index)?;
        if pinned.is_null() {
            return None;
        }
        let mut length = 0;
        // SAFETY: the bytes live as long as the pinned slice, which lives as long as `self`.
        unsafe {
            let data = ffi::rocksdb_pinnableslice_value(pinned, &mut length);
            Some(bytes(data, length))
        }
    }
}

impl Drop for Values {
    fn drop(&mut self) {
        for pinned in self.0.drain(..).filter(|pinned| !pinned.is_null()) {
            // SAFETY: handed over by RocksDB, released once.
            unsafe { ffi::rocksdb_pinnableslice_destroy(pinned) }
        }
    }
}

/// A slice over bytes of RocksDB's.
///
/// # Safety
/// `data` must be readable for `length` bytes for the lifetime the caller gives the result.
pub(super) unsafe fn bytes<'a>(data: *const c_char, length: usize) -> &'a [u8] {
    if length == 0 {
        return &[];
    }
    // SAFETY: as promised by the caller; `data` is not null where there are bytes.
    unsafe { slice::from_raw_parts(data.cast(), length) }
}
