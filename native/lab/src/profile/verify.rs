// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Answers compared with what was acknowledged: which version of a row an answer shows, and whether it may.

use std::collections::HashMap;

use anyhow::Result;
use scylla::deserialize::row::ColumnIterator;
use scylla::response::query_result::QueryRowsResult;
use scylla::statement::prepared::PreparedStatement;

use crate::check::{Ledger, Snapshot};
use crate::load::{Answer, Fault, FaultKind};

use super::canonical::canonical;
use super::cells::Cells;
use super::conditions::Conditions;
use super::core::Core;
use super::profile::Fields;
use super::seed::join;
use super::table::{id_of, Partition};

/// Partitions with more rows are read unchecked, and not deleted beside checked reads: what is remembered of each row would cost
/// more than the operation.
pub const ROWS_MAX: u64 = 4096;
/// Versions that an answer is compared with beyond those that it may show, to tell stale rows from mixed-up ones.
const OLD_VERSIONS_MAX: usize = 1000;

/// How the answers of one statement are checked.
#[derive(Debug)]
pub struct Verifier {
    /// For each column of the answer its place in the table.
    places: Vec<Option<usize>>,
    /// Where the answer has the partition key and the clustering, if it has.
    keys: Option<Vec<usize>>,
    clustering: Option<Vec<usize>>,
    /// The statement binds the whole primary key: the answer is one row or none.
    one_row: bool,
    /// The answer holds every row that it is about.
    complete: bool,
}

impl Verifier {
    /// `None` if the answer does not tell which rows it shows, or in which version.
    pub fn new(core: &Core, statement: &PreparedStatement, conditions: &Conditions, fields: Fields) -> Option<Self> {
        let table = &core.table;
        let bound = |name: &str| conditions.mark_of(name).is_some();
        let key_bound = table.keys.iter().all(|column| bound(&column.name));
        let clustering_bound = table.clustering.columns().iter().all(|column| bound(&column.name));
        if !table.is_checkable() || !conditions.plain || !key_bound {
            return None;
        }
        let specs = statement.get_current_result_set_col_specs();
        let places: Vec<Option<usize>> = specs.get().iter().map(|spec| table.place(spec.name())).collect();
        let find = |places_of: std::ops::Range<usize>| -> Option<Vec<usize>> {
            places_of.map(|place| places.iter().position(|found| *found == Some(place))).collect()
        };
        let keys = find(0..table.keys.len());
        let clustering = find(table.keys.len()..table.first_value());
        let several = table.clustering.columns().len() > 1 && fields == Fields::MultiRow;
        let one_row = clustering_bound && !several;
        let first = table.first_value();
        let shown = places.iter().flatten().any(|&place| place >= first && table.values[place - first].is_comparable());
        if !shown || (clustering.is_none() && !one_row) || (!one_row && table.clustering.rows_max() > ROWS_MAX) {
            return None;
        }
        let others =
            conditions.equal.len() > table.keys.len() + if one_row { table.clustering.columns().len() } else { 0 };
        Some(Self { keys, clustering, one_row, complete: !others && (one_row || !conditions.partial), places })
    }

    /// Before a read is sent: what it may see.
    pub fn watch<'a>(&'a self, core: &Core, seed: u64, partition: &Partition, row: u64) -> Option<Watch<'a>> {
        let ledger = core.ledger.as_deref()?;
        let rows = if self.one_row { row..row + 1 } else { 0..core.table.rows(partition.id) };
        let mut expected = HashMap::with_capacity((rows.end - rows.start) as usize);
        for row in rows {
            let clustering = core.table.clustering_of(partition.id, row);
            let row_id = id_of(clustering.iter());
            let snapshot = ledger.begin_read(core.ledger_row(seed, partition.id, row_id));
            expected.insert(row_id, Expected { snapshot, clustering });
        }
        Some(Watch { verifier: self, seed, partition: partition.clone(), expected })
    }
}

#[derive(Debug)]
struct Expected {
    snapshot: Snapshot,
    clustering: Cells,
}

/// A read under way.
#[derive(Debug)]
pub struct Watch<'a> {
    verifier: &'a Verifier,
    seed: u64,
    partition: Partition,
    /// By the id of the row; what was seen is taken out.
    expected: HashMap<u64, Expected>,
}

