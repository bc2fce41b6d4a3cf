// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Heat maps of the grid: two axes across and down, one small map for each value of the others.

use maud::{html, Markup};

use super::verdicts::interval;
use super::{class, link, short, sign, told, View};
use crate::results::answer::{Basis, CellAnswer, Verdict};
use crate::trials::judge::ConditionJudged;
use lab_load::report::html::number;
use lab_load::report::Condition;

/// The weakest and the strongest colour, in percent.
const TINT: (f64, f64) = (8.0, 62.0);
/// A factor from the limit that has the strongest colour.
const FAR: f64 = 4.0;

/// How a cell looks in one map.
struct Tile {
    class: &'static str,
    /// Of the colour, 0 to 1.
    strength: f64,
    value: Markup,
    below: String,
}

/// One quantity of all cells.
struct Heat {
    title: String,
    unit: String,
    tiles: Vec<Option<Tile>>,
}

/// All maps that have data; nothing where the grid has no axes.
pub fn section(view: &View<'_>) -> Markup {
    let Some(frame) = Frame::of(&view.answer.cells) else { return html! {} };
    let mut heats = vec![verdicts(view)];
    heats.extend(latencies(view));
    heats.push(numbers(view, "Capacity", "operations per second at which the SLA holds; darker is more", |cell| {
        Some((cell.capacity_per_s?.low, interval(cell.capacity_per_s, number::plain)))
    }));
    let currency = view.plan.file.cost.as_ref().map(|cost| cost.currency.clone()).unwrap_or_default();
    heats.push(numbers(
        view,
        "Price",
        &format!("{currency} per million operations at capacity; darker is more"),
        |cell| {
            let price = cell.per_million_at_capacity?;
            Some((price, number::digits(price)))
        },
    ));
    heats.push(numbers(
        view,
        "Stored",
        "bytes of the table on all nodes, copies of rows counted; darker is more",
        |cell| {
            let bytes = cell.stored_bytes? as f64;
            Some((bytes, number::bytes(bytes)))
        },
    ));
    heats.retain(|heat| heat.tiles.iter().any(Option::is_some));
    html! {
        h2 { "The grid" }
        p.note { "✓ meets, ✗ does not meet, ? cannot tell. The stronger a colour, the farther from the limit. Hatched: inferred from another cell, not measured. Dashed: not run, or not measured there." }
        @for heat in &heats {
            h3 { (heat.title) " " span.unit { (heat.unit) } }
            div.maps style=(format!("--columns: {}", frame.columns())) { @for panel in frame.panels.iter().filter(|panel| frame.has_any(view, heat, panel)) { (frame.map(view, heat, panel)) } }
        }
    }
}

/// Which axes go where.
struct Frame {
    across: usize,
    down: Option<usize>,
    names: Vec<String>,
    values: Vec<Vec<String>>,
    /// Values of the other axes, as (axis, label).
    panels: Vec<Vec<(usize, String)>>,
}

impl Frame {
    /// The axis with the most values goes across, the next one down.
    fn of(cells: &[CellAnswer]) -> Option<Self> {
        let names: Vec<String> = cells.first()?.labels.iter().map(|(axis, _)| axis.clone()).collect();
        let mut values: Vec<Vec<String>> = vec![Vec::new(); names.len()];
        for cell in cells {
            for ((_, label), known) in cell.labels.iter().zip(&mut values) {
                if !known.contains(label) {
                    known.push(label.clone());
                }
            }
        }
        let mut places: Vec<usize> = (0..names.len()).collect();
        // The last axes of the file change fastest: neighbours stay neighbours.
        places.sort_by_key(|at| (std::cmp::Reverse(values.get(*at).map_or(0, Vec::len)), std::cmp::Reverse(*at)));
        let (across, down) = (places.first().copied()?, places.get(1).copied());
        let mut panels: Vec<Vec<(usize, String)>> = vec![Vec::new()];
        for (at, labels) in values.iter().enumerate().filter(|(at, _)| *at != across && Some(*at) != down) {
            let with = |panel: &Vec<(usize, String)>, label: &String| {
                let mut panel = panel.clone();
                panel.push((at, label.clone()));
                panel
            };
            panels = panels.iter().flat_map(|panel| labels.iter().map(move |label| with(panel, label))).collect();
        }
        Some(Self { across, down, names, values, panels })
    }

