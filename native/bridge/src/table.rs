// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Native methods of tables, except those that move data.

use std::fmt::Display;
use std::path::Path;

use cassiterite_engine::{Depth, EngineError, Result, Table};
use jni::objects::{JByteArray, JClass, JLongArray, JString};
use jni::sys::{jboolean, jbyteArray, jint, jlong};
use jni::JNIEnv;

use crate::funnel::{guard, guard_plain, jni_failure, on_table};
use crate::handles::{STORES, TABLES};
use crate::store::rust_string;

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableOpen(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    store: jlong,
    request: JByteArray<'_>,
) -> jlong {
    guard_plain(&mut env, 0, |env| {
        let request = rust_bytes(env, &request)?;
        Ok(TABLES.add(STORES.get(store)?.value()?.table(&request)?))
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableColumns(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
    request: JByteArray<'_>,
) -> jbyteArray {
    on_table(&mut env, table, std::ptr::null_mut(), |env, table| {
        let request = rust_bytes(env, &request)?;
        let columns = table.columns(&request)?;
        java_bytes(env, &columns)
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableColumnIds(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
) -> jbyteArray {
    guard_plain(&mut env, std::ptr::null_mut(), |env| {
        let columns = TABLES.get(table)?.value()?.column_ids()?;
        java_bytes(env, &columns)
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableTruncate(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
) -> jlong {
    on_table(&mut env, table, 0, |_, table| Ok(TABLES.add(table.truncate()?)))
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableRetire(mut env: JNIEnv<'_>, _: JClass<'_>, table: jlong) {
    guard(&mut env, (), || TABLES.poison(table), |_| TABLES.take_after(table, Table::retire))
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableDrop(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    store: jlong,
    table_id: JByteArray<'_>,
) {
    guard_plain(&mut env, (), |env| {
        let table_id = rust_bytes(env, &table_id)?;
        STORES.get(store)?.value()?.drop_table(&table_id)
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableFlush(mut env: JNIEnv<'_>, _: JClass<'_>, table: jlong) {
    on_table(&mut env, table, (), |_, table| table.flush())
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableCompact(mut env: JNIEnv<'_>, _: JClass<'_>, table: jlong) {
    on_table(&mut env, table, (), |_, table| table.compact())
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tablePurge(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
    gc_grace_s: jlong,
    max_purgeable_timestamp: jlong,
    now_offset_s: jlong,
) {
    on_table(&mut env, table, (), |_, table| table.set_purge(gc_grace_s, max_purgeable_timestamp, now_offset_s))
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableAutomaticCompaction(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
    on: jboolean,
) -> jlong {
    on_table(&mut env, table, 0, |_, table| {
        let files = table.set_automatic_compaction(on != 0)?;
        java_count(files, "files of level 0")
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableSnapshot(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
    directory: JString<'_>,
) {
    on_table(&mut env, table, (), |env, table| {
        let directory = rust_string(env, &directory)?;
        table.snapshot(Path::new(&directory))
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableLoad(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
    directory: JString<'_>,
) -> jlong {
    on_table(&mut env, table, 0, |env, table| {
        let directory = rust_string(env, &directory)?;
        let loaded = table.load(Path::new(&directory))?;
        java_count(loaded, "fragments loaded")
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableBackUp(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
    directory: JString<'_>,
) -> jlong {
    on_table(&mut env, table, 0, |env, table| {
        let directory = rust_string(env, &directory)?;
        java_count(table.back_up(Path::new(&directory))?, "increments")
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableForgetIncrements(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
) {
    on_table(&mut env, table, (), |_, table| table.forget_increments())
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableStats(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
    stats: JLongArray<'_>,
) {
    on_table(&mut env, table, (), |env, table| {
        let values = table.stats()?;
        env.set_long_array_region(&stats, 0, &values).map_err(jni_failure)
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableFiles(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
    figures: JLongArray<'_>,
) {
    on_table(&mut env, table, (), |env, table| {
        let values = table.file_figures()?;
        env.set_long_array_region(&figures, 0, &values).map_err(jni_failure)
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableVerify(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
    depth: jint,
    ranges: JByteArray<'_>,
    figures: JLongArray<'_>,
) {
    on_table(&mut env, table, (), |env, table| {
        let depth = match depth {
            0 => Depth::Quick,
            1 => Depth::Checksums,
            2 => Depth::Entries,
            _ => return Err(EngineError::invalid(format!("there is no depth {depth} of verification"))),
        };
        let verified = table.verify(depth, &rust_bytes(env, &ranges)?)?;
        fill(env, &figures, [verified.files, verified.bytes, verified.entries])
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableStopVerification(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
) {
    on_table(&mut env, table, (), |_, table| table.stop_verification())
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableVerifiedBytes(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
    figures: JLongArray<'_>,
) {
    on_table(&mut env, table, (), |env, table| {
        let (read, total) = table.verified_bytes()?;
        fill(env, &figures, [read, total])
    })
}

/// Puts figures into a Java array.
pub(crate) fn fill<const N: usize>(env: &JNIEnv<'_>, array: &JLongArray<'_>, figures: [u64; N]) -> Result<()> {
    let values = figures.map(|figure| jlong::try_from(figure).unwrap_or(jlong::MAX));
    env.set_long_array_region(array, 0, &values).map_err(jni_failure)
}

/// A Java array in Rust.
pub(crate) fn rust_bytes(env: &JNIEnv<'_>, bytes: &JByteArray<'_>) -> Result<Vec<u8>> {
    env.convert_byte_array(bytes).map_err(jni_failure)
}

/// A count for Java, which has no unsigned one. `what` says what is counted, where it is too large.
pub(crate) fn java_count<C: TryInto<jlong> + Copy + Display>(count: C, what: &str) -> Result<jlong> {
    count.try_into().map_err(|_| EngineError::internal(format!("{count} {what}")))
}

/// A Rust slice as a Java array.
pub(crate) fn java_bytes(env: &JNIEnv<'_>, bytes: &[u8]) -> Result<jbyteArray> {
    Ok(env.byte_array_from_slice(bytes).map_err(jni_failure)?.into_raw())
}
