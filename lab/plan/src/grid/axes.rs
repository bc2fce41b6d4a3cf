// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The axes of a grid and the cells that they span.

use std::collections::BTreeMap;

use anyhow::{bail, ensure, Context, Result};
use serde_json::{Map, Value};

use crate::file::PlanFile;
use crate::grid::cell::{Cell, NODE};
use crate::words::{label, nearest};
use lab_node::cluster::Engine;

/// More would not end in anybody's lifetime.
const MOST_CELLS: usize = 4096;
/// Tied axes are one axis of this name.
pub const TOGETHER: &str = "together";

/// What a change of a setting needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Another run.
    Run,
    /// A fresh keyspace.
    Keyspace,
    /// A fresh cluster.
    Cluster,
}

/// The axes by name, with what a change needs and what they are; `profile.PATH` and `yaml.KEY` are besides.
pub const AXES: [(&str, Scope, &str); 16] = [
    ("nodes", Scope::Cluster, "number of nodes"),
    ("engine", Scope::Cluster, "stock, stock-sai, stock-6, stock-default, cassiterite, cassiterite-door"),
    ("node", Scope::Cluster, "size of each node: cpus, memory and, where sizes differ in it, price"),
    ("heap", Scope::Cluster, "heap of each node, as 1g"),
    ("num_tokens", Scope::Cluster, "tokens of each node"),
    ("racks", Scope::Cluster, "racks, taken in turn"),
    ("jvm", Scope::Cluster, "options of the JVM, in one word or a list"),
    ("data", Scope::Cluster, "the volume of the tables"),
    ("commitlog", Scope::Cluster, "the volume of the logs of writes"),
    ("rf", Scope::Keyspace, "copies of each row"),
    ("compaction", Scope::Keyspace, "a class, or a map as in CQL"),
    ("compression", Scope::Keyspace, "a class, a map as in CQL, or none"),
    ("cl", Scope::Run, "consistency level, one or by operation"),
    ("ops", Scope::Run, "operations and their weights"),
    ("in_flight", Scope::Run, "operations in flight at most"),
    ("connections", Scope::Run, "connections to each node"),
];
const PREFIXES: [(&str, Scope); 2] = [("profile.", Scope::Keyspace), ("yaml.", Scope::Cluster)];

/// What a change of that axis needs; an unknown one is refused with the nearest known.
pub fn scope(axis: &str) -> Result<Scope> {
    if let Some((_, scope, _)) = AXES.iter().find(|(name, _, _)| *name == axis) {
        return Ok(*scope);
    }
    if let Some((_, scope)) = PREFIXES.iter().find(|(prefix, _)| axis.len() > prefix.len() && axis.starts_with(prefix))
    {
        return Ok(*scope);
    }
    let names = AXES.iter().map(|(name, _, _)| *name);
    let meant = nearest(axis, names.clone()).map(|name| format!("; did you mean {name}?")).unwrap_or_default();
    bail!("there is no axis '{axis}', only {}, profile.PATH and yaml.KEY{meant}", names.collect::<Vec<_>>().join(", "))
}

/// A cluster that is there already cannot be made otherwise.
fn allowed(axis: &str, file: &PlanFile) -> Result<()> {
    let needs = scope(axis)?;
    ensure!(
        file.target.is_none() || needs < Scope::Cluster,
        "{axis}: a change needs a fresh cluster, and the target is one that is there"
    );
    Ok(())
}

/// One value of an axis.
#[derive(Clone, Debug, PartialEq)]
struct Point {
    label: String,
    settings: Map<String, Value>,
}

/// All cells of a plan, in the order of the file.
pub fn cells(file: &PlanFile) -> Result<Vec<Cell>> {
    for axis in file.fixed.keys() {
        allowed(axis, file).context("fixed")?;
        ensure!(!file.grid.contains_key(axis), "{axis} is in both fixed and grid");
    }
    let axes = axes(file)?;
    let count = axes.iter().try_fold(1_usize, |count, (_, points)| count.checked_mul(points.len()));
    let Some(count) = count.filter(|count| *count <= MOST_CELLS) else { bail!("grid: more than {MOST_CELLS} cells") };
    let skips = file.skip.iter().map(|text| Filter::read(text, &axes).context("skip")).collect::<Result<Vec<_>>>()?;
    let mut cells = Vec::new();
    for number in 0..count {
        let mut rest = number;
        let mut settings: BTreeMap<String, Value> = file.fixed.clone().into_iter().collect();
        let mut labels = Vec::new();
        // The last axis changes fastest.
        for (name, points) in axes.iter().rev() {
            let Some(point) = points.get(rest % points.len()) else { continue };
            rest /= points.len();
            settings.extend(point.settings.clone());
            labels.push((name.clone(), point.label.clone()));
        }
        labels.reverse();
        if let Some(target) = &file.target {
            settings.insert("nodes".to_owned(), target.nodes.into());
        }
        let cell = Cell::new(settings, labels)?;
        if !skips.iter().any(|skip| skip.takes(&cell)) {
            cells.push(cell);
        }
    }
    ensure!(!cells.is_empty(), "skip leaves no cell");
    let sized = cells.iter().any(|cell| cell.settings().contains_key(NODE));
    ensure!(!sized || file.node.is_none(), "node is both an axis and a key of the file");
    Ok(cells)
}

