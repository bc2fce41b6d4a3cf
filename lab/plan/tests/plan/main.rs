// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The planner on simulated clusters, whose truth is known.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod page;
mod phases;
mod simulated;
mod soak;

use std::path::Path;

use lab_load::narrator::Narrator;
use lab_plan::file::PlanFile;
use lab_plan::grid::plan::Plan;
use lab_plan::journal::identity::Identity;
use lab_plan::journal::Journal;
use lab_plan::results::answer::{Answer, Basis, Verdict};
use lab_plan::runner::run::Runner;
use lab_plan::trials::trial::{Purpose, Trial};
use simulated::{Simulated, Truth};
use tempfile::TempDir;

const LIMIT_MS: f64 = 5.0;
const LAUNCH_PER_S: f64 = 20_000.0;
const HEADROOM: f64 = 2.0;

/// A profile of one text column, the launch at 20,000/s with room for twice; `rest` says the grid.
fn plan(rest: &str) -> Plan {
    Plan::new(PlanFile::parse(&written(rest)).unwrap()).unwrap()
}

fn refused(rest: &str) -> anyhow::Error {
    PlanFile::parse(&written(rest)).and_then(Plan::new).expect_err("a plan that is refused")
}

fn written(rest: &str) -> String {
    format!(
        "plan: 1\nname: simulated\nsla: ['p95<={LIMIT_MS}ms']\n\
         load: {{launch: {LAUNCH_PER_S}/s, headroom: {HEADROOM}}}\n\
         workload:\n  ops: insert=1\n  rows_per_node: 1000\n  profile:\n    keyspace: s\n    table: t\n\
         \x20   table_definition: 'CREATE TABLE t (k bigint PRIMARY KEY, value text)'\n\
         \x20   columnspec: [{{name: value, size: fixed(10)}}]\n\
         cost: {{node: 0.64/h}}\n{rest}"
    )
}

const GRID: &str = "\
grid:
  nodes: [3, 4, 6, 9]
  cl: [ONE, QUORUM]
  engine: [stock, cassiterite]
  profile.columnspec.value.size: {small: fixed(10), 1K: fixed(1000)}
fixed: {rf: 3}
measure: {run: 60s..180s}
";

struct Ran {
    answer: Answer,
    trials: Vec<Trial>,
}

fn journal(folder: &Path, plan: &Plan) -> Journal {
    if Journal::is_in(folder) {
        Journal::open(folder).unwrap()
    } else {
        Journal::create(folder, Identity::default(), plan.file.clone()).unwrap()
    }
}

fn go_on(folder: &Path, plan: &Plan, target: &mut Simulated) -> anyhow::Result<Vec<Trial>> {
    let narrator = Narrator::silent();
    Runner::new(plan, target, &mut journal(folder, plan), &narrator)?.run()
}

fn run(plan: &Plan, mut target: Simulated) -> Ran {
    let folder = TempDir::new().unwrap();
    let trials = go_on(folder.path(), plan, &mut target).unwrap();
    Ran { answer: Answer::of(plan, &trials).unwrap(), trials }
}

/// How far the worst load of each cell is from the limit, as a factor; below 1 it meets.
fn truths(plan: &Plan, truth: &Truth) -> Vec<f64> {
    plan.cells.iter().map(|cell| truth.p95_ms(cell, LAUNCH_PER_S * HEADROOM) / LIMIT_MS).collect()
}

/// Machines on which no cell is closer to the limit than the precision of a measurement.
fn seeds(plan: &Plan) -> impl Iterator<Item = u64> + '_ {
    (0..).filter(|seed| truths(plan, &Truth::of(*seed)).iter().all(|factor| (factor.ln()).abs() > 0.15))
}

/// What became of a plan on one machine.
#[derive(Default)]
struct Tally {
    found: usize,
    meets: usize,
    false_meets: usize,
    inferences: usize,
    wrong_inferences: usize,
    trials: usize,
}

