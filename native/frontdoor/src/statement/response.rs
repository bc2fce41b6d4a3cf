// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The body of a RESULT, made of the engine's answer.

use super::entries::{Entries, Entry};
use super::execute::Execute;
use super::limits::ANSWER_BYTES_MAX;
use super::metadata::put_counted;
use super::paging::Page;
use super::partition::Partition;
use super::places::Places;
use super::recipe::{Column, Recipe};
use super::row::Found;
use super::values::put_null;
use crate::reason::Reason;
use cassiterite_codec::header;

/// RESULT: rows.
const ROWS: i32 = 2;

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

impl Recipe {
    /// The live rows with which a read for `execute` stops.
    pub(crate) fn rows_max(&self, execute: &Execute<'_>) -> Result<u32, Reason> {
        Ok(Page::of(self, execute)?.rows_max)
    }

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
            recipe: self,
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
    recipe: &'p Recipe,
    execute: &'p Execute<'e>,
    now_s: i64,
    tombstones_max: u32,
    page: Page<'e>,
    served: Served,
    body_max: usize,
}

impl Response<'_, '_> {
    fn write(&mut self, answer: Answer<'_>, body: &mut Vec<u8>) -> Result<(), Reason> {
        body.extend_from_slice(&ROWS.to_be_bytes());
        let metadata_at = body.len();
        self.recipe.metadata.put(self.execute, None, body);
        let rows_at = body.len();
        body.extend_from_slice(&0u32.to_be_bytes());
        let paging_state = self.write_rows(answer, body)?;
        if let Some(count) = body.get_mut(rows_at..rows_at + 4) {
            count.copy_from_slice(&self.served.rows.to_be_bytes());
        }
        if let Some(state) = paging_state {
            let mut metadata = Vec::new();
            self.recipe.metadata.put(self.execute, Some(&state), &mut metadata);
            body.splice(metadata_at..rows_at, metadata);
        }
        Ok(())
    }

    /// Appends the rows of the page; the state for the next one.
    fn write_rows(&mut self, answer: Answer<'_>, body: &mut Vec<u8>) -> Result<Option<Vec<u8>>, Reason> {
        let recipe = self.recipe;
        let mut partition = Partition::new(recipe, self.now_s);
        let mut has_static = false;
        let mut entries = Entries::new(answer.entries);
        while self.served.rows < self.page.rows_max {
            match entries.next()? {
                Some(Entry::Header(fragment)) => {
                    partition.read_header(fragment)?;
                    self.count_ranges(fragment)?;
                }
                Some(Entry::Static(fragment)) => {
                    let found = partition.read_static(fragment)?;
                    self.count(found)?;
                    has_static = found.is_live;
                }
                Some(Entry::Row(fragment)) => {
                    let found = partition.read_row(fragment)?;
                    self.count(found)?;
                    if found.is_live {
                        self.put_row(&partition, body)?;
                    }
                }
                Some(Entry::SliceEnd) => {}
                None if answer.is_complete => break,
                None => {
                    recipe.row_size.fell_short(self.served.rows, answer.entries.len());
                    return Err(Reason::Unfinished);
                }
            }
        }
        if self.served.rows == self.page.rows_max {
            recipe.row_size.found(self.served.rows, answer.entries.len() - entries.left());
        }
        // Behind the first page the static row has been returned, with the rows.
        if self.served.rows == 0 && has_static && recipe.returns_static_alone && self.page.after.is_none() {
            partition.leave_row();
            self.put_row(&partition, body)?;
        }
        self.page.next(self.execute.version, self.served.rows, &partition.clustering)
    }

    /// Cassandra counts both ends of each range tombstone in each slice, or one where two of them meet.
    fn count_ranges(&mut self, fragment: &[u8]) -> Result<(), Reason> {
        let (_, ranges) = header::read(fragment)?;
        if ranges.is_empty() {
            return Ok(());
        }
        let places = Places::of(self.recipe, self.execute, self.page.after.as_ref())?;
        let touched: usize = ranges.iter().map(|range| places.touched_by(range)).sum();
        let tombstones = u32::try_from(2 * touched).unwrap_or(u32::MAX);
        self.count(Found { is_live: false, tombstones })
    }

    fn count(&mut self, found: Found) -> Result<(), Reason> {
        self.served.live_rows += u32::from(found.is_live);
        self.served.tombstones = self.served.tombstones.saturating_add(found.tombstones);
        if self.served.tombstones > self.tombstones_max {
            return Err(Reason::Tombstones);
        }
        Ok(())
    }

    /// Appends one row of the result; what the row has not is null.
    #[inline]
    fn put_row(&mut self, partition: &Partition<'_, '_>, body: &mut Vec<u8>) -> Result<(), Reason> {
        for column in &self.recipe.columns {
            match *column {
                Column::Key(at) => {
                    let value = self.recipe.partition.get(at).map(|value| value.bytes(self.execute)).transpose()?;
                    put_value(value, body);
                }
                Column::Clustering(at) => put_value(partition.clustering.get(at).copied().flatten(), body),
                Column::Regular(at) => partition.regulars.put(at, body)?,
                Column::Static(at) => partition.statics.put(at, body)?,
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
