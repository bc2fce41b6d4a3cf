// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! `-capacity`: the highest rate at which conditions hold.

use anyhow::Result;

use super::settings::{Capacity, Level, Settings, Stop, Warmup};
use crate::report::{are_errors_bounded, Run};
use crate::search::{search, Found, Length, Probe, Search};

/// Rates up to so many times the first are tried, and down to such a part of it.
const SPAN: f64 = 64.0;

/// The result of a search.
pub struct Searched {
    /// What was found.
    pub found: Found,
    /// All runs, in order.
    pub runs: Vec<Run>,
}

/// Looks for it; `run` makes one run with such settings at a rate.
pub fn look(
    settings: &Settings,
    capacity: &Capacity,
    mut run: impl FnMut(&Settings, f64) -> Result<Run>,
) -> Result<Searched> {
    let limits = Search {
        start_per_s: capacity.start_per_s,
        precision: capacity.precision,
        floor_per_s: capacity.start_per_s / SPAN,
        ceiling_per_s: capacity.start_per_s * SPAN,
        probes_max: capacity.probes,
    };
    let mut runs: Vec<Run> = Vec::new();
    let found = search(limits, &mut |per_s, length| {
        // Only the first run has to warm the servers up.
        let settings = of_probe(settings, capacity, length, runs.is_empty());
        let run = run(&settings, per_s)?;
        let probe = probe(capacity, &run, per_s);
        runs.push(run);
        Ok(probe)
    })?;
    Ok(Searched { found, runs })
}

fn of_probe(settings: &Settings, capacity: &Capacity, length: Length, first: bool) -> Settings {
    let mut settings = settings.clone();
    let times = if length == Length::Long { 2 } else { 1 };
    settings.work.stop = Stop::Duration(capacity.probe * times);
    settings.verdict.slas.clone_from(&capacity.slas);
    settings.output.level = Level::Minimal;
    settings.output.summary = false;
    if !first {
        settings.work.warmup = Warmup::None;
    }
    settings
}

fn probe(capacity: &Capacity, run: &Run, rate_per_s: f64) -> Probe {
    let failing = run.kinds.iter().filter(|kind| kind.part.errors > 0).map(|kind| kind.name.as_str());
    let bounded = are_errors_bounded(&capacity.slas, failing, run.unfinished);
    Probe {
        rate_per_s,
        achieved_per_s: run.operations_per_s(),
        met: bounded && run.slas.iter().all(|sla| sla.met),
        judged: run.slas.clone(),
        client_limited: run.invalid.iter().find(|reason| reason.contains("client:")).cloned(),
    }
}

/// One line for a run.
pub fn line(run: &Run) -> String {
    let judged =
        run.slas.iter().map(|sla| format!("{} {} ({})", sla.sla, if sla.met { "met" } else { "missed" }, sla.measured));
    let client = run.invalid.iter().find(|reason| reason.contains("client:"));
    let said: Vec<String> = judged.chain(client.cloned()).collect();
    format!("{:.0}/s: {}", run.rate_per_s.unwrap_or_default(), said.join("; "))
}

/// The answer in words.
pub fn answer(capacity: &Capacity, found: &Found) -> String {
    let level: Vec<String> = capacity.slas.iter().map(ToString::to_string).collect();
    let rates = match (found.holds_per_s, found.fails_per_s) {
        (Some(holds), Some(fails)) => format!("{holds:.0} to {fails:.0} per second"),
        (Some(holds), None) => format!("{holds:.0} per second or more"),
        (None, Some(fails)) => format!("none: it fails at {fails:.0} per second"),
        (None, None) => "unknown".to_owned(),
    };
    let doubts =
        [(!found.confirmed, "unconfirmed"), (found.client_limited, "the client failed before the servers did")];
    let doubts = doubts.iter().filter(|(is_so, _)| *is_so).map(|(_, why)| format!("; {why}")).collect::<String>();
    format!("Capacity at {}: {rates}{doubts}", level.join(", "))
}