    fn map(&self, view: &View<'_>, heat: &Heat, panel: &[(usize, String)]) -> Markup {
        let labels = |at: usize| self.values.get(at).cloned().unwrap_or_default();
        let name = |at: usize| self.names.get(at).map(|name| short(name)).unwrap_or_default();
        let rows: Vec<Option<String>> =
            self.down.map_or(vec![None], |down| labels(down).into_iter().map(Some).collect());
        html! {
            figure.map {
                figcaption { @for (at, label) in panel { span { (name(*at)) " = " b { (label) } } } }
                table {
                    thead { tr {
                        @if let Some(down) = self.down { th.left { (name(down)) " ↓ " (name(self.across)) " →" } }
                        @for label in labels(self.across) { th { (label) } }
                    } }
                    tbody { @for row in &rows { tr {
                        @if let Some(row) = row { th.left { (row) } }
                        @for column in labels(self.across) {
                            (tile(view, heat, self.place(view, panel, row.as_deref(), &column)))
                        }
                    } } }
                }
            }
        }
    }

    /// Of each map, those with tiles.
    fn columns(&self) -> usize {
        self.values.get(self.across).map_or(1, Vec::len)
    }

    /// Whether a map has anything to show.
    fn has_any(&self, view: &View<'_>, heat: &Heat, panel: &[(usize, String)]) -> bool {
        let within = |cell: &CellAnswer| {
            panel.iter().all(|(at, label)| cell.labels.get(*at).is_some_and(|(_, own)| own == label))
        };
        view.answer.cells.iter().zip(&heat.tiles).any(|(cell, tile)| tile.is_some() && within(cell))
    }

    fn place(&self, view: &View<'_>, panel: &[(usize, String)], row: Option<&str>, column: &str) -> Option<usize> {
        let is =
            |cell: &CellAnswer, at: usize, wanted: &str| cell.labels.get(at).is_some_and(|(_, label)| label == wanted);
        view.answer.cells.iter().position(|cell| {
            is(cell, self.across, column)
                && self.down.zip(row).is_none_or(|(down, row)| is(cell, down, row))
                && panel.iter().all(|(at, label)| is(cell, *at, label))
        })
    }
}

fn tile(view: &View<'_>, heat: &Heat, place: Option<usize>) -> Markup {
    let Some((at, cell)) = place.and_then(|at| Some((at, view.answer.cells.get(at)?))) else {
        return html! { td.absent { "not in the plan" } };
    };
    if cell.verdict == Verdict::NotRun {
        return html! { td.empty { "· " (link(cell, "not run")) } };
    }
    let Some(tile) = heat.tiles.get(at).and_then(Option::as_ref) else {
        return html! { td.empty { "not measured" } };
    };
    let tint = TINT.0 + (TINT.1 - TINT.0) * tile.strength.clamp(0.0, 1.0);
    let hatched = if cell.basis == Basis::Inferred { " hatched" } else { "" };
    html! {
        td class=(format!("tile {}{hatched}", tile.class)) style=(format!("--tint: {tint:.0}%")) title=(told(view, &cell.why)) {
            (tile.value)
            @if !tile.below.is_empty() { small { (tile.below) } }
        }
    }
}

fn verdicts(view: &View<'_>) -> Heat {
    let tile = |cell: &CellAnswer| {
        let factor = worst(view, cell).map_or(1.0, |condition| condition.value / condition.limit.max(1e-9));
        let strength = if cell.verdict == Verdict::CannotTell { 0.5 } else { factor.ln().abs() / FAR.ln() };
        let below = match worst(view, cell) {
            Some(condition) if cell.basis != Basis::Inferred => format!("{} {}", condition.sla, figure(&condition)),
            _ => String::new(),
        };
        let text = format!("{} {}", sign(cell.verdict), cell.verdict.label());
        Some(Tile { class: class(cell.verdict), strength, value: link(cell, &text), below })
    };
    let headroom = view.plan.file.load.headroom;
    Heat {
        title: "Verdict".to_owned(),
        unit: format!("at loads up to {headroom} times the launch, with the condition that decides"),
        tiles: view.answer.cells.iter().map(tile).collect(),
    }
}