/// The task for each seed, on two threads: the longest of these tests would keep the second core waiting.
fn on_two_threads<T: Send>(seeds: &[u64], task: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let (first, second) = seeds.split_at(seeds.len() / 2);
    let all = |part: &[u64]| part.iter().map(|seed| task(*seed)).collect::<Vec<T>>();
    std::thread::scope(|scope| {
        let other = scope.spawn(|| all(second));
        let mut results = all(first);
        results.extend(other.join().unwrap());
        results
    })
}

#[test]
fn the_cheapest_that_meets_is_found_and_no_other_is_said_to_meet() {
    // What a search for the capacity adds is seen elsewhere.
    let plan = plan(&GRID.replace("180s}", "180s, capacity: none}"));
    let nodes = |at: usize| plan.cells[at].nodes().unwrap();
    let count = 100;
    let seeds: Vec<u64> = seeds(&plan).take(count).collect();
    let tallies = on_two_threads(&seeds, |seed| {
        let truth = Truth::of(seed);
        let factors = truths(&plan, &truth);
        let ran = run(&plan, Simulated::new(truth, seed));
        let cheapest = (0..factors.len()).filter(|at| factors[*at] < 1.0).map(nodes).min();
        let said = ran.answer.winners.first().map(|at| nodes(*at));
        let right = ran.answer.winners.iter().all(|at| factors[*at] < 1.0);
        let mut tally = Tally { trials: ran.trials.len(), ..Tally::default() };
        if said == cheapest && right {
            tally.found = 1;
        } else {
            println!("seed {seed}: {:?} instead of {cheapest:?}: {}", said, ran.answer.sentence);
        }
        for (cell, factor) in ran.answer.cells.iter().zip(&factors) {
            tally.meets += usize::from(cell.verdict == Verdict::Meets);
            tally.false_meets += usize::from(cell.verdict == Verdict::Meets && *factor > 1.0);
            tally.inferences += usize::from(cell.basis == Basis::Inferred);
            let wrong = matches!((cell.verdict, *factor < 1.0), (Verdict::Meets, false) | (Verdict::DoesNotMeet, true));
            tally.wrong_inferences += usize::from(cell.basis == Basis::Inferred && wrong);
        }
        tally
    });
    let of = |what: fn(&Tally) -> usize| tallies.iter().map(what).sum::<usize>();
    let (found, trials) = (of(|t| t.found), of(|t| t.trials));
    let (meets, false_meets) = (of(|t| t.meets), of(|t| t.false_meets));
    let (inferences, wrong_inferences) = (of(|t| t.inferences), of(|t| t.wrong_inferences));
    println!("found {found} of {count}; false meets {false_meets} of {meets}; wrong inferences {wrong_inferences} of {inferences}; {trials} trials");
    assert!(found >= 95, "found {found} of {count}");
    assert!(false_meets * 20 <= meets, "false meets {false_meets} of {meets}");
    assert!(wrong_inferences * 100 <= inferences, "wrong inferences {wrong_inferences} of {inferences}");
    assert!(trials < count * plan.cells.len(), "pruning must be cheaper than the grid: {trials}");
}

/// A cell whose truth is beyond the limit by less than anybody can tell from one run.
#[test]
fn a_cell_just_beyond_the_limit_is_seldom_said_to_meet() {
    let plan = plan("fixed: {nodes: 6, rf: 3}\nmeasure: {run: 60s..180s, capacity: none}\n");
    let count = 200;
    let meets = (0..count).filter(|seed| {
        let mut truth = Truth { sigma: 0.0, engine: 1.0, idle_ms: 0.5, ..Truth::of(1) };
        // P95 at twice the launch is 5.1 ms.
        let idle_share = truth.idle_ms * (0.4_f64 * 1.644_853_6).exp() / (LIMIT_MS * 1.02);
        truth.node_per_s = LAUNCH_PER_S * HEADROOM / (1.0 - idle_share) / 6.0;
        let ran = run(&plan, Simulated::new(truth, *seed));
        ran.answer.cells[0].verdict == Verdict::Meets
    });
    let meets = meets.count();
    println!("false meets {meets} of {count}");
    assert!(meets * 20 <= count as usize, "{meets} of {count}");
}

