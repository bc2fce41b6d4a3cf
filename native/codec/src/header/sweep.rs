// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Making any ranges canonical: one pass over their ends, in order.

use std::collections::BinaryHeap;

use crate::deletion::DeletionTime;
use crate::header::range::{Position, Range};

/// Where a range starts or ends.
struct Edge<'a> {
    position: Position<'a>,
    is_start: bool,
    range: Range<'a>,
}

/// A range that has started, the strongest deletion first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Open<'a> {
    marked_for_delete_at: i64,
    local_deletion_time_s: i64,
    end: &'a [u8],
}

impl Open<'_> {
    fn deletion(&self) -> DeletionTime {
        DeletionTime::new(self.marked_for_delete_at, self.local_deletion_time_s)
    }
}

/// Whether ranges are non-empty, disjoint, ascending, joined where they can be, and stronger than the partition
/// deletion.
pub(crate) fn is_canonical(ranges: &[Range<'_>], partition: &DeletionTime) -> bool {
    let each = ranges.iter().all(|range| counts(range, partition));
    each && ranges.windows(2).all(|pair| match pair {
        [one, two] => {
            let joins = one.end.order == two.start.order && one.deletion == two.deletion;
            one.end.order <= two.start.order && !joins
        }
        _ => true,
    })
}

/// The strongest deletion at each position, as canonical ranges.
pub(crate) fn sweep<'a>(mut ranges: Vec<Range<'a>>, partition: &DeletionTime) -> Vec<Range<'a>> {
    ranges.retain(|range| counts(range, partition));
    ranges.sort_by_key(|range| range.start.order);
    if is_canonical(&ranges, partition) && neighbours_agree(&ranges) {
        return ranges;
    }
    let mut edges: Vec<Edge<'a>> = ranges.iter().flat_map(|range| edges(*range)).collect();
    edges.sort_by_key(|edge| edge.position.order);
    let mut open = BinaryHeap::new();
    let mut swept = Vec::with_capacity(ranges.len());
    let mut current: Option<(Position<'a>, DeletionTime)> = None;
    for here in edges.chunk_by(|one, two| one.position.order == two.position.order) {
        let Some(first) = here.first() else { continue };
        let strongest = strongest_after(first.position.order, here, &mut open);
        let before = current.map_or(DeletionTime::LIVE, |(_, deletion)| deletion);
        if strongest == before {
            continue;
        }
        let position = change(here, &before, &strongest);
        if let Some((start, deletion)) = current.take() {
            swept.push(Range { start, end: position, deletion });
        }
        current = (!strongest.is_live()).then_some((position, strongest));
    }
    swept
}

/// Whether ranges that touch write their common position alike. A writer need not, a merge always does.
fn neighbours_agree(ranges: &[Range<'_>]) -> bool {
    ranges.windows(2).all(|pair| match pair {
        [one, two] => one.end.order != two.start.order || one.end.raw == two.start.raw,
        _ => true,
    })
}

/// An empty range deletes nothing; nor does one that the partition deletion outdoes.
fn counts(range: &Range<'_>, partition: &DeletionTime) -> bool {
    range.start.order < range.end.order && range.deletion.supersedes(partition)
}

fn edges(range: Range<'_>) -> [Edge<'_>; 2] {
    [Edge { position: range.start, is_start: true, range }, Edge { position: range.end, is_start: false, range }]
}

/// Opens the ranges that start here, forgets those that have ended, and tells the strongest of those that are open.
fn strongest_after<'a>(at: &[u8], here: &[Edge<'a>], open: &mut BinaryHeap<Open<'a>>) -> DeletionTime {
    for edge in here.iter().filter(|edge| edge.is_start) {
        let DeletionTime { marked_for_delete_at, local_deletion_time_s } = edge.range.deletion;
        open.push(Open { marked_for_delete_at, local_deletion_time_s, end: edge.range.end.order });
    }
    while open.peek().is_some_and(|top| top.end <= at) {
        open.pop();
    }
    open.peek().map_or(DeletionTime::LIVE, Open::deletion)
}

/// The position of a change, as the stronger side writes it: its edge is here in any grouping of the operands, so that
/// which raw bytes stay does not depend on the grouping.
fn change<'a>(here: &[Edge<'a>], before: &DeletionTime, after: &DeletionTime) -> Position<'a> {
    let starts = after.supersedes(before);
    let stronger = if starts { after } else { before };
    let mut position: Option<Position<'a>> = None;
    for edge in here.iter().filter(|edge| edge.is_start == starts && edge.range.deletion == *stronger) {
        if position.is_none_or(|known| edge.position.raw < known.raw) {
            position = Some(edge.position);
        }
    }
    position.or(here.first().map(|edge| edge.position)).unwrap_or(Position { order: &[], raw: &[] })
}
