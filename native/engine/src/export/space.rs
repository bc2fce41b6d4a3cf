// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Space that an export leaves to the rest of the node.

use crate::error::{EngineError, Result};
use std::path::Path;

/// With less than this a flush of the store's own may find the device full, and the store then takes no writes.
pub(super) const LEFT_FREE_BYTES: u64 = 256 << 20;

/// Fails with [`EngineError::NoSpace`] if the device of a directory has too little left for anything that can wait.
pub(super) fn ensure(directory: &Path) -> Result<()> {
    let free = free_bytes(directory)?;
    if free < LEFT_FREE_BYTES {
        let (free, left) = (free >> 20, LEFT_FREE_BYTES >> 20);
        let why = format!("the device has {free} MiB free, of which {left} MiB are to stay free");
        return Err(EngineError::NoSpace(why));
    }
    Ok(())
}

#[cfg(not(test))]
fn free_bytes(directory: &Path) -> Result<u64> {
    on_device(directory)
}

/// What a test says is free, or what is.
#[cfg(test)]
fn free_bytes(directory: &Path) -> Result<u64> {
    let real = on_device(directory)?;
    Ok(tests::FREE.with_borrow_mut(|said| said.as_mut().map_or(real, |said| said())))
}

fn on_device(directory: &Path) -> Result<u64> {
    let device = rustix::fs::statvfs(directory).map_err(std::io::Error::from)?;
    Ok(device.f_bavail.saturating_mul(device.f_frsize))
}

#[cfg(test)]
mod tests;
