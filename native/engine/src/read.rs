// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reads and scans: parse the request, answer into the caller's buffer, leave the rest to a cursor.

mod answer;
mod cursor;
mod hot;
mod point;
mod request;
mod slices;
mod walk;

pub(crate) use cursor::close_cursors;
pub use cursor::{cursor_close, cursor_next};

use crate::error::Result;
use crate::table::{Table, TableCore};
use answer::Answer;
use request::{ReadRequest, ScanRequest};
use std::sync::Arc;
use walk::Walk;

impl Table {
    /// Reads one partition (a read request) into `answer`: the bytes filled, or the negated size that is needed.
    pub fn read(self: &Arc<Self>, request: &[u8], answer: &mut [u8]) -> Result<i32> {
        self.shared(|core| {
            core.count_read();
            let answered = read(self, core, request, answer);
            core.flush_if_hot();
            answered
        })
    }

    /// Scans a range of partitions (a scan request) into `answer`: as [`Table::read`].
    pub fn scan(self: &Arc<Self>, request: &[u8], answer: &mut [u8]) -> Result<i32> {
        self.shared(|core| {
            core.count_read();
            let answered = scan(self, core, request, answer);
            core.flush_if_hot();
            answered
        })
    }
}

fn read(table: &Arc<Table>, core: &TableCore, request: &[u8], buffer: &mut [u8]) -> Result<i32> {
    let request = ReadRequest::parse(request)?;
    if request.selection.points() {
        if let Some(answered) = point::read(core, &request, buffer)? {
            return Ok(answered);
        }
    }
    let headers = core.headers().seen();
    let walk = Walk::read(core.column_families(), &request, || !core.headers().none_since(headers))?;
    first(table, walk, Answer::new(buffer, request.chunk_bytes))
}

fn scan(table: &Arc<Table>, core: &TableCore, request: &[u8], buffer: &mut [u8]) -> Result<i32> {
    let request = ScanRequest::parse(request)?;
    let walk = Walk::scan(core.column_families(), &request)?;
    first(table, walk, Answer::new(buffer, request.chunk_bytes))
}

fn first(table: &Arc<Table>, mut walk: Walk, mut answer: Answer<'_>) -> Result<i32> {
    let complete = walk.fill(&mut answer)?;
    // The caller repeats a call whose first entry does not fit: no cursor then.
    if complete || answer.starved() || answer.capacity() < answer::HEAD_BYTES {
        return answer.finish(0);
    }
    answer.finish(cursor::open(table, walk)?)
}
