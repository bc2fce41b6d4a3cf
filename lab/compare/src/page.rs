// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A comparison as one self-contained HTML page.

use maud::{html, Markup, PreEscaped, DOCTYPE};

use crate::distribution::{distributions, HEADS};
use crate::figure::{counted, Better};
use crate::legend::{conclusions, legend};
use crate::rounds::Comparison;
use crate::sections::{ratio, sections, Spread};
use crate::settings::Settings;
use crate::verdict::{Judged, Verdict};
use lab_node::cpus::Split;

const STYLE: &str = "
:root { --ink: #1c2430; --soft: #68707c; --line: #dfe3e8; --paper: #fff; --good: #17804d; --bad: #b3372f; --none: #8a919c }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ee; --soft: #98a1ad; --line: #333b46; --paper: #14181d; --good: #4cc38a; --bad: #ef6d64; --none: #7c8592 }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2rem auto; max-width: 96rem; padding: 0 1rem }
h1 { font-size: 1.5rem; margin: 0 0 .2rem } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
p, li { max-width: 60rem } .soft { color: var(--soft) }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100% }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap }
td.range { white-space: normal } td.range span { white-space: nowrap }
th { font-weight: 600; vertical-align: bottom } th:first-child, td:first-child { text-align: left }
.better { color: var(--good); font-weight: 600 } .worse { color: var(--bad); font-weight: 600 } .cannot { color: var(--soft) }
tr.phase th { text-align: left; padding-top: 1rem; border-bottom: 2px solid var(--line) } table.figures td:first-child { padding-left: 1.4rem }
td.verdict { white-space: normal; min-width: 8.5rem } td.verdict small { display: block; color: var(--soft); font-size: .78em; line-height: 1.25 }
.side { color: var(--soft) } svg rect.side { fill: var(--good); opacity: .1 } p.conclusion { font-size: 1.05rem; font-weight: 600; margin: .3rem 0 }
.invalid { border-left: 4px solid var(--bad); padding: .5rem 1rem; margin: 1rem 0 }
svg { display: block } svg .axis { stroke: var(--line) } svg .one { stroke: var(--soft); stroke-dasharray: 3 3 }
svg .b { stroke: var(--good); fill: var(--good) } svg .w { stroke: var(--bad); fill: var(--bad) } svg .c { stroke: var(--none); fill: var(--none) }
code { font-size: .9em; overflow-wrap: anywhere }
";

/// Ratios beyond these ends of the plot are drawn at the end.
const PLOT_REACH: f64 = 8.0;
const PLOT_WIDTH: f64 = 180.0;
const AXIS: [(f64, &str); 5] = [(0.125, "1/8"), (0.5, "1/2"), (1.0, "1"), (2.0, "2"), (8.0, "8")];

/// The heap of each engine's nodes, once where they are alike.
fn heaps(settings: &Settings) -> String {
    let others = settings.heap_of.iter().map(|(engine, heap)| format!(", of {} {heap}", engine.name()));
    let all = if settings.heap_of.is_empty() { " each" } else { "" };
    others.fold(format!("{}{all}", settings.heap), |told, other| told + &other)
}

/// The whole page.
pub fn html(comparison: &Comparison) -> String {
    let settings = &comparison.settings;
    let engines = comparison.engines.join(" · ");
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "compare " (settings.scenario.name()) ": " (engines) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { "compare " (settings.scenario.name()) }
                p.soft {
                    (engines) " · " (counted(settings.rounds, "round")) " · " (counted(settings.nodes as usize, "node")) ", heap " (heaps(settings))
                }
                @for line in conclusions(comparison) { p.conclusion { (line) "." } }
                (warnings(comparison))
                h2 { "Figures" }
                div.wide { (figures(comparison)) }
                p.soft { "Shaded: the better side of 1." }
                @for line in legend(comparison) { p.soft { (line) } }
                (spreads(comparison))
                (searches(comparison))
                (warmups(comparison))
                (environment(comparison))
            }
        }
    }
    .into_string()
}

