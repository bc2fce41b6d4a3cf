// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A plan ready to run: its cells, conditions, loads and costs.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use anyhow::{bail, ensure, Context, Result};
use serde_json::Value;

use crate::file::{PlanFile, Sweep, WINNER};
use crate::grid::after;
use crate::grid::axes::{cells, Filter};
use crate::grid::cell::{Cell, CellLevels};
use crate::grid::cost::Costs;
use crate::grid::race::{Candidate, Race, Rules};
use crate::grid::workload::CellWorkload;
use crate::quantity::WarmupLength;
use lab_load::report::Sla;

/// Until a cluster is up, filled and quiet, a guess before anything was measured.
const PREPARE_S: f64 = 90.0;
/// The longest warm-up.
pub const WARMUP_MAX_S: f64 = 240.0;

/// A plan.
#[derive(Clone, Debug)]
pub struct Plan {
    /// As it was written.
    pub file: PlanFile,
    /// The text of its profile.
    pub profile: String,
    /// Its conditions.
    pub slas: Vec<Sla>,
    /// Its cells, in the order of the file.
    pub cells: Vec<Cell>,
    /// Estimated bytes of each cell's table on all nodes, all copies counted.
    pub table_bytes: Vec<f64>,
}

impl Plan {
    /// Of a file; every cell is understood, or refused by name.
    pub fn new(file: PlanFile) -> Result<Self> {
        let (profile, slas) = (file.profile_text()?, file.slas()?);
        let cells = cells(&file)?;
        let (mut table_bytes, mut drawn) = (Vec::with_capacity(cells.len()), HashMap::new());
        for cell in &cells {
            let understood = understood(&file, &profile, cell, &mut drawn);
            table_bytes.push(understood.with_context(|| format!("cell {}", cell.name()))?);
        }
        let plan = Self { file, profile, slas, cells, table_bytes };
        plan.check_kinds()?;
        plan.check_filters()?;
        Ok(plan)
    }

    /// Whether every node has a fence.
    pub fn is_fenced(&self) -> bool {
        self.cells.iter().all(|cell| cell.fence(&self.file).is_ok_and(|fence| fence.is_some()))
    }

    /// Keeps the cells that the filter takes.
    pub fn only(mut self, text: &str) -> Result<Self> {
        let filter = Filter::of(text, &self.file).context("--only")?;
        let taken: Vec<bool> = self.cells.iter().map(|cell| filter.takes(cell)).collect();
        ensure!(taken.contains(&true), "--only {text} leaves no cell");
        let mut keep = taken.iter().copied();
        self.cells.retain(|_| keep.next() == Some(true));
        let mut keep = taken.into_iter();
        self.table_bytes.retain(|_| keep.next() == Some(true));
        Ok(self)
    }

    /// The costs of a cell, by what it stores.
    pub fn costs(&self, at: usize, stored_bytes: Option<f64>) -> Result<Costs> {
        let cell = self.cells.get(at).context("there is no such cell")?;
        let estimated = self.table_bytes.get(at).copied().unwrap_or_default();
        Costs::of(&self.file, cell, stored_bytes.unwrap_or(estimated))
    }

    /// Whether so many seconds in all are within the budget.
    pub fn affords(&self, all_s: f64) -> bool {
        self.budget_s().is_none_or(|budget_s| all_s <= budget_s)
    }

    fn budget_s(&self) -> Option<f64> {
        self.file.budget.map(|budget| budget.0.as_secs_f64())
    }

    /// Phases and soaks come after the trials: what they are likely to take is kept for them, up to half of the budget.
    fn trials_budget_s(&self) -> Result<Option<f64>> {
        let Some(budget_s) = self.budget_s() else { return Ok(None) };
        let after_s = after::all_about_s(self)?;
        Ok(Some(budget_s - after_s.min(budget_s / 2.0)))
    }

    /// The race of its cells.
    pub fn race(&self) -> Result<Race> {
        let candidate = |(at, cell): (usize, &Cell)| -> Result<Candidate> {
            Ok(Candidate { cell: cell.clone(), cost: self.costs(at, None)?.key() })
        };
        let measure = &self.file.measure;
        let candidates = self.cells.iter().enumerate().map(candidate).collect::<Result<_>>()?;
        Ok(Race::new(
            candidates,
            Rules {
                rounds: measure.rounds,
                pruning: measure.pruning,
                budget_s: self.trials_budget_s()?,
                trial_s: self.trial_s()?,
                precision: measure.precision.0,
                shares: self.file.shares(),
                seed: measure.seed,
            },
        ))
    }

    /// The keyspace of its profile.
    pub fn keyspace(&self) -> Result<String> {
        Ok(lab_load::profile::Profile::parse(&self.profile)?.keyspace)
    }

