// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Takes files into column families that exist, several at once in one atomic step.

use super::files::{decode, push_file, FileCall, LiveFile, Origin};
use super::status::{outcome, take, Failure};
use super::sys::FamilyHandle;
use super::{object_of, Bytes};
use crate::error::{EngineError, Result};
use rocksdb::{AsColumnFamilyRef, AsRawPtr, DB};
use std::ffi::{c_char, c_void, CString};
use std::path::{Path, PathBuf};
use std::ptr;

/// Files for one column family.
pub(crate) struct Ingestion<'a> {
    /// Where they go.
    pub family: &'a FamilyHandle,
    /// Ascending, none overlapping another (rows); or the oldest, which is lowest in its tree, first (whole files).
    pub paths: Vec<PathBuf>,
    /// Whether a database made them, with sequence numbers of their own. They are refused where the column family has
    /// any key in their range; others may go over anything.
    pub whole: bool,
    /// CRC-32C of each file, which the receiver has compared with its bytes; `None` where RocksDB has to compute them.
    pub checksums: Option<Vec<[u8; 4]>>,
}

/// `Ingestion` of ingest.cc.
#[repr(C)]
struct RawIngestion {
    family: *mut c_void,
    paths: *const *const c_char,
    count: usize,
    whole: bool,
    checksums: *const Bytes,
}

extern "C" {
    fn cassiterite_ingest(
        db: *mut c_void,
        ingestions: *const RawIngestion,
        count: usize,
        overlaps: *mut bool,
    ) -> *mut Failure;
    fn cassiterite_file_min_timestamp(
        path: *const c_char,
        call: extern "C" fn(*mut c_void, Bytes),
        target: *mut c_void,
    ) -> *mut Failure;
    fn cassiterite_file_origin(
        path: *const c_char,
        call: extern "C" fn(*mut c_void, Bytes),
        target: *mut c_void,
        number: *mut u64,
    ) -> *mut Failure;
}

extern "C" {
    fn cassiterite_flushed_file(path: *const c_char, call: FileCall, target: *mut c_void) -> *mut Failure;
}

impl Ingestion<'_> {
    /// Views of the checksums, one for each path.
    fn checksums(&self) -> Option<Vec<Bytes>> {
        let checksums = self.checksums.as_ref().filter(|checksums| checksums.len() == self.paths.len())?;
        Some(checksums.iter().map(|checksum| Bytes::of(checksum)).collect())
    }
}

/// What came of an ingestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Ingested {
    All,
    /// Nothing, and nothing has changed: a column family has keys in the range of its whole files.
    Nothing,
}

