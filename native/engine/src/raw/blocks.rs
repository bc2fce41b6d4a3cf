// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Options of block-based tables that the crate `rocksdb` does not offer.

use super::contained;
use rocksdb::{AsRawPtr, Options};
use std::ffi::c_void;
use std::sync::Arc;

extern "C" {
    fn cassiterite_tune_blocks(options: *mut c_void, whole_bytes_max: u64, calls: *const BlockCalls) -> bool;
}

/// Asked by the threads that flush.
pub(crate) trait BlockHooks: Send + Sync + 'static {
    /// Whether what is flushed next is to be in the cache.
    fn caches_flushed(&self) -> bool;
}

/// `BlockCalls` of blocks.cc.
#[repr(C)]
struct BlockCalls {
    state: *mut c_void,
    drop_state: extern "C" fn(*mut c_void),
    caches_flushed: extern "C" fn(*mut c_void) -> bool,
}

/// Searches index blocks by the token where its keys allow it, keeps flushed blocks in the cache where `hooks` say so,
/// and has compactions write indexes and filters in parts where they cut files at more than `whole_bytes_max`. To be
/// called when `options` have their block-based table factory; without one it does nothing and returns false.
pub(crate) fn tune_blocks<H: BlockHooks>(options: &mut Options, whole_bytes_max: u64, hooks: &Arc<H>) -> bool {
    let calls = BlockCalls {
        state: Arc::into_raw(Arc::clone(hooks)).cast_mut().cast(),
        drop_state: drop_state::<H>,
        caches_flushed: caches_flushed::<H>,
    };
    // SAFETY: `rocksdb_options_t` is `{ Options rep; }`, borrowed mutably for the call; the calls are copied, and their
    // state is given back once.
    unsafe { cassiterite_tune_blocks(options.as_raw_ptr().cast(), whole_bytes_max, &calls) }
}

extern "C" fn drop_state<H: BlockHooks>(state: *mut c_void) {
    // SAFETY: made by `Arc::into_raw` above, given back once.
    contained("blocks", (), || drop(unsafe { Arc::from_raw(state.cast_const().cast::<H>()) }));
}

extern "C" fn caches_flushed<H: BlockHooks>(state: *mut c_void) -> bool {
    // SAFETY: `state` lives until it is given to `drop_state`.
    let hooks = unsafe { &*state.cast_const().cast::<H>() };
    contained("blocks", true, || hooks.caches_flushed())
}
