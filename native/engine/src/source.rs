// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What reads go through: one column family, or the merge of several.

mod merged;

pub(crate) use merged::merge_values;

use crate::error::Result;
use crate::raw::sys::Iter;
use merged::Merged;

/// An iterator over one column family, or over the merge of several. Its methods are those of [`Iter`]; `step` may
/// follow only `seek`, and `step_back` only `seek_back`.
pub(crate) enum Source {
    One(Iter),
    Merged(Box<Merged>),
}

impl Source {
    pub(crate) fn one(iter: Iter) -> Source {
        Source::One(iter)
    }

    /// The iterators must have equal bounds.
    pub(crate) fn merged(iters: Vec<Iter>) -> Source {
        Source::Merged(Box::new(Merged::new(iters)))
    }

    pub(crate) fn seek(&mut self, key: &[u8]) -> Result<()> {
        match self {
            Source::One(iter) => iter.seek(key),
            Source::Merged(merged) => merged.seek(key),
        }
    }

    pub(crate) fn seek_back(&mut self, key: &[u8]) -> Result<()> {
        match self {
            Source::One(iter) => iter.seek_back(key),
            Source::Merged(merged) => merged.seek_back(key),
        }
    }

    pub(crate) fn step(&mut self) -> Result<()> {
        match self {
            Source::One(iter) => iter.step(),
            Source::Merged(merged) => merged.step(),
        }
    }

    pub(crate) fn step_back(&mut self) -> Result<()> {
        match self {
            Source::One(iter) => iter.step_back(),
            Source::Merged(merged) => merged.step_back(),
        }
    }

    pub(crate) fn entry(&self) -> Option<(&[u8], &[u8])> {
        match self {
            Source::One(iter) => iter.entry(),
            Source::Merged(merged) => merged.entry(),
        }
    }

    pub(crate) fn key(&self) -> Option<&[u8]> {
        match self {
            Source::One(iter) => iter.key(),
            Source::Merged(merged) => merged.key(),
        }
    }
}