#[test]
fn killed_at_every_step_and_resumed_is_as_if_uninterrupted() {
    let plan = plan(
        &GRID
            .replace("nodes: [3, 4, 6, 9]", "nodes: [4, 6]")
            .replace("engine: [stock, cassiterite]", "engine: [stock]"),
    );
    let seed = seeds(&plan).next().unwrap();
    let whole = run(&plan, Simulated::new(Truth::of(seed), seed));
    let folder = TempDir::new().unwrap();
    let (mut trials, mut deaths) = (None, 0);
    while trials.is_none() {
        let mut target = Simulated::new(Truth::of(seed), seed);
        // As far as it takes to get one step further than the last time, until a trial is whole.
        target.calls_left = 1 + deaths % 40;
        trials = go_on(folder.path(), &plan, &mut target).ok();
        deaths += 1;
    }
    assert_eq!(trials.unwrap(), whole.trials);
    assert!(deaths > whole.trials.len(), "{deaths}");
}

#[test]
fn a_journal_that_was_cut_at_any_line_goes_on_to_the_same_end() {
    let plan = plan(
        &GRID
            .replace("nodes: [3, 4, 6, 9]", "nodes: [4, 6]")
            .replace("engine: [stock, cassiterite]", "engine: [stock]"),
    );
    let seed = seeds(&plan).next().unwrap();
    let folder = TempDir::new().unwrap();
    let whole = go_on(folder.path(), &plan, &mut Simulated::new(Truth::of(seed), seed)).unwrap();
    let text = std::fs::read_to_string(folder.path().join("journal.jsonl")).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for cut in 1..lines.len() {
        let folder = TempDir::new().unwrap();
        // And a part of the next line, as a process that dies while it writes leaves it.
        let half = &lines[cut][..lines[cut].len() / 2];
        std::fs::write(folder.path().join("journal.jsonl"), lines[..cut].concat() + half).unwrap();
        let again = go_on(folder.path(), &plan, &mut Simulated::new(Truth::of(seed), seed)).unwrap();
        assert_eq!(again, whole, "cut after line {cut}");
    }
}

#[test]
fn the_same_cell_twice_cannot_be_told_apart() {
    // The axis has no effect on the simulated cluster: both cells are the same.
    let plan =
        plan("grid: {num_tokens: [16, 17]}\nfixed: {nodes: 6, rf: 3}\nmeasure: {run: 60s..180s, pruning: none}\n");
    let far_below = |seed: &u64| truths(&plan, &Truth::of(*seed))[0] < 0.8;
    let mut differ = 0;
    for seed in (0..).filter(far_below).take(30) {
        let ran = run(&plan, Simulated::new(Truth::of(seed), seed));
        let [a, b] = &ran.answer.cells[..] else { panic!("two cells are expected") };
        let apart = a
            .capacity_per_s
            .zip(b.capacity_per_s)
            .is_some_and(|(a, b)| a.high.is_some_and(|high| high < b.low) || b.high.is_some_and(|high| high < a.low));
        differ += usize::from(a.verdict != b.verdict || apart || ran.answer.winners.len() != 2);
    }
    assert!(differ <= 1, "{differ} of 30");
}

#[test]
fn a_limit_of_the_client_is_no_verdict_on_the_servers() {
    let plan = plan("grid: {nodes: [6, 9]}\nfixed: {rf: 3}\nmeasure: {run: 60s..180s}\n");
    // Twice the launch fails where the client is at its end as well.
    let truth = Truth { node_per_s: 4_400.0, sigma: 0.0, engine: 1.0, client_per_s: 30_000.0, ..Truth::of(1) };
    assert!(truths(&plan, &truth)[0] > 1.0);
    let ran = run(&plan, Simulated::new(truth, 1));
    assert!(ran.answer.winners.is_empty() && !ran.answer.decided, "{}", ran.answer.sentence);
    assert_eq!(ran.answer.exit_code(), 2);
    let first = &ran.answer.cells[0];
    assert!(first.verdict == Verdict::CannotTell && first.why.starts_with("client"), "{first:?}");
}

