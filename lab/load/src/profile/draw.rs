// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Draws the shape of the data that a profile makes, from a sample and without a cluster.

use std::fmt::{self, Write as _};

use anyhow::{Context, Result};
use comfy_table::{presets, CellAlignment, Table as TextTable};

use super::conditions::Conditions;
use super::insert_spec::InsertSpec;
use super::mix::Mix;
use super::population::Population;
use super::profile::Profile;
use super::seed::{below, join, mix};
use super::table::{id_of, Table};

/// Partitions that are looked at.
const PARTITIONS_SAMPLED: u64 = 2000;
/// Rows of each that are made.
const ROWS_SAMPLED: u64 = 20;
/// Bars of the histogram, and characters of the longest.
const BARS: usize = 10;
const BAR_WIDTH: usize = 40;

/// The shape of the data that a profile makes from a population.
#[derive(Clone, Debug)]
pub struct Drawing {
    name: String,
    partitions: u64,
    /// Of the sampled partitions, sorted.
    rows: Vec<u64>,
    row_bytes: Vec<u64>,
    partition_bytes: Vec<u64>,
    key_bytes: f64,
    repeated_keys: u64,
    operations: Vec<(String, f64, String)>,
}

/// Draws the table that the profile defines; without a definition there is nothing to draw before the cluster is asked.
pub fn draw(profile: &Profile, mix: &Mix, population: &Population, insert: &InsertSpec) -> Result<Drawing> {
    let definition = profile.definition()?.context("the profile has no table_definition")?;
    let spec = insert.clone().or(&profile.insert);
    let table = Table::new(&definition.columns, &profile.columnspec, spec.row_population())?;
    let mut drawing = sample(&table, population, format!("{}.{}", profile.keyspace, profile.table));
    for (i, (name, _)) in mix.weights().iter().enumerate() {
        let rows = rows_per_operation(profile, &table, &spec, &drawing, name)?;
        drawing.operations.push((name.clone(), mix.share(i), rows));
    }
    Ok(drawing)
}

fn sample(table: &Table, population: &Population, name: String) -> Drawing {
    let partitions = population.partitions();
    let (first, _) = population.range();
    let taken = partitions.min(PARTITIONS_SAMPLED);
    let mut drawing = Drawing {
        name,
        partitions,
        rows: Vec::new(),
        row_bytes: Vec::new(),
        partition_bytes: Vec::new(),
        key_bytes: 0.0,
        repeated_keys: 0,
        operations: Vec::new(),
    };
    let mut ids = Vec::new();
    for i in 0..taken {
        // One out of each of as many equal parts of the population: none twice.
        let part = |i: u64| (u128::from(i) * u128::from(partitions) / u128::from(taken)) as u64;
        let seed = first + part(i) + below(mix(i), part(i + 1) - part(i));
        let partition = table.partition(seed);
        let rows = table.rows(partition.id);
        let mut bytes = 0;
        let looked_at = rows.min(ROWS_SAMPLED);
        for j in 0..looked_at {
            let row = if looked_at == rows { j } else { below(mix(join(seed, j)), rows) };
            let mut cells = table.clustering_of(partition.id, row);
            table.append_values(partition.id, id_of(cells.iter()), 0, &mut cells);
            drawing.row_bytes.push(cells.value_bytes());
            bytes += cells.value_bytes();
        }
        drawing.rows.push(rows);
        drawing.key_bytes += partition.keys.value_bytes() as f64 / taken as f64;
        let mean = bytes as f64 / looked_at as f64;
        drawing.partition_bytes.push(partition.keys.value_bytes() + (mean * rows as f64) as u64);
        ids.push(partition.id);
    }
    ids.sort_unstable();
    drawing.repeated_keys = ids.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
    for values in [&mut drawing.rows, &mut drawing.row_bytes, &mut drawing.partition_bytes] {
        values.sort_unstable();
    }
    drawing
}

fn rows_per_operation(
    profile: &Profile,
    table: &Table,
    spec: &InsertSpec,
    drawing: &Drawing,
    name: &str,
) -> Result<String> {
    let per_partition = mean(&drawing.rows);
    if let Some(scan) = profile.token_range_queries.get(name) {
        return Ok(format!("up to {} (a page)", scan.page_size));
    }
    let Some(query) = profile.queries.get(name) else {
        anyhow::ensure!(
            name == profile.insert_name(),
            "no operation {name}; there are {}",
            profile.operation_names().join(", ")
        );
        let rows =
            selected((per_partition / spec.visits()? as f64).max(1.0), spec.select().mean()) * spec.partitions().mean();
        return Ok(format!("{rows:.1} in {:.1} partitions", spec.partitions().mean()));
    };
    let conditions = Conditions::of(&query.cql)?;
    let bound = |name: &str| conditions.mark_of(name).is_some();
    let whole_key = table.keys.iter().all(|column| bound(&column.name));
    let whole_row = whole_key && table.clustering.columns().iter().all(|column| bound(&column.name));
    Ok(match (conditions.selects, whole_row, whole_key) {
        (false, ..) => "a write of its own".to_owned(),
        (_, true, _) => "1".to_owned(),
        (_, _, true) => {
            format!("up to {per_partition:.1} (a partition{})", if conditions.partial { ", limited" } else { "" })
        }
        _ => "unknown".to_owned(),
    })
}