    /// How long a warm-up takes at most.
    pub fn warmup_max_s(&self) -> f64 {
        match self.file.measure.warmup {
            WarmupLength::Auto => WARMUP_MAX_S,
            WarmupLength::AtMost(time) => time.as_secs_f64(),
        }
    }

    /// Seconds that a trial takes, guessed before any was run.
    pub fn trial_s(&self) -> Result<f64> {
        let measure = &self.file.measure;
        let warmup_s = match measure.warmup {
            WarmupLength::Auto => WARMUP_MAX_S / 2.0,
            WarmupLength::AtMost(time) => time.as_secs_f64(),
        };
        let run_s = measure.run.shortest.as_secs_f64();
        Ok(PREPARE_S + warmup_s + run_s * (self.file.shares().len() as f64 + 2.0) + self.sweeps_s()?)
    }

    /// Seconds of closed loops, over the cells on average.
    fn sweeps_s(&self) -> Result<f64> {
        let mut all_s = 0.0;
        for cell in &self.cells {
            let each_s = |sweep: &Sweep| sweep.closed.len() as f64 * sweep.run.0.as_secs_f64();
            all_s += self.sweeps_of(cell)?.into_iter().map(each_s).sum::<f64>();
        }
        Ok(all_s / self.cells.len().max(1) as f64)
    }

    /// The closed loops that a cell has.
    pub fn sweeps_of(&self, cell: &Cell) -> Result<Vec<&Sweep>> {
        let mut own = Vec::new();
        for sweep in &self.file.sweeps {
            let filter = sweep.at.as_ref().map(|at| Filter::of(at, &self.file)).transpose().context("sweeps: at")?;
            if filter.is_none_or(|filter| filter.takes(cell)) {
                own.push(sweep);
            }
        }
        Ok(own)
    }

    /// Operations per second at launch.
    pub fn launch_per_s(&self) -> f64 {
        self.file.load.launch.0
    }

    /// What names cells that there are not would be found out hours later.
    fn check_filters(&self) -> Result<()> {
        for sweep in &self.file.sweeps {
            sweep.at.as_ref().map(|at| Filter::of(at, &self.file)).transpose().context("sweeps: at")?;
        }
        if let Some(soak) = &self.file.soak {
            after::named_cells(self, &soak.at).context("soak")?;
        }
        for phase in self.file.phases.iter().filter(|phase| phase.at != WINNER) {
            let filter = Filter::of(&phase.at, &self.file).context("phases: at")?;
            for cell in self.cells.iter().filter(|cell| filter.takes(cell)) {
                if let Some(why) = after::refused(&self.file, phase, cell)? {
                    bail!("phases: {why}");
                }
            }
        }
        Ok(())
    }

    fn check_kinds(&self) -> Result<()> {
        let Some(cell) = self.cells.first() else { return Ok(()) };
        let workload = CellWorkload::of(&self.file, &self.profile, cell)?;
        let known: Vec<&str> = workload.mix.weights().iter().map(|(name, _)| name.as_str()).collect();
        for sla in &self.slas {
            if let Some(kind) = sla.kind() {
                ensure!(known.contains(&kind), "sla: '{sla}': the workload has no '{kind}', only {}", known.join(", "));
            }
        }
        Ok(())
    }
}

/// Understands every setting of a cell; estimated bytes of its table on all nodes. `drawn` has the bytes of a node's partitions
/// for each profile that there was.
fn understood(file: &PlanFile, profile: &str, cell: &Cell, drawn: &mut HashMap<String, f64>) -> Result<f64> {
    let (nodes, copies) = (cell.nodes()?, cell.replication_factor()?);
    cell.engine()?;
    cell.fence(file)?;
    cell.jvm()?;
    for axis in ["num_tokens", "racks", "in_flight", "connections"] {
        cell.whole(axis, 1)?;
    }
    if let Some(heap) = cell.text("heap")? {
        heap.parse::<crate::quantity::Bytes>().context("heap")?;
    }
    for axis in ["data", "commitlog"] {
        if let Some(name) = cell.text(axis)? {
            let known = || file.volumes.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
            ensure!(file.volumes.contains_key(name), "{axis}: there is no volume {name}, only {}", known());
        }
    }
    let workload = CellWorkload::of(file, profile, cell)?;
    if let CellLevels::ByOperation(levels) = cell.levels()? {
        for (name, _) in workload.mix.weights() {
            ensure!(levels.contains_key(name), "cl: the level of {name} is missing");
        }
    }
    let changes: BTreeMap<&str, &Value> = cell.prefixed("profile.").collect();
    let bytes = match drawn.entry(serde_json::to_string(&changes)?) {
        Entry::Occupied(known) => *known.get(),
        Entry::Vacant(place) => *place.insert(workload.drawn_bytes(file.workload.rows_per_node.0)?),
    };
    Ok(bytes * f64::from(nodes) * f64::from(copies))
}

#[cfg(test)]
mod tests;
