// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Runs the phases of a plan, once the answer is there.

use std::time::Duration;

use anyhow::{ensure, Context, Result};

use crate::figures::phase::{effects, stretches, Effect, PhaseFigures};
use crate::file::Phase;
use crate::grid::after::{phase_about_s, refused, soaks_about_s};
use crate::grid::cell::Cell;
use crate::grid::plan::Plan;
use crate::journal::{Entry, Journal, Thing};
use crate::results::answer::Answer;
use crate::targets::{Hurt, Target};
use crate::trials::figures::Checked;
use crate::trials::trial::{ReadBack, Trial};
use lab_load::narrator::{words, Narrator};

/// A phase at one cell.
#[derive(Clone, Debug)]
pub struct Due<'a> {
    /// Its place in the plan file.
    pub number: usize,
    /// As the file says it.
    pub phase: &'a Phase,
    /// Where.
    pub cell: &'a Cell,
    /// Why it cannot be run there.
    pub refused: Option<String>,
}

/// All phases with the cells that they are run at; one at the winner has no cell where nothing meets.
pub fn due<'a>(plan: &'a Plan, answer: &Answer) -> Result<Vec<Due<'a>>> {
    let mut all = Vec::new();
    for (number, phase) in plan.file.phases.iter().enumerate() {
        for cell in answer.cells_at(plan, &phase.at).context("phases")? {
            all.push(Due { number, phase, cell, refused: refused(&plan.file, phase, cell)? });
        }
    }
    Ok(all)
}

/// Runs what is due and has no figures yet, as far as the budget goes.
pub fn run(
    plan: &Plan,
    trials: &[Trial],
    target: &mut dyn Target,
    journal: &mut Journal,
    narrator: &Narrator,
) -> Result<()> {
    let answer = Answer::of(plan, trials)?;
    let all = due(plan, &answer)?;
    for (at, due) in all.iter().enumerate() {
        if journal.phases().iter().any(|phase| phase.number == due.number && phase.cell == due.cell.key()) {
            continue;
        }
        let fits = plan.affords(journal.spent_s(trials) + phase_about_s(due.phase));
        let name = format!("phase {}: {}", due.number + 1, due.cell.name());
        match (&due.refused, fits) {
            (Some(why), _) => narrator.say(&format!("{name} is not run: {why}")),
            (None, false) => narrator.say(&format!("{name} is not run: the budget does not suffice")),
            (None, true) => {
                let about = words(Duration::from_secs_f64(phase_about_s(due.phase)));
                narrator.say(&format!("{name} (about {about})"));
                let rest = all.iter().skip(at).filter(|due| due.refused.is_none());
                let left_s = rest.map(|due| phase_about_s(due.phase)).sum::<f64>() + soaks_about_s(plan)?;
                narrator.left(Duration::try_from_secs_f64(left_s).ok());
                if let Some(figures) = one(plan, due, target, journal, narrator)? {
                    narrator.say(&format!("  {}", summary(&figures)));
                    journal.add(Entry::PhaseEnded { figures: Box::new(figures) })?;
                }
            }
        }
    }
    Ok(())
}

/// `None`: its table could not be filled.
fn one(
    plan: &Plan,
    due: &Due<'_>,
    target: &mut dyn Target,
    journal: &mut Journal,
    narrator: &Narrator,
) -> Result<Option<PhaseFigures>> {
    let (number, cell) = (due.number, due.cell.key().to_owned());
    journal.add(Entry::PhaseBegun { phase: number, cell: cell.clone() })?;
    let began = target.now();
    let prepared = target.prepare(due.cell, usize::MAX, true).with_context(|| due.cell.name())?;
    let Some(mut notes) = prepared.or_tell(narrator) else { return Ok(None) };
    let rate_per_s = plan.launch_per_s() * due.phase.load;
    narrator.doing(&format!("phase at {rate_per_s:.0}/s"));
    let mut told = |hurt: Hurt| match hurt {
        Hurt::Making(mend) => journal.add(Entry::Making { thing: Thing::Hurt(mend.to_string()) }),
        Hurt::Mended(mend) => journal.add(Entry::Gone { thing: Thing::Hurt(mend.to_string()) }),
    };
    let course = target.course(rate_per_s, &due.phase.timeline, &mut told)?;
    journal.add(Entry::PhaseSeen { phase: number, cell: cell.clone(), course: Box::new(course.clone()) })?;
    for moved in &course.moved {
        notes.extend(moved.failed.iter().chain(&moved.unseen).map(|why| format!("{}: {why}", moved.step)));
    }
    // Not that it missed the rate: moves of the load change that on purpose.
    if let Some(limit) = course.whole.client.as_ref().filter(|limit| limit.starts_with("client:")) {
        notes.push(format!("{limit}: figures say less of the servers"));
    }
    let read_back = if course.whole_again {
        target.read_back()?.as_ref().map(ReadBack::of)
    } else {
        notes.push("nothing was read back, since not all was mended".to_owned());
        None
    };
    // What was hurt does not serve another cell.
    target.end()?;
    for mend in still_hurt(journal) {
        // Nodes of our own went with their cluster.
        ensure!(plan.file.target.is_none(), "a node is still hurt: `{mend}` failed; `plan clean` tries it again");
        journal.add(Entry::Gone { thing: Thing::Hurt(mend) })?;
    }
    Ok(Some(PhaseFigures {
        number,
        cell,
        rate_per_s,
        stretches: stretches(&plan.slas, &course)?,
        effects: effects(&plan.slas, &course)?,
        checked: Checked::of(&course.whole, read_back),
        notes,
        took_s: (target.now() - began).as_secs_f64(),
    }))
}

fn still_hurt(journal: &Journal) -> Vec<String> {
    let hurt = |thing| if let Thing::Hurt(mend) = thing { Some(mend) } else { None };
    journal.things().into_iter().filter_map(hurt).collect()
}

fn summary(figures: &PhaseFigures) -> String {
    let effect = |effect: &Effect| {
        let recovery = match effect.recovery_s {
            Some(0.0) => "the SLA held".to_owned(),
            Some(seconds) => format!("the SLA held again after {seconds:.0} s"),
            None => "the SLA did not hold again".to_owned(),
        };
        format!("{}: {recovery}", effect.step)
    };
    figures.effects.iter().map(effect).collect::<Vec<_>>().join("; ")
}
