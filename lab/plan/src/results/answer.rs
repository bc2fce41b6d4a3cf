// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The answer: a verdict for each cell, the cheapest that meets, and the sentence that says it.

use anyhow::Result;
use serde::Serialize;

use crate::grid::after::named_cells;
use crate::grid::cell::Cell;
use crate::grid::cost::Costs;
use crate::grid::plan::Plan;
use crate::grid::race::Known;
use crate::results::sentence::Words;
use crate::trials::judge::{ConditionJudged, Standing};
use crate::trials::trial::Trial;

/// The verdict on a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Verdict {
    /// The SLA holds at every load.
    #[serde(rename = "meets")]
    Meets,
    /// It does not.
    #[serde(rename = "does not meet")]
    DoesNotMeet,
    /// The data does not say.
    #[serde(rename = "cannot tell")]
    CannotTell,
    /// The time was over before.
    #[serde(rename = "not run")]
    NotRun,
}

impl Verdict {
    /// As it is written everywhere.
    pub fn label(self) -> &'static str {
        match self {
            Self::Meets => "meets",
            Self::DoesNotMeet => "does not meet",
            Self::CannotTell => "cannot tell",
            Self::NotRun => "not run",
        }
    }
}

/// What a verdict rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// Rounds on fresh data.
    Confirmed,
    /// A first look, or rounds that do not suffice.
    Screened,
    /// Another cell.
    Inferred,
    /// Nothing.
    Nothing,
}

/// An interval; its upper end may be open.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: Option<f64>,
}

/// A cell in the answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CellAnswer {
    /// Its key.
    pub key: String,
    /// Its values on the axes of the grid.
    pub labels: Vec<(String, String)>,
    /// The verdict.
    pub verdict: Verdict,
    /// What it rests on.
    pub basis: Basis,
    /// Why, in words.
    pub why: String,
    /// Rounds that count.
    pub rounds: usize,
    /// Operations per second at which the SLA still holds: from the least that held to the most that failed.
    pub capacity_per_s: Option<Interval>,
    /// The same over the launch.
    pub headroom: Option<Interval>,
    /// What it costs.
    pub costs: Costs,
    /// Money for a million operations at launch.
    pub per_million_at_launch: Option<f64>,
    /// The same at its capacity.
    pub per_million_at_capacity: Option<f64>,
    /// Bytes of its table on all nodes, as measured.
    pub stored_bytes: Option<u64>,
}

/// The answer to a plan.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// In words, in a line: the verdict and its details.
    pub sentence: String,
    /// Whether a configuration meets, and which, in words.
    pub verdict: String,
    /// Capacity, price, and what is cheaper, in words.
    pub details: Vec<String>,
    /// The cheapest that meets, by place; those that cost as much and meet as well come with it.
    pub winners: Vec<usize>,
    /// Whether anything is left in doubt that could change it.
    pub decided: bool,
    /// In the order of the file.
    pub cells: Vec<CellAnswer>,
    /// Axes whose order was contradicted: nothing was inferred over them.
    pub unordered: Vec<String>,
    /// Trials that did not count, since the machine changed meanwhile.
    pub void_trials: Vec<usize>,
}

impl Answer {
    /// 0: a configuration meets; 1: none does; 2: undecided.
    pub fn exit_code(&self) -> u8 {
        match (self.winners.is_empty(), self.decided) {
            (false, _) => 0,
            (true, true) => 1,
            (true, false) => 2,
        }
    }

