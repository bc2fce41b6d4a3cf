// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Writes one SST file outside of the database. Unlike the writer of the crate it keeps what it works with, so that it
//! can live as long as its owner, and tells the checksum of the file.

use super::super::status::{outcome, Failure};
use super::super::{object_of, Bytes};
use super::{c_string, checked};
use crate::error::{EngineError, Result};
use librocksdb_sys as ffi;
use rocksdb::{AsRawPtr, Options};
use std::ffi::{c_char, c_void};
use std::path::Path;
use std::ptr;

extern "C" {
    fn cassiterite_finish_file(
        writer: *mut c_void,
        file_bytes: *mut u64,
        call: extern "C" fn(*mut c_void, Bytes),
        target: *mut c_void,
    ) -> *mut Failure;
    fn cassiterite_bound_dictionary_buffer(options: *mut c_void, bytes: u64);
}

/// Bounds what is kept in memory of a file before its compression begins.
pub(crate) fn bound_dictionary_buffer(options: &mut Options, bytes: u64) {
    // SAFETY: `rocksdb_options_t` is `{ Options rep; }`, borrowed mutably for the call.
    unsafe { cassiterite_bound_dictionary_buffer(options.as_raw_ptr().cast(), bytes) }
}

/// A file that is being written: keys strictly ascending.
pub(crate) struct SstWriter(*mut ffi::rocksdb_sstfilewriter_t);

// SAFETY: it has no tie to the thread that made it.
unsafe impl Send for SstWriter {}

/// A file that has been written, and is on the device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finished {
    pub bytes: u64,
    /// CRC-32C of its bytes, where the options have sums.
    pub checksum: Option<u32>,
}

impl SstWriter {
    /// A new file at `path`, written with the options of the bottommost level.
    pub(crate) fn create(options: &Options, path: &Path) -> Result<SstWriter> {
        let text = path.to_str().ok_or_else(|| EngineError::invalid(format!("{} is not UTF-8", path.display())))?;
        let path = c_string(text)?;
        // SAFETY: the writer copies both options, whose factories it shares; those of the environment are made and
        // released here.
        let writer = unsafe {
            let environment = ffi::rocksdb_envoptions_create();
            let writer = SstWriter(ffi::rocksdb_sstfilewriter_create(environment, options.as_raw_ptr()));
            ffi::rocksdb_envoptions_destroy(environment);
            writer
        };
        // SAFETY: the writer is this one's alone, the path NUL-terminated.
        checked(|error| unsafe { ffi::rocksdb_sstfilewriter_open(writer.0, path.as_ptr(), error) })?;
        Ok(writer)
    }

    /// Adds a value, which hides what the column family has of the key.
    pub(crate) fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        // SAFETY: both are borrowed for the call, which copies them.
        checked(|error| unsafe {
            let (key_at, value_at) = (key.as_ptr().cast::<c_char>(), value.as_ptr().cast::<c_char>());
            ffi::rocksdb_sstfilewriter_put(self.0, key_at, key.len(), value_at, value.len(), error);
        })
    }

    /// Adds an operand, which is merged with what the column family has of the key.
    pub(crate) fn merge(&mut self, key: &[u8], operand: &[u8]) -> Result<()> {
        // SAFETY: both are borrowed for the call, which copies them.
        checked(|error| unsafe {
            let (key_at, operand_at) = (key.as_ptr().cast::<c_char>(), operand.as_ptr().cast::<c_char>());
            ffi::rocksdb_sstfilewriter_merge(self.0, key_at, key.len(), operand_at, operand.len(), error);
        })
    }

    /// Bytes in the file so far; blocks that are being filled do not count.
    pub(crate) fn bytes(&self) -> u64 {
        let mut bytes = 0;
        // SAFETY: the number is written during the call.
        unsafe { ffi::rocksdb_sstfilewriter_file_size(self.0, &raw mut bytes) };
        bytes
    }

    /// Ends the file, which has at least one entry.
    pub(crate) fn finish(self) -> Result<Finished> {
        let (mut bytes, mut sum): (u64, Vec<u8>) = (0, Vec::new());
        // SAFETY: `rocksdb_sstfilewriter_t` is `{ SstFileWriter* rep; }`; `take_bytes` gets the vector it expects.
        // Both outlive the call.
        outcome(unsafe {
            cassiterite_finish_file(object_of(self.0), &raw mut bytes, take_bytes, ptr::from_mut(&mut sum).cast())
        })?;
        Ok(Finished { bytes, checksum: <[u8; 4]>::try_from(sum).ok().map(u32::from_be_bytes) })
    }
}

extern "C" fn take_bytes(target: *mut c_void, value: Bytes) {
    // SAFETY: the only caller passes a live vector as target, and the value lives for this call.
    let (target, value) = unsafe { (&mut *target.cast::<Vec<u8>>(), value.as_slice()) };
    *target = value.to_vec();
}

impl Drop for SstWriter {
    fn drop(&mut self) {
        // SAFETY: made in `create`, dropped once; it abandons a file that has no end.
        unsafe { ffi::rocksdb_sstfilewriter_destroy(self.0) }
    }
}
