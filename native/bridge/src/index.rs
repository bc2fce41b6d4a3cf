// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Native methods of the indexes of tables, except those that move data.

use std::sync::Arc;

use cassiterite_engine::{EngineError, IndexState, Missed, Result, Table};
use jni::objects::{JClass, JString};
use jni::sys::{jboolean, jint, jlong, jlongArray, jstring};
use jni::JNIEnv;

use crate::funnel::{jni_failure, on_table};
use crate::handles::TABLES;
use crate::store::rust_string;

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_indexCreate<'local>(
    mut env: JNIEnv<'local>,
    _: JClass<'local>,
    table: jlong,
    name: JString<'local>,
) -> jlongArray {
    on_index(&mut env, table, &name, std::ptr::null_mut(), |env, table, name| {
        java_state(env, &table.create_index(name)?)
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_indexState<'local>(
    mut env: JNIEnv<'local>,
    _: JClass<'local>,
    table: jlong,
    name: JString<'local>,
) -> jlongArray {
    on_index(&mut env, table, &name, std::ptr::null_mut(), |env, table, name| {
        java_state(env, &table.index_state(name)?)
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_indexIsComplete<'local>(
    mut env: JNIEnv<'local>,
    _: JClass<'local>,
    table: jlong,
    number: jint,
) -> jboolean {
    on_table(&mut env, table, 0, |_, table| Ok(jboolean::from(table.index_is_complete(index_number(number)?)?)))
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_indexComplete<'local>(
    mut env: JNIEnv<'local>,
    _: JClass<'local>,
    table: jlong,
    number: jint,
    missed_writes: jlong,
    missed_loads: jlong,
) -> jboolean {
    on_table(&mut env, table, 0, |_, table| {
        let missed = Missed { writes: count(missed_writes)?, bulk_loads: count(missed_loads)? };
        Ok(jboolean::from(table.complete_index(index_number(number)?, missed)?))
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_indexDrop<'local>(
    mut env: JNIEnv<'local>,
    _: JClass<'local>,
    table: jlong,
    name: JString<'local>,
) {
    on_index(&mut env, table, &name, (), |_, table, name| table.drop_index(name))
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_indexTable<'local>(
    mut env: JNIEnv<'local>,
    _: JClass<'local>,
    table: jlong,
    name: JString<'local>,
) -> jlong {
    on_index(&mut env, table, &name, 0, |_, table, name| Ok(TABLES.add(table.index(name)?)))
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_indexNames(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
) -> jstring {
    on_table(&mut env, table, std::ptr::null_mut(), |env, table| {
        let names = table.index_names()?.join("\n");
        Ok(env.new_string(names).map_err(jni_failure)?.into_raw())
    })
}

/// [`on_table`] for calls on one of its indexes.
fn on_index<'local, T>(
    env: &mut JNIEnv<'local>,
    table: jlong,
    name: &JString<'local>,
    otherwise: T,
    call: impl FnOnce(&JNIEnv<'local>, &Arc<Table>, &str) -> Result<T>,
) -> T {
    on_table(env, table, otherwise, |env, table| {
        let name = rust_string(env, name)?;
        call(env, table, &name)
    })
}

fn index_number(number: jint) -> Result<u32> {
    u32::try_from(number).map_err(|_| EngineError::invalid("a number is not negative"))
}

fn count(value: jlong) -> Result<u64> {
    u64::try_from(value).map_err(|_| EngineError::invalid("a count is not negative"))
}

fn java_state(env: &JNIEnv<'_>, state: &IndexState) -> Result<jlongArray> {
    let [writes, bulk_loads] =
        [state.missed.writes, state.missed.bulk_loads].map(|count| i64::try_from(count).unwrap_or(i64::MAX));
    let values = [i64::from(state.number), i64::from(state.complete), writes, bulk_loads];
    let array = env.new_long_array(4).map_err(jni_failure)?;
    env.set_long_array_region(&array, 0, &values).map_err(jni_failure)?;
    Ok(array.into_raw())
}
