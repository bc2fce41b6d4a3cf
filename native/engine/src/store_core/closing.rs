// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The end of a store, and work in its directory that holds neither a table nor the database.

use crate::error::{EngineError, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// Whether a store is being closed. Safe to use from any thread.
#[derive(Default)]
pub(crate) struct Closing {
    begun: AtomicBool,
    /// Shared by work that closing waits for.
    work: RwLock<()>,
}

impl Closing {
    /// An error once closing has begun.
    pub(crate) fn check(&self) -> Result<()> {
        if self.begun.load(Ordering::Acquire) {
            return Err(EngineError::has_closed());
        }
        Ok(())
    }

    /// Delays the end of closing until the guard is dropped. Its holder calls [`Closing::check`] now and then.
    pub(crate) fn delay(&self) -> Result<RwLockReadGuard<'_, ()>> {
        let delayed = self.work.read().unwrap_or_else(PoisonError::into_inner);
        self.check().map(|()| delayed)
    }

    pub(crate) fn begin(&self) {
        self.begun.store(true, Ordering::Release);
    }

    /// Waits until the last guard is dropped; there are no new ones.
    pub(crate) fn wait(&self) {
        drop(self.work.write().unwrap_or_else(PoisonError::into_inner));
    }
}
