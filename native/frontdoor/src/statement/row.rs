// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Whether a row exists, and what it has of the fetched columns.

use super::judge::{Counts, Judge};
use super::recipe::{Encoder, Fetched};
use super::values::{MultiCell, Values};
use crate::reason::Reason;
use cassiterite_codec::row::{counter_total, Cell, ColumnStart, Head, RowReader};
use cassiterite_codec::DeletionTime;

/// What one row counts for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// Whether a client sees the row.
    pub is_live: bool,
    /// Tombstones and expired cells.
    pub tombstones: u32,
}

/// Reads the fetched columns of a row that `covering` and its own deletion leave, as they are at `now_s`, into `values`.
#[inline]
pub(super) fn read<'a>(
    head: &Head<'a>,
    mut reader: RowReader<'a>,
    fetched: &Fetched,
    covering: DeletionTime,
    now_s: i64,
    values: &mut Values<'a>,
) -> Result<Found, Reason> {
    if head.is_shadowable {
        return Err(Reason::UnknownContent);
    }
    values.clear();
    let judge = Judge { active: covering.max(head.deletion), now_s };
    let mut counts = Counts::default();
    let mut wanted = fetched.columns.iter().enumerate().peekable();
    while let Some(column) = reader.next_column()? {
        while wanted.next_if(|(_, next)| next.id < column.id).is_some() {}
        match wanted.next_if(|(_, next)| next.id == column.id) {
            None => reader.skip(column)?,
            Some((at, next)) if column.is_complex() => {
                read_multi_cell(&mut reader, column, judge, &mut counts, (at, next.encoder), values)?;
            }
            Some((at, next)) => {
                let cell = reader.cell(column)?;
                if judge.count(&cell, &mut counts) {
                    set(values, at, next.encoder, &cell)?;
                }
            }
        }
    }
    Ok(found(head, covering, judge, &counts))
}

/// Keeps the value of a live cell, if it is wanted.
#[inline]
fn set<'a>(values: &mut Values<'a>, at: usize, encoder: Option<Encoder>, cell: &Cell<'a>) -> Result<(), Reason> {
    match encoder {
        None => {}
        Some(Encoder::Cell) if !cell.is_counter => values.set_bytes(at, cell.value),
        Some(Encoder::Counter) if cell.is_counter => {
            values.set_count(at, counter_total(cell.value).ok_or(Reason::UnknownContent)?);
        }
        Some(_) => return Err(Reason::UnknownContent),
    }
    Ok(())
}

fn read_multi_cell<'a>(
    reader: &mut RowReader<'a>,
    column: ColumnStart,
    judge: Judge,
    counts: &mut Counts,
    (at, encoder): (usize, Option<Encoder>),
    values: &mut Values<'a>,
) -> Result<(), Reason> {
    let start = reader.complex(column)?;
    counts.has_column_deletion |= start.deletion.supersedes(&judge.active);
    let judge = Judge { active: judge.active.max(start.deletion), ..judge };
    let first = *reader;
    let live_before = counts.live;
    reader.each_path_cell(start.cells, |found| {
        judge.count(&found.cell, counts);
        Ok(())
    })?;
    let live = counts.live - live_before;
    match encoder {
        Some(Encoder::Cell | Encoder::Counter) => Err(Reason::UnknownContent),
        Some(encoder) if live > 0 => {
            values.set_multi_cell(at, MultiCell { reader: first, cells: start.cells, live, judge, encoder });
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Cassandra counts the deletion of a row, of a column or of the primary key only where nothing else of the row counts.
pub(super) fn found(head: &Head<'_>, covering: DeletionTime, judge: Judge, counts: &Counts) -> Found {
    let has_liveness = !judge.active.deletes(head.liveness.timestamp);
    let is_live = counts.live > 0 || (has_liveness && head.liveness.is_live(judge.now_s));
    let has_deletion = has_liveness || counts.has_column_deletion || head.deletion.supersedes(&covering);
    let is_tombstone = !is_live && counts.dead == 0 && has_deletion;
    Found { is_live, tombstones: counts.dead.saturating_add(u32::from(is_tombstone)) }
}
