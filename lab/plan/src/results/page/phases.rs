// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Phases: figures of each stretch, what each move did, and charts over time.

use anyhow::Result;
use maud::{html, Markup};

use super::{checked, told, View};
use crate::figures::phase::{Course, Effect, PhaseFigures, Second};
use crate::timeline::Move;
use lab_compare::streams::Streamed;
use lab_load::report::html::{number, Across, Chart, Quantity, Series, Style};

const MEBIBYTE: f64 = (1_u64 << 20) as f64;
const PERCENTILES: [(&str, f64, &str); 3] = [("P99", 99.0, "p99"), ("P95", 95.0, "p95"), ("P50", 50.0, "p50")];

/// All phases that ended; nothing where the plan has none.
pub fn section(view: &View<'_>) -> Result<Markup> {
    if view.plan.file.phases.is_empty() {
        return Ok(html! {});
    }
    let phases = view.journal.phases();
    let parts = phases.iter().map(|phase| one(view, phase)).collect::<Result<Vec<_>>>()?;
    Ok(html! {
        h2 { "Phases" }
        p.note {
            "A load with faults and upkeep. Recovery: from the begin of a move until the SLA held for ten seconds. Unavailable: seconds until the next move in which a kind of operation had no success. They are figures, and no verdict."
        }
        @if parts.is_empty() { p { "None was run." } }
        @for part in parts { (part) }
    })
}

fn one(view: &View<'_>, phase: &PhaseFigures) -> Result<Markup> {
    let charts = match view.journal.course(phase.number, &phase.cell) {
        Some(course) => charts(course)?,
        None => html! {},
    };
    Ok(html! {
        h3 { "Phase " (phase.number + 1) ": " (told(view, &view.name(&phase.cell))) " " span.unit { (number::plain(phase.rate_per_s)) "/s due" } }
        (charts)
        table {
            thead { tr { th.left { "move" } th { "at" } th { "took" } th { "recovery" } th.left { "unavailable" } th.left { "streamed" } th.left { "" } } }
            tbody { @for effect in &phase.effects { tr {
                td.left { code { (effect.step) } } td { (number::digits(effect.at_s)) " s" } td { (number::digits(effect.took_s)) " s" }
                td { (recovery(effect)) } td.left { (unavailable(effect)) } td.left { (streamed(effect)) } td.left.why { (effect.failed.as_deref().unwrap_or_default()) }
            } } }
        }
        table {
            thead { tr { th.left { "from" } th { "begins" } th { "lasts" } th { "op/s" } th { "errors" } th { "P50" } th { "P95" } th { "P99" } th { "max" } th.left { "SLA" } } }
            tbody { @for stretch in &phase.stretches { tr {
                td.left { code { (stretch.after) } } td { (number::digits(stretch.part.from_s)) " s" } td { (number::digits(stretch.part.to_s - stretch.part.from_s)) " s" }
                td { (number::plain(stretch.part.throughput_per_s)) } td { (stretch.part.errors) }
                @for ms in [stretch.part.p50_ms, stretch.part.p95_ms, stretch.part.p99_ms, stretch.max_ms] { td { (number::ms(ms)) } }
                td.left { @if stretch.held { span.sign.meets { "✓ held" } } @else { span.sign.fails { "✗ broken" } } }
            } } }
        }
        p.note { (checked(&phase.checked)) }
        @if !phase.notes.is_empty() { ul.notes { @for note in &phase.notes { li { (note) } } } }
    })
}

/// In words.
pub fn recovery(effect: &Effect) -> String {
    match effect.recovery_s {
        Some(0.0) => "SLA held".to_owned(),
        Some(seconds) => format!("{} s", number::digits(seconds)),
        None => "not by the end".to_owned(),
    }
}

/// The kinds that had no success for a while; `none` where all had.
pub fn unavailable(effect: &Effect) -> String {
    let known = effect.unavailable_s.iter().filter(|(_, seconds)| *seconds > 0.0);
    let words: Vec<String> = known.map(|(kind, seconds)| format!("{kind} {} s", number::digits(*seconds))).collect();
    if words.is_empty() {
        "none".to_owned()
    } else {
        words.join(", ")
    }
}

/// Bytes, time and the part that came as whole files; empty where nothing was streamed.
pub fn streamed(effect: &Effect) -> String {
    let Some(Streamed { seconds, shares }) = effect.streamed else { return String::new() };
    let whole =
        shares.whole_percent().map(|percent| format!(", {percent:.0} % of it as whole files")).unwrap_or_default();
    format!("{:.1} MiB in {seconds:.1} s{whole}", shares.bytes() as f64 / MEBIBYTE)
}

fn charts(course: &Course) -> Result<Markup> {
    let responses = course.seconds.iter().map(|second| second.observed.response(None)).collect::<Result<Vec<_>>>()?;
    let latency = PERCENTILES.iter().map(|(name, percentile, color)| {
        let value = |(second, response): (&Second, &lab_load::load::Latencies)| {
            let ms =
                if response.is_empty() { f64::NAN } else { response.value_at_percentile(*percentile) as f64 / 1e6 };
            (second.from_s, second.to_s, ms)
        };
        let points: Vec<_> = course.seconds.iter().zip(&responses).map(value).collect();
        Series::over_intervals(name, color, Style::Line, &points)
    });
    let per_s = |value: fn((u64, u64)) -> u64| -> Vec<(f64, f64, f64)> {
        let part = |second: &Second| {
            let length_s = (second.to_s - second.from_s).max(1e-9);
            (second.from_s, second.to_s, value(second.observed.counts(None)) as f64 / length_s)
        };
        course.seconds.iter().map(part).collect()
    };
    let rate = vec![
        Series::over_intervals("succeeded", "s0", Style::Area, &per_s(|(operations, _)| operations)),
        Series::over_intervals("failed", "bad", Style::Bars, &per_s(|(_, errors)| errors)),
    ];
    let latency = chart(course, "Response time", "from when each was due, log scale", Quantity::Ms, latency.collect());
    let rate = chart(course, "Operations", "per second", Quantity::Number, rate);
    Ok(html! { (latency.figure()) (rate.figure()) })
}

fn chart(course: &Course, title: &str, unit: &str, quantity: Quantity, series: Vec<Series>) -> Chart {
    let marks = course.moved.iter().filter(|moved| !matches!(moved.step, Move::Wait(_)));
    Chart {
        title: title.to_owned(),
        unit: unit.to_owned(),
        height: if quantity == Quantity::Ms { 230 } else { 140 },
        across: Across::OwnTime,
        start: 0.0,
        end: course.seconds.last().map_or(1.0, |second| second.to_s),
        quantity,
        log: quantity == Quantity::Ms,
        series,
        marks: marks.map(|moved| (moved.from_s, moved.step.to_string())).collect(),
    }
}
