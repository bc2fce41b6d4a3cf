// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A cell of the grid: one configuration, named by its settings.

use std::collections::BTreeMap;

use anyhow::{bail, ensure, Context, Result};
use scylla::statement::Consistency;
use serde_json::Value;

use crate::file::{Fence, PlanFile};
use crate::grid::axes::{scope, Scope};
use crate::words::label;
use lab_load::observe::text_hash;
use lab_node::cluster::Engine;

/// The axis of sizes of nodes.
pub(crate) const NODE: &str = "node";

/// One configuration of the grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    settings: BTreeMap<String, Value>,
    labels: Vec<(String, String)>,
    key: String,
}

impl Cell {
    /// Of all its settings; `labels` are those of the axes that vary.
    pub fn new(settings: BTreeMap<String, Value>, labels: Vec<(String, String)>) -> Result<Self> {
        let canonical = serde_json::to_string(&settings)?;
        let key = text_hash("cell", &canonical).sha256.chars().take(12).collect();
        Ok(Self { settings, labels, key })
    }

    /// Twelve hexadecimal digits of the hash of its settings.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Its value on each axis of the grid, in the order of the file.
    pub fn labels(&self) -> &[(String, String)] {
        &self.labels
    }

    /// `nodes=3 engine=stock`.
    pub fn name(&self) -> String {
        let labels: Vec<_> = self.labels.iter().map(|(axis, label)| format!("{axis}={label}")).collect();
        if labels.is_empty() {
            "the only cell".to_owned()
        } else {
            labels.join(" ")
        }
    }

    /// All its settings by axis.
    pub fn settings(&self) -> &BTreeMap<String, Value> {
        &self.settings
    }

    /// Those whose change needs at least that much.
    pub fn within(&self, least: Scope) -> BTreeMap<&str, &Value> {
        let needs = |axis: &str| scope(axis).is_ok_and(|scope| scope >= least);
        self.settings.iter().filter(|(axis, _)| needs(axis)).map(|(axis, value)| (axis.as_str(), value)).collect()
    }

    /// Number of nodes.
    pub fn nodes(&self) -> Result<u32> {
        self.whole("nodes", 1)
    }

    /// The fence of each node: its own size, or the plan's.
    pub fn fence(&self, file: &PlanFile) -> Result<Option<Fence>> {
        let Some(size) = self.settings.get(NODE) else { return Ok(file.node.clone()) };
        let fence: Fence = serde_json::from_value(size.clone()).with_context(|| format!("{NODE}: {}", label(size)))?;
        fence.check(file)?;
        Ok(Some(fence))
    }

    /// Copies of each row; as many as nodes but at most 3 without.
    pub fn replication_factor(&self) -> Result<u32> {
        let nodes = self.nodes()?;
        self.whole("rf", nodes.min(3))
    }

    /// The storage engine; stock without.
    pub fn engine(&self) -> Result<Engine> {
        self.text("engine")?.map_or(Ok(Engine::Stock), |name| name.parse().context("engine"))
    }

    /// The levels of operations.
    pub fn levels(&self) -> Result<CellLevels> {
        match self.settings.get("cl") {
            None => Ok(CellLevels::One(Consistency::One)),
            Some(Value::String(name)) => Ok(CellLevels::One(level(name)?)),
            Some(Value::Object(map)) => {
                let read = |(name, value): (&String, &Value)| {
                    let text = value.as_str().with_context(|| format!("cl: {name}: a level is expected"))?;
                    Ok((name.to_lowercase(), level(text)?))
                };
                Ok(CellLevels::ByOperation(map.iter().map(read).collect::<Result<_>>()?))
            }
            Some(other) => bail!("cl: {other}: a level, or a map of operations to levels, is expected"),
        }
    }

    /// A whole number of at least 1.
    pub fn whole(&self, axis: &str, default: u32) -> Result<u32> {
        let Some(value) = self.settings.get(axis) else { return Ok(default) };
        let number = value.as_u64().or_else(|| value.as_str()?.parse().ok()).and_then(|n| u32::try_from(n).ok());
        let number = number.with_context(|| format!("{axis}: {value}: a whole number is expected"))?;
        ensure!(number > 0, "{axis}: 0: at least 1 is expected");
        Ok(number)
    }

    /// A word.
    pub fn text(&self, axis: &str) -> Result<Option<&str>> {
        match self.settings.get(axis) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => bail!("{axis}: {other}: a word is expected"),
        }
    }

    /// Settings whose names begin so, without that beginning.
    pub fn prefixed<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a Value)> {
        self.settings.iter().filter_map(move |(axis, value)| Some((axis.strip_prefix(prefix)?, value)))
    }

    /// Keys of cassandra.yaml with their YAML values.
    pub fn yaml(&self) -> Vec<(String, String)> {
        self.prefixed("yaml.").map(|(key, value)| (key.to_owned(), label_or_json(value))).collect()
    }

    /// Options of the JVM.
    pub fn jvm(&self) -> Result<Vec<String>> {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        match self.settings.get("jvm") {
            None => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(words(text)),
            Some(Value::Array(options)) => Ok(options.iter().flat_map(|option| words(&label(option))).collect()),
            Some(other) => bail!("jvm: {other}: options in one word or a list are expected"),
        }
    }
}

/// Levels of a cell's operations.
#[derive(Clone, Debug, PartialEq)]
pub enum CellLevels {
    /// The same for all that do not name their own in the profile.
    One(Consistency),
    /// By operation.
    ByOperation(BTreeMap<String, Consistency>),
}

impl CellLevels {
    /// The level of an operation; `None` where a map leaves it out.
    pub fn of(&self, operation: &str) -> Option<Consistency> {
        match self {
            Self::One(level) => Some(*level),
            Self::ByOperation(map) => map.get(operation).copied(),
        }
    }

    /// All of them.
    pub fn all(&self) -> Vec<Consistency> {
        match self {
            Self::One(level) => vec![*level],
            Self::ByOperation(map) => map.values().copied().collect(),
        }
    }
}

/// Replicas that a level waits for, in one datacenter with so many copies.
pub fn replicas(level: Consistency, copies: u32) -> u32 {
    match level {
        Consistency::Any => 0,
        Consistency::One | Consistency::LocalOne => 1,
        Consistency::Two => 2,
        Consistency::Three => 3,
        Consistency::All => copies,
        _ => copies / 2 + 1,
    }
}

const LEVELS: [(&str, Consistency); 9] = [
    ("ANY", Consistency::Any),
    ("ONE", Consistency::One),
    ("TWO", Consistency::Two),
    ("THREE", Consistency::Three),
    ("QUORUM", Consistency::Quorum),
    ("ALL", Consistency::All),
    ("LOCAL_ONE", Consistency::LocalOne),
    ("LOCAL_QUORUM", Consistency::LocalQuorum),
    ("EACH_QUORUM", Consistency::EachQuorum),
];

fn level(name: &str) -> Result<Consistency> {
    let known = LEVELS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    let names = || LEVELS.map(|(name, _)| name).join(", ");
    known.map(|(_, level)| *level).with_context(|| format!("cl: '{name}' is none of {}", names()))
}

/// A level as CQL writes it.
pub fn level_name(level: Consistency) -> &'static str {
    LEVELS.iter().find(|(_, known)| *known == level).map_or("SERIAL", |(name, _)| name)
}

fn label_or_json(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
