// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! How capacity grows with nodes: a law from what was measured, and what it says of sizes that were not. Never a verdict.
//!
//! Three sizes or more: the universal scaling law `X(n) = l n / (1 + s (n - 1) + k n (n - 1))` (N. Gunther, "Guerrilla Capacity
//! Planning", 2007), by least squares on `n / X(n)`, which is linear in `1/l`, `s/l` and `k/l`; none of them is below 0. Two
//! sizes: a line.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde::Serialize;

use crate::grid::axes::TOGETHER;
use crate::grid::plan::Plan;
use crate::results::answer::{Answer, Interval};
use crate::trials::trial::Trial;
use crate::words::label;

/// No law is asked beyond so many times the largest size that was measured.
const REACH: u32 = 2;
const RESAMPLES: usize = 1000;
const SEED: u64 = 1;

/// Cells that differ in nodes alone.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scaling {
    /// Their other labels.
    pub cells: String,
    /// What was measured.
    pub measured: Vec<Size>,
    /// What the law says of every size up to twice the largest. Extrapolated, where it is beyond what was measured.
    pub law: Vec<Size>,
    /// `universal scaling law` or `line`.
    pub name: &'static str,
    /// The fewest nodes whose whole interval is beyond launch times headroom, where none that was measured is.
    pub extrapolated_nodes: Option<u32>,
}

/// Capacity at a number of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Size {
    /// Nodes.
    pub nodes: u32,
    /// Operations per second.
    pub capacity_per_s: Interval,
}

/// A search for a capacity: it held at the first rate, and failed at the second.
type Round = (f64, f64);

/// All groups of cells with capacities at two sizes or more, at the same replication factor.
pub fn of(plan: &Plan, answer: &Answer, trials: &[Trial]) -> Result<Vec<Scaling>> {
    let mut groups: BTreeMap<(String, u32), BTreeMap<u32, Vec<Round>>> = BTreeMap::new();
    let tied: BTreeSet<&String> = plan.file.together.iter().flat_map(|entry| entry.keys()).collect();
    for cell in &plan.cells {
        // What ties nodes to other axes has a label of both.
        let free = cell.labels().iter().filter(|(axis, _)| axis != "nodes" && axis != TOGETHER).cloned();
        let tied = cell.settings().iter().filter(|(axis, _)| tied.contains(axis) && *axis != "nodes");
        let others = free.chain(tied.map(|(axis, value)| (axis.clone(), label(value))));
        let name = others.map(|(axis, label)| format!("{axis}={label}")).collect::<Vec<_>>().join(" ");
        let group = groups.entry((name, cell.replication_factor()?)).or_default();
        let own = trials.iter().filter(|trial| trial.cell == cell.key() && !answer.void_trials.contains(&trial.number));
        for capacity in own.filter_map(|trial| trial.capacity.as_ref()).filter(|found| !found.client_limited) {
            if let (Some(holds), Some(fails)) = (capacity.holds_per_s, capacity.fails_per_s) {
                group.entry(cell.nodes()?).or_default().push((holds, fails));
            }
        }
    }
    let needed_per_s = plan.launch_per_s() * plan.file.load.headroom;
    let known = groups.into_iter().filter(|(_, sizes)| sizes.len() > 1);
    Ok(known.filter_map(|((cells, _), sizes)| scaling(cells, &sizes, needed_per_s)).collect())
}

fn scaling(cells: String, sizes: &BTreeMap<u32, Vec<Round>>, needed_per_s: f64) -> Option<Scaling> {
    let measured: Vec<Size> = sizes
        .iter()
        .map(|(nodes, rounds)| Size {
            nodes: *nodes,
            capacity_per_s: Interval {
                low: rounds.iter().map(|(holds, _)| *holds).fold(f64::MAX, f64::min),
                high: rounds.iter().map(|(_, fails)| *fails).reduce(f64::max),
            },
        })
        .collect();
    let (first, last) = (*sizes.keys().next()?, *sizes.keys().last()?);
    let mut random = StdRng::seed_from_u64(SEED);
    let mut drawn: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for _ in 0..RESAMPLES {
        let points: Vec<(f64, f64)> =
            sizes.iter().map(|(nodes, rounds)| (f64::from(*nodes), draw(rounds, &mut random))).collect();
        let law = Law::of(&points)?;
        for nodes in first..=last * REACH {
            drawn.entry(nodes).or_default().push(law.capacity_per_s(f64::from(nodes)));
        }
    }
    let law: Vec<Size> = drawn
        .into_iter()
        .map(|(nodes, mut values)| {
            values.sort_by(f64::total_cmp);
            let at = |share: f64| values.get(((values.len() - 1) as f64 * share).round() as usize).copied();
            Size { nodes, capacity_per_s: Interval { low: at(0.025).unwrap_or_default(), high: at(0.975) } }
        })
        .collect();
    let suffices = |size: &&Size| size.capacity_per_s.low >= needed_per_s;
    let beyond = law.iter().find(suffices).map(|size| size.nodes);
    let extrapolated_nodes = beyond.filter(|nodes| *nodes > last && !measured.iter().any(|size| suffices(&size)));
    let name = if sizes.len() > 2 { "universal scaling law" } else { "line" };
    Some(Scaling { cells, measured, law, name, extrapolated_nodes })
}

/// A capacity that a search allows, of a round by chance.
fn draw(rounds: &[Round], random: &mut StdRng) -> f64 {
    let (holds, fails) = rounds.get(random.random_range(0..rounds.len().max(1))).copied().unwrap_or((1.0, 1.0));
    holds + (fails - holds).max(0.0) * random.random::<f64>()
}