impl Watch<'_> {
    /// Checks a page of the answer.
    pub fn see(&mut self, core: &Core, rows: &QueryRowsResult, answer: &mut Answer) -> Result<()> {
        let Some(ledger) = core.ledger.as_deref() else { return Ok(()) };
        let mut cells: Vec<Option<&[u8]>> = Vec::new();
        for row in rows.rows::<ColumnIterator<'_, '_>>()? {
            cells.clear();
            for column in row? {
                cells.push(column?.slice.map(|slice| slice.as_slice()));
            }
            self.see_row(core, ledger, &cells, answer);
        }
        Ok(())
    }

    fn see_row(&mut self, core: &Core, ledger: &Ledger, cells: &[Option<&[u8]>], answer: &mut Answer) {
        let pick = |at: &[usize]| at.iter().map(|&i| cells.get(i).copied().flatten()).collect::<Vec<_>>();
        let asked = self.partition.id;
        if self.verifier.keys.as_deref().is_some_and(|keys| id_of(pick(keys).into_iter()) != asked) {
            answer.rows_checked += 1;
            answer.faults.push(self.fault(FaultKind::MixedUp, None, "the row of another partition came".to_owned()));
            return;
        }
        let row_id = match &self.verifier.clustering {
            Some(clustering) => Some(id_of(pick(clustering).into_iter())),
            None => self.expected.keys().next().copied(),
        };
        // Rows that this population does not make are somebody else's.
        let Some((row_id, expected)) = row_id.and_then(|id| self.expected.remove(&id).map(|row| (id, row))) else {
            return;
        };
        if expected.snapshot.accepts_anything() {
            return;
        }
        answer.rows_checked += 1;
        let seen = self.version(core, ledger, &expected.snapshot, row_id, cells);
        let kind = match seen {
            Some(version) => ledger.judge(&expected.snapshot, Some(version)),
            None => Some(FaultKind::MixedUp),
        };
        if let Some(kind) = kind {
            let came =
                seen.map_or("cells of no version that was written".to_owned(), |version| format!("version {version}"));
            let detail = format!("expected {}, came {came}", ledger.expected(&expected.snapshot));
            answer.faults.push(self.fault(kind, Some(&expected), detail));
        }
    }

    fn version(
        &self,
        core: &Core,
        ledger: &Ledger,
        snapshot: &Snapshot,
        row_id: u64,
        cells: &[Option<&[u8]>],
    ) -> Option<u32> {
        let shows = |version: &u32| self.shows(core, row_id, *version, cells);
        let allowed = ledger.candidates(snapshot, false);
        if let Some(version) = allowed.into_iter().find(shows) {
            return Some(version);
        }
        ledger.candidates(snapshot, true).into_iter().take(OLD_VERSIONS_MAX).find(shows)
    }

    fn shows(&self, core: &Core, row_id: u64, version: u32, cells: &[Option<&[u8]>]) -> bool {
        let table = &core.table;
        let first = table.first_value();
        let mut made = Cells::with_capacity(table.values.len());
        table.append_values(self.partition.id, row_id, u64::from(version), &mut made);
        self.verifier.places.iter().zip(cells).all(|(place, came)| {
            let Some(value) = place.and_then(|place| place.checked_sub(first)) else { return true };
            let column = &table.values[value];
            if !column.is_comparable() {
                return true;
            }
            match (made.get(value), came) {
                (None, None) => true,
                (Some(made), Some(came)) if made == *came => true,
                (Some(made), Some(came)) if column.maker.held.is_reordered() => {
                    canonical(&column.maker.held, made) == canonical(&column.maker.held, came)
                }
                _ => false,
            }
        })
    }

    /// After the last page: rows that did not come.
    pub fn finish(self, core: &Core, answer: &mut Answer) {
        let Some(ledger) = core.ledger.as_deref().filter(|_| self.verifier.complete) else { return };
        for expected in self.expected.values() {
            if expected.snapshot.accepts_anything() {
                continue;
            }
            answer.rows_checked += 1;
            if let Some(kind) = ledger.judge(&expected.snapshot, None) {
                let detail = format!("expected {}, came no row", ledger.expected(&expected.snapshot));
                answer.faults.push(self.fault(kind, Some(expected), detail));
            }
        }
    }

    fn fault(&self, kind: FaultKind, expected: Option<&Expected>, detail: String) -> Fault {
        let key = hex(&self.partition.keys);
        let (row, clustering) = match expected {
            Some(expected) => (expected.snapshot.row(), hex(&expected.clustering)),
            None => (crate::load::Row { partition: self.seed, row: join(self.partition.id, 0) }, String::new()),
        };
        let clustering = if clustering.is_empty() { clustering } else { format!(", clustering {clustering}") };
        Fault { kind, row, detail: format!("key {key}{clustering} (seed {}): {detail}", self.seed) }
    }
}

fn hex(cells: &Cells) -> String {
    let one = |cell: Option<&[u8]>| match cell {
        Some(bytes) => bytes.iter().fold("0x".to_owned(), |text, byte| format!("{text}{byte:02x}")),
        None => "null".to_owned(),
    };
    cells.iter().map(one).collect::<Vec<_>>().join(":")
}
