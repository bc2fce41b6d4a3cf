// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Room on the store's device: background work that may wait leaves what the node's writes need.

use crate::error::{EngineError, Result};
use crate::store::Core;

/// Below this the engine stops taking writes with one of its next flushes; streams leave it free, too.
pub(super) const RESERVE_BYTES: u64 = 256 << 20;

#[cfg(test)]
thread_local! {
    /// What a test says is free.
    pub(super) static FREE_BYTES: std::cell::Cell<Option<u64>> = const { std::cell::Cell::new(None) };
}

/// [`EngineError::NoSpace`] unless so many bytes can be written and the reserve is still free.
pub(super) fn check_room(store: &Core, bytes: u64) -> Result<()> {
    let (free, wanted) = (free_bytes(store)?, RESERVE_BYTES.saturating_add(bytes));
    if free >= wanted {
        return Ok(());
    }
    Err(EngineError::NoSpace(format!("{free} bytes are free on the device of {}, it waits for {wanted}", path(store))))
}

fn free_bytes(store: &Core) -> Result<u64> {
    #[cfg(test)]
    if let Some(free) = FREE_BYTES.get() {
        return Ok(free);
    }
    let found = rustix::fs::statvfs(store.db.path()).map_err(|error| {
        EngineError::from(std::io::Error::from(error)).context(format_args!("asking for the room of {}", path(store)))
    })?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}

fn path(store: &Core) -> std::path::Display<'_> {
    store.db.path().display()
}