/// The mean of the rows that are taken from so many with this chance, of which one is taken where none was hit.
fn selected(rows: f64, chance: f64) -> f64 {
    rows * chance + (1.0 - chance).powf(rows)
}

impl Drawing {
    /// Partitions of the population.
    pub fn partitions(&self) -> u64 {
        self.partitions
    }

    /// Mean rows of a partition.
    pub fn rows_per_partition(&self) -> f64 {
        mean(&self.rows)
    }

    /// Bytes of all values, keys counted once for each partition, without what the server adds.
    pub fn total_bytes(&self) -> f64 {
        self.partitions as f64 * (self.key_bytes + self.rows_per_partition() * mean(&self.row_bytes))
    }
}

fn mean(values: &[u64]) -> f64 {
    values.iter().map(|value| *value as f64).sum::<f64>() / values.len().max(1) as f64
}

fn percentile(sorted: &[u64], p: f64) -> u64 {
    let at = ((sorted.len() as f64 * p).ceil() as usize).clamp(1, sorted.len().max(1)) - 1;
    sorted.get(at).copied().unwrap_or(0)
}

impl fmt::Display for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sampled, rows) = (self.rows.len(), self.row_bytes.len());
        writeln!(
            f,
            "{}: {} partitions, about {:.0} rows, about {}",
            self.name,
            self.partitions,
            self.partitions as f64 * self.rows_per_partition(),
            bytes(self.total_bytes())
        )?;
        writeln!(
            f,
            "(from a sample of {sampled} partitions and {rows} rows; values only, before the server's own bytes)"
        )?;
        if self.repeated_keys > 0 {
            let keys = sampled as u64 - self.repeated_keys;
            writeln!(f, "the {sampled} sampled partitions have only {keys} keys: partitions, rows and bytes are fewer than that")?;
        }
        let mut table = text_table(&["", "min", "p50", "p95", "p99", "max", "mean"]);
        for (what, values) in [
            ("rows per partition", &self.rows),
            ("bytes per row", &self.row_bytes),
            ("bytes per partition", &self.partition_bytes),
        ] {
            let mut line = vec![what.to_owned()];
            line.extend([0.0, 0.5, 0.95, 0.99, 1.0].iter().map(|p| percentile(values, *p).to_string()));
            line.push(format!("{:.1}", mean(values)));
            table.add_row(line);
        }
        writeln!(f, "{table}")?;
        let mut operations = text_table(&["operation", "share", "rows per operation"]);
        for (name, share, rows) in &self.operations {
            operations.add_row(vec![name.clone(), format!("{:.1} %", share * 100.0), rows.clone()]);
        }
        writeln!(f, "{operations}")?;
        f.write_str(&histogram("bytes per partition", &self.partition_bytes)?)
    }
}

fn text_table(heads: &[&str]) -> TextTable {
    let mut table = TextTable::new();
    table.load_preset(presets::NOTHING).set_header(heads.to_vec());
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn histogram(title: &str, sorted: &[u64]) -> Result<String, fmt::Error> {
    let (Some(&min), Some(&max)) = (sorted.first(), sorted.last()) else { return Ok(String::new()) };
    if min == max {
        return Ok(String::new());
    }
    let mut counts = [0usize; BARS];
    let width = (max - min) as f64 + 1.0;
    for value in sorted {
        let bar = ((value - min) as f64 / width * BARS as f64) as usize;
        counts[bar.min(BARS - 1)] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    let mut text = format!("{title}:\n");
    for (i, count) in counts.iter().enumerate() {
        let from = min as f64 + width * i as f64 / BARS as f64;
        writeln!(text, "{:>12.0} {:<BAR_WIDTH$} {count}", from, "#".repeat((count * BAR_WIDTH).div_ceil(most)))?;
    }
    Ok(text)
}

fn bytes(value: f64) -> String {
    let units = ["bytes", "KB", "MB", "GB", "TB", "PB"];
    let step = (value.max(1.0).log10() / 3.0).floor().min(5.0);
    let unit = units.get(step as usize).copied().unwrap_or("bytes");
    format!("{:.*} {unit}", usize::from(step > 0.0), value / 1000f64.powf(step))
}