    /// The cells that an `at` means: the winner, if there is one, or those that it names.
    pub fn cells_at<'a>(&self, plan: &'a Plan, at: &str) -> Result<Vec<&'a Cell>> {
        let winner = || self.winners.first().and_then(|at| plan.cells.get(*at)).into_iter().collect();
        Ok(named_cells(plan, at)?.unwrap_or_else(winner))
    }

    /// Of a plan and its trials.
    pub fn of(plan: &Plan, trials: &[Trial]) -> Result<Self> {
        let race = plan.race()?;
        let known = race.knowledge(trials);
        let mut cells = Vec::with_capacity(plan.cells.len());
        for (at, own) in known.cells.iter().enumerate() {
            let source =
                own.inferred_from.and_then(|from| Some((plan.cells.get(from)?.name(), known.cells.get(from)?)));
            cells.push(cell(plan, at, own, source, trials, &known.void)?);
        }
        let order = race.by_cost();
        let is_confirmed = |at: &usize| {
            cells.get(*at).is_some_and(|cell| cell.verdict == Verdict::Meets && cell.basis == Basis::Confirmed)
        };
        let first = order.iter().copied().find(is_confirmed);
        // What is cheaper than all that was confirmed would be the answer, and that is never an inference.
        let cheaper_than_first = |at: &usize| first.is_some_and(|first| race.cost_order(*at, first).is_lt());
        for at in order.iter().filter(|at| cheaper_than_first(at)) {
            if let Some(cell) = cells.get_mut(*at).filter(|cell| cell.verdict == Verdict::Meets) {
                (cell.verdict, cell.why) = (Verdict::CannotTell, format!("unconfirmed: {}", cell.why));
            }
        }
        let meets = |at: &usize| cells.get(*at).is_some_and(|cell| cell.verdict == Verdict::Meets);
        let winners: Vec<usize> = match first {
            Some(first) => {
                let as_cheap = |at: &usize| race.cost_order(*at, first).is_eq();
                order.iter().copied().filter(|at| meets(at) && as_cheap(at)).collect()
            }
            None => Vec::new(),
        };
        let cheaper: Vec<usize> = match first {
            Some(first) => order.iter().copied().filter(|at| race.cost_order(*at, first).is_lt()).collect(),
            None => order,
        };
        let is_out = |at: &usize| cells.get(*at).is_some_and(|cell| cell.verdict == Verdict::DoesNotMeet);
        let decided = cheaper.iter().all(is_out);
        let words = Words::of(plan, &cells, &winners, &cheaper);
        Ok(Self {
            sentence: words.line(),
            verdict: words.verdict,
            details: words.details,
            winners,
            decided,
            cells,
            unordered: known.dropped.into_iter().collect(),
            void_trials: known.void.into_iter().collect(),
        })
    }
}

fn cell(
    plan: &Plan,
    at: usize,
    known: &Known,
    source: Option<(String, &Known)>,
    trials: &[Trial],
    void: &std::collections::BTreeSet<usize>,
) -> Result<CellAnswer> {
    let key = plan.cells.get(at).map(|cell| cell.key().to_owned()).unwrap_or_default();
    let counts = |trial: &&Trial| trial.counts() && !void.contains(&trial.number);
    let own: Vec<&Trial> = trials.iter().filter(|trial| trial.cell == key).filter(counts).collect();
    let stored_bytes = own.iter().filter_map(|trial| trial.stored_bytes).max();
    let costs = plan.costs(at, stored_bytes.map(|bytes| bytes as f64))?;
    let (verdict, basis, why) = verdict(known, source, &own);
    let capacity_per_s = capacity(&own);
    let launch_per_s = plan.launch_per_s();
    let over_launch = |interval: Interval| Interval {
        low: interval.low / launch_per_s,
        high: interval.high.map(|high| high / launch_per_s),
    };
    Ok(CellAnswer {
        key,
        labels: plan.cells.get(at).map(|cell| cell.labels().to_vec()).unwrap_or_default(),
        verdict,
        basis,
        why,
        rounds: known.rounds,
        headroom: capacity_per_s.map(over_launch),
        per_million_at_launch: costs.per_million(launch_per_s),
        per_million_at_capacity: capacity_per_s
            .filter(|capacity| capacity.low > 0.0)
            .and_then(|capacity| costs.per_million(capacity.low)),
        capacity_per_s,
        costs,
        stored_bytes,
    })
}