/// Links all files into their column families, durably: all of them, or none. The column families must differ, and have
/// no keys in the range of whole files.
pub(crate) fn ingest(db: &DB, ingestions: &[Ingestion<'_>]) -> Result<()> {
    match try_to_ingest(db, ingestions)? {
        Ingested::All => Ok(()),
        Ingested::Nothing => Err(EngineError::internal("whole files overlap what is there")),
    }
}

/// The same where whole files may overlap what is there.
pub(crate) fn try_to_ingest(db: &DB, ingestions: &[Ingestion<'_>]) -> Result<Ingested> {
    let paths: Vec<Vec<CString>> = ingestions
        .iter()
        .map(|ingestion| ingestion.paths.iter().map(|path| c_path(path)).collect())
        .collect::<Result<_>>()?;
    let pointers: Vec<Vec<*const c_char>> =
        paths.iter().map(|paths| paths.iter().map(|path| path.as_ptr()).collect()).collect();
    let checksums: Vec<Option<Vec<Bytes>>> = ingestions.iter().map(Ingestion::checksums).collect();
    let raw: Vec<RawIngestion> = ingestions
        .iter()
        .zip(&pointers)
        .zip(&checksums)
        .map(|((ingestion, pointers), checksums)| RawIngestion {
            // SAFETY: the handle is borrowed with `ingestions` for the whole of this function.
            family: unsafe { object_of(ingestion.family.inner()) },
            paths: pointers.as_ptr(),
            count: pointers.len(),
            whole: ingestion.whole,
            checksums: checksums.as_ref().map_or(ptr::null(), |checksums| checksums.as_ptr()),
        })
        .collect();
    let mut overlaps = false;
    // SAFETY: database, column families, and the strings and arrays that `raw` points into are alive for the call.
    let failure =
        take(unsafe { cassiterite_ingest(object_of(db.as_raw_ptr()), raw.as_ptr(), raw.len(), &mut overlaps) });
    match failure {
        None => Ok(Ingested::All),
        Some(_) if overlaps => Ok(Ingested::Nothing),
        Some(status) => Err(status.into()),
    }
}

/// The smallest timestamp of a file's entries; `None` where the file does not tell.
pub(crate) fn file_min_timestamp(path: &Path) -> Result<Option<i64>> {
    let path = c_path(path)?;
    let mut property: Vec<u8> = Vec::new();
    // SAFETY: the path is NUL-terminated; `take_bytes` gets the vector it expects, only during the call.
    outcome(unsafe { cassiterite_file_min_timestamp(path.as_ptr(), take_bytes, ptr::from_mut(&mut property).cast()) })?;
    Ok(decode(&property).map(i64::from_le_bytes))
}

/// What the file was born as, in whichever database.
pub(crate) fn file_origin(path: &Path) -> Result<Origin> {
    let c_path = c_path(path)?;
    let (mut session, mut number): (Vec<u8>, u64) = (Vec::new(), 0);
    // SAFETY: the path is NUL-terminated, `number` may be written; `take_bytes` gets the vector it expects. All outlive
    // the call.
    outcome(unsafe {
        cassiterite_file_origin(c_path.as_ptr(), take_bytes, ptr::from_mut(&mut session).cast(), &mut number)
    })
    .map_err(|error| error.context(path.display()))?;
    Ok(Origin { session: String::from_utf8_lossy(&session).into_owned(), number })
}

/// What a flush has written into a file of its own, which may be no part of a database any more. Size, checksum and
/// properties of the engine are left out.
pub(crate) fn flushed_file(path: &Path) -> Result<LiveFile> {
    let c_path = c_path(path)?;
    let mut files: Vec<LiveFile> = Vec::new();
    // SAFETY: the path is NUL-terminated; `push_file` gets the vector it expects, only during the call.
    outcome(unsafe { cassiterite_flushed_file(c_path.as_ptr(), push_file, ptr::from_mut(&mut files).cast()) })
        .and_then(|()| files.pop().ok_or_else(|| EngineError::internal("no file was shown")))
        .map_err(|error| error.context(path.display()))
}

extern "C" fn take_bytes(target: *mut c_void, value: Bytes) {
    // SAFETY: the only caller passes a live vector as target, and the value lives for this call.
    let (target, value) = unsafe { (&mut *target.cast::<Vec<u8>>(), value.as_slice()) };
    *target = value.to_vec();
}

pub(super) fn c_path(path: &Path) -> Result<CString> {
    let text = path.to_str().ok_or_else(|| EngineError::invalid(format!("{} is not UTF-8", path.display())))?;
    CString::new(text).map_err(|_| EngineError::invalid(format!("a path holds a NUL byte: {text:?}")))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::common::{open, put, schema, table};
    use crate::error::Kind;
    use crate::raw::listed_files;
    use crate::raw::sys::file_name;
    use crate::{Store, Table};
    use std::sync::Arc;

    fn other(store: &Store) -> Arc<Table> {
        store.table(&schema(&[7; 16], &[(0, "v", "blob")])).unwrap()
    }

    /// Ingests whole files into a table.
    fn ingest_into(table: &Table, paths: Vec<PathBuf>) -> Result<Ingested> {
        table.shared(|core| {
            let whole = Ingestion { family: core.family(), paths, whole: true, checksums: None };
            try_to_ingest(&core.store().db, &[whole])
        })
    }

    /// The one file of a table with two rows.
    fn whole_file(store: &Store) -> PathBuf {
        let table = table(store);
        put(&table, "a", 1, 1, b"x");
        put(&table, "a", 3, 1, b"x");
        table.compact().unwrap();
        let found = table.shared(|core| {
            let files = listed_files(&core.store().db, core.family())?;
            Ok(files.iter().map(|file| core.store().db.path().join(file_name(file.number))).collect::<Vec<_>>())
        });
        let [path] = <[PathBuf; 1]>::try_from(found.unwrap()).unwrap();
        path
    }

    #[test]
    fn files_are_taken_where_nothing_lies_in_their_range() {
        let directory = tempfile::tempdir().unwrap();
        let store = open(directory.path());
        let path = whole_file(&store);
        let other = other(&store);
        assert_eq!(ingest_into(&other, vec![path.clone()]), Ok(Ingested::All));
        assert_eq!(ingest_into(&other, vec![path.clone()]), Ok(Ingested::Nothing), "a file lies there");
        let emptied = other.truncate().unwrap();
        put(&emptied, "a", 2, 1, b"between");
        assert_eq!(ingest_into(&emptied, vec![path]), Ok(Ingested::Nothing), "a memtable lies there");
    }

    #[test]
    fn what_else_is_wrong_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let store = open(directory.path());
        let path = whole_file(&store);
        let other = other(&store);
        assert_eq!(ingest_into(&other, Vec::new()).unwrap_err().kind(), Kind::Invalid);
        assert_eq!(ingest_into(&other, vec![directory.path().join("none.sst")]).unwrap_err().kind(), Kind::Io);
        std::fs::write(directory.path().join("torn.sst"), b"no table").unwrap();
        assert_eq!(ingest_into(&other, vec![directory.path().join("torn.sst")]).unwrap_err().kind(), Kind::Corruption);
        other.shared(|core| core.family().delete(core.family_name())).unwrap();
        assert_eq!(ingest_into(&other, vec![path]).unwrap_err().kind(), Kind::Closed, "the family is gone");
    }
}
