// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The check that the RocksDB that is loaded is the one whose headers were compiled in.

use crate::error::{EngineError, Result};
use std::ffi::{c_char, CStr};

const CAPACITY: usize = 32;

extern "C" {
    fn cassiterite_rocksdb_versions(built: *mut c_char, loaded: *mut c_char, capacity: usize);
}

/// The version of the RocksDB that is loaded, like `11.8.1`; an error where another one was expected.
pub(crate) fn rocksdb_version() -> Result<String> {
    let (mut built, mut loaded) = ([0; CAPACITY], [0; CAPACITY]);
    // SAFETY: both buffers hold `CAPACITY` bytes and are NUL-terminated within them.
    let (built, loaded) = unsafe {
        cassiterite_rocksdb_versions(built.as_mut_ptr(), loaded.as_mut_ptr(), CAPACITY);
        (CStr::from_ptr(built.as_ptr()).to_string_lossy(), CStr::from_ptr(loaded.as_ptr()).to_string_lossy())
    };
    if built == loaded {
        return Ok(loaded.into_owned());
    }
    Err(EngineError::invalid(format!(
        "librocksdb.so is version {loaded} but Cassiterite was built for {built}: put the library that came with it in place"
    )))
}
