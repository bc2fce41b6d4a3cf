// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Native method of threads of Java that clients come before.

use cassiterite_engine::EngineError;
use jni::objects::JClass;
use jni::sys::{jboolean, jint, JNI_FALSE};
use jni::JNIEnv;
use rustix::process::{getpriority_process, setpriority_process};

use crate::funnel::guard_plain;

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_threadLower(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    niceness: jint,
) -> jboolean {
    guard_plain(&mut env, JNI_FALSE, |_| {
        if !(0..20).contains(&niceness) {
            return Err(EngineError::invalid(format!("a niceness of {niceness} is none of a lower priority")));
        }
        // To Linux, no process means the calling thread alone.
        let is_lower = getpriority_process(None).is_ok_and(|now| now >= niceness);
        Ok((is_lower || setpriority_process(None, niceness).is_ok()).into())
    })
}
