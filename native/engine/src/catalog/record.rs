// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! One table's catalog record.

use crate::bytes::{put_counted, Bytes};
use crate::error::{EngineError, Result};
use cassiterite_codec::ColumnSet;

/// Of a generation that has only the family it began with.
const VERSION_PLAIN: u8 = 1;
const VERSION_FAMILIES: u8 = 2;
const COUNTER: u8 = 1;
const HAS_HEADERS: u8 = 2;
const HAS_DATA: u8 = 4;
const DROPPED: u8 = 1;
const CHECKSUM_BYTES: usize = 4;
/// The number of the family that every generation begins with.
pub(crate) const FIRST_FAMILY: u32 = 0;

/// Whether a column belongs to rows or to the static row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    Regular = 0,
    Static = 1,
}

impl ColumnKind {
    pub(crate) fn from_byte(byte: u8) -> Option<ColumnKind> {
        match byte {
            0 => Some(ColumnKind::Regular),
            1 => Some(ColumnKind::Static),
            _ => None,
        }
    }
}

/// A column that a table has or had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub id: u32,
    pub kind: ColumnKind,
    pub dropped: bool,
    pub name: Vec<u8>,
    /// CQL type.
    pub of: String,
}

/// What the catalog says of one table or index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub generation: u64,
    pub counter: bool,
    /// Whether this generation may hold a header fragment.
    pub has_headers: bool,
    /// Whether anything has been written to this generation.
    pub has_data: bool,
    pub keyspace: String,
    pub name: String,
    pub next_column_id: u32,
    pub columns: Vec<Column>,
    /// The number of the family that is written to.
    pub base: u32,
    /// The numbers of the families that hold what has arrived from other nodes and is not in the base yet.
    pub arrivals: Vec<u32>,
    /// A number that no family of this generation has had.
    pub next_family: u32,
}

impl Record {
    /// The ids that must no longer be read.
    pub(crate) fn dropped(&self) -> ColumnSet {
        self.columns.iter().filter(|column| column.dropped).map(|column| column.id).collect()
    }

    pub(crate) fn live(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|column| !column.dropped)
    }

    /// Makes it the record of an empty generation.
    pub(crate) fn renew(&mut self, generation: u64) {
        self.generation = generation;
        self.has_data = false;
        self.has_headers = false;
        self.base = FIRST_FAMILY;
        self.arrivals.clear();
        self.next_family = FIRST_FAMILY + 1;
    }

    pub(crate) fn encode(&self, key: &[u8]) -> Result<Vec<u8>> {
        let flag = |set: bool, bit: u8| if set { bit } else { 0 };
        let plain = self.next_family == FIRST_FAMILY + 1;
        let mut out = vec![if plain { VERSION_PLAIN } else { VERSION_FAMILIES }];
        out.push(flag(self.counter, COUNTER) | flag(self.has_headers, HAS_HEADERS) | flag(self.has_data, HAS_DATA));
        out.extend_from_slice(&self.generation.to_le_bytes());
        out.extend_from_slice(&self.next_column_id.to_le_bytes());
        put_counted(&mut out, self.keyspace.as_bytes())?;
        put_counted(&mut out, self.name.as_bytes())?;
        encode_columns(&mut out, &self.columns)?;
        if !plain {
            out.extend_from_slice(&self.base.to_le_bytes());
            out.extend_from_slice(&self.next_family.to_le_bytes());
            let count =
                u32::try_from(self.arrivals.len()).map_err(|_| EngineError::Internal("too many arrivals".into()))?;
            out.extend_from_slice(&count.to_le_bytes());
            self.arrivals.iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
        }
        Ok(sealed(out, key))
    }

    pub(crate) fn decode(key: &[u8], value: &[u8]) -> Result<Record> {
        let body = unsealed(value, key, "a table's catalog record")?;
        let mut bytes = Bytes::new(body, "catalog record");
        let version = bytes.one_of(&[VERSION_PLAIN, VERSION_FAMILIES])?;
        let flags = bytes.u8()?;
        let mut record = Record {
            generation: bytes.u64()?,
            counter: flags & COUNTER != 0,
            has_headers: flags & HAS_HEADERS != 0,
            has_data: flags & HAS_DATA != 0,
            next_column_id: bytes.u32()?,
            keyspace: bytes.text()?.to_owned(),
            name: bytes.text()?.to_owned(),
            columns: decode_columns(&mut bytes)?,
            base: FIRST_FAMILY,
            arrivals: Vec::new(),
            next_family: FIRST_FAMILY + 1,
        };
        if version == VERSION_FAMILIES {
            record.base = bytes.u32()?;
            record.next_family = bytes.u32()?;
            let count = bytes.u32()?;
            record.arrivals = (0..count).map(|_| bytes.u32()).collect::<Result<_>>()?;
        }
        bytes.end()?;
        Ok(record)
    }
}

