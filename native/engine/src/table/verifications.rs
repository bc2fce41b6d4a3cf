// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The verifications of a table that run: how far they are, and their early end.

use super::running::Running;
use crate::error::{EngineError, Result};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;

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
            true => Err(EngineError::busy("the verification was stopped")),
            false => Ok(()),
        }
    }

    /// It has read so many more bytes of files.
    pub(crate) fn add(&self, bytes: u64) {
        self.read_bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// All that run.
#[derive(Default)]
pub(super) struct Verifications(Running<Progress>);

impl Verifications {
    /// One that begins, and is over once its caller drops it.
    pub(super) fn begin(&self, total_bytes: u64) -> Result<Arc<Progress>> {
        let (read_bytes, is_stopped) = (AtomicU64::new(0), AtomicBool::new(false));
        self.0.begin(Progress { total_bytes, read_bytes, is_stopped })
    }

    pub(super) fn stop(&self) {
        self.0.each(|one| one.is_stopped.store(true, Ordering::Release));
    }

    /// Bytes of files that they have read, and of how many.
    pub(super) fn progress(&self) -> (u64, u64) {
        let (mut read, mut total) = (0, 0);
        self.0.each(|one| {
            // A compaction may have made more of them.
            read += one.read_bytes.load(Ordering::Relaxed).min(one.total_bytes);
            total += one.total_bytes;
        });
        (read, total)
    }
}
