// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Where a manifest is, and what it is called.
//!
//! Backup programs put the files of several snapshots of a table into one folder. So the name of a snapshot's manifest
//! is made of its content, and none takes the place of another.

use crate::error::{EngineError, Result};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The name of a shipment's manifest, and of a snapshot's in older versions. Those of newer ones end in it.
pub(crate) const NAME: &str = "cassiterite.manifest";
/// Folders in which a snapshot may have the engine's files.
const FOLDERS: [&str; 2] = [".cassiterite", "cassiterite"];
const HASH_DIGITS: usize = 32;

/// The name of the manifest of a snapshot with this content.
pub(super) fn name_of(manifest: &[u8]) -> String {
    format!("{:0HASH_DIGITS$x}-{NAME}", hash(manifest))
}

/// Refuses a manifest of a snapshot that has the name of another one.
pub(super) fn check_name(path: &Path, manifest: &[u8]) -> Result<()> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let hash = name.strip_suffix(NAME).and_then(|before| before.strip_suffix('-')).unwrap_or_default();
    let is_hash = hash.len() == HASH_DIGITS && hash.bytes().all(|digit| digit.is_ascii_hexdigit());
    if is_hash && name != name_of(manifest) {
        let why = format!("{} has the content of another manifest; take it from another copy", path.display());
        return Err(EngineError::corruption(why));
    }
    Ok(())
}

/// FNV-1a.
fn hash(bytes: &[u8]) -> u128 {
    let mix =
        |hash: u128, byte: &u8| (hash ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    bytes.iter().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, mix)
}

/// The manifest that `at` is, or the only one in the directory `at`.
pub(super) fn manifest_at(at: &Path) -> Result<PathBuf> {
    let mut found = manifests_at(at)?;
    match (found.pop(), found.len()) {
        (Some(only), 0) => Ok(only),
        (Some(last), others) => Err(several(at, others + 1, &last)),
        (None, _) => Err(EngineError::internal("no manifest")),
    }
}

pub(super) fn several(at: &Path, count: usize, one: &Path) -> EngineError {
    EngineError::invalid(format!(
        "{} holds {count} snapshots: name the manifest of one, such as {}",
        at.display(),
        one.display()
    ))
}

/// The manifest that `at` is, or all in the directory `at`, by name; at least one.
pub(super) fn manifests_at(at: &Path) -> Result<Vec<PathBuf>> {
    if at.is_file() {
        return Ok(vec![at.to_owned()]);
    }
    let found = manifests_in(at).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            EngineError::invalid(format!("{} is no snapshot: this machine has no such folder", at.display()))
        }
        _ => EngineError::from(error).context(format_args!("listing {}", at.display())),
    })?;
    if found.is_empty() {
        return Err(EngineError::invalid(format!(
            "{} is no snapshot: it has no {NAME}{}",
            at.display(),
            hint(at).unwrap_or_default()
        )));
    }
    Ok(found)
}

fn manifests_in(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name.as_encoded_bytes().ends_with(NAME.as_bytes())) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Of a folder that has a snapshot of the engine among other files.
fn hint(directory: &Path) -> Option<String> {
    let inner = FOLDERS.map(|name| directory.join(name)).into_iter().find(|inner| inner.is_dir())?;
    Some(format!("; give {}", inner.display()))
}

/// The directory of the snapshot whose manifest `at` is, or that `at` is.
pub(crate) fn directory_of(at: &Path) -> &Path {
    match at.parent() {
        Some(directory) if at.is_file() => directory,
        _ => at,
    }
}

#[cfg(test)]
mod tests {
    use super::{check_name, hash, name_of, NAME};
    use std::path::Path;

    #[test]
    fn the_hash_is_that_of_fnv_1a() {
        assert_eq!(hash(b""), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_eq!(hash(b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
        assert_eq!(hash(b"foobar"), 0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18);
    }

    #[test]
    fn a_name_tells_its_content_and_others_tell_nothing() {
        let name = name_of(b"one");
        assert!(name.len() == 32 + 1 + NAME.len() && name.ends_with(NAME), "{name}");
        assert!(check_name(&Path::new("/x").join(&name), b"one").is_ok());
        assert!(check_name(&Path::new("/x").join(&name), b"two").is_err());
        assert!(check_name(Path::new("/x/cassiterite.manifest"), b"two").is_ok());
        assert!(check_name(Path::new("/x/mine-cassiterite.manifest"), b"two").is_ok());
    }
}
