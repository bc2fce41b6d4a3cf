// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The manifest of a snapshot or shipment (docs/internals/formats.md, Manifest).

mod file;
mod parts;
mod place;
#[cfg(test)]
mod tests;

pub(crate) use file::{FileKind, ListedFile};
pub(crate) use parts::{arrange, check_bytes, read_each, read_parts, Part};
pub(crate) use place::{directory_of, NAME};

use crate::bytes::{put_counted, Bytes};
use crate::catalog::{
    decode_columns, decode_drops, encode_columns, encode_drops, sealed, unsealed, Column, ColumnState, Record,
};
use crate::error::{EngineError, Result};
use crate::links::sync_directory;
use crate::raw::sys::TableFile;
use crate::tokens::{TokenRange, TokenSet};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

const MAGIC: &[u8; 8] = b"CASSSNAP";
/// Snapshots of one column family, all their files whole.
const VERSION_SNAPSHOT: u8 = 1;
/// Without hidden columns, and without the key; still written where there are none.
const VERSION_ALL_SHOWN: u8 = 3;
/// Without the key; still written of shipments.
const VERSION_NO_KEY: u8 = 4;
const VERSION: u8 = 5;
const COUNTER: u8 = 1;
const HEADERS: u8 = 2;
const INCREMENT: u8 = 4;

/// What a snapshot or shipment holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub id: Vec<u8>,
    pub generation: u64,
    pub counter: bool,
    /// Whether any file may hold a header fragment.
    pub has_headers: bool,
    /// Whether it is of what has come into a table, and not of all that is in it.
    pub is_increment: bool,
    pub keyspace: String,
    pub name: String,
    /// The types of the table's key, for comparison and for people; empty where nothing tells.
    pub key: String,
    /// Dropped ones too: files may still hold them.
    pub columns: Vec<Column>,
    /// No file holds a key with another token.
    pub tokens: TokenSet,
    pub files: Vec<ListedFile>,
}

impl Manifest {
    pub(crate) fn new(id: &[u8], record: &Record, tokens: TokenSet, files: Vec<ListedFile>) -> Manifest {
        Manifest {
            id: id.to_vec(),
            generation: record.generation,
            counter: record.counter,
            has_headers: record.has_headers,
            is_increment: false,
            keyspace: record.keyspace.clone(),
            name: record.name.clone(),
            key: String::new(),
            columns: record.columns.clone(),
            tokens,
            files,
        }
    }

    /// Tells of which key the table is.
    pub(crate) fn of_key(self, key: &str) -> Manifest {
        Manifest { key: key.to_owned(), ..self }
    }

    pub(crate) fn into_increment(self) -> Manifest {
        Manifest { is_increment: true, ..self }
    }

    /// Reads and checks the manifest of a snapshot or shipment, and that its files are there in full. `at` is its
    /// directory, or the manifest itself.
    pub(crate) fn read(at: &Path) -> Result<Manifest> {
        Manifest::read_file(&place::manifest_at(at)?)
    }

    fn read_file(path: &Path) -> Result<Manifest> {
        let bytes = fs::read(path).map_err(|error| EngineError::from(error).context(path.display()))?;
        let manifest = Manifest::decode(&bytes).map_err(|error| error.context(path.display()))?;
        place::check_name(path, &bytes)?;
        for ListedFile { file, .. } in &manifest.files {
            let path = directory_of(path).join(&file.name);
            let found = fs::metadata(&path).map_err(|error| EngineError::from(error).context(path.display()))?.len();
            if found != file.bytes {
                let why = format!("{} has {found} bytes instead of {}; copy it again", path.display(), file.bytes);
                return Err(EngineError::corruption(why));
            }
        }
        Ok(manifest)
    }

    /// Writes the manifest of a shipment beside its files, durably; its size in bytes.
    pub(crate) fn write(&self, directory: &Path) -> Result<u64> {
        let bytes = self.encode()?;
        write(&bytes, directory, NAME)?;
        Ok(bytes.len() as u64)
    }

    /// Writes the manifest of a snapshot beside its files, durably.
    pub(crate) fn write_snapshot(&self, directory: &Path) -> Result<()> {
        let bytes = self.encode()?;
        write(&bytes, directory, &place::name_of(&bytes))
    }

