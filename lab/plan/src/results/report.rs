// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The reports of a plan, all from its journal: a table, JSON, CSV and a page.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{ContentArrangement, Table};
use serde::Serialize;

use crate::figures::phase::PhaseFigures;
use crate::figures::soak::SoakFigures;
use crate::file::PlanFile;
use crate::grid::plan::Plan;
use crate::journal::identity::Identity;
use crate::journal::Journal;
use crate::results::answer::{rounds, Answer, CellAnswer, Interval};
use crate::results::page;
use crate::results::scaling::{self, Scaling};
use crate::trials::trial::Trial;

/// The format's name.
pub const FORMAT: &str = "cassiterite-plan";
/// Grows when a field changes its meaning.
pub const VERSION: u32 = 1;

/// All that `plan.json` has.
#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    version: u32,
    answer: &'a Answer,
    plan: &'a PlanFile,
    identity: &'a Identity,
    trials: &'a [Trial],
    phases: &'a [PhaseFigures],
    soaks: &'a [SoakFigures],
    scaling: &'a [Scaling],
}

/// Writes `plan.json`, `cells.csv` and `index.html` into a folder.
pub fn write(folder: &Path, plan: &Plan, answer: &Answer, journal: &Journal) -> Result<()> {
    let (identity, trials) = (journal.begun()?.0, &journal.trials());
    let (phases, soaks, scaling) = (&journal.phases(), &journal.soaks(), &scaling::of(plan, answer, trials)?);
    let document = Document {
        format: FORMAT,
        version: VERSION,
        answer,
        plan: &plan.file,
        identity,
        trials,
        phases,
        soaks,
        scaling,
    };
    let json = folder.join("plan.json");
    let text = serde_json::to_string_pretty(&document)? + "\n";
    std::fs::write(&json, text).with_context(|| format!("cannot write {}", json.display()))?;
    let csv = folder.join("cells.csv");
    std::fs::write(&csv, rows(plan, answer, trials)?).with_context(|| format!("cannot write {}", csv.display()))?;
    page::write(&folder.join("index.html"), &page::View { plan, identity, answer, trials, journal, scaling })
}

/// One row for each cell, round, load and condition.
fn rows(plan: &Plan, answer: &Answer, trials: &[Trial]) -> Result<Vec<u8>> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    let axes: Vec<&str> = axes(answer);
    let fixed = [
        "cell",
        "trial",
        "purpose",
        "counts",
        "load",
        "rate_per_s",
        "throughput_per_s",
        "sla",
        "value",
        "low",
        "high",
        "limit",
        "standing",
    ];
    csv.write_record(axes.iter().copied().chain(fixed))?;
    for trial in trials {
        let Some(cell) = plan.cells.iter().find(|cell| cell.key() == trial.cell) else { continue };
        let labels: Vec<String> = cell.labels().iter().map(|(_, label)| label.clone()).collect();
        let counts = !answer.void_trials.contains(&trial.number);
        for load in &trial.loads {
            for condition in &load.judged.conditions {
                let fields = [
                    trial.cell.clone(),
                    trial.number.to_string(),
                    word(&trial.purpose)?,
                    counts.to_string(),
                    format!("launch x {}", load.share),
                    load.rate_per_s.to_string(),
                    load.throughput_per_s.to_string(),
                    condition.sla.clone(),
                    condition.value.to_string(),
                    condition.low.to_string(),
                    condition.high.to_string(),
                    condition.limit.to_string(),
                    word(&condition.standing)?,
                ];
                csv.write_record(labels.iter().cloned().chain(fields))?;
            }
        }
        for point in &trial.sweep {
            let fields = [
                trial.cell.clone(),
                trial.number.to_string(),
                word(&trial.purpose)?,
                counts.to_string(),
                format!("{} in flight", point.in_flight),
                String::new(),
                point.throughput_per_s.to_string(),
                "p95".to_owned(),
                point.p95_ms.to_string(),
                String::new(),
                String::new(),
                String::new(),
                String::new(),
            ];
            csv.write_record(labels.iter().cloned().chain(fields))?;
        }
    }
    csv.into_inner().context("the rows cannot be written")
}

fn word(value: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_value(value)?.as_str().unwrap_or_default().to_owned())
}

fn axes(answer: &Answer) -> Vec<&str> {
    let first = answer.cells.first().map(|cell| cell.labels.as_slice()).unwrap_or_default();
    first.iter().map(|(axis, _)| axis.as_str()).collect()
}

