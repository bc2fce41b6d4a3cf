// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The body of a RESULT, made of the engine's answer.

use super::entries::{Entries, Entry};
use super::execute::Execute;
use super::metadata::put_counted;
use super::paging::{Clustering, Page};
use super::places::Places;
use super::plan::{Column, Plan};
use super::row;
use super::values::{put_null, Values};
use crate::reason::Reason;
use cassiterite_codec::header::{self, Coverage};
use cassiterite_codec::row::{Components, Head, RowReader};

/// A longer answer is Cassandra's.
pub(super) const ANSWER_BYTES_MAX: usize = 1 << 20;
/// RESULT: rows.
const ROWS: i32 = 2;
/// The end of a clustering.
const CLUSTERING: u8 = 0x38;

/// What the engine answered to a read request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer<'a> {
    /// The payload: entries.
    pub entries: &'a [u8],
    /// Whether nothing follows under a cursor.
    pub is_complete: bool,
}

/// What an answer held, for metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Served {
    /// Rows of the result.
    pub rows: u32,
    /// Live rows that were read, the static row included.
    pub live_rows: u32,
    /// Tombstones and expired cells that were read, also such as Cassandra's read would have purged.
    pub tombstones: u32,
}

impl Plan {
    /// Appends the body of the RESULT for `execute` to `body`, from the kind on. Cells are judged at `now_s` (seconds since
    /// the epoch), unless the request has a time of its own. After an error `body` is as before.
    pub(crate) fn rows(
        &self,
        execute: &Execute<'_>,
        answer: Answer<'_>,
        now_s: i64,
        tombstones_max: u32,
        body: &mut Vec<u8>,
    ) -> Result<Served, Reason> {
        let start = body.len();
        let mut response = Response {
            plan: self,
            execute,
            now_s: execute.now_in_seconds.unwrap_or(now_s),
            tombstones_max,
            page: Page::of(self, execute)?,
            served: Served::default(),
            body_max: start + ANSWER_BYTES_MAX,
        };
        let written = response.write(answer, body);
        if written.is_err() {
            body.truncate(start);
        }
        written.map(|()| response.served)
    }
}

/// A response being written.
struct Response<'p, 'e> {
    plan: &'p Plan,
    execute: &'p Execute<'e>,
    now_s: i64,
    tombstones_max: u32,
    page: Page<'e>,
    served: Served,
    body_max: usize,
}

/// What is known of the row that is to be written.
struct Cells<'r, 'a> {
    clustering: &'r [Option<&'a [u8]>],
    regulars: &'r Values<'a>,
    statics: &'r Values<'a>,
}

impl Response<'_, '_> {
    fn write(&mut self, answer: Answer<'_>, body: &mut Vec<u8>) -> Result<(), Reason> {
        body.extend_from_slice(&ROWS.to_be_bytes());
        let metadata_at = body.len();
        self.plan.metadata.put(self.execute, None, body);
        let rows_at = body.len();
        body.extend_from_slice(&0u32.to_be_bytes());
        let paging_state = self.write_rows(answer, body)?;
        if let Some(count) = body.get_mut(rows_at..rows_at + 4) {
            count.copy_from_slice(&self.served.rows.to_be_bytes());
        }
        if let Some(state) = paging_state {
            let mut metadata = Vec::new();
            self.plan.metadata.put(self.execute, Some(&state), &mut metadata);
            body.splice(metadata_at..rows_at, metadata);
        }
        Ok(())
    }

