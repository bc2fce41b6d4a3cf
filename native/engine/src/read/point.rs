// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reads of single rows: one lookup where the partition has no header, else one lookup of several keys in one view. What
//! the caller's buffer is too small for is kept for the next chunk: it is long, and is not read again.

use super::answer::{wanting, Answer, Chunk, Entry, Put, ENTRY_HEAD_BYTES, HEAD_BYTES};
use super::cursor::Rest;
use super::request::ReadRequest;
use crate::error::Result;
use crate::raw::sys::{Got, Reach, Values};
use crate::source::merge_values;
use crate::table::{ColumnFamily, TableCore};
use cassiterite_codec::is_empty;
use cassiterite_codec::key::Kind;
use std::cell::RefCell;
use std::collections::VecDeque;

/// More points than this go through an iterator: their values need not be in memory all at once.
const POINTS_AT_ONCE: usize = 64;

thread_local! {
    static KEY: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// What has come of a read of points.
pub(super) enum Answered<'a> {
    /// As [`Answer::finish`] gives it.
    All(i32),
    /// The buffer is too small for all of them: what it has taken, and the rest.
    Some(Answer<'a>, Rest),
}

/// What a lookup of one key has found.
enum One {
    Answered(i32),
    /// A row that the buffer is too small for.
    Long(Vec<u8>),
}

impl One {
    fn answer(self, buffer: &mut [u8]) -> Answered<'_> {
        match self {
            One::Answered(bytes) => Answered::All(bytes),
            One::Long(row) => {
                let rest = VecDeque::from([(Entry::Row, row), (Entry::SliceEnd, Vec::new())]);
                Answered::Some(Answer::new(buffer, Chunk::ALL), Rest::Entries(rest))
            }
        }
    }
}

/// Answers a read of points, or `None` where only a [`super::walk::Walk`] can: too many points, or a buffer too small for
/// any answer.
pub(super) fn read<'a>(
    core: &TableCore,
    request: &ReadRequest<'_>,
    buffer: &'a mut [u8],
) -> Result<Option<Answered<'a>>> {
    if let Some(one) = one(core, request, buffer)? {
        return Ok(Some(one.answer(buffer)));
    }
    if request.selection.count() > POINTS_AT_ONCE || buffer.len() < HEAD_BYTES {
        return Ok(None);
    }
    loop {
        let headers = core.headers().seen();
        let several = Several::read(core, request, headers.possible())?;
        if headers.possible() || core.headers().none_since(headers) {
            return several.answer(request, buffer).map(Some);
        }
    }
}

/// The same for one point where a lookup of one key will do. Only this one stays in memory where that is asked for:
/// RocksDB's lookup of several keys reads files whatever its `read_tier` says.
pub(super) fn read_one<'a>(
    core: &TableCore,
    request: &ReadRequest<'_>,
    buffer: &'a mut [u8],
) -> Result<Option<Answered<'a>>> {
    Ok(one(core, request, buffer)?.map(|one| one.answer(buffer)))
}

fn one(core: &TableCore, request: &ReadRequest<'_>, buffer: &mut [u8]) -> Result<Option<One>> {
    let one = request.selection.points() && request.selection.count() == 1 && !request.with_static;
    let headers = core.headers().seen();
    if !one || headers.possible() || !core.side_families().is_empty() {
        return Ok(None);
    }
    let found = single(core, request, buffer)?;
    // A header that came before the row was read is recorded by now; one that comes later was not in the same write.
    Ok(core.headers().none_since(headers).then_some(found))
}

fn single(core: &TableCore, request: &ReadRequest<'_>, buffer: &mut [u8]) -> Result<One> {
    let Some((point, _)) = request.selection.iter().next() else {
        return Answer::new(buffer, request.chunk).finish(0).map(One::Answered);
    };
    let has_head = buffer.len() >= HEAD_BYTES;
    let mut answer = Answer::new(buffer, request.chunk);
    let got = KEY.with_borrow_mut(|key| {
        key.clear();
        key.extend_from_slice(request.partition);
        key.push(Kind::Row as u8);
        key.extend_from_slice(point);
        core.read_mode(request.reach).get_into(core.family(), key, core.stops_at(), answer.free())
    })?;
    match got {
        Got::TooLong(row) if has_head && !is_empty(Kind::Row, &row) => return Ok(One::Long(row)),
        Got::TooLong(_) if !has_head => return wanting(HEAD_BYTES).map(One::Answered),
        Got::Copied(length) if !is_empty(Kind::Row, answer.free().get(..length).unwrap_or_default()) => {
            answer.accept(Entry::Row, length)?;
        }
        Got::Copied(_) | Got::Absent | Got::TooLong(_) => {}
    }
    if answer.put(Entry::SliceEnd, &[], &[]) == Put::Later {
        return wanting(HEAD_BYTES + ENTRY_HEAD_BYTES).map(One::Answered);
    }
    answer.finish(0).map(One::Answered)
}