fn warnings(comparison: &Comparison) -> Markup {
    let (invalid, caveats, failed) = (comparison.invalid(), comparison.caveats(), comparison.failed_levels());
    html! {
        @if !invalid.is_empty() {
            div.invalid {
                strong { "Invalid: these figures must not be believed" }
                ul { @for reason in &invalid { li { (reason) } } }
            }
        }
        @if !caveats.is_empty() {
            div.invalid {
                strong { "Caveat: these runs were measured before their servers were warm" }
                ul { @for caveat in &caveats { li { (caveat) } } }
            }
        }
        @if !failed.is_empty() {
            div.invalid {
                strong { "Level of service not held at any rate" }
                ul { @for level in &failed { li { (level) } } }
            }
        }
    }
}

fn figures(comparison: &Comparison) -> Markup {
    let subject = comparison.engines.last().map(String::as_str).unwrap_or_default();
    let baselines: Vec<&String> = comparison.engines.iter().rev().skip(1).rev().collect();
    html! {
        table.figures {
            thead {
                tr {
                    th { "figure" }
                    @for baseline in &baselines {
                        th { (subject) " / " (baseline) }
                        th { "verdict" }
                        th { (axis()) }
                    }
                    @for engine in &comparison.engines { th { (engine) } }
                }
            }
            tbody {
                @for section in sections(comparison) {
                    tr.phase { th colspan=(1 + 3 * baselines.len() + comparison.engines.len()) scope="rowgroup" { (section.name()) } }
                    @for line in &section.lines {
                        tr {
                            td { (line.name) @if line.better != Better::Neither { span.side title=(line.better.words()) { " " (line.better.arrow()) } } }
                            @for judged in &line.judged { (judgement(judged)) }
                            @for _ in line.judged.len()..baselines.len() { td { "-" } td.verdict { span.cannot { "cannot tell" } small { "not measured on both" } } td {} }
                            @for value in &line.values { td.range { (spread(value)) } }
                        }
                    }
                }
            }
        }
    }
}

/// With a place to break the line where the page is narrow.
fn spread(spread: &Spread) -> Markup {
    html! { span { (spread.middle) } @if let Some(range) = &spread.range { " " span { "(" (range) ")" } } }
}

fn judgement(judged: &Judged) -> Markup {
    let (class, mark) = match judged.verdict {
        Verdict::Better => ("better", "b"),
        Verdict::Worse => ("worse", "w"),
        Verdict::CannotTell => ("cannot", "c"),
    };
    html! {
        td.range { (spread(&ratio(judged))) }
        td.verdict {
            span class=(class) { @if judged.better == Better::Neither { "not judged" } @else { (judged.verdict.label()) } }
            @if let Some(why) = judged.doubt() { small { (why) } }
        }
        td { (interval(judged, mark)) }
    }
}

/// Where a ratio is on the logarithmic axis from 1 / reach to reach.
fn place(ratio: f64) -> f64 {
    let share = ratio.clamp(1.0 / PLOT_REACH, PLOT_REACH).ln() / PLOT_REACH.ln();
    PLOT_WIDTH / 2.0 * (1.0 + share)
}

fn axis() -> Markup {
    html! {
        svg width=(PLOT_WIDTH) height="16" role="img" aria-label="ratio on a logarithmic axis" {
            @for (ratio, words) in AXIS {
                text x=(place(ratio).clamp(12.0, PLOT_WIDTH - 8.0)) y="12" text-anchor="middle" font-size="10" fill="currentColor" { (words) }
            }
        }
    }
}

