// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Every scenario of `compare` but `stream`, which has a test of its own, on real nodes, as small as it goes.
//! Needs `make build`; `make test-cluster` runs it.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::process::Command;

use serde_json::Value;

/// They say nothing of the engines: all parts of a scenario are to run and to tell what they have to.
const SIZES: &str = "--scale tiny --rows 400 --settle 20 --fast-nodes --port 43800";
const LENGTHS: &str = "--seconds 2 --warmup 1";
const RATE: &str = "--rate 50";

/// Scenario, a figure that must be above 0, its phase whose reads are checked.
type Expected = (&'static str, &'static str, &'static str);

fn compared(scenario: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("compared.json");
    let mut command = Command::new(env!("CARGO_BIN_EXE_cassiterite"));
    command.args(["compare", scenario, "--engines", "stock,cassiterite"]).args(SIZES.split(' '));
    if scenario != "restart" {
        command.args(LENGTHS.split(' '));
    }
    if !["restart", "writes", "scan", "indexes"].contains(&scenario) {
        command.args(RATE.split(' '));
    }
    let output = command.arg("--json").arg(&json).output().unwrap();
    let message = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let text = std::fs::read_to_string(&json).unwrap_or_default();
    assert!(!text.is_empty(), "{scenario}: {message}");
    serde_json::from_str(&text).unwrap()
}

fn figure(run: &Value, name: &str) -> Option<f64> {
    let figures = run["figures"].as_array().unwrap();
    figures.iter().find(|figure| figure["name"] == name).and_then(|figure| figure["value"].as_f64())
}

/// The machine that runs the tests may be as busy as it likes.
fn faults_of_the_servers(run: &Value) -> Vec<&str> {
    let reasons = run["invalid"].as_array().unwrap().iter().filter_map(Value::as_str);
    reasons.filter(|reason| !reason.contains("client")).collect()
}

#[test]
#[ignore = "starts node after node: make test-cluster"]
fn scenarios_of_one_kind_of_request_tell_what_they_have_to() {
    all_run(&[
        ("reads", "beyond memory: throughput", "hot, fixed rate: "),
        ("writes", "compact: server CPU", "read back: "),
        ("requests", "reads while the heap is collected: throughput", "reads, 8 connections: "),
    ]);
}

#[test]
#[ignore = "starts node after node: make test-cluster"]
fn scenarios_of_mixed_loads_tell_what_they_have_to() {
    all_run(&[
        ("mixed", "mixed: throughput", "mixed: "),
        ("emp", "mixed: throughput", "mixed: "),
        ("features", "closed loop: throughput", "closed loop: "),
    ]);
}

#[test]
#[ignore = "starts node after node: make test-cluster"]
fn scenarios_of_whole_tables_tell_what_they_have_to() {
    all_run(&[
        ("scan", "full scan: rows", "slices: "),
        ("restart", "kill -9 to first answer", ""),
        ("move", "in: throughput", "moving: "),
        ("indexes", "kill -9 to first answer by index", "query, 100 rows: "),
    ]);
}

/// On both engines.
fn all_run(scenarios: &[Expected]) {
    for &(scenario, above_zero, checked) in scenarios {
        let compared = compared(scenario);
        let runs = compared["runs"].as_array().unwrap();
        assert_eq!(runs.len(), 2, "{scenario}");
        for run in runs {
            let value = |name: &str| figure(run, name);
            assert_eq!(faults_of_the_servers(run), Vec::<&str>::new(), "{scenario}: {run:#}");
            assert!(value(above_zero).is_some_and(|value| value > 0.0), "{scenario}: {run:#}");
            assert!(value(&format!("{checked}rows checked")).is_some_and(|rows| rows > 0.0), "{scenario}: {run:#}");
            let wrong = value(&format!("{checked}wrong rows")).unwrap_or(0.0);
            assert_eq!(wrong, 0.0, "{scenario}: {run:#}");
            if ["emp", "features"].contains(&scenario) {
                assert!(!run["searches"][0]["found"]["probes"].as_array().unwrap().is_empty(), "{run:#}");
            }
        }
        // What stock loses is not ours to promise.
        if scenario == "restart" {
            assert_eq!(figure(&runs[1], "acknowledged rows lost"), Some(0.0), "{:#}", runs[1]);
        }
    }
}