/// A law of capacities.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Law {
    /// `n / X(n) = a + b (n - 1) + c n (n - 1)`.
    Universal([f64; 3]),
    /// From a point on.
    Line { from: (f64, f64), slope: f64 },
}

impl Law {
    /// Of points at two sizes or more.
    fn of(points: &[(f64, f64)]) -> Option<Self> {
        if let [from, to] = points {
            return Some(Self::Line { from: *from, slope: (to.1 - from.1) / (to.0 - from.0) });
        }
        let rows: Vec<([f64; 3], f64)> =
            points.iter().map(|(n, x)| ([1.0, n - 1.0, n * (n - 1.0)], n / x.max(1e-9))).collect();
        // Every choice of terms that are not 0, and of those without a negative one the nearest.
        let fits = (0..4).filter_map(|choice| {
            let used = [true, choice & 1 != 0, choice & 2 != 0];
            let terms = least_squares(&rows, used)?;
            let nowhere_negative = terms.iter().all(|term| *term >= 0.0) && terms[0] > 0.0;
            let error =
                |(row, y): &([f64; 3], f64)| (row.iter().zip(terms).map(|(a, b)| a * b).sum::<f64>() - y).powi(2);
            nowhere_negative.then(|| (rows.iter().map(error).sum::<f64>(), terms))
        });
        fits.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, terms)| Self::Universal(terms))
    }

    fn capacity_per_s(&self, nodes: f64) -> f64 {
        match self {
            Self::Universal([a, b, c]) => nodes / (a + b * (nodes - 1.0) + c * nodes * (nodes - 1.0)),
            Self::Line { from, slope } => (from.1 + slope * (nodes - from.0)).max(0.0),
        }
    }
}

/// Solves the normal equations of the terms that are used; the others are 0.
fn least_squares(rows: &[([f64; 3], f64)], used: [bool; 3]) -> Option<[f64; 3]> {
    let terms: Vec<usize> = (0..3).filter(|term| used[*term]).collect();
    let mut system: Vec<Vec<f64>> = terms
        .iter()
        .map(|one| {
            let sum = |other: &usize| rows.iter().map(|(row, _)| row[*one] * row[*other]).sum::<f64>();
            let right = rows.iter().map(|(row, y)| row[*one] * y).sum::<f64>();
            terms.iter().map(sum).chain([right]).collect()
        })
        .collect();
    for pivot in 0..terms.len() {
        let best = (pivot..terms.len()).max_by(|a, b| system[*a][pivot].abs().total_cmp(&system[*b][pivot].abs()))?;
        system.swap(pivot, best);
        let lead = system[pivot].clone();
        if lead[pivot].abs() < 1e-18 {
            return None;
        }
        for (_, row) in system.iter_mut().enumerate().filter(|(at, _)| *at != pivot) {
            let factor = row[pivot] / lead[pivot];
            row.iter_mut().zip(&lead).for_each(|(value, lead)| *value -= factor * lead);
        }
    }
    let mut solved = [0.0; 3];
    for (place, term) in terms.iter().enumerate() {
        solved[*term] = system[place][terms.len()] / system[place][place];
    }
    Some(solved)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn usl(n: f64) -> f64 {
        10_000.0 * n / (1.0 + 0.03 * (n - 1.0) + 0.001 * n * (n - 1.0))
    }

    #[test]
    fn the_law_is_found_again_and_says_what_lies_beyond() {
        let points: Vec<(f64, f64)> = [3.0, 4.0, 6.0, 9.0].map(|n| (n, usl(n))).into();
        let law = Law::of(&points).unwrap();
        for n in [3.0, 12.0, 18.0] {
            assert!((law.capacity_per_s(n) / usl(n) - 1.0).abs() < 1e-6, "{law:?}");
        }
    }

    #[test]
    fn no_term_is_negative_however_noisy_the_points_are() {
        // Better than linear, as no cluster is.
        let law = Law::of(&[(1.0, 900.0), (2.0, 2_000.0), (4.0, 4_400.0)]).unwrap();
        assert!(matches!(law, Law::Universal([_, b, c]) if b == 0.0 && c == 0.0), "{law:?}");
    }

    #[test]
    fn the_interval_has_the_truth_and_grows_beyond_what_was_measured() {
        let rounds = |n: f64| vec![(usl(n) * 0.97, usl(n) * 1.03), (usl(n) * 0.96, usl(n) * 1.01)];
        let sizes = [3_u32, 6, 9].into_iter().map(|n| (n, rounds(f64::from(n)))).collect();
        let scaling = scaling(String::new(), &sizes, usl(10.0)).unwrap();
        assert_eq!((scaling.name, scaling.law.len()), ("universal scaling law", 16));
        let width = |nodes: u32| {
            let size = scaling.law.iter().find(|size| size.nodes == nodes).unwrap();
            let (low, high) = (size.capacity_per_s.low, size.capacity_per_s.high.unwrap());
            assert!(low <= usl(f64::from(nodes)) && usl(f64::from(nodes)) <= high, "{nodes}: {low} {high}");
            (high - low) / low
        };
        assert!(width(18) > width(6));
        assert!(scaling.extrapolated_nodes.is_some_and(|nodes| nodes > 10), "{:?}", scaling.extrapolated_nodes);
    }

    #[test]
    fn two_sizes_make_a_line() {
        let sizes = [(3, vec![(3_000.0, 3_000.0)]), (6, vec![(5_000.0, 5_000.0)])].into_iter().collect();
        let scaling = scaling(String::new(), &sizes, 7_000.0).unwrap();
        assert_eq!((scaling.name, scaling.extrapolated_nodes), ("line", Some(9)));
    }
}