/// The condition nearest to its limit, or farthest beyond, at the highest load that was run.
fn worst(view: &View<'_>, cell: &CellAnswer) -> Option<ConditionJudged> {
    let load =
        view.counting(&cell.key).filter_map(|trial| trial.loads.last()).min_by(|a, b| a.share.total_cmp(&b.share))?;
    let shown = load.judged.conditions.iter().filter(|condition| condition.limit > 0.0);
    let factor = |condition: &ConditionJudged| condition.high / condition.limit;
    let worst = shown.max_by(|a, b| factor(a).total_cmp(&factor(b)))?;
    joined(view, cell, load.share, &worst.sla)
}

/// A condition at a load over all rounds: the mean of its values, the widest of its intervals.
fn joined(view: &View<'_>, cell: &CellAnswer, share: f64, sla: &str) -> Option<ConditionJudged> {
    let rounds = view.counting(&cell.key).filter_map(|trial| trial.at(share));
    let own = rounds.filter_map(|load| load.judged.conditions.iter().find(|condition| condition.sla == sla));
    let own: Vec<&ConditionJudged> = own.collect();
    let mut joined = (*own.first()?).clone();
    joined.value = (own.iter().map(|condition| condition.value.max(1e-9).ln()).sum::<f64>() / own.len() as f64).exp();
    joined.low = own.iter().map(|condition| condition.low).fold(f64::MAX, f64::min);
    joined.high = own.iter().map(|condition| condition.high).fold(0.0, f64::max);
    Some(joined)
}

fn figure(condition: &ConditionJudged) -> String {
    let words: fn(f64) -> String = if condition.sla.contains('%') { share } else { number::digits };
    let (low, high) = (words(condition.low), words(condition.high));
    if low == high {
        format!("is {low}")
    } else {
        format!("is {low}–{high}")
    }
}

fn share(value: f64) -> String {
    number::percent(value * 100.0)
}

/// Each latency of the SLA at each load.
fn latencies(view: &View<'_>) -> Vec<Heat> {
    let is_time = |condition: Condition| {
        matches!(condition, Condition::Percentile { .. } | Condition::Mean { .. } | Condition::Max { .. })
    };
    let slas = view.plan.slas.iter().filter(|sla| is_time(sla.condition())).map(ToString::to_string);
    let mut heats = Vec::new();
    for sla in slas {
        for share in view.plan.file.shares() {
            let tile = |cell: &CellAnswer| {
                let condition = joined(view, cell, share, &sla)?;
                let factor = condition.value / condition.limit.max(1e-9);
                let class = if factor <= 1.0 { "meets" } else { "fails" };
                let sign = if factor <= 1.0 { "✓ " } else { "✗ " };
                let below = if condition.high < f64::MAX / 2.0 {
                    format!("{}–{}", number::ms(condition.low), number::ms(condition.high))
                } else {
                    String::new()
                };
                let value = html! { (sign) (number::ms(condition.value)) };
                Some(Tile { class, strength: factor.ln().abs() / FAR.ln(), value, below })
            };
            heats.push(Heat {
                title: sla.split("<=").next().unwrap_or_default().to_uppercase(),
                unit: format!(
                    "response time at launch × {share} ({}/s), and its interval; the SLA is {sla}",
                    number::plain(view.plan.launch_per_s() * share)
                ),
                tiles: view.answer.cells.iter().map(tile).collect(),
            });
        }
    }
    heats
}

/// A quantity without a limit: its colour goes from the least to the most.
fn numbers(view: &View<'_>, title: &str, unit: &str, value: impl Fn(&CellAnswer) -> Option<(f64, String)>) -> Heat {
    let values: Vec<Option<(f64, String)>> = view.answer.cells.iter().map(value).collect();
    let logs = || values.iter().flatten().map(|(value, _)| value.max(1e-9).ln());
    let (least, most) = (logs().fold(f64::MAX, f64::min), logs().fold(f64::MIN, f64::max));
    let tile = |value: Option<(f64, String)>| {
        let (value, text) = value?;
        let strength = (value.max(1e-9).ln() - least) / (most - least).max(1e-9);
        Some(Tile { class: "amount", strength, value: html! { (text) }, below: String::new() })
    };
    Heat { title: title.to_owned(), unit: unit.to_owned(), tiles: values.into_iter().map(tile).collect() }
}
