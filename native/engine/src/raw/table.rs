// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Merge, purge and timestamps of one column family.

use super::files::{live_file, FileView, LiveFile};
use super::status::{outcome, Failure};
use super::{contained, Bytes};
use crate::error::Result;
use cassiterite_codec::key;
use rocksdb::{AsRawPtr, Options};
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::Arc;

/// What a filter does with an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// The entry stays.
    Keep,
    /// A value becomes a deletion of its key; an operand is dropped.
    Remove,
    /// The entry gets the bytes in `out`.
    Change,
    /// The entry goes, and all behind it that come before the key in `out`, without a trace: what they hid may come
    /// back.
    SkipTo,
}

/// What a column family does with its fragments; called by many threads at once.
pub(crate) trait TableHooks: Send + Sync + 'static {
    /// One compaction, on one thread.
    type Compaction: CompactionHooks;

    /// Merges fragments of one key, oldest first, into `out` (empty). False where they cannot be merged.
    fn merge(&self, key: &[u8], fragments: &[&[u8]], out: &mut Vec<u8>) -> bool;

    /// What an entry adds to the properties of its file.
    fn facts(&self, key: &[u8], fragment: &[u8]) -> EntryFacts;

    /// A compaction starts on this thread.
    fn begin(self: &Arc<Self>, source: &CompactionSource<'_>) -> Self::Compaction;
}

/// What the properties of a file summarize of its entries. `EntryFacts` of shim.h.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EntryFacts {
    /// The smallest timestamp; `i64::MIN` where that is not known, `i64::MAX` where there is none.
    pub min_timestamp: i64,
    /// The greatest timestamp; `i64::MAX` where that is not known, `i64::MIN` where there is none.
    pub max_timestamp: i64,
    /// Whether it deletes more than a row, or may.
    pub is_header: bool,
    /// Whether it deletes a row, or may.
    pub has_row_deletion: bool,
}

impl EntryFacts {
    pub(crate) const UNKNOWN: EntryFacts =
        EntryFacts { min_timestamp: i64::MIN, max_timestamp: i64::MAX, is_header: true, has_row_deletion: true };
}

/// One running compaction. Its keys come in ascending order; it is dropped when the compaction ends.
pub(crate) trait CompactionHooks: 'static {
    /// An entry: an operand before it is merged, or a value that has no operand on top.
    fn filter(&mut self, key: &[u8], is_operand: bool, fragment: &[u8], out: &mut Vec<u8>) -> Decision;

    /// The whole history of a key, oldest first: a value if there is one (`has_value`), then the operands.
    fn merge(&mut self, key: &[u8], has_value: bool, fragments: &[&[u8]], out: &mut Vec<u8>) -> bool;
}

/// Through this a starting compaction sees the rest of its column family.
#[repr(C)]
pub(crate) struct CompactionSource<'a> {
    db: *mut c_void,
    family_id: u32,
    input_numbers: *const u64,
    input_count: usize,
    call: PhantomData<&'a ()>,
}

/// What a compaction sees of the rest of its column family, after it has begun.
pub(crate) struct CompactionView {
    /// Sealed memtables whose data were in no file when the files were listed.
    pub immutable_memtables: u64,
    /// Explicit snapshots of the database.
    pub snapshots: u64,
    /// How many threads one compaction may use.
    pub max_subcompactions: u32,
    /// What this compaction reads.
    pub input_files: Vec<LiveFile>,
    /// The other live files that reach into its partitions.
    pub other_files: Vec<LiveFile>,
}

/// What is being shown to a compaction.
#[derive(Default)]
struct Shown {
    inputs: Vec<LiveFile>,
    /// The range of keys that the inputs' partitions may have.
    first: Vec<u8>,
    last: Vec<u8>,
    others: Vec<LiveFile>,
}

impl Shown {
    /// A partition may have begun before the first input, and may end behind the last.
    fn reach(&mut self) {
        let smallest = self.inputs.iter().map(|file| &file.smallest_key).min().map(|key| partition_of(key));
        let largest = self.inputs.iter().map(|file| &file.largest_key).max().map(|key| partition_of(key));
        // Without a partition: all keys.
        self.first = smallest.flatten().unwrap_or_default().to_vec();
        self.last = largest.flatten().unwrap_or_default().to_vec();
        self.last.push(u8::MAX);
    }
}

fn partition_of(key: &[u8]) -> Option<&[u8]> {
    key.get(..key::partition_len(key)?)
}

