// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Range deletions as a digest has them: cut to what was read.

use super::read::ReadRequest;
use super::row::Moment;
use cassiterite_codec::header::{Position, Range};

const CUT: u8 = 1;
const WHOLE: u8 = 2;
const RANGE: u8 = 4;

/// Appends those that reach into the places of `request`, up to `stop` in the order of reading.
pub(super) fn put(
    request: &ReadRequest<'_>,
    ranges: &[Range<'_>],
    stop: Option<&[u8]>,
    moment: Moment,
    out: &mut Vec<u8>,
) {
    for (number, (start, end)) in request.places().enumerate() {
        let (start, end) = match stop {
            None => (start, end),
            Some(stop) if request.is_reversed() => (start.max(stop), end),
            Some(stop) => (start, end.min(stop)),
        };
        // A row is a place whose ends are equal; only one that was read is between its end and the stop.
        let is_read = if request.are_points() { start == end } else { start < end };
        if !is_read {
            continue;
        }
        let first = ranges.partition_point(|range| range.end.order <= start);
        let reaching = ranges.get(first..).unwrap_or_default().iter().take_while(|range| range.start.order < end);
        for range in reaching.filter(|range| moment.keeps(&range.deletion)) {
            out.push(RANGE);
            out.extend_from_slice(&(number as u32).to_be_bytes());
            put_end(&range.start, (range.start.order <= start).then_some(start), out);
            put_end(&range.end, (range.end.order >= end).then_some(end), out);
            out.extend_from_slice(&range.deletion.marked_for_delete_at.to_be_bytes());
        }
    }
}

fn put_end(end: &Position<'_>, cut: Option<&[u8]>, out: &mut Vec<u8>) {
    match cut {
        Some(order) => {
            out.push(CUT);
            put_counted(order, out);
        }
        None => {
            out.push(WHOLE);
            put_counted(end.order, out);
            put_counted(end.raw, out);
        }
    }
}

fn put_counted(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
    out.extend_from_slice(bytes);
}
