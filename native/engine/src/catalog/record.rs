// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! One table's catalog record.

use super::column::{decode_columns, decode_drops, encode_columns, encode_drops, Column, ColumnState};
use super::index::{decode_indexes, encode_indexes, has_formats, IndexRecord, FIRST_INDEX};
use crate::bytes::{put_counted, Bytes};
use crate::error::{EngineError, Result};
use cassiterite_codec::ColumnSet;

/// Without families: of a generation that had only the first one. What it has not was dropped.
const VERSION_PLAIN: u8 = 1;
/// Without the drops that columns were added after.
const VERSION_FAMILIES: u8 = 2;
/// Without indexes; still written where the table has never had one.
const VERSION_DROPS: u8 = 3;
/// Without the formats of indexes; still written where the table has none now.
const VERSION_INDEXES: u8 = 4;
const VERSION: u8 = 5;
const COUNTER: u8 = 1;
const HAS_HEADERS: u8 = 2;
const HAS_DATA: u8 = 4;
const CHECKSUM_BYTES: usize = 4;
/// The number of the column family that every generation begins with.
pub(crate) const FIRST_FAMILY: u32 = 0;

/// The catalog record of one table, with its indexes.
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
    /// The number of the column family that is written to.
    pub base: u32,
    /// The numbers of the side column families.
    pub side_families: Vec<u32>,
    /// A number that no column family of this generation has had.
    pub next_family: u32,
    /// A number that no index of the table has had.
    pub next_index: u32,
    pub indexes: Vec<IndexRecord>,
}

impl Record {
    /// The ids that must no longer be read.
    pub(crate) fn dropped(&self) -> ColumnSet {
        self.columns.iter().filter(|column| !column.is_kept()).map(|column| column.id).collect()
    }

    /// Those that the schema has.
    pub(crate) fn live(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|column| column.state == ColumnState::Live)
    }

    /// The column like another one whose values stay: there is one at most.
    pub(crate) fn kept_like(&self, other: &Column) -> Option<&Column> {
        self.columns.iter().find(|column| column.is_kept() && column.is_like(other))
    }

    /// An id that no column has had.
    pub(crate) fn new_column_id(&mut self) -> Result<u32> {
        let id = self.next_column_id;
        self.next_column_id =
            id.checked_add(1).ok_or_else(|| EngineError::invalid("the table has used up all column ids; copy it"))?;
        Ok(id)
    }

    /// Makes it the record of an empty generation.
    pub(crate) fn renew(&mut self, generation: u64) {
        self.generation = generation;
        self.has_data = false;
        self.has_headers = false;
        self.base = FIRST_FAMILY;
        self.side_families.clear();
        self.next_family = FIRST_FAMILY + 1;
    }

    /// Its indexes are as complete as in another record: the open ones were made by that, and a build of the former
    /// generation may have ended meanwhile.
    pub(crate) fn take_completeness(&mut self, other: &Self) {
        for index in &mut self.indexes {
            index.complete = other.indexes.iter().any(|known| known.number == index.number && known.complete);
        }
    }

    pub(crate) fn encode(&self, key: &[u8]) -> Result<Vec<u8>> {
        let flag = |set: bool, bit: u8| if set { bit } else { 0 };
        let version = match self.next_index {
            FIRST_INDEX => VERSION_DROPS,
            _ if !has_formats(self) => VERSION_INDEXES,
            _ => VERSION,
        };
        let mut out = vec![version];
        out.push(flag(self.counter, COUNTER) | flag(self.has_headers, HAS_HEADERS) | flag(self.has_data, HAS_DATA));
        out.extend_from_slice(&self.generation.to_le_bytes());
        out.extend_from_slice(&self.next_column_id.to_le_bytes());
        put_counted(&mut out, self.keyspace.as_bytes())?;
        put_counted(&mut out, self.name.as_bytes())?;
        encode_columns(&mut out, &self.columns)?;
        out.extend_from_slice(&self.base.to_le_bytes());
        out.extend_from_slice(&self.next_family.to_le_bytes());
        let count = u32::try_from(self.side_families.len())
            .map_err(|_| EngineError::internal("too many side column families"))?;
        out.extend_from_slice(&count.to_le_bytes());
        self.side_families.iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
        encode_drops(&mut out, &self.columns);
        if version >= VERSION_INDEXES {
            encode_indexes(&mut out, self)?;
        }
        Ok(sealed(out, key))
    }

    pub(crate) fn decode(key: &[u8], value: &[u8]) -> Result<Record> {
        let body = unsealed(value, key, "a table's catalog record")?;
        let mut bytes = Bytes::new(body, "catalog record");
        let version = bytes.one_of(&[VERSION_PLAIN, VERSION_FAMILIES, VERSION_DROPS, VERSION_INDEXES, VERSION])?;
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
            side_families: Vec::new(),
            next_family: FIRST_FAMILY + 1,
            next_index: FIRST_INDEX,
            indexes: Vec::new(),
        };
        if version >= VERSION_FAMILIES {
            record.base = bytes.u32()?;
            record.next_family = bytes.u32()?;
            let count = bytes.u32()?;
            record.side_families = (0..count).map(|_| bytes.u32()).collect::<Result<_>>()?;
        }
        if version >= VERSION_DROPS {
            decode_drops(&mut bytes, &mut record.columns)?;
        }
        if version >= VERSION_INDEXES {
            decode_indexes(&mut bytes, version >= VERSION, &mut record)?;
        }
        bytes.end()?;
        Ok(record)
    }
}

