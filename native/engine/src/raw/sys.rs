// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The few C functions of RocksDB that the engine calls itself, because the crate `rocksdb` lacks them or allocates
//! where the hot path must not. Every type here is safe to use and keeps alive what it points into.

mod family;
mod flush;
mod frozen;
mod import;
mod iterate;
mod lookup;
mod manifest;
mod memtables;
mod options_file;
mod range;
mod skip;
mod sst_writer;
mod version;
mod view;
mod write;
mod written;

pub(crate) use family::FamilyHandle;
pub(crate) use flush::begin_flush;
pub(crate) use frozen::Frozen;
pub(crate) use import::{file_name, import, TableFile};
pub(crate) use iterate::{Iter, IterSpec};
pub(crate) use lookup::{Got, Reach, ReadMode, Values};
pub(crate) use manifest::{needed_logs, NeededLogs};
pub(crate) use memtables::{is_flushing, unflushed_bytes};
pub(crate) use options_file::spare_options_file;
pub(crate) use range::{approximate_bytes, compact_range};
pub(crate) use sst_writer::{bound_dictionary_buffer, SstWriter};
pub(crate) use version::rocksdb_version;
#[cfg(test)]
pub(crate) use view::with_mutex;
pub(crate) use view::View;
pub(crate) use write::{Batch, WriteMode};
pub(crate) use written::{log_bytes, written, Written};

use super::status::{outcome, Failure, Status};
use crate::error::{EngineError, Result};
use librocksdb_sys as ffi;
use rocksdb::{AsRawPtr, DB};
use std::ffi::{c_char, CStr, CString};
use std::ptr;
use std::sync::atomic::AtomicBool;

/// Runs a C call that reports through an error pointer.
fn checked<T>(call: impl FnOnce(*mut *mut c_char) -> T) -> Result<T> {
    let mut error: *mut c_char = ptr::null_mut();
    let value = call(&mut error);
    match take_error(error) {
        None => Ok(value),
        Some(error) => Err(error),
    }
}

fn take_error(error: *mut c_char) -> Option<EngineError> {
    if error.is_null() {
        return None;
    }
    // SAFETY: RocksDB hands over a malloc'ed, NUL-terminated string; it is copied, then freed once.
    let text = unsafe {
        let text = CStr::from_ptr(error).to_string_lossy().into_owned();
        ffi::rocksdb_free(error.cast());
        text
    };
    Some(Status::of_text(text).into())
}

fn raw(db: &DB) -> *mut ffi::rocksdb_t {
    // SAFETY: the pointer is used only in calls made while `db` is borrowed.
    unsafe { db.as_raw_ptr() }
}

fn c_string(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| EngineError::invalid(format!("a name holds a NUL byte: {text:?}")))
}

/// Changes one option of the whole database while it runs.
pub(crate) fn set_db_option(db: &DB, name: &str, value: &str) -> Result<()> {
    let (name, value) = (c_string(name)?, c_string(value)?);
    let (names, values) = ([name.as_ptr()], [value.as_ptr()]);
    // SAFETY: both arrays hold one NUL-terminated string that outlives the call.
    checked(|error| unsafe { ffi::rocksdb_set_db_options(raw(db), 1, names.as_ptr(), values.as_ptr(), error) })
}

/// Options of the C API that the crate has no setter for.
pub(crate) fn set_extra_options(options: &mut rocksdb::Options, memtable_protection_bytes_per_key: u32) {
    // SAFETY: `options` is borrowed mutably for the call.
    unsafe {
        ffi::rocksdb_options_set_memtable_protection_bytes_per_key(
            options.as_raw_ptr(),
            memtable_protection_bytes_per_key,
        );
    }
}

/// Whether opening a database flushes every table whenever a record of its log has filled the budget of all memtables.
pub(crate) fn set_budget_in_replay(options: &mut rocksdb::Options, enforced: bool) {
    // SAFETY: `options` is borrowed mutably for the call.
    unsafe {
        ffi::rocksdb_options_set_enforce_write_buffer_manager_during_recovery(options.as_raw_ptr(), u8::from(enforced));
    }
}

/// Stops manual compactions that run and refuses new ones, so that closing does not wait for them.
pub(crate) fn stop_manual_compactions(db: &DB) {
    // SAFETY: the handle is valid while `db` is borrowed; the call may come from any thread.
    unsafe { ffi::rocksdb_disable_manual_compaction(raw(db)) }
}

extern "C" {
    fn cassiterite_compact(
        database: *mut ffi::rocksdb_t,
        family: *mut ffi::rocksdb_column_family_handle_t,
        canceled: *mut bool,
    ) -> *mut Failure;
}

/// Rewrites a whole column family to its bottommost level, also files that are there already; fails early once
/// `canceled`.
pub(crate) fn compact(family: &FamilyHandle, canceled: &AtomicBool) -> Result<()> {
    // SAFETY: both handles and the flag are alive for the call, which only reads the flag, atomically.
    outcome(unsafe { cassiterite_compact(raw(family.db()), family.pointer(), canceled.as_ptr()) })
        .map_err(|error| error.context("compacting a table"))
}
