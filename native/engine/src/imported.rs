// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Files from elsewhere as a column family that only its owner sees, to be read through.

use crate::compaction::TablePurge;
use crate::error::{EngineError, Result};
use crate::links::{link, sync_directory};
use crate::options::imported_options;
use crate::raw::sys::{import, FamilyHandle, Iter, IterSpec, Reach, TableFile};
use crate::staging::Staged;
use crate::store_core::StoreCore;
use crate::table::TableCore;
use rocksdb::Options;
use std::fs;
use std::path::Path;

/// Links to files, for RocksDB to take. They are synced: it does not do that itself.
fn linked(core: &TableCore, from: &Path, files: &[TableFile]) -> Result<Staged> {
    let staged = Staged::new(core.store())?;
    for file in files {
        let path = staged.directory.join(&file.name);
        link(&from.join(&file.name), &path, &|| core.check_open())?;
        fs::File::open(&path)
            .and_then(|file| file.sync_all())
            .map_err(|error| EngineError::from(error).context(format_args!("syncing {}", path.display())))?;
    }
    sync_directory(&staged.directory)?;
    Ok(staged)
}

/// Makes a column family of this name out of links to files.
pub(crate) fn import_linked(
    core: &TableCore,
    options: &Options,
    name: &str,
    from: &Path,
    files: &[TableFile],
) -> Result<FamilyHandle> {
    let store = core.store();
    let staged = linked(core, from, files)?;
    let family = import(&store.db, options, name, &staged.directory, files)?;
    // The files' names in the database are no more durable than it made them.
    match sync_directory(store.db.path()) {
        Ok(()) => Ok(family),
        Err(error) => {
            let _ = store.drop_family(name, family); // logs where that fails
            Err(error)
        }
    }
}

/// Files from elsewhere as a column family, to be dropped with [`ImportedFamily::close`].
pub(crate) struct ImportedFamily {
    name: String,
    family: FamilyHandle,
}

impl ImportedFamily {
    /// Takes links to the files, which are for this table.
    pub(crate) fn open(core: &TableCore, from: &Path, files: &[TableFile]) -> Result<ImportedFamily> {
        let store = core.store();
        let staged = linked(core, from, files)?;
        // Not a name that the catalog could give: what a crash leaves of it is dropped at the next start.
        let name = format!("{}.load.{}", core.family_name(), staged.number);
        let purge = TablePurge::new(name.as_str()); // without settings, so it only merges
        let options = imported_options(&*store.settings()?, &purge);
        let family = import(&store.db, &options, &name, &staged.directory, files)?;
        Ok(ImportedFamily { name, family })
    }

    /// Everything in it, from the first key on; blocks do not stay in the cache.
    pub(crate) fn iterate(&self) -> Iter {
        Iter::open(&self.family, everything())
    }

    pub(crate) fn close(self, store: &StoreCore) -> Result<()> {
        store.drop_family(&self.name, self.family)
    }
}

/// All keys, read once.
pub(crate) fn everything() -> IterSpec {
    IterSpec { lower: Vec::new(), upper: Vec::new(), one_prefix: false, fill_cache: false, reach: Reach::Files }
}
