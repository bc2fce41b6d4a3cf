// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Plans the rows of one insert, in the versions that the ledger gives them.

use std::collections::HashSet;
use std::ops::Range;

use crate::load::Row;

use super::cells::Cells;
use super::core::{Core, Visit};
use super::ratio::Ratio;
use super::seed::{below, join, unit, Words};
use super::table::{id_of, Partition};

/// A row to write.
#[derive(Debug)]
pub struct Planned {
    /// Its row in the ledger.
    pub row: Row,
    /// The version that its write has begun; `None` without a ledger.
    pub version: Option<u32>,
    /// By place.
    pub cells: Cells,
}

/// The rows of insert number `index`, which takes these places in the sequence of partitions, each row once: twice the same in
/// a batch has one timestamp and no order. Begins their writes.
pub fn planned(core: &Core, select: &Ratio, index: u64, places: Range<u64>) -> Vec<Planned> {
    let mut planned = Vec::with_capacity(1);
    let mut seen: Vec<u64> = Vec::new();
    for visit in places.filter_map(|n| core.visit(n)) {
        let partition = core.table.partition(visit.seed);
        if seen.contains(&partition.id) {
            continue;
        }
        seen.push(partition.id);
        let rows = visited(core, &visit, core.table.rows(partition.id));
        let is_one = rows.end - rows.start == 1;
        // Different rows of a partition have different identities, but few values can be made of many identities.
        let mut ids = HashSet::new();
        let mut words = Words::new(join(join(core.seed, index), partition.id));
        let share = select.at(words.word(), 0);
        selected(rows, share, &mut words, |row| {
            let (id, cells) = key_of(core, &partition, row);
            if is_one || ids.insert(id) {
                planned.push(begun(core, &visit, partition.id, id, cells));
            }
        });
    }
    planned
}

/// The rows that belong to a visit; a partition with fewer rows than visits gets its last row again.
fn visited(core: &Core, visit: &Visit, rows: u64) -> Range<u64> {
    let size = rows.div_ceil(core.revisit.visits);
    let start = (visit.number * size).min(rows - 1);
    start..(start + size).min(rows)
}

/// A row's id and its primary key.
fn key_of(core: &Core, partition: &Partition, row: u64) -> (u64, Cells) {
    let table = &core.table;
    let mut cells = Cells::with_capacity(table.first_value() + table.values.len());
    partition.keys.iter().for_each(|key| cells.push(key));
    table.append_clustering(partition.id, row, &mut cells);
    (id_of((table.keys.len()..cells.len()).map(|place| cells.get(place))), cells)
}

fn begun(core: &Core, visit: &Visit, partition: u64, id: u64, mut cells: Cells) -> Planned {
    let row = core.ledger_row(visit.seed, partition, id);
    let version = core.ledger.as_ref().map(|ledger| ledger.begin_write(row));
    core.table.append_values(partition, id, u64::from(version.unwrap_or(0)), &mut cells);
    Planned { row, version, cells }
}

/// Calls `take` for each row, with chance `share` for each; at least one of them.
fn selected(rows: Range<u64>, share: f64, words: &mut Words, mut take: impl FnMut(u64)) {
    if share >= 1.0 {
        return rows.for_each(take);
    }
    let mut any = false;
    let mut row = rows.start;
    loop {
        // The gap to the next selected row is geometric: one draw for each row taken, not for each row there is.
        let gap = if share > 0.0 { (unit(words.word()).ln() / (-share).ln_1p()) as u64 } else { u64::MAX };
        row = row.saturating_add(gap);
        if row >= rows.end {
            break;
        }
        any = true;
        take(row);
        row += 1;
    }
    if !any {
        take(rows.start + below(words.word(), rows.end - rows.start));
    }
}
