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

    /// Whether there is none, which is asked each second.
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// What RocksDB said of this one.
    pub(crate) fn of(&self, family: &str) -> Option<String> {
        self.lock().get(family).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::{StoreEvents, TablePurge};
    use crate::raw::{EventHooks, Status};

    #[test]
    fn only_that_of_a_table_is_contained_and_only_where_no_other_error_stands() {
        let events = StoreEvents::new();
        let table = TablePurge::new("t.1");
        events.watch(&table);
        assert!(!events.corruption_met("default", "checksum"), "nobody would be told of the catalog's");
        assert!(events.corruption_met("t.1", "checksum"));
        assert!(!events.corruption_met("t.0", "checksum"), "of a table that is gone");
        assert_eq!(events.damaged().of("t.1").unwrap(), "checksum");
        assert_eq!(events.damaged().of("default"), None);
        events.damaged().end("t.1");

        events.background_error(0, 2, Status::of_text("IO error: No space left on device".to_owned()));
        assert!(!events.corruption_met("t.1", "checksum"), "it would be taken for the recovery's failure");
        assert_eq!(events.damaged().of("t.1"), None);
    }
}