fn interval(judged: &Judged, class: &str) -> Markup {
    let Some(ratio) = judged.ratio else { return html! {} };
    let (low, high) = (judged.low.unwrap_or(ratio), judged.high.unwrap_or(ratio));
    html! {
        svg width=(PLOT_WIDTH) height="16" {
            @match judged.better {
                Better::Lower => { rect.side x="0" width=(place(1.0)) y="0" height="16" {} }
                Better::Higher => { rect.side x=(place(1.0)) width=(PLOT_WIDTH - place(1.0)) y="0" height="16" {} }
                Better::Neither => {}
            }
            line.one x1=(place(1.0)) x2=(place(1.0)) y1="0" y2="16" {}
            line class=(class) x1=(place(low)) x2=(place(high)) y1="8" y2="8" stroke-width="2" {}
            circle class=(class) cx=(place(ratio)) cy="8" r="3.5" {}
        }
    }
}

fn spreads(comparison: &Comparison) -> Markup {
    let distributions = distributions(comparison);
    html! {
        @if !distributions.is_empty() {
            h2 { "Single replacements of a node, all rounds" }
            div.wide { table {
                thead { tr { @for head in HEADS { th { (head) } } } }
                tbody { @for distribution in &distributions { tr { @for cell in distribution.cells() { td { (cell) } } } } }
            } }
        }
    }
}

fn searches(comparison: &Comparison) -> Markup {
    let any = comparison.runs.iter().any(|run| !run.trial.searches.is_empty());
    let rate = |rate: Option<f64>| rate.map_or("none tried".to_owned(), crate::figure::number);
    html! {
        @if any {
            h2 { "Highest rate at a level of service" }
            div.wide { table {
                thead { tr { th { "run" } th { "level" } th { "holds at, 1/s" } th { "fails at, 1/s" } th { "probes" } th { "confirmed" } } }
                tbody { @for run in &comparison.runs { @for searched in &run.trial.searches { tr {
                    td { (run.engine) ", round " (run.round + 1) }
                    td { (searched.level) }
                    td { (rate(searched.found.holds_per_s)) }
                    td { (rate(searched.found.fails_per_s)) }
                    td { (searched.found.probes.len()) }
                    td { @if searched.found.confirmed { "yes" } @else { "no" } }
                } } } }
            } }
        }
    }
}

fn warmups(comparison: &Comparison) -> Markup {
    html! {
        h2 { "Runs" }
        ul {
            @for run in &comparison.runs {
                li {
                    "round " (run.round + 1) ", place " (run.place + 1) ": " (run.engine)
                    @for warmup in &run.trial.warmups { " · warm-up " (warmup.summary()) }
                    @for note in run.notes.iter().chain(&run.absent) { br; span.soft { (note) } }
                }
            }
        }
    }
}

fn environment(comparison: &Comparison) -> Markup {
    let environment = &comparison.environment;
    let (machine, software) = (&environment.machine, &environment.software);
    let or_unknown = |value: &Option<String>| value.clone().unwrap_or_else(|| "unknown".to_owned());
    let memory = machine
        .memory_bytes
        .map_or("unknown".to_owned(), |bytes| format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)));
    html! {
        h2 { "Environment" }
        ul {
            li { "machine: " (or_unknown(&machine.cpu)) ", " (machine.cpus.unwrap_or(0)) " CPUs, " (memory) ", Linux " (or_unknown(&machine.kernel))
                @if let Some(load) = environment.load_average { ", load average at the start " (load) } }
            li { (environment.cpus.as_ref().map_or("client and servers share all CPUs".to_owned(), Split::to_string)) }
            li { "Cassandra " (or_unknown(&software.cassandra)) ", " (or_unknown(&software.java)) ", lab " (software.lab) ", commit " (or_unknown(&software.commit)) }
            li { "command: " code { (environment.command) } }
            li { "settings: " code { (serde_json::to_string(&comparison.settings).unwrap_or_default()) } }
            @for hash in &environment.hashes { li { (hash.name) ": " code { (hash.sha256) } } }
        }
    }
}

#[cfg(test)]
mod tests;