/// What an axis is, in words.
pub fn about(axis: &str) -> &'static str {
    match axis {
        TOGETHER => "settings that change together",
        yaml if yaml.starts_with("yaml.") => "a key of cassandra.yaml",
        profile if profile.starts_with("profile.") => "a part of the profile",
        other => AXES.iter().find(|(name, _, _)| *name == other).map_or("", |(_, _, about)| *about),
    }
}

/// An axis of the grid with its labels; of each what it sets, in words, where the label does not say it.
pub struct Named {
    /// The axis.
    pub axis: String,
    /// Labels and what they set.
    pub labels: Vec<(String, Option<String>)>,
}

/// All axes of a plan, in the order of the file.
pub fn named(file: &PlanFile) -> Result<Vec<Named>> {
    let told = |axis: &str, point: Point| {
        let own = point.settings.get(axis).filter(|_| point.settings.len() == 1).map(label);
        let engine = || Some(point.label.parse::<Engine>().ok()?.about().to_owned());
        let words = match own {
            Some(_) if axis == "engine" => engine(),
            Some(own) => Some(own).filter(|own| *own != point.label),
            None => Some(
                point
                    .settings
                    .iter()
                    .map(|(name, value)| format!("{name}={}", label(value)))
                    .collect::<Vec<_>>()
                    .join(", "),
            ),
        };
        (point.label, words)
    };
    let of = |(axis, points): (String, Vec<Point>)| {
        let labels = points.into_iter().map(|point| told(&axis, point)).collect();
        Named { axis, labels }
    };
    Ok(axes(file)?.into_iter().map(of).collect())
}

fn axes(file: &PlanFile) -> Result<Vec<(String, Vec<Point>)>> {
    let mut axes = Vec::new();
    for (name, values) in &file.grid {
        allowed(name, file).context("grid")?;
        let points = points(name, values).with_context(|| format!("grid.{name}"))?;
        axes.push((name.clone(), points));
    }
    if !file.together.is_empty() {
        axes.push((TOGETHER.to_owned(), file.together.iter().map(|map| tied(map, file)).collect::<Result<_>>()?));
    }
    for (name, points) in &axes {
        for (at, point) in points.iter().enumerate() {
            let twice = points.iter().take(at).any(|other| other.label == point.label);
            ensure!(!twice, "{name}: {} is there twice", point.label);
        }
    }
    Ok(axes)
}

fn points(axis: &str, values: &Value) -> Result<Vec<Point>> {
    let point =
        |label: String, value: &Value| Point { label, settings: Map::from_iter([(axis.to_owned(), value.clone())]) };
    let points: Vec<Point> = match values {
        Value::Array(values) => values.iter().map(|value| point(label(value), value)).collect(),
        Value::Object(labels) => labels.iter().map(|(label, value)| point(label.clone(), value)).collect(),
        other => bail!("{other}: a list of values, or a map of labels, is expected; one value belongs in fixed"),
    };
    ensure!(!points.is_empty(), "at least one value is expected");
    Ok(points)
}

fn tied(map: &Map<String, Value>, file: &PlanFile) -> Result<Point> {
    let label = map.get("label").and_then(Value::as_str).context("together: each entry needs a label")?.to_owned();
    let settings: Map<String, Value> =
        map.iter().filter(|(name, _)| *name != "label").map(|(name, value)| (name.clone(), value.clone())).collect();
    for axis in settings.keys() {
        allowed(axis, file).with_context(|| format!("together: {label}"))?;
        ensure!(!file.grid.contains_key(axis), "{axis} is in both grid and together");
    }
    Ok(Point { label, settings })
}

/// Cells by the labels of some axes: `nodes=3,cl=ONE`.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter(Vec<(String, String)>);

impl Filter {
    /// Reads one that is to fit the axes of a plan.
    pub fn of(text: &str, file: &PlanFile) -> Result<Self> {
        Self::read(text, &axes(file)?)
    }

    fn read(text: &str, axes: &[(String, Vec<Point>)]) -> Result<Self> {
        let mut wanted = Vec::new();
        for part in parts(text) {
            let (axis, label) = part.split_once('=').with_context(|| format!("'{part}': AXIS=LABEL is expected"))?;
            let known = || axes.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
            let points = axes.iter().find(|(name, _)| name == axis).map(|(_, points)| points);
            let points = points.with_context(|| format!("'{part}': the grid has no axis {axis}, only {}", known()))?;
            let labels = || points.iter().map(|point| point.label.as_str()).collect::<Vec<_>>().join(", ");
            let is = |label: &str| points.iter().any(|point| point.label == label);
            // Parentheses hold a label together that has commas; or are a part of it, as in fixed(10).
            let bare = label.strip_prefix('(').and_then(|label| label.strip_suffix(')'));
            let known = [Some(label), bare].into_iter().flatten().find(|label| is(label));
            let label = known.with_context(|| format!("'{part}': {axis} has no {label}, only {}", labels()))?;
            wanted.push((axis.to_owned(), label.to_owned()));
        }
        Ok(Self(wanted))
    }

    /// Whether a cell is one of them.
    pub fn takes(&self, cell: &Cell) -> bool {
        self.0.iter().all(|wanted| cell.labels().contains(wanted))
    }
}

/// At commas; but not within parentheses, as in `cl=(insert=ONE,get=QUORUM)`.
fn parts(text: &str) -> Vec<&str> {
    let mut depth = 0_u32;
    let at_comma = |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    text.split(at_comma).map(str::trim).collect()
}

#[cfg(test)]
mod tests;
