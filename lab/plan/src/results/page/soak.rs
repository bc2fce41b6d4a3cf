// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Soaks: P95 and the servers' CPU for each operation over time, and whether they drift.

use anyhow::Result;
use maud::{html, Markup};

use super::{checked, told, View};
use crate::figures::soak::{Drifts, SoakFigures, WindowFigures};
use lab_load::report::html::{number, Across, Chart, Quantity, Series, Style};

/// All soaks that ended; nothing where the plan has none.
pub fn section(view: &View<'_>) -> Result<Markup> {
    if view.plan.file.soak.is_none() {
        return Ok(html! {});
    }
    let parts = view.journal.soaks().iter().map(|soak| one(view, soak)).collect::<Result<Vec<_>>>()?;
    Ok(html! {
        h2 { "Soak" }
        p.note {
            "A steady load, window by window. Drift: the slope of a figure's logarithm (Theil and Sen), as a change over the whole length, with its 95 % interval."
        }
        @if parts.is_empty() { p { "None was run." } }
        @for part in parts { (part) }
    })
}

fn one(view: &View<'_>, soak: &SoakFigures) -> Result<Markup> {
    let (class, sign) = sign(soak.verdict);
    let held = soak.windows.iter().filter(|window| window.held).count();
    Ok(html! {
        h3 { (told(view, &view.name(&soak.cell))) " " span.unit { (number::plain(soak.rate_per_s)) "/s due" } ": " span class=(format!("sign {class}")) { (sign) " " (soak.verdict.label()) } }
        (chart(soak, "P95", Quantity::Ms, |window| Some(window.part.p95_ms)).figure())
        @if soak.windows.iter().any(|window| window.cpu_us.is_some()) {
            (chart(soak, "CPU of the servers for each operation, µs", Quantity::Number, |window| window.cpu_us).figure())
        }
        ul.notes {
            @for told in soak.sentences() { li { (told) } }
            li { "The SLA held in " (held) " of " (soak.windows.len()) " windows." }
            li { (checked(&soak.checked)) }
            @for note in &soak.notes { li { (note) } }
        }
    })
}

fn sign(verdict: Drifts) -> (&'static str, &'static str) {
    match verdict {
        Drifts::Drifts => ("fails", "✗"),
        Drifts::DoesNotDrift => ("meets", "✓"),
        Drifts::CannotTell => ("doubt", "?"),
    }
}

fn chart(soak: &SoakFigures, title: &str, quantity: Quantity, value: fn(&WindowFigures) -> Option<f64>) -> Chart {
    let points: Vec<(f64, f64, f64)> = soak
        .windows
        .iter()
        .map(|window| (window.part.from_s, window.part.to_s, value(window).unwrap_or(f64::NAN)))
        .collect();
    Chart {
        title: title.to_owned(),
        unit: "by window".to_owned(),
        height: 160,
        across: Across::OwnTime,
        start: 0.0,
        end: soak.windows.last().map_or(1.0, |window| window.part.to_s),
        quantity,
        log: false,
        series: vec![Series::over_intervals(title, "s0", Style::Line, &points)],
        marks: soak.upkeep.iter().map(|moved| (moved.from_s, moved.step.to_string())).collect(),
    }
}
