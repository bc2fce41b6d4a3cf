// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Each cell with its trials.

use anyhow::Result;
use maud::{html, Markup};

use super::{class, facts, labels, loads, sign, standing, told, View};
use crate::results::answer::CellAnswer;
use crate::trials::trial::Trial;
use lab_load::report::html::number;

/// All cells; each opens its trials and their loads.
pub fn section(view: &View<'_>) -> Result<Markup> {
    let cells = view.answer.cells.iter().map(|cell| one(view, cell)).collect::<Result<Vec<_>>>()?;
    Ok(html! {
        h2 { "Cells and their loads" }
        p.note { "Response time counts from when an operation was due. An interval is one of 95 %." }
        @for cell in cells { (cell) }
    })
}

fn one(view: &View<'_>, cell: &CellAnswer) -> Result<Markup> {
    let trials = view.of(&cell.key).map(|trial| of_trial(view, trial)).collect::<Result<Vec<_>>>()?;
    Ok(html! {
        details.cell {
            summary { span class=(format!("sign {}", class(cell.verdict))) { (sign(cell.verdict)) } " " (labels(cell)) span.unit { (cell.verdict.label()) } }
            p #(format!("cell-{}", cell.key)) { (told(view, &cell.why)) }
            @if trials.is_empty() { p.note { "It was not measured." } }
            @for trial in trials { (trial) }
        }
    })
}

fn of_trial(view: &View<'_>, trial: &Trial) -> Result<Markup> {
    let (class, words) = standing(trial.standing());
    let void = view.answer.void_trials.contains(&trial.number);
    Ok(html! {
        details {
            summary {
                "Trial " (trial.number + 1) ": " (facts::purpose(trial.purpose)) " " span class=(format!("sign {class}")) { (words) }
                @if void { span.unit { "does not count: the machine changed" } }
            }
            (loads::conditions(trial))
            (loads::details(view.journal.loads(trial.number))?)
            @if let Some(capacity) = &trial.capacity {
                p {
                    "Search for the capacity: "
                    @match (capacity.holds_per_s, capacity.fails_per_s) {
                        (Some(holds), Some(fails)) => { "holds at " (number::plain(holds)) "/s, fails at " (number::plain(fails)) "/s" }
                        (Some(holds), None) => { "holds at " (number::plain(holds)) "/s, and at no rate it failed" }
                        (None, Some(fails)) => { "fails at " (number::plain(fails)) "/s, and held at no rate" }
                        (None, None) => { "nothing was found" }
                    }
                    "; " (capacity.probes) " runs"
                    @if capacity.client_limited { "; the client met its limit" }
                    @if !capacity.confirmed { "; not confirmed by longer runs" }
                    "."
                }
            }
            @if let Some(read) = &trial.read_back {
                p {
                    "Read back at ALL: " (read.rows) " rows, " (read.unexplained) " wrong, " (read.explained)
                    " wrong as the levels allow, " (read.errors) " reads failed."
                }
                @if !read.first.is_empty() { ul.mono { @for line in &read.first { li { (line) } } } }
            }
            @if !trial.notes.is_empty() { ul.notes { @for note in &trial.notes { li { (note) } } } }
        }
    })
}
