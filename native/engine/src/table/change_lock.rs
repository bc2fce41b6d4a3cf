// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Who changes the families of a table, and who relies on them for long.

use crate::error::{EngineError, Result};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

/// How far the merge-in of a side column family has come; of none after a start.
#[derive(Default)]
pub(crate) struct MergeInProgress {
    /// The side column family, and the first key that is not in the base yet.
    pub position: Option<(u32, Vec<u8>)>,
}

/// One at a time changes the families; any number may hold those that there are.
#[derive(Default)]
pub(super) struct ChangeLock {
    progress: Mutex<MergeInProgress>,
    cleaning: Mutex<()>,
    pins: Arc<AtomicUsize>,
}

/// See [`ChangeLock::pin`].
pub(crate) struct PinnedFamilies(Arc<AtomicUsize>);

impl Drop for PinnedFamilies {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl ChangeLock {
    /// For whoever adds a family, or must not be kept waiting by those that are held.
    pub(super) fn begin(&self) -> Result<MutexGuard<'_, MergeInProgress>> {
        self.progress.lock().map_err(|_| EngineError::poisoned())
    }

    /// For whoever makes families change places or go away: [`EngineError::Busy`] while they are held, or are being changed.
    pub(super) fn try_to_begin(&self) -> Result<MutexGuard<'_, MergeInProgress>> {
        match self.progress.try_lock() {
            Err(TryLockError::Poisoned(_)) => Err(EngineError::poisoned()),
            Err(TryLockError::WouldBlock) => Err(busy("the table is receiving, or being merged in already")),
            Ok(_) if self.pins.load(Ordering::SeqCst) > 0 => Err(busy("the table is being cleaned up or loaded")),
            Ok(progress) => Ok(progress),
        }
    }

    /// Keeps the families that there are from changing places and from going away, until what is returned is dropped.
    /// Others may come.
    pub(super) fn pin(&self, _: &MutexGuard<'_, MergeInProgress>) -> PinnedFamilies {
        self.pins.fetch_add(1, Ordering::SeqCst);
        PinnedFamilies(Arc::clone(&self.pins))
    }

    /// For the one cleanup at a time.
    pub(super) fn clean_up(&self) -> Result<MutexGuard<'_, ()>> {
        self.cleaning.lock().map_err(|_| EngineError::poisoned())
    }
}

fn busy(why: &str) -> EngineError {
    EngineError::Busy(format!("{why}; try again when that has ended"))
}
