// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Keeps what a thread reads: RocksDB's view of a column family ("super version"), that is its memtables and files. Each
//! thread has a copy, which RocksDB renews under the database's mutex after every flush and compaction. Whoever is the
//! last to read a view frees it, under the mutex, too. A thread that takes a [`View`] before it reads does neither.

use super::{raw, FamilyHandle};
use librocksdb_sys as ffi;
use rocksdb::DB;
use std::cell::RefCell;
use std::ffi::c_void;
use std::ptr::NonNull;

extern "C" {
    fn cassiterite_view_take(
        database: *mut ffi::rocksdb_t,
        family: *mut ffi::rocksdb_column_family_handle_t,
        last: *mut u64,
    ) -> *mut c_void;
    fn cassiterite_view_release(view: *mut c_void) -> bool;
    fn cassiterite_is_unlocked(database: *mut ffi::rocksdb_t) -> bool;
    fn cassiterite_view_clean(database: *mut ffi::rocksdb_t, view: *mut c_void);
    #[cfg(test)]
    fn cassiterite_with_mutex(database: *mut ffi::rocksdb_t, call: extern "C" fn(*mut c_void), target: *mut c_void);
}

/// Column families whose latest numbers a thread remembers. One that is forgotten costs a look at the mutex.
const REMEMBERED: usize = 256;

thread_local! {
    /// By the address of their handles: of the column family, and of the view that the thread has taken last.
    static LAST: RefCell<[(usize, u64); REMEMBERED]> = const { RefCell::new([(0, 0); REMEMBERED]) };
}

/// A share of the view that a thread's reads use. To drop it waits for nothing.
pub(crate) struct View<'a> {
    family: &'a FamilyHandle,
    version: NonNull<c_void>,
}

impl<'a> View<'a> {
    /// The present view, if the thread can have it without waiting for the database's mutex.
    pub(crate) fn try_take(family: &'a FamilyHandle) -> Option<View<'a>> {
        let address = family.pointer() as usize;
        LAST.with_borrow_mut(|last| {
            // Handles are allocated, so that the lowest bits tell nothing.
            let (owner, number) = last.get_mut((address >> 4) % REMEMBERED)?;
            if *owner != address {
                (*owner, *number) = (address, 0);
            }
            View::take(family, number)
        })
    }

    /// The same, also `None` while anybody has the mutex.
    pub(crate) fn try_take_anew(family: &'a FamilyHandle) -> Option<View<'a>> {
        View::take(family, &mut 0)
    }

    fn take(family: &'a FamilyHandle, last: &mut u64) -> Option<View<'a>> {
        // SAFETY: handle and database are alive; the share is given back once, when the view is dropped.
        let version = unsafe { cassiterite_view_take(raw(family.db()), family.pointer(), last) };
        NonNull::new(version).map(|version| View { family, version })
    }
}

impl Drop for View<'_> {
    fn drop(&mut self) {
        // SAFETY: the share that `take` has got, given back once.
        if unsafe { cassiterite_view_release(self.version.as_ptr()) } {
            let last = LastView { family: self.family.clone(), version: self.version };
            self.family.db().discards().add(last);
        }
    }
}

/// A view that nobody has a share of any more. To drop it waits for the mutex, and gives its memtables and files to be
/// freed.
struct LastView {
    family: FamilyHandle,
    version: NonNull<c_void>,
}

// SAFETY: nobody else knows of the view, and it may be cleaned on any thread.
unsafe impl Send for LastView {}

impl Drop for LastView {
    fn drop(&mut self) {
        // SAFETY: without shares, it is cleaned once; the handle keeps the database open.
        unsafe { cassiterite_view_clean(raw(self.family.db()), self.version.as_ptr()) }
    }
}

/// Whether nobody has the database's mutex now.
pub(super) fn is_unlocked(db: &DB) -> bool {
    // SAFETY: the database is open while `db` is borrowed.
    unsafe { cassiterite_is_unlocked(raw(db)) }
}

/// Runs work while this thread has the database's mutex.
#[cfg(test)]
pub(crate) fn with_mutex<T>(db: &DB, work: impl FnMut() -> T) -> Option<T> {
    extern "C" fn call<T, W: FnMut() -> T>(target: *mut c_void) {
        // SAFETY: the caller's pair, alive for the call.
        let (work, done) = unsafe { &mut *target.cast::<(W, Option<T>)>() };
        *done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).ok();
    }
    fn run<T, W: FnMut() -> T>(db: &DB, mut work: (W, Option<T>)) -> Option<T> {
        // SAFETY: the database is open while `db` is borrowed; the pair outlives the call.
        unsafe { cassiterite_with_mutex(raw(db), call::<T, W>, std::ptr::from_mut(&mut work).cast()) }
        work.1
    }
    run(db, (work, None))
}
