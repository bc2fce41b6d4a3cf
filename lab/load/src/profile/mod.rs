// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! cassandra-stress user profiles: schema, distributions, rows, statements. Uses `load` and `check`.
//!
//! A [`Profile`] is read from YAML or is one of [`builtin`]. Its [`Schema`] makes the tables, [`draw::draw`] shows what rows it
//! makes, [`UserWorkload`] runs its operations. Rows are pure functions: a partition's key of its seed, a clustering of partition
//! and row, every other cell of partition, row and version; so an answer is checked by making the row again.

pub mod builtin;
mod canonical;
mod cells;
mod clustering;
mod column;
mod conditions;
mod core;
mod definition;
mod delete;
mod distribution;
pub mod draw;
mod insert;
mod insert_spec;
mod levels;
mod mix;
mod pages;
mod planned;
mod population;
#[allow(clippy::module_inception)]
mod profile;
mod query;
mod ratio;
mod read_check;
mod scan;
mod schedule;
mod schema;
mod seed;
mod table;
#[cfg(test)]
mod tests;
mod tokens;
mod types;
mod value;
mod verify;
mod workload;
mod written_prefix;
mod yaml;

pub use distribution::{integer, Distribution};
pub use insert_spec::InsertSpec;
pub use mix::Mix;
pub use population::Population;
pub use profile::{ColumnSpec, Fields, Profile, QuerySpec, ScanSpec};
pub use ratio::Ratio;
pub use schema::Schema;
pub use seed::mix;
pub use table::Table;
pub use tokens::quoted_name;
pub use workload::{Options, UserWorkload};
