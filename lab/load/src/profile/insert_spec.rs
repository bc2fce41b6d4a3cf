// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! How rows are inserted: the profile's `insert`, and `-insert` of the command line, which goes first (`SettingsInsert`).

use anyhow::{bail, ensure, Result};
use scylla::statement::batch::BatchType;
use scylla::statement::{Consistency, SerialConsistency};
use serde::Deserialize;

use super::distribution::Distribution;
use super::levels;
use super::ratio::Ratio;
use super::yaml::named;

/// The settings of inserts as given; the methods apply the defaults.
#[derive(Clone, Debug, Default)]
pub struct InsertSpec {
    partitions: Option<Distribution>,
    select: Option<Ratio>,
    row_population: Option<Ratio>,
    batch_type: Option<BatchType>,
    visits: Option<Distribution>,
    revisit: Option<Distribution>,
    condition: Option<String>,
    consistency: Option<Consistency>,
    serial_consistency: Option<SerialConsistency>,
}

const KEYS: [&str; 11] = [
    "partitions",
    "select",
    "select-ratio",
    "row-population",
    "row-population-ratio",
    "batchtype",
    "visits",
    "revisit",
    "condition",
    "consistencylevel",
    "serialconsistencylevel",
];

impl InsertSpec {
    /// Takes one setting, a key of the profile or of `-insert`.
    pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
        match key.to_ascii_lowercase().as_str() {
            "partitions" => self.partitions = Some(at_least(value.parse()?, 1)?),
            "select" | "select-ratio" => self.select = Some(value.parse()?),
            "row-population" | "row-population-ratio" => self.row_population = Some(value.parse()?),
            "batchtype" => self.batch_type = Some(batch_type(value)?),
            "visits" => self.visits = Some(at_least(value.parse()?, 1)?),
            "revisit" => self.revisit = Some(at_least(value.parse()?, 0)?),
            "condition" => self.condition = Some(condition(value)?),
            "consistencylevel" => self.consistency = Some(levels::consistency(value)?),
            "serialconsistencylevel" => self.serial_consistency = Some(levels::serial(value)?),
            _ => bail!("unknown {key:?}, expected one of {}", KEYS.join(", ")),
        }
        Ok(())
    }

    /// These settings, and those of `other` where these say nothing.
    pub fn or(self, other: &Self) -> Self {
        Self {
            partitions: self.partitions.or_else(|| other.partitions.clone()),
            select: self.select.or_else(|| other.select.clone()),
            row_population: self.row_population.or_else(|| other.row_population.clone()),
            batch_type: self.batch_type.or(other.batch_type),
            visits: self.visits.or_else(|| other.visits.clone()),
            revisit: self.revisit.or_else(|| other.revisit.clone()),
            condition: self.condition.or_else(|| other.condition.clone()),
            consistency: self.consistency.or(other.consistency),
            serial_consistency: self.serial_consistency.or(other.serial_consistency),
        }
    }

    /// Partitions of one operation.
    pub fn partitions(&self) -> Distribution {
        self.partitions.clone().unwrap_or_else(|| Distribution::fixed(1))
    }

    /// The share of a partition's rows that one visit writes.
    pub fn select(&self) -> Ratio {
        self.select.clone().unwrap_or_else(Ratio::whole)
    }

    /// The share of a row's columns that get a value.
    pub fn row_population(&self) -> Ratio {
        self.row_population.clone().unwrap_or_else(Ratio::whole)
    }

    /// How several rows are sent together.
    pub fn batch_type(&self) -> Option<BatchType> {
        self.batch_type
    }

    /// Into how many inserts a partition is split.
    pub fn visits(&self) -> Result<u64> {
        let Some(visits) = &self.visits else { return Ok(1) };
        ensure!(visits.min() == visits.max(), "visits={visits}: only fixed(n) is taken");
        Ok(visits.min() as u64)
    }

    /// How many partitions are begun before the first of them is visited again.
    pub fn revisit_partitions(&self) -> u64 {
        self.revisit.as_ref().map_or(1_000_000, |revisit| revisit.max().max(1) as u64)
    }

    /// Consistency of the insert; `None` takes the run's.
    pub fn consistency(&self) -> Option<Consistency> {
        self.consistency
    }

    /// Serial consistency of a conditional insert; `None` takes the run's.
    pub fn serial_consistency(&self) -> Option<SerialConsistency> {
        self.serial_consistency
    }

    /// The condition of a lightweight transaction, `IF ...`.
    pub fn condition(&self) -> Option<&str> {
        self.condition.as_deref()
    }
}

fn at_least(distribution: Distribution, min: i64) -> Result<Distribution> {
    ensure!(distribution.min() >= min, "{distribution} can be less than {min}");
    Ok(distribution)
}

fn batch_type(text: &str) -> Result<BatchType> {
    Ok(match text.to_ascii_lowercase().as_str() {
        "logged" => BatchType::Logged,
        "unlogged" => BatchType::Unlogged,
        "counter" => BatchType::Counter,
        _ => bail!("unknown {text:?}, expected one of LOGGED, UNLOGGED, COUNTER"),
    })
}

fn condition(text: &str) -> Result<String> {
    let text = text.trim();
    ensure!(text.to_ascii_lowercase().starts_with("if "), "{text:?} does not begin with IF");
    ensure!(!text.contains('?'), "{text:?}: conditions with ? are not taken, only with constants");
    Ok(text.to_owned())
}

impl<'de> Deserialize<'de> for InsertSpec {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut spec = Self::default();
        named(deserializer, &KEYS, |key, value| spec.set(key, value))?;
        Ok(spec)
    }
}
