// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Decides which statements can be checked, and how the columns of an answer identify its rows.

use scylla::statement::prepared::PreparedStatement;

use super::conditions::Conditions;
use super::core::Core;
use super::profile::Fields;
use super::read_check::ReadCheck;
use super::table::{Partition, Table};

/// Partitions with more rows are read unchecked, and not deleted beside checked reads: what is remembered of each row would cost
/// more than the operation.
pub const ROWS_MAX: u64 = 4096;

/// How the answers of one statement are checked.
#[derive(Debug)]
pub struct Verifier {
    /// For each column of the answer its place in the table.
    pub places: Vec<Option<usize>>,
    /// Where the answer has the partition key, if it has.
    pub keys: Option<Vec<usize>>,
    /// Where the answer has the clustering, if it has.
    pub clustering: Option<Vec<usize>>,
    /// The statement binds the whole primary key: the answer is one row or none.
    pub one_row: bool,
    /// The answer holds every row that it is about.
    pub complete: bool,
    /// A row of the partition that the table's generators do not make can be told by its clustering.
    pub tells_others: bool,
    /// Clustering columns that the statement binds to those of one row: places in the answer, and among the columns.
    pub bound: Vec<(usize, usize)>,
}

impl Verifier {
    /// `None` if the answer does not tell which rows it shows, or in which version.
    pub fn new(core: &Core, statement: &PreparedStatement, conditions: &Conditions, fields: Fields) -> Option<Self> {
        let specs = statement.get_current_result_set_col_specs();
        let names: Vec<&str> = specs.get().iter().map(|spec| spec.name()).collect();
        Self::of(&core.table, &names, conditions, fields)
    }

    /// The same of the names of the answer's columns.
    pub fn of(table: &Table, names: &[&str], conditions: &Conditions, fields: Fields) -> Option<Self> {
        let bound = |name: &str| conditions.mark_of(name).is_some();
        let key_bound = table.keys.iter().all(|column| bound(&column.name));
        let clustering_bound = table.clustering.columns().iter().all(|column| bound(&column.name));
        if !table.is_checkable() || !conditions.plain || !key_bound {
            return None;
        }
        let places: Vec<Option<usize>> = names.iter().map(|name| table.place(name)).collect();
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
        let complete = !others && (one_row || !conditions.partial);
        // What is sorted on its way comes back with another id.
        let columns = table.clustering.columns();
        // Each `?` of a query of many rows has the value of another row, and the row that is looked for may be none of them.
        let tells_others =
            (!one_row || fields == Fields::SameRow) && !columns.iter().any(|column| column.maker.ty.is_reordered());
        let shown_at = |place| places.iter().position(|found| *found == Some(place));
        let bound = match fields {
            Fields::SameRow if tells_others => (0..columns.len())
                .filter(|&i| bound(&columns[i].name))
                .filter_map(|i| Some((shown_at(table.keys.len() + i)?, i)))
                .collect(),
            _ => Vec::new(),
        };
        Some(Self { keys, clustering, one_row, complete, tells_others, bound, places })
    }

    /// Before a read is sent: what it may see.
    pub fn watch<'a>(&'a self, core: &Core, seed: u64, partition: &Partition, row: u64) -> Option<ReadCheck<'a>> {
        let rows = if self.one_row { row..row + 1 } else { 0..core.table.rows(partition.id) };
        ReadCheck::begin(self, core, seed, partition, rows, row)
    }
}
