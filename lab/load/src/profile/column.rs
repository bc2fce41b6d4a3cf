// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A column of the table and how its values are chosen.

use anyhow::{ensure, Result};

use super::distribution::Distribution;
use super::profile::ColumnSpec;
use super::seed;
use super::types::{Type, TypeOf};
use super::value::{Content, Maker};

/// The role of a column in its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Of the partition key.
    Partition,
    /// Of the clustering.
    Clustering,
    /// One for all rows of a partition.
    Static,
    /// Of a row.
    Regular,
}

/// A column as the schema has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// Its name, without quotes.
    pub name: String,
    /// Its type.
    pub kind: TypeOf,
    /// Its role.
    pub role: Role,
}

/// A column with its generator.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name, without quotes.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// Whether its elements are cells of their own.
    pub multicell: bool,
    /// Makes its values.
    pub maker: Maker,
    /// How many values it takes under one value of the clustering columns before it.
    pub cluster: Distribution,
}

const DAYS_50_YEARS: i64 = 50 * 365;

impl Column {
    /// The column with what the profile says of it; the rest as cassandra-stress has it: size uniform(4..8), population
    /// uniform(1..100B) or what the type can hold, cluster fixed(1).
    pub fn new(definition: &Definition, spec: Option<&ColumnSpec>) -> Result<Self> {
        let name = &definition.name;
        let given = |of: fn(&ColumnSpec) -> &Option<Distribution>| spec.and_then(|spec| of(spec).clone());
        let population = given(|spec| &spec.population).unwrap_or_else(|| everything(&definition.kind.ty));
        let size = given(|spec| &spec.size).unwrap_or_else(|| Distribution::uniform(4, 8));
        let cluster = given(|spec| &spec.cluster).unwrap_or_else(|| Distribution::fixed(1));
        ensure!(size.min() >= 0, "columnspec of {name}: size {size} can be negative");
        ensure!(size.max() <= 1 << 28, "columnspec of {name}: size {size} can be more than 256 MiB");
        ensure!(cluster.min() >= 1, "columnspec of {name}: cluster {cluster} can be less than 1");
        ensure!(
            definition.role == Role::Clustering || cluster.max() == 1,
            "columnspec of {name}: cluster is for clustering columns, {name} is none"
        );
        let content = spec.map_or(Content::Noise, |spec| spec.content);
        let salt = seed::of_bytes(name.as_bytes());
        let maker = Maker { ty: definition.kind.ty.clone(), population, size, salt, content };
        Ok(Self { name: name.clone(), role: definition.role, multicell: definition.kind.multicell, maker, cluster })
    }

    /// Whether cassandra-stress adds to it (`c = c + ?`) instead of setting it.
    pub fn is_added_to(&self) -> bool {
        match self.maker.ty {
            Type::Counter => true,
            Type::List(_) | Type::Set(_) => self.multicell,
            _ => false,
        }
    }

    /// Whether an answer's value can be told from the value of another version: not added to, not shared by rows.
    pub fn is_comparable(&self) -> bool {
        self.role == Role::Regular && !self.is_added_to()
    }
}

fn everything(ty: &Type) -> Distribution {
    match ty {
        Type::Boolean => Distribution::uniform(0, 1),
        Type::Tinyint => Distribution::uniform(i64::from(i8::MIN), i64::from(i8::MAX)),
        Type::Smallint => Distribution::uniform(i64::from(i16::MIN), i64::from(i16::MAX)),
        Type::Counter => Distribution::fixed(1),
        Type::Date => Distribution::uniform(1, DAYS_50_YEARS),
        Type::Time => Distribution::uniform(1, 86_400_000_000_000 - 1),
        Type::Timestamp | Type::Timeuuid => Distribution::uniform(1, DAYS_50_YEARS * 86_400_000),
        _ => Distribution::uniform(1, 100_000_000_000),
    }
}
