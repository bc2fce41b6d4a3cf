// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The one way out: a failure or a panic becomes an `EngineException`, and a panic never unwinds into the JVM.

use std::any::Any;
use std::backtrace::Backtrace;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, OnceLock};

use cassiterite_engine::{EngineError, Kind, Result, Table};
use jni::objects::{GlobalRef, JClass, JThrowable, JValue};
use jni::sys::jlong;
use jni::JNIEnv;

use crate::handles::TABLES;

static EXCEPTION: OnceLock<GlobalRef> = OnceLock::new();

thread_local! {
    /// Where the last panic of this thread was, for the message of its exception.
    static TRACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Finds the exception's class, and has panics record their place.
pub(crate) fn prepare(env: &mut JNIEnv<'_>) -> jni::errors::Result<()> {
    let class = env.find_class("io/cassiterite/engine/EngineException")?;
    let class = env.new_global_ref(class)?;
    if EXCEPTION.set(class).is_ok() {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let trace = format!("{info}\n{}", Backtrace::force_capture());
            TRACE.with(|last| *last.borrow_mut() = Some(trace));
            previous(info);
        }));
    }
    Ok(())
}

/// Runs `call`; a failure is thrown in Java, and `otherwise` is returned, which Java never sees. `on_panic` runs after
/// a panic, before it is thrown.
pub(crate) fn guard<'local, T>(
    env: &mut JNIEnv<'local>,
    otherwise: T,
    on_panic: impl FnOnce(),
    call: impl FnOnce(&mut JNIEnv<'local>) -> Result<T>,
) -> T {
    match panic::catch_unwind(AssertUnwindSafe(|| call(&mut *env))) {
        Ok(Ok(value)) => return value,
        Ok(Err(error)) => throw(env, error.kind(), error.message()),
        Err(payload) => {
            on_panic();
            throw(env, Kind::Internal, &panic_message(payload.as_ref()));
        }
    }
    otherwise
}

/// [`guard`] for calls that no handle takes part in.
pub(crate) fn guard_plain<'local, T>(
    env: &mut JNIEnv<'local>,
    otherwise: T,
    call: impl FnOnce(&mut JNIEnv<'local>) -> Result<T>,
) -> T {
    guard(env, otherwise, || (), call)
}

/// [`guard`] for calls on one table, which is out of use after a panic.
pub(crate) fn on_table<'local, T>(
    env: &mut JNIEnv<'local>,
    table: jlong,
    otherwise: T,
    call: impl FnOnce(&mut JNIEnv<'local>, &Arc<Table>) -> Result<T>,
) -> T {
    guard(env, otherwise, || TABLES.poison(table), |env| call(env, TABLES.get(table)?.value()?))
}

/// A failure of JNI itself, such as an array that could not be made.
pub(crate) fn jni_failure(error: jni::errors::Error) -> EngineError {
    EngineError::internal(format!("JNI failed: {error}")).caused_by(error)
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned());
    let trace = TRACE.with(|last| last.borrow_mut().take()).unwrap_or_default();
    format!("the engine panicked: {text}\n{trace}")
}

fn throw(env: &mut JNIEnv<'_>, kind: Kind, message: &str) {
    // An exception that JNI has already thrown (such as out of memory) tells more than ours.
    if env.exception_check().unwrap_or(true) {
        return;
    }
    if let Err(error) = throw_ours(env, kind, message) {
        let _ = env.throw_new("java/lang/RuntimeException", format!("{message} (and no EngineException: {error})"));
    }
}

fn throw_ours(env: &mut JNIEnv<'_>, kind: Kind, message: &str) -> jni::errors::Result<()> {
    let class = EXCEPTION.get().ok_or(jni::errors::Error::NullPtr("EngineException"))?;
    let class: &JClass<'_> = class.as_obj().into();
    let (kind, message) = (env.new_string(kind.name())?, env.new_string(message)?);
    let arguments = [JValue::Object(&kind), JValue::Object(&message)];
    let exception = env.new_object(class, "(Ljava/lang/String;Ljava/lang/String;)V", &arguments)?;
    env.throw(JThrowable::from(exception))
}
