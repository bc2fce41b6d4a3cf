// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What has been read of a partition: its deletions, its static row and its latest row.

use super::paging::Clustering;
use super::recipe::Recipe;
use super::row::{self, Found};
use super::value::CLUSTERING;
use super::values::Values;
use crate::reason::Reason;
use cassiterite_codec::header::Coverage;
use cassiterite_codec::row::{Components, Head, RowReader};

pub(super) struct Partition<'p, 'a> {
    recipe: &'p Recipe,
    now_s: i64,
    deletions: Coverage,
    pub statics: Values<'a>,
    pub regulars: Values<'a>,
    /// Of the latest row.
    pub clustering: Clustering<'a>,
    /// A buffer.
    order: Vec<u8>,
}

impl<'p, 'a> Partition<'p, 'a> {
    /// Nothing of it so far; cells are judged at `now_s`.
    pub(super) fn new(recipe: &'p Recipe, now_s: i64) -> Self {
        Partition {
            recipe,
            now_s,
            deletions: Coverage::new(),
            statics: Values::new(&recipe.statics),
            regulars: Values::new(&recipe.regulars),
            clustering: Clustering::new(),
            order: Vec::new(),
        }
    }

    /// Reads the header, which comes first.
    pub(super) fn read_header(&mut self, fragment: &[u8]) -> Result<(), Reason> {
        Ok(self.deletions.add(fragment)?)
    }

    /// Reads the static row.
    pub(super) fn read_static(&mut self, fragment: &'a [u8]) -> Result<Found, Reason> {
        let (head, reader) = RowReader::new(fragment)?;
        let covering = self.deletions.partition_deletion();
        row::read(&head, reader, &self.recipe.statics, covering, self.now_s, &mut self.statics)
    }

    /// Reads a row, in the place of the one before.
    #[inline]
    pub(super) fn read_row(&mut self, fragment: &'a [u8]) -> Result<Found, Reason> {
        let (head, reader) = RowReader::new(fragment)?;
        self.read_clustering(&head)?;
        let covering = match self.deletions.has_ranges() {
            false => self.deletions.partition_deletion(),
            true => {
                self.write_order()?;
                self.deletions.deletion_for(&self.order)
            }
        };
        row::read(&head, reader, &self.recipe.regulars, covering, self.now_s, &mut self.regulars)
    }

    /// Forgets the latest row.
    pub(super) fn leave_row(&mut self) {
        self.clustering.clear();
        self.regulars.clear();
    }

    #[inline]
    fn read_clustering(&mut self, head: &Head<'a>) -> Result<(), Reason> {
        self.clustering.clear();
        for component in Components::new(head.clustering.unwrap_or_default()) {
            self.clustering.push(component?);
        }
        if self.clustering.len() == self.recipe.clustering.len() {
            Ok(())
        } else {
            Err(Reason::UnknownContent)
        }
    }

    /// Writes the form by which the row is ordered.
    fn write_order(&mut self) -> Result<(), Reason> {
        self.order.clear();
        for (column, value) in self.recipe.clustering.iter().zip(&self.clustering) {
            column.put_component(*value, &mut self.order)?;
        }
        self.order.push(CLUSTERING);
        Ok(())
    }
}
