// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Native methods that move data: the hot path. No Java object is touched unless something fails.

use std::sync::Arc;

use cassiterite_engine::{cursor_close, cursor_next, view_scan, EngineError, Result, Table};
use jni::objects::JClass;
use jni::sys::{jint, jlong};
use jni::JNIEnv;

use crate::funnel::{guard_plain, on_table};
use crate::memory::{self, exchange};

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_write(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
    request: jlong,
    request_length: jint,
    flags: jint,
) {
    on_table(&mut env, table, (), |_, table| {
        // SAFETY: the request is a direct buffer that Java holds during the call.
        let request = unsafe { memory::request(request, request_length) }?;
        table.write(request, bits(flags)?)
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_read(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
    request: jlong,
    request_length: jint,
    answer: jlong,
    answer_capacity: jint,
) -> jint {
    read_into(&mut env, table, (request, request_length), (answer, answer_capacity), Table::read)
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_scan(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
    request: jlong,
    request_length: jint,
    answer: jlong,
    answer_capacity: jint,
) -> jint {
    read_into(&mut env, table, (request, request_length), (answer, answer_capacity), Table::scan)
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_cursorNext(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    cursor: jlong,
    flags: jint,
    answer: jlong,
    answer_capacity: jint,
) -> jint {
    guard_plain(&mut env, 0, |_| {
        // SAFETY: a direct buffer that Java holds during the call, for this thread alone.
        let answer = unsafe { memory::answer(answer, answer_capacity) }?;
        cursor_next(cursor, bits(flags)?, answer)
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_cursorClose(mut env: JNIEnv<'_>, _: JClass<'_>, cursor: jlong) {
    guard_plain(&mut env, (), |_| cursor_close(cursor))
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_viewOpen(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
) -> jlong {
    on_table(&mut env, table, 0, |_, table| table.view())
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_viewScan(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    view: jlong,
    request: jlong,
    request_length: jint,
    answer: jlong,
    answer_capacity: jint,
) -> jint {
    guard_plain(&mut env, 0, |_| {
        // SAFETY: both are direct buffers that Java holds during the call, the answer's for this thread alone.
        let (request, answer) = unsafe { exchange((request, request_length), (answer, answer_capacity)) }?;
        view_scan(view, request, answer)
    })
}

/// A read of a table: what is wanted, and where the answer goes.
type ReadCall = fn(&Arc<Table>, &[u8], &mut [u8]) -> Result<i32>;

/// Reads from a table: both buffers are an address and a length in bytes.
fn read_into(
    env: &mut JNIEnv<'_>,
    table: jlong,
    request: (jlong, jint),
    answer: (jlong, jint),
    call: ReadCall,
) -> jint {
    on_table(env, table, 0, |_, table| {
        // SAFETY: both are direct buffers that Java holds during the call, the answer's for this thread alone.
        let (request, answer) = unsafe { exchange(request, answer) }?;
        call(table, request, answer)
    })
}

fn bits(flags: jint) -> Result<u32> {
    u32::try_from(flags).map_err(|_| EngineError::invalid(format!("flags {flags} are not known")))
}
