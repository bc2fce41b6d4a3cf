// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Which cell is measured next, and what is known of the others: a pure function of the trials so far.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::axes::Scope;
use super::cell::Cell;
use super::confirm::{chances, Chances};
use super::file::Pruning;
use super::judge::Standing;
use super::machine;
use super::order::{differing, hardness};
use super::trial::{Purpose, Trial};
use crate::compare::statistics::holm;
use crate::observe::text_hash;

/// The chance of any wrong verdict in an answer.
pub const ALPHA: f64 = 0.05;
/// One inferred cell in so many is measured all the same.
const CHECK_EVERY: u64 = 10;
/// A failure beyond the limit by this factor gets no further rounds.
const CLEAR: f64 = 1.25;
/// Rounds at most, as a multiple of those asked for: a cell at its limit would take forever.
const ROUNDS_MOST: usize = 2;
/// Of the budget, for screening; the rest confirms.
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
    /// It fails by so much that further rounds do not matter.
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
        if let Some(reference) = machine::due(trials, &known.void) {
            let cell = self.candidates.iter().position(|candidate| candidate.cell.key() == reference)?;
            return Some(Step { cell, purpose: Purpose::Reference });
        }
        if within(SCREENING_SHARE) {
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
        // A reference only shows the machine.
        let of = |candidate: &Candidate| {
            let all = by_key.get(candidate.cell.key()).cloned().unwrap_or_default();
            all.into_iter().filter(|trial| trial.purpose != Purpose::Reference).collect()
        };
        self.candidates.iter().map(of).collect()
    }

    /// Holm over the cheapest that meets and all that are cheaper and were repeated.
    fn confirm(&self, cells: &mut [Known], chances: &[Chances]) {
        let order = self.by_cost();
        let enough = |at: usize| chances.get(at).is_some_and(|chances| chances.rounds >= self.rules.rounds);
        let holds = |at: usize| cells.get(at).is_some_and(|known| known.standing == Some(Standing::Holds));
        let Some(winner) = order.iter().copied().find(|at| holds(*at)) else {
            let repeated: Vec<usize> = order.into_iter().filter(|at| enough(*at)).collect();
            return confirm_family(cells, chances, &repeated);
        };
        let not_dearer =
            order.into_iter().filter(|at| *at == winner || self.cost_order(*at, winner) != Ordering::Greater);
        let family: Vec<usize> = not_dearer.filter(|at| enough(*at)).collect();
        confirm_family(cells, chances, &family);
    }

    /// Ordered axes on which two measured cells differ whose verdicts are the wrong way round.
    fn contradicted(&self, cells: &[Known]) -> BTreeSet<String> {
        let mut dropped = BTreeSet::new();
        loop {
            let before = dropped.len();
            for (at, a) in self.candidates.iter().enumerate() {
                for (other, b) in self.candidates.iter().enumerate() {
                    let standing = |at: usize| cells.get(at).and_then(|known| known.standing);
                    let wrong_way = standing(at) == Some(Standing::Holds) && standing(other) == Some(Standing::Fails);
                    if wrong_way && self.compared(at, other, &dropped) == Some(Ordering::Greater) {
                        dropped.extend(differing(&a.cell, &b.cell));
                    }
                }
            }
            if dropped.len() == before {
                return dropped;
            }
        }
    }

    fn infer(&self, cells: &mut [Known], dropped: &BTreeSet<String>) {
        let measured: Vec<(usize, Standing)> =
            cells.iter().enumerate().filter_map(|(at, known)| Some((at, known.standing?))).collect();
        for at in 0..self.candidates.len() {
            let Some(known) = cells.get_mut(at).filter(|known| known.standing.is_none()) else { continue };
            let mut shown: Vec<(usize, Standing)> = Vec::new();
            for (from, standing) in &measured {
                match (self.compared(at, *from, dropped), standing) {
                    (Some(Ordering::Greater), Standing::Fails) | (Some(Ordering::Less), Standing::Holds) => {
                        shown.push((*from, *standing));
                    }
                    _ => {}
                }
            }
            if let Some((from, standing)) = shown.first().copied() {
                if shown.iter().all(|(_, other)| *other == standing) {
                    (known.standing, known.inferred_from) = (Some(standing), Some(from));
                }
            }
        }
    }

    fn screening(&self, known: &Knowledge, trials: &[Trial]) -> Option<Step> {
        let is_open = |at: &usize| known.cells.get(*at).is_some_and(|known| known.standing.is_none());
        let open: Vec<usize> = self.by_cost().into_iter().filter(is_open).collect();
        if self.rules.pruning == Pruning::None {
            let next = self.nearest(open, trials);
            return next.map(|cell| Step { cell, purpose: Purpose::Screen });
        }
        if let Some(cell) = self.corner(&open, known) {
            return Some(Step { cell, purpose: Purpose::Screen });
        }
        if let Some(cell) = open.first() {
            return Some(Step { cell: *cell, purpose: Purpose::Screen });
        }
        // The answer itself is never an inference.
        let inferred = |at: &usize| known.cells.get(*at).is_some_and(|known| known.inferred_from.is_some());
        let holds = |at: &usize| known.cells.get(*at).is_some_and(|known| known.standing == Some(Standing::Holds));
        let order = self.by_cost();
        if let Some(cell) = order.iter().find(|at| holds(at)).filter(|at| inferred(at)) {
            return Some(Step { cell: *cell, purpose: Purpose::Screen });
        }
        let checked = order.into_iter().find(|at| inferred(at) && self.draw(*at).is_multiple_of(CHECK_EVERY));
        checked.map(|cell| Step { cell, purpose: Purpose::Check })
    }

    /// The easiest and the hardest of all, while they are open: each decides most of the others.
    fn corner(&self, open: &[usize], known: &Knowledge) -> Option<usize> {
        let places = 0..self.candidates.len();
        let beyond = |order: Ordering| {
            let is_corner = |at: &&usize| {
                let mut others = places.clone().filter(|other| other != *at);
                places.len() > 2 && others.all(|other| self.compared(**at, other, &known.dropped) == Some(order))
            };
            open.iter().find(is_corner).copied()
        };
        beyond(Ordering::Less).or_else(|| beyond(Ordering::Greater))
    }

    /// The whole grid: cells on the cluster that is there go first, then by chance.
    fn nearest(&self, mut open: Vec<usize>, trials: &[Trial]) -> Option<usize> {
        let cell = |at: usize| self.candidates.get(at).map(|candidate| &candidate.cell);
        let place = |key: &str| self.candidates.iter().position(|candidate| candidate.cell.key() == key);
        let last = trials.last().and_then(|trial| place(&trial.cell)).and_then(cell);
        open.sort_by_key(|at| {
            let same = |scope| last.zip(cell(*at)).is_some_and(|(last, own)| last.within(scope) == own.within(scope));
            (!same(Scope::Cluster), !same(Scope::Keyspace), self.draw(*at))
        });
        open.first().copied()
    }

    /// The cheapest that holds, and all that are cheaper and not clearly out, get their rounds; one that the rounds leave in
    /// doubt gets more.
    fn confirming(&self, known: &Knowledge) -> Option<Step> {
        let most = self.rules.rounds * ROUNDS_MOST;
        let wants = |at: usize| {
            let known = known.cells.get(at)?;
            let standing = known.standing.filter(|_| known.inferred_from.is_none())?;
            let whole_grid = self.rules.pruning == Pruning::None && known.rounds < self.rules.rounds;
            let tells = standing != Standing::ClientLimited && !known.clearly;
            let matters = tells && (known.rounds < self.rules.rounds || !known.confirmed && known.rounds < most);
            (whole_grid || matters).then_some(Step { cell: at, purpose: Purpose::Confirm })
        };
        let order = self.by_cost();
        let holds = |at: &usize| known.cells.get(*at).is_some_and(|known| known.standing == Some(Standing::Holds));
        // Of those that cost the same, one is enough.
        let winner = order.iter().position(holds);
        let family = order.iter().take(winner.map_or(order.len(), |winner| winner + 1));
        let whole_grid = order.iter().filter(|_| self.rules.pruning == Pruning::None);
        family.chain(whole_grid).find_map(|at| wants(*at))
    }
}

