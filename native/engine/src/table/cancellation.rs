// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Flags that end work early. Each piece of work has its own, because RocksDB sets the flag of a manual compaction that
//! it ends itself.

use crate::error::{EngineError, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The flags of work of one kind.
#[derive(Default)]
pub(super) struct Cancellations(Mutex<Vec<Arc<AtomicBool>>>);

impl Cancellations {
    /// A flag for work that begins.
    pub(super) fn begin(&self) -> Result<Arc<AtomicBool>> {
        let flag = Arc::new(AtomicBool::new(false));
        let mut flags = self.0.lock().map_err(|_| EngineError::poisoned())?;
        flags.retain(|flag| Arc::strong_count(flag) > 1); // others are over
        flags.push(Arc::clone(&flag));
        Ok(flag)
    }

    /// Sets the flags of all work that has begun.
    pub(super) fn cancel(&self) {
        let flags = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        flags.iter().for_each(|flag| flag.store(true, Ordering::SeqCst));
    }
}
