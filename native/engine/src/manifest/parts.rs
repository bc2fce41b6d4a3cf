// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A directory with increments, perhaps with the snapshot that they go on from; and whether files are as written.

use super::place::{directory_of, manifests_at, several};
use super::Manifest;
use crate::error::{EngineError, Result};
use crate::raw::sys::TableFile;
use crate::raw::verify_file;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// What is read at once.
const CHUNK_BYTES: usize = 1 << 20;

/// One manifest of a directory.
pub(crate) struct Part {
    pub path: PathBuf,
    pub manifest: Manifest,
}

/// What `at` is, or all that is in the directory `at`, a snapshot before its increments. Refuses several snapshots, and
/// increments that are not of one piece.
pub(crate) fn read_parts(at: &Path) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    for (path, manifest) in read_each(at)? {
        let manifest = manifest.map_err(|error| incomplete(error, at, &path))?;
        parts.push(Part { path, manifest });
    }
    arrange(at, parts)
}

/// Each manifest that [`read_parts`] reads, or why it cannot be read.
pub(crate) fn read_each(at: &Path) -> Result<Vec<(PathBuf, Result<Manifest>)>> {
    let read = |path: PathBuf| {
        let manifest = Manifest::read_file(&path);
        (path, manifest)
    };
    Ok(manifests_at(at)?.into_iter().map(read).collect())
}

/// In the order in which they are loaded; refuses what [`read_parts`] refuses.
pub(crate) fn arrange(at: &Path, mut parts: Vec<Part>) -> Result<Vec<Part>> {
    parts.sort_by_key(|part| part.manifest.is_increment);
    let snapshots = parts.iter().filter(|part| !part.manifest.is_increment).count();
    match parts.first() {
        Some(part) if snapshots > 1 => return Err(several(at, snapshots, &part.path)),
        _ => {}
    }
    if parts.len() > snapshots && !at.is_file() {
        check_generations(&parts)?;
        check_listed(at, &parts)?;
    }
    Ok(parts)
}

fn incomplete(error: EngineError, at: &Path, path: &Path) -> EngineError {
    match directory_of(path) == at {
        true => error.context(format_args!(
            "the manifest {} is not as it was written, or lacks its files: to load the others without it, move it away",
            path.display()
        )),
        false => error,
    }
}

/// Rows of before a TRUNCATE would come back.
fn check_generations(parts: &[Part]) -> Result<()> {
    let mut counts: BTreeMap<u64, (usize, &Path)> = BTreeMap::new();
    for Part { path, manifest } in parts {
        counts.entry(manifest.generation).or_insert((0, path)).0 += 1;
    }
    if counts.len() < 2 {
        return Ok(());
    }
    let list: Vec<String> = counts
        .iter()
        .map(|(generation, (count, one))| format!("{count} of generation {generation}, such as {}", one.display()))
        .collect();
    Err(EngineError::invalid(format!(
        "a TRUNCATE, or the loss of a store, came between the increments: {}. Move those whose rows are not wanted away, or \
         load manifests one by one",
        list.join("; ")
    )))
}

/// The manifest of a file may be lost, or yet to come where the directory was copied while it grew.
fn check_listed(directory: &Path, parts: &[Part]) -> Result<()> {
    let files = parts.iter().flat_map(|part| &part.manifest.files);
    let listed: BTreeSet<&str> = files.map(|listed| listed.file.name.as_str()).collect();
    for entry in fs::read_dir(directory)? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        if name.ends_with(".sst") && !listed.contains(name.as_ref()) {
            let directory = directory.display();
            return Err(EngineError::invalid(format!(
                "no manifest in {directory} lists {name}: copy the folder again, or move that file away to load the others"
            )));
        }
    }
    Ok(())
}

/// Reads a whole file; an error where it is not what was written. `check` may end that.
pub(crate) fn check_bytes(directory: &Path, file: &TableFile, check: &dyn Fn() -> Result<()>) -> Result<()> {
    let path = directory.join(&file.name);
    let checked = match file.checksum {
        Some(written) => compare(&path, written, check),
        None => verify_file(&path, true, None),
    };
    checked.map_err(|error| error.context(path.display()))
}

fn compare(path: &Path, written: u32, check: &dyn Fn() -> Result<()>) -> Result<()> {
    let mut chunk = vec![0; CHUNK_BYTES];
    let (mut file, mut found) = (File::open(path)?, 0);
    loop {
        check()?;
        let read = file.read(&mut chunk)?;
        if read == 0 {
            break;
        }
        found = crc32c::crc32c_append(found, chunk.get(..read).unwrap_or_default());
    }
    if found == written {
        return Ok(());
    }
    let why = format!("its CRC-32C is {found:08x} instead of {written:08x}; take it from another copy");
    Err(EngineError::corruption(why))
}
