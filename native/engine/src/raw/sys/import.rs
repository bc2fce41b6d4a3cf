// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Makes a column family out of SST files.

use super::super::LiveFile;
use super::{c_string, checked, raw, FamilyHandle};
use crate::database::Database;
use crate::error::{EngineError, Result};
use librocksdb_sys as ffi;
use rocksdb::{AsRawPtr, Options};
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

impl TableFile {
    /// A file of a database, by this name.
    pub(crate) fn of(name: String, file: LiveFile) -> TableFile {
        TableFile {
            name,
            number: file.number,
            level: file.level,
            bytes: file.file_bytes,
            sequences: file.sequences,
            smallest_key: file.smallest_key,
            largest_key: file.largest_key,
            checksum: file.checksum,
        }
    }
}

/// The name of a database's file of this number.
pub(crate) fn file_name(number: u64) -> String {
    format!("{number:06}.sst")
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
        folder.to_str().ok_or_else(|| EngineError::invalid(format!("the path {} is not UTF-8", folder.display())))?;
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
