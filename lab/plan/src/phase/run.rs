// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Runs the phases of a plan, once the answer is there.

use std::time::Duration;

use anyhow::{bail, ensure, Context, Result};

use crate::file::{Phase, PlanFile, WINNER};
use crate::grid::axes::Filter;
use crate::grid::cell::Cell;
use crate::grid::plan::{Plan, WARMUP_MAX_S};
use crate::phase::figures::{effects, stretches, waits, PhaseFigures};
use crate::phase::timeline::{Fault, Move, Side};
use crate::results::answer::Answer;
use crate::runner::journal::{Entry, Journal, Thing};
use crate::soak;
use crate::targets::{Hurt, Target};
use crate::trials::figures::Checked;
use crate::trials::trial::{ReadBack, Trial};
use crate::volumes;
use lab_load::narrator::{words, Narrator};
use lab_node::network;

/// Preparing, and starting nodes, a guess.
const BESIDE_S: f64 = 150.0;

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
        for cell in cells_at(plan, answer, &phase.at).context("phases")? {
            all.push(Due { number, phase, cell, refused: refused(&plan.file, phase, cell)? });
        }
    }
    Ok(all)
}

/// The cells that an `at` means: the winner, if there is one, or those that it names.
pub(crate) fn cells_at<'a>(plan: &'a Plan, answer: &Answer, at: &str) -> Result<Vec<&'a Cell>> {
    let winner = || answer.winners.first().and_then(|at| plan.cells.get(*at)).into_iter().collect();
    Ok(named_cells(plan, at)?.unwrap_or_else(winner))
}

/// The cells that an `at` names; `None`: the winner's.
pub(crate) fn named_cells<'a>(plan: &'a Plan, at: &str) -> Result<Option<Vec<&'a Cell>>> {
    if at == WINNER {
        return Ok(None);
    }
    let filter = Filter::of(at, &plan.file).context("at")?;
    Ok(Some(plan.cells.iter().filter(|cell| filter.takes(cell)).collect()))
}

/// Why a cell cannot have a phase: a node that it does not have, one that nobody could replace, a volume without copies
/// or for all nodes, a network without an other side.
pub fn refused(file: &PlanFile, phase: &Phase, cell: &Cell) -> Result<Option<String>> {
    let nodes = cell.nodes()?;
    let named = |axis: &str| -> Result<_> { Ok(cell.text(axis)?.and_then(|name| file.volumes.get_key_value(name))) };
    let (volume, log) = (named("data")?, named("commitlog")?);
    let of_volume = |step: &Move| {
        let Some((name, volume)) = volume else { bail!("{} has its data on no volume of the plan", cell.name()) };
        match step {
            Move::LoseCopy => volumes::loses_copies(name, volume),
            Move::Fill(bytes) => volumes::fills(name, volume, bytes.0),
            Move::Slow(_) => volumes::slows(name, volume, cell.fence(file)?.is_some()),
            _ => Ok(()),
        }
    };
    let of_host = || {
        for (what, volume) in [("data", volume), ("commitlog", log)] {
            let Some((name, volume)) = volume else {
                bail!("{} has no volume of the plan for {what}, which would be lost with the host", cell.name())
            };
            volumes::mounts_elsewhere(name, volume, &phase.timeline)?;
        }
        Ok(())
    };
    let of_network = |side: &Side| {
        let named = side.numbers().filter(|node| *node <= nodes).count() as u32;
        if side.numbers().any(|node| node > nodes) {
            return Some(format!("{} has {nodes} nodes", cell.name()));
        }
        (named == nodes || nodes == 1).then(|| format!("{} has no node on the other side", cell.name()))
    };
    let why = |step: &Move| match step {
        Move::Disturb(_, side) => of_network(side),
        step if step.is_of_volume() => of_volume(step).err().map(|why| format!("{why:#}")),
        step if step.node().is_some_and(|node| node > nodes) => Some(format!("{} has {nodes} nodes", cell.name())),
        Move::Hurt(Fault::Lose, _) if nodes == 1 => {
            Some(format!("{} has no other node to replace it from", cell.name()))
        }
        Move::Hurt(Fault::LoseHost, _) if nodes == 1 => {
            Some(format!("{} has no other node to hear its new address from", cell.name()))
        }
        Move::Hurt(Fault::LoseHost, _) => of_host().err().map(|why| format!("{why:#}")),
        _ => None,
    };
    Ok(phase.timeline.iter().find_map(|step| Some(format!("`{step}`: {}", why(step)?))))
}

/// Why this machine cannot run the phases of a plan that starts its nodes.
pub fn unable(file: &PlanFile) -> Option<String> {
    let why = file.disturbs_network().then(network::able)?.err()?;
    Some(format!("phases: the network between nodes: {why:#}"))
}

/// About how long a phase takes.
pub fn about_s(phase: &Phase) -> f64 {
    waits(&phase.timeline).as_secs_f64() + BESIDE_S + WARMUP_MAX_S / 2.0
}

/// About how long all phases of a plan take.
pub fn all_about_s(plan: &Plan) -> Result<f64> {
    let mut all_s = 0.0;
    for phase in &plan.file.phases {
        let cells = named_cells(plan, &phase.at)?.map_or(1, |cells| cells.len());
        all_s += about_s(phase) * cells as f64;
    }
    Ok(all_s)
}

/// Seconds of trials, phases and soaks so far.
pub(crate) fn spent_s(trials: &[Trial], journal: &Journal) -> f64 {
    let (phases, soaks) = (journal.phases(), journal.soaks());
    let beside = phases.iter().map(|phase| phase.took_s).chain(soaks.iter().map(|soak| soak.took_s));
    trials.iter().map(|trial| trial.took_s).chain(beside).sum()
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
        let fits = plan.affords(spent_s(trials, journal) + about_s(due.phase));
        let name = format!("phase {}: {}", due.number + 1, due.cell.name());
        match (&due.refused, fits) {
            (Some(why), _) => narrator.say(&format!("{name} is not run: {why}")),
            (None, false) => narrator.say(&format!("{name} is not run: the budget does not suffice")),
            (None, true) => {
                let about = words(Duration::from_secs_f64(about_s(due.phase)));
                narrator.say(&format!("{name} (about {about})"));
                let rest = all.iter().skip(at).filter(|due| due.refused.is_none());
                let left_s = rest.map(|due| about_s(due.phase)).sum::<f64>() + soak::run::all_about_s(plan)?;
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
    let effect = |effect: &crate::phase::figures::Effect| {
        let recovery = match effect.recovery_s {
            Some(0.0) => "the SLA held".to_owned(),
            Some(seconds) => format!("the SLA held again after {seconds:.0} s"),
            None => "the SLA did not hold again".to_owned(),
        };
        format!("{}: {recovery}", effect.step)
    };
    figures.effects.iter().map(effect).collect::<Vec<_>>().join("; ")
}
