// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Capacity against nodes: what was measured, and what a law says beyond.

use maud::{html, Markup};

use super::verdicts::interval;
use crate::results::scaling::{Scaling, Size};
use lab_load::report::html::{number, Across, Chart, Quantity, Series, Style};

/// A chart for each group of cells that differ in nodes alone; nothing where there is none.
pub fn section(scalings: &[Scaling]) -> Markup {
    html! {
        @if !scalings.is_empty() {
            h2 { "Scaling" }
            p.note { "Capacity against nodes, with the same data on each node. Dashed: the ends of a law's 95 % interval. Beyond the largest size it is extrapolated, not measured; no verdict comes of it." }
            div.pairs { @for scaling in scalings { div { (chart(scaling)) (told(scaling)) } } }
        }
    }
}

fn chart(scaling: &Scaling) -> Markup {
    let points = |sizes: &[Size], value: fn(&Size) -> Option<f64>| -> Vec<(f64, f64)> {
        sizes.iter().filter_map(|size| Some((f64::from(size.nodes), value(size)?))).collect()
    };
    let low: fn(&Size) -> Option<f64> = |size| Some(size.capacity_per_s.low);
    let high: fn(&Size) -> Option<f64> = |size| size.capacity_per_s.high;
    let series = vec![
        Series::of_points("held", "s0", Style::Points, points(&scaling.measured, low)),
        Series::of_points("failed", "bad", Style::Points, points(&scaling.measured, high)),
        Series::of_points("law, from", "soft", Style::Dashed, points(&scaling.law, low)),
        Series::of_points("law, to", "soft", Style::Dashed, points(&scaling.law, high)),
    ];
    Chart {
        title: if scaling.cells.is_empty() { "Capacity".to_owned() } else { scaling.cells.clone() },
        unit: format!("operations per second; {}", scaling.name),
        height: 240,
        across: Across::Nodes,
        start: 0.0,
        end: scaling.law.last().map_or(1.0, |size| f64::from(size.nodes)),
        quantity: Quantity::Number,
        log: false,
        series,
        marks: scaling
            .measured
            .last()
            .map(|size| (f64::from(size.nodes), "measured up to here".to_owned()))
            .into_iter()
            .collect(),
    }
    .figure()
}

fn told(scaling: &Scaling) -> Markup {
    let last = scaling.law.last().map(|size| (size.nodes, interval(Some(size.capacity_per_s), number::plain)));
    html! {
        p.note {
            @if let Some((nodes, capacity)) = last { (nodes) " nodes: " (capacity) "/s (extrapolated). " }
            @if let Some(nodes) = scaling.extrapolated_nodes { "Launch times headroom: " (nodes) " nodes (extrapolated). " }
            @if scaling.name == "line" { "Two sizes make a line, which knows of no contention." }
        }
    }
}