    /// Appends the rows of the page; the state for the next one.
    fn write_rows(&mut self, answer: Answer<'_>, body: &mut Vec<u8>) -> Result<Option<Vec<u8>>, Reason> {
        let plan = self.plan;
        let mut coverage = Coverage::new();
        let mut statics = Values::new(&plan.statics);
        let mut regulars = Values::new(&plan.regulars);
        let (mut clustering, mut order) = (Clustering::new(), Vec::new());
        let mut has_static = false;
        let mut entries = Entries::new(answer.entries);
        while self.served.rows < self.page.rows_max {
            match entries.next()? {
                Some(Entry::Header(fragment)) => {
                    coverage.add(fragment)?;
                    self.count_ranges(fragment)?;
                }
                Some(Entry::Static(fragment)) => {
                    let (head, reader) = RowReader::new(fragment)?;
                    let covering = coverage.partition_deletion();
                    let found = row::read(&head, reader, &plan.statics, covering, self.now_s, &mut statics)?;
                    self.count(found)?;
                    has_static = found.is_live;
                }
                Some(Entry::Row(fragment)) => {
                    let (head, reader) = RowReader::new(fragment)?;
                    self.read_clustering(&head, &mut clustering)?;
                    let covering = if coverage.has_ranges() {
                        order.clear();
                        self.put_order(&clustering, &mut order)?;
                        coverage.deletion_for(&order)
                    } else {
                        coverage.partition_deletion()
                    };
                    let found = row::read(&head, reader, &plan.regulars, covering, self.now_s, &mut regulars)?;
                    self.count(found)?;
                    if found.is_live {
                        let cells = Cells { clustering: &clustering, regulars: &regulars, statics: &statics };
                        self.put_row(&cells, body)?;
                    }
                }
                Some(Entry::SliceEnd) => {}
                None if answer.is_complete => break,
                None => return Err(Reason::Unfinished),
            }
        }
        // Behind the first page the static row has been returned, with the rows.
        if self.served.rows == 0 && has_static && plan.returns_static_alone && self.page.after.is_none() {
            clustering.clear();
            regulars.clear();
            self.put_row(&Cells { clustering: &[], regulars: &regulars, statics: &statics }, body)?;
        }
        self.page.next(self.execute.version, self.served.rows, &clustering)
    }

    /// Cassandra counts both ends of each range tombstone in each slice, or one where two of them meet.
    fn count_ranges(&mut self, fragment: &[u8]) -> Result<(), Reason> {
        let (_, ranges) = header::read(fragment)?;
        if ranges.is_empty() {
            return Ok(());
        }
        let places = Places::of(self.plan, self.execute, self.page.after.as_ref())?;
        let touched: usize = ranges.iter().map(|range| places.touched_by(range)).sum();
        let tombstones = u32::try_from(2 * touched).unwrap_or(u32::MAX);
        self.count(row::Found { is_live: false, tombstones })
    }

    fn count(&mut self, found: row::Found) -> Result<(), Reason> {
        self.served.live_rows += u32::from(found.is_live);
        self.served.tombstones = self.served.tombstones.saturating_add(found.tombstones);
        if self.served.tombstones > self.tombstones_max {
            return Err(Reason::Tombstones);
        }
        Ok(())
    }

    #[inline]
    fn read_clustering<'a>(&self, head: &Head<'a>, clustering: &mut Clustering<'a>) -> Result<(), Reason> {
        clustering.clear();
        for component in Components::new(head.clustering.unwrap_or_default()) {
            clustering.push(component?);
        }
        if clustering.len() == self.plan.clustering.len() {
            Ok(())
        } else {
            Err(Reason::UnknownContent)
        }
    }

    /// The form by which the row is ordered.
    fn put_order(&self, clustering: &[Option<&[u8]>], order: &mut Vec<u8>) -> Result<(), Reason> {
        for (column, value) in self.plan.clustering.iter().zip(clustering) {
            column.put_component(*value, order)?;
        }
        order.push(CLUSTERING);
        Ok(())
    }

    /// Appends one row of the result; what the row has not is null.
    #[inline]
    fn put_row(&mut self, cells: &Cells<'_, '_>, body: &mut Vec<u8>) -> Result<(), Reason> {
        for column in &self.plan.columns {
            match *column {
                Column::Key(at) => {
                    let value = self.plan.partition.get(at).map(|value| value.bytes(self.execute)).transpose()?;
                    put_value(value, body);
                }
                Column::Clustering(at) => put_value(cells.clustering.get(at).copied().flatten(), body),
                Column::Regular(at) => cells.regulars.put(at, body)?,
                Column::Static(at) => cells.statics.put(at, body)?,
            }
        }
        self.served.rows += 1;
        if body.len() > self.body_max {
            return Err(Reason::AnswerLength);
        }
        Ok(())
    }
}

#[inline]
fn put_value(value: Option<&[u8]>, body: &mut Vec<u8>) {
    match value {
        Some(bytes) => put_counted(bytes, body),
        None => put_null(body),
    }
}
