// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Of which key each table is, as its schema tells: what is loaded from another table must have the same.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The types of the keys of tables, by table id. The catalog does not keep them: under one id a key stays the same, and the
/// schema is there before anything is written or loaded.
#[derive(Default)]
pub(crate) struct TableKeys(Mutex<HashMap<Vec<u8>, Arc<str>>>);

impl TableKeys {
    /// Nothing where the schema does not tell.
    pub(crate) fn set(&self, id: &[u8], key: &str) {
        if !key.is_empty() {
            self.lock().insert(id.to_vec(), key.into());
        }
    }

    /// Empty where nothing tells.
    pub(crate) fn of(&self, id: &[u8]) -> Arc<str> {
        self.lock().get(id).cloned().unwrap_or_default()
    }

    pub(crate) fn remove(&self, id: &[u8]) {
        self.lock().remove(id);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Vec<u8>, Arc<str>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
