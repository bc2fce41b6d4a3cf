// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The manifest of a snapshot or shipment (docs/formats.md, Manifest).

use crate::bytes::{put_counted, Bytes};
use crate::catalog::{decode_columns, encode_columns, sealed, unsealed, Column, Record};
use crate::error::{EngineError, Result};
use crate::snapshot::sync_directory;
use crate::sys::{file_name, TableFile};
use crate::tokens::{TokenRange, TokenSet};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

/// The manifest's file name.
pub(crate) const NAME: &str = "cassiterite.manifest";
const MAGIC: &[u8; 8] = b"CASSSNAP";
/// Snapshots of one family, all their files whole.
const VERSION_SNAPSHOT: u8 = 1;
const VERSION: u8 = 2;
const COUNTER: u8 = 1;
const HEADERS: u8 = 2;

/// How a file came to be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// A link of a live file: versions of keys with their sequence numbers, at its level.
    Whole = 0,
    /// Written for the shipment: one operand per key, all with sequence number 0. No two of these files overlap.
    Rows = 1,
}

/// A file with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListedFile {
    pub kind: FileKind,
    /// Whole files of one number are from one column family: one more family is newer or older than none of the others.
    pub family: u8,
    pub file: TableFile,
}

/// What a snapshot or shipment holds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub id: Vec<u8>,
    pub generation: u64,
    pub counter: bool,
    /// Whether any file may hold a header fragment.
    pub has_headers: bool,
    pub keyspace: String,
    pub name: String,
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
            keyspace: record.keyspace.clone(),
            name: record.name.clone(),
            columns: record.columns.clone(),
            tokens,
            files,
        }
    }

    /// Reads and checks the manifest of a snapshot or shipment, and that its files are there in full.
    pub(crate) fn read(directory: &Path) -> Result<Manifest> {
        let path = directory.join(NAME);
        let bytes = fs::read(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                EngineError::Invalid(format!("{} is no snapshot: it has no {NAME}", directory.display()))
            }
            _ => EngineError::from(error).context(path.display()),
        })?;
        let manifest = Manifest::decode(&bytes).map_err(|error| error.context(path.display()))?;
        for ListedFile { file, .. } in &manifest.files {
            let path = directory.join(&file.name);
            let found = fs::metadata(&path).map_err(|error| EngineError::from(error).context(path.display()))?.len();
            if found != file.bytes {
                let why = format!("{} has {found} bytes instead of {}; copy it again", path.display(), file.bytes);
                return Err(EngineError::Corruption(why));
            }
        }
        Ok(manifest)
    }

    /// Writes the manifest beside its files, durably; its size in bytes.
    pub(crate) fn write(&self, directory: &Path) -> Result<u64> {
        let bytes = self.encode()?;
        let mut out = File::create_new(directory.join(NAME))?;
        out.write_all(&bytes)?;
        out.sync_all()?;
        sync_directory(directory)?;
        Ok(bytes.len() as u64)
    }

    /// The files that can be one column family together: the whole ones family by family, then all rows files.
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
        out.push(VERSION);
        out.push(flag(self.counter, COUNTER) | flag(self.has_headers, HEADERS));
        out.extend_from_slice(&self.generation.to_le_bytes());
        put_counted(&mut out, &self.id)?;
        put_counted(&mut out, self.keyspace.as_bytes())?;
        put_counted(&mut out, self.name.as_bytes())?;
        encode_columns(&mut out, &self.columns)?;
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
            return Err(bytes.malformed("it is not one"));
        }
        let version = bytes.u8()?;
        if version != VERSION_SNAPSHOT && version != VERSION {
            return Err(bytes.malformed(&format!("version {version} is not known here, only up to {VERSION}")));
        }
        let flags = bytes.u8()?;
        let generation = bytes.u64()?;
        let id = bytes.counted()?.to_vec();
        let (keyspace, name) = (bytes.text()?.to_owned(), bytes.text()?.to_owned());
        let columns = decode_columns(&mut bytes)?;
        let tokens = match version {
            VERSION_SNAPSHOT => TokenSet::all(),
            _ => TokenSet::of(TokenRange::take_list(&mut bytes)?),
        };
        let mut files = Vec::new();
        for _ in 0..bytes.u32()? {
            files.push(match version {
                VERSION_SNAPSHOT => ListedFile::decode_snapshot(&mut bytes)?,
                _ => ListedFile::decode(&mut bytes)?,
            });
        }
        bytes.end()?;
        // The first version did not say whether there may be headers.
        let has_headers = version == VERSION_SNAPSHOT || flags & HEADERS != 0;
        let counter = flags & COUNTER != 0;
        Ok(Manifest { id, generation, counter, has_headers, keyspace, name, columns, tokens, files })
    }
}

impl ListedFile {
    /// What sorts whole files by family, and rows files behind them.
    fn group(&self) -> (bool, u8) {
        match self.kind {
            FileKind::Whole => (false, self.family),
            FileKind::Rows => (true, 0),
        }
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<()> {
        let file = &self.file;
        out.extend_from_slice(&[self.kind as u8, self.family]);
        put_counted(out, file.name.as_bytes())?;
        out.extend_from_slice(&file.number.to_le_bytes());
        out.extend_from_slice(&file.bytes.to_le_bytes());
        out.push(u8::try_from(file.level).map_err(|_| EngineError::Internal("a level below 0".into()))?);
        out.extend_from_slice(&file.sequences.0.to_le_bytes());
        out.extend_from_slice(&file.sequences.1.to_le_bytes());
        put_counted(out, &file.smallest_key)?;
        put_counted(out, &file.largest_key)
    }

    fn decode(bytes: &mut Bytes<'_>) -> Result<ListedFile> {
        let kind = match bytes.u8()? {
            0 => FileKind::Whole,
            1 => FileKind::Rows,
            kind => return Err(bytes.malformed(&format!("a file of kind {kind}, which is not known here"))),
        };
        let family = bytes.u8()?;
        let name = bytes.text()?.to_owned();
        // It comes from another node, and becomes part of a path.
        let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.');
        if !is_plain || !name.ends_with(".sst") || name.starts_with('.') {
            return Err(bytes.malformed(&format!("{name:?} is no name of a table file")));
        }
        let number = bytes.u64()?;
        Ok(ListedFile { kind, family, file: take_file(bytes, name, number)? })
    }

    fn decode_snapshot(bytes: &mut Bytes<'_>) -> Result<ListedFile> {
        let number = bytes.u64()?;
        Ok(ListedFile { kind: FileKind::Whole, family: 0, file: take_file(bytes, file_name(number), number)? })
    }
}

fn take_file(bytes: &mut Bytes<'_>, name: String, number: u64) -> Result<TableFile> {
    Ok(TableFile {
        name,
        number,
        bytes: bytes.u64()?,
        level: i32::from(bytes.u8()?),
        sequences: (bytes.u64()?, bytes.u64()?),
        smallest_key: bytes.counted()?.to_vec(),
        largest_key: bytes.counted()?.to_vec(),
    })
}

fn put_count(out: &mut Vec<u8>, count: usize) -> Result<()> {
    let count = u32::try_from(count).map_err(|_| EngineError::Invalid("more than a manifest can list".into()))?;
    out.extend_from_slice(&count.to_le_bytes());
    Ok(())
}

#[cfg(test)]
mod tests;
