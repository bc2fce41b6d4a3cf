// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The ids that another node has given a table's columns, beside the ids that they have here.

use crate::catalog::{Column, Record};
use crate::error::{EngineError, Result};
use crate::schema::same_type;
use cassiterite_codec::columns::ColumnMap;

/// What becomes of the ids in files from another node.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// They mean the same here. These columns, which the other node has dropped, were never here: their ids must not be used.
    Same(Vec<Column>),
    /// They become others.
    Rewrite(ColumnMap),
}

/// Compares the other node's columns with those of the table.
pub(super) fn plan(theirs: &[Column], record: &Record) -> Result<Plan> {
    let drops = |columns: &[Column], of: &Column| columns.iter().filter(|one| one.dropped && same(one, of)).count();
    // Dropped here: either they have not heard of it yet, or we have not that it was added again.
    let dropped_later = |wanted: &Column| drops(&record.columns, wanted) > drops(theirs, wanted);
    let here = |wanted: &Column| is_live(record, wanted) || dropped_later(wanted);
    if let Some(unknown) = theirs.iter().find(|column| !column.dropped && !here(column)) {
        return Err(EngineError::Invalid(format!(
            "it has values of a column {} of type {} that {}.{} has not on this node: let the schemas agree, then repeat it",
            String::from_utf8_lossy(&unknown.name),
            unknown.of,
            record.keyspace,
            record.name
        )));
    }
    let by_id = |id: u32| record.columns.iter().find(|column| column.id == id);
    // A live one of theirs whose id is dropped here has been dropped and added again: its values count.
    let means_the_same = |their: &Column| match by_id(their.id) {
        Some(ours) => same(ours, their) && (their.dropped || !ours.dropped || !is_live(record, their)),
        None => their.dropped,
    };
    if theirs.iter().all(means_the_same) {
        let unused = theirs.iter().filter(|column| by_id(column.id).is_none());
        return Ok(Plan::Same(unused.cloned().collect()));
    }
    let live = theirs.iter().filter(|column| !column.dropped);
    let pairs = live.filter_map(|their| {
        let ours = record.live().find(|ours| same(ours, their))?;
        Some((their.id, ours.id))
    });
    Ok(Plan::Rewrite(pairs.collect()))
}

/// Gives an empty table the other node's ids; columns that the other node has not get new ones.
pub(super) fn adopt(theirs: &[Column], record: &mut Record) {
    let ours = std::mem::take(&mut record.columns);
    let used = theirs.iter().map(|column| column.id).chain(ours.iter().map(|column| column.id)).max();
    record.next_column_id = record.next_column_id.max(used.unwrap_or_default().saturating_add(1));
    record.columns = theirs.to_vec();
    for column in &mut record.columns {
        let live_here = ours.iter().any(|own| !own.dropped && same(own, column));
        column.dropped |= !live_here;
    }
    for mut own in ours.into_iter().filter(|own| !own.dropped) {
        if !is_live(record, &own) {
            own.id = record.next_column_id;
            record.next_column_id = record.next_column_id.saturating_add(1);
            record.columns.push(own);
        }
    }
}

/// Keeps the ids of the other node's dropped columns from being used here.
pub(super) fn reserve(unused: &[Column], record: &mut Record) {
    for column in unused {
        if record.columns.iter().all(|own| own.id != column.id) {
            record.columns.push(column.clone());
            record.next_column_id = record.next_column_id.max(column.id.saturating_add(1));
        }
    }
}

fn is_live(record: &Record, wanted: &Column) -> bool {
    record.live().any(|column| same(column, wanted))
}

