// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A user profile of cassandra-stress (`StressYaml`), read strictly: what is not taken is refused by name and line.

use std::path::Path;

use anyhow::{ensure, Context, Result};
use scylla::statement::Consistency;
use serde::Deserialize;

use super::conditions::Conditions;
use super::definition::{self, TableDefinition};
use super::distribution::Distribution;
use super::insert_spec::InsertSpec;
use super::levels;
use super::types::Definitions;
use super::value::Content;
use super::yaml::{named, OneOf, Pairs};

/// Schema, columns and operations, as the file says them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// A name for the reports.
    pub specname: Option<String>,
    /// Name of the keyspace.
    pub keyspace: String,
    /// Its `CREATE KEYSPACE`; without, it must be there.
    pub keyspace_definition: Option<String>,
    /// Name of the table.
    pub table: String,
    /// Its `CREATE TABLE`; without, it must be there.
    pub table_definition: Option<String>,
    /// Statements of the schema to run besides: types, indexes, views.
    #[serde(default)]
    pub extra_definitions: Vec<String>,
    /// How columns are filled.
    #[serde(default)]
    pub columnspec: Vec<ColumnSpec>,
    /// How rows are inserted.
    #[serde(default)]
    pub insert: InsertSpec,
    /// Statements to run, by name.
    #[serde(default)]
    pub queries: Pairs<QuerySpec>,
    /// Scans of token ranges, by name.
    #[serde(default)]
    pub token_range_queries: Pairs<ScanSpec>,
    /// The name of the insert operation; not a key of the file.
    #[serde(skip, default = "insert_name")]
    insert_name: String,
}

/// How a column is filled; what is absent is as [`super::column::Column::new`] says.
#[derive(Clone, Debug, Default)]
pub struct ColumnSpec {
    /// Name of the column.
    pub name: String,
    /// Characters, bytes or elements of its values.
    pub size: Option<Distribution>,
    /// Its values.
    pub population: Option<Distribution>,
    /// How many values it takes under one value of the clustering columns before it.
    pub cluster: Option<Distribution>,
    /// Its bytes; not a key of the file.
    pub content: Content,
}

/// A statement with `?` for columns.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuerySpec {
    /// CQL.
    pub cql: String,
    /// Where the bound values come from; as in cassandra-stress, rows of their own unless said otherwise.
    #[serde(default)]
    pub fields: Fields,
    /// Consistency of this statement.
    #[serde(rename = "consistencyLevel")]
    pub consistency_level: Option<String>,
    /// Serial consistency of this statement.
    #[serde(rename = "serialConsistencyLevel")]
    pub serial_consistency_level: Option<String>,
}

impl QuerySpec {
    /// Whether it changes anything, as far as it can be read; what is wrong with it is said where it is prepared.
    pub fn writes(&self) -> bool {
        Conditions::of(&self.cql).is_ok_and(|conditions| !conditions.selects)
    }

    /// The level of its own, with the same reservation.
    pub fn consistency(&self) -> Option<Consistency> {
        levels::consistency(self.consistency_level.as_deref()?).ok()
    }
}

/// Where a statement's bound values come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fields {
    /// All from one row.
    SameRow,
    /// Each from any row of the partition.
    #[default]
    MultiRow,
}

/// A scan of the whole table, token range by token range, page by page.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScanSpec {
    /// The columns, `*` for all.
    #[serde(default = "all_columns")]
    pub columns: String,
    /// Rows of a page.
    #[serde(default = "page_rows")]
    pub page_size: i32,
    /// Parts that each range of the ring is cut into.
    #[serde(default = "one")]
    pub split_factor: u32,
}

fn insert_name() -> String {
    "insert".to_owned()
}

fn all_columns() -> String {
    "*".to_owned()
}

fn page_rows() -> i32 {
    5000
}

fn one() -> u32 {
    1
}

