// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Tables with the same sstables as another one.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{ensure, Context, Result};

use crate::files::table_files;
use crate::subject::Subject;

/// The one that is measured.
pub(super) const TWIN: &str = "twin";
/// The one that moves before anything is measured, so that the JVM compiles what moves.
pub(super) const PRIMER: &str = "primer";

/// Creates `twin`, and imports copies of the sstables of `table`, on one node.
pub(super) fn make(subject: &mut Subject<'_>, table: &str, twin: &str) -> Result<()> {
    let (keyspace, options) = (subject.keyspace().to_owned(), subject.table_options());
    let with = if options.is_empty() { String::new() } else { format!(" WITH {options}") };
    subject.execute(format!("CREATE TABLE {keyspace}.{twin} (key bigint PRIMARY KEY, value blob){with}"))?;
    let home = folder(subject.folders(), &keyspace, table).context("the filled table has no sstables")?;
    let base = subject.folders().first().context("the cluster has no node")?.join("copies");
    // Where an import takes the keyspace and the table from.
    let copies = base.join(&keyspace).join(twin);
    fs::create_dir_all(&copies).with_context(|| format!("cannot make {}", copies.display()))?;
    for entry in fs::read_dir(&home)? {
        let path = entry?.path();
        if let (true, Some(name)) = (path.is_file(), path.file_name()) {
            fs::copy(&path, copies.join(name)).with_context(|| format!("cannot copy {}", path.display()))?;
        }
    }
    let from = copies.to_str().context("the folder of the copies is not UTF-8")?;
    subject.nodetool(&["import", &keyspace, twin, from])?;
    fs::remove_dir_all(&base)?;
    let (own, copied) = (bytes(subject.folders(), &keyspace, table), bytes(subject.folders(), &keyspace, twin));
    ensure!(own == copied, "the import has taken {copied} of {own} bytes");
    Ok(())
}

/// Bytes of the rows of a table's sstables.
pub(super) fn bytes(folders: &[PathBuf], keyspace: &str, table: &str) -> u64 {
    let of_table = |path: &Path| is_of(path, table) && path.to_string_lossy().ends_with("-Data.db");
    let files = folders.iter().flat_map(|folder| table_files(folder, keyspace));
    files.filter(|(path, _)| of_table(path)).map(|(_, bytes)| bytes).sum()
}

fn folder(folders: &[PathBuf], keyspace: &str, table: &str) -> Option<PathBuf> {
    let files = folders.iter().flat_map(|folder| table_files(folder, keyspace));
    files.map(|(path, _)| path).find(|path| is_of(path, table)).and_then(|path| path.parent().map(Path::to_owned))
}

/// A table's folder is called `NAME-ID`.
fn is_of(file: &Path, table: &str) -> bool {
    let folder = file.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    folder.and_then(|name| name.rsplit_once('-')).is_some_and(|(name, _)| name == table)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn only_rows_of_the_table_itself_count() {
        let base = tempfile::tempdir().unwrap();
        let keyspace = base.path().join("data/lab_rows");
        for file in [
            "rows-1/da-1-bti-Data.db",
            "rows-1/da-1-bti-Rows.db",
            "rows-1/backups/da-0-bti-Data.db",
            "twin-2/da-1-bti-Data.db",
        ] {
            let file = keyspace.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, [0; 10]).unwrap();
        }
        let folders = [base.path().to_owned()];
        assert_eq!((bytes(&folders, "lab_rows", "rows"), bytes(&folders, "lab_rows", "twin")), (10, 10));
        assert_eq!(folder(&folders, "lab_rows", "twin"), Some(keyspace.join("twin-2")));
    }
}
