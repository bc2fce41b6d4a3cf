// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What crates do not hold: modules within a crate of the lab use only those that the head of its `lib.rs` allows, or form
//! no circle.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

static USES: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\bcrate::(?:(\w+)|\{([^}]*)\})").unwrap());

/// Those whose heads have a table.
const TABLES: [(&str, &[&str]); 3] = [
    ("node", &["cluster", "network", "command", "fence", "cpus"]),
    ("load", &["stress", "moves", "search", "report", "profile", "load", "check", "observe", "narrator"]),
    (
        "plan",
        &[
            "cli", "runner", "phase", "soak", "results", "targets", "journal", "grid", "figures", "volumes", "file",
            "timeline", "limits", "words", "quantity", "trials",
        ],
    ),
];

fn source(part: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(part).join("src")
}

/// The row of a module in the table: `all`, names, or `none`.
fn allowed(table: &str, module: &str, modules: &[&str]) -> BTreeSet<String> {
    let row = table.lines().find(|line| line.starts_with(&format!("//! | [`{module}`]"))).expect(module);
    let uses = row.split('|').nth(3).unwrap();
    if uses.trim() == "all" {
        return modules.iter().map(|name| (*name).to_owned()).collect();
    }
    Regex::new("`(\\w+)`").unwrap().captures_iter(uses).map(|name| name[1].to_owned()).collect()
}

/// The modules that the code of a module names, apart from itself.
fn used(source: &Path, module: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let (folder, file) = (source.join(module), source.join(module).with_extension("rs"));
    if folder.is_dir() {
        used_in_folder(&folder, &mut found);
    }
    if file.is_file() {
        used_in_file(&file, &mut found);
    }
    found.remove(module);
    found
}

fn used_in_folder(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            used_in_folder(&path, found);
        } else if path.to_str().is_some_and(|name| name.ends_with(".rs") && !name.ends_with("/tests.rs")) {
            used_in_file(&path, found);
        }
    }
}

fn used_in_file(path: &Path, found: &mut BTreeSet<String>) {
    let text = std::fs::read_to_string(path).unwrap();
    let code: String =
        text.lines().filter(|line| !line.trim_start().starts_with("//")).map(|line| line.to_owned() + "\n").collect();
    for names in USES.captures_iter(&code) {
        let names = names.get(1).or_else(|| names.get(2)).unwrap().as_str();
        let first = |name: &str| name.trim().split("::").next().unwrap_or_default().to_owned();
        found.extend(names.split(',').map(first).filter(|name| !name.is_empty()));
    }
}

#[test]
fn modules_use_only_what_the_head_of_their_crate_allows() {
    for (part, modules) in TABLES {
        let source = source(part);
        let table = std::fs::read_to_string(source.join("lib.rs")).unwrap();
        for module in modules {
            let allowed = allowed(&table, module, modules);
            let beyond: Vec<_> = used(&source, module).into_iter().filter(|name| !allowed.contains(name)).collect();
            assert!(beyond.is_empty(), "{part}: {module} uses {beyond:?}, may use {allowed:?}");
        }
    }
}

#[test]
fn every_module_of_a_table_is_there() {
    for (part, modules) in TABLES {
        let said: BTreeSet<_> = modules.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(declared(part), said, "{part}");
    }
}

fn declared(part: &str) -> BTreeSet<String> {
    let head = std::fs::read_to_string(source(part).join("lib.rs")).unwrap();
    Regex::new(r"(?m)^(?:pub )?mod (\w+);").unwrap().captures_iter(&head).map(|name| name[1].to_owned()).collect()
}

/// What is left when those that use nothing that is left are taken away, over and over.
fn circle(mut above: BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    loop {
        let lowest: Vec<_> = above
            .iter()
            .filter(|(_, uses)| !uses.iter().any(|name| above.contains_key(name)))
            .map(|(name, _)| name.clone())
            .collect();
        if lowest.is_empty() {
            return above.into_keys().collect();
        }
        above.retain(|name, _| !lowest.contains(name));
    }
}

#[test]
fn modules_of_comparisons_and_of_the_planner_form_no_circle() {
    for part in ["compare", "plan"] {
        let source = source(part);
        let above: BTreeMap<_, _> =
            declared(part).into_iter().map(|name| (name.clone(), used(&source, &name))).collect();
        assert!(above.len() > 10, "{above:?}");
        assert_eq!(circle(above), Vec::<String>::new(), "{part}: a circle is among these");
    }
}

#[test]
fn a_planted_use_is_found_and_closes_a_circle() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path();
    std::fs::create_dir(source.join("grid")).unwrap();
    for (file, text) in [
        ("file.rs", "// use crate::grid;\nuse crate::words::label;\n"),
        ("grid/plan.rs", "use crate::{file, phase::{refused}};\n"),
        ("phase.rs", "fn about(plan: &crate::grid::plan::Plan) {}\n"),
        ("words.rs", "use super::*;\n"),
    ] {
        std::fs::write(source.join(file), text).unwrap();
    }
    let of = |name: &str| used(source, name).into_iter().collect::<Vec<_>>();
    assert_eq!(of("file"), ["words"]);
    assert_eq!(of("grid"), ["file", "phase"]);
    let rooms = ["file", "grid", "phase", "words"];
    let planted = rooms.into_iter().map(|name| (name.to_owned(), used(source, name))).collect();
    assert_eq!(circle(planted), ["grid", "phase"]);
}

#[test]
fn rooms_of_the_planner_at_the_bottom_and_at_the_top_stay_there() {
    let source = source("plan");
    for lowest in ["quantity", "trials"] {
        assert_eq!(used(&source, lowest), BTreeSet::new(), "{lowest}");
    }
    for room in declared("plan") {
        assert!(!used(&source, &room).contains("cli"), "{room} uses what is on top of it");
    }
}
