// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Which clusterings a partition has: a tree, one level for each clustering column (`PartitionIterator`).
//!
//! Under each value of a column, the next column takes as many values as its `cluster` distribution says. Rows are numbered
//! from the first leaf to the last, and any one is found without making those before it where the counts below are fixed.

use super::column::Column;
use super::seed::{join, mix, permuted};

/// The clustering columns of a table.
#[derive(Clone, Debug)]
pub struct Clustering {
    columns: Vec<Column>,
    /// Rows under one value of the column at this level, if always as many.
    fixed_below: Vec<Option<u64>>,
}

/// Narrow populations that are not flat are drawn one after the other until a value is new; wider ones hardly repeat.
const WIDE_PER_VALUE: u64 = 1 << 20;
/// Draws for each value before the next unused one is taken instead.
const DRAWS: u64 = 16;

impl Clustering {
    /// Of these columns, in the order of the key.
    pub fn new(columns: Vec<Column>) -> Self {
        let mut fixed_below = vec![Some(1); columns.len()];
        for level in (1..columns.len()).rev() {
            let cluster = &columns[level].cluster;
            let count = (cluster.min() == cluster.max()).then(|| limited(&columns[level], cluster.min() as u64));
            fixed_below[level - 1] = count.zip(fixed_below[level]).map(|(count, below)| count * below);
        }
        Self { columns, fixed_below }
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The most rows that a partition can have.
    pub fn rows_max(&self) -> u64 {
        self.columns
            .iter()
            .fold(1, |rows: u64, column| rows.saturating_mul(limited(column, column.cluster.max() as u64)))
    }

    /// The mean of the rows of a partition.
    pub fn rows_mean(&self) -> f64 {
        self.columns.iter().map(|column| column.cluster.mean()).product()
    }

    /// How many rows the partition has.
    pub fn rows(&self, partition: u64) -> u64 {
        if self.columns.is_empty() {
            return 1;
        }
        self.leaves(0, mix(partition))
    }

    /// The identities of the clustering of a row, one for each column; `row` is below [`Clustering::rows`].
    pub fn identities(&self, partition: u64, row: u64) -> impl Iterator<Item = i64> + '_ {
        let mut node = mix(partition);
        let mut left = row;
        (0..self.columns.len()).map(move |level| {
            let count = self.count(level, node);
            let child = self.descend(level, node, count, &mut left);
            let identity = self.identity(level, node, count, child);
            node = join(node, child + 1);
            identity
        })
    }

    /// Which child the leaf `left` is under; `left` becomes its number there.
    fn descend(&self, level: usize, node: u64, count: u64, left: &mut u64) -> u64 {
        if let Some(below) = self.fixed_below[level] {
            let child = (*left / below).min(count - 1);
            *left -= child * below;
            return child;
        }
        for child in 0..count - 1 {
            let below = self.leaves(level + 1, join(node, child + 1));
            if *left < below {
                return child;
            }
            *left -= below;
        }
        count - 1
    }

    fn leaves(&self, level: usize, node: u64) -> u64 {
        let count = self.count(level, node);
        match self.fixed_below[level] {
            Some(below) => count * below,
            None => (0..count).map(|child| self.leaves(level + 1, join(node, child + 1))).sum(),
        }
    }

    fn count(&self, level: usize, node: u64) -> u64 {
        let column = &self.columns[level];
        limited(column, column.cluster.at(node, !column.maker.salt) as u64)
    }

    fn identity(&self, level: usize, node: u64, count: u64, child: u64) -> i64 {
        let column = &self.columns[level];
        let (population, salt) = (&column.maker.population, column.maker.salt);
        let width = population.width();
        if population.is_sequence() {
            return population.at(child, 0);
        }
        if population.is_flat() {
            return population.min().wrapping_add(permuted(node ^ salt, width, child) as i64);
        }
        let draw = |i: u64| population.at(join(node, i), salt);
        if width / WIDE_PER_VALUE >= count {
            return draw(child);
        }
        let mut used = Vec::with_capacity(child as usize + 1);
        let mut draws = 0;
        while used.len() as u64 <= child {
            let limit = draws + DRAWS;
            let mut identity = draw(draws);
            while used.contains(&identity) && draws < limit {
                draws += 1;
                identity = draw(draws);
            }
            while used.contains(&identity) {
                identity = if identity >= population.max() { population.min() } else { identity + 1 };
            }
            draws += 1;
            used.push(identity);
        }
        used.last().copied().unwrap_or(population.min())
    }
}

/// No column takes more values than its population has.
fn limited(column: &Column, count: u64) -> u64 {
    count.min(column.maker.population.width()).max(1)
}
