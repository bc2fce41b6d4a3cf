// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Whether modules use only those before them in the table at the head of the file that declares them. Tests may use all.
//!
//! A table counts if one of its columns is called *Modules*: that of `lib.rs`, and that of any other file with modules of
//! its own.
#![allow(clippy::unwrap_used)]

use regex::Regex;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// The module that a file is, from the crate's root on.
type ModulePath = Vec<String>;

/// The files of a crate, without tests.
pub struct Sources {
    files: BTreeMap<ModulePath, File>,
}

struct File {
    /// The modules that its head names, from low to high.
    order: Vec<String>,
    declared: Vec<String>,
    code: String,
    named: Vec<Named>,
}

/// One level of modules, from low to high.
struct Level<'a> {
    parent: &'a ModulePath,
    order: &'a [String],
    declared: &'a [String],
}

/// A path that code names, as of the crate's root.
struct Named {
    path: ModulePath,
    /// Whether it leads to the crate's root by `super`.
    is_super_of_root: bool,
}

static NAME: LazyLock<Regex> = LazyLock::new(|| regex(r"`(\w+)`"));
static TESTS: LazyLock<Regex> = LazyLock::new(|| regex(r"\n#\[cfg\(test\)\]\n(#\[.*\n)*(pub\(crate\) )?mod tests \{"));
static TEST_MODULE: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?m)^#\[cfg\(test\)\]\n(#\[.*\n)*(pub(\(crate\))? )?mod \w+;"));
static MODULE: LazyLock<Regex> = LazyLock::new(|| regex(r"(?m)^(?:pub(?:\(\w+\))? )?mod (\w+);"));
static PATH: LazyLock<Regex> = LazyLock::new(|| regex(r"\b(crate|super(?:::super)*)((?:::\w+)*)(::[{*])?"));
static METHOD: LazyLock<Regex> = LazyLock::new(|| regex(r"\bfn (\w+)"));

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}

fn captures(pattern: &Regex, text: &str) -> Vec<String> {
    pattern.captures_iter(text).map(|found| found[1].to_owned()).collect()
}

/// The modules that the head of a file names, from low to high.
fn order(text: &str) -> Vec<String> {
    let mut rows = text.lines().filter(|line| line.starts_with("//! |")).map(|line| line.split('|').map(str::trim));
    let column = rows.by_ref().find_map(|mut header| header.position(|cell| cell == "Modules"));
    let Some(column) = column else { return Vec::new() };
    rows.flat_map(|mut row| captures(&NAME, row.nth(column).unwrap_or_default())).collect()
}

