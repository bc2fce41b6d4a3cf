// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Several runs beside each other: one table, latency by percentile, latency and throughput over time.

use maud::{html, Markup};

use super::chart::{Across, Chart, Quantity, Series, Style};
use super::{conclusion, number};
use crate::report::{Run, Span};

/// The runs beside each other; a run's colour is that of its place.
pub fn side_by_side(runs: &[Run]) -> Markup {
    html! {
        section {
            div.verdict { b { (conclusion::of_all(runs)) } }
            h2 { "Runs beside each other" }
            (table(runs))
            (percentiles(runs))
            (over_time(runs, "P99 response time", "log scale", Quantity::Ms, |span| {
                if span.total.operations > 0 { span.total.response.p99_ms } else { f64::NAN }
            }))
            (over_time(runs, "Throughput", "operations per second", Quantity::Number, |span| {
                span.total.operations as f64 / span.length_s()
            }))
        }
    }
}

/// Response time by percentile, the horizontal axis growing by nines.
pub fn percentiles(runs: &[Run]) -> Markup {
    let nines = |percentile: f64| (100.0 / (100.0 - percentile)).log10();
    let deepest = runs
        .iter()
        .flat_map(|run| &run.total.response_percentiles)
        .map(|(percentile, _)| *percentile)
        .fold(90.0, f64::max);
    let series: Vec<_> = runs
        .iter()
        .enumerate()
        .map(|(at, run)| {
            let name = if runs.len() > 1 { run.name.as_str() } else { "all" };
            let points = run.total.response_percentiles.iter().map(|(percentile, ms)| (nines(*percentile), *ms));
            Series::of_points(name, &color(at), Style::Line, points)
        })
        .collect();
    Chart {
        title: "Latency by percentile".to_owned(),
        unit: "response time of all operations, log scale".to_owned(),
        height: 230,
        across: Across::Nines,
        start: 0.0,
        end: nines(deepest),
        quantity: Quantity::Ms,
        log: true,
        series,
        marks: Vec::new(),
    }
    .figure()
}

/// A time on a log scale, anything else from zero.
fn over_time(runs: &[Run], title: &str, unit: &str, quantity: Quantity, value: impl Fn(&Span) -> f64) -> Markup {
    let end = runs.iter().flat_map(|run| run.spans.iter().map(|span| span.to_s)).fold(0.0, f64::max);
    if end == 0.0 {
        return html! {};
    }
    let of_run = |(at, run): (usize, &Run)| {
        let points: Vec<_> = run.spans.iter().map(|span| (span.from_s, span.to_s, value(span))).collect();
        Series::over_intervals(&run.name, &color(at), Style::Line, &points)
    };
    Chart {
        title: title.to_owned(),
        unit: unit.to_owned(),
        height: 180,
        across: Across::Time,
        start: 0.0,
        end,
        quantity,
        log: quantity == Quantity::Ms,
        series: runs.iter().enumerate().map(of_run).collect(),
        marks: Vec::new(),
    }
    .figure()
}

/// The colour of a run's place.
fn color(at: usize) -> String {
    format!("s{}", at % 7)
}

fn table(runs: &[Run]) -> Markup {
    html! {
        table {
            thead { tr {
                th.left { "run" } th.left { "operation" } th { "op/s" } th { "mean" } th { "P50" } th { "P95" } th { "P99" }
                th { "P99.9" } th { "max" } th { "errors" } th { "wrong rows" } th.left { "verdict" }
            } }
            tbody {
                @for (at, run) in runs.iter().enumerate() {
                    @let latency = &run.total.part.response;
                    tr {
                        td.left { span class=(format!("swatch {}", color(at))) {} (run.name) }
                        td.left { (run.operation) }
                        td { (number::plain(run.operations_per_s())) }
                        @for ms in [latency.mean_ms, latency.p50_ms, latency.p95_ms, latency.p99_ms, latency.p999_ms, latency.max_ms] {
                            td { (number::ms(ms)) }
                        }
                        td { (run.total.part.errors) }
                        td { @if run.checked.on { (run.unexplained_faults()) } @else { "not checked" } }
                        td.left { (run.verdict().label()) }
                    }
                }
            }
        }
    }
}
