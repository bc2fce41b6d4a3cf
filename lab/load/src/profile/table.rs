// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Makes the rows of a table: keys from the partition's seed, clusterings from partition and row, cells from all three.

use std::collections::HashMap;

use anyhow::{bail, ensure, Result};

use super::cells::Cells;
use super::clustering::Clustering;
use super::column::{Column, Definition, Role};
use super::profile::ColumnSpec;
use super::ratio::Ratio;
use super::seed::{below, join, mix, of_bytes, unit};
use super::types::Type;

/// A table and the generators of its columns; columns have places: partition key, clustering, then the others.
#[derive(Clone, Debug)]
pub struct Table {
    /// The partition key.
    pub keys: Vec<Column>,
    /// The clustering.
    pub clustering: Clustering,
    /// Static and regular columns.
    pub values: Vec<Column>,
    /// Value columns that are never null by themselves.
    anchors: Vec<usize>,
    /// The share of a row's value columns that get a value; the others get null.
    pub row_population: Ratio,
}

/// A partition of the population.
#[derive(Clone, Debug)]
pub struct Partition {
    /// A hash of the key's bytes: what two seeds with the same key share. Everything below depends on it, not on the seed.
    pub id: u64,
    /// The partition key.
    pub keys: Cells,
}

impl Table {
    /// The table with these columns (in the order of its keys) and what the profile says of them.
    pub fn new(definitions: &[Definition], specs: &[ColumnSpec], row_population: Ratio) -> Result<Self> {
        let mut specs: HashMap<&str, &ColumnSpec> = specs.iter().map(|spec| (spec.name.as_str(), spec)).collect();
        let mut of_role = |roles: &[Role]| -> Result<Vec<Column>> {
            let matching = definitions.iter().filter(|definition| roles.contains(&definition.role));
            matching.map(|definition| Column::new(definition, specs.remove(definition.name.as_str()))).collect()
        };
        let keys = of_role(&[Role::Partition])?;
        let clustering = Clustering::new(of_role(&[Role::Clustering])?);
        let values = of_role(&[Role::Static, Role::Regular])?;
        if let Some(name) = specs.keys().next() {
            bail!("columnspec {name}: the table has no such column");
        }
        ensure!(!keys.is_empty(), "the table has no partition key");
        let anchors = (0..values.len()).filter(|&i| values[i].is_comparable() && !values[i].multicell).collect();
        Ok(Self { keys, clustering, values, anchors, row_population })
    }

    /// All columns by their place.
    pub fn columns(&self) -> impl Iterator<Item = &Column> {
        self.keys.iter().chain(self.clustering.columns()).chain(&self.values)
    }

    /// The place of a column.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.columns().position(|column| column.name == name)
    }

    /// Where the value columns begin.
    pub fn first_value(&self) -> usize {
        self.keys.len() + self.clustering.columns().len()
    }

    /// Whether it holds counters.
    pub fn is_counter(&self) -> bool {
        self.values.iter().any(|column| column.maker.ty == Type::Counter)
    }

    /// Whether a version of a row can be told from its cells.
    pub fn is_checkable(&self) -> bool {
        !self.is_counter() && !self.anchors.is_empty()
    }

    /// Whether different seeds of a population have different keys, and a partition is one row.
    pub fn seeds_are_keys(&self, partitions: u64) -> bool {
        let counts = |column: &Column| {
            let maker = &column.maker;
            let distinct = match maker.ty {
                Type::Bigint | Type::Varint => true,
                Type::Text | Type::Ascii | Type::Blob => maker.size.min() >= 10, // 60 random bits and more
                _ => false,
            };
            distinct && maker.population.is_sequence() && maker.population.width() >= partitions
        };
        self.clustering.columns().is_empty() && self.keys.iter().any(counts)
    }

    /// The partition of a seed.
    pub fn partition(&self, seed: u64) -> Partition {
        let mut keys = Cells::with_capacity(self.keys.len());
        for column in &self.keys {
            let identity = column.maker.population.at(seed, column.maker.salt);
            keys.push_with(|bytes| column.maker.make(identity, false, bytes));
        }
        Partition { id: id_of(keys.iter()), keys }
    }

    /// The rows of a partition.
    pub fn rows(&self, partition: u64) -> u64 {
        self.clustering.rows(partition)
    }

    /// Appends the clustering of a row.
    pub fn append_clustering(&self, partition: u64, row: u64, out: &mut Cells) {
        for (column, identity) in self.clustering.columns().iter().zip(self.clustering.identities(partition, row)) {
            out.push_with(|bytes| column.maker.make(identity, false, bytes));
        }
    }

    /// The clustering of a row by itself.
    pub fn clustering_of(&self, partition: u64, row: u64) -> Cells {
        let mut cells = Cells::with_capacity(self.clustering.columns().len());
        self.append_clustering(partition, row, &mut cells);
        cells
    }

    /// Appends the value columns of a row's version; `row` is the row's id, see [`id_of`].
    pub fn append_values(&self, partition: u64, row: u64, version: u64, out: &mut Cells) {
        let seed = join(join(partition, row), version);
        let whole = self.row_population.is_whole();
        let share = if whole { 1.0 } else { self.row_population.at(seed, 0) };
        let kept = self.anchors.get(below(mix(seed), self.anchors.len() as u64) as usize);
        for (i, column) in self.values.iter().enumerate() {
            // One always has a value: without any, the row would not be there.
            let present = whole || Some(&i) == kept || unit(mix(seed ^ !column.maker.salt)) < share;
            out.push_with(|bytes| present && self.append_value(column, seed, bytes));
        }
    }

    fn append_value(&self, column: &Column, seed: u64, bytes: &mut Vec<u8>) -> bool {
        column.maker.make(column.maker.population.at(seed, column.maker.salt), column.multicell, bytes)
    }
}

/// The id of a partition or a row: a hash of its key's or clustering's cells. The same for what is sent and what comes back.
pub fn id_of<'a>(cells: impl Iterator<Item = Option<&'a [u8]>>) -> u64 {
    cells.fold(0, |id, cell| join(id, cell.map_or(u64::MAX, of_bytes)))
}
