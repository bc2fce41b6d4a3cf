// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! An open RocksDB and the lock on its store's directory: the last owner closes both.

mod discards;

use discards::Discards;
use rocksdb::DB;
use std::fs::File;
use std::ops::Deref;
use std::sync::Arc;

/// The database of an open store.
pub(crate) struct Database {
    // Before the lock: it has closed by the time that is released.
    db: DB,
    discards: Arc<Discards>,
    #[allow(dead_code)]
    lock: File,
}

impl Database {
    /// `lock` locks the directory against other stores.
    pub(crate) fn new(db: DB, lock: File) -> Database {
        Database { db, discards: Arc::default(), lock }
    }

    /// Takes what readers that must not wait have done with.
    pub(crate) fn discards(&self) -> &Arc<Discards> {
        &self.discards
    }
}

impl Deref for Database {
    type Target = DB;

    fn deref(&self) -> &DB {
        &self.db
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::common::{open, options};
    use crate::{Kind, Store};
    use std::sync::Arc;

    #[test]
    fn the_directory_stays_locked_while_the_database_is_open() {
        let directory = tempfile::tempdir().unwrap();
        let store = open(directory.path());
        let owner = store.shared(|core| Ok(Arc::clone(&core.db))).unwrap();
        assert!(store.close().unwrap_err().message().contains("stays open"));
        let error = Store::open(&options(directory.path(), "")).map(drop).unwrap_err();
        assert_eq!(error.kind(), Kind::Busy);
        // Not RocksDB's own lock, which comes after the check of the log.
        assert!(error.message().contains(&format!("has {} open", directory.path().display())), "{error}");
        drop(owner);
        open(directory.path()).close().unwrap();
    }
}
