// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Iterators that own their bounds and keep the database open, so that a cursor can have one between calls.

use super::lookup::Reach;
use super::skip::SkippedFiles;
use super::view::is_unlocked;
use super::{checked, raw, FamilyHandle};
use crate::error::Result;
use crate::raw::{Bytes, Origin};
use librocksdb_sys as ffi;
use std::ffi::c_char;
use std::mem::ManuallyDrop;
use std::sync::Arc;

/// What an iterator is opened for.
#[derive(Clone)]
pub(crate) struct IterSpec {
    /// First key that may be visited.
    pub lower: Vec<u8>,
    /// First key behind the last that may be visited; empty for no bound.
    pub upper: Vec<u8>,
    /// All visited keys have one prefix (token), so that filters may rule files out.
    pub one_prefix: bool,
    /// Whether blocks that are read stay in the block cache.
    pub fill_cache: bool,
    /// How far it goes.
    pub reach: Reach,
}

extern "C" {
    fn cassiterite_iterator_seek(
        iterator: *mut ffi::rocksdb_iterator_t,
        key: *const c_char,
        size: usize,
        here: *mut Here,
    );
    fn cassiterite_iterator_seek_back(
        iterator: *mut ffi::rocksdb_iterator_t,
        key: *const c_char,
        size: usize,
        here: *mut Here,
    );
    fn cassiterite_iterator_step(iterator: *mut ffi::rocksdb_iterator_t, here: *mut Here);
    fn cassiterite_iterator_step_back(iterator: *mut ffi::rocksdb_iterator_t, here: *mut Here);
}

/// What an iterator is at, until it moves. As `Here` of iterate.cc.
#[repr(C)]
struct Here {
    key: Bytes,
    value: Bytes,
    is_valid: bool,
}

/// An iterator over one view of a column family, which it pins. To drop it waits for nothing if it reads memory only.
pub(crate) struct Iter(ManuallyDrop<Opened>);

/// What RocksDB has of an iterator. To drop it takes the database's mutex, whatever it has read.
struct Opened {
    iterator: *mut ffi::rocksdb_iterator_t,
    options: *mut ffi::rocksdb_readoptions_t,
    here: Here,
    skipped: Option<SkippedFiles>,
    // The options point into the bounds.
    spec: IterSpec,
    family: FamilyHandle,
}

// SAFETY: an iterator has no tie to a thread; it is used through `&mut`, or read through `&` by one owner at a time.
unsafe impl Send for Opened {}

impl Iter {
    pub(crate) fn open(family: &FamilyHandle, spec: IterSpec) -> Iter {
        Iter::make(family, spec, None, |options| Iter::of_now(family, options))
    }

    /// An iterator that can leave files out: see [`Iter::skip`].
    pub(crate) fn open_skipping(family: &FamilyHandle, spec: IterSpec) -> Iter {
        Iter::make(family, spec, Some(SkippedFiles::none()), |options| Iter::of_now(family, options))
    }

    /// Leaves a file out, not one of level 0. Only before the iterator has moved for the first time.
    pub(crate) fn skip(&mut self, file: &Origin) {
        if let Some(skipped) = &mut self.0.skipped {
            skipped.add(file);
        }
    }

    fn of_now(family: &FamilyHandle, options: *const ffi::rocksdb_readoptions_t) -> *mut ffi::rocksdb_iterator_t {
        // SAFETY: handle and database are alive; the caller's options are, too, and stay so as long as the iterator.
        unsafe { ffi::rocksdb_create_iterator_cf(raw(family.db()), options, family.pointer()) }
    }

