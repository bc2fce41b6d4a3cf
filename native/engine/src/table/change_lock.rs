// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Locks for changes of a table's column families, and pins for long work that relies on them.

use crate::error::{EngineError, Result};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

/// What happens to the side column families; nothing after a start.
#[derive(Default)]
pub(crate) struct MergeInProgress {
    /// The side column family that is merged in, and the first key that is not in the base yet.
    pub position: Option<(u32, Vec<u8>)>,
    /// The side column families whose rows leave the table: nothing comes into them, and they are not merged in.
    pub departing: Vec<u32>,
    /// Whether a start may no longer find those.
    pub is_doubtful: bool,
}

/// One thread at a time changes the column families; any number may pin the present ones.
#[derive(Default)]
pub(super) struct ChangeLock {
    progress: Mutex<MergeInProgress>,
    cleaning: Mutex<()>,
    pins: Arc<AtomicUsize>,
}

/// See [`ChangeLock::pin`].
pub(crate) struct PinnedColumnFamilies(Arc<AtomicUsize>);

impl Drop for PinnedColumnFamilies {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl ChangeLock {
    /// To add a column family. Pins do not delay it.
    pub(super) fn begin(&self) -> Result<MutexGuard<'_, MergeInProgress>> {
        self.progress.lock().map_err(|_| EngineError::poisoned())
    }

    /// To swap or remove column families: [`crate::Kind::Busy`] while they are pinned, or are being changed.
    pub(super) fn try_to_begin(&self) -> Result<MutexGuard<'_, MergeInProgress>> {
        match self.progress.try_lock() {
            Err(TryLockError::Poisoned(_)) => Err(EngineError::poisoned()),
            Err(TryLockError::WouldBlock) => Err(busy("the table is receiving, or being merged in already")),
            Ok(_) if self.pins.load(Ordering::SeqCst) > 0 => Err(busy("the table is being cleaned up or loaded")),
            Ok(progress) => Ok(progress),
        }
    }

    /// While the pin lives, the present column families are neither swapped nor removed. Others may be added.
    pub(super) fn pin(&self, _: &MutexGuard<'_, MergeInProgress>) -> PinnedColumnFamilies {
        self.pins.fetch_add(1, Ordering::SeqCst);
        PinnedColumnFamilies(Arc::clone(&self.pins))
    }

    /// Taken by a cleanup: there is one at a time.
    pub(super) fn clean_up(&self) -> Result<MutexGuard<'_, ()>> {
        self.cleaning.lock().map_err(|_| EngineError::poisoned())
    }
}

fn busy(why: &str) -> EngineError {
    EngineError::busy(format!("{why}; try again when that has ended"))
}
