// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Numbers, tables, verdict and environment of one run.

use std::collections::BTreeMap;

use jiff::Timestamp;
use maud::{html, Markup};

use super::{conclusion, number};
use crate::load::WarmedUp;
use crate::observe::Sample;
use crate::report::{Latency, Run, Totals};

const NOT_MEASURED: &str = "not measured";

/// The numbers that matter most: ten of each run, so that their rows are full.
pub fn tiles(run: &Run) -> Markup {
    let latency = &run.total.part.response;
    let sum = |values: Vec<Option<f64>>| values.into_iter().flatten().reduce(|one, other| one + other);
    let watched_s = sum(during(run)
        .filter(|sample| sample.gc_pause_s.is_some())
        .map(|sample| Some(sample.to_s - sample.from_s))
        .collect());
    let pause_s = sum(during(run).map(|sample| sample.gc_pause_s).collect());
    let explained =
        run.checked.faults.iter().map(|faults| faults.explained_by_consistency).fold(0, u64::saturating_add);
    let allowed = if explained > 0 { format!("{explained} more allowed by the level; ") } else { String::new() };
    html! {
        div.tiles {
            (tile("operations per second", number::plain(run.operations_per_s()), Some(due(run))))
            (tile("median", number::ms(latency.p50_ms), None))
            (tile("P99", number::ms(latency.p99_ms), None))
            (tile("P99.9", number::ms(latency.p999_ms), None))
            (tile("maximum", number::ms(latency.max_ms), None))
            (tile("errors", run.total.part.errors.to_string(), (run.total.part.retries > 0).then(|| format!("{} retries", run.total.part.retries))))
            @if run.checked.on {
                (tile("wrong rows", run.unexplained_faults().to_string(), Some(format!("{allowed}{} checked", number::plain(run.checked.rows as f64)))))
            } @else { (unknown("wrong rows", "not checked")) }
            @if let Some(cpu_s) = server_cpu_s_per_operation(run) {
                (tile("server CPU per operation", number::ms(cpu_s * 1e3), None))
            } @else { (unknown("server CPU per operation", NOT_MEASURED)) }
            @if let (Some(pause_s), Some(watched_s)) = (pause_s, watched_s) {
                (tile("time in GC pauses", number::percent(100.0 * pause_s / watched_s.max(1e-9)), None))
            } @else { (unknown("time in GC pauses", NOT_MEASURED)) }
            (tile("client CPU per operation", number::ms(run.client_cpu_us_per_operation() / 1e3), run.late.map(lateness)))
        }
    }
}

fn during(run: &Run) -> impl Iterator<Item = &Sample> {
    run.servers.samples.iter().filter(move |sample| sample.from_s >= 0.0 && sample.to_s <= run.elapsed_s + 1.0)
}

/// Samples do not cover the whole run: the time between them is taken to have been as busy.
fn server_cpu_s_per_operation(run: &Run) -> Option<f64> {
    let mut servers: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for (cpu_s, sample) in during(run).filter_map(|sample| Some((sample.cpu_s?, sample))) {
        let covered_s = sample.to_s.min(run.elapsed_s) - sample.from_s;
        if covered_s > 0.0 {
            let sum = servers.entry(sample.node).or_default();
            *sum = (sum.0 + cpu_s, sum.1 + covered_s);
        }
    }
    let busy = servers.values().map(|(cpu_s, covered_s)| cpu_s / covered_s).reduce(|one, other| one + other)?;
    Some(busy * run.elapsed_s / run.total.part.operations.max(1) as f64)
}

fn lateness(late: Latency) -> String {
    format!("started late by P50 {}, P99 {}", number::ms(late.p50_ms), number::ms(late.p99_ms))
}

fn due(run: &Run) -> String {
    run.rate_per_s.map_or("closed loop".to_owned(), |rate| format!("{} due", number::plain(rate)))
}

fn tile(name: &str, value: String, note: Option<String>) -> Markup {
    html! { div.tile { div.value { (value) } div.name { (name) } @if let Some(note) = note { div.note { (note) } } } }
}

fn unknown(name: &str, why: &str) -> Markup {
    html! { div.tile { div.value.unknown { (why) } div.name { (name) } } }
}

/// The conclusion, promises, wrong rows, errors.
pub fn verdict(run: &Run) -> Markup {
    let verdict = run.verdict();
    html! {
        div class=(format!("verdict {}", verdict.class())) {
            b { (conclusion::of(run)) }
            @if !run.invalid.is_empty() { ul { @for reason in &run.invalid { li { (reason) } } } }
            @if !run.slas.is_empty() {
                ul { @for sla in &run.slas {
                    li { code { (sla.sla) } ": " (sla.measured) ", " b { @if sla.met { "met" } @else { "missed" } } }
                } }
            }
            p { (checked(run)) }
            @if !run.checked.first.is_empty() { ul.mono { @for fault in &run.checked.first { li { (fault) } } } }
            @if !run.failures.is_empty() {
                p { "Errors:" }
                ul.mono { @for failure in &run.failures { li { (failure.times) " × " (failure.text) } } }
            }
        }
    }
}