/// A verdict *meets* is confirmed, or inferred from a cell that is; a first look alone cannot give it. `source` is the cell
/// that it was inferred from.
fn verdict(known: &Known, source: Option<(String, &Known)>, own: &[&Trial]) -> (Verdict, Basis, String) {
    let basis = match (known.inferred_from, known.confirmed) {
        (Some(_), _) => Basis::Inferred,
        (None, true) => Basis::Confirmed,
        (None, false) => Basis::Screened,
    };
    let (from, is_confirmed) = source.map(|(name, known)| (name, known.confirmed)).unwrap_or_default();
    match (known.standing, basis) {
        (None, _) => (Verdict::NotRun, Basis::Nothing, "the time was over, or it does not matter".to_owned()),
        (Some(Standing::Holds), Basis::Inferred) if is_confirmed => {
            (Verdict::Meets, basis, format!("{from} is harder and holds"))
        }
        (Some(Standing::Holds), Basis::Inferred) => {
            (Verdict::CannotTell, basis, format!("unconfirmed: {from} is harder and held"))
        }
        (Some(Standing::Fails), Basis::Inferred) => {
            (Verdict::DoesNotMeet, basis, format!("{from} is easier and fails"))
        }
        (Some(Standing::Holds), Basis::Confirmed) => (Verdict::Meets, basis, figures(own)),
        (Some(Standing::Holds), _) => {
            (Verdict::CannotTell, basis, format!("unconfirmed: {} in {}", figures(own), rounds(known.rounds)))
        }
        (Some(Standing::Fails), _) => (Verdict::DoesNotMeet, basis, figures(own)),
        (Some(Standing::ClientLimited), _) => (Verdict::CannotTell, basis, format!("client: {}", figures(own))),
        (Some(Standing::NotFilled), _) => {
            let why = own.iter().find_map(|trial| trial.not_filled.as_deref()).unwrap_or_default();
            (Verdict::CannotTell, basis, format!("fill: {why}"))
        }
        (Some(Standing::NodeEnded), _) => {
            let why = own.iter().find_map(|trial| trial.node_ended.as_deref()).unwrap_or_default();
            (Verdict::DoesNotMeet, basis, why.to_owned())
        }
        (Some(Standing::TooNoisy), _) => (Verdict::CannotTell, basis, format!("noise: {}", figures(own))),
    }
}

/// Wrong rows of any round; else the condition that decides, at the highest load that was run, over all rounds.
fn figures(own: &[&Trial]) -> String {
    if let Some(wrong) = own.iter().find_map(|trial| trial.wrong_rows()) {
        return wrong;
    }
    let Some(load) = own.iter().filter_map(|trial| trial.loads.last()).min_by(|a, b| a.share.total_cmp(&b.share))
    else {
        return String::new();
    };
    if let Some(reason) = load.judged.reasons.first() {
        return format!("{reason} at {:.0}/s", load.rate_per_s);
    }
    let loads: Vec<_> = own.iter().filter_map(|trial| trial.at(load.share)).collect();
    let worst = |condition: &&ConditionJudged| condition.high / condition.limit.max(1e-9);
    let Some(decides) = load.judged.conditions.iter().max_by(|a, b| worst(a).total_cmp(&worst(b))) else {
        return String::new();
    };
    let same = loads.iter().flat_map(|load| &load.judged.conditions).filter(|other| other.sla == decides.sla);
    let (low, high) = same.fold((f64::MAX, 0.0_f64), |(low, high), c| (low.min(c.low), high.max(c.high)));
    format!("{} is {} at {:.0}/s", decides.sla, span(low, high), load.rate_per_s)
}

/// `1 round`, `3 rounds`.
pub fn rounds(count: usize) -> String {
    format!("{count} round{}", if count == 1 { "" } else { "s" })
}

/// `4.1-4.6`.
pub(crate) fn span(low: f64, high: f64) -> String {
    let number = |value: f64| match value {
        value if value >= 1000.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    };
    if number(low) == number(high) {
        number(low)
    } else {
        format!("{}-{}", number(low), number(high))
    }
}

/// From the least that held to the most that failed, over all rounds.
fn capacity(own: &[&Trial]) -> Option<Interval> {
    let found: Vec<_> = own.iter().filter_map(|trial| trial.capacity.as_ref()).collect();
    let low = found.iter().map(|capacity| capacity.holds_per_s.unwrap_or(0.0)).reduce(f64::min)?;
    let open = found.iter().any(|capacity| capacity.fails_per_s.is_none() || capacity.client_limited);
    let high = found.iter().filter_map(|capacity| capacity.fails_per_s).reduce(f64::max);
    Some(Interval { low, high: high.filter(|_| !open) })
}
