// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Table schema requests (docs/internals/boundary.md) and what they make of a catalog record.

mod apply;

pub(crate) use apply::{log_hidden, update};

use crate::bytes::{put_counted, Bytes};
use crate::catalog::{same_type, Column, ColumnKind, Record, FIRST_FAMILY, FIRST_INDEX, TABLE_ID_BYTES};
use crate::error::{EngineError, Result};

const VERSION: u8 = 3;
const COUNTER: u8 = 1;

/// A table as its schema describes it; borrows from the request.
pub(crate) struct SchemaRequest<'a> {
    /// Table id.
    pub id: &'a [u8],
    /// The types of the key, for comparison and for people.
    pub key: &'a str,
    counter: bool,
    keyspace: &'a str,
    name: &'a str,
    columns: Vec<WantedColumn<'a>>,
    dropped: Vec<DroppedColumn<'a>>,
}

struct WantedColumn<'a> {
    kind: ColumnKind,
    name: &'a [u8],
    of: &'a str,
}

/// The last drop of a name, which the schema may have again.
struct DroppedColumn<'a> {
    kind: ColumnKind,
    name: &'a [u8],
    at_ms: i64,
}

impl<'a> SchemaRequest<'a> {
    pub(crate) fn parse(request: &'a [u8]) -> Result<Self> {
        let mut bytes = Bytes::new(request, "table schema request");
        bytes.version(VERSION)?;
        let flags = bytes.u8()?;
        if flags & !COUNTER != 0 {
            return Err(bytes.malformed(&format!("flags {flags:#x} are not known here")));
        }
        let id = bytes.counted()?;
        check_id(id)?;
        let (keyspace, name, key) = (bytes.text()?, bytes.text()?, bytes.text()?);
        let mut columns: Vec<WantedColumn<'a>> = Vec::new();
        for _ in 0..bytes.u32()? {
            let column = WantedColumn { kind: kind(&mut bytes)?, name: bytes.counted()?, of: bytes.text()? };
            if columns.iter().any(|other| other.name == column.name) {
                return Err(bytes.malformed("a column is named twice"));
            }
            columns.push(column);
        }
        let mut dropped: Vec<DroppedColumn<'a>> = Vec::new();
        for _ in 0..bytes.u32()? {
            let column = DroppedColumn { kind: kind(&mut bytes)?, name: bytes.counted()?, at_ms: bytes.i64()? };
            if dropped.iter().any(|other| other.name == column.name) {
                return Err(bytes.malformed("a dropped column is named twice"));
            }
            dropped.push(column);
        }
        bytes.end()?;
        Ok(SchemaRequest { id, key, counter: flags & COUNTER != 0, keyspace, name, columns, dropped })
    }

    /// The record of a table that did not exist.
    pub(crate) fn new_record(&self) -> Result<Record> {
        let mut record = Record {
            generation: 1,
            counter: self.counter,
            has_headers: false,
            has_data: false,
            keyspace: self.keyspace.to_owned(),
            name: self.name.to_owned(),
            next_column_id: 1,
            columns: Vec::new(),
            base: FIRST_FAMILY,
            side_families: Vec::new(),
            next_family: FIRST_FAMILY + 1,
            next_index: FIRST_INDEX,
            indexes: Vec::new(),
        };
        self.apply(&mut record)?;
        Ok(record)
    }
}

impl WantedColumn<'_> {
    // Apache Cassandra has no ALTER of a column's type: of another type is another column.
    fn is(&self, column: &Column) -> bool {
        self.name == column.name && self.kind == column.kind && same_type(self.of, &column.of)
    }
}

fn kind(bytes: &mut Bytes<'_>) -> Result<ColumnKind> {
    ColumnKind::from_byte(bytes.u8()?).ok_or_else(|| bytes.malformed("a column of no known kind"))
}

/// Checks the length of a table id.
pub(crate) fn check_id(id: &[u8]) -> Result<()> {
    if id.len() == TABLE_ID_BYTES {
        return Ok(());
    }
    Err(EngineError::invalid(format!("a table is named by {TABLE_ID_BYTES} bytes, not {}", id.len())))
}

/// The answer to a schema request: the live columns.
pub(crate) fn answer(record: &Record) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let count = u32::try_from(record.live().count()).map_err(|_| EngineError::invalid("too many columns"))?;
    out.extend_from_slice(&count.to_le_bytes());
    for column in record.live() {
        out.extend_from_slice(&column.id.to_le_bytes());
        out.push(column.kind as u8);
        put_counted(&mut out, &column.name)?;
        put_counted(&mut out, column.of.as_bytes())?;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::{schema, TABLE};
    use cassiterite_testkit::spoilt::spoilt;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(request in spoilt(vec![schema(&TABLE, &[(0, "v", "text"), (1, "s", "int")])])) {
            if let Ok(request) = SchemaRequest::parse(&request) {
                let mut record = request.new_record()?;
                let before = record.clone();
                request.apply(&mut record)?;
                prop_assert_eq!(&record, &before);
                prop_assert!(answer(&record).is_ok());
            }
        }
    }
}
