// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Checks the answer of a read: which version of each row it shows, whether the ledger allows it, and which rows are missing.

use std::collections::{HashMap, HashSet};
use std::mem::replace;
use std::ops::Range;

use anyhow::Result;
use scylla::deserialize::row::ColumnIterator;
use scylla::response::query_result::QueryRowsResult;

use crate::check::{Ledger, Snapshot};
use crate::load::{Answer, Fault, FaultKind, Row};

use super::canonical::canonical;
use super::cells::Cells;
use super::core::Core;
use super::seed::join;
use super::table::{id_of, Partition};
use super::verify::Verifier;

/// Versions that an answer is compared with beyond those that it may show, to tell stale rows from mixed-up ones.
const OLD_VERSIONS_MAX: usize = 1000;

/// A row's cells as they came.
type AnswerCells<'a> = [Option<&'a [u8]>];

#[derive(Debug)]
struct Expected {
    snapshot: Snapshot,
    clustering: Cells,
    came: bool,
}

/// A read under way.
#[derive(Debug)]
pub struct ReadCheck<'a> {
    verifier: &'a Verifier,
    seed: u64,
    partition: Partition,
    /// What the bound clustering columns are to be.
    bound: Vec<(usize, Option<Vec<u8>>)>,
    /// By the id of the row.
    expected: HashMap<u64, Expected>,
    /// Ids of rows that came and are none of those.
    others: HashSet<u64>,
    /// Rows of the partition that came.
    came: u64,
}

impl<'a> ReadCheck<'a> {
    /// Before a read of these rows is sent, which binds what `asked` has. `None` without a ledger.
    pub fn begin(
        verifier: &'a Verifier,
        core: &Core,
        seed: u64,
        partition: &Partition,
        rows: Range<u64>,
        asked: u64,
    ) -> Option<Self> {
        let ledger = core.ledger.as_deref()?;
        let mut expected = HashMap::with_capacity((rows.end - rows.start) as usize);
        let mut bound = Vec::new();
        for row in rows {
            let clustering = core.table.clustering_of(partition.id, row);
            if row == asked {
                let cell = |column| clustering.get(column).map(<[u8]>::to_vec);
                bound = verifier.bound.iter().map(|&(at, column)| (at, cell(column))).collect();
            }
            let id = id_of(clustering.iter());
            let snapshot = ledger.begin_read(core.ledger_row(seed, partition.id, id));
            expected.insert(id, Expected { snapshot, clustering, came: false });
        }
        Some(Self { verifier, seed, partition: partition.clone(), bound, expected, others: HashSet::new(), came: 0 })
    }

    /// Checks a page of the answer.
    pub fn check_page(&mut self, core: &Core, rows: &QueryRowsResult, answer: &mut Answer) -> Result<()> {
        let Some(ledger) = core.ledger.as_deref() else { return Ok(()) };
        let mut cells: Vec<Option<&[u8]>> = Vec::new();
        for row in rows.rows::<ColumnIterator<'_, '_>>()? {
            cells.clear();
            for column in row? {
                cells.push(column?.slice.map(|slice| slice.as_slice()));
            }
            self.check_row(core, ledger, &cells, answer);
        }
        Ok(())
    }

    /// Checks one row.
    pub fn check_row(&mut self, core: &Core, ledger: &Ledger, cells: &AnswerCells<'_>, answer: &mut Answer) {
        let at = |places: &[usize]| places.iter().map(|&i| cells.get(i).copied().flatten()).collect::<Vec<_>>();
        let asked = self.partition.id;
        if self.verifier.keys.as_deref().is_some_and(|keys| id_of(at(keys).into_iter()) != asked) {
            answer.rows_checked += 1;
            let row = Row { partition: self.seed, row: join(asked, 0) };
            answer.faults.push(self.fault(FaultKind::MixedUp, row, &[], "the row of another partition came"));
            return;
        }
        let clustering = self.verifier.clustering.as_deref().map(at);
        let id = match &clustering {
            Some(clustering) => Some(id_of(clustering.iter().copied())),
            None => self.expected.keys().next().copied(),
        };
        let Some(id) = id else { return };
        let asked_for = self.bound.iter().all(|(at, asked)| cells.get(*at).copied().flatten() == asked.as_deref());
        if let Some(detail) = self.intrusion(ledger, id, clustering.as_deref().unwrap_or_default(), asked_for) {
            answer.rows_checked += 1;
            let row = self.expected.get(&id).map(|expected| expected.snapshot.row());
            let row = row.unwrap_or(Row { partition: asked, row: id });
            answer.faults.push(self.fault(FaultKind::MixedUp, row, &clustering.unwrap_or_default(), detail));
        } else if let Some(expected) = self.expected.get(&id).filter(|one| !one.snapshot.accepts_anything()) {
            answer.rows_checked += 1;
            answer.faults.extend(self.judged(core, ledger, id, expected, cells));
        }
    }

