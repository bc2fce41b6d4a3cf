// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Reads of single rows: one lookup where the partition has no header, else one lookup of several keys in one view.

use super::answer::{wanting, Answer, Chunk, Entry, Put, ENTRY_HEAD_BYTES, HEAD_BYTES};
use super::request::ReadRequest;
use crate::error::Result;
use crate::raw::sys::{Got, Reach, Values};
use crate::source::merge_values;
use crate::table::{ColumnFamily, TableCore};
use cassiterite_codec::is_empty;
use cassiterite_codec::key::Kind;
use std::cell::RefCell;

/// More points than this go through an iterator: their values need not be in memory all at once.
const POINTS_AT_ONCE: usize = 64;

thread_local! {
    static KEY: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Answers a read of points completely, or `None` where only a [`super::walk::Walk`] can: too many points, or a
/// buffer too small for all of them.
pub(super) fn read(core: &TableCore, request: &ReadRequest<'_>, buffer: &mut [u8]) -> Result<Option<i32>> {
    if let Some(answered) = read_one(core, request, buffer)? {
        return Ok(Some(answered));
    }
    if request.selection.count() > POINTS_AT_ONCE || buffer.len() < HEAD_BYTES {
        return Ok(None);
    }
    loop {
        let headers = core.headers().seen();
        let answered = several(core, request, headers.possible(), buffer)?;
        if headers.possible() || core.headers().none_since(headers) {
            return Ok(answered);
        }
    }
}

/// The same for one point where a lookup of one key will do. Only this one stays in memory where that is asked for:
/// RocksDB's lookup of several keys reads files whatever its `read_tier` says.
pub(super) fn read_one(core: &TableCore, request: &ReadRequest<'_>, buffer: &mut [u8]) -> Result<Option<i32>> {
    let one = request.selection.points() && request.selection.count() == 1 && !request.with_static;
    let headers = core.headers().seen();
    if !one || headers.possible() || !core.side_families().is_empty() {
        return Ok(None);
    }
    let answered = single(core, request, buffer)?;
    // A header that came before the row was read is recorded by now; one that comes later was not in the same write.
    Ok(core.headers().none_since(headers).then_some(answered))
}

fn single(core: &TableCore, request: &ReadRequest<'_>, buffer: &mut [u8]) -> Result<i32> {
    let Some((point, _)) = request.selection.iter().next() else {
        return Answer::new(buffer, request.chunk).finish(0);
    };
    let mut answer = Answer::new(buffer, request.chunk);
    let got = KEY.with_borrow_mut(|key| {
        key.clear();
        key.extend_from_slice(request.partition);
        key.push(Kind::Row as u8);
        key.extend_from_slice(point);
        core.read_mode(request.reach).get_into(core.family(), key, answer.free())
    })?;
    match got {
        Got::TooLong(length) => return wanting(HEAD_BYTES + ENTRY_HEAD_BYTES + length + ENTRY_HEAD_BYTES),
        Got::Copied(length) if !is_empty(Kind::Row, answer.free().get(..length).unwrap_or_default()) => {
            answer.accept(Entry::Row, length)?;
        }
        Got::Copied(_) | Got::Absent => {}
    }
    if answer.put(Entry::SliceEnd, &[], &[]) == Put::Later {
        return wanting(HEAD_BYTES + ENTRY_HEAD_BYTES);
    }
    answer.finish(0)
}

/// `None` if the answer does not fit.
fn several(core: &TableCore, request: &ReadRequest<'_>, with_header: bool, buffer: &mut [u8]) -> Result<Option<i32>> {
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
    let keys = keys.slices();
    let values = Found::consistent(core, &keys)?;
    let mut answer = Answer::new(buffer, Chunk::ALL);
    let points_from = usize::from(with_header) + usize::from(request.with_static);
    let mut fits = true;
    if with_header {
        fits &= put(&mut answer, &values, 0, Kind::Header, Entry::Header);
    }
    if request.with_static {
        fits &= put(&mut answer, &values, points_from - 1, Kind::Static, Entry::Static);
    }
    for at in 0..request.selection.count() {
        let at = if request.reversed { request.selection.count() - 1 - at } else { at };
        fits = fits
            && put(&mut answer, &values, points_from + at, Kind::Row, Entry::Row)
            && answer.put(Entry::SliceEnd, &[], &[]) == Put::Taken;
    }
    if !fits {
        return Ok(None);
    }
    answer.finish(0).map(Some)
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

fn put(answer: &mut Answer<'_>, values: &Found, at: usize, kind: Kind, entry: Entry) -> bool {
    match values.get(at) {
        Some(value) if !is_empty(kind, value) => answer.put(entry, value, &[]) == Put::Taken,
        _ => true,
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
