// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! RocksDB's events of its background work.

use super::status::Status;
use super::{contained, Bytes};
use rocksdb::{AsRawPtr, Options};
use std::ffi::{c_int, c_void, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

/// Whether RocksDB slows down or stops the writes to a column family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StallCondition {
    /// Writes go on.
    Normal,
    /// Writes are slowed down.
    Delayed,
    /// Writes wait.
    Stopped,
}

/// What RocksDB says of a compaction that begins.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompactionBegin {
    /// Among all work of the store.
    pub job: c_int,
    pub input_level: c_int,
    pub output_level: c_int,
    /// Keys and values in the files that it reads, before compression.
    pub total_bytes: u64,
}

/// What RocksDB says of a compaction that has ended.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompactionEnd {
    /// As when it began.
    pub job: c_int,
    pub ok: bool,
    /// It was ended by [`stop_compactions`](super::stop_compactions), or by its flag.
    pub stopped: bool,
    /// Of the files that it read.
    pub input_bytes: u64,
    /// Of the files that it wrote.
    pub output_bytes: u64,
}

/// Receives events; called by RocksDB's threads, several at once. It must be quick and must not call the database.
pub(crate) trait EventHooks: Send + Sync + 'static {
    /// A memtable became immutable; `first_sequence` is that of its first entry.
    fn memtable_sealed(&self, family: &str, first_sequence: u64);
    /// A flush begins, on the thread that runs it.
    fn flush_begun(&self, family: &str);
    /// A flush, or the recovery at the start, has written a file, which is complete and on the device, but no part of the
    /// database yet. With the CRC-32C of its bytes, where that is known.
    fn file_flushed(&self, _family: &str, _path: &Path, _checksum: Option<u32>) {}
    /// The flush or compaction that this thread has run has ended, and looks at no column family any more.
    fn job_ended(&self);
    /// Memtables up to a sequence number are in a file.
    fn flush_completed(&self, family: &str, largest_sequence: u64, data_bytes: u64);
    /// A compaction begins, on the thread that runs it.
    fn compaction_begun(&self, family: &str, compaction: CompactionBegin);
    /// A compaction ended, on the thread that ran it.
    fn compaction_completed(&self, family: &str, compaction: CompactionEnd);
    /// A flush or a compaction has changed what a column family has to compact.
    fn backlog_changed(&self, _family: &str, _level0_files: u64, _pending_bytes: u64) {}
    /// A part of a compaction starts; 0 is the first.
    fn subcompaction_begun(&self, family: &str, number: i32);
    /// The stall condition of a column family has changed.
    fn stall_changed(&self, family: &str, condition: StallCondition);
    /// A compaction has failed, because what it read is not what was written; it has changed nothing. Where this returns
    /// true the store goes on as if nothing had failed, else a background error follows.
    fn corruption_met(&self, family: &str, status: &str) -> bool;
    /// Background work failed. Severities: 1 soft (writes go on), 2 hard (no writes), 3 fatal, 4 unrecoverable.
    fn background_error(&self, reason: i32, severity: i32, status: Status);
    /// RocksDB's own recovery from a background error ended.
    fn recovery_ended(&self, ok: bool, status: &str);
}

#[repr(C)]
struct EventCalls {
    state: *mut c_void,
    drop_state: extern "C" fn(*mut c_void),
    memtable_sealed: extern "C" fn(*mut c_void, Bytes, u64),
    flush_begun: extern "C" fn(*mut c_void, Bytes),
    file_flushed: extern "C" fn(*mut c_void, Bytes, Bytes, Bytes),
    job_ended: extern "C" fn(*mut c_void),
    flush_completed: extern "C" fn(*mut c_void, Bytes, u64, u64),
    compaction_begun: extern "C" fn(*mut c_void, Bytes, *const CompactionBegin),
    compaction_completed: extern "C" fn(*mut c_void, Bytes, *const CompactionEnd),
    backlog_changed: extern "C" fn(*mut c_void, Bytes, u64, u64),
    subcompaction_begun: extern "C" fn(*mut c_void, Bytes, c_int),
    stall_changed: extern "C" fn(*mut c_void, Bytes, c_int),
    corruption_met: extern "C" fn(*mut c_void, Bytes, Bytes) -> bool,
    background_error: extern "C" fn(*mut c_void, c_int, c_int, u8, u8, Bytes),
    recovery_ended: extern "C" fn(*mut c_void, bool, Bytes),
}

extern "C" {
    fn cassiterite_events_install(options: *mut c_void, calls: *const EventCalls);
}