    /// Writes the manifest of an increment beside its files, durably: complete once its name is there. Others may write the
    /// same one at the same time.
    pub(crate) fn write_increment(&self, directory: &Path) -> Result<()> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let bytes = self.encode()?;
        let name = place::name_of(&bytes);
        let partial = directory.join(format!(".{name}.partial-{}", NUMBER.fetch_add(1, Ordering::Relaxed)));
        let mut out = File::create(&partial)?;
        out.write_all(&bytes)?;
        out.sync_all()?;
        fs::rename(&partial, directory.join(name))?;
        sync_directory(directory)
    }

    /// The files that can be one column family together: the whole ones of each column family, then all rows files.
    pub(crate) fn groups(&self) -> Vec<Vec<TableFile>> {
        let mut keys: Vec<(bool, u8)> = self.files.iter().map(ListedFile::group).collect();
        keys.sort_unstable();
        keys.dedup();
        let of =
            |key| self.files.iter().filter(|listed| listed.group() == key).map(|listed| listed.file.clone()).collect();
        keys.into_iter().map(of).collect()
    }

    fn encode(&self) -> Result<Vec<u8>> {
        let flag = |set: bool, bit: u8| if set { bit } else { 0 };
        let mut out = MAGIC.to_vec();
        let hides = self.columns.iter().any(|column| column.state == ColumnState::Hidden);
        let version = match hides {
            _ if !self.key.is_empty() => VERSION,
            true => VERSION_NO_KEY,
            false => VERSION_ALL_SHOWN,
        };
        out.push(version);
        out.push(flag(self.counter, COUNTER) | flag(self.has_headers, HEADERS) | flag(self.is_increment, INCREMENT));
        out.extend_from_slice(&self.generation.to_le_bytes());
        put_counted(&mut out, &self.id)?;
        put_counted(&mut out, self.keyspace.as_bytes())?;
        put_counted(&mut out, self.name.as_bytes())?;
        if version >= VERSION {
            put_counted(&mut out, self.key.as_bytes())?;
        }
        encode_columns(&mut out, &self.columns)?;
        if version >= VERSION_NO_KEY {
            encode_drops(&mut out, &self.columns);
        }
        put_count(&mut out, self.tokens.ranges().len())?;
        for range in self.tokens.ranges() {
            out.extend_from_slice(&range.left.to_le_bytes());
            out.extend_from_slice(&range.right.to_le_bytes());
        }
        put_count(&mut out, self.files.len())?;
        for listed in &self.files {
            listed.encode(&mut out)?;
        }
        Ok(sealed(out, NAME.as_bytes()))
    }

    fn decode(sealed: &[u8]) -> Result<Manifest> {
        let body = unsealed(sealed, NAME.as_bytes(), "the manifest of a snapshot")?;
        let mut bytes = Bytes::new(body, "snapshot manifest");
        if bytes.take(MAGIC.len())? != MAGIC {
            return Err(bytes.malformed("it is no manifest"));
        }
        let version = bytes.u8()?;
        if !(VERSION_SNAPSHOT..=VERSION).contains(&version) {
            return Err(bytes.malformed(&format!("version {version} is not known here, only up to {VERSION}")));
        }
        let flags = bytes.u8()?;
        let generation = bytes.u64()?;
        let id = bytes.counted()?.to_vec();
        let (keyspace, name) = (bytes.text()?.to_owned(), bytes.text()?.to_owned());
        let key = if version >= VERSION { bytes.text()?.to_owned() } else { String::new() };
        let mut columns = decode_columns(&mut bytes)?;
        if version >= VERSION_NO_KEY {
            decode_drops(&mut bytes, &mut columns)?;
        }
        let tokens = match version {
            VERSION_SNAPSHOT => TokenSet::all(),
            _ => TokenSet::of(TokenRange::take_list(&mut bytes)?),
        };
        let mut files = Vec::new();
        for _ in 0..bytes.u32()? {
            files.push(match version {
                VERSION_SNAPSHOT => ListedFile::decode_snapshot(&mut bytes)?,
                _ => ListedFile::decode(&mut bytes, version)?,
            });
        }
        bytes.end()?;
        // The first version does not tell whether there may be headers.
        let has_headers = version == VERSION_SNAPSHOT || flags & HEADERS != 0;
        let counter = flags & COUNTER != 0;
        let is_increment = flags & INCREMENT != 0;
        Ok(Manifest { id, generation, counter, has_headers, is_increment, keyspace, name, key, columns, tokens, files })
    }
}

fn write(bytes: &[u8], directory: &Path, name: &str) -> Result<()> {
    let mut out = File::create_new(directory.join(name))?;
    out.write_all(bytes)?;
    out.sync_all()?;
    sync_directory(directory)
}

fn put_count(out: &mut Vec<u8>, count: usize) -> Result<()> {
    let count = u32::try_from(count).map_err(|_| EngineError::invalid("more than a manifest can list"))?;
    out.extend_from_slice(&count.to_le_bytes());
    Ok(())
}
