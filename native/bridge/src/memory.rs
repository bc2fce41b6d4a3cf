// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Java's memory as slices: the one place that believes an address.

use cassiterite_engine::{EngineError, Result};
use jni::sys::{jint, jlong};

/// The `length` bytes at `address`, to read.
pub(crate) fn bytes<'call>(address: jlong, length: jint) -> Result<&'call [u8]> {
    let (address, length) = check(address, length)?;
    // SAFETY: `Native`'s contract: the address is that of a direct buffer of at least `length` bytes, which the caller
    // keeps reachable and does not change during the call; the slice does not outlive the call.
    Ok(unsafe { std::slice::from_raw_parts(address as *const u8, length) })
}

/// The `length` bytes at `address`, to write.
pub(crate) fn bytes_mut<'call>(address: jlong, length: jint) -> Result<&'call mut [u8]> {
    let (address, length) = check(address, length)?;
    // SAFETY: as in `bytes`; answer buffers belong to one thread and differ from request buffers.
    Ok(unsafe { std::slice::from_raw_parts_mut(address as *mut u8, length) })
}

fn check(address: jlong, length: jint) -> Result<(usize, usize)> {
    match (usize::try_from(address), usize::try_from(length)) {
        (Ok(address), Ok(length)) if address != 0 => Ok((address, length)),
        _ => Err(EngineError::Invalid(format!("{length} bytes at address {address} is not a buffer"))),
    }
}
