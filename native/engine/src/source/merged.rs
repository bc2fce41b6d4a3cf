// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Several iterators as one: each key once, with the merge of what all of them have of it.

use crate::error::{EngineError, Result};
use crate::raw::sys::Iter;
use cassiterite_codec::key;
use std::cmp::Ordering;

/// Which way the iterators are going.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Forward,
    Back,
}

/// The merge of iterators with equal bounds.
pub(crate) struct Merged {
    iters: Vec<Iter>,
    /// Set by seeking.
    way: Way,
    /// Those of the iterators that are at the current key; none at the end.
    here: Vec<usize>,
    /// The merged value, where several iterators are there.
    merged: Vec<u8>,
}

impl Merged {
    pub(super) fn new(iters: Vec<Iter>) -> Merged {
        Merged { iters, way: Way::Forward, here: Vec::new(), merged: Vec::new() }
    }

    pub(super) fn seek(&mut self, key: &[u8]) -> Result<()> {
        self.way = Way::Forward;
        self.iters.iter_mut().try_for_each(|iter| iter.seek(key))?;
        self.gather()
    }

    pub(super) fn seek_back(&mut self, key: &[u8]) -> Result<()> {
        self.way = Way::Back;
        self.iters.iter_mut().try_for_each(|iter| iter.seek_back(key))?;
        self.gather()
    }

    pub(super) fn step(&mut self) -> Result<()> {
        self.go(Way::Forward)
    }

    pub(super) fn step_back(&mut self) -> Result<()> {
        self.go(Way::Back)
    }

    fn go(&mut self, way: Way) -> Result<()> {
        if self.way != way {
            return Err(EngineError::internal("a merged source was turned around without seeking"));
        }
        for &at in &self.here {
            if let Some(iter) = self.iters.get_mut(at) {
                match way {
                    Way::Forward => iter.step()?,
                    Way::Back => iter.step_back()?,
                }
            }
        }
        self.gather()
    }

    /// Finds the next key in this direction, and merges what is there of it.
    fn gather(&mut self) -> Result<()> {
        self.here.clear();
        let mut next: Option<&[u8]> = None;
        for (at, iter) in self.iters.iter().enumerate() {
            let Some(key) = iter.key() else { continue };
            let order = next.map_or(Ordering::Less, |next| match self.way {
                Way::Forward => key.cmp(next),
                Way::Back => next.cmp(key),
            });
            if order == Ordering::Less {
                next = Some(key);
                self.here.clear();
            }
            if order != Ordering::Greater {
                self.here.push(at);
            }
        }
        if self.here.len() > 1 {
            let entries = self.here.iter().filter_map(|&at| self.iters.get(at)?.entry());
            let (keys, fragments): (Vec<&[u8]>, Vec<&[u8]>) = entries.unzip();
            merge_values(keys.first().copied().unwrap_or_default(), &fragments, &mut self.merged)?;
        }
        Ok(())
    }

    pub(super) fn entry(&self) -> Option<(&[u8], &[u8])> {
        let (key, value) = self.first()?.entry()?;
        Some((key, if self.here.len() > 1 { &self.merged } else { value }))
    }

    pub(super) fn key(&self) -> Option<&[u8]> {
        self.first()?.key()
    }

    fn first(&self) -> Option<&Iter> {
        self.iters.get(*self.here.first()?)
    }
}

/// Merges what several column families have of one key into `out`.
pub(crate) fn merge_values(key: &[u8], fragments: &[&[u8]], out: &mut Vec<u8>) -> Result<()> {
    let merged = key::split(key).and_then(|parts| cassiterite_codec::merge(parts.kind, fragments, out));
    merged.map_err(|error| {
        EngineError::corruption(format!(
            "a stored fragment is malformed: {error}; repair the table from other replicas"
        ))
        .caused_by(error)
    })
}