fn same(left: &Column, right: &Column) -> bool {
    left.name == right.name && left.kind == right.kind && same_type(&left.of, &right.of)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::catalog::{ColumnKind, FIRST_FAMILY};

    fn column(id: u32, name: &str, dropped: bool) -> Column {
        Column { id, kind: ColumnKind::Regular, dropped, name: name.as_bytes().to_vec(), of: "int".into() }
    }

    fn record(columns: Vec<Column>) -> Record {
        Record {
            generation: 1,
            counter: false,
            has_headers: false,
            has_data: false,
            keyspace: "ks".into(),
            name: "t".into(),
            next_column_id: columns.iter().map(|column| column.id).max().unwrap_or_default() + 1,
            columns,
            base: FIRST_FAMILY,
            arrivals: Vec::new(),
            next_family: FIRST_FAMILY + 1,
        }
    }

    #[test]
    fn equal_ids_stay_and_foreign_dropped_ones_are_reserved() {
        let theirs = [column(1, "a", false), column(2, "gone", true), column(3, "b", false)];
        let mut here = record(vec![column(1, "a", false), column(3, "b", false)]);
        let Plan::Same(unused) = plan(&theirs, &here).unwrap() else { unreachable!() };
        assert_eq!(unused, [column(2, "gone", true)]);
        reserve(&unused, &mut here);
        reserve(&unused, &mut here);
        assert_eq!(here.columns.len(), 3);
        assert_eq!(here.next_column_id, 4);
        assert!(here.dropped().contains(2));
    }

    #[test]
    fn other_ids_are_mapped_by_name() {
        let theirs = [column(1, "b", false), column(2, "a", false), column(3, "late", true)];
        let here = record(vec![column(1, "a", false), column(2, "b", false), column(3, "c", false)]);
        assert_eq!(plan(&theirs, &here).unwrap(), Plan::Rewrite([(1, 2), (2, 1)].into_iter().collect()));
        let collides = [column(1, "a", false), column(2, "b", false), column(3, "gone", true)];
        assert_eq!(plan(&collides, &here).unwrap(), Plan::Rewrite([(1, 1), (2, 2)].into_iter().collect()));
    }

    #[test]
    fn dropped_here_and_not_yet_there() {
        let theirs = [column(1, "a", false), column(2, "b", false)];
        assert_eq!(
            plan(&theirs, &record(vec![column(1, "a", false), column(2, "b", true)])).unwrap(),
            Plan::Same(vec![])
        );
        let added_again = record(vec![column(1, "a", false), column(2, "b", true), column(3, "b", false)]);
        let Plan::Rewrite(map) = plan(&theirs, &added_again).unwrap() else { unreachable!() };
        assert_eq!(map, [(1, 1), (2, 3)].into_iter().collect());
    }

    #[test]
    fn added_again_there_and_not_yet_here() {
        let theirs = [column(1, "a", false), column(2, "b", true), column(3, "b", false)];
        let behind = record(vec![column(1, "a", false), column(2, "b", true)]);
        assert!(matches!(plan(&theirs, &behind), Err(EngineError::Invalid(why)) if why.contains("column b")));
        let ahead = record(vec![column(1, "a", false), column(2, "b", true), column(3, "b", true)]);
        assert_eq!(plan(&theirs, &ahead).unwrap(), Plan::Same(vec![]));
    }

    #[test]
    fn what_was_never_here_is_refused() {
        let error = plan(&[column(1, "a", false), column(2, "new", false)], &record(vec![column(1, "a", false)]));
        assert!(matches!(error, Err(EngineError::Invalid(why)) if why.contains("new")));
    }

    #[test]
    fn an_empty_table_takes_over_ids() {
        let theirs = [column(1, "z", true), column(4, "b", false), column(2, "a", false)];
        let mut here = record(vec![column(1, "a", false), column(2, "b", false), column(3, "c", false)]);
        adopt(&theirs, &mut here);
        let live: Vec<_> = here.live().map(|column| (column.id, column.name.clone())).collect();
        assert_eq!(live, [(4, b"b".to_vec()), (2, b"a".to_vec()), (5, b"c".to_vec())]);
        assert!(here.dropped().contains(1));
        assert_eq!(here.next_column_id, 6);
        assert_eq!(plan(&theirs, &here).unwrap(), Plan::Same(vec![]));
    }
}
