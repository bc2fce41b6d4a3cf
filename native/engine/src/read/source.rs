// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a walk goes through: one column family, or the merge of several.

use super::united::United;
use crate::error::Result;
use crate::sys::Iter;

/// An iterator over one column family, or over the merge of several. Its methods are those of [`Iter`]; `step` goes on only
/// after `seek`, and `step_back` only after `seek_back`.
pub(crate) enum Source {
    One(Iter),
    United(Box<United>),
}

impl Source {
    pub(crate) fn one(iter: Iter) -> Source {
        Source::One(iter)
    }

    /// The iterators must have equal bounds.
    pub(crate) fn united(iters: Vec<Iter>) -> Source {
        Source::United(Box::new(United::new(iters)))
    }

    pub(crate) fn seek(&mut self, key: &[u8]) -> Result<()> {
        match self {
            Source::One(iter) => iter.seek(key),
            Source::United(united) => united.seek(key),
        }
    }

    pub(crate) fn seek_back(&mut self, key: &[u8]) -> Result<()> {
        match self {
            Source::One(iter) => iter.seek_back(key),
            Source::United(united) => united.seek_back(key),
        }
    }

    pub(crate) fn step(&mut self) -> Result<()> {
        match self {
            Source::One(iter) => iter.step(),
            Source::United(united) => united.step(),
        }
    }

    pub(crate) fn step_back(&mut self) -> Result<()> {
        match self {
            Source::One(iter) => iter.step_back(),
            Source::United(united) => united.step_back(),
        }
    }

    pub(crate) fn entry(&self) -> Option<(&[u8], &[u8])> {
        match self {
            Source::One(iter) => iter.entry(),
            Source::United(united) => united.entry(),
        }
    }

    pub(crate) fn key(&self) -> Option<&[u8]> {
        match self {
            Source::One(iter) => iter.key(),
            Source::United(united) => united.key(),
        }
    }
}
