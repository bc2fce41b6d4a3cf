// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The answer in words, and a verdict for each cell.

use maud::{html, Markup};

use super::{class, labels, link, short, sign, told, View};
use crate::results::answer::{rounds, Basis, CellAnswer, Interval, Verdict};
use lab_load::report::html::number;

/// The verdict in words, its details, and what was asked.
pub fn answer(view: &View<'_>) -> Markup {
    let file = &view.plan.file;
    let tone = match view.answer.exit_code() {
        0 => "good",
        1 => "bad",
        _ => "missed",
    };
    html! {
        p.pace {
            "SLA: " @for (at, sla) in file.sla.iter().enumerate() { @if at > 0 { ", " } code { (sla) } }
            ". Launch: " (number::plain(view.plan.launch_per_s())) "/s, headroom " (file.load.headroom) ". Operations: "
            code { (file.workload.ops) } ", " (number::plain(file.workload.rows_per_node.0 as f64)) " partitions for each node."
        }
        div class=(format!("verdict {tone}")) {
            b { (told(view, &view.answer.verdict)) "." }
            @if !view.answer.details.is_empty() { ul { @for detail in &view.answer.details { li { (told(view, detail)) } } } }
        }
    }
}

/// All cells.
pub fn table(view: &View<'_>) -> Markup {
    let first = view.answer.cells.first();
    let axes: Vec<&str> =
        first.map(|cell| cell.labels.iter().map(|(axis, _)| short(axis)).collect()).unwrap_or_default();
    let cost = view.plan.file.cost.as_ref();
    html! {
        h2 { "Verdicts" }
        table.verdicts {
            thead { tr {
                @for axis in &axes { th.left { (axis) } }
                th.left { "verdict" } th.left { "rests on" } th.left { "why" } th { "capacity/s" } th { "headroom" }
                @if let Some(cost) = cost { th { (cost.currency) "/h" } th { (cost.currency) "/million" } }
                th { "stored" }
            } }
            tbody { @for (at, cell) in view.answer.cells.iter().enumerate() {
                tr.winner[view.answer.winners.contains(&at)].away[cell.verdict == Verdict::NotRun] {
                    @for (_, label) in &cell.labels { td.left { (label) } }
                    td.left { span class=(format!("sign {}", class(cell.verdict))) { (sign(cell.verdict)) " " (link(cell, cell.verdict.label())) } }
                    td.left { (basis(cell)) }
                    td.left.why { (told(view, &cell.why)) }
                    td { (interval(cell.capacity_per_s, number::plain)) }
                    td { (interval(cell.headroom, number::digits)) }
                    @if cost.is_some() {
                        td { (cell.costs.per_hour.map(|cost| format!("{cost:.2}")).unwrap_or_default()) }
                        td { (cell.per_million_at_launch.map(|cost| format!("{cost:.3}")).unwrap_or_default()) }
                    }
                    td { (cell.stored_bytes.map(|bytes| number::bytes(bytes as f64)).unwrap_or_default()) }
                }
            } }
        }
        @if let [cell] = view.answer.cells.as_slice() { p.note { "The grid has one cell: " (labels(cell)) "." } }
    }
}

fn basis(cell: &CellAnswer) -> String {
    match (cell.basis, cell.rounds) {
        (Basis::Confirmed, count) => format!("confirmed, {}", rounds(count)),
        (Basis::Screened, 1) => "screened".to_owned(),
        (Basis::Screened, count) => format!("screened, {}", rounds(count)),
        (Basis::Inferred, _) => "inferred".to_owned(),
        (Basis::Nothing, _) => "nothing".to_owned(),
    }
}

/// `1.9 k-2.1 k`, or `2.1 k or more`.
pub fn interval(interval: Option<Interval>, words: fn(f64) -> String) -> String {
    match interval {
        Some(Interval { low, high: Some(high) }) if words(low) == words(high) => words(low),
        Some(Interval { low, high: Some(high) }) => format!("{}–{}", words(low), words(high)),
        Some(Interval { low, high: None }) => format!("{} or more", words(low)),
        None => String::new(),
    }
}
