// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The whole page.

use anyhow::Result;
use maud::{html, Markup, PreEscaped, DOCTYPE};

use super::{embedded, facts, panels, side_by_side};
use crate::report::Run;

/// A file of uPlot, which `scripts/native-deps.sh` puts there.
macro_rules! uplot {
    ($file:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../build/deps/uplot/", $file))
    };
}

const STYLE: &str = include_str!("page.css");
const CHARTS: &str = include_str!("charts.js");
const UPLOT: &str = uplot!("uPlot.iife.min.js");
const UPLOT_STYLE: &str = uplot!("uPlot.min.css");
const UPLOT_LICENSE: &str = uplot!("LICENSE");
/// The browser itself refuses whatever would fetch something.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// The page of these runs, as text.
pub fn page(title: &str, runs: &[Run]) -> Result<String> {
    let data = embedded(title, runs)?;
    let main = html! {
        @if runs.len() > 1 {
            (side_by_side::side_by_side(runs))
            @for run in runs { details { summary { (heading(run)) } (one(run)) } }
        } @else {
            @for run in runs { section { @if let Some(heading) = below(title, run) { h2 { (heading) } } (one(run)) } }
        }
    };
    Ok(document(title, "", &main, &PreEscaped(data)).into_string())
}

/// A self-contained page with what its charts need; `style` goes after the common one, `data` after the text.
pub fn document(title: &str, style: &str, main: &Markup, data: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(UPLOT_STYLE)) (PreEscaped(STYLE)) (PreEscaped(style)) }
                noscript { style { "figure.chart, .hint { display: none }" } }
            }
            body {
                header {
                    h1 { (title) }
                    noscript { p.note { "The charts need JavaScript; it is in this page, and the browser does not run it. The tables need none." } }
                }
                main { (main) }
                (data)
                script #uplot { "/*! " (PreEscaped(UPLOT_LICENSE)) "\n*/\n" (PreEscaped(UPLOT)) }
                script { (PreEscaped(CHARTS)) }
            }
        }
    }
}

/// What a title leaves to be said of its only run.
fn below(title: &str, run: &Run) -> Option<String> {
    let parts = [&run.name, &run.operation].into_iter().filter(|part| *part != title);
    let mut parts: Vec<&str> = parts.map(String::as_str).collect();
    parts.dedup();
    Some(parts.join(": ")).filter(|words| !words.is_empty() && words != title)
}

fn heading(run: &Run) -> String {
    if run.name == run.operation {
        run.name.clone()
    } else {
        format!("{}: {}", run.name, run.operation)
    }
}

fn one(run: &Run) -> Markup {
    html! {
        p.pace { (run.pace) "; consistency level " (run.consistency) }
        (facts::verdict(run))
        (facts::tiles(run))
        h3 { "Over time" }
        (panels::charts(run))
        h3 { "By operation" }
        (facts::kinds(run))
        (side_by_side::percentiles(std::slice::from_ref(run)))
        h3 { "Where and with what" }
        (facts::environment(run))
    }
}
