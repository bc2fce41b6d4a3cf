// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Data blocks of indexes, packed.

use super::table::assign;
use super::{contained, Bytes};
use crate::entry_blocks;
use rocksdb::{AsRawPtr, Options};
use std::ffi::c_void;

extern "C" {
    fn cassiterite_pack_entries(options: *mut c_void, calls: *const PackCalls);
}

/// `PackCalls` of shim.h.
#[repr(C)]
pub(super) struct PackCalls {
    pack: extern "C" fn(Bytes, *mut c_void) -> bool,
    unpack: extern "C" fn(Bytes, *mut u8, usize) -> bool,
}

pub(super) const CALLS: PackCalls = PackCalls { pack, unpack };

/// Packs the data blocks of files that are compressed with zstd.
pub(crate) fn pack_entries(options: &mut Options) {
    // SAFETY: `rocksdb_options_t` is `{ Options rep; }`, borrowed mutably for the call; the calls are copied.
    unsafe { cassiterite_pack_entries(options.as_raw_ptr().cast(), &CALLS) }
}

extern "C" fn pack(block: Bytes, out: *mut c_void) -> bool {
    // SAFETY: the caller's block lives for the call.
    let block = unsafe { block.as_slice() };
    contained("packing", false, || entry_blocks::pack(block).is_some_and(|packed| assign(out, &packed)))
}

extern "C" fn unpack(packed: Bytes, out: *mut u8, size: usize) -> bool {
    // SAFETY: the caller's bytes live for the call, and `out` has room for `size`.
    let (packed, out) = unsafe { (packed.as_slice(), std::slice::from_raw_parts_mut(out, size)) };
    contained("packing", false, || {
        entry_blocks::unpack(packed, size).map(|block| out.copy_from_slice(&block)).is_some()
    })
}
