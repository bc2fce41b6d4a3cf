// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The loads of a trial: conditions with their intervals, all figures, and charts over time.

use anyhow::Result;
use maud::{html, Markup};

use super::standing;
use crate::trials::observed::Observed;
use crate::trials::trial::Trial;
use lab_load::load::Latencies;
use lab_load::report::html::{number, Across, Chart, Quantity, Series, Style};

const PERCENTILES: [(&str, f64, &str); 4] =
    [("P99.9", 99.9, "p999"), ("P99", 99.0, "p99"), ("P95", 95.0, "p95"), ("P50", 50.0, "p50")];

/// Each condition at each load of the plan.
pub fn conditions(trial: &Trial) -> Markup {
    let unit = |sla: &str, value: f64| match sla {
        share if share.contains('%') => number::percent(value * 100.0),
        time if time.ends_with("ms") || time.ends_with('s') => number::ms(value),
        _ => number::digits(value),
    };
    html! {
        table {
            thead { tr { th.left { "load" } th.left { "condition" } th { "value" } th { "interval" } th { "op/s" } th { "rows checked" } th.left { "" } } }
            tbody { @for load in &trial.loads {
                @for condition in &load.judged.conditions { @let (class, words) = standing(condition.standing); tr {
                    td.left { "launch × " (load.share) } td.left { code { (condition.sla) } } td { (unit(&condition.sla, condition.value)) }
                    td { (unit(&condition.sla, condition.low)) "–" (if condition.high < f64::MAX / 2.0 { unit(&condition.sla, condition.high) } else { "∞".to_owned() }) }
                    td { (number::plain(load.throughput_per_s)) } td { (number::plain(load.rows_checked as f64)) }
                    td.left { span class=(format!("sign {class}")) { (words) } }
                } }
                @for reason in &load.judged.reasons { tr { td.left { "launch × " (load.share) } td.left colspan="6" { span.sign.fails { "✗ " (reason) } } } }
            } }
        }
    }
}

/// Every run of the trial as a row; those at the loads of the plan with charts.
pub fn details(loads: Vec<(&str, &Observed)>) -> Result<Markup> {
    let mut rows = Vec::new();
    for (load, observed) in &loads {
        let several = observed.kinds.len() > 1;
        let kinds = observed.kinds.iter().map(|kind| Some(kind.name.as_str())).filter(|_| several);
        for kind in std::iter::once(None).chain(kinds) {
            rows.push(row(load, observed, kind)?);
        }
    }
    let at_launch = loads.iter().filter(|(load, _)| load.starts_with("launch"));
    let charts = at_launch.map(|(load, observed)| over_time(load, observed)).collect::<Result<Vec<_>>>()?;
    Ok(html! {
        @for chart in charts { (chart) }
        details { summary { "All runs of this trial" }
            table {
                thead { tr {
                    th.left { "run" } th.left { "operation" } th { "due/s" } th { "op/s" } th { "errors" } th { "P50" } th { "P95" } th { "P99" } th { "P99.9" } th { "max" } th.left { "remarks" }
                } }
                tbody { @for row in rows { (row) } }
            }
        }
    })
}

fn row(load: &str, observed: &Observed, kind: Option<&str>) -> Result<Markup> {
    let ((operations, errors), response) = (observed.counts(kind), observed.response(kind)?);
    let due = observed.rate_per_s.map_or("closed loop".to_owned(), number::plain);
    let remarks = observed.client.iter().chain(&observed.saturated).chain(&observed.first).cloned().collect::<Vec<_>>();
    Ok(html! { tr.sum[kind.is_none()] {
        @if let Some(kind) = kind { td {} td.left { (kind) } td {} } @else { td.left { (load) } td.left { "all" } td { (due) } }
        td { (number::plain(operations as f64 / observed.elapsed_s.max(1e-9))) } td { (errors) }
        @for percentile in [50.0, 95.0, 99.0, 99.9] { td { (at(&response, percentile)) } }
        td { (at(&response, 100.0)) }
        td.left.why { @if kind.is_none() { (remarks.join("; ")) } }
    } })
}

fn at(response: &Latencies, percentile: f64) -> String {
    if response.is_empty() {
        String::new()
    } else {
        number::ms(response.value_at_percentile(percentile) as f64 / 1e6)
    }
}

/// Percentiles of the parts of a run.
fn over_time(load: &str, observed: &Observed) -> Result<Markup> {
    let parts = observed.parts()?;
    let length_s = observed.elapsed_s / parts.len().max(1) as f64;
    let series = PERCENTILES.iter().map(|(name, percentile, color)| {
        let point = |(at, part): (usize, &Latencies)| {
            let value = if part.is_empty() { f64::NAN } else { part.value_at_percentile(*percentile) as f64 / 1e6 };
            (at as f64 * length_s, (at + 1) as f64 * length_s, value)
        };
        let points: Vec<_> = parts.iter().enumerate().map(point).collect();
        Series::over_intervals(name, color, Style::Line, &points)
    });
    let due = observed.rate_per_s.map(|rate| format!(", {}/s due", number::plain(rate))).unwrap_or_default();
    let chart = Chart {
        title: load.to_owned(),
        unit: format!("response time over the run{due}; log scale"),
        height: 170,
        across: Across::OwnTime,
        start: 0.0,
        end: observed.elapsed_s,
        quantity: Quantity::Ms,
        log: true,
        series: series.collect(),
        marks: Vec::new(),
    };
    Ok(if chart.is_known() {
        chart.figure()
    } else {
        html! {}
    })
}
