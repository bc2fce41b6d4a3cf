// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Which cell is measured next: to learn where it stands, or to confirm it.

use std::cmp::Ordering;

use super::{Knowledge, Race, Step};
use crate::file::Pruning;
use crate::grid::axes::Scope;
use crate::trials::judge::Standing;
use crate::trials::trial::{Purpose, Trial};

/// One inferred cell in so many is measured all the same.
const CHECK_EVERY: u64 = 10;
/// Rounds at most, as a multiple of those asked for: a cell at its limit would take forever.
const ROUNDS_MOST: usize = 2;

impl Race {
    pub(super) fn screening(&self, known: &Knowledge, trials: &[Trial]) -> Option<Step> {
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
    pub(super) fn confirming(&self, known: &Knowledge) -> Option<Step> {
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
