// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Who changes the families of a table, and who relies on them for long.

use crate::error::{EngineError, Result};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

/// How far the absorption of an arrival has come; of none after a start.
#[derive(Default)]
pub(crate) struct Absorbed {
    /// The arrival, and the first key that is not in the base yet.
    pub position: Option<(u32, Vec<u8>)>,
}

/// One at a time changes the families; any number may hold those that there are.
#[derive(Default)]
pub(super) struct Changing {
    absorbed: Mutex<Absorbed>,
    cleaning: Mutex<()>,
    holds: Arc<AtomicUsize>,
}

/// See [`Changing::hold`].
pub(crate) struct FamiliesHeld(Arc<AtomicUsize>);

impl Drop for FamiliesHeld {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Changing {
    /// For whoever adds a family, or must not be kept waiting by those that are held.
    pub(super) fn begin(&self) -> Result<MutexGuard<'_, Absorbed>> {
        self.absorbed.lock().map_err(|_| EngineError::poisoned())
    }

    /// For whoever makes families change places or go away: [`EngineError::Busy`] while they are held, or are being changed.
    pub(super) fn try_to_begin(&self) -> Result<MutexGuard<'_, Absorbed>> {
        match self.absorbed.try_lock() {
            Err(TryLockError::Poisoned(_)) => Err(EngineError::poisoned()),
            Err(TryLockError::WouldBlock) => Err(busy("the table is receiving, or being absorbed already")),
            Ok(_) if self.holds.load(Ordering::SeqCst) > 0 => Err(busy("the table is being cleaned up or loaded")),
            Ok(absorbed) => Ok(absorbed),
        }
    }

    /// Keeps the families that there are from changing places and from going away, until what is returned is dropped.
    /// Others may come.
    pub(super) fn hold(&self, _: &MutexGuard<'_, Absorbed>) -> FamiliesHeld {
        self.holds.fetch_add(1, Ordering::SeqCst);
        FamiliesHeld(Arc::clone(&self.holds))
    }

    /// For the one cleanup at a time.
    pub(super) fn clean_up(&self) -> Result<MutexGuard<'_, ()>> {
        self.cleaning.lock().map_err(|_| EngineError::poisoned())
    }
}

fn busy(why: &str) -> EngineError {
    EngineError::Busy(format!("{why}; try again when that has ended"))
}
