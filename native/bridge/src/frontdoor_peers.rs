// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Native methods by which Java tells the front door of the doors of other nodes.

use std::net::SocketAddr;
use std::sync::Arc;

use cassiterite_engine::EngineError;
use cassiterite_frontdoor::QuorumReads;
use jni::objects::{JByteArray, JClass};
use jni::sys::{jbyteArray, jint, jlong};
use jni::JNIEnv;

use crate::frontdoor::{failure, invalid_port, ip};
use crate::funnel::guard_plain;
use crate::handles::DOORS;
use crate::table::{java_bytes, rust_bytes};

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorListenForPeers(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    door: jlong,
    address: JByteArray<'_>,
    port: jint,
) -> jbyteArray {
    guard_plain(&mut env, std::ptr::null_mut(), |env| {
        let address = ip(&rust_bytes(env, &address)?)?;
        let address = SocketAddr::new(address, u16::try_from(port).map_err(|_| invalid_port(port))?);
        let door = DOORS.get(door)?;
        let door = door.value()?;
        let (listener, _) = door.listen_for_peers(address).map_err(failure)?;
        java_bytes(env, &[&listener.0.to_be_bytes()[..], &door.fingerprint()].concat())
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorEndCopies(mut env: JNIEnv<'_>, _: JClass<'_>, door: jlong) {
    guard_plain(&mut env, (), |_| {
        Arc::clone(DOORS.get(door)?.value()?).end_copies();
        Ok(())
    });
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorPeers(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    door: jlong,
    mode: jint,
    members: JByteArray<'_>,
) {
    guard_plain(&mut env, (), |env| {
        let mode = u8::try_from(mode).ok().and_then(QuorumReads::of);
        let mode = mode.ok_or_else(|| EngineError::invalid("no such mode of quorum reads"))?;
        let members = rust_bytes(env, &members)?;
        match DOORS.get(door)?.value()?.set_peers(mode, &members) {
            true => Ok(()),
            false => Err(EngineError::invalid("not the peers of a door")),
        }
    });
}
