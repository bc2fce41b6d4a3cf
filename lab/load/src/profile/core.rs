// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The part of a workload that all its operations share: table, population, ledger.

use std::sync::Arc;

use crate::check::{Ledger, Shape};
use crate::load::Row;

use super::population::Population;
use super::seed::{below, join, mix};
use super::table::{Partition, Table};
use super::written_prefix::WrittenPrefix;

/// The table, its population, and what is remembered of it.
#[derive(Debug)]
pub struct Core {
    /// The table.
    pub table: Table,
    /// Seeds of partitions.
    pub population: Population,
    /// The run's seed.
    pub seed: u64,
    /// The ledger of acknowledged writes, when reads are checked.
    pub ledger: Option<Arc<Ledger>>,
    /// How far the sequence is written, when reads look back.
    pub written: Option<WrittenPrefix>,
    /// Partitions between the visits of one, see [`Core::visit`].
    pub revisit: Revisit,
}

/// How inserts are spread over the visits of a partition.
#[derive(Clone, Copy, Debug)]
pub struct Revisit {
    /// Visits of each partition.
    pub visits: u64,
    /// Partitions that are visited once before the first of them is visited again.
    pub window: u64,
}

/// A visit of a partition by an insert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    /// The partition's seed.
    pub seed: u64,
    /// Which of its visits, from 0.
    pub number: u64,
}

impl Core {
    /// The partition that the n-th place of the run's sequence takes to write; `None` beyond the end.
    pub fn visit(&self, n: u64) -> Option<Visit> {
        let Revisit { visits, window } = self.revisit;
        if visits == 1 {
            return self.population.seed(n, self.seed).map(|seed| Visit { seed, number: 0 });
        }
        // One round visits all partitions of a sequence, window by window; the last window may be smaller.
        let round = match &self.population {
            Population::Sequence { .. } => self.population.partitions(),
            Population::Spread(_) => u64::MAX / visits / 2,
        };
        let (rounds, place) = (n / (round * visits), n % (round * visits));
        let start = place / (window * visits) * window;
        let size = window.min(round - start);
        let inside = place - start * visits;
        let seed = self.population.seed(rounds * round + start + inside % size, self.seed)?;
        Some(Visit { seed, number: inside / size })
    }

    /// The seed of the partition that a read takes, which has place `n` in the sequence.
    pub fn read_seed(&self, n: u64, index: u64) -> Option<u64> {
        match (&self.population, &self.written) {
            (Population::Sequence { first, last, lookback: Some(lookback), .. }, Some(written)) => {
                let (count, size) = (written.count(), last - first + 1);
                let back = lookback.at(join(self.seed, index), 0) as u64;
                let back = if back <= count { back } else { back % count.max(1) };
                Some(first + (count - back.min(count)) % size)
            }
            _ => self.population.seed(n, self.seed),
        }
    }

    /// A row of the partition, any as likely as another; `what` tells apart several picks of one operation.
    pub fn pick(&self, partition: &Partition, index: u64, what: u64) -> u64 {
        match self.table.rows(partition.id) {
            1 => 0,
            rows => below(mix(join(join(self.seed, index), what)), rows),
        }
    }

    /// The row in the ledger: small numbers where the seed is the key, so that it needs little memory, else hashes. See
    /// [`ledger_shape`].
    pub fn ledger_row(&self, seed: u64, partition: u64, clustering: u64) -> Row {
        if self.table.seeds_are_keys(self.population.partitions()) {
            return Row { partition: seed, row: 0 };
        }
        Row { partition, row: clustering }
    }
}

/// The shape of a ledger for these rows: an array where [`Core::ledger_row`] numbers them; no hash is ever in one, which would
/// only take the memory that the hashes need.
pub fn ledger_shape(table: &Table, population: &Population) -> Shape {
    let partitions = population.partitions();
    match table.seeds_are_keys(partitions) {
        true => Shape::dense(population.range().0, partitions, 1),
        false => Shape::sparse(),
    }
}
