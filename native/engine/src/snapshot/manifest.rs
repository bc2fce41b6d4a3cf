// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The manifest of a snapshot (docs/formats.md, Snapshot manifest).

use crate::bytes::{put_counted, Bytes};
use crate::catalog::{decode_columns, encode_columns, sealed, unsealed, Column, Record};
use crate::error::{EngineError, Result};
use crate::sys::TableFile;
use std::fs;
use std::path::Path;

/// The manifest's file name.
pub(super) const NAME: &str = "cassiterite.manifest";
const MAGIC: &[u8; 8] = b"CASSSNAP";
const VERSION: u8 = 1;
const COUNTER: u8 = 1;

/// What a snapshot holds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub id: Vec<u8>,
    pub generation: u64,
    pub counter: bool,
    pub keyspace: String,
    pub name: String,
    /// Dropped ones too: files may still hold them.
    pub columns: Vec<Column>,
    pub files: Vec<TableFile>,
}

impl Manifest {
    pub(super) fn new(id: &[u8], generation: u64, record: &Record, files: Vec<TableFile>) -> Manifest {
        Manifest {
            id: id.to_vec(),
            generation,
            counter: record.counter,
            keyspace: record.keyspace.clone(),
            name: record.name.clone(),
            columns: record.columns.clone(),
            files,
        }
    }

    /// Reads and checks the manifest of a snapshot, and that its files are there in full.
    pub(crate) fn read(directory: &Path) -> Result<Manifest> {
        let path = directory.join(NAME);
        let bytes = fs::read(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                EngineError::Invalid(format!("{} is no snapshot: it has no {NAME}", directory.display()))
            }
            _ => EngineError::from(error).context(path.display()),
        })?;
        let manifest = Manifest::decode(&bytes).map_err(|error| error.context(path.display()))?;
        for file in &manifest.files {
            let path = directory.join(file.name());
            let found = fs::metadata(&path).map_err(|error| EngineError::from(error).context(path.display()))?.len();
            if found != file.bytes {
                let why = format!("{} has {found} bytes instead of {}; copy it again", path.display(), file.bytes);
                return Err(EngineError::Corruption(why));
            }
        }
        Ok(manifest)
    }

    pub(super) fn encode(&self) -> Result<Vec<u8>> {
        let mut out = MAGIC.to_vec();
        out.push(VERSION);
        out.push(if self.counter { COUNTER } else { 0 });
        out.extend_from_slice(&self.generation.to_le_bytes());
        put_counted(&mut out, &self.id)?;
        put_counted(&mut out, self.keyspace.as_bytes())?;
        put_counted(&mut out, self.name.as_bytes())?;
        encode_columns(&mut out, &self.columns)?;
        let count = u32::try_from(self.files.len()).map_err(|_| EngineError::Invalid("too many files".into()))?;
        out.extend_from_slice(&count.to_le_bytes());
        for file in &self.files {
            out.extend_from_slice(&file.number.to_le_bytes());
            out.extend_from_slice(&file.bytes.to_le_bytes());
            out.push(u8::try_from(file.level).map_err(|_| EngineError::Internal("a level below 0".into()))?);
            out.extend_from_slice(&file.sequences.0.to_le_bytes());
            out.extend_from_slice(&file.sequences.1.to_le_bytes());
            put_counted(&mut out, &file.smallest_key)?;
            put_counted(&mut out, &file.largest_key)?;
        }
        Ok(sealed(out, NAME.as_bytes()))
    }

    fn decode(sealed: &[u8]) -> Result<Manifest> {
        let body = unsealed(sealed, NAME.as_bytes(), "the manifest of a snapshot")?;
        let mut bytes = Bytes::new(body, "snapshot manifest");
        if bytes.take(MAGIC.len())? != MAGIC {
            return Err(bytes.malformed("it is not one"));
        }
        bytes.version(VERSION)?;
        let counter = bytes.u8()? & COUNTER != 0;
        let generation = bytes.u64()?;
        let id = bytes.counted()?.to_vec();
        let (keyspace, name) = (bytes.text()?.to_owned(), bytes.text()?.to_owned());
        let columns = decode_columns(&mut bytes)?;
        let mut files = Vec::new();
        for _ in 0..bytes.u32()? {
            files.push(TableFile {
                number: bytes.u64()?,
                bytes: bytes.u64()?,
                level: i32::from(bytes.u8()?),
                sequences: (bytes.u64()?, bytes.u64()?),
                smallest_key: bytes.counted()?.to_vec(),
                largest_key: bytes.counted()?.to_vec(),
            });
        }
        bytes.end()?;
        Ok(Manifest { id, generation, counter, keyspace, name, columns, files })
    }
}