/// The text without its module of tests, and without comments.
fn code(text: &str) -> String {
    let end = TESTS.find(text).map_or(text.len(), |found| found.start());
    let lines = text[..end].lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// The paths that code of a module names by `crate` or `super`.
fn named(module: &ModulePath, code: &str) -> Vec<Named> {
    let found = PATH.captures_iter(code).map(|found| {
        let supers = if &found[1] == "crate" { None } else { Some(found[1].split("::").count()) };
        let start = supers.map_or(0, |count| module.len().saturating_sub(count));
        let named = found[2].split("::").chain(found.get(3).map(|end| &end.as_str()[2..]));
        let named = named.filter(|name| !name.is_empty()).map(str::to_owned);
        Named {
            path: module[..start].iter().cloned().chain(named).collect(),
            is_super_of_root: supers.is_some() && start == 0,
        }
    });
    found.collect()
}

fn shown(module: &ModulePath) -> String {
    ["crate"].into_iter().chain(module.iter().map(|name| &**name)).collect::<Vec<_>>().join("::")
}

impl File {
    fn new(module: &ModulePath, text: &str) -> File {
        let code = code(text);
        // Modules for tests alone are in no layer.
        let declared = captures(&MODULE, &TEST_MODULE.replace_all(text, ""));
        File { order: order(text), declared, named: named(module, &code), code }
    }
}

impl Sources {
    /// Reads the folder `src` of a crate.
    pub fn read(manifest_folder: &str) -> Sources {
        let mut sources = Sources { files: BTreeMap::new() };
        sources.add_all(&Path::new(manifest_folder).join("src"), &Vec::new());
        sources
    }

    fn add_all(&mut self, folder: &Path, parent: &ModulePath) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let module = parent.iter().cloned().chain((name != "lib").then_some(name.clone())).collect();
            if name == "tests" {
                continue;
            }
            if path.is_dir() {
                self.add_all(&path, &module);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let file = File::new(&module, &fs::read_to_string(&path).unwrap());
                self.files.insert(module, file);
            }
        }
    }

    fn levels(&self) -> impl Iterator<Item = Level<'_>> {
        let levels = self.files.iter().filter(|(_, file)| !file.order.is_empty());
        levels.map(|(parent, file)| Level { parent, order: &file.order, declared: &file.declared })
    }

    /// The files of a module of a level.
    fn files<'a>(&'a self, level: &Level<'a>, name: &'a str) -> impl Iterator<Item = (&'a ModulePath, &'a File)> {
        let parent = level.parent;
        let is_of = move |path: &ModulePath| path.get(parent.len()).is_some_and(|at| at == name);
        self.files.iter().filter(move |(path, _)| path.starts_with(parent) && is_of(path))
    }

    /// How the modules break the order of the tables; also modules that a table lacks, or that are not there.
    ///
    /// # Panics
    /// Where the crate's root has no table.
    pub fn violations(&self) -> Vec<String> {
        let mut violations = Vec::new();
        assert!(self.levels().any(|level| level.parent.is_empty()), "the head of lib.rs has no table of modules");
        for level in self.levels() {
            let (depth, parent) = (level.parent.len(), shown(level.parent));
            let unlayered = level.declared.iter().filter(|name| !level.order.contains(name));
            violations.extend(unlayered.map(|name| format!("{parent}::{name} is in no layer")));
            let missing = level.order.iter().filter(|name| !level.declared.contains(name));
            violations.extend(missing.map(|name| format!("{parent}::{name} is in a layer, and not there")));
            for (at, name) in level.order.iter().enumerate() {
                for (module, file) in self.files(&level, name) {
                    for named in file.named.iter().filter(|named| named.path.starts_with(level.parent)) {
                        let Some(used) = named.path.get(depth) else { continue };
                        let user = shown(module);
                        if used != name && !level.order[..at].contains(used) {
                            violations.push(format!("{user} uses {parent}::{used}, which is not before {name}"));
                        } else if depth == 0 && named.is_super_of_root {
                            violations.push(format!("{user} names {used} by `super`; name it by `crate`"));
                        }
                    }
                }
            }
        }
        violations
    }

    /// Calls of methods that a later module gives a type. A call uses a module without naming it where the methods of a
    /// type lie in several modules.
    ///
    /// * `types` such types
    /// * `receivers` what variables of these types are called
    ///
    /// # Panics
    /// Where no module has one of the types.
    pub fn calls_of_later_methods(&self, types: &[&str], receivers: &[&str]) -> Vec<String> {
        let level = self.levels().find(|level| level.parent.is_empty()).unwrap();
        let code = |name: &'_ String| self.files(&level, name).map(|(_, file)| &*file.code).collect::<String>();
        let modules: Vec<(&String, String)> = level.order.iter().map(|name| (name, code(name))).collect();
        let mut calls = Vec::new();
        for of in types {
            let block = regex(&format!(r"(?s)\nimpl {of} \{{\n(.*?)\n\}}\n"));
            let definition = format!("struct {of} {{");
            let first = modules.iter().position(|(_, code)| code.contains(&definition));
            assert!(first.is_some(), "no module has {of}");
            let first = first.unwrap();
            for (at, (upper, code)) in modules.iter().enumerate().skip(first) {
                let blocks = captures(&block, code);
                for method in blocks.iter().flat_map(|block| captures(&METHOD, block)) {
                    let receivers = receivers.join("|");
                    let call = regex(&format!(r"\b(?:{receivers})\s*\.{method}\(|\b{of}::{method}\b"));
                    let callers = modules[first..at].iter().filter(|(_, lower)| call.is_match(lower));
                    calls.extend(callers.map(|(lower, _)| format!("{lower} calls {of}::{method} of {upper}")));
                }
            }
        }
        calls
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        "//! | Layer | Modules | What |\n//! |---|---|---|\n//! | one | `low` | |\n//! | two | `high` | |\n";

    fn sources(files: &[(&str, &str)]) -> Sources {
        let lib = format!("{HEAD}mod high;\nmod low;\n#[cfg(test)]\n#[path = \"x\"]\nmod common;\n");
        let path = |module: &str| {
            module.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect::<ModulePath>()
        };
        let files = [("", &*lib)].into_iter().chain(files.iter().copied());
        Sources { files: files.map(|(module, text)| (path(module), File::new(&path(module), text))).collect() }
    }

    #[test]
    fn what_is_used_is_below() {
        let text = "use crate::low::Thing;\n#[cfg(test)]\nmod tests {\n    use crate::higher::Thing;\n}\n";
        let fine = sources(&[("low", "// crate::high\n"), ("high", text), ("high::part", "use super::x;\n")]);
        assert_eq!(fine.violations(), [""; 0]);
    }

    #[test]
    fn what_is_above_is_not_used() {
        let upward = "crate::low uses crate::high, which is not before low";
        assert_eq!(sources(&[("low", "use crate::high::Thing;")]).violations(), [upward]);
        assert_eq!(sources(&[("low", "fn f() { super::high::f() }")]).violations(), [upward]);
        let grouped = sources(&[("low::part", "use crate::{high, x};")]).violations();
        assert_eq!(grouped, ["crate::low::part uses crate::{, which is not before low"]);
        let by_super = sources(&[("high::part", "use super::super::low;")]).violations();
        assert_eq!(by_super, ["crate::high::part names low by `super`; name it by `crate`"]);
    }

    #[test]
    fn a_folder_may_have_layers_of_its_own() {
        let folder = format!("{HEAD}mod low;\nmod high;\n");
        let of_folder =
            |low: &str| sources(&[("high", &folder), ("high::low", low), ("high::high", "use super::low;")]);
        assert_eq!(of_folder("use crate::low::Thing;").violations(), [""; 0]);
        let upward = ["crate::high::low uses crate::high::high, which is not before low"];
        assert_eq!(of_folder("use super::high::Thing;").violations(), upward);
        assert_eq!(of_folder("use crate::high::high::Thing;").violations(), upward);
    }

    #[test]
    fn every_module_has_a_layer() {
        let folder = "//! | Modules |\n//! |---|\n//! | `one` `gone` |\nmod one;\npub(crate) mod two;\n";
        let expected = ["crate::high::two is in no layer", "crate::high::gone is in a layer, and not there"];
        assert_eq!(sources(&[("high", folder)]).violations(), expected);
    }

    #[test]
    fn a_method_of_a_later_module_is_not_called() {
        let low = "struct Table {\n}\nfn f(table: &Table) {\n    table.load();\n}\n";
        let high = "\nimpl Table {\n    fn load(&self) {}\n}\n";
        let calls = sources(&[("low", low), ("high", high)]).calls_of_later_methods(&["Table"], &["self", "table"]);
        assert_eq!(calls, ["low calls Table::load of high"]);
    }
}
