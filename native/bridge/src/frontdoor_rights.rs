// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Native methods by which Java says what the front door may answer. Those that end a right return when it has ended.

use std::collections::HashSet;
use std::time::Duration;

use cassiterite_engine::{EngineError, Result};
use cassiterite_frontdoor::RecipeError;
use jni::objects::{JByteArray, JClass, JIntArray};
use jni::sys::{jbyteArray, jint, jlong};
use jni::JNIEnv;

use crate::door_table::DoorTable;
use crate::funnel::{guard_plain, jni_failure};
use crate::handles::DOORS;
use crate::table::{java_bytes, rust_bytes};

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorRenew(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    door: jlong,
    millis: jint,
) {
    guard_plain(&mut env, (), |_| {
        let millis = u64::try_from(millis).map_err(|_| EngineError::invalid("negative lease"))?;
        DOORS.get(door)?.value()?.renew(Duration::from_millis(millis));
        Ok(())
    });
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorShut(mut env: JNIEnv<'_>, _: JClass<'_>, door: jlong) {
    guard_plain(&mut env, (), |_| {
        DOORS.get(door)?.value()?.shut();
        Ok(())
    });
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorOpenTable(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    door: jlong,
    table: jlong,
    spec: JByteArray<'_>,
) {
    guard_plain(&mut env, (), |env| {
        let spec = rust_bytes(env, &spec)?;
        match DOORS.get(door)?.value()?.open_table(DoorTable::of(table)?, &spec) {
            true => Ok(()),
            false => Err(EngineError::invalid("not the opening of a table")),
        }
    });
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorCloseTable(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    door: jlong,
    table_id: JByteArray<'_>,
) {
    guard_plain(&mut env, (), |env| {
        let id = id(env, &table_id)?;
        DOORS.get(door)?.value()?.close_table(&id);
        Ok(())
    });
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorPutPlan(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    door: jlong,
    recipe: JByteArray<'_>,
) {
    guard_plain(&mut env, (), |env| {
        let recipe = rust_bytes(env, &recipe)?;
        DOORS.get(door)?.value()?.put_recipe(&recipe).map_err(no_recipe)
    });
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorDropPlan(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    door: jlong,
    statement_id: JByteArray<'_>,
) {
    guard_plain(&mut env, (), |env| {
        let id = id(env, &statement_id)?;
        DOORS.get(door)?.value()?.drop_recipe(&id);
        Ok(())
    });
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorRefusePlan(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    door: jlong,
    statement_id: JByteArray<'_>,
) {
    guard_plain(&mut env, (), |env| {
        let id = id(env, &statement_id)?;
        DOORS.get(door)?.value()?.refuse_recipe(&id);
        Ok(())
    });
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorForgetRefused(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    door: jlong,
) {
    guard_plain(&mut env, (), |_| {
        DOORS.get(door)?.value()?.forget_refused();
        Ok(())
    });
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorAdmit(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    door: jlong,
    connection: jlong,
    login: jint,
) {
    guard_plain(&mut env, (), |_| {
        DOORS.get(door)?.value()?.admit(connection as u64, login as u32);
        Ok(())
    });
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorGrants(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    door: jlong,
    logins: JIntArray<'_>,
    statement_ids: JByteArray<'_>,
) {
    guard_plain(&mut env, (), |env| {
        let ids = rust_bytes(env, &statement_ids)?;
        let count = env.get_array_length(&logins).map_err(jni_failure)?;
        let mut numbers = vec![0; usize::try_from(count).unwrap_or_default()];
        env.get_int_array_region(&logins, 0, &mut numbers).map_err(jni_failure)?;
        let ids = ids.chunks_exact(ID_BYTES).filter_map(|id| id.try_into().ok());
        let grants: HashSet<_> = numbers.into_iter().map(|login: jint| login as u32).zip(ids).collect();
        DOORS.get(door)?.value()?.set_grants(grants);
        Ok(())
    });
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorServed(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    door: jlong,
) -> jbyteArray {
    guard_plain(&mut env, std::ptr::null_mut(), |env| {
        let served = DOORS.get(door)?.value()?.served();
        java_bytes(env, &served)
    })
}

pub(crate) fn no_recipe(error: RecipeError) -> EngineError {
    EngineError::invalid(error.to_string()).caused_by(error)
}

/// Of a table and of a statement.
const ID_BYTES: usize = 16;

pub(crate) fn id(env: &JNIEnv<'_>, bytes: &JByteArray<'_>) -> Result<[u8; ID_BYTES]> {
    let bytes = rust_bytes(env, bytes)?;
    bytes.try_into().map_err(|bytes: Vec<u8>| EngineError::invalid(format!("an id of {} bytes", bytes.len())))
}
