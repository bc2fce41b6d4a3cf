// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Java's memory as slices: the one place that trusts an address.

use cassiterite_engine::{EngineError, Result};
use jni::sys::{jint, jlong};
use std::io::IoSlice;

/// The `length` bytes of a request at `address`.
///
/// # Safety
/// `Native`'s contract: the address is that of a direct buffer of at least `length` bytes, which the caller keeps
/// reachable and does not change during the call; the slice must not outlive the call.
pub(crate) unsafe fn request<'call>(address: jlong, length: jint) -> Result<&'call [u8]> {
    let (address, length) = check(address, length)?;
    // SAFETY: as this function demands.
    Ok(unsafe { std::slice::from_raw_parts(address as *const u8, length) })
}

/// What is to be written of Java's memory, as writev takes it: `count` pairs of address and length.
///
/// # Safety
/// As [`request`]; the same holds for what each pair names.
pub(crate) unsafe fn parts<'call>(address: jlong, count: jint) -> Result<&'call [IoSlice<'call>]> {
    let (address, count) = check(address, count)?;
    // SAFETY: as this function demands; an `IoSlice` is such a pair wherever there is writev.
    Ok(unsafe { std::slice::from_raw_parts(address as *const IoSlice<'call>, count) })
}

/// The `length` bytes of an answer buffer at `address`.
///
/// # Safety
/// As [`request`]; and no other thread reads or writes the buffer during the call.
pub(crate) unsafe fn answer<'call>(address: jlong, length: jint) -> Result<&'call mut [u8]> {
    let (address, length) = check(address, length)?;
    // SAFETY: as this function demands.
    Ok(unsafe { std::slice::from_raw_parts_mut(address as *mut u8, length) })
}

/// A request and the buffer for its answer.
///
/// # Safety
/// As [`request`] and [`answer`]; that they do not overlap is checked here.
pub(crate) unsafe fn exchange<'call>(from: (jlong, jint), to: (jlong, jint)) -> Result<(&'call [u8], &'call mut [u8])> {
    let (request_start, request_length) = check(from.0, from.1)?;
    let (answer_start, answer_length) = check(to.0, to.1)?;
    if request_start < answer_start + answer_length && answer_start < request_start + request_length {
        return Err(EngineError::invalid("request and answer overlap"));
    }
    // SAFETY: as this function demands.
    unsafe { Ok((request(from.0, from.1)?, answer(to.0, to.1)?)) }
}

fn check(address: jlong, length: jint) -> Result<(usize, usize)> {
    match (usize::try_from(address), usize::try_from(length)) {
        (Ok(address), Ok(length)) if address != 0 => Ok((address, length)),
        _ => Err(EngineError::invalid(format!("{length} bytes at address {address} is not a buffer"))),
    }
}
