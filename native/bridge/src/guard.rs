// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The one funnel through which every call goes: errors and panics become an `EngineException`.

use cassiterite_engine::{EngineError, Kind};
use jni::objects::{JThrowable, JValue};
use jni::JNIEnv;
use std::backtrace::Backtrace;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};

/// Why a call failed.
pub(crate) enum Failure {
    /// The engine says no.
    Engine(EngineError),
    /// The JVM says no; with `JavaException` one is pending already.
    Java(jni::errors::Error),
}

pub(crate) type Result<T> = std::result::Result<T, Failure>;

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Failure::Engine(error)
    }
}

impl From<jni::errors::Error> for Failure {
    fn from(error: jni::errors::Error) -> Self {
        Failure::Java(error)
    }
}

pub(crate) fn invalid<T>(message: impl Into<String>) -> Result<T> {
    Err(Failure::Engine(EngineError::Invalid(message.into())))
}

thread_local! {
    /// Message, place and native stack of this thread's last panic.
    static TRACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps what a panic says for the exception that it becomes, beside printing it.
pub(crate) fn keep_traces() {
    let print = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        print(info);
        let trace = format!("{info}\n{}", Backtrace::force_capture());
        TRACE.with(|kept| *kept.borrow_mut() = Some(trace));
    }));
}

/// Runs `work`. Where it fails or panics an `EngineException` is pending and `otherwise` is returned.
#[inline]
pub(crate) fn guard<'local, T>(
    env: &mut JNIEnv<'local>,
    otherwise: T,
    work: impl FnOnce(&mut JNIEnv<'local>) -> Result<T>,
) -> T {
    guard_with(env, otherwise, work, || {})
}

/// As [`guard`]; `on_panic` runs after a panic.
#[inline]
pub(crate) fn guard_with<'local, T>(
    env: &mut JNIEnv<'local>,
    otherwise: T,
    work: impl FnOnce(&mut JNIEnv<'local>) -> Result<T>,
    on_panic: impl FnOnce(),
) -> T {
    match panic::catch_unwind(AssertUnwindSafe(|| work(env))) {
        Ok(Ok(value)) => value,
        Ok(Err(failure)) => {
            throw(env, &failure);
            otherwise
        }
        Err(_) => {
            on_panic();
            let trace = TRACE.with(|kept| kept.borrow_mut().take());
            let message = format!("panic in the engine: {}", trace.as_deref().unwrap_or("no trace was kept"));
            throw(env, &Failure::Engine(EngineError::Internal(message)));
            otherwise
        }
    }
}

#[cold]
fn throw(env: &mut JNIEnv<'_>, failure: &Failure) {
    let (kind, message) = match failure {
        Failure::Engine(error) => (error.kind(), error.message().to_owned()),
        Failure::Java(jni::errors::Error::JavaException) => return,
        Failure::Java(error) => (Kind::Internal, format!("a call into the JVM failed: {error}")),
    };
    if env.exception_check().unwrap_or(false) {
        return;
    }
    if let Err(error) = throw_engine_exception(env, kind, &message) {
        // Whatever the JVM has pending now (OutOfMemoryError, a missing class) is thrown instead; make sure that there is.
        if !env.exception_check().unwrap_or(false) {
            let _ = env.throw_new("java/lang/Error", format!("{}: {message} ({error})", kind.name()));
        }
    }
}

fn throw_engine_exception(env: &mut JNIEnv<'_>, kind: Kind, message: &str) -> jni::errors::Result<()> {
    let kind = env.new_string(kind.name())?;
    let message = env.new_string(message)?;
    let exception = env.new_object(
        "io/cassiterite/engine/EngineException",
        "(Ljava/lang/String;Ljava/lang/String;)V",
        &[JValue::Object(&kind), JValue::Object(&message)],
    )?;
    env.throw(JThrowable::from(exception))
}
