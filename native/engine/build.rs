// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Compiles the C++ shim (`src/raw/**/*.cc`) against the RocksDB headers that librocksdb-sys ships: as one unit, because
//! reading the headers takes longer than compiling what is ours.

use std::path::{Path, PathBuf};

fn main() {
    let mut all = Vec::new();
    for folder in ["src/raw", "src/raw/sys"] {
        println!("cargo::rerun-if-changed={folder}");
        all.extend(sources(Path::new(folder)));
    }
    let Ok(root) = std::env::var("DEP_ROCKSDB_CARGO_MANIFEST_DIR") else {
        println!("cargo::error=librocksdb-sys does not tell where its headers are");
        return;
    };
    let unit = match in_one_unit(&all) {
        Ok(unit) => unit,
        Err(error) => {
            println!("cargo::error=the C++ shim cannot be put together: {error}");
            return;
        }
    };
    cc::Build::new()
        .cpp(true)
        .file(unit)
        .include("src/raw")
        .include(format!("{root}/rocksdb/include"))
        .include(format!("{root}/rocksdb"))
        .define("ROCKSDB_PLATFORM_POSIX", None)
        .define("ROCKSDB_LIB_IO_POSIX", None)
        .define("OS_LINUX", None)
        .define("NDEBUG", None)
        .flag("-std=c++20")
        .flag("-fno-rtti") // as the prebuilt library
        .flag("-Wno-unused-parameter")
        .opt_level(2)
        .compile("cassiterite_shim");
}

/// A file that includes them all.
fn in_one_unit(all: &[PathBuf]) -> Result<PathBuf, Box<dyn std::error::Error>> {
    let package = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?);
    let lines: String = all.iter().map(|source| format!("#include \"{}\"\n", package.join(source).display())).collect();
    let unit = PathBuf::from(std::env::var("OUT_DIR")?).join("shim.cc");
    std::fs::write(&unit, lines)?;
    Ok(unit)
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "cc"))
        .collect();
    found.sort();
    found
}
