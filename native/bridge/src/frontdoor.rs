// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Native methods of the front door. A client's descriptor becomes Java's when the array that names it exists.

use std::io;
use std::mem::ManuallyDrop;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use cassiterite_engine::{EngineError, Result};
use cassiterite_frontdoor::{
    Counters, Door, DoorOptions, ListenOptions, ListenerId, Missed, Negotiated, Notice, Tls, Way,
};
use jni::objects::{JByteArray, JClass};
use jni::sys::{jboolean, jbyteArray, jint, jlong, jstring};
use jni::JNIEnv;
use rustix::io::{dup3, DupFlags};

use crate::funnel::{guard_plain, jni_failure};
use crate::handles::DOORS;
use crate::memory;
use crate::socket::valid;
use crate::store::java_string;

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorOpen(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    loops: jint,
) -> jlong {
    guard_plain(&mut env, 0, |_| {
        let loops = usize::try_from(loops).map_err(|_| EngineError::invalid(format!("{loops} loops")))?;
        let options = DoorOptions { loops, ..DoorOptions::default() };
        Ok(DOORS.add(Arc::new(Door::open(options).map_err(failure)?)))
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorListen(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    door: jlong,
    address: JByteArray<'_>,
    port: jint,
    backlog: jint,
    keep_alive: jboolean,
    tls: jint,
) -> jlong {
    guard_plain(&mut env, 0, |env| {
        let address = env.convert_byte_array(&address).map_err(jni_failure)?;
        let address = SocketAddr::new(ip(&address)?, u16::try_from(port).map_err(|_| invalid_port(port))?);
        let tls = match tls {
            0 => Tls::Never,
            1 => Tls::Optional,
            2 => Tls::Always,
            _ => return Err(EngineError::invalid("no such use of TLS")),
        };
        let options = ListenOptions { backlog, keep_alive: keep_alive != 0, tls };
        let (listener, _) = DOORS.get(door)?.value()?.listen(address, options).map_err(failure)?;
        Ok(listener.0 as jlong)
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorStopListening(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    door: jlong,
    listener: jlong,
) {
    guard_plain(&mut env, (), |_| {
        DOORS.get(door)?.value()?.stop_listening(ListenerId(listener as u64));
        Ok(())
    });
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorTake(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    door: jlong,
    timeout_millis: jint,
) -> jbyteArray {
    guard_plain(&mut env, std::ptr::null_mut(), |env| {
        let timeout = u64::try_from(timeout_millis).map_err(|_| EngineError::invalid("negative timeout"))?;
        // Not a guard of the slot: the wait is long, and the door may be closed meanwhile.
        let door = Arc::clone(DOORS.get(door)?.value()?);
        let Some(notices) = door.take(Duration::from_millis(timeout)) else { return Ok(std::ptr::null_mut()) };
        let (bytes, descriptors) = describe(notices);
        let array = env.byte_array_from_slice(&bytes).map_err(jni_failure)?;
        descriptors.into_iter().for_each(|descriptor| {
            let _ = descriptor.into_raw_fd();
        });
        Ok(array.into_raw())
    })
}

/// Answer of `doorHandOver`: the pair serves on.
const KEPT: jint = -1;
/// The same: the client is handed over, and cannot come back.
const FOR_GOOD: jint = 0;

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorHandOver(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    door: jlong,
    connection: jlong,
    descriptor: jint,
    is_repeated: jboolean,
) -> jint {
    guard_plain(&mut env, KEPT, |_| {
        let mut far = borrowed(descriptor)?;
        let door = Arc::clone(DOORS.get(door)?.value()?);
        let Some(given) = door.hand_over(connection as u64, far.as_fd(), is_repeated != 0) else { return Ok(KEPT) };
        replace(&mut far, &given.client)?;
        Ok(given.negotiated.map_or(FOR_GOOD, |negotiated| jint::from(negotiated.number())))
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorTakeBack(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    door: jlong,
    connection: jlong,
    descriptor: jint,
    negotiated: jint,
) -> jboolean {
    guard_plain(&mut env, 0, |_| {
        let mut client = borrowed(descriptor)?;
        let known = u16::try_from(negotiated).ok().and_then(Negotiated::from_number);
        let known = known.ok_or_else(|| EngineError::invalid(format!("{negotiated} is no number of doorHandOver")))?;
        let door = Arc::clone(DOORS.get(door)?.value()?);
        // Without a descriptor left, the client is served as it was.
        let Ok(far) = client.try_clone().and_then(|taken| door.take_back(connection as u64, taken, known)) else {
            return Ok(0);
        };
        replace(&mut client, &far)?;
        Ok(1)
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorSendStraight(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    door: jlong,
    connection: jlong,
    parts: jlong,
    count: jint,
) -> jlong {
    guard_plain(&mut env, 0, |_| {
        // SAFETY: `Native`'s contract: the parts, and what they name, stay unchanged during the call.
        let parts = unsafe { memory::parts(parts, count)? };
        Ok(DOORS.get(door)?.value()?.send_straight(connection as u64, parts) as jlong)
    })
}

/// A descriptor that stays the caller's: what is dropped here closes nothing.
fn borrowed(descriptor: jint) -> Result<ManuallyDrop<OwnedFd>> {
    let descriptor = valid(descriptor)?;
    // SAFETY: `Native`'s contract: the caller's descriptor stays open during the call, and nobody else uses it.
    Ok(ManuallyDrop::new(unsafe { OwnedFd::from_raw_fd(descriptor) }))
}

/// Makes a descriptor name what another one names.
fn replace(descriptor: &mut ManuallyDrop<OwnedFd>, by: &OwnedFd) -> Result<()> {
    dup3(by, descriptor, DupFlags::CLOEXEC).map_err(|error| failure(error.into()))
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorReport(
    mut env: JNIEnv<'_>,
    _: JClass<'_>,
    door: jlong,
) -> jstring {
    guard_plain(&mut env, std::ptr::null_mut(), |env| {
        let counters = if door == 0 { Counters::none() } else { DOORS.get(door)?.value()?.counters() };
        let lines = counters.named().into_iter().map(|(name, count)| format!("{name}\t{count}\n"));
        java_string(env, &lines.collect::<String>())
    })
}

#[no_mangle]
extern "system" fn Java_io_cassiterite_engine_Native_doorClose(mut env: JNIEnv<'_>, _: JClass<'_>, door: jlong) {
    guard_plain(&mut env, (), |_| {
        if let Some(door) = DOORS.take(door)? {
            door.close();
        }
        Ok(())
    });
}

/// The notices as `docs/internals/boundary.md` describes them, and the descriptors named in there.
fn describe(notices: Vec<Notice>) -> (Vec<u8>, Vec<OwnedFd>) {
    let mut bytes = Vec::new();
    let mut descriptors = Vec::new();
    for notice in notices {
        let client = match notice {
            Notice::Client(client) => client,
            Notice::Wanted { connection, statement } => {
                bytes.push(2);
                bytes.extend(connection.to_be_bytes());
                bytes.extend(statement);
                continue;
            }
            Notice::Forwarded { connection } => {
                bytes.push(3);
                bytes.extend(connection.to_be_bytes());
                continue;
            }
            Notice::WantedTable { table, writes } => {
                bytes.push(4);
                bytes.extend(0u64.to_be_bytes());
                bytes.extend(table);
                bytes.push(u8::from(writes));
                continue;
            }
            Notice::CopiesEnded => {
                bytes.push(7);
                bytes.extend(0u64.to_be_bytes());
                continue;
            }
            Notice::Missed(missed) => {
                bytes.push(6);
                bytes.extend(0u64.to_be_bytes());
                put_missed(&mut bytes, &missed);
                continue;
            }
        };
        let (kind, descriptor, secured) = match client.way {
            Way::Pair(end) => (0, end, None),
            Way::Direct(socket) => (1, socket, None),
            Way::Secured(end, secured) => (5, end, Some(secured)),
        };
        bytes.push(kind);
        bytes.extend(client.connection.to_be_bytes());
        bytes.extend(client.listener.0.to_be_bytes());
        bytes.extend(descriptor.as_raw_fd().to_be_bytes());
        put_address(&mut bytes, client.remote);
        put_address(&mut bytes, client.local);
        for name in secured.into_iter().flat_map(|secured| [secured.protocol, secured.suite]) {
            bytes.push(name.len() as u8);
            bytes.extend(name.as_bytes());
        }
        descriptors.push(descriptor);
    }
    (bytes, descriptors)
}

fn put_missed(bytes: &mut Vec<u8>, missed: &Missed) {
    bytes.extend(missed.table);
    bytes.push(missed.version);
    bytes.extend(missed.began_ms.to_be_bytes());
    bytes.push(missed.hosts.len() as u8);
    missed.hosts.iter().for_each(|host| bytes.extend(host));
    bytes.extend((missed.body.len() as u32).to_be_bytes());
    bytes.extend(&missed.body);
}

fn put_address(bytes: &mut Vec<u8>, address: SocketAddr) {
    bytes.extend(address.port().to_be_bytes());
    match address.ip() {
        IpAddr::V4(ip) => {
            bytes.push(4);
            bytes.extend(ip.octets());
        }
        IpAddr::V6(ip) => {
            bytes.push(16);
            bytes.extend(ip.octets());
        }
    }
}

pub(crate) fn ip(bytes: &[u8]) -> Result<IpAddr> {
    if let Ok(octets) = <[u8; 4]>::try_from(bytes) {
        return Ok(octets.into());
    }
    let octets = <[u8; 16]>::try_from(bytes);
    octets.map(IpAddr::from).map_err(|_| EngineError::invalid(format!("an address of {} bytes", bytes.len())))
}

pub(crate) fn invalid_port(port: jint) -> EngineError {
    EngineError::invalid(format!("{port} is not a port"))
}

pub(crate) fn failure(error: io::Error) -> EngineError {
    EngineError::io(error.to_string()).caused_by(error)
}
