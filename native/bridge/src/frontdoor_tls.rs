// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The native method by which Java tells the front door with what it meets clients that speak TLS.

use cassiterite_engine::EngineError;
use jni::objects::{JByteArray, JClass};
use jni::sys::jlong;
use jni::JNIEnv;

use crate::funnel::guard_plain;
use crate::handles::DOORS;
use crate::table::rust_bytes;

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorTls(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    door: jlong,
    terms: JByteArray<'_>,
) {
    guard_plain(&mut env, (), |env| {
        let mut terms = if terms.is_null() { None } else { Some(rust_bytes(env, &terms)?) };
        let set = DOORS.get(door)?.value()?.set_tls(terms.as_deref());
        // They have the private key, of which what the library has made of it is copy enough.
        terms.iter_mut().for_each(|terms| terms.fill(0));
        set.map_err(EngineError::invalid)
    });
}
