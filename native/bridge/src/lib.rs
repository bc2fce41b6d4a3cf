// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The boundary between Java and the engine, described in `docs/internals/boundary.md`: exactly the native methods of
//! `io.cassiterite.engine.Native`, and the only crate that knows JNI. It holds no logic: a method finds what its
//! handle names, makes slices of its addresses, calls the engine, and [`funnel`] turns failures and panics into
//! `EngineException`.
#![allow(unsafe_code)] // every use stands beside its SAFETY line

mod chunk;
mod data;
mod departure;
mod door_table;
mod fragments;
mod frontdoor;
mod frontdoor_peers;
mod frontdoor_rights;
mod frontdoor_tls;
mod frontdoor_writes;
mod funnel;
mod handles;
mod index;
mod memory;
mod shipment;
mod socket;
mod store;
mod table;
mod thread;

use std::ffi::c_void;

use jni::objects::JValue;
use jni::sys::{jint, JNI_ERR, JNI_VERSION_1_8};
use jni::JavaVM;

/// Called by the JVM when `NativeLibrary` loads this library: sets its version and the hash of its RocksDB there, and
/// finds the exception's class.
///
/// # Safety
/// Only the JVM calls this, with its own, valid `vm`.
#[no_mangle]
pub extern "system" fn JNI_OnLoad(vm: JavaVM, _reserved: *mut c_void) -> jint {
    match on_load(&vm) {
        Ok(()) => JNI_VERSION_1_8,
        Err(_) => JNI_ERR,
    }
}

fn on_load(vm: &JavaVM) -> jni::errors::Result<()> {
    let mut env = vm.get_env()?;
    funnel::prepare(&mut env)?;
    let library = env.find_class("io/cassiterite/engine/NativeLibrary")?;
    let built_with =
        [("libraryVersion", env!("CARGO_PKG_VERSION")), ("libraryRocksdb", env!("CASSITERITE_ROCKSDB_SHA256"))];
    for (name, value) in built_with {
        let value = env.new_string(value)?;
        let field = env.get_static_field_id(&library, name, "Ljava/lang/String;")?;
        env.set_static_field(&library, field, JValue::Object(&value))?;
    }
    Ok(())
}