impl Profile {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("profile {}", path.display()))?;
        Self::parse(&text).with_context(|| format!("profile {}", path.display()))
    }

    /// Reads a text. Errors name what is wrong, with its line where YAML knows it.
    pub fn parse(text: &str) -> Result<Self> {
        let mut profile: Self = serde_yaml_ng::from_str(text)?;
        // An empty definition is as good as none (StressProfile.init).
        profile.keyspace_definition = profile.keyspace_definition.filter(|cql| !cql.trim().is_empty());
        profile.table_definition = profile.table_definition.filter(|cql| !cql.trim().is_empty());
        profile.check()?;
        Ok(profile)
    }

    /// Checks names; takes them as the definitions write them, so that quoting is right.
    fn check(&mut self) -> Result<()> {
        for (i, ColumnSpec { name, .. }) in self.columnspec.iter().enumerate() {
            ensure!(self.columnspec[..i].iter().all(|spec| spec.name != *name), "columnspec {name} is there twice");
        }
        for (name, scan) in &self.token_range_queries.0 {
            let double = self.queries.0.iter().any(|(other, _)| other == name);
            ensure!(!double, "{name} is in both queries and token_range_queries");
            ensure!(scan.page_size > 0 && scan.split_factor > 0, "token range query {name}: sizes must be above 0");
        }
        ensure!(
            !self.operation_names().into_iter().skip(1).any(|name| name == "insert"),
            "a query has the name insert"
        );
        if let Some(cql) = &self.keyspace_definition {
            let name = definition::keyspace_name(cql).context("keyspace_definition")?;
            ensure!(
                name.eq_ignore_ascii_case(&self.keyspace),
                "keyspace_definition creates {name}, not {}",
                self.keyspace
            );
            self.keyspace = name;
        }
        if let Some(table) = self.definition()? {
            let name = table.name;
            ensure!(name.eq_ignore_ascii_case(&self.table), "table_definition creates {name}, not {}", self.table);
            self.table = name;
        }
        Ok(())
    }

    /// The operations: `insert` and the names of the queries.
    pub fn operation_names(&self) -> Vec<&str> {
        let queries = self.queries.0.iter().map(|(name, _)| name.as_str());
        let scans = self.token_range_queries.0.iter().map(|(name, _)| name.as_str());
        std::iter::once(self.insert_name.as_str()).chain(queries).chain(scans).collect()
    }

    /// The name of the insert operation.
    pub fn insert_name(&self) -> &str {
        &self.insert_name
    }

    /// The same with another name for the operation that inserts.
    pub fn with_insert_name(self, name: &str) -> Self {
        Self { insert_name: name.to_owned(), ..self }
    }

    /// The table as the profile defines it; `None` if it does not.
    pub fn definition(&self) -> Result<Option<TableDefinition>> {
        let Some(cql) = &self.table_definition else { return Ok(None) };
        let types = self.types()?;
        definition::table(cql, &types).context("table_definition").map(Some)
    }

    /// The user-defined types that the profile defines.
    pub fn types(&self) -> Result<Definitions> {
        let mut types = Definitions::new();
        for cql in &self.extra_definitions {
            if let Some((name, fields)) = definition::user_type(cql, &types).context("extra_definitions")? {
                types.insert(name, fields);
            }
        }
        Ok(types)
    }
}

impl<'de> Deserialize<'de> for ColumnSpec {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut spec = Self::default();
        named(deserializer, &["name", "size", "population", "cluster"], |key, value| {
            match key {
                "name" => spec.name = value.to_owned(),
                "size" => spec.size = Some(value.parse()?),
                "population" => spec.population = Some(value.parse()?),
                _ => spec.cluster = Some(value.parse()?),
            }
            Ok(())
        })?;
        if spec.name.is_empty() {
            return Err(serde::de::Error::missing_field("name"));
        }
        Ok(spec)
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let index = OneOf(&["samerow", "multirow"]).read(deserializer)?;
        Ok(if index == 0 { Fields::SameRow } else { Fields::MultiRow })
    }
}
