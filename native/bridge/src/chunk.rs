// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Native methods of chunks: rows of sstables on their way into a table.

use std::sync::Arc;

use cassiterite_engine::{ChunkWriter, Result};
use jni::objects::{JClass, JLongArray};
use jni::sys::{jboolean, jint, jlong};
use jni::JNIEnv;

use crate::funnel::{guard, guard_plain, on_table};
use crate::handles::CHUNKS;
use crate::memory;
use crate::table::fill;

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_chunkBegin(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
) -> jlong {
    on_table(&mut env, table, 0, |_, table| Ok(CHUNKS.add(Arc::new(ChunkWriter::begin(table)?))))
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_chunkAppend(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    chunk: jlong,
    request: jlong,
    request_length: jint,
) -> jlong {
    on_chunk(&mut env, chunk, 0, |_, chunk| {
        // SAFETY: the request is a direct buffer that Java holds during the call.
        let request = unsafe { memory::request(request, request_length) }?;
        Ok(jlong::try_from(chunk.append(request)?).unwrap_or(jlong::MAX))
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_chunkFinish(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    chunk: jlong,
    figures: JLongArray<'_>,
) {
    on_chunk(&mut env, chunk, (), |env, chunk| {
        let found = chunk.finish()?;
        fill(env, &figures, [found.files, found.file_bytes, found.rows, found.headers, found.bytes])
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_chunkReceive(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    chunk: jlong,
    had_rows: jboolean,
) -> jlong {
    on_chunk(&mut env, chunk, 0, |_, chunk| Ok(jlong::try_from(chunk.receive(had_rows != 0)?).unwrap_or(jlong::MAX)))
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_chunkClose(mut env: JNIEnv<'_>, _: JClass<'_>, chunk: jlong) {
    // The last one to drop it removes its files.
    guard_plain(&mut env, (), |_| CHUNKS.take(chunk).map(drop));
}

/// Runs a call on one chunk, which is out of use after a panic.
fn on_chunk<'local, T>(
    env: &mut JNIEnv<'local>,
    chunk: jlong,
    otherwise: T,
    call: impl FnOnce(&mut JNIEnv<'local>, &Arc<ChunkWriter>) -> Result<T>,
) -> T {
    guard(env, otherwise, || CHUNKS.poison(chunk), |env| call(env, CHUNKS.get(chunk)?.value()?))
}
