// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! How fast files are verified.

use crate::error::Result;
use crate::table::{Progress, TableCore};
use std::time::{Duration, Instant};

/// How long it waits before it looks whether it is to end.
const LOOK: Duration = Duration::from_millis(50);

/// Holds reads back, so that they take no more of the device than `compaction_rate_limit` gives compactions.
pub(super) struct Pace<'a> {
    core: &'a TableCore,
    pub(super) progress: &'a Progress,
    next: Instant,
}

impl<'a> Pace<'a> {
    pub(super) fn new(core: &'a TableCore, progress: &'a Progress) -> Self {
        Pace { core, progress, next: Instant::now() }
    }

    /// Waits until so many bytes may be read; an error where it must not [`go_on`](Pace::go_on).
    pub(super) fn take(&mut self, bytes: u64) -> Result<()> {
        self.go_on()?;
        while let Some(wait) = self.next.checked_duration_since(Instant::now()).filter(|wait| !wait.is_zero()) {
            std::thread::sleep(wait.min(LOOK));
            self.go_on()?;
        }
        let limit = self.core.store().settings()?.compaction_bytes_per_second;
        if limit > 0 {
            self.next = self.next.max(Instant::now()) + Duration::from_secs_f64(bytes as f64 / limit as f64);
        }
        Ok(())
    }

    /// An error once the table is being closed, or the verification stopped.
    pub(super) fn go_on(&self) -> Result<()> {
        self.core.check_open()?;
        self.progress.go_on()
    }
}
