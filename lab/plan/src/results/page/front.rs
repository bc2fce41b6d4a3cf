// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The cost front: which cells no other beats in both price and capacity.

use maud::{html, Markup};

use super::verdicts::interval;
use super::{class, labels, link, sign, View};
use crate::results::answer::{CellAnswer, Verdict};
use lab_load::report::html::{number, Across, Chart, Quantity, Series, Style};

/// A cell whose capacity is known.
struct Point<'a> {
    cell: &'a CellAnswer,
    cost: f64,
    capacity_per_s: f64,
}

/// A chart and a table; nothing where no capacity is known.
pub fn section(view: &View<'_>) -> Markup {
    let priced = view.plan.file.cost.as_ref();
    let point = |cell: &'_ CellAnswer| -> Option<(f64, f64)> {
        Some((cell.costs.per_hour.unwrap_or(f64::from(cell.costs.nodes)), cell.capacity_per_s?.low))
    };
    let points: Vec<Point<'_>> = view
        .answer
        .cells
        .iter()
        .filter_map(|cell| point(cell).map(|(cost, capacity_per_s)| Point { cell, cost, capacity_per_s }))
        .filter(|point| point.capacity_per_s > 0.0)
        .collect();
    if points.is_empty() {
        return html! {};
    }
    let front = front(&points);
    let unit = priced.map_or("nodes".to_owned(), |cost| format!("{} an hour", cost.currency));
    html! {
        h2 { "Cost front" }
        p.note { "Capacity against price. No cell is both cheaper and faster than one on the front." }
        (chart(&points, &front, priced.is_some(), &unit))
        table {
            thead { tr { th.left { "on the front" } th { (unit) } th { "capacity/s" } th { "headroom" } th { "per million at capacity" } th.left { "verdict" } } }
            tbody { @for point in &front { tr {
                td.left { (link(point.cell, &labels(point.cell))) } td { (number::digits(point.cost)) }
                td { (interval(point.cell.capacity_per_s, number::plain)) } td { (interval(point.cell.headroom, number::digits)) }
                td { (point.cell.per_million_at_capacity.map(number::digits).unwrap_or_default()) }
                td.left { span class=(format!("sign {}", class(point.cell.verdict))) { (sign(point.cell.verdict)) " " (point.cell.verdict.label()) } }
            } } }
        }
    }
}

/// From the cheapest on, each that is faster than all that are cheaper.
fn front<'a>(points: &'a [Point<'a>]) -> Vec<&'a Point<'a>> {
    let mut sorted: Vec<&Point<'_>> = points.iter().collect();
    sorted.sort_by(|a, b| a.cost.total_cmp(&b.cost).then(b.capacity_per_s.total_cmp(&a.capacity_per_s)));
    let mut front: Vec<&Point<'_>> = Vec::new();
    for point in sorted {
        if front.last().is_none_or(|last| point.capacity_per_s > last.capacity_per_s) {
            front.push(point);
        }
    }
    front
}

fn chart(points: &[Point<'_>], front: &[&Point<'_>], priced: bool, unit: &str) -> Markup {
    let of = |verdict: Verdict, color: &str| {
        let mut own: Vec<(f64, f64)> = points
            .iter()
            .filter(|point| point.cell.verdict == verdict)
            .map(|point| (point.cost, point.capacity_per_s))
            .collect();
        own.sort_by(|a, b| a.0.total_cmp(&b.0));
        Series::of_points(verdict.label(), color, Style::Points, own)
    };
    let steps = front.iter().map(|point| (point.cost, point.capacity_per_s));
    let series = [
        Series::of_points("front", "soft", Style::Dashed, steps),
        of(Verdict::Meets, "good"),
        of(Verdict::DoesNotMeet, "bad"),
        of(Verdict::CannotTell, "warn"),
    ];
    let most = points.iter().map(|point| point.cost).fold(0.0, f64::max);
    Chart {
        title: "Capacity".to_owned(),
        unit: format!("operations per second at which the SLA holds, against {unit}"),
        height: 260,
        across: if priced { Across::Price } else { Across::Nodes },
        start: 0.0,
        end: if most > 0.0 { most * 1.1 } else { 1.0 },
        quantity: Quantity::Number,
        log: false,
        series: series.into_iter().filter(Series::is_known).collect(),
        marks: Vec::new(),
    }
    .figure()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::results::answer::{Basis, Interval};

    fn cell(capacity_per_s: f64) -> CellAnswer {
        CellAnswer {
            key: String::new(),
            labels: Vec::new(),
            verdict: Verdict::Meets,
            basis: Basis::Screened,
            why: String::new(),
            rounds: 1,
            capacity_per_s: Some(Interval { low: capacity_per_s, high: None }),
            headroom: None,
            costs: Default::default(),
            per_million_at_launch: None,
            per_million_at_capacity: None,
            stored_bytes: None,
        }
    }

    #[test]
    fn a_cell_that_costs_more_and_is_no_faster_is_not_on_the_front() {
        let cells = [cell(100.0), cell(300.0), cell(200.0), cell(400.0), cell(50.0)];
        let costs = [1.0, 2.0, 2.0, 3.0, 4.0];
        let points: Vec<_> = cells
            .iter()
            .zip(costs)
            .map(|(cell, cost)| Point { cell, cost, capacity_per_s: cell.capacity_per_s.unwrap().low })
            .collect();
        let found: Vec<f64> = front(&points).iter().map(|point| point.capacity_per_s).collect();
        assert_eq!(found, [100.0, 300.0, 400.0]);
    }
}
