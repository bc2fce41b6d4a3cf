// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Lists the SST files of a column family, and makes another one out of such files.

use super::lookup::bytes;
use super::{c_string, checked, raw, FamilyHandle};
use crate::database::Database;
use crate::error::{EngineError, Result};
use librocksdb_sys as ffi;
use rocksdb::{AsRawPtr, Options, DB};
use std::ffi::CStr;
use std::path::Path;
use std::sync::Arc;

/// One SST file of a column family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableFile {
    /// Its name in the folder where it lies.
    pub name: String,
    /// Its number, as in its name in the database.
    pub number: u64,
    /// Its level.
    pub level: i32,
    /// Its size in bytes.
    pub bytes: u64,
    /// Smallest and largest sequence number in it: how RocksDB tells which of two versions is the newer.
    pub sequences: (u64, u64),
    /// Its smallest key.
    pub smallest_key: Vec<u8>,
    /// Its largest key.
    pub largest_key: Vec<u8>,
    /// CRC-32C of its bytes from when they were written, where that is known.
    pub checksum: Option<u32>,
}

/// The name of a database's file of this number.
pub(crate) fn file_name(number: u64) -> String {
    format!("{number:06}.sst")
}

/// The live files of the column families of these names, in one consistent list; each with its column family's place
/// among the names.
pub(crate) fn table_files(db: &DB, family_names: &[&str]) -> Result<Vec<(u8, TableFile)>> {
    let mut files = Vec::new();
    // SAFETY: the strings and keys belong to the list, which is released after they have been copied.
    unsafe {
        let list = ffi::rocksdb_livefiles(raw(db));
        for index in 0..ffi::rocksdb_livefiles_count(list) {
            let of = CStr::from_ptr(ffi::rocksdb_livefiles_column_family_name(list, index));
            let Some((family, _)) = (0_u8..).zip(family_names).find(|(_, name)| of.to_bytes() == name.as_bytes())
            else {
                continue;
            };
            let name = CStr::from_ptr(ffi::rocksdb_livefiles_name(list, index)).to_string_lossy();
            let (mut smallest, mut largest) = (0, 0);
            let smallest_key = ffi::rocksdb_livefiles_smallestkey(list, index, &mut smallest);
            let largest_key = ffi::rocksdb_livefiles_largestkey(list, index, &mut largest);
            let file = number_in(&name).map(|number| TableFile {
                name: file_name(number),
                number,
                level: ffi::rocksdb_livefiles_level(list, index),
                bytes: u64::try_from(ffi::rocksdb_livefiles_size(list, index)).unwrap_or(u64::MAX),
                sequences: (
                    ffi::rocksdb_livefiles_smallest_seqno(list, index),
                    ffi::rocksdb_livefiles_largest_seqno(list, index),
                ),
                smallest_key: bytes(smallest_key, smallest).to_vec(),
                largest_key: bytes(largest_key, largest).to_vec(),
                checksum: None,
            });
            files.push(file.map(|file| (family, file)));
        }
        ffi::rocksdb_livefiles_destroy(list);
    }
    files.into_iter().collect()
}

fn number_in(name: &str) -> Result<u64> {
    let digits = name.trim_start_matches('/').strip_suffix(".sst").and_then(|digits| digits.parse().ok());
    digits.ok_or_else(|| EngineError::Internal(format!("RocksDB names a table file {name}")))
}

/// Creates the column family `name` out of `files`, which are moved (linked, then unlinked) from `folder`. The column
/// family is not listed by the crate's database object: the caller drops it with [`FamilyHandle::delete`].
pub(crate) fn import(
    db: &Arc<Database>,
    options: &Options,
    name: &str,
    folder: &Path,
    files: &[TableFile],
) -> Result<FamilyHandle> {
    let folder_text =
        folder.to_str().ok_or_else(|| EngineError::Invalid(format!("the path {} is not UTF-8", folder.display())))?;
    let folder_c = c_string(folder_text)?;
    let name = c_string(name)?;
    let comparator = c_string("leveldb.BytewiseComparator")?;
    let names = files.iter().map(|file| c_string(&file.name)).collect::<Result<Vec<_>>>()?;
    // SAFETY: every string outlives the calls, which copy them; all that is created is released here, except what
    // is handed over: each file to the list, the list to the metadata, the handle to the column family.
    unsafe {
        let list = ffi::rocksdb_livefiles_create();
        for (file, file_name) in files.iter().zip(&names) {
            let live = ffi::rocksdb_livefile_create();
            ffi::rocksdb_livefile_set_column_family_name(live, name.as_ptr());
            ffi::rocksdb_livefile_set_directory(live, folder_c.as_ptr());
            ffi::rocksdb_livefile_set_name(live, file_name.as_ptr());
            ffi::rocksdb_livefile_set_level(live, file.level);
            ffi::rocksdb_livefile_set_size(live, usize::try_from(file.bytes).unwrap_or(usize::MAX));
            ffi::rocksdb_livefile_set_smallest_seqno(live, file.sequences.0);
            ffi::rocksdb_livefile_set_largest_seqno(live, file.sequences.1);
            ffi::rocksdb_livefiles_add(list, live);
        }
        let metadata = ffi::rocksdb_export_import_files_metadata_create();
        ffi::rocksdb_export_import_files_metadata_set_db_comparator_name(metadata, comparator.as_ptr());
        ffi::rocksdb_export_import_files_metadata_set_files(metadata, list);
        let how = ffi::rocksdb_import_column_family_options_create();
        ffi::rocksdb_import_column_family_options_set_move_files(how, 1);
        let made = checked(|error| {
            let options = options.as_raw_ptr();
            ffi::rocksdb_create_column_family_with_import(raw(db), options, name.as_ptr(), how, metadata, error)
        });
        ffi::rocksdb_import_column_family_options_destroy(how);
        ffi::rocksdb_export_import_files_metadata_destroy(metadata);
        Ok(FamilyHandle::unlisted(db, made?))
    }
}
