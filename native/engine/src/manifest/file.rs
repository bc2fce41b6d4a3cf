// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A file in a manifest.

use crate::bytes::{put_counted, Bytes};
use crate::error::{EngineError, Result};
use crate::raw::sys::{file_name, TableFile};

/// Before it, files had no checksums.
const VERSION_SUMMED: u8 = 3;
const NO_CHECKSUM: u8 = 0;
const CRC32C: u8 = 1;

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
    /// Whole files of one number are from one column family. No column family is newer or older than another.
    pub family: u8,
    pub file: TableFile,
}

impl ListedFile {
    /// What sorts whole files by column family, and rows files behind them.
    pub(super) fn group(&self) -> (bool, u8) {
        match self.kind {
            FileKind::Whole => (false, self.family),
            FileKind::Rows => (true, 0),
        }
    }

    pub(super) fn encode(&self, out: &mut Vec<u8>) -> Result<()> {
        let file = &self.file;
        out.extend_from_slice(&[self.kind as u8, self.family]);
        put_counted(out, file.name.as_bytes())?;
        out.extend_from_slice(&file.number.to_le_bytes());
        out.extend_from_slice(&file.bytes.to_le_bytes());
        out.push(u8::try_from(file.level).map_err(|_| EngineError::internal("a level below 0"))?);
        out.extend_from_slice(&file.sequences.0.to_le_bytes());
        out.extend_from_slice(&file.sequences.1.to_le_bytes());
        put_counted(out, &file.smallest_key)?;
        put_counted(out, &file.largest_key)?;
        out.push(if file.checksum.is_some() { CRC32C } else { NO_CHECKSUM });
        out.extend_from_slice(&file.checksum.unwrap_or_default().to_le_bytes());
        Ok(())
    }

    pub(super) fn decode(bytes: &mut Bytes<'_>, version: u8) -> Result<ListedFile> {
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
        let mut file = take_file(bytes, name, number)?;
        if version >= VERSION_SUMMED {
            file.checksum = take_checksum(bytes)?;
        }
        Ok(ListedFile { kind, family, file })
    }

    pub(super) fn decode_snapshot(bytes: &mut Bytes<'_>) -> Result<ListedFile> {
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
        checksum: None,
    })
}

fn take_checksum(bytes: &mut Bytes<'_>) -> Result<Option<u32>> {
    let (kind, checksum) = (bytes.u8()?, bytes.u32()?);
    match kind {
        NO_CHECKSUM => Ok(None),
        CRC32C => Ok(Some(checksum)),
        kind => Err(bytes.malformed(&format!("a checksum of kind {kind}, which is not known here"))),
    }
}
