// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The answer in words: a verdict, then what it rests on.

use crate::grid::plan::Plan;
use crate::results::answer::{span, CellAnswer, Interval, Verdict};

/// Names of cells that are in doubt; the others are counted.
const SHOWN: usize = 3;

/// The answer in sentences, without their stops.
pub struct Words {
    /// Whether a configuration meets, and which.
    pub verdict: String,
    /// Capacity, price, and what is cheaper: one sentence for each.
    pub details: Vec<String>,
}

impl Words {
    /// Of the cheapest that meet, and of what is cheaper than they.
    pub fn of(plan: &Plan, cells: &[CellAnswer], winners: &[usize], cheaper: &[usize]) -> Self {
        let cheaper: Vec<&CellAnswer> = cheaper.iter().rev().filter_map(|at| cells.get(*at)).collect();
        let (out, doubtful): (Vec<&CellAnswer>, Vec<&CellAnswer>) =
            cheaper.into_iter().partition(|cell| cell.verdict == Verdict::DoesNotMeet);
        let winners: Vec<&CellAnswer> = winners.iter().filter_map(|at| cells.get(*at)).collect();
        let mut details = Vec::new();
        if let Some(winner) = winners.first() {
            details.extend(capacity(plan, winner));
            details.extend(price(plan, winner));
        }
        if let Some(next) = out.first() {
            let what = if winners.is_empty() { "Does not meet" } else { "Cheaper, but does not meet" };
            details.push(format!("{what}: {} ({})", name(next), next.why));
        }
        if !doubtful.is_empty() {
            details.push(format!("In doubt: {}", listed(&doubtful)));
        }
        Self { verdict: verdict(&winners, doubtful.len(), cells.len()), details }
    }

    /// All of it in a line.
    pub fn line(&self) -> String {
        let sentences: Vec<&str> = std::iter::once(&self.verdict).chain(&self.details).map(String::as_str).collect();
        sentences.join(". ") + "."
    }
}

fn verdict(winners: &[&CellAnswer], doubtful: usize, cells: usize) -> String {
    if winners.is_empty() {
        return match doubtful {
            0 => "No: no configuration meets the SLA".to_owned(),
            _ => format!(
                "Cannot tell: no configuration is known to meet the SLA, and {doubtful} of {cells} are in doubt"
            ),
        };
    }
    let names: Vec<String> = winners.iter().map(|cell| name(cell)).collect();
    let meet = if winners.len() == 1 { "meets" } else { "meet" };
    let rest = match (cells, doubtful) {
        (1, _) => String::new(),
        (_, 0) => ", and nothing cheaper does".to_owned(),
        (_, 1) => "; a cheaper one is in doubt".to_owned(),
        (_, count) => format!("; {count} cheaper ones are in doubt"),
    };
    format!("Yes: {} {meet} the SLA{rest}", names.join(", and "))
}

fn capacity(plan: &Plan, winner: &CellAnswer) -> Option<String> {
    let (capacity, headroom) = (winner.capacity_per_s?, winner.headroom?);
    let asked = plan.file.load.headroom;
    Some(format!(
        "Capacity: {} per second, {} times the launch, of {asked} asked for",
        words(capacity),
        words(headroom)
    ))
}

fn price(plan: &Plan, winner: &CellAnswer) -> Option<String> {
    let (currency, million) = (&plan.file.cost.as_ref()?.currency, winner.per_million_at_launch?);
    let per_hour = winner.costs.per_hour.unwrap_or_default();
    Some(format!("Price: {per_hour:.2} {currency} an hour, {million:.3} {currency} per million operations at launch"))
}

fn listed(cells: &[&CellAnswer]) -> String {
    let shown: Vec<String> =
        cells.iter().take(SHOWN).map(|cell| format!("{} ({})", name(cell), cell.verdict.label())).collect();
    let more = match cells.len().saturating_sub(SHOWN) {
        0 => String::new(),
        count => format!(", and {count} more"),
    };
    shown.join(", ") + &more
}

fn name(cell: &CellAnswer) -> String {
    let words: Vec<String> = cell.labels.iter().map(|(axis, label)| format!("{axis}={label}")).collect();
    if words.is_empty() {
        "the only cell".to_owned()
    } else {
        words.join(" ")
    }
}

fn words(interval: Interval) -> String {
    match interval.high {
        Some(high) => span(interval.low, high),
        None => format!("{} or more", span(interval.low, interval.low)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::answer::Basis;

    fn cell(name: &str, verdict: Verdict) -> CellAnswer {
        CellAnswer {
            key: String::new(),
            labels: vec![("engine".to_owned(), name.to_owned())],
            verdict,
            basis: Basis::Confirmed,
            why: "p95<=5ms is 9".to_owned(),
            rounds: 3,
            capacity_per_s: None,
            headroom: None,
            costs: Default::default(),
            per_million_at_launch: None,
            per_million_at_capacity: None,
            stored_bytes: None,
        }
    }

    #[test]
    fn a_verdict_begins_with_its_word() {
        let (a, b) = (cell("a", Verdict::Meets), cell("b", Verdict::Meets));
        assert_eq!(verdict(&[], 0, 4), "No: no configuration meets the SLA");
        let unknown = "Cannot tell: no configuration is known to meet the SLA, and 3 of 4 are in doubt";
        assert_eq!(verdict(&[], 3, 4), unknown);
        assert_eq!(verdict(&[&a], 0, 1), "Yes: engine=a meets the SLA");
        assert_eq!(verdict(&[&a], 0, 4), "Yes: engine=a meets the SLA, and nothing cheaper does");
        assert_eq!(verdict(&[&a, &b], 1, 4), "Yes: engine=a, and engine=b meet the SLA; a cheaper one is in doubt");
        assert_eq!(verdict(&[&a], 2, 4), "Yes: engine=a meets the SLA; 2 cheaper ones are in doubt");
    }

    #[test]
    fn those_in_doubt_are_named_up_to_three() {
        let cells = ["a", "b", "c", "d"].map(|name| cell(name, Verdict::NotRun));
        let all: Vec<&CellAnswer> = cells.iter().collect();
        assert_eq!(listed(&all), "engine=a (not run), engine=b (not run), engine=c (not run), and 1 more");
        assert_eq!(listed(all.get(..1).unwrap_or_default()), "engine=a (not run)");
    }
}
