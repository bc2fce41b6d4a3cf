// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Runs the soak of a plan, once its phases are over.

use std::time::Duration;

use anyhow::{Context, Result};

use crate::figures::soak::{beside, drifts, SoakFigures, Window, WindowFigures};
use crate::file::{Every, Soak};
use crate::grid::after::soak_about_s;
use crate::grid::cell::Cell;
use crate::grid::plan::Plan;
use crate::journal::{Entry, Journal};
use crate::results::answer::Answer;
use crate::targets::Target;
use crate::timeline::Move;
use crate::trials::figures::Checked;
use crate::trials::observed::Observed;
use crate::trials::trial::{ReadBack, Trial};
use lab_load::narrator::{words, Narrator};

/// Soaks the cells that have no figures yet, as far as the budget goes.
pub fn run(
    plan: &Plan,
    trials: &[Trial],
    target: &mut dyn Target,
    journal: &mut Journal,
    narrator: &Narrator,
) -> Result<()> {
    let Some(soak) = &plan.file.soak else { return Ok(()) };
    let cells = Answer::of(plan, trials)?.cells_at(plan, &soak.at).context("soak")?;
    for (at, cell) in cells.iter().enumerate() {
        if journal.soaks().iter().any(|soak| soak.cell == cell.key()) {
            continue;
        }
        let name = format!("soak: {}", cell.name());
        if !plan.affords(journal.spent_s(trials) + soak_about_s(soak)) {
            narrator.say(&format!("{name} is not run: the budget does not suffice"));
            continue;
        }
        narrator.say(&format!("{name} (about {})", words(Duration::from_secs_f64(soak_about_s(soak)))));
        narrator.left(Duration::try_from_secs_f64(soak_about_s(soak) * (cells.len() - at) as f64).ok());
        let Some(figures) = one(plan, soak, cell, target, journal, narrator)? else { continue };
        figures.drifts.iter().for_each(|drift| narrator.say(&format!("  {}", drift.sentence())));
        journal.add(Entry::SoakEnded { figures: Box::new(figures) })?;
    }
    Ok(())
}

/// `None`: its table could not be filled.
fn one(
    plan: &Plan,
    soak: &Soak,
    cell: &Cell,
    target: &mut dyn Target,
    journal: &mut Journal,
    narrator: &Narrator,
) -> Result<Option<SoakFigures>> {
    journal.add(Entry::SoakBegun { cell: cell.key().to_owned() })?;
    let began = target.now();
    let prepared = target.prepare(cell, usize::MAX - 1, true).with_context(|| cell.name())?;
    let Some(mut notes) = prepared.or_tell(narrator) else { return Ok(None) };
    let (rate_per_s, length) = (plan.launch_per_s() * soak.load, Duration::from_secs_f64(soak.window_s()));
    let (zero, mut windows, mut whole) = (target.now(), Vec::new(), Observed::default());
    let (mut clock, mut upkeep) = (Clock::of(&soak.every), Vec::new());
    for number in 1..=soak.windows() {
        narrator.doing(&format!("soak at {rate_per_s:.0}/s, window {number} of {}", soak.windows()));
        let from_s = (target.now() - zero).as_secs_f64();
        let mut window = Window { from_s, ..target.window(rate_per_s, length, &clock.due(from_s))? };
        for moved in &mut window.moved {
            moved.from_s += from_s;
            moved.to_s += from_s;
        }
        upkeep.extend(window.moved.iter().cloned());
        // A window is judged as a whole.
        window.observed.kinds.iter_mut().for_each(|kind| kind.parts.clear());
        windows.push(WindowFigures::of(&plan.slas, &window)?);
        whole.add(&window.observed)?;
        journal.add(Entry::SoakWindow { window: Box::new(window) })?;
    }
    let limited = windows.iter().filter(|window| window.client.is_some()).count();
    if limited > 0 {
        notes.push(format!("in {limited} windows the client met a limit of its own: they do not count"));
    }
    let read_back = target.read_back()?.as_ref().map(ReadBack::of);
    // What has been soaked does not serve another cell.
    target.end()?;
    let (drifts, verdict) = drifts(&windows, soak.tolerance.0);
    Ok(Some(SoakFigures {
        cell: cell.key().to_owned(),
        rate_per_s,
        drifts,
        verdict,
        beside: beside(&windows, soak.tolerance.0),
        upkeep,
        checked: Checked::of(&whole, read_back),
        notes,
        windows,
        took_s: (target.now() - began).as_secs_f64(),
    }))
}

/// When which upkeep is due.
struct Clock(Vec<(Move, f64, f64)>);

impl Clock {
    fn of(every: &Every) -> Self {
        Self(every.all().map(|(step, every_s)| (step, every_s, every_s)).collect())
    }

    /// What is due by now; what was missed meanwhile is left out.
    fn due(&mut self, now_s: f64) -> Vec<Move> {
        let mut due = Vec::new();
        for (step, every_s, next_s) in &mut self.0 {
            if *next_s <= now_s {
                due.push(*step);
                *next_s = ((now_s / *every_s).floor() + 1.0) * *every_s;
            }
        }
        due
    }
}
