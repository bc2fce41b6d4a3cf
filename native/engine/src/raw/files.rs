// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The live files of a column family, each with the smallest timestamp that its properties tell.

use super::status::{outcome, Failure};
use super::{object_of, Bytes};
use crate::error::Result;
use crate::faults::{reached, Step};
use rocksdb::{AsColumnFamilyRef, AsRawPtr, DB};
use std::ffi::{c_int, c_void};
use std::ptr;

/// So many files tell how well a table compresses, and how large its filters are.
pub(crate) const SAMPLE_FILES: u64 = 256;

/// The version byte of our properties.
const PROPERTY_VERSION: u8 = 1;

/// What names a file for good, whatever its number: no two files of a column family have the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The session of the database, or of the writer, that wrote it: letters and digits.
    pub session: String,
    /// The number that it was written with.
    pub number: u64,
}

/// One live SST file.
#[derive(Clone, Debug, Default)]
pub(crate) struct LiveFile {
    /// Its number, as in its name.
    pub number: u64,
    /// Its level.
    pub level: i32,
    /// Its size.
    pub file_bytes: u64,
    /// Its smallest key.
    pub smallest_key: Vec<u8>,
    /// Its largest key.
    pub largest_key: Vec<u8>,
    /// The smallest timestamp of its entries; `None` where the file does not tell.
    pub min_timestamp: Option<i64>,
    /// How many of its entries are headers that delete something; `None` where the file does not tell.
    pub headers: Option<u64>,
    /// Smallest and largest sequence number in it.
    pub sequences: (u64, u64),
    /// How many entries it has, several of one key counted each.
    pub entries: u64,
    /// Their keys and values, uncompressed; 0 where the file does not tell.
    pub raw_bytes: u64,
    /// Its filter; 0 where the file does not tell, or has none.
    pub filter_bytes: u64,
    /// What it was born as.
    pub origin: Origin,
    /// It was written outside of any database, and ingested: its entries' sequence numbers are not in it.
    pub is_external: bool,
    /// CRC-32C of its bytes from when they were written; `None` for files of an import, and of before there were such
    /// sums.
    pub checksum: Option<u32>,
}

/// Where one live SST file lies.
#[derive(Clone, Debug)]
pub(crate) struct PlacedFile {
    /// Its number, as in its name.
    pub number: u64,
    /// Its level.
    pub level: i32,
    /// Its size.
    pub file_bytes: u64,
    /// Its smallest key.
    pub smallest_key: Vec<u8>,
    /// Its largest key.
    pub largest_key: Vec<u8>,
}

/// `FileView` of shim.h.
#[repr(C)]
pub(super) struct FileView {
    number: u64,
    level: c_int,
    file_bytes: u64,
    smallest_key: Bytes,
    largest_key: Bytes,
    min_timestamp_property: Bytes,
    headers_property: Bytes,
    smallest_sequence: u64,
    largest_sequence: u64,
    entries: u64,
    raw_bytes: u64,
    filter_bytes: u64,
    session: Bytes,
    original_number: u64,
    is_external: bool,
    checksum: Bytes,
}

pub(super) type FileCall = extern "C" fn(*mut c_void, *const FileView);

extern "C" {
    fn cassiterite_listed_files(
        db: *mut c_void,
        family: *mut c_void,
        count_max: u64,
        call: FileCall,
        target: *mut c_void,
    ) -> *mut Failure;
    fn cassiterite_placed_files(db: *mut c_void, family: *mut c_void, call: FileCall, target: *mut c_void);
    fn cassiterite_file_count(db: *mut c_void, family: *mut c_void) -> u64;
}

