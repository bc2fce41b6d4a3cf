// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The workload of a cell: the plan's profile with the cell's changes, its operations and levels.

use anyhow::{bail, ensure, Context, Result};
use scylla::statement::Consistency;
use serde_yaml_ng::{Mapping, Value};

use crate::file::PlanFile;
use crate::grid::cell::{level_name, Cell, CellLevels};
use crate::words::label;
use lab_load::check::{Levels, Replication};
use lab_load::profile::draw::draw;
use lab_load::profile::{InsertSpec, Mix, Population, Profile};

/// A cell's workload.
#[derive(Clone, Debug)]
pub struct CellWorkload {
    /// With the cell's changes and levels.
    pub profile: Profile,
    /// Its operations.
    pub mix: Mix,
    /// The level of operations that have none of their own.
    pub level: Consistency,
    text: Value,
    copies: u32,
}

impl CellWorkload {
    /// Of a cell of a plan with that profile.
    pub fn of(file: &PlanFile, profile: &str, cell: &Cell) -> Result<Self> {
        // Without changes first: an error then has the line of the file.
        Profile::parse(profile).context("workload.profile")?;
        let mut text: Value = serde_yaml_ng::from_str(profile).context("workload.profile")?;
        for (path, value) in cell.prefixed("profile.") {
            let value = serde_yaml_ng::to_value(value)?;
            set(&mut text, path, value).with_context(|| format!("profile.{path}"))?;
        }
        let mix: Mix = match cell.settings().get("ops") {
            Some(ops) => label(ops).parse().context("ops")?,
            None => file.workload.ops.parse().context("workload.ops")?,
        };
        let levels = cell.levels()?;
        let level = match &levels {
            CellLevels::One(level) => *level,
            CellLevels::ByOperation(map) => {
                for (name, level) in map {
                    let path = if name == "insert" { "insert".to_owned() } else { format!("queries.{name}") };
                    let level = Value::String(level_name(*level).to_owned());
                    set(&mut text, &format!("{path}.consistencyLevel"), level)
                        .with_context(|| format!("cl: {name}"))?;
                }
                Consistency::One
            }
        };
        let profile = parsed(&text)?;
        for (name, _) in mix.weights() {
            let known = profile.operation_names();
            ensure!(known.contains(&name.as_str()), "ops: the profile has no '{name}', only {}", known.join(", "));
        }
        Ok(Self { profile, mix, level, text, copies: cell.replication_factor()? })
    }

    /// Bytes of one copy of so many partitions, drawn from a sample.
    pub fn drawn_bytes(&self, partitions: u64) -> Result<f64> {
        let population = Population::Sequence { first: 1, last: partitions.max(1), wraps: false, lookback: None };
        Ok(draw(&self.profile, &self.mix, &population, &InsertSpec::default())?.total_bytes())
    }

    /// Which wrong answers its levels allow.
    pub fn levels(&self) -> Levels {
        // The insert has filled the table, whether the mix has it or not.
        let filled = self.write_level(self.profile.insert_name()).unwrap_or(self.level);
        let levels = Levels::new(self.level, filled, Replication::one_datacenter(self.copies));
        let writes = self.mix.weights().iter().filter_map(|(name, _)| self.write_level(name));
        writes.filter(|write| *write != filled).fold(levels, Levels::and_writes_at)
    }

    fn write_level(&self, name: &str) -> Option<Consistency> {
        if name == self.profile.insert_name() {
            return Some(self.profile.insert.consistency().unwrap_or(self.level));
        }
        let query = self.profile.queries.get(name).filter(|query| query.writes())?;
        Some(query.consistency().unwrap_or(self.level))
    }

    /// Queries of the mix that read.
    pub fn reads(&self) -> Vec<&str> {
        let names = self.mix.weights().iter().map(|(name, _)| name.as_str());
        names.filter(|name| self.profile.queries.get(name).is_some_and(|query| !query.writes())).collect()
    }

    /// The profile with one query at a level of its own.
    pub fn profile_asking_at(&self, query: &str, level: Consistency) -> Result<Profile> {
        let mut text = self.text.clone();
        let level = Value::String(level_name(level).to_owned());
        set(&mut text, &format!("queries.{query}.consistencyLevel"), level)?;
        parsed(&text)
    }
}

fn parsed(text: &Value) -> Result<Profile> {
    Profile::parse(&serde_yaml_ng::to_string(text)?)
}

/// Sets a value deep in a profile. A part of the path is a key in any case, or the `name` of an entry of a list.
fn set(text: &mut Value, path: &str, value: Value) -> Result<()> {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let place = match text {
        Value::Mapping(map) => {
            let key = map.keys().find(|key| key.as_str().is_some_and(|key| key.eq_ignore_ascii_case(first))).cloned();
            let key = key.unwrap_or_else(|| Value::String(first.to_owned()));
            ensure!(
                rest.is_none() || map.contains_key(&key) || first.eq_ignore_ascii_case("insert"),
                "the profile has no '{first}'"
            );
            map.entry(key).or_insert_with(|| Value::Mapping(Mapping::new()))
        }
        Value::Sequence(entries) => {
            let named = |entry: &Value| {
                let own = entry.as_mapping().and_then(|map| map.iter().find(|(key, _)| key.as_str() == Some("name")));
                own.and_then(|(_, name)| name.as_str()).is_some_and(|name| name.eq_ignore_ascii_case(first))
            };
            entries
                .iter_mut()
                .find(|entry| named(entry))
                .with_context(|| format!("nothing there has the name '{first}'"))?
        }
        _ => bail!("'{first}' is below a plain value"),
    };
    match rest {
        Some(rest) => set(place, rest, value),
        None => {
            *place = value;
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests;
