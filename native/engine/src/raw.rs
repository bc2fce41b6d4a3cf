// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! All of the engine's unsafe code: the Rust face of the C++ shim (`shim.h`: merge operator, compaction filter, table
//! properties collector, event listener, and the few calls that neither the crate `rocksdb` nor the C API has), and in
//! `sys` the C functions used directly. Everything public here is safe.
//!
//! RocksDB calls into Rust from its own threads, several at once. A panic never crosses into C++: it is caught at the
//! boundary and answered with the harmless outcome (keep the entry, fail the merge, purge nothing).
#![allow(unsafe_code)]

mod admin;
mod blocks;
mod crc;
mod events;
mod files;
mod ingest;
mod limiter;
mod packing;
mod ring;
mod status;
pub(crate) mod sys;
mod table;
mod verify;

pub(crate) use admin::{resume, stop_compactions, sum_files};
pub(crate) use blocks::{tune_blocks, BlockHooks};
pub(crate) use crc::crc32c_of;
pub use events::StallCondition;
pub(crate) use events::{install_events, CompactionBegin, CompactionEnd, EventHooks};
#[cfg(test)]
pub(crate) use files::LISTINGS;
pub(crate) use files::{
    file_count, listed_files, placed_files, sampled_files, LiveFile, Origin, PlacedFile, SAMPLE_FILES,
};
pub(crate) use ingest::{file_min_timestamp, file_origin, flushed_file, ingest, try_to_ingest, Ingested, Ingestion};
pub(crate) use limiter::CompactionLimiter;
pub(crate) use packing::pack_entries;
pub(crate) use ring::Ring;
pub(crate) use status::Status;
pub(crate) use table::{install_table, CompactionHooks, CompactionSource, Decision, EntryFacts, TableHooks};
pub(crate) use verify::verify_file;

use crate::log::log;
use std::ffi::c_void;

/// Borrowed bytes of C++ (`Bytes` in shim.h).
#[repr(C)]
#[derive(Clone, Copy)]
struct Bytes {
    data: *const u8,
    size: usize,
}

impl Bytes {
    /// A view, for as long as the bytes stay.
    fn of(bytes: &[u8]) -> Bytes {
        Bytes { data: bytes.as_ptr(), size: bytes.len() }
    }

    /// SAFETY: `data` must be valid for `size` bytes for the whole of `'a`; null is allowed where `size` is 0.
    unsafe fn as_slice<'a>(&self) -> &'a [u8] {
        if self.data.is_null() || self.size == 0 {
            return &[];
        }
        // SAFETY: promised by the caller.
        unsafe { std::slice::from_raw_parts(self.data, self.size) }
    }
}

/// Runs `call`; a panic in it becomes `otherwise`, and one line in the process's error output.
fn contained<T>(what: &str, otherwise: T, call: impl FnOnce() -> T) -> T {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)) {
        Ok(value) => value,
        Err(_) => {
            log(format_args!("panic in {what}; the entry is left as it is"));
            otherwise
        }
    }
}

/// The C++ object behind a handle of the C API, whose first member is a pointer to it.
///
/// SAFETY: `handle` must be a live `rocksdb_t`, `rocksdb_column_family_handle_t` or `rocksdb_sstfilewriter_t`.
unsafe fn object_of<T>(handle: *mut T) -> *mut c_void {
    // SAFETY: these structures are `{ X* rep; .. }` in the C API of the RocksDB version that this crate is built for.
    unsafe { *handle.cast::<*mut c_void>() }
}
