// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reads and scans: parse the request, answer into the caller's buffer, leave the rest to a cursor.

mod answer;
mod cursor;
mod hot;
mod point;
mod request;
mod slices;
#[cfg(test)]
mod tests;
mod view;
mod walk;

pub(crate) use cursor::close_cursors;
pub use cursor::{cursor_close, cursor_next};
pub(crate) use cursor::{open_and_closed, OpenAndClosed};
pub use view::view_scan;

use crate::error::{EngineError, Kind, Result};
use crate::raw::sys::{Reach, View};
use crate::table::{Table, TableCore};
use answer::Answer;
use cursor::Rest;
use point::Answered;
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
            core.follow_readers();
            answered
        })
    }

    /// Reads one partition as [`Table::read`], but never waits for the device, for a change of the table, for the
    /// database's mutex or for a stalled write: `None` where the read would have to, or where `answer` is too small for
    /// the first entry. Else the bytes filled, and whether that is all; there is no cursor for the rest.
    pub fn read_in_memory(&self, request: &[u8], answer: &mut [u8]) -> Result<Option<(usize, bool)>> {
        let read = |core: &TableCore| without_waiting(core, || read_in_memory(core, request, answer));
        self.try_shared(read).unwrap_or(Ok(None))
    }

    /// Scans a range of partitions (a scan request) into `answer`: as [`Table::read`].
    pub fn scan(self: &Arc<Self>, request: &[u8], answer: &mut [u8]) -> Result<i32> {
        self.shared(|core| {
            core.count_read();
            let answered = scan(self, core, request, answer);
            core.flush_if_hot();
            core.follow_readers();
            answered
        })
    }
}

/// Runs a read while the thread has a share of what it reads, so that it need not get it, nor free it.
fn without_waiting<T>(core: &TableCore, read: impl FnOnce() -> Result<Option<T>>) -> Result<Option<T>> {
    // Whoever begins a flush waits for writers, and makes a file; a change of options waits for the database's mutex: a
    // read that may wait is to meet the hot row, and to tell that the table is read.
    if core.purge().is_hot() || core.purge().readership().has_readers_to_follow() {
        return Ok(None);
    }
    // Where there are several column families, the read itself needs the mutex.
    let sides = core.side_families().iter().map(|side_family| View::try_take_anew(&side_family.handle));
    let Some(_sides) = sides.collect::<Option<Vec<_>>>() else { return Ok(None) };
    let Some(_base) = View::try_take(core.family()) else { return Ok(None) };
    let answered = read();
    if !matches!(answered, Ok(None)) {
        core.count_read();
    }
    answered
}

fn read(table: &Arc<Table>, core: &TableCore, request: &[u8], buffer: &mut [u8]) -> Result<i32> {
    let request = ReadRequest::parse(request)?;
    if request.selection.points() {
        match point::read(core, &request, buffer)? {
            Some(Answered::All(bytes)) => return Ok(bytes),
            Some(Answered::Some(answer, rest)) => return answer.finish_first(cursor::open(table, rest)?),
            None => {}
        }
    }
    let headers = core.headers().seen();
    let walk = Walk::read(core.column_families(), &request, || !core.headers().none_since(headers))?;
    first(table, walk, Answer::new(buffer, request.chunk))
}

fn read_in_memory(core: &TableCore, request: &[u8], buffer: &mut [u8]) -> Result<Option<(usize, bool)>> {
    let request = ReadRequest { reach: Reach::Memory, ..ReadRequest::parse(request)? };
    match point::read_one(core, &request, buffer) {
        Ok(None) => {}
        Ok(Some(Answered::All(answered))) => return Ok(filled(answered).map(|bytes| (bytes, true))),
        Ok(Some(Answered::Some(..))) => return Ok(None),
        Err(EngineError { kind: Kind::Busy, .. }) => return Ok(None),
        Err(error) => return Err(error),
    }
    match walk_in_memory(core, &request, Answer::new(buffer, request.chunk)) {
        Err(EngineError { kind: Kind::Busy, .. }) => Ok(None),
        walked => walked,
    }
}

fn walk_in_memory(
    core: &TableCore,
    request: &ReadRequest<'_>,
    mut answer: Answer<'_>,
) -> Result<Option<(usize, bool)>> {
    let headers = core.headers().seen();
    let mut walk = Walk::read(core.column_families(), request, || !core.headers().none_since(headers))?;
    let is_all = walk.fill(&mut answer)?;
    Ok(filled(answer.finish(0)?).map(|bytes| (bytes, is_all)))
}

/// The bytes of an answer; `None` if it asks for a larger buffer.
fn filled(answered: i32) -> Option<usize> {
    usize::try_from(answered).ok()
}

fn scan(table: &Arc<Table>, core: &TableCore, request: &[u8], buffer: &mut [u8]) -> Result<i32> {
    let request = ScanRequest::parse(request)?;
    let walk = Walk::scan(|spec| core.column_families().iterate(spec), &request)?;
    first(table, walk, Answer::new(buffer, request.chunk))
}

fn first(table: &Arc<Table>, mut walk: Walk, mut answer: Answer<'_>) -> Result<i32> {
    let complete = walk.fill(&mut answer)?;
    // The caller repeats a call for which there is no cursor.
    if complete || answer.capacity() < answer::HEAD_BYTES {
        return answer.finish(0);
    }
    answer.finish_first(cursor::open(table, Rest::Walk(Box::new(walk)))?)
}
