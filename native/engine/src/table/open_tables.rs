// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Which tables of a store are open.

use super::Table;
use crate::error::{EngineError, Kind, Result};
use crate::raw::sys::FamilyHandle;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// The open tables of a store. Never wait for a table under its lock: other threads take the two in the other order.
#[derive(Default)]
pub(crate) struct OpenTables(Mutex<Generations>);

/// Open generations by table, the current one last.
#[derive(Default)]
pub(crate) struct Generations {
    open: HashMap<Vec<u8>, Vec<(u64, Arc<Table>)>>,
    /// Column families of generations that could not be named in the catalog, by name.
    pub failed: HashMap<String, FamilyHandle>,
}

impl OpenTables {
    pub(crate) fn lock(&self) -> Result<MutexGuard<'_, Generations>> {
        self.0.lock().map_err(|_| EngineError::poisoned())
    }

    /// Runs `work` for every open generation, without holding the lock.
    pub(crate) fn each(&self, mut work: impl FnMut(&Arc<Table>) -> Result<()>) -> Result<()> {
        let all: Vec<Arc<Table>> = self.lock()?.open.values().flatten().map(|(_, table)| Arc::clone(table)).collect();
        for table in &all {
            match work(table) {
                // Dropped or retired meanwhile.
                Err(EngineError { kind: Kind::Closed, .. }) => {}
                other => other?,
            }
        }
        Ok(())
    }
}

impl Generations {
    pub(crate) fn add(&mut self, id: &[u8], generation: u64, table: &Arc<Table>) {
        self.open.entry(id.to_vec()).or_default().push((generation, Arc::clone(table)));
    }

    pub(crate) fn current(&self, id: &[u8]) -> Option<&Arc<Table>> {
        self.open.get(id)?.last().map(|(_, table)| table)
    }

    /// Forgets a closed generation.
    pub(crate) fn forget(&mut self, id: &[u8], generation: u64) {
        if let Some(generations) = self.open.get_mut(id) {
            generations.retain(|(open, _)| *open != generation);
        }
    }

    /// Forgets a table; its open generations.
    pub(crate) fn remove(&mut self, id: &[u8]) -> Vec<Arc<Table>> {
        self.open.remove(id).unwrap_or_default().into_iter().map(|(_, table)| table).collect()
    }

    /// Forgets the indexes of a table; their open generations.
    pub(crate) fn remove_indexes(&mut self, table: &[u8]) -> Vec<Arc<Table>> {
        let is_index = |id: &&Vec<u8>| id.len() > table.len() && id.starts_with(table);
        let ids: Vec<Vec<u8>> = self.open.keys().filter(is_index).cloned().collect();
        ids.iter().flat_map(|id| self.remove(id)).collect()
    }

    /// Forgets one generation of the indexes of a table; what was open of it.
    pub(crate) fn remove_generation_of_indexes(&mut self, table: &[u8], generation: u64) -> Vec<Arc<Table>> {
        let mut removed = Vec::new();
        for (_, generations) in self.open.iter_mut().filter(|(id, _)| id.len() > table.len() && id.starts_with(table)) {
            removed.extend(generations.extract_if(.., |(open, _)| *open == generation).map(|(_, table)| table));
        }
        removed
    }

    /// Forgets everything; the open generations of all tables.
    pub(crate) fn take_all(&mut self) -> Vec<Arc<Table>> {
        std::mem::take(self).open.into_values().flatten().map(|(_, table)| table).collect()
    }
}