#[test]
fn wrong_rows_fail_a_cell_however_fast_it_is() {
    let plan = plan("grid: {nodes: [6, 9]}\nfixed: {rf: 3}\nmeasure: {run: 60s..180s}\n");
    let truth = Truth { node_per_s: 20_000.0, sigma: 0.0, engine: 1.0, ..Truth::of(1) };
    // In every load of six nodes; in one round of several; in a search for the capacity, after two loads; in a warm-up.
    let when: [fn(usize, u64) -> bool; 4] =
        [|_, load| load > 0, |round, load| (round, load) == (3, 1), |_, load| load == 4, |_, load| load == 0];
    for (at, is_wrong) in when.into_iter().enumerate() {
        let mut target = Simulated::new(truth.clone(), 1);
        target.wrong_rows_of = Some(plan.cells[0].key().to_owned());
        target.is_wrong = is_wrong;
        let ran = run(&plan, target);
        let cell = &ran.answer.cells[0];
        assert_eq!(
            (cell.verdict, ran.answer.winners.as_slice()),
            (Verdict::DoesNotMeet, [1].as_slice()),
            "{at}: {cell:?}"
        );
        assert!(ran.answer.sentence.contains("wrong rows"), "{at}: {}", ran.answer.sentence);
    }
}

#[test]
fn a_table_that_cannot_be_filled_is_told_of_its_cell_alone() {
    let plan = plan("grid: {nodes: [6, 9]}\nfixed: {rf: 3}\nmeasure: {run: 60s..180s}\n");
    let truth = Truth { node_per_s: 20_000.0, sigma: 0.0, engine: 1.0, ..Truth::of(1) };
    let mut target = Simulated::new(truth, 1);
    target.not_filled = Some(plan.cells[0].key().to_owned());
    let ran = run(&plan, target);
    let cell = &ran.answer.cells[0];
    assert_eq!((cell.verdict, cell.why.as_str()), (Verdict::CannotTell, "fill: it was too slow"));
    assert_eq!(ran.trials.iter().filter(|trial| trial.not_filled.is_some()).count(), 1);
    assert_eq!(ran.answer.winners, [1]);
}

#[test]
fn a_node_that_ends_is_a_figure_of_its_cell_alone() {
    let plan = plan("grid: {nodes: [6, 9]}\nfixed: {rf: 3}\nmeasure: {run: 60s..180s}\n");
    let truth = Truth { node_per_s: 20_000.0, sigma: 0.0, engine: 1.0, ..Truth::of(1) };
    let mut target = Simulated::new(truth, 1);
    target.node_ends_in = Some(plan.cells[0].key().to_owned());
    let ran = run(&plan, target);
    let cell = &ran.answer.cells[0];
    assert_eq!((cell.verdict, cell.why.as_str()), (Verdict::DoesNotMeet, "node2 has ended: no memory"));
    assert_eq!(ran.trials.iter().filter(|trial| trial.node_ended.is_some()).count(), 1);
    assert_eq!(ran.answer.winners, [1]);
}

#[test]
fn a_budget_that_does_not_suffice_leaves_cells_out_and_says_so() {
    let text = format!("{GRID}budget: 90m\n");
    let plan = plan(&text);
    let seed = seeds(&plan).next().unwrap();
    let ran = run(&plan, Simulated::new(Truth::of(seed), seed));
    let spent_s: f64 = ran.trials.iter().map(|trial| trial.took_s).sum();
    assert!(spent_s <= 5_400.0, "{spent_s}");
    let not_run = ran.answer.cells.iter().filter(|cell| cell.verdict == Verdict::NotRun).count();
    assert!(not_run > 0 || ran.answer.decided, "{}", ran.answer.sentence);
}

