// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Soaks on simulated clusters: what grows is seen to drift, what stays does not, and each window is in the journal.

use lab_plan::figures::soak::{Drifts, SoakFigures};
use lab_plan::journal::Entry;
use lab_plan::results::answer::Answer;
use lab_plan::results::report::text;
use tempfile::TempDir;

use super::simulated::{Simulated, Truth};
use super::{go_on, journal, plan, refused};

const REST: &str = "\
grid: {nodes: [3, 6]}
fixed: {rf: 3}
measure: {run: 60s..180s, capacity: none}
soak: {load: 0.5, length: 2h, window: 2m}
";

fn truth(ageing: f64) -> Truth {
    Truth { node_per_s: 10_000.0, sigma: 0.0, idle_ms: 0.5, engine: 1.0, ageing, ..Truth::of(1) }
}

fn soaked(ageing: f64, seed: u64) -> SoakFigures {
    let (plan, folder) = (plan(REST), TempDir::new().unwrap());
    go_on(folder.path(), &plan, &mut Simulated::new(truth(ageing), seed)).unwrap();
    journal(folder.path(), &plan).soaks().remove(0)
}

#[test]
fn what_grows_by_a_quarter_drifts_and_what_stays_does_not() {
    let (mut wrong, mut told) = (0, 0);
    for seed in 0..20 {
        let (grown, stayed) = (soaked(1.12, seed), soaked(1.0, seed));
        wrong += usize::from(grown.verdict == Drifts::DoesNotDrift) + usize::from(stayed.verdict == Drifts::Drifts);
        told += usize::from(grown.verdict == Drifts::Drifts) + usize::from(stayed.verdict == Drifts::DoesNotDrift);
        // The CPU has no noise: 1.12 squared.
        let [change, low, high] = grown.drifts[1].whole_percent.unwrap();
        assert!((change - 25.4).abs() < 0.5 && low <= change && change <= high, "{:?}", grown.drifts);
    }
    assert!(wrong == 0 && told >= 30, "{wrong} wrong, {told} told of 40");
}

#[test]
fn a_soak_comes_last_with_its_windows_in_the_journal_and_its_verdict_in_the_text() {
    let (plan, folder) = (plan(REST), TempDir::new().unwrap());
    let trials = go_on(folder.path(), &plan, &mut Simulated::new(truth(1.3), 1)).unwrap();
    let written = journal(folder.path(), &plan);
    let windows = written.entries().iter().filter(|entry| matches!(entry, Entry::SoakWindow { .. })).count();
    let soak = &written.soaks()[0];
    assert_eq!((windows, soak.windows.len(), soak.rate_per_s), (60, 60, 10_000.0));
    assert!(matches!(written.entries().last(), Some(Entry::SoakEnded { .. })));
    assert_eq!(soak.checked.read_back.as_ref().map(|read| read.rows), Some(100));
    let told = text(&plan, &Answer::of(&plan, &trials).unwrap(), &trials, &written);
    assert!(told.contains("soak: nodes=6 at 10000/s drifts"), "{told}");
    drop(written);
    // A second run has nothing left to do.
    go_on(folder.path(), &plan, &mut Simulated::new(truth(1.3), 1)).unwrap();
    assert_eq!(journal(folder.path(), &plan).soaks().len(), 1);
}

#[test]
fn upkeep_comes_by_the_clock_and_is_told() {
    let rest = REST.replace("window: 2m}", "window: 2m, every: {repair: 45m, flush: 30m}}");
    let (plan, folder) = (plan(&rest), TempDir::new().unwrap());
    let trials = go_on(folder.path(), &plan, &mut Simulated::new(truth(1.0), 1)).unwrap();
    let written = journal(folder.path(), &plan);
    let soak = &written.soaks()[0];
    let done: Vec<(String, f64)> = soak.upkeep.iter().map(|moved| (moved.step.to_string(), moved.from_s)).collect();
    // At the begin of the first window after it is due.
    let due = [("flush", 30.0), ("repair", 46.0), ("flush", 60.0), ("repair", 90.0), ("flush", 90.0)];
    assert_eq!(done, due.map(|(word, minutes)| (word.to_owned(), minutes * 60.0)));
    let told = text(&plan, &Answer::of(&plan, &trials).unwrap(), &trials, &written);
    assert!(told.contains("flush: 3 times, 7.0 s at most\n  repair: 2 times"), "{told}");
}

#[test]
fn a_soak_that_cannot_tell_is_refused() {
    for (soak, told) in [
        ("{length: 1m}", "it has 6 windows, and a drift takes 10"),
        ("{length: 1h, load: 0}", "a share above 0"),
        ("{length: 1h, at: nodes=9}", "soak: at"),
        ("{length: 1h, every: {repair: 2h}}", "every: repair: a window's length or more, and less than the whole"),
        ("{length: 1h, every: {cleanup: 10m}}", "unknown field `cleanup`"),
    ] {
        let error = format!("{:#}", refused(&format!("grid: {{nodes: [3, 6]}}\nfixed: {{rf: 3}}\nsoak: {soak}\n")));
        assert!(error.contains(told), "{error}");
    }
}
