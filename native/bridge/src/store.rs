// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Native methods of the store.

use cassiterite_engine::{rocksdb_version, EngineError, Result, Store};
use jni::objects::{JByteArray, JClass, JString};
use jni::sys::{jboolean, jlong, jstring};
use jni::JNIEnv;

use crate::funnel::{guard, guard_plain, jni_failure};
use crate::handles::STORES;

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_version(mut env: JNIEnv<'_>, _: JClass<'_>) -> jstring {
    guard_plain(&mut env, std::ptr::null_mut(), |env| {
        let text = format!("cassiterite/{} rocksdb/{}", env!("CARGO_PKG_VERSION"), rocksdb_version()?);
        java_string(env, &text)
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_storeCheck(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    options: JByteArray<'_>,
) {
    guard_plain(&mut env, (), |env| Store::check(&option_lines(env, &options)?))
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_storeOpen(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    options: JByteArray<'_>,
) -> jlong {
    guard_plain(&mut env, 0, |env| Ok(STORES.add(Store::open(&option_lines(env, &options)?)?)))
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_storeClose(mut env: JNIEnv<'_>, _: JClass<'_>, store: jlong) {
    guard_plain(&mut env, (), |_| match STORES.take(store)? {
        Some(store) => store.close(),
        None => Ok(()),
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_storeSync(mut env: JNIEnv<'_>, _: JClass<'_>, store: jlong) {
    guard(&mut env, (), || STORES.poison(store), |_| STORES.get(store)?.value()?.sync())
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_storeSet(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    store: jlong,
    options: JByteArray<'_>,
) {
    guard_plain(&mut env, (), |env| STORES.get(store)?.value()?.set(&option_lines(env, &options)?))
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_storeReport(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    store: jlong,
    topic: JString<'_>,
) -> jstring {
    guard_plain(&mut env, std::ptr::null_mut(), |env| {
        let topic = rust_string(env, &topic)?;
        let report = STORES.get(store)?.value()?.report(&topic)?;
        java_string(env, &report)
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_storeError(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    store: jlong,
) -> jstring {
    guard_plain(&mut env, std::ptr::null_mut(), |env| match STORES.get(store)?.value()?.background_error()? {
        Some((kind, message)) => java_string(env, &format!("{}\t{message}", kind.name())),
        None => Ok(std::ptr::null_mut()),
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_storeKeepIncrements(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    store: jlong,
    on: jboolean,
) {
    guard_plain(&mut env, (), |_| STORES.get(store)?.value()?.keep_increments(on != 0))
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_storeResume(mut env: JNIEnv<'_>, _: JClass<'_>, store: jlong) {
    guard(&mut env, (), || STORES.poison(store), |_| STORES.get(store)?.value()?.resume())
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_storeStopCompactions(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    store: jlong,
) {
    guard(&mut env, (), || STORES.poison(store), |_| STORES.get(store)?.value()?.stop_compactions())
}

fn option_lines(env: &JNIEnv<'_>, options: &JByteArray<'_>) -> Result<String> {
    let bytes = env.convert_byte_array(options).map_err(jni_failure)?;
    String::from_utf8(bytes).map_err(|_| EngineError::invalid("the options are not UTF-8"))
}

/// A Java string in Rust.
pub(crate) fn rust_string(env: &mut JNIEnv<'_>, text: &JString<'_>) -> Result<String> {
    match env.get_string(text) {
        Ok(text) => Ok(text.into()),
        Err(jni::errors::Error::NullPtr(_)) => Err(EngineError::invalid("a string is null")),
        Err(error) => Err(jni_failure(error)),
    }
}

/// A Rust string as a Java string.
pub(crate) fn java_string(env: &mut JNIEnv<'_>, text: &str) -> Result<jstring> {
    Ok(env.new_string(text).map_err(jni_failure)?.into_raw())
}
