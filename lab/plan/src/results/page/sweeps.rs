// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Closed loops: rate and latencies against operations in flight.

use anyhow::Result;
use maud::{html, Markup};

use super::{labels, View};
use crate::trials::trial::SweepPoint;
use lab_load::report::html::{number, Across, Chart, Quantity, Series, Style};

const COLORS: usize = 7;

/// One closed loop over several numbers of operations in flight.
struct Sweep<'a> {
    name: String,
    trial: usize,
    points: &'a [SweepPoint],
}

/// Charts and a table; nothing where the plan has no sweeps.
pub fn section(view: &View<'_>) -> Result<Markup> {
    let mut sweeps = Vec::new();
    for cell in &view.answer.cells {
        let swept = view.counting(&cell.key).filter(|trial| !trial.sweep.is_empty());
        sweeps.extend(swept.map(|trial| Sweep { name: labels(cell), trial: trial.number, points: &trial.sweep }));
    }
    if sweeps.is_empty() {
        return Ok(html! {});
    }
    let mut charts = vec![
        chart(&sweeps, "Rate", "operations per second", Quantity::Number, |point| Some(point.throughput_per_s)),
        chart(&sweeps, "P95, all operations", "response time", Quantity::Ms, |point| Some(point.p95_ms)),
        chart(&sweeps, "P99, all operations", "response time", Quantity::Ms, |point| Some(point.p99_ms)),
    ];
    for kind in kinds(view, &sweeps) {
        charts.push(of_kind(view, &sweeps, &kind)?);
    }
    let errors =
        chart(&sweeps, "Errors", "operations that failed", Quantity::Number, |point| Some(point.errors as f64));
    let failed = !errors.is_zero();
    Ok(html! {
        h2 { "Closed loops" }
        p.note {
            "Rate and response time against operations in flight. In a closed loop the next operation waits for the one before: its time leaves out what users would wait, and no verdict comes of it."
            @if !failed { " No operation failed." }
        }
        div.pairs { @for chart in charts.iter().chain(Some(&errors).filter(|_| failed)) { (chart.figure()) } }
        details { summary { "Closed loops as a table" } (table(&sweeps)) }
    })
}

fn chart(
    sweeps: &[Sweep<'_>],
    title: &str,
    unit: &str,
    quantity: Quantity,
    value: impl Fn(&SweepPoint) -> Option<f64>,
) -> Chart {
    let line = |(at, sweep): (usize, &Sweep<'_>)| {
        let points = sweep.points.iter().filter_map(|point| Some((point.in_flight as f64, value(point)?)));
        Series::of_points(&sweep.name, &format!("s{}", at % COLORS), Style::Line, points)
    };
    drawn(sweeps, title, unit, quantity, sweeps.iter().enumerate().map(line).collect())
}

fn drawn(sweeps: &[Sweep<'_>], title: &str, unit: &str, quantity: Quantity, series: Vec<Series>) -> Chart {
    let all = || sweeps.iter().flat_map(|sweep| sweep.points).map(|point| point.in_flight as f64);
    let (start, end) = (all().fold(f64::MAX, f64::min), all().fold(1.0, f64::max));
    // One point has no length: the axis takes some room around it.
    let end = if end > start { end } else { start * 2.0 };
    Chart {
        title: title.to_owned(),
        unit: unit.to_owned(),
        height: 240,
        across: Across::InFlight,
        start,
        end,
        quantity,
        log: quantity == Quantity::Ms,
        series,
        marks: Vec::new(),
    }
}

/// Kinds of operations, where there is more than one.
fn kinds(view: &View<'_>, sweeps: &[Sweep<'_>]) -> Vec<String> {
    let loads = sweeps.first().map(|sweep| view.journal.loads(sweep.trial)).unwrap_or_default();
    let closed = loads.into_iter().find(|(load, _)| load.ends_with("in flight"));
    let kinds: Vec<String> =
        closed.map(|(_, observed)| observed.kinds.iter().map(|kind| kind.name.clone()).collect()).unwrap_or_default();
    if kinds.len() > 1 {
        kinds
    } else {
        Vec::new()
    }
}

fn of_kind(view: &View<'_>, sweeps: &[Sweep<'_>], kind: &str) -> Result<Chart> {
    let mut series = Vec::new();
    for (at, sweep) in sweeps.iter().enumerate() {
        let mut points = Vec::new();
        for (load, observed) in view.journal.loads(sweep.trial) {
            let Some(in_flight) = load.strip_suffix(" in flight").and_then(|text| text.parse::<f64>().ok()) else {
                continue;
            };
            let response = observed.response(Some(kind))?;
            if !response.is_empty() {
                points.push((in_flight, response.value_at_percentile(95.0) as f64 / 1e6));
            }
        }
        series.push(Series::of_points(&sweep.name, &format!("s{}", at % COLORS), Style::Line, points));
    }
    Ok(drawn(sweeps, &format!("P95 of {kind}"), "response time", Quantity::Ms, series))
}

fn table(sweeps: &[Sweep<'_>]) -> Markup {
    html! {
        table {
            thead { tr {
                th.left { "cell" } th { "in flight" } th { "op/s" } th { "P50" } th { "P95" } th { "P99" } th { "errors" } th.left { "the client" }
            } }
            tbody { @for sweep in sweeps { @for point in sweep.points { tr {
                td.left { (sweep.name) } td { (point.in_flight) } td { (number::plain(point.throughput_per_s)) }
                td { (number::ms(point.p50_ms)) } td { (number::ms(point.p95_ms)) } td { (number::ms(point.p99_ms)) }
                td { (point.errors) } td.left.why { (point.client.as_deref().unwrap_or_default()) }
            } } } }
        }
    }
}
