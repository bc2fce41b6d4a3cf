// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The linker must refuse a library with an undefined symbol: a node would fail only at its start. The library knows
//! the hash of the RocksDB that its shim was compiled for: another build may lay its classes out otherwise.

const VERSION: &str = "../../VERSION";
const ROCKSDB_PIN: &str = "../../config/rocksdb.sha256";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={ROCKSDB_PIN}");
    println!("cargo::rerun-if-changed={VERSION}");
    match std::fs::read_to_string(VERSION) {
        Ok(version) if version.trim() == env!("CARGO_PKG_VERSION") => {}
        other => {
            println!("cargo::error={VERSION} and native/Cargo.toml differ, scripts/release.sh sets both: {other:?}")
        }
    }
    match std::fs::read_to_string(ROCKSDB_PIN).map(|pin| pin.split_whitespace().next().map(str::to_owned)) {
        Ok(Some(hash)) => println!("cargo::rustc-env=CASSITERITE_ROCKSDB_SHA256={hash}"),
        other => println!("cargo::error={ROCKSDB_PIN} does not name a hash: {other:?}"),
    }
    println!("cargo::rustc-link-arg-cdylib=-Wl,-z,defs");
}