impl CompactionSource<'_> {
    /// The view of the column family; `None` where RocksDB does not tell what this compaction's inputs are.
    pub(crate) fn view(&self) -> Result<Option<CompactionView>> {
        if self.db.is_null() || self.input_numbers.is_null() {
            return Ok(None);
        }
        let (mut immutable_memtables, mut snapshots, mut max_subcompactions) = (0, 0, 0);
        let mut shown = Shown::default();
        // SAFETY: `self` is the structure that C++ passed to `begin`, still borrowed; the compaction that runs on this
        // thread keeps the database open; the three functions get what they expect, only during this call.
        outcome(unsafe {
            cassiterite_compaction_view(
                ptr::from_ref(self).cast(),
                &mut immutable_memtables,
                &mut snapshots,
                &mut max_subcompactions,
                show_input,
                reach,
                show_other,
                ptr::from_mut(&mut shown).cast(),
            )
        })?;
        let Shown { inputs: input_files, others: other_files, .. } = shown;
        if input_files.len() != self.input_count {
            return Ok(None); // An input that is not live: these are not the files that this compaction reads.
        }
        Ok(Some(CompactionView { immutable_memtables, snapshots, max_subcompactions, input_files, other_files }))
    }

    /// The merged value of a key, as a reader finds it now.
    pub(crate) fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let mut found: Option<Vec<u8>> = None;
        if !self.db.is_null() {
            // SAFETY: as in `view`; `take_value` gets the option it expects, only during this call.
            outcome(unsafe {
                cassiterite_compaction_get(
                    ptr::from_ref(self).cast(),
                    Bytes { data: key.as_ptr(), size: key.len() },
                    take_value,
                    ptr::from_mut(&mut found).cast(),
                )
            })?;
        }
        Ok(found)
    }
}

