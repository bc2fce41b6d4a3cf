// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Deletes beside checked reads: which rows a `DELETE` removes, and their entries in the ledger.

use std::ops::Range;

use crate::check::{Ledger, Version};
use crate::load::Row;

use super::column::Column;
use super::conditions::Conditions;
use super::core::Core;
use super::profile::Fields;
use super::table::{id_of, Partition, Table};
use super::verify::ROWS_MAX;

/// The rows that a delete removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The row whose clustering is bound.
    Row,
    /// All rows under the partition key that is bound.
    Partition,
}

impl Extent {
    /// `None` if the statement is no `DELETE` of one row or of one partition, by `=` alone, or of one too large to remember.
    pub fn of(table: &Table, conditions: &Conditions, fields: Fields) -> Option<Self> {
        let are_bound = |columns: &[Column]| columns.iter().all(|column| conditions.mark_of(&column.name).is_some());
        let clustering = table.clustering.columns();
        if !conditions.deletes || conditions.partial || !are_bound(&table.keys) {
            return None;
        }
        // Values of several rows need not be the clustering of any.
        let is_one_row = clustering.len() < 2 || fields == Fields::SameRow;
        match conditions.equal.len() - table.keys.len() {
            0 => (table.clustering.rows_max() <= ROWS_MAX).then_some(Self::Partition),
            bound if bound == clustering.len() && are_bound(clustering) && is_one_row => Some(Self::Row),
            _ => None,
        }
    }

    /// The rows that go, of a statement that is bound to `row`.
    pub fn rows(self, table: &Table, partition: &Partition, row: u64) -> Range<u64> {
        match self {
            Self::Row => row..row + 1,
            Self::Partition => 0..table.rows(partition.id),
        }
    }
}

/// Deletes of rows that the ledger knows to have begun.
#[derive(Debug)]
pub struct PendingDelete<'a> {
    ledger: &'a Ledger,
    rows: Vec<(Row, Version)>,
}

impl<'a> PendingDelete<'a> {
    /// Before the delete is sent. `None` without a ledger.
    pub fn new(core: &'a Core, seed: u64, partition: &Partition, rows: Range<u64>) -> Option<Self> {
        let ledger = core.ledger.as_deref()?;
        let begin = |row| {
            let row = core.ledger_row(seed, partition.id, id_of(core.table.clustering_of(partition.id, row).iter()));
            (row, ledger.begin_delete(row))
        };
        Some(Self { ledger, rows: rows.map(begin).collect() })
    }

    /// Once it has ended; one that was not acknowledged may be there, now or later.
    pub fn end(self, acknowledged: bool) {
        for (row, version) in self.rows {
            match acknowledged {
                true => self.ledger.acknowledge(row, version),
                false => self.ledger.fail(row, version),
            }
        }
    }
}
