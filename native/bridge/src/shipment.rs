// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Native methods of shipments and token ranges.

use std::path::Path;

use cassiterite_engine::report_manifests;
use jni::objects::{JByteArray, JClass, JString};
use jni::sys::{jbyteArray, jlong, jstring};
use jni::JNIEnv;

use crate::funnel::{guard_plain, on_table};
use crate::handles::STORES;
use crate::store::{java_string, rust_string};
use crate::table::{java_bytes, java_count, rust_bytes};

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableExport(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
    ranges: JByteArray<'_>,
    directory: JString<'_>,
) -> jstring {
    on_table(&mut env, table, std::ptr::null_mut(), |env, table| {
        let (ranges, directory) = (rust_bytes(env, &ranges)?, rust_string(env, &directory)?);
        let files = table.export(&ranges, Path::new(&directory))?;
        java_string(env, &files)
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_manifestsReport(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    directory: JString<'_>,
) -> jstring {
    guard_plain(&mut env, std::ptr::null_mut(), |env| {
        let directory = rust_string(env, &directory)?;
        java_string(env, &report_manifests(Path::new(&directory))?)
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableReceive(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
    directory: JString<'_>,
) -> jlong {
    on_table(&mut env, table, 0, |env, table| {
        let directory = rust_string(env, &directory)?;
        let rewritten = table.receive(Path::new(&directory))?;
        java_count(rewritten, "bytes were rewritten")
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableRestore(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
    directory: JString<'_>,
) -> jlong {
    on_table(&mut env, table, 0, |env, table| {
        let directory = rust_string(env, &directory)?;
        let rewritten = table.restore(Path::new(&directory))?;
        java_count(rewritten, "bytes were rewritten")
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableMergeIn(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
) -> jlong {
    on_table(&mut env, table, 0, |_, table| {
        let left = table.merge_in()?;
        java_count(left, "bytes are left to merge in")
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableCleanup(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
    ranges: JByteArray<'_>,
) {
    on_table(&mut env, table, (), |env, table| {
        let ranges = rust_bytes(env, &ranges)?;
        table.cleanup(&ranges)
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableStopCleanup(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
) {
    on_table(&mut env, table, (), |_, table| table.stop_cleanup())
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableLargePartition(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
) -> jlong {
    on_table(&mut env, table, 0, |_, table| Ok(jlong::try_from(table.large_partition()?).unwrap_or(jlong::MAX)))
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableRanges(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
    ranges: JByteArray<'_>,
) -> jbyteArray {
    on_table(&mut env, table, std::ptr::null_mut(), |env, table| {
        let ranges = rust_bytes(env, &ranges)?;
        let sizes = table.range_sizes(&ranges)?;
        java_bytes(env, &sizes)
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_storeRing(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    store: jlong,
    boundaries: JByteArray<'_>,
) {
    guard_plain(&mut env, (), |env| {
        let boundaries = rust_bytes(env, &boundaries)?;
        STORES.get(store)?.value()?.set_ring(&boundaries)
    })
}
