// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Native methods of shipments and token ranges.

use std::path::Path;

use cassiterite_engine::EngineError;
use jni::objects::{JByteArray, JClass, JString};
use jni::sys::{jbyteArray, jlong, jstring};
use jni::JNIEnv;

use crate::funnel::{guard, guard_plain};
use crate::handles::{STORES, TABLES};
use crate::store::{java_string, rust_string};
use crate::table::{java_bytes, rust_bytes};

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableExport(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
    ranges: JByteArray<'_>,
    directory: JString<'_>,
) -> jstring {
    guard(
        &mut env,
        std::ptr::null_mut(),
        || TABLES.poison(table),
        |env| {
            let (ranges, directory) = (rust_bytes(env, &ranges)?, rust_string(env, &directory)?);
            let files = TABLES.get(table)?.value()?.export(&ranges, Path::new(&directory))?;
            java_string(env, &files)
        },
    )
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableReceive(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
    directory: JString<'_>,
) {
    guard(
        &mut env,
        (),
        || TABLES.poison(table),
        |env| {
            let directory = rust_string(env, &directory)?;
            TABLES.get(table)?.value()?.receive(Path::new(&directory))
        },
    )
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableAbsorb(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
) -> jlong {
    guard(
        &mut env,
        0,
        || TABLES.poison(table),
        |_| {
            let left = TABLES.get(table)?.value()?.absorb()?;
            jlong::try_from(left).map_err(|_| EngineError::Internal(format!("{left} bytes are left to absorb")))
        },
    )
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableKeep(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
    ranges: JByteArray<'_>,
) {
    guard(
        &mut env,
        (),
        || TABLES.poison(table),
        |env| {
            let ranges = rust_bytes(env, &ranges)?;
            TABLES.get(table)?.value()?.keep(&ranges)
        },
    )
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableRanges(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
    ranges: JByteArray<'_>,
) -> jbyteArray {
    guard(
        &mut env,
        std::ptr::null_mut(),
        || TABLES.poison(table),
        |env| {
            let ranges = rust_bytes(env, &ranges)?;
            let sizes = TABLES.get(table)?.value()?.range_sizes(&ranges)?;
            java_bytes(env, &sizes)
        },
    )
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
