// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A column family handle that keeps its database open.

use super::options_file::without_options_file;
use super::{c_string, checked, raw};
use crate::database::Database;
use crate::error::{EngineError, Result};
use crate::raw::status::{outcome, Failure};
use librocksdb_sys as ffi;
use rocksdb::{AsColumnFamilyRef, AsRawPtr, BoundColumnFamily, Options};
use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::Arc;

extern "C" {
    fn cassiterite_family_named(database: *mut ffi::rocksdb_t, name: *const c_char, size: usize) -> *mut c_void;
    fn cassiterite_family_create(
        database: *mut ffi::rocksdb_t,
        options: *const c_void,
        name: *const c_char,
        size: usize,
        handle: *mut *mut c_void,
    ) -> *mut Failure;
}

/// RocksDB's words for it.
const ALREADY_DROPPED: &str = "Column family already dropped";

type Pointer = *mut ffi::rocksdb_column_family_handle_t;

/// A column family and the database it belongs to; cheap to clone. Stays usable after the column family has been
/// dropped (its data go when the last handle does), and keeps the database open.
#[derive(Clone)]
pub(crate) struct FamilyHandle {
    pointer: Pointer,
    // Before `db`: handles are released before the database closes.
    #[allow(dead_code)]
    handle: Arc<Handle>,
    db: Arc<Database>,
}

enum Handle {
    Listed(#[allow(dead_code)] Arc<BoundColumnFamily<'static>>),
    Unlisted(Pointer),
}

// SAFETY: RocksDB's handles may be used and released from any thread.
unsafe impl Send for Handle {}
// SAFETY: as above; a handle is never changed after creation.
unsafe impl Sync for Handle {}
// SAFETY: `pointer` belongs to the shared `handle`.
unsafe impl Send for FamilyHandle {}
// SAFETY: as above.
unsafe impl Sync for FamilyHandle {}

impl Drop for Handle {
    fn drop(&mut self) {
        if let Handle::Unlisted(pointer) = *self {
            // SAFETY: made by the import or the shim, owned only here.
            unsafe { ffi::rocksdb_column_family_handle_destroy(pointer) }
        }
    }
}

impl FamilyHandle {
    /// The handle of a column family that the database lists.
    pub(crate) fn named(db: &Arc<Database>, name: &str) -> Result<FamilyHandle> {
        let bound = db
            .cf_handle(name)
            .ok_or_else(|| EngineError::internal(format!("column family {name} has vanished; restart the node")))?;
        let pointer = bound.inner();
        // SAFETY: only the lifetime changes; `db` is kept beside the handle and released after it.
        let bound =
            unsafe { std::mem::transmute::<Arc<BoundColumnFamily<'_>>, Arc<BoundColumnFamily<'static>>>(bound) };
        Ok(FamilyHandle { pointer, handle: Arc::new(Handle::Listed(bound)), db: Arc::clone(db) })
    }

    /// Makes a column family. The database does not list it.
    pub(crate) fn create(db: &Arc<Database>, name: &str, options: &Options) -> Result<FamilyHandle> {
        let mut handle = ptr::null_mut();
        // SAFETY: database, options (`rocksdb_options_t` is `{ Options rep; }`) and name are only read and outlive the
        // call; a handle that comes back is owned here.
        let (made, handle) = unsafe {
            let options = options.as_raw_ptr().cast();
            let made = cassiterite_family_create(raw(db), options, name.as_ptr().cast(), name.len(), &mut handle);
            (outcome(made), (!handle.is_null()).then(|| Self::unlisted(db, handle.cast())))
        };
        made?;
        handle.ok_or_else(|| EngineError::internal(format!("RocksDB has made {name} without a handle")))
    }

    /// Changes options of the column family. They are not kept: it is opened with others.
    pub(crate) fn set_options(&self, options: &[(&str, &str)]) -> Result<()> {
        without_options_file(|| Ok(self.db.set_options_cf(self, options)?))
    }

    /// The handle of a column family that is there although making it failed. The database does not list it.
    pub(crate) fn half_made(db: &Arc<Database>, name: &str) -> Option<FamilyHandle> {
        // SAFETY: the database is open while `db` is borrowed; the name is only read; the handle is owned here.
        let pointer = unsafe { cassiterite_family_named(raw(db), name.as_ptr().cast(), name.len()) };
        (!pointer.is_null()).then(|| Self::unlisted(db, pointer.cast()))
    }

    pub(super) fn unlisted(db: &Arc<Database>, pointer: Pointer) -> FamilyHandle {
        FamilyHandle { pointer, handle: Arc::new(Handle::Unlisted(pointer)), db: Arc::clone(db) }
    }

    /// The database of this column family.
    pub(crate) fn db(&self) -> &Arc<Database> {
        &self.db
    }

    pub(super) fn pointer(&self) -> Pointer {
        self.pointer
    }

    /// Drops the column family of this name, which must be this one, listed or not. After a failure it may be tried
    /// again.
    pub(crate) fn delete(&self, name: &str) -> Result<()> {
        // The list must not keep the handle: it would keep the files. It forgets it even if RocksDB then fails.
        if self.db.cf_handle(name).is_some_and(|listed| listed.inner() == self.pointer) {
            return without_options_file(|| Ok(self.db.drop_cf(name)?));
        }
        // SAFETY: handle and database are alive; the handle is released when `self` is.
        let drop = |error| unsafe { ffi::rocksdb_drop_column_family(raw(&self.db), self.pointer, error) };
        match without_options_file(|| checked(drop)) {
            // An earlier try dropped it, and failed after that.
            Err(error) if error.message().contains(ALREADY_DROPPED) => Ok(()),
            other => other,
        }
    }

    /// The value of a numeric property; 0 where RocksDB does not know it.
    pub(crate) fn property(&self, name: &str) -> u64 {
        let Ok(name) = c_string(name) else { return 0 };
        let mut value = 0;
        // SAFETY: the name outlives the call; a failing call leaves `value` alone.
        unsafe { ffi::rocksdb_property_int_cf(raw(&self.db), self.pointer, name.as_ptr(), &mut value) };
        value
    }
}

impl AsColumnFamilyRef for FamilyHandle {
    fn inner(&self) -> Pointer {
        self.pointer
    }
}