/// The table and the answer, for people.
pub fn text(plan: &Plan, answer: &Answer, trials: &[Trial], journal: &Journal) -> String {
    let mut table = Table::new();
    table.load_preset(UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    let priced = plan.file.cost.as_ref();
    let mut header: Vec<String> = axes(answer).into_iter().map(str::to_owned).collect();
    header.extend(["verdict", "rests on", "why", "capacity/s", "headroom"].map(str::to_owned));
    header.extend(priced.map(|cost| format!("{}/h", cost.currency)));
    table.set_header(header);
    for cell in &answer.cells {
        table.add_row(row(cell, priced.is_some()));
    }
    let mut text = format!("{table}\n");
    text += &sweeps(plan, trials);
    text += &effects(plan, &journal.phases());
    text += &soaks(plan, &journal.soaks());
    for note in notes(plan, answer, trials) {
        text += &format!("note: {note}\n");
    }
    text += &format!("{}.\n", answer.verdict);
    answer.details.iter().for_each(|detail| text += &format!("  {detail}\n"));
    text
}

fn row(cell: &CellAnswer, priced: bool) -> Vec<String> {
    let mut row: Vec<String> = cell.labels.iter().map(|(_, label)| label.clone()).collect();
    let basis = match cell.rounds {
        0 => word(&cell.basis).unwrap_or_default(),
        count => format!("{} ({})", word(&cell.basis).unwrap_or_default(), rounds(count)),
    };
    let interval = |interval: Option<Interval>, digits: usize| match interval {
        Some(Interval { low, high: Some(high) }) => format!("{low:.digits$}-{high:.digits$}"),
        Some(Interval { low, high: None }) => format!("{low:.digits$} or more"),
        None => String::new(),
    };
    row.extend([
        cell.verdict.label().to_owned(),
        basis,
        cell.why.clone(),
        interval(cell.capacity_per_s, 0),
        interval(cell.headroom, 2),
    ]);
    if priced {
        row.push(cell.costs.per_hour.map(|cost| format!("{cost:.3}")).unwrap_or_default());
    }
    row
}

fn sweeps(plan: &Plan, trials: &[Trial]) -> String {
    let mut table = Table::new();
    table.load_preset(UTF8_FULL_CONDENSED);
    table.set_header(["cell", "in flight (closed loop)", "operations/s", "P50 ms", "P95 ms", "P99 ms", "errors"]);
    for trial in trials {
        let Some(cell) = plan.cells.iter().find(|cell| cell.key() == trial.cell) else { continue };
        for point in &trial.sweep {
            table.add_row([
                cell.name(),
                point.in_flight.to_string(),
                format!("{:.0}{}", point.throughput_per_s, if point.client.is_some() { " (client)" } else { "" }),
                format!("{:.2}", point.p50_ms),
                format!("{:.2}", point.p95_ms),
                format!("{:.2}", point.p99_ms),
                point.errors.to_string(),
            ]);
        }
    }
    if table.row_count() == 0 {
        String::new()
    } else {
        format!("{table}\nThe time of operations in a closed loop leaves out what waits: no verdict comes of it.\n")
    }
}

fn effects(plan: &Plan, phases: &[PhaseFigures]) -> String {
    let mut table = Table::new();
    table.load_preset(UTF8_FULL_CONDENSED);
    table.set_header(["phase", "move", "at", "took", "recovery", "unavailable", "streamed"]);
    for phase in phases {
        let Some(cell) = plan.cells.iter().find(|cell| cell.key() == phase.cell) else { continue };
        for effect in &phase.effects {
            table.add_row([
                format!("{}: {} at {:.0}/s", phase.number + 1, cell.name(), phase.rate_per_s),
                effect.failed.as_ref().map_or(effect.step.to_string(), |why| format!("{}: {why}", effect.step)),
                format!("{:.0} s", effect.at_s),
                format!("{:.1} s", effect.took_s),
                page::recovery(effect),
                page::unavailable(effect),
                page::streamed(effect),
            ]);
        }
    }
    if table.row_count() == 0 {
        String::new()
    } else {
        format!("{table}\nRecovery: until the SLA held for 10 s. Unavailable: seconds without any success.\n")
    }
}

fn soaks(plan: &Plan, soaks: &[SoakFigures]) -> String {
    let mut text = String::new();
    for soak in soaks {
        let Some(cell) = plan.cells.iter().find(|cell| cell.key() == soak.cell) else { continue };
        let held = soak.windows.iter().filter(|window| window.held).count();
        let _ = writeln!(
            text,
            "soak: {} at {:.0}/s {}; the SLA held in {held} of {} windows",
            cell.name(),
            soak.rate_per_s,
            soak.verdict.label(),
            soak.windows.len()
        );
        soak.sentences().iter().chain(&soak.notes).for_each(|told| text += &format!("  {told}\n"));
    }
    text
}

/// What a reader should know.
pub(crate) fn notes(plan: &Plan, answer: &Answer, trials: &[Trial]) -> Vec<String> {
    let mut notes = Vec::new();
    let checked: u64 = trials.iter().flat_map(|trial| &trial.loads).map(|load| load.rows_checked).sum();
    let back: u64 = trials.iter().filter_map(|trial| trial.read_back.as_ref()).map(|read| read.rows).sum();
    notes.push(format!("{checked} rows were checked under load, {back} read back at ALL"));
    for trial in trials {
        let cell = || {
            plan.cells
                .iter()
                .find(|cell| cell.key() == trial.cell)
                .map(crate::grid::cell::Cell::name)
                .unwrap_or_default()
        };
        notes.extend(trial.wrong.iter().map(|wrong| format!("{}: {wrong}", cell())));
        let Some(read) = trial.read_back.as_ref().filter(|read| read.unexplained > 0) else { continue };
        let first = read.first.first().map(String::as_str).unwrap_or_default();
        notes.push(format!("{}: {} rows read back wrong: {first}", cell(), read.unexplained));
    }
    if !answer.unordered.is_empty() {
        notes.push(format!(
            "the order of {} was contradicted: nothing was inferred over it",
            answer.unordered.join(", ")
        ));
    }
    if !answer.void_trials.is_empty() {
        notes.push(format!("the machine changed: {} trials do not count", answer.void_trials.len()));
    }
    if !plan.is_fenced() {
        notes.push("nodes had no fences: verdicts are of this machine".to_owned());
    }
    let mut own: Vec<&String> = trials.iter().flat_map(|trial| &trial.notes).collect();
    own.sort();
    own.dedup();
    notes.extend(own.into_iter().cloned());
    notes
}