/// Sends the events of every database that is opened with `options` to `hooks`.
pub(crate) fn install_events<H: EventHooks>(options: &mut Options, hooks: &Arc<H>) {
    let calls = EventCalls {
        state: Arc::into_raw(Arc::clone(hooks)).cast_mut().cast(),
        drop_state: drop_state::<H>,
        memtable_sealed: memtable_sealed::<H>,
        flush_begun: flush_begun::<H>,
        file_flushed: file_flushed::<H>,
        job_ended: job_ended::<H>,
        flush_completed: flush_completed::<H>,
        compaction_begun: compaction_begun::<H>,
        compaction_completed: compaction_completed::<H>,
        backlog_changed: backlog_changed::<H>,
        subcompaction_begun: subcompaction_begun::<H>,
        stall_changed: stall_changed::<H>,
        corruption_met: corruption_met::<H>,
        background_error: background_error::<H>,
        recovery_ended: recovery_ended::<H>,
    };
    // SAFETY: `rocksdb_options_t` is `{ Options rep; }`, borrowed mutably for the call; `calls` is copied; C++ gives
    // `state` back to `drop_state` exactly once.
    unsafe { cassiterite_events_install(options.as_raw_ptr().cast(), &calls) }
}

extern "C" fn drop_state<H: EventHooks>(state: *mut c_void) {
    // SAFETY: `state` came from `Arc::into_raw` in `install_events`, and C++ gives it back once.
    contained("the end of a store", (), || drop(unsafe { Arc::from_raw(state.cast::<H>()) }));
}

/// Calls `deliver` with the hooks and the text.
fn deliver<H: EventHooks, T: Default>(state: *mut c_void, text: Bytes, deliver: impl FnOnce(&H, &str) -> T) -> T {
    contained("an event", T::default(), || {
        // SAFETY: C++ holds `state` while it calls; the text lives for this call.
        let (hooks, text) = unsafe { (&*state.cast::<H>(), text.as_slice()) };
        deliver(hooks, &String::from_utf8_lossy(text))
    })
}

extern "C" fn memtable_sealed<H: EventHooks>(state: *mut c_void, family: Bytes, first_sequence: u64) {
    deliver(state, family, |hooks: &H, family| hooks.memtable_sealed(family, first_sequence));
}

extern "C" fn flush_begun<H: EventHooks>(state: *mut c_void, family: Bytes) {
    deliver(state, family, |hooks: &H, family| hooks.flush_begun(family));
}

extern "C" fn file_flushed<H: EventHooks>(state: *mut c_void, family: Bytes, path: Bytes, checksum: Bytes) {
    // SAFETY: both live for this call.
    let (path, checksum) = unsafe { (path.as_slice(), checksum.as_slice()) };
    let checksum = checksum.try_into().ok().map(u32::from_be_bytes);
    deliver(state, family, |hooks: &H, family| {
        hooks.file_flushed(family, Path::new(OsStr::from_bytes(path)), checksum);
    });
}

extern "C" fn job_ended<H: EventHooks>(state: *mut c_void) {
    deliver(state, Bytes::of(&[]), |hooks: &H, _| hooks.job_ended());
}

extern "C" fn flush_completed<H: EventHooks>(state: *mut c_void, family: Bytes, largest_sequence: u64, bytes: u64) {
    deliver(state, family, |hooks: &H, family| hooks.flush_completed(family, largest_sequence, bytes));
}

extern "C" fn compaction_begun<H: EventHooks>(state: *mut c_void, family: Bytes, compaction: *const CompactionBegin) {
    // SAFETY: a structure of the caller's frame.
    let compaction = unsafe { *compaction };
    deliver(state, family, |hooks: &H, family| hooks.compaction_begun(family, compaction));
}

extern "C" fn compaction_completed<H: EventHooks>(state: *mut c_void, family: Bytes, compaction: *const CompactionEnd) {
    // SAFETY: a structure of the caller's frame.
    let compaction = unsafe { *compaction };
    deliver(state, family, |hooks: &H, family| hooks.compaction_completed(family, compaction));
}

extern "C" fn backlog_changed<H: EventHooks>(state: *mut c_void, family: Bytes, files: u64, bytes: u64) {
    deliver(state, family, |hooks: &H, family| hooks.backlog_changed(family, files, bytes));
}

extern "C" fn subcompaction_begun<H: EventHooks>(state: *mut c_void, family: Bytes, number: c_int) {
    deliver(state, family, |hooks: &H, family| hooks.subcompaction_begun(family, number));
}

extern "C" fn stall_changed<H: EventHooks>(state: *mut c_void, family: Bytes, condition: c_int) {
    let condition = match condition {
        0 => StallCondition::Delayed,
        1 => StallCondition::Stopped,
        _ => StallCondition::Normal,
    };
    deliver(state, family, |hooks: &H, family| hooks.stall_changed(family, condition));
}

extern "C" fn corruption_met<H: EventHooks>(state: *mut c_void, family: Bytes, status: Bytes) -> bool {
    // SAFETY: the text lives for this call.
    let status = String::from_utf8_lossy(unsafe { status.as_slice() });
    deliver(state, family, |hooks: &H, family| hooks.corruption_met(family, &status))
}

extern "C" fn background_error<H: EventHooks>(
    state: *mut c_void,
    reason: c_int,
    severity: c_int,
    code: u8,
    subcode: u8,
    text: Bytes,
) {
    deliver(state, text, |hooks: &H, text| {
        hooks.background_error(reason, severity, Status::new(code, subcode, text.to_owned()));
    });
}

extern "C" fn recovery_ended<H: EventHooks>(state: *mut c_void, ok: bool, status: Bytes) {
    deliver(state, status, |hooks: &H, status| hooks.recovery_ended(ok, status));
}