#[cfg(test)]
thread_local! {
    /// How often this thread has listed the files of a column family.
    pub(crate) static LISTINGS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Tests count the listings of their thread.
fn count_listing() {
    #[cfg(test)]
    LISTINGS.set(LISTINGS.get() + 1);
}

/// Lists the live files of a column family, those of one version. It opens those that `max_open_files` has closed.
pub(crate) fn listed_files(db: &DB, family: &impl AsColumnFamilyRef) -> Result<Vec<LiveFile>> {
    sampled_files(db, family, u64::MAX)
}

/// The same of at most so many files, from all levels.
pub(crate) fn sampled_files(db: &DB, family: &impl AsColumnFamilyRef, count_max: u64) -> Result<Vec<LiveFile>> {
    count_listing();
    reached(Step::ListingFiles)?;
    let mut files: Vec<LiveFile> = Vec::new();
    // SAFETY: both handles are borrowed for the call, and `push_file` gets the vector it expects, only during it.
    outcome(unsafe {
        let (db, family) = (object_of(db.as_raw_ptr()), object_of(family.inner()));
        cassiterite_listed_files(db, family, count_max, push_file, ptr::from_mut(&mut files).cast())
    })?;
    Ok(files)
}

/// Lists the live files of a column family, those of one version, without a look into any: many times cheaper than
/// [`listed_files`], which reads the properties of each.
pub(crate) fn placed_files(db: &DB, family: &impl AsColumnFamilyRef) -> Vec<PlacedFile> {
    count_listing();
    let mut files: Vec<PlacedFile> = Vec::new();
    // SAFETY: both handles are borrowed for the call, and `push_placed` gets the vector it expects, only during it.
    unsafe {
        let (db, family) = (object_of(db.as_raw_ptr()), object_of(family.inner()));
        cassiterite_placed_files(db, family, push_placed, ptr::from_mut(&mut files).cast());
    }
    files
}

/// How many live files a column family has: copies nothing, and takes no lock of the database.
pub(crate) fn file_count(db: &DB, family: &impl AsColumnFamilyRef) -> u64 {
    // SAFETY: both handles are borrowed for the call.
    unsafe { cassiterite_file_count(object_of(db.as_raw_ptr()), object_of(family.inner())) }
}

/// Appends a file to the `Vec<PlacedFile>` behind `target`.
extern "C" fn push_placed(target: *mut c_void, view: *const FileView) {
    // SAFETY: the only caller passes a live vector as target, and C++ a live view.
    let (files, view) = unsafe { (&mut *target.cast::<Vec<PlacedFile>>(), &*view) };
    // SAFETY: the slices of a view live for this call.
    let (smallest, largest) = unsafe { (view.smallest_key.as_slice(), view.largest_key.as_slice()) };
    files.push(PlacedFile {
        number: view.number,
        level: view.level,
        file_bytes: view.file_bytes,
        smallest_key: smallest.to_vec(),
        largest_key: largest.to_vec(),
    });
}

/// Appends a file to the `Vec<LiveFile>` behind `target`.
pub(super) extern "C" fn push_file(target: *mut c_void, view: *const FileView) {
    // SAFETY: the only caller passes a live vector as target, and C++ a live view.
    let (files, view) = unsafe { (&mut *target.cast::<Vec<LiveFile>>(), &*view) };
    // SAFETY: the slices of a view live for this call.
    files.push(unsafe { live_file(view) });
}

/// What a view shows.
///
/// # Safety
/// The view's slices must be alive.
pub(super) unsafe fn live_file(view: &FileView) -> LiveFile {
    // SAFETY: as this function demands.
    let (smallest, largest) = unsafe { (view.smallest_key.as_slice(), view.largest_key.as_slice()) };
    // SAFETY: as above.
    let (min_timestamp, headers) =
        unsafe { (view.min_timestamp_property.as_slice(), view.headers_property.as_slice()) };
    // SAFETY: as above.
    let (session, checksum) = unsafe { (view.session.as_slice(), view.checksum.as_slice()) };
    LiveFile {
        number: view.number,
        level: view.level,
        file_bytes: view.file_bytes,
        smallest_key: smallest.to_vec(),
        largest_key: largest.to_vec(),
        min_timestamp: decode(min_timestamp).map(i64::from_le_bytes),
        headers: decode(headers).map(u64::from_le_bytes),
        sequences: (view.smallest_sequence, view.largest_sequence),
        entries: view.entries,
        raw_bytes: view.raw_bytes,
        filter_bytes: view.filter_bytes,
        origin: Origin { session: String::from_utf8_lossy(session).into_owned(), number: view.original_number },
        is_external: view.is_external,
        checksum: checksum.try_into().ok().map(u32::from_be_bytes),
    }
}

/// The number that the property tells.
pub(super) fn decode(property: &[u8]) -> Option<[u8; 8]> {
    let (&version, rest) = property.split_first()?;
    rest.try_into().ok().filter(|_| version == PROPERTY_VERSION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cassiterite_testkit::spoilt::spoilt;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(property in spoilt(vec![vec![PROPERTY_VERSION, 1, 2, 3, 4, 5, 6, 7, 8]])) {
            prop_assert!(decode(&property).is_none() || property.len() == 9);
        }
    }
}
