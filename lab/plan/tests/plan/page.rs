// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The page of a plan, from the journal of a simulated cluster. `UPDATE_GOLDEN=1` writes its structure anew.

use std::fmt::Write;
use std::path::Path;

use lab_plan::file::init::Template;
use lab_plan::file::PlanFile;
use lab_plan::grid::plan::Plan;
use lab_plan::results::answer::Answer;
use lab_plan::results::page::{page, View};
use lab_plan::results::scaling;
use regex::Regex;
use tempfile::TempDir;

use super::simulated::{Simulated, Truth};
use super::{go_on, journal, plan, GRID};
use lab_testkit::page::points_outside;

const GOLDEN: &str = "tests/plan/page_golden.txt";

/// Headings, captions, heads of tables, and which charts and tiles there are: what a reader sees first, without figures.
fn structure(text: &str) -> String {
    let library = Regex::new(r"(?s)<(style|script id=.uplot.)[^>]*>.*?</(style|script)>").unwrap();
    let text = library.replace_all(text, "");
    let part = Regex::new(
        r#"(?s)<(h[123])>(.*?)</h[123]>|<(summary)>(.*?)</summary>|<(figcaption)>(.*?)</figcaption>|<(thead)>(.*?)</thead>|"across":"(\w+)"|<td class="(?:tile )?(meets|fails|doubt|amount|empty|absent)"#,
    )
    .unwrap();
    let tag = Regex::new("<[^>]*>").unwrap();
    let space = Regex::new(r"\s+").unwrap();
    let figures = Regex::new(r"[0-9.]+ (k/s|ms|µs|h|min|s)\b").unwrap();
    let mut lines: Vec<String> = Vec::new();
    for found in part.captures_iter(&text) {
        let groups: Vec<&str> = found.iter().skip(1).flatten().map(|group| group.as_str()).collect();
        let words = match groups.as_slice() {
            [name, inside] => format!("{name}: {}", tag.replace_all(inside, " ")),
            [one] if found.get(9).is_some() => format!("chart across {one}"),
            [one] => format!("tile {one}"),
            _ => continue,
        };
        lines.push(figures.replace_all(space.replace_all(words.trim(), " ").trim(), "N $1").into_owned());
    }
    let mut told = String::new();
    for same in lines.chunk_by(|one, other| one == other) {
        let times = if same.len() > 1 { format!(" ({} times)", same.len()) } else { String::new() };
        writeln!(told, "{}{times}", same[0]).unwrap();
    }
    told
}

fn made() -> String {
    let rest = GRID.replace("nodes: [3, 4, 6, 9]", "nodes: [3, 6]")
        + "sweeps: [{closed: [4, 16, 64], at: 'cl=ONE,profile.columnspec.value.size=small', run: 20s}]\n\
           phases: [{timeline: [steady 20s, lose 2, wait 20s, replace 2, steady 30s]}]\n\
           soak: {load: 0.5, length: 20m, window: 1m}\n";
    let plan = plan(&rest);
    let folder = TempDir::new().unwrap();
    let truth = Truth { node_per_s: 12_000.0, sigma: 0.02, idle_ms: 0.5, engine: 0.8, ..Truth::of(1) };
    let trials = go_on(folder.path(), &plan, &mut Simulated::new(truth, 1)).unwrap();
    let (answer, journal) = (Answer::of(&plan, &trials).unwrap(), journal(folder.path(), &plan));
    let identity = journal.begun().unwrap().0;
    let scaling = scaling::of(&plan, &answer, &trials).unwrap();
    let view = View { plan: &plan, identity, answer: &answer, trials: &trials, journal: &journal, scaling: &scaling };
    let text = page(&view).unwrap();
    // To look at it: CASSITERITE_PAGE=FILE.
    if let Some(file) = std::env::var_os("CASSITERITE_PAGE") {
        std::fs::write(file, &text).unwrap();
    }
    let shown = |words: &str| words.replace('<', "&lt;").replace("profile.columnspec.", "");
    assert!(text.contains(&format!("<b>{}.</b><ul>", shown(&answer.verdict))), "{}", answer.verdict);
    for name in [
        "<td class=\"left\">1K</td><td class=\"left why\">fixed(1000)</td>",
        "3, 6",
        "consistency level, one or by operation",
    ] {
        assert!(text.contains(name), "{name}");
    }
    for detail in &answer.details {
        assert!(text.contains(&format!("<li>{}</li>", shown(detail))), "{detail}");
    }
    text
}

#[test]
fn the_page_of_a_plan_fetches_nothing_and_has_its_parts() {
    let text = made();
    assert_eq!(points_outside(&text), None);
    let (golden, told) = (Path::new(env!("CARGO_MANIFEST_DIR")).join(GOLDEN), structure(&text));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&golden, &told).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&golden).unwrap(), told, "UPDATE_GOLDEN=1 writes it anew");
    // Every link leads to a cell.
    let links = Regex::new("href=\"#([^\"]+)\"").unwrap();
    for link in links.captures_iter(&text) {
        assert!(text.contains(&format!("id=\"{}\"", &link[1])), "{}", &link[1]);
    }
}

/// The Portworx template before its first trial: nothing was run, some cells are left out, and labels name volumes.
#[test]
fn cells_that_were_not_run_look_so_and_labels_are_explained() {
    let text = Template::Portworx.text().to_owned() + "skip: ['together=P2C2,yaml.commitlog_sync=batch']\n";
    let plan = Plan::new(PlanFile::parse(&text).unwrap()).unwrap();
    let folder = TempDir::new().unwrap();
    let (answer, journal) = (Answer::of(&plan, &[]).unwrap(), journal(folder.path(), &plan));
    let identity = journal.begun().unwrap().0;
    let text =
        page(&View { plan: &plan, identity, answer: &answer, trials: &[], journal: &journal, scaling: &[] }).unwrap();
    if let Some(file) = std::env::var_os("CASSITERITE_EMPTY_PAGE") {
        std::fs::write(file, &text).unwrap();
    }
    let count = |words: &str| text.matches(words).count();
    assert_eq!(count("<td class=\"empty\">· <a href=\"#cell-"), plan.cells.len());
    assert_eq!(count(" away\">"), plan.cells.len());
    assert_eq!((count("<td class=\"absent\">not in the plan</td>"), plan.cells.len()), (1, 11));
    assert!(text.contains("<b>Cannot tell: no configuration is known to meet the SLA, and "));
    let named = "<td class=\"left\">P1C3</td><td class=\"left why\">data=px1, commitlog=px1, rf=3</td>";
    assert!(text.contains(named) && text.contains("<td class=\"left\">px1</td>"), "{text}");
}
