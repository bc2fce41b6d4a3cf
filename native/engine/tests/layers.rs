// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Each module of the engine uses only those before it in the table at the head of `lib.rs`. Tests may use all.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use regex::Regex;
use std::fs;
use std::path::Path;

/// Types whose methods lie in several modules, so that a call uses a module without naming it.
const SPREAD_TYPES: [&str; 4] = ["StoreCore", "TableCore", "Table", "Store"];

/// A module with the code of all its files, without tests and comments.
struct Module {
    name: String,
    code: String,
    /// Paths that leave the module by `super`, which the test cannot resolve.
    leaves: bool,
}

fn captures(pattern: &str, text: &str) -> Vec<String> {
    Regex::new(pattern).unwrap().captures_iter(text).map(|found| found[1].to_owned()).collect()
}

/// The modules that the head of `lib.rs` names, from low to high.
fn order(lib: &str) -> Vec<String> {
    let rows = lib.lines().filter(|line| line.starts_with("//! |")).skip(2);
    rows.flat_map(|row| captures(r"`(\w+)`", row.split('|').nth(2).unwrap())).collect()
}

impl Module {
    fn read(source: &Path, name: &str) -> Module {
        let mut module = Module { name: name.to_owned(), code: String::new(), leaves: false };
        module.add(&source.join(format!("{name}.rs")), 1);
        let folder = source.join(name);
        if folder.exists() {
            module.add_all(&folder, 2);
        }
        module
    }

    fn add_all(&mut self, folder: &Path, depth: usize) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() && name != "tests" {
                self.add_all(&path, depth + 1);
            } else if name.ends_with(".rs") && name != "tests.rs" {
                self.add(&path, depth);
            }
        }
    }

    fn add(&mut self, path: &Path, depth: usize) {
        let text = fs::read_to_string(path).unwrap();
        let tests = Regex::new(r"\n#\[cfg\(test\)\]\n(#\[.*\n)*mod tests \{").unwrap();
        let end = tests.find(&text).map_or(text.len(), |found| found.start());
        let code = Regex::new("//.*").unwrap().replace_all(&text[..end], "").into_owned();
        self.leaves |= code.contains(&"super::".repeat(depth));
        self.code.push_str(&code);
    }

    /// The modules that paths name.
    fn named(&self) -> Vec<String> {
        captures(r"\bcrate::(\w+|\{)", &self.code)
    }

    fn defines(&self, of: &str) -> bool {
        Regex::new(&format!(r"\bstruct {of} \{{")).unwrap().is_match(&self.code)
    }

    /// The methods that this module gives a type.
    fn methods(&self, of: &str) -> Vec<String> {
        let blocks = captures(&format!(r"(?s)\nimpl {of} \{{\n(.*?)\n\}}\n"), &self.code);
        blocks.iter().flat_map(|block| captures(r"\bfn (\w+)", block)).collect()
    }

    fn calls(&self, of: &str, method: &str) -> bool {
        let call = format!(r"\b(?:self|table|core|copy|open|store)\s*\.{method}\(|\b{of}::{method}\b");
        Regex::new(&call).unwrap().is_match(&self.code)
    }
}

#[test]
fn modules_use_only_those_before_them_at_the_head_of_the_crate() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let lib = fs::read_to_string(source.join("lib.rs")).unwrap();
    let order = order(&lib);
    let mut declared = captures(r"(?m)^(?:pub )?mod (\w+);", &lib);
    declared.retain(|name| name != "common"); // for unit tests alone
    let unlayered: Vec<_> = declared.iter().filter(|name| !order.contains(name)).collect();
    assert!(unlayered.is_empty(), "in no layer: {unlayered:?}");

    let modules: Vec<Module> = order.iter().map(|name| Module::read(&source, name)).collect();
    for (at, module) in modules.iter().enumerate() {
        assert!(!module.leaves, "{} names a module by `super`; name it by `crate`", module.name);
        let upward = |name: &&String| **name != module.name && !order[..at].contains(*name);
        let named = module.named();
        let upward: Vec<_> = named.iter().filter(upward).collect();
        assert!(upward.is_empty(), "{} uses {upward:?}, which the head of lib.rs has behind it", module.name);
    }
}

#[test]
fn modules_call_no_method_of_those_behind_them() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let order = order(&fs::read_to_string(source.join("lib.rs")).unwrap());
    let modules: Vec<Module> = order.iter().map(|name| Module::read(&source, name)).collect();
    for of in SPREAD_TYPES {
        let first = modules.iter().position(|module| module.defines(of)).expect(of);
        for (at, upper) in modules.iter().enumerate().skip(first) {
            for method in upper.methods(of) {
                let callers = modules[first..at].iter().filter(|lower| lower.calls(of, &method));
                let callers: Vec<_> = callers.map(|lower| &lower.name).collect();
                assert!(callers.is_empty(), "{callers:?} call {of}::{method} of {}, which is behind them", upper.name);
            }
        }
    }
}