#[repr(C)]
struct TableCalls {
    state: *mut c_void,
    drop_state: extern "C" fn(*mut c_void),
    merge: extern "C" fn(*mut c_void, *mut c_void, Bytes, *const Bytes, *const Bytes, usize, *mut c_void) -> bool,
    facts: extern "C" fn(*mut c_void, Bytes, Bytes) -> EntryFacts,
    begin: extern "C" fn(*mut c_void, *const CompactionSource<'static>) -> *mut c_void,
    filter: extern "C" fn(*mut c_void, Bytes, bool, Bytes, *mut c_void) -> c_int,
    end: extern "C" fn(*mut c_void),
}

extern "C" {
    fn cassiterite_table_install(options: *mut c_void, calls: *const TableCalls);
    fn cassiterite_string_assign(string: *mut c_void, data: *const u8, size: usize);
    fn cassiterite_compaction_view(
        source: *const c_void,
        immutable_memtables: *mut u64,
        snapshots: *mut u64,
        max_subcompactions: *mut u32,
        input: extern "C" fn(*mut c_void, *const FileView),
        reach: extern "C" fn(*mut c_void, *mut Bytes, *mut Bytes),
        other: extern "C" fn(*mut c_void, *const FileView),
        target: *mut c_void,
    ) -> *mut Failure;
    fn cassiterite_compaction_get(
        source: *const c_void,
        key: Bytes,
        call: extern "C" fn(*mut c_void, Bytes),
        target: *mut c_void,
    ) -> *mut Failure;
}

extern "C" fn show_input(target: *mut c_void, view: *const FileView) {
    // SAFETY: the only caller passes a live structure as target, and C++ a live view.
    let (shown, file) = unsafe { (&mut *target.cast::<Shown>(), live_file(&*view)) };
    shown.inputs.push(file);
}

extern "C" fn show_other(target: *mut c_void, view: *const FileView) {
    // SAFETY: as above.
    let (shown, file) = unsafe { (&mut *target.cast::<Shown>(), live_file(&*view)) };
    shown.others.push(file);
}

/// The keys stay where they are while files are shown.
extern "C" fn reach(target: *mut c_void, first: *mut Bytes, last: *mut Bytes) {
    // SAFETY: as above; C++ passes two slices that it owns.
    let (shown, first, last) = unsafe { (&mut *target.cast::<Shown>(), &mut *first, &mut *last) };
    shown.reach();
    *first = Bytes::of(&shown.first);
    *last = Bytes::of(&shown.last);
}

/// Puts a value into the `Option<Vec<u8>>` behind `target`.
extern "C" fn take_value(target: *mut c_void, value: Bytes) {
    // SAFETY: the only caller passes a live option as target, and the value lives for this call.
    let (found, value) = unsafe { (&mut *target.cast::<Option<Vec<u8>>>(), value.as_slice()) };
    *found = Some(value.to_vec());
}

/// Makes `hooks` the merge operator, compaction filter and properties collector of every column family that is opened
/// with `options`. They live until the last of these databases, and `options`, are dropped.
pub(crate) fn install_table<H: TableHooks>(options: &mut Options, hooks: &Arc<H>) {
    let calls = TableCalls {
        state: Arc::into_raw(Arc::clone(hooks)).cast_mut().cast(),
        drop_state: drop_state::<H>,
        merge: merge::<H>,
        facts: facts::<H>,
        begin: begin::<H>,
        filter: filter::<H>,
        end: end::<H>,
    };
    // SAFETY: `rocksdb_options_t` is `{ Options rep; }`, borrowed mutably for the call; `calls` is copied; C++ gives
    // `state` back to `drop_state` exactly once.
    unsafe { cassiterite_table_install(options.as_raw_ptr().cast(), &calls) }
}

/// One compaction and its buffer.
struct Run<C> {
    hooks: C,
    out: Vec<u8>,
}

extern "C" fn drop_state<H: TableHooks>(state: *mut c_void) {
    // SAFETY: `state` came from `Arc::into_raw` in `install_table`, and C++ gives it back once.
    contained("the end of a table", (), || drop(unsafe { Arc::from_raw(state.cast::<H>()) }));
}

extern "C" fn begin<H: TableHooks>(state: *mut c_void, source: *const CompactionSource<'static>) -> *mut c_void {
    contained("the start of a compaction", ptr::null_mut(), || {
        // SAFETY: C++ holds `state`, which came from `Arc::into_raw`, while it calls: its count is left as it is.
        let hooks = ManuallyDrop::new(unsafe { Arc::from_raw(state.cast::<H>()) });
        // SAFETY: a live structure of the caller's frame.
        let source = unsafe { &*source };
        Box::into_raw(Box::new(Run { hooks: hooks.begin(source), out: Vec::new() })).cast()
    })
}

extern "C" fn end<H: TableHooks>(run: *mut c_void) {
    // SAFETY: `run` came from `begin`, and C++ gives it back once, when nothing uses it any more.
    contained("the end of a compaction", (), || drop(unsafe { Box::from_raw(run.cast::<Run<H::Compaction>>()) }));
}

extern "C" fn filter<H: TableHooks>(
    run: *mut c_void,
    key: Bytes,
    is_operand: bool,
    fragment: Bytes,
    changed: *mut c_void,
) -> c_int {
    let decision = contained("a compaction filter", Decision::Keep, || {
        // SAFETY: `run` came from `begin`; one thread uses it, and no call of it is nested in another.
        let run = unsafe { &mut *run.cast::<Run<H::Compaction>>() };
        // SAFETY: key and fragment are slices of RocksDB that live for this call.
        let (key, fragment) = unsafe { (key.as_slice(), fragment.as_slice()) };
        run.out.clear();
        let decision = run.hooks.filter(key, is_operand, fragment, &mut run.out);
        if matches!(decision, Decision::Change | Decision::SkipTo) {
            assign(changed, &run.out);
        }
        decision
    });
    match decision {
        Decision::Keep => 0,
        Decision::Remove => 1,
        Decision::Change => 2,
        Decision::SkipTo => 3,
    }
}

extern "C" fn merge<H: TableHooks>(
    state: *mut c_void,
    run: *mut c_void,
    key: Bytes,
    existing: *const Bytes,
    operands: *const Bytes,
    count: usize,
    merged: *mut c_void,
) -> bool {
    contained("a merge", false, || {
        // SAFETY: `existing` is null or one slice, `operands` are `count` slices, all of RocksDB and for this call.
        let (key, existing, operands) =
            unsafe { (key.as_slice(), existing.as_ref(), std::slice::from_raw_parts(operands, count)) };
        // SAFETY: as above.
        let fragments: Vec<&[u8]> =
            existing.into_iter().chain(operands).map(|bytes| unsafe { bytes.as_slice() }).collect();
        if run.is_null() {
            // SAFETY: C++ holds `state` while it calls.
            let hooks = unsafe { &*state.cast::<H>() };
            let mut out = Vec::new();
            return hooks.merge(key, &fragments, &mut out) && assign(merged, &out);
        }
        // SAFETY: `run` came from `begin` of the filter that lives on this thread; no call of it is nested in another.
        let run = unsafe { &mut *run.cast::<Run<H::Compaction>>() };
        run.out.clear();
        run.hooks.merge(key, existing.is_some(), &fragments, &mut run.out) && assign(merged, &run.out)
    })
}

extern "C" fn facts<H: TableHooks>(state: *mut c_void, key: Bytes, fragment: Bytes) -> EntryFacts {
    contained("the properties of a file", EntryFacts::UNKNOWN, || {
        // SAFETY: C++ holds `state` while it calls; key and fragment live for this call.
        let (hooks, key, fragment) = unsafe { (&*state.cast::<H>(), key.as_slice(), fragment.as_slice()) };
        hooks.facts(key, fragment)
    })
}

/// Copies bytes into a `std::string`; always true.
pub(super) fn assign(string: *mut c_void, bytes: &[u8]) -> bool {
    // SAFETY: `string` is the caller's live `std::string`.
    unsafe { cassiterite_string_assign(string, bytes.as_ptr(), bytes.len()) };
    true
}
