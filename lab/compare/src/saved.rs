// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Saved comparisons judged against each other: `compare --runs BEFORE.json AFTER.json`.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{ensure, Context, Result};
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{Cell, CellAlignment, Table};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::figure::{Better, Figure};
use crate::legend::arrows;
use crate::rounds::PROFILE_HASH;
use crate::sections::{ratio, Section};
use crate::statistics::ROUNDS_MIN;
use crate::table::{heading, named};
use crate::verdict::{judge, EngineRounds, Judged};

/// Settings that only say how precisely was measured.
const HARMLESS: [&str; 2] = ["rounds", "port"];

/// What is read of a comparison's JSON.
#[derive(Deserialize)]
struct Saved {
    settings: Map<String, Value>,
    engines: Vec<String>,
    runs: Vec<SavedRun>,
    environment: Value,
}

#[derive(Deserialize)]
struct SavedRun {
    engine: String,
    figures: Vec<Figure>,
    invalid: Vec<String>,
    #[serde(default)]
    caveats: Vec<String>,
}

impl Saved {
    fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        serde_json::from_str(&text).with_context(|| format!("{} is not the JSON of a comparison", path.display()))
    }

    fn rounds(&self, engine: &str, name: &str) -> EngineRounds {
        let own = self.runs.iter().filter(|run| run.engine == engine);
        EngineRounds { engine: format!("{engine}, {name}"), rounds: own.map(|run| run.figures.clone()).collect() }
    }

    /// The hash of the profile, with the sizes that the settings put into it.
    fn profile(&self) -> Option<&Value> {
        let hashes = self.environment.get("hashes")?.as_array()?;
        hashes.iter().find(|hash| hash.get("name").is_some_and(|name| name == PROFILE_HASH))?.get("sha256")
    }

    fn caveats(&self) -> usize {
        self.runs.iter().map(|run| run.caveats.len()).sum()
    }

    fn invalid(&self) -> usize {
        self.runs.iter().filter(|run| !run.invalid.is_empty()).count()
    }
}

/// Prints each engine's figures after against before; exit code 2 where runs of either must not be believed.
pub fn judged(before: &Path, after: &Path) -> Result<ExitCode> {
    let (was, is) = (Saved::read(before)?, Saved::read(after)?);
    let common: Vec<&String> = is.engines.iter().filter(|engine| was.engines.contains(engine)).collect();
    ensure!(!common.is_empty(), "no engine is in both: {} and {}", was.engines.join(", "), is.engines.join(", "));
    ensure!(
        was.settings.get("scenario") == is.settings.get("scenario"),
        "they are of different scenarios: {} and {}",
        word(was.settings.get("scenario")),
        word(is.settings.get("scenario"))
    );
    for difference in differences(&was, &is) {
        println!("note: {difference}");
    }
    for engine in common {
        let judged = judge(&[was.rounds(engine, "before"), is.rounds(engine, "after")]);
        println!("{engine}\n{}", table(&judged));
    }
    println!("{}", arrows());
    println!("before: {}; after: {}; the rounds of the two were not interleaved:", before.display(), after.display());
    println!("what the machine did between them is in the ratios. Verdicts need {ROUNDS_MIN} rounds in each.");
    let caveats = was.caveats() + is.caveats();
    if caveats > 0 {
        println!("CAVEAT: {caveats} warm-ups of them ended by time, before the servers were warm");
    }
    let invalid = was.invalid() + is.invalid();
    if invalid > 0 {
        println!("INVALID: {invalid} runs must not be believed, by their own words");
    }
    Ok(ExitCode::from(if invalid > 0 { 2 } else { 0 }))
}

fn word(value: Option<&Value>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}

fn differences(was: &Saved, is: &Saved) -> Vec<String> {
    let keys = is.settings.keys().chain(was.settings.keys().filter(|key| !is.settings.contains_key(*key)));
    let differ =
        keys.filter(|key| !HARMLESS.contains(&key.as_str()) && was.settings.get(*key) != is.settings.get(*key));
    let setting =
        |key: &String| format!("{key} was {}, is {}", word(was.settings.get(key)), word(is.settings.get(key)));
    let machine = |saved: &Saved| saved.environment.get("machine").cloned();
    let other = (machine(was) != machine(is)).then(|| "they were measured on different machines".to_owned());
    let profile = (was.profile() != is.profile()).then(|| "the profile is another one".to_owned());
    differ.map(setting).chain(other).chain(profile).collect()
}

fn table(judged: &[Judged]) -> Table {
    let mut table = Table::new();
    table.load_preset(UTF8_FULL_CONDENSED).set_header(["figure", "after / before", "verdict"]);
    let of_phases = judged.iter().map(|judged| {
        let (phase, what) = Figure::parts(&judged.name);
        (phase, (what, judged))
    });
    for section in Section::of(of_phases) {
        table.add_row(heading(section.name()));
        for (what, judged) in section.lines {
            let why = judged.doubt().map(|why| format!(" ({why})")).unwrap_or_default();
            let verdict = if judged.better == Better::Neither { "not judged" } else { judged.verdict.label() };
            table.add_row([
                named(what, judged.better),
                Cell::new(ratio(judged)).set_alignment(CellAlignment::Right),
                Cell::new(format!("{verdict}{why}")),
            ]);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::verdict::Verdict;
    use serde_json::json;

    fn saved(factor: f64) -> Saved {
        let run = |round: u32| {
            let value = factor * (10.0 + f64::from(round) / 10.0);
            let figure = json!({"name": "P99", "unit": "ms", "better": "lower", "value": value, "doubt": null});
            json!({"engine": "stock", "figures": [figure], "invalid": []})
        };
        let runs: Vec<Value> = (0..5).map(run).collect();
        let text = json!({"settings": {"scenario": "mixed", "rows": 9}, "engines": ["stock"], "runs": runs, "environment": {}});
        serde_json::from_value(text).unwrap()
    }

    #[test]
    fn the_same_engine_is_judged_after_against_before() {
        let verdict = |factor: f64| {
            let judged = judge(&[saved(1.0).rounds("stock", "before"), saved(factor).rounds("stock", "after")]);
            judged.first().unwrap().verdict
        };
        assert_eq!([verdict(0.5), verdict(2.0), verdict(1.0)], [Verdict::Better, Verdict::Worse, Verdict::CannotTell]);
    }

    #[test]
    fn each_row_tells_its_better_side_and_why_it_has_no_verdict() {
        let judged = judge(&[saved(1.0).rounds("stock", "before"), saved(1.0).rounds("stock", "after")]);
        let text = table(&judged).to_string();
        assert!(text.contains("whole run") && text.contains("P99 ↓"), "{text}");
        assert!(text.contains("cannot tell (no difference is within the interval)"), "{text}");
    }

    #[test]
    fn other_settings_are_told() {
        let mut other = saved(1.0);
        other.settings.insert("rows".to_owned(), json!(10));
        other.settings.insert("rounds".to_owned(), json!(10));
        assert_eq!(differences(&saved(1.0), &other), ["rows was 9, is 10"]);
    }
}