fn checked(run: &Run) -> String {
    if !run.checked.on {
        return "What was read was not checked.".to_owned();
    }
    let faults: Vec<String> = run
        .checked
        .faults
        .iter()
        .filter(|faults| faults.rows > 0)
        .map(|faults| {
            let explained = faults.explained_by_consistency;
            format!(
                "{} {} ({explained} of them allowed by consistency level {})",
                faults.rows, faults.kind, run.consistency
            )
        })
        .collect();
    let found = if faults.is_empty() { "none was wrong".to_owned() } else { faults.join(", ") };
    format!(
        "Checked reads: {} rows compared with what was acknowledged; {found}.",
        number::plain(run.checked.rows as f64)
    )
}

/// All kinds of operations.
pub fn kinds(run: &Run) -> Markup {
    let open = run.rate_per_s.is_some();
    html! {
        table {
            thead { tr {
                th.left { "operation" } th { "count" } th { "op/s" } th { "row/s" } th { "errors" } th { "retries" }
                th { "mean" } th { "P50" } th { "P95" } th { "P99" } th { "P99.9" } th { "max" }
            } }
            tbody {
                @for totals in run.kinds.iter().filter(|_| run.kinds.len() > 1).chain([&run.total]) { (row(run, totals, false)) }
                @if open { (row(run, &run.total, true)) }
            }
        }
        @if open {
            p.note { "Response time counts from when an operation was due. Service time, in the last row, counts from when it was sent; the difference is time spent waiting for its turn." }
        }
    }
}

fn row(run: &Run, totals: &Totals, service: bool) -> Markup {
    let latency = if service { &totals.service } else { &totals.part.response };
    let per_s = |count: u64| number::plain(count as f64 / run.elapsed_s.max(f64::EPSILON));
    html! {
        tr.sum[totals.name == "total"] {
            td.left { (totals.name) @if service { ", service time" } }
            @if service { td colspan="5" {} } @else {
                td { (totals.part.operations) } td { (per_s(totals.part.operations)) } td { (per_s(totals.part.rows)) }
                td { (totals.part.errors) } td { (totals.part.retries) }
            }
            @for ms in [latency.mean_ms, latency.p50_ms, latency.p95_ms, latency.p99_ms, latency.p999_ms, latency.max_ms] {
                td { (number::ms(ms)) }
            }
        }
    }
}

/// Where and with what.
pub fn environment(run: &Run) -> Markup {
    let (machine, software) = (&run.environment.machine, &run.environment.software);
    let or_unknown = |text: &Option<String>| text.clone().unwrap_or_else(|| "unknown".to_owned());
    let cpus = machine.cpus.map_or("?".to_owned(), |cpus| cpus.to_string());
    let memory = machine.memory_bytes.map_or("unknown".to_owned(), |bytes| number::bytes(bytes as f64));
    let load = run.environment.load_average.map_or("unknown".to_owned(), |load| format!("{load:.2}"));
    let facts = [
        ("Pace", run.pace.clone()),
        ("Consistency level", run.consistency.clone()),
        ("Engine", or_unknown(&run.engine)),
        (
            "Measured",
            format!("{:.1} s, {} values written", run.elapsed_s, number::bytes(run.value_bytes_written as f64)),
        ),
        ("Warm-up", run.warmup.as_ref().map_or("none".to_owned(), WarmedUp::summary)),
        ("Began", utc(run.environment.when_unix_s)),
        (
            "Client's machine",
            format!("{cpus} × {}, {memory}, Linux {}", or_unknown(&machine.cpu), or_unknown(&machine.kernel)),
        ),
        ("Load average before", load),
        ("Cassandra", or_unknown(&software.cassandra)),
        ("Java", or_unknown(&software.java)),
        ("cassiterite", format!("{} ({})", software.lab, or_unknown(&software.commit))),
    ];
    html! {
        table.facts { tbody {
            @for (name, value) in facts { tr { th.left { (name) } td.left { (value) } } }
            tr { th.left { "Command" } td.left { code { (run.environment.command) } } }
            @for hash in &run.environment.hashes { tr { th.left { (hash.name) } td.left { code { "sha256 " (hash.sha256) } } } }
            @if !run.servers.absent.is_empty() {
                tr { th.left { "Not measured" } td.left { @for absent in &run.servers.absent { div { (absent) } } } }
            }
        } }
    }
}

/// `2026-11-22 01:40:00 UTC`
fn utc(unix_s: u64) -> String {
    let time = i64::try_from(unix_s).ok().and_then(|unix_s| Timestamp::from_second(unix_s).ok());
    time.map_or("unknown".to_owned(), |time| time.strftime("%F %T UTC").to_string())
}

#[cfg(test)]
mod tests {
    use super::utc;

    #[test]
    fn a_time_is_told_as_a_date() {
        assert_eq!(utc(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(utc(951_782_400), "2000-02-29 00:00:00 UTC");
        assert_eq!(utc(1_795_311_644), "2026-11-22 01:40:44 UTC");
        assert_eq!(utc(u64::MAX), "unknown");
    }
}
