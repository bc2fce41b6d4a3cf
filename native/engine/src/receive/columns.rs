// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The ids that another node has given a table's columns, beside the ids that they have here.

#[cfg(test)]
mod tests;

use crate::catalog::{Column, ColumnState, Record, NO_DROP};
use crate::error::{EngineError, Result};
use cassiterite_codec::columns::ColumnMap;

/// What becomes of the ids in files from another node.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// They mean the same here. These columns, which the other node's schema has not, were never here: their ids must
    /// not be used.
    Same(Vec<Column>),
    /// They become others.
    Rewrite(ColumnMap),
}

/// Compares the other node's columns with those of the table.
pub(super) fn plan(theirs: &[Column], record: &Record) -> Result<Plan> {
    let drops = Drops { theirs, ours: &record.columns };
    let here = |wanted: &Column| match record.kept_like(wanted) {
        Some(ours) => !drops.is_dropped_unheard(ours),
        None => drops.is_dropped_later(wanted),
    };
    // One that neither schema has is no reason: it is hidden there and will be here.
    if let Some(unknown) = theirs.iter().find(|column| column.state == ColumnState::Live && !here(column)) {
        return Err(EngineError::invalid(format!(
            "it has values of a column {} of type {} that {}.{} has not on this node: let the schemas agree, then repeat it",
            String::from_utf8_lossy(&unknown.name),
            unknown.of,
            record.keyspace,
            record.name
        )));
    }
    let by_id = |id: u32| record.columns.iter().find(|column| column.id == id);
    let exists_here = |their: &Column| record.kept_like(their).is_some();
    // Where they have values under an id that is dropped here, the column was dropped and added again: its values
    // count.
    let means_the_same = |their: &Column| match (by_id(their.id), their.state) {
        (Some(ours), ColumnState::Dropped) => ours.is_like(their),
        (Some(ours), _) => ours.is_like(their) && (ours.is_kept() || !exists_here(their)),
        (None, ColumnState::Live) => false,
        (None, ColumnState::Hidden) => !exists_here(their),
        (None, ColumnState::Dropped) => true,
    };
    if theirs.iter().all(means_the_same) {
        let unused = theirs.iter().filter(|column| by_id(column.id).is_none());
        return Ok(Plan::Same(unused.map(|column| drops.applied_to(column)).collect()));
    }
    let pairs = theirs.iter().filter(|column| column.is_kept()).filter_map(|their| {
        let ours = record.kept_like(their)?;
        Some((their.id, ours.id))
    });
    Ok(Plan::Rewrite(pairs.collect()))
}

/// Gives an empty table the other node's ids; columns that the other node has not get new ones.
pub(super) fn adopt(theirs: &[Column], record: &mut Record) {
    let ours = std::mem::take(&mut record.columns);
    let used = theirs.iter().map(|column| column.id).chain(ours.iter().map(|column| column.id)).max();
    record.next_column_id = record.next_column_id.max(used.unwrap_or_default().saturating_add(1));
    let drops = Drops { theirs, ours: &ours };
    for their in theirs {
        let own = ours.iter().find(|own| own.is_kept() && own.is_like(their));
        let column = match (their.state, own) {
            (ColumnState::Dropped, _) => their.clone(),
            (_, Some(own)) => Column { id: their.id, ..own.clone() },
            (ColumnState::Hidden, None) => drops.applied_to(their),
            (ColumnState::Live, None) => Column { state: ColumnState::Dropped, ..their.clone() },
        };
        record.columns.push(column);
    }
    for mut own in ours.into_iter().filter(Column::is_kept) {
        if record.kept_like(&own).is_none() {
            own.id = record.next_column_id;
            record.next_column_id = record.next_column_id.saturating_add(1);
            record.columns.push(own);
        }
    }
}

/// Reserves the ids that only the other node has given: this node must not give them to other columns.
pub(super) fn reserve(unused: &[Column], record: &mut Record) {
    for column in unused {
        if record.columns.iter().all(|own| own.id != column.id) {
            record.columns.push(column.clone());
            record.next_column_id = record.next_column_id.max(column.id.saturating_add(1));
        }
    }
}

/// Gives new ids to columns that are hidden at the other node and were never here.
pub(super) fn admit_hidden(theirs: &[Column], record: &mut Record) -> Result<()> {
    for their in theirs.iter().filter(|column| column.state == ColumnState::Hidden) {
        let drops = Drops { theirs, ours: &record.columns };
        if record.kept_like(their).is_none() && !drops.is_dropped_later(their) {
            let admitted = Column { id: record.new_column_id()?, ..their.clone() };
            record.columns.push(admitted);
        }
    }
    Ok(())
}

/// How often each side has dropped a column.
struct Drops<'a> {
    theirs: &'a [Column],
    ours: &'a [Column],
}

impl Drops<'_> {
    /// Whether it was dropped here: either they have not heard of it yet, or we have not that it was added again.
    fn is_dropped_later(&self, wanted: &Column) -> bool {
        let count = |columns: &[Column]| columns.iter().filter(|one| !one.is_kept() && one.is_like(wanted)).count();
        count(self.ours) > count(self.theirs)
    }

    /// Whether the schema here is yet to drop a kept column of ours, and to add it again: then values under its id would go.
    fn is_dropped_unheard(&self, ours: &Column) -> bool {
        let is_dropped = |columns: &[Column]| columns.iter().any(|one| !one.is_kept() && one.is_like(ours));
        ours.added_after_ms == Some(NO_DROP) && is_dropped(self.theirs) && !is_dropped(self.ours)
    }

    /// A column of theirs as it is here.
    fn applied_to(&self, their: &Column) -> Column {
        let state = if self.is_dropped_later(their) { ColumnState::Dropped } else { their.state };
        Column { state, ..their.clone() }
    }
}
