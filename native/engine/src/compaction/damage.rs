// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Column families of which a compaction has met bytes that are not what was written.
//!
//! RocksDB answers such a compaction by refusing all writes of the store until it is opened again, and then meets the
//! same bytes. Here the compaction fails alone, as one of Cassandra's does. RocksDB would try it again each second, so
//! automatic compaction of the table is off for as long as its column family is in this list.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// By name, with what RocksDB said first. Nothing of it is stored: a store that is opened again tries again.
#[derive(Debug, Default)]
pub(crate) struct DamagedFamilies {
    found: Mutex<HashMap<String, String>>,
}

impl DamagedFamilies {
    pub(super) fn add(&self, family: &str, status: &str) {
        self.lock().entry(family.to_owned()).or_insert_with(|| status.to_owned());
    }

    /// It is gone, or all of it has been read and written anew.
    pub(crate) fn end(&self, family: &str) {
        self.lock().remove(family);
    }

    /// What RocksDB said of this one.
    pub(crate) fn of(&self, family: &str) -> Option<String> {
        self.lock().get(family).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
