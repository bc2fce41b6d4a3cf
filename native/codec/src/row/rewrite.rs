// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Rewriting one row fragment by rules: shadowing, purging, dropping and renaming columns.

use smallvec::SmallVec;

use crate::columns::{ColumnMap, ColumnSet};
use crate::deletion::{DeletionTime, Purge};
use crate::error::CodecError;
use crate::outcome::Outcome;
use crate::row::cell::Cell;
use crate::row::head::Head;
use crate::row::reader::{ColumnStart, ComplexStart, PathCell, RowReader};
use crate::row::writer::RowWriter;

/// What may stay of a fragment.
pub(crate) struct Rules<'r> {
    /// A deletion that stays elsewhere: what it deletes is removed.
    pub(crate) covering: DeletionTime,
    /// Dead data that may be purged is removed; expired cells become tombstones.
    pub(crate) purge: Purge,
    /// These columns are removed; none if absent.
    pub(crate) dropped: Option<&'r ColumnSet>,
    /// Whether the fragment's own deletions are applied to its own data as well.
    pub(crate) own_deletions: bool,
}

/// What becomes of a cell.
enum Verdict {
    Keep,
    Drop,
    /// A tombstone with this local deletion time, in seconds.
    Bury(i64),
}

impl Rules<'_> {
    fn keeps_column(&self, id: u32) -> bool {
        !self.dropped.is_some_and(|dropped| dropped.contains(id))
    }

    /// What stays of the head, and the deletion under which the columns stand.
    fn head<'a>(&self, head: &Head<'a>) -> (Head<'a>, DeletionTime) {
        let mut kept = *head;
        kept.shadow(&self.covering);
        let active = if self.own_deletions { kept.deletion.max(self.covering) } else { self.covering };
        if active.deletes(kept.liveness.timestamp) {
            kept.liveness = crate::row::liveness::Liveness::NONE;
        }
        kept.liveness = kept.liveness.purged(&self.purge);
        if self.purge.allows_deletion(&kept.deletion) {
            kept.deletion = DeletionTime::LIVE;
            kept.is_shadowable = false;
        }
        (kept, active)
    }

    /// What stays of a complex column's deletion, and the deletion under which its cells stand.
    fn complex(&self, start: &ComplexStart, active: &DeletionTime) -> (DeletionTime, DeletionTime) {
        if !start.deletion.supersedes(active) {
            return (DeletionTime::LIVE, *active);
        }
        let cells_under = if self.own_deletions { start.deletion } else { *active };
        if self.purge.allows_deletion(&start.deletion) {
            return (DeletionTime::LIVE, cells_under);
        }
        (start.deletion, cells_under)
    }

    #[inline]
    fn cell(&self, cell: &Cell<'_>, active: &DeletionTime) -> Verdict {
        if active.deletes(cell.timestamp) {
            return Verdict::Drop;
        }
        if cell.local_deletion_time_s == i64::MAX || cell.is_live(self.purge.now_s) {
            return Verdict::Keep;
        }
        if self.purge.allows(cell.timestamp, cell.local_deletion_time_s) {
            return Verdict::Drop;
        }
        if cell.ttl_s == 0 {
            return Verdict::Keep;
        }
        let written_s = cell.local_deletion_time_s.saturating_sub(i64::from(cell.ttl_s)).max(0);
        match self.purge.allows(cell.timestamp, written_s) {
            true => Verdict::Drop,
            false => Verdict::Bury(written_s),
        }
    }
}

/// Rewrites `fragment` by `rules` into `out`, which is cleared.
pub(crate) fn rewrite(fragment: &[u8], rules: &Rules<'_>, out: &mut Vec<u8>) -> Result<Outcome, CodecError> {
    out.clear();
    let (head, reader) = RowReader::new(fragment)?;
    let (kept, active) = rules.head(&head);
    if kept == head && stays(reader, rules, &active)? {
        let empty = head.is_empty() && reader.is_done();
        return Ok(if empty { Outcome::Empty } else { Outcome::Unchanged });
    }
    out.reserve(fragment.len() + 8);
    let mut writer = RowWriter::new(&kept, out);
    write_columns(reader, rules, &active, &mut writer)?;
    if writer.finish() || !kept.is_empty() {
        return Ok(Outcome::Changed);
    }
    out.clear();
    Ok(Outcome::Empty)
}

