// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Native methods that expose the codec's pure functions, and digests, so that tests in Java can compare them with
//! Cassandra's own.

use cassiterite_codec::columns::ColumnSet;
use cassiterite_codec::key::Kind;
use cassiterite_codec::{compact, merge, CodecError, DeletionTime, Outcome, Purge};
use cassiterite_engine::{EngineError, Result};
use cassiterite_frontdoor::digest_of_table;
use jni::objects::{JByteArray, JClass};
use jni::sys::{jbyteArray, jint, jlong};
use jni::JNIEnv;

use crate::door_table::DoorTable;
use crate::funnel::guard_plain;
use crate::table::{java_bytes, rust_bytes};

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_mergeFragments(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    kind: jint,
    fragments: JByteArray<'_>,
) -> jbyteArray {
    guard_plain(&mut env, std::ptr::null_mut(), |env| {
        let fragments = rust_bytes(env, &fragments)?;
        let mut merged = Vec::new();
        merge(kind_of(kind)?, &split(&fragments)?, &mut merged).map_err(invalid)?;
        java_bytes(env, &merged)
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_tableDigest(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    table: jlong,
    spec: JByteArray<'_>,
    read: JByteArray<'_>,
) -> jbyteArray {
    guard_plain(&mut env, std::ptr::null_mut(), |env| {
        let (spec, read) = (rust_bytes(env, &spec)?, rust_bytes(env, &read)?);
        match digest_of_table(&*DoorTable::of(table)?, &spec, &read) {
            Some(digest) => java_bytes(env, &digest),
            None => Ok(std::ptr::null_mut()),
        }
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_purgeFragment(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    kind: jint,
    fragment: JByteArray<'_>,
    now_s: jlong,
    gc_before_s: jlong,
    max_purgeable_timestamp: jlong,
) -> jbyteArray {
    guard_plain(&mut env, std::ptr::null_mut(), |env| {
        let fragment = rust_bytes(env, &fragment)?;
        let purge = Purge { now_s, gc_before_s, max_purgeable_timestamp };
        let mut left = Vec::new();
        let outcome = compact(kind_of(kind)?, &fragment, DeletionTime::LIVE, &purge, &ColumnSet::default(), &mut left)
            .map_err(invalid)?;
        match outcome {
            Outcome::Unchanged => java_bytes(env, &fragment),
            Outcome::Changed => java_bytes(env, &left),
            Outcome::Empty => java_bytes(env, &[]),
        }
    })
}

fn kind_of(kind: jint) -> Result<Kind> {
    u8::try_from(kind)
        .ok()
        .and_then(|kind| Kind::try_from(kind).ok())
        .ok_or_else(|| EngineError::invalid(format!("{kind} is not a kind of fragment")))
}

fn split(mut fragments: &[u8]) -> Result<Vec<&[u8]>> {
    let mut all = Vec::new();
    while let Some((length, rest)) = fragments.split_first_chunk::<4>() {
        let (fragment, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(cut_short)?;
        all.push(fragment);
        fragments = rest;
    }
    if fragments.is_empty() {
        Ok(all)
    } else {
        Err(cut_short())
    }
}

fn cut_short() -> EngineError {
    EngineError::invalid("the fragments are cut short")
}

fn invalid(error: CodecError) -> EngineError {
    EngineError::invalid(error.to_string()).caused_by(error)
}
