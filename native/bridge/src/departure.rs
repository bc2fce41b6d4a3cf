// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Rows that leave a table for sstables.

use jni::objects::{JClass, JLongArray};
use jni::sys::{jlong, jlongArray};
use jni::JNIEnv;

use crate::funnel::{jni_failure, on_table};
use crate::table::{fill, java_count};

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableBeginDeparture(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
    base_bytes_max: jlong,
) -> jlong {
    on_table(&mut env, table, 0, |_, table| {
        let bytes = table.begin_departure(u64::try_from(base_bytes_max).unwrap_or_default())?;
        java_count(bytes, "bytes depart")
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableForgetDeparted(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
) {
    on_table(&mut env, table, (), |_, table| table.forget_departed())
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableEndDeparture(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
) {
    on_table(&mut env, table, (), |_, table| table.end_departure())
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableFamilyBytes(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
    figures: JLongArray<'_>,
) {
    on_table(&mut env, table, (), |env, table| {
        let (base, beside) = table.family_bytes()?;
        fill(env, &figures, [base, beside])
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableFamilies(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
) -> jlongArray {
    on_table(&mut env, table, std::ptr::null_mut(), |env, table| {
        let numbers: Vec<jlong> = table.families()?.into_iter().map(jlong::from).collect();
        let array = env.new_long_array(numbers.len().try_into().unwrap_or_default()).map_err(jni_failure)?;
        env.set_long_array_region(&array, 0, &numbers).map_err(jni_failure)?;
        Ok(array.into_raw())
    })
}
