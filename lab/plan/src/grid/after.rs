// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What comes after the trials, before anything was measured: which cells have phases and soaks, why not, and how long they
//! are likely to take.

use anyhow::{bail, Context, Result};

use crate::file::{Phase, PlanFile, Soak, WINNER};
use crate::grid::axes::Filter;
use crate::grid::cell::Cell;
use crate::grid::plan::{Plan, WARMUP_MAX_S};
use crate::timeline::{waits, Fault, Move, Side};
use crate::volumes;
use lab_node::network;

/// Beside a phase: preparing, and starting nodes, a guess.
const BESIDE_PHASE_S: f64 = 150.0;
/// Beside a soak: preparing, and reading back, a guess.
const BESIDE_SOAK_S: f64 = 120.0;

/// The cells that an `at` names; `None`: the winner's.
pub fn named_cells<'a>(plan: &'a Plan, at: &str) -> Result<Option<Vec<&'a Cell>>> {
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
pub fn phase_about_s(phase: &Phase) -> f64 {
    waits(&phase.timeline).as_secs_f64() + BESIDE_PHASE_S + WARMUP_MAX_S / 2.0
}

/// About how long a soak takes.
pub fn soak_about_s(soak: &Soak) -> f64 {
    soak.windows() as f64 * soak.window_s() + BESIDE_SOAK_S + WARMUP_MAX_S / 2.0
}

/// About how long all phases and soaks of a plan take.
pub fn all_about_s(plan: &Plan) -> Result<f64> {
    let mut all_s = soaks_about_s(plan)?;
    for phase in &plan.file.phases {
        let cells = named_cells(plan, &phase.at)?.map_or(1, |cells| cells.len());
        all_s += phase_about_s(phase) * cells as f64;
    }
    Ok(all_s)
}

/// About how long the soaks of a plan take.
pub fn soaks_about_s(plan: &Plan) -> Result<f64> {
    let Some(soak) = &plan.file.soak else { return Ok(0.0) };
    let cells = named_cells(plan, &soak.at)?.map_or(1, |cells| cells.len());
    Ok(soak_about_s(soak) * cells as f64)
}
