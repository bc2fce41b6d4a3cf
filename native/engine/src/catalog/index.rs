// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The indexes in a table's catalog record. They are part of it so that one change of the record truncates the table
//! and its indexes.

use super::record::{Record, FIRST_FAMILY};
use crate::bytes::{put_counted, Bytes};
use crate::error::{EngineError, Result};

/// What names the table in the id of an index; the name of the index follows.
pub(crate) const TABLE_ID_BYTES: usize = 16;
const COMPLETE: u8 = 1;
/// Of entries in the form of row fragments: such an index is forgotten at the start, and made anew.
pub(crate) const FORMER_FORMAT: u8 = 1;
/// Of the entries that are written.
pub(crate) const FORMAT: u8 = 2;

/// An index of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndexRecord {
    /// No other index of the table has had it.
    pub number: u32,
    /// Whether each row that the table holds has its entries.
    pub complete: bool,
    /// Of its keys and entries.
    pub format: u8,
    pub name: String,
}

impl Record {
    pub(crate) fn index(&self, name: &[u8]) -> Option<&IndexRecord> {
        self.indexes.iter().find(|index| index.name.as_bytes() == name)
    }

    /// Adds an index that has no entries yet; its number.
    pub(crate) fn add_index(&mut self, name: &str) -> Result<u32> {
        let number = self.next_index;
        self.next_index = number
            .checked_add(1)
            .ok_or_else(|| EngineError::invalid("the table has used up all index numbers; copy it"))?;
        self.indexes.push(IndexRecord { number, complete: false, format: FORMAT, name: name.to_owned() });
        Ok(number)
    }

    /// Forgets the indexes of a former format; their names.
    pub(crate) fn forget_former_indexes(&mut self) -> Vec<String> {
        let (former, kept) = std::mem::take(&mut self.indexes).into_iter().partition(|index| index.format != FORMAT);
        self.indexes = kept;
        former.into_iter().map(|index: IndexRecord| index.name).collect()
    }

    /// The record that an index would have if it were a table: of the same generation, with one column family.
    pub(crate) fn of_index(&self, index: &IndexRecord) -> Record {
        Record {
            generation: self.generation,
            counter: false,
            has_headers: false,
            has_data: true,
            keyspace: self.keyspace.clone(),
            name: self.name.clone(),
            next_column_id: 1,
            columns: Vec::new(),
            base: index.number,
            side_families: Vec::new(),
            next_family: index.number.saturating_add(1),
            next_index: FIRST_INDEX,
            indexes: Vec::new(),
        }
    }
}

/// The number of a table's first index: 0 is that of the table itself.
pub(crate) const FIRST_INDEX: u32 = FIRST_FAMILY + 1;

/// The id of a table's index.
pub(crate) fn index_id(table: &[u8], name: &str) -> Vec<u8> {
    [table, name.as_bytes()].concat()
}

pub(super) fn encode_indexes(out: &mut Vec<u8>, record: &Record) -> Result<()> {
    out.extend_from_slice(&record.next_index.to_le_bytes());
    let count = u32::try_from(record.indexes.len()).map_err(|_| EngineError::internal("too many indexes"))?;
    out.extend_from_slice(&count.to_le_bytes());
    for index in &record.indexes {
        out.extend_from_slice(&index.number.to_le_bytes());
        out.push(if index.complete { COMPLETE } else { 0 });
        if has_formats(record) {
            out.push(index.format);
        }
        put_counted(out, index.name.as_bytes())?;
    }
    Ok(())
}

/// Whether an index has another format than the one that older records imply.
pub(super) fn has_formats(record: &Record) -> bool {
    record.indexes.iter().any(|index| index.format != FORMER_FORMAT)
}

pub(super) fn decode_indexes(bytes: &mut Bytes<'_>, with_formats: bool, record: &mut Record) -> Result<()> {
    record.next_index = bytes.u32()?;
    for _ in 0..bytes.u32()? {
        let number = bytes.u32()?;
        let complete = bytes.one_of(&[0, COMPLETE])? == COMPLETE;
        let format = if with_formats { bytes.one_of(&[FORMER_FORMAT, FORMAT])? } else { FORMER_FORMAT };
        record.indexes.push(IndexRecord { number, complete, format, name: bytes.text()?.to_owned() });
    }
    Ok(())
}
