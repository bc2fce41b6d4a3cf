// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What the door knows of one prepared statement (docs/internals/boundary.md, Recipes).

mod decode;
pub(super) mod decoder;

use super::execute::Id;
use super::metadata::ResultMetadata;
use super::row_size::RowSize;
use super::value::{ClusteringColumn, Limit, Value};
use std::fmt;

/// How one statement is answered. Made once, used by every request.
#[derive(Debug)]
pub struct Recipe {
    pub(super) id: Id,
    pub(super) table_id: Id,
    pub(super) binds: usize,
    pub(super) partition: Box<[Value]>,
    pub(super) clustering: Box<[ClusteringColumn]>,
    pub(super) selection: Selection,
    pub(super) reversed: bool,
    /// Whether the static row is read.
    pub(super) reads_static: bool,
    /// Whether a partition without rows is a row of its static columns.
    pub(super) returns_static_alone: bool,
    pub(super) limit: Limit,
    pub(super) partition_limit: Limit,
    /// The result's columns, in order.
    pub(super) columns: Box<[Column]>,
    pub(super) regulars: Fetched,
    pub(super) statics: Fetched,
    pub(super) metadata: ResultMetadata,
    pub(super) row_size: RowSize,
}

/// Which rows of the partition are wanted.
#[derive(Debug)]
pub(super) enum Selection {
    /// Rows by their whole clusterings.
    Rows(Box<[Box<[Value]>]>),
    /// Slices, by their ends.
    Slices(Box<[(Bound, Bound)]>),
}

/// An end of a slice.
#[derive(Debug)]
pub(super) struct Bound {
    /// Of the first clustering columns.
    pub values: Box<[Value]>,
    /// The byte that ends its form: whether it lies before or after all that begins with the values.
    pub side: u8,
}

/// Where a column of the result comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Column {
    /// A component of the partition key.
    Key(usize),
    /// A component of the clustering.
    Clustering(usize),
    /// A column among [`Recipe::regulars`].
    Regular(usize),
    /// A column among [`Recipe::statics`].
    Static(usize),
}

/// The columns whose cells are read: those of the result, and others that only tell whether a row exists.
#[derive(Debug)]
pub(super) struct Fetched {
    /// Ascending by id.
    pub columns: Box<[FetchedColumn]>,
}

/// A column whose cells are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FetchedColumn {
    /// The engine's number of the column.
    pub id: u32,
    /// How the client gets it; `None` if it does not.
    pub encoder: Option<Encoder>,
}

/// How a column becomes a value of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoder {
    /// The value of its only cell.
    Cell,
    /// The paths of its live cells.
    Set,
    /// The values of its live cells.
    List,
    /// Paths and values of its live cells.
    Map,
    /// The fields of a UDT, each with a cell of its own.
    Udt { fields: u16 },
    /// The total of its only cell.
    Counter,
}

/// Why bytes are no recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecipeError {
    what: &'static str,
}

impl fmt::Display for RecipeError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "malformed recipe: {}", self.what)
    }
}

impl std::error::Error for RecipeError {}

impl Recipe {
    /// The statement's id.
    pub fn id(&self) -> &[u8; 16] {
        &self.id
    }

    /// The table's id.
    pub fn table_id(&self) -> &[u8; 16] {
        &self.table_id
    }
}