/// `u32 count, count * (u32 id, u8 kind, u8 dropped, u32 length + name, u32 length + CQL type)`.
pub(crate) fn encode_columns(out: &mut Vec<u8>, columns: &[Column]) -> Result<()> {
    let count = u32::try_from(columns.len()).map_err(|_| EngineError::Invalid("too many columns".into()))?;
    out.extend_from_slice(&count.to_le_bytes());
    for column in columns {
        out.extend_from_slice(&column.id.to_le_bytes());
        out.push(column.kind as u8);
        out.push(if column.dropped { DROPPED } else { 0 });
        put_counted(out, &column.name)?;
        put_counted(out, column.of.as_bytes())?;
    }
    Ok(())
}

/// What [`encode_columns`] wrote.
pub(crate) fn decode_columns(bytes: &mut Bytes<'_>) -> Result<Vec<Column>> {
    let count = bytes.u32()?;
    let mut columns = Vec::new();
    for _ in 0..count {
        let id = bytes.u32()?;
        let kind = ColumnKind::from_byte(bytes.u8()?).ok_or_else(|| bytes.malformed("a column of no known kind"))?;
        let dropped = bytes.u8()? & DROPPED != 0;
        let (name, of) = (bytes.counted()?.to_vec(), bytes.text()?.to_owned());
        columns.push(Column { id, kind, dropped, name, of });
    }
    Ok(columns)
}

/// The body with the CRC-32C of key and body behind it.
pub(crate) fn sealed(mut body: Vec<u8>, key: &[u8]) -> Vec<u8> {
    let checksum = crc32c::crc32c_append(crc32c::crc32c(key), &body);
    body.extend_from_slice(&checksum.to_le_bytes());
    body
}

/// The body of [`sealed`] bytes, checked.
pub(crate) fn unsealed<'a>(bytes: &'a [u8], key: &[u8], what: &str) -> Result<&'a [u8]> {
    let damaged = || EngineError::Corruption(format!("{what} does not match its checksum; restore it from a backup"));
    let at = bytes.len().checked_sub(CHECKSUM_BYTES).ok_or_else(damaged)?;
    let (body, checksum) = bytes.split_at(at);
    let computed = crc32c::crc32c_append(crc32c::crc32c(key), body);
    if checksum != computed.to_le_bytes() {
        return Err(damaged());
    }
    Ok(body)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::common::spoilt::spoilt;
    use proptest::prelude::*;

    const KEY: &[u8] = b"t0123456789abcdef";

    fn record(next_family: u32) -> Record {
        let column = |id, kind, dropped, name: &str| Column {
            id,
            kind,
            dropped,
            name: name.as_bytes().to_vec(),
            of: "frozen<list<text>>".into(),
        };
        let first_only = next_family == FIRST_FAMILY + 1;
        Record {
            generation: 7,
            counter: false,
            has_headers: true,
            has_data: true,
            keyspace: "ks".into(),
            name: "t".into(),
            next_column_id: 4,
            columns: vec![column(1, ColumnKind::Regular, false, "v"), column(3, ColumnKind::Static, true, "s")],
            base: if first_only { FIRST_FAMILY } else { 2 },
            arrivals: if first_only { Vec::new() } else { vec![0, 3] },
            next_family,
        }
    }

    #[test]
    fn golden() {
        for (name, record) in [("catalog-v1.bin", record(1)), ("catalog-v2.bin", record(4))] {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
            let encoded = record.encode(KEY).unwrap();
            let stored = std::fs::read(&path).unwrap();
            assert_eq!(encoded, stored, "{name}");
            assert_eq!(Record::decode(KEY, &stored).unwrap(), record);
        }
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(body in spoilt([1, 4].map(|next| plain(&record(next))).into())) {
            let _ = Record::decode(KEY, &body);
            if let Ok(record) = Record::decode(KEY, &sealed(body, KEY)) {
                prop_assert!(record.encode(KEY).is_ok());
            }
        }
    }

    /// The encoded record without its seal.
    fn plain(record: &Record) -> Vec<u8> {
        unsealed(&record.encode(KEY).unwrap(), KEY, "").unwrap().to_vec()
    }

    #[test]
    fn a_new_generation_begins_with_one_family() {
        let mut record = record(4);
        record.renew(8);
        assert_eq!((record.base, record.next_family, record.arrivals.len()), (FIRST_FAMILY, 1, 0));
        assert!(!record.has_data && !record.has_headers);
    }
}