fn measured(by_cell: &[Vec<&Trial>], chances: &[Chances], at: usize) -> Known {
    let trials = by_cell.get(at).map(Vec::as_slice).unwrap_or_default();
    let rounds = trials.len();
    let clearly = rounds > 0 && trials.iter().all(|trial| trial.fails_clearly(CLEAR));
    // Rounds together know more than any of them.
    let together = chances.get(at).filter(|chances| chances.rounds > 0 && rounds >= 3).map(|chances| {
        match (chances.p_meets <= ALPHA / 2.0, chances.p_fails <= ALPHA / 2.0) {
            (true, _) => Standing::Holds,
            (_, true) => Standing::Fails,
            _ if trials.iter().any(|trial| trial.standing() == Standing::ClientLimited) => Standing::ClientLimited,
            _ => Standing::TooNoisy,
        }
    });
    let single = || majority(trials);
    Known { standing: together.or_else(single), rounds, inferred_from: None, confirmed: false, clearly }
}

/// Of one or two rounds: what they agree on.
fn majority(trials: &[&Trial]) -> Option<Standing> {
    let first = trials.first()?.standing();
    Some(if trials.iter().all(|trial| trial.standing() == first) { first } else { Standing::TooNoisy })
}

fn confirm_family(cells: &mut [Known], chances: &[Chances], family: &[usize]) {
    let p = |at: &usize| {
        let chances = chances.get(*at);
        match cells.get(*at).and_then(|known| known.standing) {
            Some(Standing::Holds) => chances.map_or(1.0, |chances| chances.p_meets),
            Some(Standing::Fails) => chances.map_or(1.0, |chances| chances.p_fails),
            _ => 1.0,
        }
    };
    let p_values: Vec<f64> = family.iter().map(p).collect();
    for (at, counts) in family.iter().zip(holm(&p_values, ALPHA / 2.0)) {
        if let Some(known) = cells.get_mut(*at) {
            known.confirmed = counts;
        }
    }
}