/// What a lookup of several keys has found.
struct Several {
    values: Found,
    with_header: bool,
}

impl Several {
    fn read(core: &TableCore, request: &ReadRequest<'_>, with_header: bool) -> Result<Several> {
        let mut keys = Keys::default();
        if with_header {
            keys.add(request.partition, Kind::Header, &[]);
        }
        if request.with_static {
            keys.add(request.partition, Kind::Static, &[]);
        }
        for (point, _) in request.selection.iter() {
            keys.add(request.partition, Kind::Row, point);
        }
        Ok(Several { values: Found::consistent(core, &keys.slices())?, with_header })
    }

    fn answer<'a>(&self, request: &ReadRequest<'_>, buffer: &'a mut [u8]) -> Result<Answered<'a>> {
        let mut filling = Filling { answer: Answer::new(buffer, Chunk::ALL), rest: VecDeque::new() };
        let points_from = usize::from(self.with_header) + usize::from(request.with_static);
        if self.with_header {
            filling.put(Entry::Header, self.value(0, Kind::Header));
        }
        if request.with_static {
            filling.put(Entry::Static, self.value(points_from - 1, Kind::Static));
        }
        for at in 0..request.selection.count() {
            let at = if request.reversed { request.selection.count() - 1 - at } else { at };
            filling.put(Entry::Row, self.value(points_from + at, Kind::Row));
            filling.put(Entry::SliceEnd, Some(&[]));
        }
        let Filling { answer, rest } = filling;
        match rest.is_empty() {
            true => answer.finish(0).map(Answered::All),
            false => Ok(Answered::Some(answer, Rest::Entries(rest))),
        }
    }

    fn value(&self, at: usize, kind: Kind) -> Option<&[u8]> {
        self.values.get(at).filter(|value| !is_empty(kind, value))
    }
}

/// An answer, and from the first entry on that it does not take, the rest.
struct Filling<'a> {
    answer: Answer<'a>,
    rest: VecDeque<(Entry, Vec<u8>)>,
}

impl Filling<'_> {
    fn put(&mut self, entry: Entry, value: Option<&[u8]>) {
        let Some(value) = value else { return };
        if !self.rest.is_empty() || self.answer.put(entry, value, &[]) == Put::Later {
            self.rest.push_back((entry, value.to_vec()));
        }
    }
}

/// What all column families have of several keys.
enum Found {
    One(Values),
    /// The merge of several column families, by key.
    Merged(Vec<Option<Vec<u8>>>),
}

impl Found {
    fn consistent(core: &TableCore, keys: &[&[u8]]) -> Result<Found> {
        let mode = core.read_mode(Reach::Files);
        if core.side_families().is_empty() {
            return Ok(Found::One(mode.get_many(core.family(), keys)?));
        }
        let consistent = |family: &ColumnFamily| mode.get_many(&family.handle, keys);
        let found = core.column_families().consistent(consistent).into_iter().collect::<Result<Vec<Values>>>()?;
        let one = |(at, key): (usize, &&[u8])| {
            let fragments: Vec<&[u8]> = found.iter().filter_map(|of| of.get(at)).collect();
            let mut merged = Vec::new();
            match fragments.is_empty() {
                true => Ok(None),
                false => merge_values(key, &fragments, &mut merged).map(|()| Some(merged)),
            }
        };
        Ok(Found::Merged(keys.iter().enumerate().map(one).collect::<Result<Vec<_>>>()?))
    }

    fn get(&self, at: usize) -> Option<&[u8]> {
        match self {
            Found::One(values) => values.get(at),
            Found::Merged(merged) => merged.get(at)?.as_deref(),
        }
    }
}

/// Keys in one buffer.
#[derive(Default)]
struct Keys {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Keys {
    fn add(&mut self, partition: &[u8], kind: Kind, clustering: &[u8]) {
        self.bytes.extend_from_slice(partition);
        self.bytes.push(kind as u8);
        self.bytes.extend_from_slice(clustering);
        self.ends.push(self.bytes.len());
    }

    fn slices(&self) -> Vec<&[u8]> {
        let mut start = 0;
        self.ends
            .iter()
            .map(|&end| {
                let slice = self.bytes.get(start..end).unwrap_or_default();
                start = end;
                slice
            })
            .collect()
    }
}
