// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The places of a partition that a request selects: rows or slices, in the byte-comparable form of clusterings.

use super::execute::Execute;
use super::limits::KEY_BYTES_MAX;
use super::paging::Clustering;
use super::recipe::{Bound, Recipe, Selection};
use super::value::{ClusteringColumn, Value, AFTER, BEFORE, CLUSTERING};
use crate::reason::Reason;
use cassiterite_codec::header::Range;
use smallvec::SmallVec;
use std::ops;

/// Disjoint rows or slices, in clustering order.
#[derive(Debug)]
pub(super) struct Places {
    pub are_points: bool,
    bytes: Vec<u8>,
    places: SmallVec<[Place; 4]>,
}

/// Where start and end of a slice lie in the bytes; the same twice for a row.
#[derive(Clone, Debug)]
struct Place {
    start: ops::Range<usize>,
    end: ops::Range<usize>,
}

impl Places {
    /// What `execute` selects behind the row `after`, in the order of reading.
    pub(super) fn of(recipe: &Recipe, execute: &Execute<'_>, after: Option<&Clustering<'_>>) -> Result<Self, Reason> {
        let are_points = matches!(recipe.selection, Selection::Rows(_));
        let mut places = Places { are_points, bytes: Vec::with_capacity(64), places: SmallVec::new() };
        match &recipe.selection {
            Selection::Rows(rows) => places.add_rows(rows, recipe, execute)?,
            Selection::Slices(slices) => places.add_slices(slices, recipe, execute)?,
        }
        places.sort()?;
        if places.is_empty() {
            return Err(Reason::Selection);
        }
        if let Some(after) = after {
            places.cut(recipe, after)?;
        }
        Ok(places)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Start and end of each, equal for rows.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.places.iter().map(|place| (self.at(&place.start), self.at(&place.end)))
    }

    /// How many of the places a range reaches into.
    pub(super) fn touched_by(&self, range: &Range<'_>) -> usize {
        let first = self.places.partition_point(|place| self.at(&place.end) <= range.start.order);
        let behind = self.places.partition_point(|place| self.at(&place.start) < range.end.order);
        behind.saturating_sub(first)
    }

    fn add_rows(&mut self, rows: &[Box<[Value]>], recipe: &Recipe, execute: &Execute<'_>) -> Result<(), Reason> {
        for row in rows {
            let place = self.put(&recipe.clustering, row, execute, CLUSTERING)?;
            self.places.push(Place { start: place.clone(), end: place });
        }
        Ok(())
    }

    /// Adds the slices that are not empty.
    fn add_slices(&mut self, slices: &[(Bound, Bound)], recipe: &Recipe, execute: &Execute<'_>) -> Result<(), Reason> {
        for (start, end) in slices {
            let place = Place {
                start: self.put(&recipe.clustering, &start.values, execute, start.side)?,
                end: self.put(&recipe.clustering, &end.values, execute, end.side)?,
            };
            if self.at(&place.start) < self.at(&place.end) {
                self.places.push(place);
            }
        }
        Ok(())
    }

    fn put(
        &mut self,
        columns: &[ClusteringColumn],
        values: &[Value],
        execute: &Execute<'_>,
        end: u8,
    ) -> Result<ops::Range<usize>, Reason> {
        let start = self.bytes.len();
        for (column, value) in columns.iter().zip(values) {
            let value = value.checked(execute)?;
            if value.len() > KEY_BYTES_MAX {
                return Err(Reason::KeyLength);
            }
            column.put_component(Some(value), &mut self.bytes)?;
        }
        self.bytes.push(end);
        Ok(start..self.bytes.len())
    }

    /// Brings the places into order, each once, as Cassandra does with the values of an IN.
    fn sort(&mut self) -> Result<(), Reason> {
        let bytes = &self.bytes;
        let at = |place: &Place| (bytes.get(place.start.clone()), bytes.get(place.end.clone()));
        self.places.sort_by(|one, two| at(one).cmp(&at(two)));
        self.places.dedup_by(|one, two| at(one) == at(two));
        let overlaps = |pair: &[Place]| matches!(pair, [one, two] if at(two).0 < at(one).1);
        if self.places.windows(2).any(overlaps) {
            return Err(Reason::Selection);
        }
        Ok(())
    }

    /// Leaves what is behind a row in the order of reading.
    fn cut(&mut self, recipe: &Recipe, after: &Clustering<'_>) -> Result<(), Reason> {
        let mark = self.bytes.len();
        for (column, value) in recipe.clustering.iter().zip(after) {
            column.put_component(*value, &mut self.bytes)?;
        }
        self.bytes.push(match (self.are_points, recipe.reversed) {
            (true, _) => CLUSTERING,
            (false, false) => AFTER,
            (false, true) => BEFORE,
        });
        let bytes = &self.bytes;
        let mark = mark..bytes.len();
        let at = |range: &ops::Range<usize>| bytes.get(range.clone());
        self.places.retain(|place| match recipe.reversed {
            false => at(&place.end) > at(&mark),
            true => at(&place.start) < at(&mark),
        });
        if self.are_points {
            return Ok(());
        }
        for place in &mut self.places {
            if recipe.reversed && at(&place.end) > at(&mark) {
                place.end = mark.clone();
            } else if !recipe.reversed && at(&place.start) < at(&mark) {
                place.start = mark.clone();
            }
        }
        Ok(())
    }

    fn at(&self, range: &ops::Range<usize>) -> &[u8] {
        self.bytes.get(range.clone()).unwrap_or_default()
    }
}