    /// Why a row must not come, whatever its cells are. Another one that this population does not make is somebody else's,
    /// unless nobody can have written it.
    fn intrusion(
        &mut self,
        ledger: &Ledger,
        id: u64,
        clustering: &AnswerCells<'_>,
        asked_for: bool,
    ) -> Option<&'static str> {
        self.came += 1;
        let (is_ours, came_before) = match self.expected.get_mut(&id) {
            Some(expected) => (true, replace(&mut expected.came, true)),
            None => (false, !self.others.insert(id)),
        };
        // Static columns alone come as a row without a clustering.
        let is_row = clustering.iter().all(Option::is_some);
        match () {
            () if came_before => Some("the row came twice"),
            () if self.verifier.one_row && self.came > 1 => Some("a second row came for one primary key"),
            () if !asked_for => Some("a row came that was not asked for"),
            () if !is_ours && is_row && self.verifier.tells_others && ledger.began_empty() => {
                Some("a row came that nobody wrote")
            }
            () => None,
        }
    }

    fn judged(
        &self,
        core: &Core,
        ledger: &Ledger,
        id: u64,
        expected: &Expected,
        cells: &AnswerCells<'_>,
    ) -> Option<Fault> {
        let snapshot = &expected.snapshot;
        let seen = self.version(core, ledger, snapshot, id, cells);
        let kind = match seen {
            Some(version) => ledger.judge(snapshot, Some(version)),
            None => Some(FaultKind::MixedUp),
        };
        let came = || seen.map_or("cells of no version that was written".to_owned(), |seen| format!("version {seen}"));
        kind.map(|kind| self.wrong(kind, ledger, expected, &came()))
    }

    fn version(
        &self,
        core: &Core,
        ledger: &Ledger,
        snapshot: &Snapshot,
        id: u64,
        cells: &AnswerCells<'_>,
    ) -> Option<u32> {
        let shows = |version: &u32| self.shows(core, id, *version, cells);
        let allowed = ledger.candidates(snapshot, false);
        if let Some(version) = allowed.into_iter().find(shows) {
            return Some(version);
        }
        ledger.candidates(snapshot, true).into_iter().take(OLD_VERSIONS_MAX).find(shows)
    }

    fn shows(&self, core: &Core, id: u64, version: u32, cells: &AnswerCells<'_>) -> bool {
        let table = &core.table;
        let first = table.first_value();
        let mut made = Cells::with_capacity(table.values.len());
        table.append_values(self.partition.id, id, u64::from(version), &mut made);
        self.verifier.places.iter().zip(cells).all(|(place, came)| {
            let Some(value) = place.and_then(|place| place.checked_sub(first)) else { return true };
            let column = &table.values[value];
            if !column.is_comparable() {
                return true;
            }
            match (made.get(value), came) {
                (None, None) => true,
                (Some(made), Some(came)) if made == *came => true,
                (Some(made), Some(came)) if column.maker.ty.is_reordered() => {
                    canonical(&column.maker.ty, made) == canonical(&column.maker.ty, came)
                }
                _ => false,
            }
        })
    }

    /// After the last page: rows that did not come.
    pub fn finish(self, core: &Core, answer: &mut Answer) {
        let Some(ledger) = core.ledger.as_deref().filter(|_| self.verifier.complete) else { return };
        for expected in self.expected.values().filter(|one| !one.came && !one.snapshot.accepts_anything()) {
            answer.rows_checked += 1;
            let kind = ledger.judge(&expected.snapshot, None);
            answer.faults.extend(kind.map(|kind| self.wrong(kind, ledger, expected, "no row")));
        }
    }

    fn wrong(&self, kind: FaultKind, ledger: &Ledger, expected: &Expected, came: &str) -> Fault {
        let detail = format!("expected {}, came {came}", ledger.expected(&expected.snapshot));
        let clustering: Vec<_> = expected.clustering.iter().collect();
        self.fault(kind, expected.snapshot.row(), &clustering, &detail)
    }

    fn fault(&self, kind: FaultKind, row: Row, clustering: &AnswerCells<'_>, detail: &str) -> Fault {
        let key = hex(self.partition.keys.iter());
        let clustering = match clustering {
            [] => String::new(),
            cells => format!(", clustering {}", hex(cells.iter().copied())),
        };
        Fault { kind, row, detail: format!("key {key}{clustering} (seed {}): {detail}", self.seed) }
    }
}

fn hex<'a>(cells: impl Iterator<Item = Option<&'a [u8]>>) -> String {
    let one = |cell: Option<&[u8]>| match cell {
        Some(bytes) => bytes.iter().fold("0x".to_owned(), |text, byte| format!("{text}{byte:02x}")),
        None => "null".to_owned(),
    };
    cells.map(one).collect::<Vec<_>>().join(":")
}
