// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A row as a digest has it.

use super::spec::SpecColumn;
use crate::reason::Reason;
use crate::statement::judge::{Counts, Judge};
use crate::statement::row::{found, Found};
use cassiterite_codec::row::{Cell, ColumnStart, Head, Liveness, RowReader};
use cassiterite_codec::DeletionTime;

const NONE: u8 = 0;
const LIVE: u8 = 1;
const EXPIRING: u8 = 2;
const TOMBSTONE: u8 = 3;
const MANY_CELLS: u8 = 4;
/// Where the id of another column would be; ids begin with 1.
const END: u32 = 0;

/// When a read takes place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub now_s: i64,
    /// What was deleted before is gone, whether or not a compaction has removed it already.
    pub gc_before_s: i64,
}

impl Moment {
    pub(super) fn keeps(&self, deletion: &DeletionTime) -> bool {
        !deletion.is_live() && deletion.local_deletion_time_s >= self.gc_before_s
    }

    fn keeps_liveness(&self, liveness: &Liveness) -> bool {
        liveness.is_live(self.now_s) || (!liveness.is_none() && liveness.local_expiration_time_s >= self.gc_before_s)
    }

    /// A cell that has expired was deleted when it was written, as compactions have it.
    fn keeps_cell(&self, cell: &Cell<'_>) -> bool {
        cell.is_live(self.now_s) || cell.local_deletion_time_s - i64::from(cell.ttl_s) >= self.gc_before_s
    }
}

/// The clustering of a row, as it was written.
pub(super) fn clustering(fragment: &[u8]) -> Result<&[u8], Reason> {
    Ok(RowReader::new(fragment)?.0.clustering.unwrap_or_default())
}

/// Appends what a digest has of a row. Whether that is nothing: then what was appended is not to be used.
pub(super) fn put(
    fragment: &[u8],
    columns: &[SpecColumn],
    covering: DeletionTime,
    moment: Moment,
    out: &mut Vec<u8>,
) -> Result<(Found, bool), Reason> {
    let (head, mut reader) = RowReader::new(fragment)?;
    if head.is_shadowable {
        return Err(Reason::UnknownContent);
    }
    let active = covering.max(head.deletion);
    put_counted(head.clustering.unwrap_or_default(), out);
    let mut writer = Writer { moment, judge: Judge { active, now_s: moment.now_s }, proof: i64::MIN, out };
    let mut is_empty = writer.put_head(&head, covering);
    let mut counts = Counts::default();
    let mut wanted = columns.iter().peekable();
    while let Some(column) = reader.next_column()? {
        while wanted.next_if(|next| next.id < column.id).is_some() {}
        match wanted.next_if(|next| next.id == column.id) {
            None => reader.skip(column)?,
            Some(wanted) => is_empty &= writer.put_column(&mut reader, column, wanted, &mut counts)?,
        }
    }
    out.extend_from_slice(&END.to_be_bytes());
    Ok((found(&head, covering, Judge { active, now_s: moment.now_s }, &counts), is_empty))
}

struct Writer<'o> {
    moment: Moment,
    judge: Judge,
    /// The timestamp of a liveness that does not expire: older cells that nobody asked for prove nothing more.
    proof: i64,
    out: &'o mut Vec<u8>,
}

