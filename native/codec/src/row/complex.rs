// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Merging the cells of one complex column.

use std::cmp::Ordering;

use smallvec::SmallVec;

use crate::deletion::DeletionTime;
use crate::error::CodecError;
use crate::row::reader::{PathCell, RowReader};
use crate::row::writer::RowWriter;

/// Up to here the least path is searched among all parts; beyond, sorting all cells is cheaper.
const PARTS_MAX_LINEAR: usize = 8;

/// The cells that one operand has for the column.
pub(crate) struct Part<'a> {
    pub(crate) reader: RowReader<'a>,
    /// How many are still to be read.
    pub(crate) cells: u64,
}

/// Writes column `id` with deletion `own` and those cells of `parts` that `active` leaves; the parts end at their end.
/// `sorted` is a buffer for cells that are sorted.
pub(crate) fn merge<'a>(
    writer: &mut RowWriter<'_>,
    id: u32,
    own: &DeletionTime,
    active: &DeletionTime,
    parts: &mut [Part<'a>],
    sorted: &mut Vec<PathCell<'a>>,
) -> Result<(), CodecError> {
    let cells_max = parts.iter().fold(0, |sum: u64, part| sum.saturating_add(part.cells));
    writer.complex(id, own, cells_max, |out| {
        let mut emit = |found: &PathCell<'_>| {
            if !active.deletes(found.cell.timestamp) {
                out.cell(found);
            }
        };
        match parts {
            [only] => only.reader.each_path_cell(only.cells, |found| {
                emit(found);
                Ok(())
            }),
            few if few.len() <= PARTS_MAX_LINEAR => merge_few(few, &mut emit),
            many => merge_many(many, sorted, &mut emit),
        }
    })
}

/// Of cells under one path the winner; it stays as it is written, and of equal cells the bytewise smaller.
#[inline]
fn winner<'a>(one: PathCell<'a>, two: PathCell<'a>) -> PathCell<'a> {
    let raw = |found: &PathCell<'a>| found.raw.unwrap_or(found.order);
    match one.cell.precedence(&two.cell).then_with(|| raw(&two).cmp(raw(&one))) {
        Ordering::Less => two,
        _ => one,
    }
}

fn merge_few(parts: &mut [Part<'_>], emit: &mut impl FnMut(&PathCell<'_>)) -> Result<(), CodecError> {
    let mut heads: SmallVec<[Option<PathCell<'_>>; PARTS_MAX_LINEAR]> = SmallVec::new();
    for part in parts.iter_mut() {
        heads.push(part.next(None)?);
    }
    while let Some(least) = least(&heads) {
        let mut best: Option<PathCell<'_>> = None;
        for (at, part) in parts.iter_mut().enumerate().skip(least.at) {
            let Some(head) = heads.get_mut(at) else { break };
            let Some(found) = head.filter(|found| at == least.at || (least.is_tied && found.order == least.order))
            else {
                continue;
            };
            best = Some(best.map_or(found, |best| winner(best, found)));
            *head = part.next(Some(found.order))?;
            if !least.is_tied {
                break;
            }
        }
        if let Some(best) = &best {
            emit(best);
        }
    }
    Ok(())
}

/// The first part with the least path, and whether others have that path too.
struct Least<'a> {
    at: usize,
    order: &'a [u8],
    is_tied: bool,
}

#[inline]
fn least<'a>(heads: &[Option<PathCell<'a>>]) -> Option<Least<'a>> {
    let mut least: Option<Least<'a>> = None;
    for (at, head) in heads.iter().enumerate() {
        let Some(PathCell { order, .. }) = *head else { continue };
        match least.as_mut().map(|least| (order.cmp(least.order), least)) {
            Some((Ordering::Greater, _)) => {}
            Some((Ordering::Equal, least)) => least.is_tied = true,
            _ => least = Some(Least { at, order, is_tied: false }),
        }
    }
    least
}

fn merge_many<'a>(
    parts: &mut [Part<'a>],
    all: &mut Vec<PathCell<'a>>,
    emit: &mut impl FnMut(&PathCell<'_>),
) -> Result<(), CodecError> {
    all.clear();
    for part in parts.iter_mut() {
        let cells = std::mem::take(&mut part.cells);
        part.reader.each_path_cell(cells, |found| {
            all.push(*found);
            Ok(())
        })?;
    }
    all.sort_unstable_by(|one, two| one.order.cmp(two.order));
    for same in all.chunk_by(|one, two| one.order == two.order) {
        if let Some(best) = same.iter().copied().reduce(winner) {
            emit(&best);
        }
    }
    Ok(())
}

impl<'a> Part<'a> {
    #[inline]
    fn next(&mut self, last: Option<&[u8]>) -> Result<Option<PathCell<'a>>, CodecError> {
        let Some(left) = self.cells.checked_sub(1) else { return Ok(None) };
        self.cells = left;
        let found = self.reader.path_cell()?;
        self.reader.check_order(last, found.order)?;
        Ok(Some(found))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::row::cell::Cell;

    #[test]
    fn equal_cells_under_differently_written_paths_keep_the_bytewise_smaller() {
        let of = |raw| PathCell { order: b"p", raw, cell: Cell::live(1, b"v") };
        let (small, large) = (of(Some(&b"a"[..])), of(Some(&b"b"[..])));
        assert_eq!(winner(small, large), small);
        assert_eq!(winner(large, small), small);
        assert_eq!(winner(of(None), small), small);
    }
}
