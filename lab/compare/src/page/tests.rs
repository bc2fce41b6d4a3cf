// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
use super::*;
use crate::figure::{Figure, Unit};
use crate::rounds::Run;
use crate::scenario::Scenario;
use crate::settings::{Scale, Settings};
use crate::table::text;
use crate::trial::Trial;
use crate::verdict::judge;
use lab_load::observe::Environment;

fn run(engine: &str, round: usize, figures: Vec<Figure>) -> Run {
    Run {
        engine: engine.to_owned(),
        round,
        place: 0,
        trial: Trial { figures, ..Trial::default() },
        notes: Vec::new(),
        caveats: Vec::new(),
        invalid: Vec::new(),
        absent: Vec::new(),
    }
}

fn comparison(runs: Vec<Run>) -> Comparison {
    let engines = ["stock".to_owned(), "cassiterite".to_owned()].into();
    let (environment, settings) = (Environment::default(), Settings::new(Scenario::Reads, Scale::Tiny));
    let mut comparison = Comparison { environment, settings, engines, runs, judged: Vec::new() };
    comparison.judged = judge(&comparison.rounds());
    comparison
}

#[test]
fn a_warm_up_that_was_cut_off_is_told_loudly_and_with_its_run() {
    let caveats = vec!["warm-up (read=1): 240 s, time over".to_owned()];
    let comparison = comparison(vec![Run { caveats, ..run("stock", 1, Vec::new()) }]);
    let caveat = "stock, round 2: warm-up (read=1): 240 s, time over";
    assert_eq!(comparison.caveats(), [caveat]);
    assert!(text(&comparison).contains(&format!("CAVEAT: {caveat}")));
    assert!(html(&comparison).contains(caveat));
}

#[test]
fn figures_are_by_phase_and_tell_their_better_side_and_why_they_have_no_verdict() {
    let measured = |factor: f64, round: usize| {
        let value = |value: f64| Some(value * (1.0 + round as f64 / 100.0));
        vec![
            Figure::new("hot: P99", Unit::Milliseconds, Better::Lower, value(8.0 * factor)),
            Figure::new("cold: throughput", Unit::PerSecond, Better::Higher, value(100.0)),
            Figure::new("hot: errors", Unit::Count, Better::Neither, value(3.0)),
            Figure::new("peak resident memory", Unit::Bytes, Better::Lower, None),
        ]
    };
    let rounds = (0..4).flat_map(|n| [run("stock", n, measured(1.0, n)), run("cassiterite", n, measured(0.5, n))]);
    let comparison = comparison(rounds.collect());
    let conclusion = "cassiterite against stock: of 3 figures, 1 better, 0 worse, 2 cannot be told";
    let told =
        ["less is better", "no difference is within the interval", "not measured on both", "not judged", conclusion];
    for page in [text(&comparison), html(&comparison)] {
        for told in told {
            assert!(page.contains(told), "{told}: {page}");
        }
        let place = |words: &str| page.find(words).unwrap_or_else(|| panic!("{words}: {page}"));
        assert!(place("P99, ms") < place("errors") && place("errors") < place("throughput, 1/s"), "{page}");
        assert!(place("whole run") < place("peak resident memory"));
    }
    let page = html(&comparison);
    assert!(page.contains("1 round · 1 node, heap") && !page.contains("(s)"), "{page}");
    let invalid = comparison.runs.into_iter().map(|run| Run { invalid: vec!["client: late".to_owned()], ..run });
    let comparison = self::comparison(invalid.collect());
    assert_eq!(conclusions(&comparison), ["INVALID: 8 of 8 runs must not be believed"]);
}

/// Writes the page of a saved comparison, to look at it: `COMPARISON=docs/benchmarks/X.json PAGE=FILE cargo test -- --ignored`.
#[test]
#[ignore = "writes a page for a browser"]
fn page_for_a_browser() {
    let (Some(saved), Some(page)) = (std::env::var_os("COMPARISON"), std::env::var_os("PAGE")) else { return };
    let saved: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(saved).unwrap()).unwrap();
    let of = |run: &serde_json::Value| {
        let figures = serde_json::from_value(run["figures"].clone()).unwrap();
        let word = |words: &serde_json::Value| words.as_str().unwrap().to_owned();
        let words = |key: &str| run[key].as_array().into_iter().flatten().map(word).collect();
        let own = self::run(run["engine"].as_str().unwrap(), run["round"].as_u64().unwrap() as usize, figures);
        Run { notes: words("notes"), invalid: words("invalid"), caveats: words("caveats"), ..own }
    };
    let engines = saved["engines"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect();
    let mut comparison =
        Comparison { engines, ..comparison(saved["runs"].as_array().unwrap().iter().map(of).collect()) };
    comparison.environment = serde_json::from_value(saved["environment"].clone()).unwrap();
    let set = &saved["settings"];
    comparison.settings.scenario = clap::ValueEnum::from_str(set["scenario"].as_str().unwrap(), false).unwrap();
    comparison.settings.heap = set["heap"].as_str().unwrap().to_owned();
    comparison.settings.nodes = set["nodes"].as_u64().unwrap() as u32;
    comparison.settings.rounds = saved["settings"]["rounds"].as_u64().unwrap() as usize;
    comparison.judged = judge(&comparison.rounds());
    std::fs::write(page, html(&comparison)).unwrap();
}
