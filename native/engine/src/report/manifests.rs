// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What the manifests in a folder say, for those who choose what to load: also where one of them is damaged.

use super::{uuid, Lines};
use crate::error::Result;
use crate::manifest::{arrange, read_each, Manifest, Part};
use std::path::Path;

const COLUMNS: [&str; 10] = [
    "manifest",
    "keyspace_name",
    "table_name",
    "table_id",
    "is_increment",
    "generation",
    "files",
    "bytes",
    "key",
    "error",
];

/// A line for each manifest that [`crate::Table::load`] would read in `at`, which is a folder or one manifest, and a line
/// without one if it would refuse them together. Of files it compares the sizes, and reads nothing. An error if there is
/// no manifest.
pub fn report_manifests(at: &Path) -> Result<String> {
    let mut lines = Lines::new(&COLUMNS);
    let (mut parts, mut damaged) = (Vec::new(), 0);
    for (path, manifest) in read_each(at)? {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        match manifest {
            Ok(manifest) => {
                lines.line(&described(name, &manifest));
                parts.push(Part { path, manifest });
            }
            Err(error) => {
                damaged += 1;
                lines.line(&failed(name, error.message()));
            }
        }
    }
    if damaged == 0 {
        if let Err(error) = arrange(at, parts) {
            lines.line(&failed(String::new(), error.message()));
        }
    }
    Ok(lines.0)
}

fn described(name: String, manifest: &Manifest) -> [String; 10] {
    let bytes = manifest.files.iter().map(|listed| listed.file.bytes).fold(0, u64::saturating_add);
    [
        name,
        manifest.keyspace.clone(),
        manifest.name.clone(),
        uuid(&manifest.id),
        u8::from(manifest.is_increment).to_string(),
        manifest.generation.to_string(),
        manifest.files.len().to_string(),
        bytes.to_string(),
        manifest.key.clone(),
        String::new(),
    ]
}

fn failed(name: String, error: &str) -> [String; 10] {
    let mut values = COLUMNS.map(|_| String::new());
    values[0] = name;
    values[9] = error.to_owned();
    values
}
