// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What trials show of cells: measured, confirmed, contradicted and inferred.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::{Known, Race, ALPHA};
use crate::grid::order::differing;
use crate::trials::confirm::Chances;
use crate::trials::judge::Standing;
use crate::trials::trial::Trial;
use lab_compare::statistics::holm;

/// A failure beyond the limit by this factor gets no further rounds.
const CLEAR: f64 = 1.25;

impl Race {
    /// Holm over the cheapest that meets and all that are cheaper and were repeated.
    pub(super) fn confirm(&self, cells: &mut [Known], chances: &[Chances]) {
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
    pub(super) fn contradicted(&self, cells: &[Known]) -> BTreeSet<String> {
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

    pub(super) fn infer(&self, cells: &mut [Known], dropped: &BTreeSet<String>) {
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
}

pub(super) fn measured(by_cell: &[Vec<&Trial>], chances: &[Chances], at: usize) -> Known {
    let trials = by_cell.get(at).map(Vec::as_slice).unwrap_or_default();
    let rounds = trials.len();
    let cut_short = |standing: &Standing| matches!(standing, Standing::NodeEnded | Standing::NotFilled);
    let standing = trials.iter().map(|trial| trial.standing()).find(cut_short);
    if standing.is_some() {
        return Known { standing, rounds, inferred_from: None, confirmed: false, clearly: true };
    }
    if trials.iter().any(|trial| trial.wrong_rows().is_some()) {
        // Rounds without a wrong row do not excuse the one that had it.
        return Known { standing: Some(Standing::Fails), rounds, inferred_from: None, confirmed: false, clearly: true };
    }
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
