// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reads one table file by itself, past the database and its cache.

use super::ingest::c_path;
use super::packing::{PackCalls, CALLS};
use super::status::{outcome, Failure};
use super::{contained, Bytes};
use crate::error::{EngineError, Result};
use std::ffi::{c_char, c_void};
use std::path::Path;
use std::ptr;

type EntryCall = extern "C" fn(*mut c_void, Bytes, *const Bytes) -> bool;

extern "C" {
    fn cassiterite_verify_file(
        path: *const c_char,
        blocks: bool,
        packing: *const PackCalls,
        call: Option<EntryCall>,
        target: *mut c_void,
    ) -> *mut Failure;
}

/// What is done with each entry of a file: its key, and its value unless it is a deletion.
pub(crate) type Check<'a> = dyn FnMut(&[u8], Option<&[u8]>) -> Result<()> + 'a;

struct Visit<'a, 'c> {
    check: &'a mut Check<'c>,
    failed: Option<EngineError>,
}

/// Opens a file, and compares the checksums of its blocks where that is wanted; then checks all entries in their order.
pub(crate) fn verify_file(path: &Path, blocks: bool, check: Option<&mut Check<'_>>) -> Result<()> {
    let path = c_path(path)?;
    let Some(check) = check else {
        // SAFETY: the path is NUL-terminated; without a call there is no target.
        return outcome(unsafe { cassiterite_verify_file(path.as_ptr(), blocks, &CALLS, None, ptr::null_mut()) });
    };
    let mut visit = Visit { check, failed: None };
    let target = ptr::from_mut(&mut visit).cast();
    // SAFETY: the path is NUL-terminated; `visit_entry` gets the visit that it expects, only during the call.
    let read = outcome(unsafe { cassiterite_verify_file(path.as_ptr(), blocks, &CALLS, Some(visit_entry), target) });
    visit.failed.map_or(read, Err)
}

extern "C" fn visit_entry(target: *mut c_void, key: Bytes, value: *const Bytes) -> bool {
    // SAFETY: the only caller passes a live visit as target; key and value, if not null, live for this call.
    let (visit, key, value) =
        unsafe { (&mut *target.cast::<Visit<'_, '_>>(), key.as_slice(), value.as_ref().map(|value| value.as_slice())) };
    let panicked = || Err(EngineError::internal("an entry cannot be checked"));
    visit.failed = contained("the check of an entry", panicked(), || (visit.check)(key, value)).err();
    visit.failed.is_none()
}
