// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Native methods by which Java says what the front door may write.

use cassiterite_engine::EngineError;
use cassiterite_frontdoor::Modification;
use jni::objects::{JByteArray, JClass};
use jni::sys::{jbyteArray, jint, jlong};
use jni::JNIEnv;

use crate::door_table::DoorTable;
use crate::frontdoor_rights::{id, no_recipe};
use crate::funnel::guard_plain;
use crate::handles::DOORS;
use crate::table::{java_bytes, rust_bytes};

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorOpenWrites(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    door: jlong,
    table: jlong,
    spec: JByteArray<'_>,
) {
    guard_plain(&mut env, (), |env| {
        let spec = rust_bytes(env, &spec)?;
        match DOORS.get(door)?.value()?.open_to_writes(DoorTable::of(table)?, &spec) {
            true => Ok(()),
            false => Err(EngineError::invalid("not the opening of a table to writes")),
        }
    });
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorCloseWrites(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    door: jlong,
    table_id: JByteArray<'_>,
) {
    guard_plain(&mut env, (), |env| {
        let id = id(env, &table_id)?;
        DOORS.get(door)?.value()?.close_to_writes(&id);
        Ok(())
    });
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorAddRecord(mut env: JNIEnv<'_>, _: JClass<'_>, door: jlong) {
    guard_plain(&mut env, (), |_| {
        DOORS.get(door)?.value()?.add_record();
        Ok(())
    });
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorRecords(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    door: jlong,
) -> jlong {
    guard_plain(&mut env, 0, |_| Ok(DOORS.get(door)?.value()?.records() as jlong))
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorRecordsAreSafe(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    door: jlong,
    count: jlong,
) {
    guard_plain(&mut env, (), |_| {
        DOORS.get(door)?.value()?.records_are_safe(count as u64);
        Ok(())
    });
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorPutModification(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    door: jlong,
    recipe: JByteArray<'_>,
) {
    guard_plain(&mut env, (), |env| {
        let recipe = rust_bytes(env, &recipe)?;
        DOORS.get(door)?.value()?.put_modification(&recipe).map_err(no_recipe)
    });
}

/// The write request that a recipe makes of the body of an EXECUTE, for a comparison; null where it makes none.
#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_modificationRequest(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    recipe: JByteArray<'_>,
    version: jint,
    body: JByteArray<'_>,
    now_s: jlong,
) -> jbyteArray {
    guard_plain(&mut env, std::ptr::null_mut(), |env| {
        let (recipe, body) = (rust_bytes(env, &recipe)?, rust_bytes(env, &body)?);
        let modification = Modification::decode(&recipe).map_err(no_recipe)?;
        let version = u8::try_from(version).map_err(|_| EngineError::invalid("no version of the protocol"))?;
        match modification.request(version, &body, now_s) {
            Some(request) => java_bytes(env, &request),
            None => Ok(std::ptr::null_mut()),
        }
    })
}
