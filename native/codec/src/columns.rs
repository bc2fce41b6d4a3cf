// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Sets and maps of column ids.

use smallvec::SmallVec;

/// A small set of column ids, sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnSet {
    ids: SmallVec<[u32; 8]>,
}

impl ColumnSet {
    /// The empty set.
    pub const fn new() -> Self {
        ColumnSet { ids: SmallVec::new_const() }
    }

    /// Adds `id`; whether it was new.
    pub fn insert(&mut self, id: u32) -> bool {
        match self.ids.binary_search(&id) {
            Ok(_) => false,
            Err(at) => {
                self.ids.insert(at, id);
                true
            }
        }
    }

    /// Whether `id` is in the set.
    #[inline]
    pub fn contains(&self, id: u32) -> bool {
        !self.ids.is_empty() && self.ids.binary_search(&id).is_ok()
    }

    /// Whether the set has no id.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// How many ids the set has.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// The ids, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.ids.iter().copied()
    }
}

impl FromIterator<u32> for ColumnSet {
    fn from_iter<I: IntoIterator<Item = u32>>(ids: I) -> Self {
        let mut ids: SmallVec<[u32; 8]> = ids.into_iter().collect();
        ids.sort_unstable();
        ids.dedup();
        ColumnSet { ids }
    }
}

/// Which column id becomes which.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnMap {
    pairs: SmallVec<[(u32, u32); 8]>,
}

impl ColumnMap {
    /// The new id of `id`, if it has one.
    #[inline]
    pub fn get(&self, id: u32) -> Option<u32> {
        let at = self.pairs.binary_search_by_key(&id, |pair| pair.0).ok()?;
        self.pairs.get(at).map(|pair| pair.1)
    }
}

impl FromIterator<(u32, u32)> for ColumnMap {
    /// Of several pairs with one old id the first counts.
    fn from_iter<I: IntoIterator<Item = (u32, u32)>>(pairs: I) -> Self {
        let mut pairs: SmallVec<[(u32, u32); 8]> = pairs.into_iter().collect();
        pairs.sort_by_key(|pair| pair.0);
        pairs.dedup_by_key(|pair| pair.0);
        ColumnMap { pairs }
    }
}
