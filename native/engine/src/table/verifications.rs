// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The verifications of a table that run: how far they are, and their early end.

use crate::error::{EngineError, Result};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// One that runs.
pub(crate) struct Progress {
    total_bytes: u64,
    read_bytes: AtomicU64,
    is_stopped: AtomicBool,
}

impl Progress {
    /// An error once it is to end early.
    pub(crate) fn go_on(&self) -> Result<()> {
        match self.is_stopped.load(Ordering::Acquire) {
            true => Err(EngineError::Busy("the verification was stopped".into())),
            false => Ok(()),
        }
    }

    /// It has read so many bytes of files by now.
    pub(crate) fn reached(&self, bytes: u64) {
        self.read_bytes.store(bytes, Ordering::Relaxed);
    }
}

/// All that run.
#[derive(Default)]
pub(super) struct Verifications(Mutex<Vec<Arc<Progress>>>);

impl Verifications {
    /// One that begins, and is over once its caller drops it.
    pub(super) fn begin(&self, total_bytes: u64) -> Result<Arc<Progress>> {
        let begun =
            Arc::new(Progress { total_bytes, read_bytes: AtomicU64::new(0), is_stopped: AtomicBool::new(false) });
        let mut all = self.0.lock().map_err(|_| EngineError::poisoned())?;
        all.retain(|one| Arc::strong_count(one) > 1);
        all.push(Arc::clone(&begun));
        Ok(begun)
    }

    pub(super) fn stop(&self) {
        self.running(|one| one.is_stopped.store(true, Ordering::Release));
    }

    /// Bytes of files that they have read, and of how many.
    pub(super) fn progress(&self) -> (u64, u64) {
        let (mut read, mut total) = (0, 0);
        self.running(|one| {
            // A compaction may have made more of them.
            read += one.read_bytes.load(Ordering::Relaxed).min(one.total_bytes);
            total += one.total_bytes;
        });
        (read, total)
    }

    fn running(&self, each: impl FnMut(&Arc<Progress>)) {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter(|one| Arc::strong_count(one) > 1).for_each(each);
    }
}
