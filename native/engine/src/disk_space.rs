// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Free space on the store's device: work that may wait leaves what the node's writes need.

use crate::error::{EngineError, Result};
use std::path::Path;

/// Below this a flush of the store's own may find the device full, and the store then takes no writes.
pub(crate) const RESERVE_BYTES: u64 = 256 << 20;

/// Fails with [`crate::Kind::NoSpace`] unless so many bytes can be written in a directory and the reserve is still
/// free.
pub(crate) fn check_free_space(directory: &Path, bytes: u64) -> Result<()> {
    let free = free_bytes(directory)?;
    if free >= RESERVE_BYTES.saturating_add(bytes) {
        return Ok(());
    }
    let wanted = if bytes == 0 { String::new() } else { format!(" beside {} MiB that are wanted", bytes >> 20) };
    Err(EngineError::no_space(format!(
        "the device of {} has {} MiB free, of which {} MiB are to stay free{wanted}",
        directory.display(),
        free >> 20,
        RESERVE_BYTES >> 20
    )))
}

fn free_bytes(directory: &Path) -> Result<u64> {
    #[cfg(test)]
    if let Some(free) = FREE.with_borrow_mut(|free| free.as_mut().map(|free| free())) {
        return Ok(free);
    }
    let device = rustix::fs::statvfs(directory).map_err(|error| {
        EngineError::from(std::io::Error::from(error))
            .context(format_args!("asking for the free space of {}", directory.display()))
    })?;
    Ok(device.f_bavail.saturating_mul(device.f_frsize))
}

#[cfg(test)]
thread_local! {
    /// The free space that a test pretends.
    pub(crate) static FREE: std::cell::RefCell<Option<Box<dyn FnMut() -> u64>>> = const { std::cell::RefCell::new(None) };
}

/// The first checks find so much free, the later ones another number; the number of checks so far.
#[cfg(test)]
pub(crate) fn pretend_free(checks: u64, bytes: u64, later_bytes: u64) -> std::rc::Rc<std::cell::Cell<u64>> {
    let made = std::rc::Rc::new(std::cell::Cell::new(0));
    let counted = std::rc::Rc::clone(&made);
    FREE.set(Some(Box::new(move || {
        counted.set(counted.get() + 1);
        if counted.get() <= checks {
            bytes
        } else {
            later_bytes
        }
    })));
    made
}