impl Writer<'_> {
    /// Appends deletion and liveness; whether there are none.
    fn put_head(&mut self, head: &Head<'_>, covering: DeletionTime) -> bool {
        let has_deletion = head.deletion.supersedes(&covering) && self.moment.keeps(&head.deletion);
        self.put_deletion(has_deletion.then_some(head.deletion));
        let liveness = head.liveness;
        let has_liveness = !self.judge.active.deletes(liveness.timestamp) && self.moment.keeps_liveness(&liveness);
        match (has_liveness, liveness.ttl_s) {
            (false, _) => self.out.push(NONE),
            (true, 0) => {
                self.proof = liveness.timestamp;
                self.out.push(LIVE);
                self.out.extend_from_slice(&liveness.timestamp.to_be_bytes());
            }
            (true, ttl_s) => {
                self.out.push(EXPIRING);
                self.out.extend_from_slice(&liveness.timestamp.to_be_bytes());
                self.out.extend_from_slice(&liveness.local_expiration_time_s.to_be_bytes());
                self.out.extend_from_slice(&ttl_s.to_be_bytes());
            }
        }
        !has_deletion && !has_liveness
    }

    fn put_deletion(&mut self, deletion: Option<DeletionTime>) {
        match deletion {
            None => self.out.push(NONE),
            Some(deletion) => {
                self.out.push(LIVE);
                self.out.extend_from_slice(&deletion.marked_for_delete_at.to_be_bytes());
            }
        }
    }

    /// Appends a column; whether there is nothing of it.
    fn put_column(
        &mut self,
        reader: &mut RowReader<'_>,
        column: ColumnStart,
        wanted: &SpecColumn,
        counts: &mut Counts,
    ) -> Result<bool, Reason> {
        let start = self.out.len();
        self.out.extend_from_slice(&column.id.to_be_bytes());
        let is_empty = match column.is_complex() {
            false => {
                let cell = reader.cell(column)?;
                self.judge.count(&cell, counts);
                !self.put_cell(&cell, None, wanted.is_selected)?
            }
            true => self.put_cells(reader, column, wanted, counts)?,
        };
        if is_empty {
            self.out.truncate(start);
        }
        Ok(is_empty)
    }

    fn put_cells(
        &mut self,
        reader: &mut RowReader<'_>,
        column: ColumnStart,
        wanted: &SpecColumn,
        counts: &mut Counts,
    ) -> Result<bool, Reason> {
        let complex = reader.complex(column)?;
        counts.has_column_deletion |= complex.deletion.supersedes(&self.judge.active);
        let has_deletion = complex.deletion.supersedes(&self.judge.active) && self.moment.keeps(&complex.deletion);
        self.out.push(MANY_CELLS);
        self.put_deletion(has_deletion.then_some(complex.deletion));
        let of_row = self.judge;
        self.judge.active = of_row.active.max(complex.deletion);
        let mut is_empty = !has_deletion;
        for _ in 0..complex.cells {
            let found = reader.path_cell()?;
            self.judge.count(&found.cell, counts);
            is_empty &= !self.put_cell(&found.cell, Some(found.raw.unwrap_or(found.order)), wanted.is_selected)?;
        }
        self.judge = of_row;
        self.out.push(NONE);
        Ok(is_empty)
    }

    /// Appends a cell; whether it counts. Of a column that nobody asked for only whether the cell lives counts.
    fn put_cell(&mut self, cell: &Cell<'_>, path: Option<&[u8]>, is_selected: bool) -> Result<bool, Reason> {
        if cell.is_counter {
            return Err(Reason::UnknownContent);
        }
        let is_proven = !is_selected && cell.timestamp < self.proof;
        if self.judge.active.deletes(cell.timestamp) || is_proven || !self.moment.keeps_cell(cell) {
            return Ok(false);
        }
        let kind = match (cell.is_live(self.moment.now_s), cell.ttl_s) {
            (false, _) => TOMBSTONE,
            (true, 0) => LIVE,
            (true, _) => EXPIRING,
        };
        self.out.push(kind);
        self.out.extend_from_slice(&cell.timestamp.to_be_bytes());
        if kind == EXPIRING {
            self.out.extend_from_slice(&cell.ttl_s.to_be_bytes());
        }
        if let Some(path) = path {
            put_counted(path, self.out);
        }
        if kind != TOMBSTONE && is_selected {
            put_counted(cell.value, self.out);
        }
        Ok(true)
    }
}

fn put_counted(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
    out.extend_from_slice(bytes);
}