#[test]
fn what_was_never_confirmed_is_not_the_answer() {
    let mut undecided = 0;
    for minutes in [10, 20, 40, 80] {
        let plan = plan(&format!("{GRID}budget: {minutes}m\n"));
        for seed in seeds(&plan).take(3) {
            let ran = run(&plan, Simulated::new(Truth::of(seed), seed));
            let confirmed = |at: &usize| ran.answer.cells[*at].basis == Basis::Confirmed;
            let meets = ran.answer.cells.iter().any(|cell| cell.verdict == Verdict::Meets);
            assert!(ran.answer.winners.iter().any(confirmed) || !meets, "{minutes} min: {}", ran.answer.sentence);
            undecided += usize::from(ran.answer.exit_code() == 2);
        }
    }
    assert!(undecided > 0, "no budget was too short");
}

#[test]
fn cells_of_another_run_do_not_end_this_one() {
    let text = GRID.replace("measure: {run: 60s..180s}", "measure: {run: 60s..180s, pruning: none}");
    let (whole, folder, truth) = (plan(&text), TempDir::new().unwrap(), Truth::of(3));
    for (engine, known) in [("stock", 0), ("cassiterite", whole.cells.len() / 2)] {
        let part = whole.clone().only(&format!("engine={engine}")).unwrap();
        let trials = go_on(folder.path(), &part, &mut Simulated::new(truth.clone(), 3)).unwrap();
        let of_part = |trial: &&Trial| part.cells.iter().any(|cell| cell.key() == trial.cell);
        assert!(trials.len() > known && trials.iter().filter(of_part).count() >= part.cells.len(), "{engine}");
    }
}

#[test]
fn of_a_whole_grid_every_cell_is_looked_at_before_any_is_confirmed() {
    let rest = GRID.replace("measure: {run: 60s..180s}", "measure: {run: 60s..180s, pruning: none}");
    let ran = run(&plan(&rest), Simulated::new(Truth::of(1), 1));
    let looks_s: f64 = ran.trials.iter().take(ran.answer.cells.len() + 4).map(|trial| trial.took_s).sum();
    let plan = plan(&format!("{rest}budget: {looks_s:.0}s\n"));
    let ran = run(&plan, Simulated::new(Truth::of(1), 1));
    assert!(ran.answer.cells.iter().all(|cell| cell.verdict != Verdict::NotRun), "{}", ran.answer.sentence);
}

#[test]
fn a_machine_that_changes_is_seen_and_what_it_spoilt_is_run_again() {
    let plan = plan(&GRID.replace("measure: {run: 60s..180s}", "measure: {run: 60s..180s, pruning: none}"));
    let truth = Truth { drift: Some((14, 1.6)), node_per_s: 16_000.0, sigma: 0.0, engine: 1.0, ..Truth::of(3) };
    let ran = run(&plan, Simulated::new(truth, 3));
    assert!(ran.trials.iter().any(|trial| trial.purpose == Purpose::Reference));
    assert!(!ran.answer.void_trials.is_empty());
}

#[test]
fn a_look_at_the_machine_does_not_explain_the_verdict_on_its_cell() {
    let plan = plan(&GRID.replace("measure: {run: 60s..180s}", "measure: {run: 60s..180s, pruning: none}"));
    let truth = Truth { node_per_s: 40_000.0, sigma: 0.0, engine: 1.0, ..Truth::of(3) };
    let ran = run(&plan, Simulated::new(truth, 3));
    let looked = ran.trials.iter().find(|trial| trial.purpose == Purpose::Reference).unwrap();
    let cell = ran.answer.cells.iter().find(|cell| cell.key == looked.cell).unwrap();
    assert!(cell.why.contains(" at 40000/s"), "{}", cell.why);
}
