// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The report of a plan as one self-contained page: answer, verdicts, heat maps, closed loops, costs, the run, and each load.

mod cells;
mod facts;
mod front;
mod heat;
mod loads;
mod names;
mod phases;
mod scaling;
mod soak;
mod sweeps;
mod verdicts;

use std::path::Path;

use anyhow::{Context, Result};
use maud::{html, Markup};

use crate::grid::plan::Plan;
use crate::journal::identity::Identity;
use crate::journal::Journal;
use crate::results::answer::{Answer, CellAnswer, Verdict};
use crate::results::scaling::Scaling;
use crate::trials::figures::Checked;
use crate::trials::judge::Standing;
use crate::trials::trial::Trial;
use lab_load::report::html::{document, number};
pub(crate) use phases::{recovery, streamed, unavailable};

const STYLE: &str = include_str!("page.css");

/// What the page is made of.
pub struct View<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Where and with what it ran.
    pub identity: &'a Identity,
    /// The answer.
    pub answer: &'a Answer,
    /// Finished trials.
    pub trials: &'a [Trial],
    /// What their loads saw.
    pub journal: &'a Journal,
    /// How capacity grows with nodes.
    pub scaling: &'a [Scaling],
}

impl View<'_> {
    /// Trials of a cell, those that do not count left out.
    fn counting<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a Trial> {
        self.of(key).filter(|trial| !self.answer.void_trials.contains(&trial.number))
    }

    fn of<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a Trial> {
        self.trials.iter().filter(move |trial| trial.cell == key)
    }

    fn name(&self, key: &str) -> String {
        self.plan.cells.iter().find(|cell| cell.key() == key).map(crate::grid::cell::Cell::name).unwrap_or_default()
    }
}

/// Writes the page into a file.
pub fn write(path: &Path, view: &View<'_>) -> Result<()> {
    std::fs::write(path, page(view)?).with_context(|| format!("cannot write {}", path.display()))
}

/// The page as text.
pub fn page(view: &View<'_>) -> Result<String> {
    let main = html! {
        (verdicts::answer(view))
        (verdicts::table(view))
        (names::section(view)?)
        (heat::section(view))
        (sweeps::section(view)?)
        (front::section(view))
        (scaling::section(view.scaling))
        (phases::section(view)?)
        (soak::section(view)?)
        (facts::course(view))
        (cells::section(view)?)
        (facts::section(view))
    };
    Ok(document(&format!("plan: {}", view.plan.file.name), STYLE, &main, &html! {}).into_string())
}

/// What was compared, in words.
fn checked(checked: &Checked) -> Markup {
    html! {
        (number::plain(checked.rows_checked as f64)) " rows were checked under load: " (checked.unexplained) " wrong, " (checked.explained) " wrong as the levels allow. "
        @match &checked.read_back {
            Some(read) => { (read.rows) " rows were read back at ALL afterwards: " (read.unexplained) " wrong, " (read.errors) " reads failed." }
            None => { "Nothing was read back." }
        }
    }
}

/// Verdicts have a colour and a sign, for colours alone are not seen by all.
fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Meets => "✓",
        Verdict::DoesNotMeet => "✗",
        Verdict::CannotTell => "?",
        Verdict::NotRun => "·",
    }
}

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Meets => "meets",
        Verdict::DoesNotMeet => "fails",
        Verdict::CannotTell => "doubt",
        Verdict::NotRun => "none",
    }
}

fn standing(standing: Standing) -> (&'static str, &'static str) {
    match standing {
        Standing::Holds => ("meets", "✓ holds"),
        Standing::Fails => ("fails", "✗ fails"),
        Standing::TooNoisy => ("doubt", "? noise"),
        Standing::ClientLimited => ("doubt", "? client"),
        Standing::NotFilled => ("doubt", "? fill"),
        Standing::NodeEnded => ("fails", "✗ node ended"),
    }
}

fn labels(cell: &CellAnswer) -> String {
    let words: Vec<String> = cell.labels.iter().map(|(axis, label)| format!("{}={label}", short(axis))).collect();
    if words.is_empty() {
        "the only cell".to_owned()
    } else {
        words.join(" ")
    }
}

/// Columns and keys by their last words: `profile.columnspec.value.size` is `value.size`.
fn short(axis: &str) -> &str {
    let deep = axis.starts_with("profile.").then(|| axis.rmatch_indices('.').nth(1)).flatten();
    deep.and_then(|(at, _)| axis.get(at + 1..)).unwrap_or(axis)
}

/// A text in which axes have their short names.
fn told(view: &View<'_>, text: &str) -> String {
    let axes = view.answer.cells.first().into_iter().flat_map(|cell| &cell.labels);
    axes.fold(text.to_owned(), |text, (axis, _)| text.replace(axis.as_str(), short(axis)))
}

fn link(cell: &CellAnswer, text: &str) -> Markup {
    html! { a href=(format!("#cell-{}", cell.key)) { (text) } }
}
