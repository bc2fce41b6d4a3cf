// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Writes the files that the settings name, and the table of a sweep.

use anyhow::Result;

use super::measure::Measured;
use super::settings::{Output, Settings};
use crate::report::{self, header, html, row, Collections, RowContext, Run, Span};

/// Of a sweep, the run with the most operations per second.
fn best(runs: &[Run]) -> Option<&Run> {
    runs.iter().max_by(|one, other| one.operations_per_s().total_cmp(&other.operations_per_s()))
}

/// The run that a command is judged by: of a sweep the best one, since the last ones are meant to be beyond what the servers can
/// do. Rows that were wrong in any of them are wrong.
pub fn deciding_run(runs: &[Run]) -> Option<&Run> {
    runs.iter().find(|run| run.unexplained_faults() > 0).or_else(|| best(runs))
}

/// An error where one of the files that the settings name cannot be written.
pub fn ensure_writable(output: &Output) -> Result<()> {
    let graph = output.graph.as_ref().map(|graph| &graph.file);
    output.json.iter().chain(&output.html).chain(graph).try_for_each(|file| report::ensure_writable(file))?;
    graph.filter(|file| file.exists()).map_or(Ok(()), |file| html::read(file).map(drop))
}

/// Writes the files that the settings name. Of a sweep, JSON keeps the best run.
pub fn write(settings: &Settings, runs: &[Run]) -> Result<()> {
    if let (Some(path), Some(best)) = (&settings.output.json, best(runs)) {
        best.write(path)?;
    }
    if let (Some(path), Some(first)) = (&settings.output.html, runs.first()) {
        html::write(path, &first.operation, runs)?;
    }
    if let Some(graph) = &settings.output.graph {
        for run in runs {
            let mut run = run.clone();
            if let Some(revision) = graph.revision.as_ref().filter(|_| runs.len() > 1) {
                run.name = format!("{revision}, {}", run.name);
            }
            html::append(&graph.file, graph.title.as_deref(), run)?;
        }
    }
    Ok(())
}

/// A row per run, kind and thread count.
pub fn sweep_table(runs: &[Measured]) -> String {
    let width = runs.iter().map(|measured| measured.run.name.len()).max().unwrap_or(0);
    let Some(first) = runs.first() else { return String::new() };
    let names: Vec<&str> = first.run.kinds.iter().map(|totals| totals.name.as_str()).chain(["total"]).collect();
    let mut lines = vec![format!("{:>width$}, {}", "id", header(&names))];
    for measured in runs {
        let run = &measured.run;
        for totals in run.kinds.iter().chain([&run.total]) {
            let span = Span { to_s: run.elapsed_s, ..Span::default() };
            let context = RowContext {
                total_operations: totals.part.operations,
                uncertainty: measured.uncertainty,
                collections: Collections::default(),
            };
            lines.push(format!("{:>width$}, {}", run.name, row(&names, &totals.name, &span, &totals.part, &context)));
        }
    }
    lines.join("\n")
}
