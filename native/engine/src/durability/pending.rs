// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A write that has been applied, but may not be acknowledged yet.

use super::{Durability, State};
use crate::error::{EngineError, Result};
use crate::faults::{reached, Step};
use std::sync::Arc;

/// The sync that a writer has to wait for. It holds neither the table nor the database: both may close meanwhile.
#[must_use]
pub(crate) struct PendingSync {
    durability: Arc<Durability>,
    awaited: Awaited,
}

/// What makes a write durable enough.
pub(super) enum Awaited {
    /// Any sync that began no earlier, in nanoseconds since the start.
    SyncSince(u64),
    /// The timer's sync of this number.
    Round(u64),
}

impl PendingSync {
    pub(super) fn new(durability: &Arc<Durability>, awaited: Awaited) -> PendingSync {
        PendingSync { durability: Arc::clone(durability), awaited }
    }

    /// Returns when the write is as durable as the mode promises, or cannot be any more.
    pub(crate) fn wait(self) -> Result<()> {
        reached(Step::AwaitingSync)?;
        let mut state = self.durability.lock()?;
        while !self.is_over(&state) && state.failure.is_none() {
            state = self.durability.changed.wait(state).map_err(|_| EngineError::poisoned())?;
        }
        state.failure.clone().map_or(Ok(()), Err)
    }

    fn is_over(&self, state: &State) -> bool {
        match self.awaited {
            Awaited::SyncSince(begun_ns) => self.durability.has_synced_since(begun_ns),
            Awaited::Round(number) => state.ended >= number,
        }
    }
}
