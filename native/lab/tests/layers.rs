// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Each module of the lab uses only those that the head of `lib.rs` allows it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::path::Path;

use regex::Regex;

const MODULES: [&str; 15] = [
    "plan", "compare", "stress", "search", "report", "profile", "load", "check", "observe", "cluster", "cpus", "fence",
    "narrator", "network", "command",
];

/// The row of a module in the table: `all but ...`, names, or `none`.
fn allowed(table: &str, module: &str) -> BTreeSet<String> {
    let row = table.lines().find(|line| line.starts_with(&format!("//! | [`{module}`]"))).expect(module);
    let uses = row.split('|').nth(3).unwrap();
    let named: BTreeSet<_> =
        Regex::new("`(\\w+)`").unwrap().captures_iter(uses).map(|name| name[1].to_owned()).collect();
    if uses.contains("all but") {
        return MODULES.iter().map(|name| (*name).to_owned()).filter(|name| !named.contains(name)).collect();
    }
    named
}

fn used(source: &Path, module: &str, found: &mut BTreeSet<String>) {
    let folder = source.join(module);
    if folder.is_dir() {
        used_in_folder(&folder, found);
    } else {
        used_in_file(&folder.with_extension("rs"), found);
    }
}

fn used_in_folder(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            used_in_folder(&path, found);
        } else if path.to_str().is_some_and(|name| name.ends_with(".rs") && !name.ends_with("_test.rs")) {
            used_in_file(&path, found);
        }
    }
}

fn used_in_file(path: &Path, found: &mut BTreeSet<String>) {
    let text = std::fs::read_to_string(path).unwrap();
    let uses = Regex::new(r"crate::(\w+)").unwrap();
    found.extend(uses.captures_iter(&text).map(|name| name[1].to_owned()));
}

#[test]
fn modules_use_only_what_the_head_of_the_crate_allows() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let table = std::fs::read_to_string(source.join("lib.rs")).unwrap();
    for module in MODULES {
        let mut found = BTreeSet::new();
        used(&source, module, &mut found);
        found.remove(module);
        found.remove("spoilt"); // for unit tests alone
        let allowed = allowed(&table, module);
        let beyond: Vec<_> = found.iter().filter(|name| !allowed.contains(*name)).collect();
        assert!(beyond.is_empty(), "{module} uses {beyond:?}, may use {allowed:?}");
    }
}
