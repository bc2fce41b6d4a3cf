// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The steps between which a crash may fall, or at which work waits, for the tests that make use of them.

#[cfg(test)]
mod paused;

#[cfg(test)]
pub(crate) use paused::{at_once, Paused};

use crate::error::Result;

/// A point at which some of the work is on the device and some is not, or at which a call begins to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Adopted,
    ContentsRecorded,
    ImportedForRewrite,
    Imported,
    RowsIngested,
    FamilyRecorded,
    Published,
    Ingested,
    SwapRecorded,
    Swapped,
    MergedIn,
    FamilyUnrecorded,
    Unpublished,
    FamilyMade,
    Cleaning,
    Sweeping,
    ListingFiles,
    Sampling,
    WritingCatalog,
    Loading,
    Copying,
    AwaitingSync,
    AwaitingFlushes,
    KeepingIncrement,
    IncrementLinked,
    IncrementListed,
}

#[cfg(test)]
type Hook = Box<dyn FnMut(Step) -> Result<()>>;

#[cfg(test)]
thread_local! {
    pub(crate) static HOOK: std::cell::RefCell<Option<Hook>> = const { std::cell::RefCell::new(None) };
    /// For steps at which work is about to read or write files, whatever it is.
    static ACCESS_HOOK: std::cell::RefCell<Option<Hook>> = const { std::cell::RefCell::new(None) };
}

#[cfg(test)]
impl Step {
    pub(crate) fn hook(self) -> &'static std::thread::LocalKey<std::cell::RefCell<Option<Hook>>> {
        match self {
            Step::ListingFiles | Step::Sampling | Step::WritingCatalog => &ACCESS_HOOK,
            _ => &HOOK,
        }
    }
}

/// In tests this may fail, or copy the store as it is now.
#[cfg(test)]
pub(crate) fn reached(step: Step) -> Result<()> {
    step.hook().with_borrow_mut(|hook| hook.as_mut().map_or(Ok(()), |hook| hook(step)))
}

/// Nothing, outside tests.
#[cfg(not(test))]
#[inline]
#[allow(clippy::unnecessary_wraps)]
pub(crate) fn reached(_: Step) -> Result<()> {
    Ok(())
}
