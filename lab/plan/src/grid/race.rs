// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Which cell is measured next, and what is known of the others: a pure function of the trials so far.

mod choice;
mod known;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use self::known::measured;
use crate::file::Pruning;
use crate::grid::cell::Cell;
use crate::grid::order::{differing, hardness};
use crate::trials::confirm::{chances, Chances};
use crate::trials::judge::Standing;
use crate::trials::machine;
use crate::trials::trial::{Purpose, Trial};
use lab_load::observe::text_hash;

/// The chance of any wrong verdict in an answer.
pub const ALPHA: f64 = 0.05;
/// Of the budget, for screening; the rest confirms. Where the whole grid is asked for, every cell is screened before.
const SCREENING_SHARE: f64 = 0.5;

/// A cell and what it costs.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The configuration.
    pub cell: Cell,
    /// Less is cheaper, the first difference decides.
    pub cost: Vec<f64>,
}

/// What a race goes by.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Rounds that confirm the answer.
    pub rounds: usize,
    /// Whether cells may be inferred.
    pub pruning: Pruning,
    /// Time for all of it.
    pub budget_s: Option<f64>,
    /// A trial takes about so long.
    pub trial_s: f64,
    /// Precision of figures.
    pub precision: f64,
    /// Loads as shares of the launch, rising.
    pub shares: Vec<f64>,
    /// Of the order of what is alike.
    pub seed: u64,
}

/// A race of cells.
#[derive(Clone, Debug)]
pub struct Race {
    /// In the order of the file.
    pub candidates: Vec<Candidate>,
    /// What it goes by.
    pub rules: Rules,
    /// How hard each is compared with each other.
    hardness: Vec<Vec<Option<Ordering>>>,
}

/// What is measured next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Place among the candidates.
    pub cell: usize,
    /// Why.
    pub purpose: Purpose,
}

/// What is known of a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// Where it stands; `None`: nothing is known.
    pub standing: Option<Standing>,
    /// Rounds that count.
    pub rounds: usize,
    /// The cell that it was inferred from, where it was not measured.
    pub inferred_from: Option<usize>,
    /// Whether the rounds confirm where it stands.
    pub confirmed: bool,
    /// It fails by so much, or could not be filled, that further rounds do not matter.
    pub clearly: bool,
}

/// All that is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Knowledge {
    /// By candidate.
    pub cells: Vec<Known>,
    /// Axes whose order was contradicted.
    pub dropped: BTreeSet<String>,
    /// Trials that do not count, since the machine changed.
    pub void: BTreeSet<usize>,
}

impl Race {
    /// Of these cells.
    pub fn new(candidates: Vec<Candidate>, rules: Rules) -> Self {
        let row = |a: &Candidate| candidates.iter().map(|b| hardness(&a.cell, &b.cell)).collect();
        let hardness = candidates.iter().map(row).collect();
        Self { candidates, rules, hardness }
    }

    /// How hard a cell is compared with another, unless an axis on which they differ has contradicted its order.
    fn compared(&self, a: usize, b: usize, dropped: &BTreeSet<String>) -> Option<Ordering> {
        let order = (*self.hardness.get(a)?.get(b)?)?;
        let differ = || self.candidates.get(a).zip(self.candidates.get(b)).map(|(a, b)| differing(&a.cell, &b.cell));
        (dropped.is_empty() || differ()?.is_disjoint(dropped)).then_some(order)
    }

    /// What these trials show.
    pub fn knowledge(&self, trials: &[Trial]) -> Knowledge {
        let void = machine::changed(trials, self.rules.precision);
        let by_cell = self.by_cell(trials, &void);
        let chances: Vec<Chances> = by_cell.iter().map(|trials| chances(trials, &self.rules.shares)).collect();
        let mut cells: Vec<Known> = (0..self.candidates.len()).map(|at| measured(&by_cell, &chances, at)).collect();
        self.confirm(&mut cells, &chances);
        let dropped = self.contradicted(&cells);
        if self.rules.pruning == Pruning::Race {
            self.infer(&mut cells, &dropped);
        }
        Knowledge { cells, dropped, void }
    }

    /// What to measure next; `None`: the answer is there, or the time is over.
    pub fn next(&self, trials: &[Trial]) -> Option<Step> {
        let known = self.knowledge(trials);
        let spent_s: f64 = trials.iter().map(|trial| trial.took_s).sum();
        let mean_s = if trials.is_empty() { self.rules.trial_s } else { spent_s / trials.len() as f64 };
        let within = |share: f64| self.rules.budget_s.is_none_or(|budget_s| spent_s + mean_s <= budget_s * share);
        if !within(1.0) {
            return None;
        }
        // Another run of the plan may have had other cells (`--only`), and the reference among them.
        let place = |key: &str| self.candidates.iter().position(|candidate| candidate.cell.key() == key);
        if let Some(cell) = machine::due(trials, &known.void).and_then(place) {
            return Some(Step { cell, purpose: Purpose::Reference });
        }
        if within(if self.rules.pruning == Pruning::None { 1.0 } else { SCREENING_SHARE }) {
            if let Some(step) = self.screening(&known, trials) {
                return Some(step);
            }
        }
        // What is kept for confirming is of use for further looks where there is nothing to confirm.
        self.confirming(&known).or_else(|| self.screening(&known, trials))
    }

    /// Places of the candidates, the cheapest first.
    pub fn by_cost(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.candidates.len()).collect();
        places.sort_by(|a, b| self.cheaper(*a, *b));
        places
    }

    /// Less: `a` costs less than `b`.
    pub fn cost_order(&self, a: usize, b: usize) -> Ordering {
        let cost = |at: usize| self.candidates.get(at).map(|candidate| candidate.cost.as_slice()).unwrap_or_default();
        let differences = cost(a).iter().zip(cost(b)).map(|(a, b)| a.total_cmp(b));
        differences.into_iter().find(|order| *order != Ordering::Equal).unwrap_or(Ordering::Equal)
    }

    fn cheaper(&self, a: usize, b: usize) -> Ordering {
        self.cost_order(a, b).then_with(|| self.draw(a).cmp(&self.draw(b)))
    }

    /// An order by chance, but the same for the same seed.
    fn draw(&self, at: usize) -> u64 {
        let key = self.candidates.get(at).map(|candidate| candidate.cell.key()).unwrap_or_default();
        let hash = text_hash("", &format!("{} {key}", self.rules.seed)).sha256;
        u64::from_str_radix(hash.get(..16).unwrap_or("0"), 16).unwrap_or(0)
    }

    fn by_cell<'a>(&self, trials: &'a [Trial], void: &BTreeSet<usize>) -> Vec<Vec<&'a Trial>> {
        let mut by_key: BTreeMap<&str, Vec<&Trial>> = BTreeMap::new();
        for trial in trials.iter().filter(|trial| !void.contains(&trial.number)) {
            by_key.entry(trial.cell.as_str()).or_default().push(trial);
        }
        // A reference only shows the machine, unless a node ends in it.
        let of = |candidate: &Candidate| {
            let all = by_key.get(candidate.cell.key()).cloned().unwrap_or_default();
            all.into_iter().filter(|trial| trial.counts()).collect()
        };
        self.candidates.iter().map(of).collect()
    }
}
