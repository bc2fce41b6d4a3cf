// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Files from elsewhere as a column family that only its owner sees, to be read through.

use crate::compaction::TablePurge;
use crate::error::{EngineError, Result};
use crate::options::foreign_options;
use crate::say::say;
use crate::snapshot::{link, sync_directory};
use crate::store::{staging, Core};
use crate::sys::{import, Family, Iter, IterSpec, TableFile};
use rocksdb::Options;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// A folder of its own in the store's staging area; removed when dropped.
pub(super) struct Staged {
    pub(super) directory: PathBuf,
    number: u64,
}

impl Staged {
    pub(super) fn new(store: &Core) -> Result<Staged> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let directory = staging(&*store.settings()?).join(format!("work-{number}"));
        fs::create_dir_all(&directory)?;
        Ok(Staged { directory, number })
    }

    /// Links to files, for RocksDB to take. They are synced: it does not do that itself.
    fn link(store: &Core, from: &Path, files: &[TableFile]) -> Result<Staged> {
        let staged = Staged::new(store)?;
        for file in files {
            let path = staged.directory.join(&file.name);
            link(&from.join(&file.name), &path)?;
            fs::File::open(&path)
                .and_then(|file| file.sync_all())
                .map_err(|error| EngineError::from(error).context(format_args!("syncing {}", path.display())))?;
        }
        sync_directory(&staged.directory)?;
        Ok(staged)
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.directory) {
            say(format_args!("{} stays until the node restarts: {error}", self.directory.display()));
        }
    }
}

/// Makes a column family of this name out of links to files.
pub(super) fn import_linked(
    store: &Arc<Core>,
    options: &Options,
    name: &str,
    from: &Path,
    files: &[TableFile],
) -> Result<Family> {
    let staged = Staged::link(store, from, files)?;
    let family = import(&store.db, options, name, &staged.directory, files)?;
    // The files' names in the database are no more durable than it made them.
    match sync_directory(store.db.path()) {
        Ok(()) => Ok(family),
        Err(error) => {
            let _ = store.drop_family(name, family); // it says so where that fails
            Err(error)
        }
    }
}

/// Files from elsewhere as a column family, to be dropped with [`Foreign::close`].
pub(crate) struct Foreign {
    name: String,
    family: Family,
}

impl Foreign {
    /// Takes links to the files; `base_name` is that of the family that they are for.
    pub(crate) fn open(store: &Arc<Core>, base_name: &str, from: &Path, files: &[TableFile]) -> Result<Foreign> {
        let staged = Staged::link(store, from, files)?;
        // Not a name that the catalog could give: what a crash leaves of it is dropped at the next start.
        let name = format!("{base_name}.load.{}", staged.number);
        let purge = TablePurge::new(name.as_str()); // never told what it may purge, so it only merges
        let options = foreign_options(&*store.settings()?, &purge);
        let family = import(&store.db, &options, &name, &staged.directory, files)?;
        Ok(Foreign { name, family })
    }

    /// Everything in it, from the first key on; blocks do not stay in the cache.
    pub(crate) fn iterate(&self) -> Iter {
        Iter::open(&self.family, everything())
    }

    pub(crate) fn close(self, store: &Core) -> Result<()> {
        store.drop_family(&self.name, self.family)
    }
}

/// All keys, read once.
pub(super) fn everything() -> IterSpec {
    IterSpec { lower: Vec::new(), upper: Vec::new(), one_prefix: false, fill_cache: false }
}
