// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Native methods of the connections by which files are received. Java has their descriptors as numbers.

use std::os::fd::{BorrowedFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::time::Duration;

use cassiterite_engine::{receive_bytes, share_socket, EngineError, Result};
use jni::objects::JClass;
use jni::sys::{jint, jlong};
use jni::JNIEnv;

use crate::funnel::guard_plain;
use crate::memory::answer;

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_socketShare(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    descriptor: jint,
) -> jint {
    guard_plain(&mut env, -1, |_| {
        // SAFETY: `Native`'s contract: the descriptor is open for as long as the call lasts.
        let socket = unsafe { BorrowedFd::borrow_raw(valid(descriptor)?) };
        share_socket(socket).map(IntoRawFd::into_raw_fd)
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_socketReceive(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    socket: jint,
    block: jlong,
    capacity: jint,
    timeout_millis: jint,
) -> jint {
    guard_plain(&mut env, -1, |_| {
        // SAFETY: `Native`'s contract: a descriptor of `socketShare` that is not closed before the call returns.
        let socket = unsafe { BorrowedFd::borrow_raw(valid(socket)?) };
        // SAFETY: as `Native` demands of the buffer.
        let block = unsafe { answer(block, capacity)? };
        let timeout = u64::try_from(timeout_millis).map_err(|_| EngineError::invalid("negative timeout"))?;
        match receive_bytes(socket, block, Duration::from_millis(timeout))? {
            (0, true) => Ok(-1),
            (count, _) => jint::try_from(count).map_err(|_| EngineError::internal(format!("{count} bytes received"))),
        }
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_socketClose(mut env: JNIEnv<'_>, _: JClass<'_>, socket: jint) {
    guard_plain(&mut env, (), |_| {
        // SAFETY: `Native`'s contract: a descriptor of `socketShare` that is no longer used.
        drop(unsafe { OwnedFd::from_raw_fd(valid(socket)?) });
        Ok(())
    });
}

pub(crate) fn valid(descriptor: jint) -> Result<RawFd> {
    match descriptor {
        0.. => Ok(descriptor),
        _ => Err(EngineError::invalid(format!("{descriptor} is not a descriptor"))),
    }
}
