// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The files of tables, on the disks of local nodes.

use std::path::{Path, PathBuf};

/// Suffixes of sstables and RocksDB's files; logs of writes are not tables.
const SUFFIXES: [&str; 3] = ["db", "sst", "blob"];

/// The engine keeps all its tables in one database below a folder of this name.
const ENGINE_FOLDER: &str = "cassiterite";

/// Files of one keyspace's tables somewhere under `folder`, with their bytes, and all files of the engine's database;
/// snapshots are not counted.
pub fn table_files(folder: &Path, keyspace: &str) -> Vec<(PathBuf, u64)> {
    let mut found = Vec::new();
    walk(folder, keyspace, false, &mut found);
    found
}

/// Bytes of one keyspace's tables under these folders.
pub fn table_bytes(folders: &[PathBuf], keyspace: &str) -> u64 {
    folders.iter().flat_map(|folder| table_files(folder, keyspace)).map(|(_, bytes)| bytes).sum()
}

fn walk(folder: &Path, keyspace: &str, inside: bool, found: &mut Vec<(PathBuf, u64)>) {
    // Files and folders come and go while a server works.
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let Ok(metadata) = entry.metadata() else { continue };
        if metadata.is_dir() {
            if name != "snapshots" {
                walk(&path, keyspace, inside || name == keyspace || name == ENGINE_FOLDER, found);
            }
        } else if inside && path.extension().and_then(|suffix| suffix.to_str()).is_some_and(|s| SUFFIXES.contains(&s)) {
            found.push((path, metadata.len()));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn tables_count_and_logs_snapshots_and_other_keyspaces_do_not() {
        let base = tempfile::tempdir().unwrap();
        let table = base.path().join("data/lab_rows/rows-1");
        std::fs::create_dir_all(table.join("snapshots/s")).unwrap();
        std::fs::create_dir_all(base.path().join("data/system")).unwrap();
        for file in ["oa-1-big-Data.db", "000012.sst", "000013.log", "MANIFEST-1", "snapshots/s/oa-1-big-Data.db"] {
            std::fs::write(table.join(file), [0; 10]).unwrap();
        }
        std::fs::create_dir_all(base.path().join("cassiterite/db")).unwrap();
        std::fs::write(base.path().join("cassiterite/db/000007.sst"), [0; 10]).unwrap();
        std::fs::write(base.path().join("data/system/oa-1-big-Data.db"), [0; 10]).unwrap();
        assert_eq!(table_bytes(&[base.path().to_owned()], "lab_rows"), 30);
    }
}
