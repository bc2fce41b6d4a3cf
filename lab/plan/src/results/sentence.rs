// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The answer in one sentence.

use crate::grid::plan::Plan;
use crate::results::answer::{span, CellAnswer, Interval, Verdict};

/// Of the cheapest that meet, and of what is cheaper than they.
pub fn of(plan: &Plan, cells: &[CellAnswer], winners: &[usize], cheaper: &[usize]) -> String {
    let mut parts = Vec::new();
    match winners.first().and_then(|at| cells.get(*at)) {
        Some(winner) => {
            let names: Vec<String> =
                winners.iter().filter_map(|at| cells.get(*at)).map(|cell| name(&cell.labels)).collect();
            parts.push(format!("cheapest that meets: {}", names.join(", or ")));
            if let (Some(capacity), Some(headroom)) = (winner.capacity_per_s, winner.headroom) {
                let asked = plan.file.load.headroom;
                parts.push(format!("capacity {}/s, headroom {} of {asked}", words(capacity), words(headroom)));
            }
            if let (Some(cost), Some(million)) = (plan.file.cost.as_ref(), winner.per_million_at_launch) {
                let per_hour = winner.costs.per_hour.unwrap_or_default();
                let currency = &cost.currency;
                parts.push(format!("{per_hour:.2} {currency} an hour, {million:.3} {currency} per million at launch"));
            }
        }
        None => parts.push("no configuration is known to meet the SLA".to_owned()),
    }
    let next = cheaper.iter().rev().filter_map(|at| cells.get(*at));
    if let Some(out) = next.clone().find(|cell| cell.verdict == Verdict::DoesNotMeet) {
        parts.push(format!("{} does not meet ({})", name(&out.labels), out.why));
    }
    let doubtful: Vec<String> = next
        .filter(|cell| cell.verdict != Verdict::DoesNotMeet)
        .map(|cell| format!("{}: {}", name(&cell.labels), cell.verdict.label()))
        .collect();
    if !doubtful.is_empty() {
        let what = if winners.is_empty() { "in doubt" } else { "cheaper, in doubt" };
        let (shown, more) =
            (doubtful.iter().take(3).cloned().collect::<Vec<_>>().join(", "), doubtful.len().saturating_sub(3));
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        parts.push(format!("{what}: {shown}{more}"));
    }
    parts.join("; ")
}

fn name(labels: &[(String, String)]) -> String {
    let words: Vec<String> = labels.iter().map(|(axis, label)| format!("{axis}={label}")).collect();
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