    /// `open` makes RocksDB's iterator with these options.
    pub(super) fn make(
        family: &FamilyHandle,
        spec: IterSpec,
        skipped: Option<SkippedFiles>,
        open: impl FnOnce(*const ffi::rocksdb_readoptions_t) -> *mut ffi::rocksdb_iterator_t,
    ) -> Iter {
        // SAFETY: the bounds' bytes do not move when `spec` does (they are on the heap) and live as long as the
        // iterator.
        unsafe {
            let options = ffi::rocksdb_readoptions_create();
            ffi::rocksdb_readoptions_set_iterate_lower_bound(options, spec.lower.as_ptr().cast(), spec.lower.len());
            if !spec.upper.is_empty() {
                ffi::rocksdb_readoptions_set_iterate_upper_bound(options, spec.upper.as_ptr().cast(), spec.upper.len());
            }
            ffi::rocksdb_readoptions_set_prefix_same_as_start(options, u8::from(spec.one_prefix));
            ffi::rocksdb_readoptions_set_total_order_seek(options, u8::from(!spec.one_prefix));
            ffi::rocksdb_readoptions_set_fill_cache(options, u8::from(spec.fill_cache));
            ffi::rocksdb_readoptions_set_read_tier(options, spec.reach.tier());
            if let Some(skipped) = &skipped {
                skipped.install(options);
            }
            let iterator = open(options);
            let here = Here { key: Bytes::of(&[]), value: Bytes::of(&[]), is_valid: false };
            let opened = Opened { iterator, options, here, skipped, spec, family: family.clone() };
            Iter(ManuallyDrop::new(opened))
        }
    }

    /// Goes to the first key at or behind `key`.
    pub(crate) fn seek(&mut self, key: &[u8]) -> Result<()> {
        // SAFETY: the iterator is alive; the key is not kept.
        unsafe { cassiterite_iterator_seek(self.0.iterator, key.as_ptr().cast(), key.len(), &mut self.0.here) };
        self.check()
    }

    /// Goes to the last key at or before `key`.
    pub(crate) fn seek_back(&mut self, key: &[u8]) -> Result<()> {
        // SAFETY: the iterator is alive; the key is not kept.
        unsafe { cassiterite_iterator_seek_back(self.0.iterator, key.as_ptr().cast(), key.len(), &mut self.0.here) };
        self.check()
    }

    /// Goes to the following key. Only while [`Iter::entry`] is `Some`.
    pub(crate) fn step(&mut self) -> Result<()> {
        if self.valid() {
            // SAFETY: the iterator is alive and on a key.
            unsafe { cassiterite_iterator_step(self.0.iterator, &mut self.0.here) };
        }
        self.check()
    }

    /// Goes to the key before. Only while [`Iter::entry`] is `Some`.
    pub(crate) fn step_back(&mut self) -> Result<()> {
        if self.valid() {
            // SAFETY: the iterator is alive and on a key.
            unsafe { cassiterite_iterator_step_back(self.0.iterator, &mut self.0.here) };
        }
        self.check()
    }

    /// Key and value here, until the iterator moves.
    pub(crate) fn entry(&self) -> Option<(&[u8], &[u8])> {
        // SAFETY: both slices stay until the iterator moves, which takes `&mut self`.
        self.valid().then(|| unsafe { (self.0.here.key.as_slice(), self.0.here.value.as_slice()) })
    }

    /// The key here, until the iterator moves.
    pub(crate) fn key(&self) -> Option<&[u8]> {
        // SAFETY: as in `entry`.
        self.valid().then(|| unsafe { self.0.here.key.as_slice() })
    }

    fn valid(&self) -> bool {
        self.0.here.is_valid
    }

    // An iterator that is off its keys is at their end or has failed: never take the one for the other.
    fn check(&self) -> Result<()> {
        if self.valid() {
            return Ok(());
        }
        // SAFETY: the iterator is alive.
        checked(|error| unsafe { ffi::rocksdb_iter_get_error(self.0.iterator, error) })
    }
}

impl Drop for Iter {
    fn drop(&mut self) {
        // SAFETY: taken once, and not used afterwards.
        let opened = unsafe { ManuallyDrop::take(&mut self.0) };
        let db = Arc::clone(opened.family.db());
        if opened.spec.reach == Reach::Memory && !is_unlocked(&db) {
            db.discards().add(opened);
        }
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // SAFETY: both made in `Iter::make`, released once, the iterator before what it points into.
        unsafe {
            ffi::rocksdb_iter_destroy(self.iterator);
            ffi::rocksdb_readoptions_destroy(self.options);
        }
    }
}
