// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a schema makes of a table's columns.
//!
//! Only what the schema names as dropped is dropped. A schema may lack a column for another reason: it is an older one,
//! restored, or pulled from a peer by `nodetool resetlocalschema`. Such a column is hidden until the schema has it
//! again.

use super::SchemaRequest;
use crate::catalog::{Catalog, Column, ColumnKind, ColumnState, Record, NO_DROP};
use crate::error::{EngineError, Result};
use crate::log::log;

impl SchemaRequest<'_> {
    /// Brings a record up to this schema: dropped columns are dropped for good, missing ones hidden, and new ones get
    /// ids never used before.
    pub(crate) fn apply(&self, record: &mut Record) -> Result<()> {
        if self.counter != record.counter {
            return Err(EngineError::invalid(format!(
                "table {}.{} cannot change between counter and normal columns",
                self.keyspace, self.name
            )));
        }
        record.keyspace = self.keyspace.to_owned();
        record.name = self.name.to_owned();
        for column in record.columns.iter_mut().filter(|column| column.is_kept()) {
            self.apply_to(column);
        }
        for wanted in &self.columns {
            if record.live().any(|column| wanted.is(column)) {
                continue;
            }
            let column = Column {
                id: record.new_column_id()?,
                kind: wanted.kind,
                state: ColumnState::Live,
                added_after_ms: Some(self.last_drop_ms(wanted.kind, wanted.name)),
                name: wanted.name.to_vec(),
                of: wanted.of.to_owned(),
            };
            record.columns.push(column);
        }
        Ok(())
    }

    fn apply_to(&self, column: &mut Column) {
        let last_drop_ms = self.last_drop_ms(column.kind, &column.name);
        column.state = if column.added_after_ms.is_some_and(|added_after_ms| last_drop_ms > added_after_ms) {
            ColumnState::Dropped
        } else if self.columns.iter().any(|wanted| wanted.is(column)) {
            // Unknown so far: the schema names only drops that came before the column.
            column.added_after_ms.get_or_insert(last_drop_ms);
            ColumnState::Live
        } else {
            ColumnState::Hidden
        };
    }

    /// A schema still names a drop after a column of the name was added again. The type does not count: a dropped
    /// column has lost its user types.
    fn last_drop_ms(&self, kind: ColumnKind, name: &[u8]) -> i64 {
        let dropped = self.dropped.iter().find(|dropped| dropped.kind == kind && dropped.name == name);
        dropped.map_or(NO_DROP, |dropped| dropped.at_ms)
    }
}

/// Brings the catalog's record of a table up to a schema; the record.
pub(crate) fn update(catalog: &Catalog, request: &SchemaRequest<'_>) -> Result<Record> {
    let mut before = None;
    let after = catalog.update(request.id, |record| {
        before = Some(record.clone());
        request.apply(record)
    })?;
    log_hidden(before.as_ref(), &after);
    Ok(after)
}

/// Logs which columns have become hidden, and which no longer are; without a record from before, which are hidden.
pub(crate) fn log_hidden(before: Option<&Record>, after: &Record) {
    let state_before = |id: u32| before?.columns.iter().find(|column| column.id == id).map(|column| column.state);
    for column in &after.columns {
        let name = format_args!("column {} ({})", String::from_utf8_lossy(&column.name), column.of);
        match (state_before(column.id), column.state) {
            (Some(ColumnState::Hidden), ColumnState::Hidden) => {}
            (_, ColumnState::Hidden) => log(format_args!(
                "warning: the schema of {}.{} lacks {name} and has not dropped it; its values stay, hidden until the schema has it again",
                after.keyspace, after.name
            )),
            (Some(ColumnState::Hidden), ColumnState::Live) => log(format_args!(
                "the schema of {}.{} has {name} again, which shows its values again",
                after.keyspace, after.name
            )),
            _ => {}
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::common::{schema, schema_with_drops, TABLE};

    const W: (u8, &str, &str) = (0, "w", "blob");

    /// A record as an older version has left it: what its one column was added after is unknown.
    fn of_older_version() -> Record {
        let mut record = SchemaRequest::parse(&schema(&TABLE, &[W])).unwrap().new_record().unwrap();
        record.columns.iter_mut().for_each(|column| column.added_after_ms = None);
        record
    }

    fn states(record: &mut Record, columns: &[(u8, &str, &str)], dropped: &[(u8, &str, i64)]) -> Vec<ColumnState> {
        let request = schema_with_drops(&TABLE, columns, dropped);
        SchemaRequest::parse(&request).unwrap().apply(record).unwrap();
        record.columns.iter().map(|column| column.state).collect()
    }

    #[test]
    fn a_column_of_an_older_version_came_after_the_drop_that_the_schema_names() {
        let mut record = of_older_version();
        assert_eq!(states(&mut record, &[W], &[(0, "w", 10)]), [ColumnState::Live]);
        assert_eq!(states(&mut record, &[], &[(0, "w", 10)]), [ColumnState::Hidden]);
        assert_eq!(states(&mut record, &[], &[(0, "w", 11)]), [ColumnState::Dropped]);
    }

    #[test]
    fn a_drop_that_may_have_come_before_hides() {
        let mut record = of_older_version();
        assert_eq!(states(&mut record, &[], &[(0, "w", 10)]), [ColumnState::Hidden]);
        assert_eq!(states(&mut record, &[W], &[(0, "w", 10)]), [ColumnState::Live]);
    }

    #[test]
    fn a_drop_of_the_other_kind_is_of_another_column() {
        let mut record = of_older_version();
        assert_eq!(states(&mut record, &[W], &[]), [ColumnState::Live]);
        assert_eq!(states(&mut record, &[], &[(1, "w", 10)]), [ColumnState::Hidden]);
    }
}
