// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The columns that a table has or had, as catalog records and manifests list them.

use crate::bytes::{put_counted, Bytes};
use crate::error::{EngineError, Result};

/// Of a column that was added before any column of its name was dropped.
pub(crate) const NO_DROP: i64 = i64::MIN;
/// The value of a record where [`Column::added_after_ms`] is not known.
const UNKNOWN: i64 = i64::MAX;

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

/// The state of a column in the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnState {
    /// It has it.
    Live = 0,
    /// It has dropped it: compaction removes the values.
    Dropped = 1,
    /// It lacks it without having dropped it: no answer shows the values, and they stay.
    Hidden = 2,
}

impl ColumnState {
    fn from_byte(byte: u8) -> Option<ColumnState> {
        [ColumnState::Live, ColumnState::Dropped, ColumnState::Hidden].into_iter().find(|state| *state as u8 == byte)
    }
}

/// A column that a table has or had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub id: u32,
    pub kind: ColumnKind,
    pub state: ColumnState,
    /// The last drop of its name that it was added after, or [`NO_DROP`]: only a later drop is its own. `None`: not
    /// known, because a record of an older version, or another node, named it.
    pub added_after_ms: Option<i64>,
    pub name: Vec<u8>,
    /// CQL type.
    pub of: String,
}

impl Column {
    /// Whether it is live or hidden: its values stay.
    pub(crate) fn is_kept(&self) -> bool {
        self.state != ColumnState::Dropped
    }

    /// Whether both have one name, kind and type.
    pub(crate) fn is_like(&self, other: &Column) -> bool {
        self.name == other.name && self.kind == other.kind && same_type(&self.of, &other.of)
    }
}

/// `u32 count, count * (u32 id, u8 kind, u8 state, u32 length + name, u32 length + CQL type)`.
pub(crate) fn encode_columns(out: &mut Vec<u8>, columns: &[Column]) -> Result<()> {
    let count = u32::try_from(columns.len()).map_err(|_| EngineError::invalid("too many columns"))?;
    out.extend_from_slice(&count.to_le_bytes());
    for column in columns {
        out.extend_from_slice(&column.id.to_le_bytes());
        out.push(column.kind as u8);
        out.push(column.state as u8);
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
        let state = ColumnState::from_byte(bytes.u8()?).ok_or_else(|| bytes.malformed("a column in no known state"))?;
        let (name, of) = (bytes.counted()?.to_vec(), bytes.text()?.to_owned());
        columns.push(Column { id, kind, state, added_after_ms: None, name, of });
    }
    Ok(columns)
}

/// `i64` for each column, in their order.
pub(crate) fn encode_drops(out: &mut Vec<u8>, columns: &[Column]) {
    for column in columns {
        out.extend_from_slice(&column.added_after_ms.unwrap_or(UNKNOWN).to_le_bytes());
    }
}

/// What [`encode_drops`] wrote.
pub(crate) fn decode_drops(bytes: &mut Bytes<'_>, columns: &mut [Column]) -> Result<()> {
    for column in columns {
        column.added_after_ms = Some(bytes.i64()?).filter(|after_ms| *after_ms != UNKNOWN);
    }
    Ok(())
}

/// Whether two CQL types are one: `varchar` is another name for `text`.
pub(crate) fn same_type(left: &str, right: &str) -> bool {
    left == right || left.replace("varchar", "text") == right.replace("varchar", "text")
}