/// The body with the CRC-32C of key and body behind it.
pub(crate) fn sealed(mut body: Vec<u8>, key: &[u8]) -> Vec<u8> {
    let checksum = crc32c::crc32c_append(crc32c::crc32c(key), &body);
    body.extend_from_slice(&checksum.to_le_bytes());
    body
}

/// The body of [`sealed`] bytes, checked.
pub(crate) fn unsealed<'a>(bytes: &'a [u8], key: &[u8], what: &str) -> Result<&'a [u8]> {
    let damaged = || EngineError::corruption(format!("{what} does not match its checksum; restore it from a backup"));
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
    use super::super::column::{ColumnKind, NO_DROP};
    use super::super::index::FORMER_FORMAT;
    use super::*;
    use cassiterite_testkit::spoilt::spoilt;
    use proptest::prelude::*;

    const KEY: &[u8] = b"t0123456789abcdef";

    /// A record with column families up to `next_family`, and columns of which little is known.
    fn record(next_family: u32) -> Record {
        let column = |id, kind, state, name: &str| Column {
            id,
            kind,
            state,
            added_after_ms: None,
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
            columns: vec![
                column(1, ColumnKind::Regular, ColumnState::Live, "v"),
                column(3, ColumnKind::Static, ColumnState::Dropped, "s"),
            ],
            base: if first_only { FIRST_FAMILY } else { 2 },
            side_families: if first_only { Vec::new() } else { vec![0, 3] },
            next_family,
            next_index: FIRST_INDEX,
            indexes: Vec::new(),
        }
    }

    /// The same with a column in each state, added after a drop, before any, and at an unknown time.
    fn record_with_drops() -> Record {
        let mut record = record(4);
        let hidden = Column {
            id: 2,
            kind: ColumnKind::Static,
            state: ColumnState::Hidden,
            added_after_ms: Some(NO_DROP),
            name: b"h".to_vec(),
            of: "int".into(),
        };
        record.columns.push(hidden);
        record.columns[0].added_after_ms = Some(1_700_000_000_123);
        record
    }

    /// The same with two indexes, of which the second is not complete; one between them was dropped.
    fn record_with_indexes() -> Record {
        let mut record = record_with_drops();
        for name in ["by_v", "by_w", "by_s"] {
            record.add_index(name).unwrap();
        }
        record.indexes.remove(1);
        record.indexes[0].complete = true;
        record
    }

    fn golden(version: u8) -> Vec<u8> {
        let name = format!("tests/golden/catalog-v{version}.bin");
        std::fs::read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
    }

    #[test]
    fn the_golden_record_is_written_and_read() {
        for (version, record) in [(VERSION_DROPS, record_with_drops()), (VERSION, record_with_indexes())] {
            assert_eq!(record.encode(KEY).unwrap(), golden(version));
            assert_eq!(Record::decode(KEY, &golden(version)).unwrap(), record);
        }
    }

    /// So that an older version, which knows no other entries, opens a table without indexes again.
    #[test]
    fn a_table_without_indexes_has_a_record_that_older_versions_read() {
        let mut record = record_with_indexes();
        record.indexes.clear();
        assert_eq!(record.encode(KEY).unwrap()[0], VERSION_INDEXES);
        assert_eq!(record_with_indexes().encode(KEY).unwrap()[0], VERSION);
    }

    #[test]
    fn indexes_of_the_former_format_are_known_and_forgotten() {
        let mut record = Record::decode(KEY, &golden(VERSION_INDEXES)).unwrap();
        let mut former = record_with_indexes();
        former.indexes.iter_mut().for_each(|index| index.format = FORMER_FORMAT);
        assert_eq!(record, former);
        assert_eq!(record.encode(KEY).unwrap(), golden(VERSION_INDEXES));
        assert_eq!(record.forget_former_indexes(), ["by_v", "by_s"]);
        assert_eq!((record.indexes.len(), record.next_index), (0, former.next_index), "no number is used again");
        assert!(record_with_indexes().forget_former_indexes().is_empty());
    }

    #[test]
    fn records_of_older_versions_are_read() {
        assert_eq!(Record::decode(KEY, &golden(VERSION_PLAIN)).unwrap(), record(1));
        assert_eq!(Record::decode(KEY, &golden(VERSION_FAMILIES)).unwrap(), record(4));
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(body in spoilt(vec![plain(&record(1)), plain(&record(4)), plain(&record_with_indexes())])) {
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
        assert_eq!((record.base, record.next_family, record.side_families.len()), (FIRST_FAMILY, 1, 0));
        assert!(!record.has_data && !record.has_headers);
    }

    /// A build that ends while TRUNCATE makes the new generation has built the old one.
    #[test]
    fn completeness_is_that_of_the_record_of_which_the_indexes_were_made() {
        let (before, mut now) = (record_with_indexes(), record_with_indexes());
        now.indexes.iter_mut().for_each(|index| index.complete = true);
        now.take_completeness(&before);
        assert_eq!(now, before);
    }
}