/// Whether the rules leave every column as it is.
fn stays(mut reader: RowReader<'_>, rules: &Rules<'_>, active: &DeletionTime) -> Result<bool, CodecError> {
    let mut all = true;
    while let Some(column) = reader.next_column()? {
        all &= rules.keeps_column(column.id);
        if column.is_complex() {
            let start = reader.complex(column)?;
            let (deletion, under) = rules.complex(&start, active);
            all &= deletion == start.deletion;
            reader.each_path_cell(start.cells, |found| {
                all &= matches!(rules.cell(&found.cell, &under), Verdict::Keep);
                Ok(())
            })?;
        } else {
            let cell = reader.cell(column)?;
            all &= matches!(rules.cell(&cell, active), Verdict::Keep);
        }
    }
    Ok(all)
}

fn write_columns(
    mut reader: RowReader<'_>,
    rules: &Rules<'_>,
    active: &DeletionTime,
    writer: &mut RowWriter<'_>,
) -> Result<(), CodecError> {
    while let Some(column) = reader.next_column()? {
        if rules.keeps_column(column.id) {
            write_column(&mut reader, column, column.id, rules, active, writer)?;
        } else {
            reader.skip(column)?;
        }
    }
    Ok(())
}

/// Writes what stays of one column under the id `id`.
fn write_column(
    reader: &mut RowReader<'_>,
    column: ColumnStart,
    id: u32,
    rules: &Rules<'_>,
    active: &DeletionTime,
    writer: &mut RowWriter<'_>,
) -> Result<(), CodecError> {
    if !column.is_complex() {
        let cell = reader.cell(column)?;
        judged(rules, &cell, active, |cell| writer.simple(id, cell));
        return Ok(());
    }
    let start = reader.complex(column)?;
    let (deletion, under) = rules.complex(&start, active);
    writer.complex(id, &deletion, start.cells, |cells| {
        reader.each_path_cell(start.cells, |found| {
            judged(rules, &found.cell, &under, |cell| cells.cell(&PathCell { cell: *cell, ..*found }));
            Ok(())
        })
    })
}

#[inline]
fn judged(rules: &Rules<'_>, cell: &Cell<'_>, active: &DeletionTime, write: impl FnOnce(&Cell<'_>)) {
    match rules.cell(cell, active) {
        Verdict::Keep => write(cell),
        Verdict::Drop => {}
        Verdict::Bury(written_s) => write(&Cell::tombstone(cell.timestamp, written_s)),
    }
}

/// Rewrites `fragment` under other column ids into `out`, which is cleared.
pub(crate) fn remap(fragment: &[u8], map: &ColumnMap, out: &mut Vec<u8>) -> Result<Outcome, CodecError> {
    out.clear();
    let (head, mut reader) = RowReader::new(fragment)?;
    let mut columns: SmallVec<[(u32, ColumnStart, RowReader<'_>); 16]> = SmallVec::new();
    let (mut same, mut found_any) = (true, false);
    while let Some(column) = reader.next_column()? {
        let data = reader;
        reader.skip(column)?;
        let new = map.get(column.id);
        same &= new == Some(column.id);
        found_any = true;
        columns.extend(new.map(|id| (id, column, data)));
    }
    if columns.is_empty() && head.is_empty() {
        return Ok(Outcome::Empty);
    }
    if same || !found_any {
        return Ok(Outcome::Unchanged);
    }
    write_remapped(&head, columns, fragment.len(), out)?;
    Ok(Outcome::Changed)
}

fn write_remapped(
    head: &Head<'_>,
    mut columns: SmallVec<[(u32, ColumnStart, RowReader<'_>); 16]>,
    bytes: usize,
    out: &mut Vec<u8>,
) -> Result<(), CodecError> {
    let keep_all = Rules { covering: DeletionTime::LIVE, purge: Purge::NOTHING, dropped: None, own_deletions: false };
    columns.sort_by_key(|column| column.0);
    out.reserve(bytes + columns.len() * 4 + 8);
    let mut writer = RowWriter::new(head, out);
    let mut last = 0;
    for (id, column, mut data) in columns {
        if id == last {
            return Err(CodecError::Conflict { what: "two columns, or id 0, in the map", column: id });
        }
        last = id;
        write_column(&mut data, column, id, &keep_all, &DeletionTime::LIVE, &mut writer)?;
    }
    writer.finish();
    Ok(())
}
