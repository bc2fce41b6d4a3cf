// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Several runs beside each other: one table, latency by percentile, latency and throughput over time.

use maud::{html, Markup};

use super::chart::{Chart, Series, Style};
use super::number;
use super::scale::{time_ticks, Scale, Tick};
use crate::report::{Run, Span};

/// The runs beside each other; a run's colour is that of its place.
pub fn versus(runs: &[Run]) -> Markup {
    html! {
        section {
            h2 { "Runs beside each other" }
            (table(runs))
            (percentiles(runs))
            (over_time(runs, "P99 response time", "log scale", true, number::ms, |span| {
                if span.total.operations > 0 { span.total.response.p99_ms } else { f64::NAN }
            }))
            (over_time(runs, "Throughput", "operations per second", false, number::plain, |span| {
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
    let end = nines(deepest);
    let series: Vec<_> = runs
        .iter()
        .enumerate()
        .map(|(at, run)| Series {
            name: if runs.len() > 1 { run.name.clone() } else { "all".to_owned() },
            class: format!("s{}", at % 7),
            style: Style::Line,
            points: run
                .total
                .response_percentiles
                .iter()
                .map(|(percentile, ms)| (nines(*percentile), nines(*percentile), *ms))
                .collect(),
        })
        .collect();
    let ticks =
        [0.0, 50.0, 90.0, 99.0, 99.9, 99.99, 99.999].into_iter().filter(|percentile| nines(*percentile) <= end + 1e-9);
    let across =
        ticks.map(|percentile| Tick { at: nines(percentile) / end, label: format!("P{percentile}") }).collect();
    let scale = Scale::log(
        series.iter().flat_map(|series| series.points.iter().map(|point| point.2)).collect::<Vec<_>>().into_iter(),
    );
    let unit = "response time of all operations, log scale";
    Chart {
        title: "Latency by percentile",
        unit,
        height: 200.0,
        scale,
        words: number::ms,
        across,
        end,
        series,
        timed: false,
    }
    .draw()
}

fn over_time(
    runs: &[Run],
    title: &str,
    unit: &str,
    log: bool,
    words: fn(f64) -> String,
    value: impl Fn(&Span) -> f64,
) -> Markup {
    let end = runs.iter().flat_map(|run| run.spans.iter().map(|span| span.to_s)).fold(0.0, f64::max);
    if end == 0.0 {
        return html! {};
    }
    let series: Vec<_> = runs
        .iter()
        .enumerate()
        .map(|(at, run)| Series {
            name: run.name.clone(),
            class: format!("s{}", at % 7),
            style: Style::Line,
            points: run.spans.iter().map(|span| (span.from_s, span.to_s, value(span))).collect(),
        })
        .collect();
    let values: Vec<f64> = series.iter().flat_map(|series| series.points.iter().map(|point| point.2)).collect();
    let scale = if log { Scale::log(values.into_iter()) } else { Scale::linear(values.into_iter()) };
    Chart { title, unit, height: 150.0, scale, words, across: time_ticks(end), end, series, timed: true }.draw()
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
                        td.left { span class=(format!("swatch s{}", at % 7)) {} (run.name) }
                        td.left { (run.operation) }
                        td { (number::plain(run.operations_per_s())) }
                        @for ms in [latency.mean_ms, latency.p50_ms, latency.p95_ms, latency.p99_ms, latency.p999_ms, latency.max_ms] {
                            td { (number::ms(ms)) }
                        }
                        td { (run.total.part.errors) }
                        td { @if run.checked.on { (run.unexplained_faults()) } @else { "not checked" } }
                        td.left { (run.verdict().words()) }
                    }
                }
            }
        }
    }
}
