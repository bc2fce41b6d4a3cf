// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A/A: engines that are alike, on a machine that drifts, over many seeds. Verdicts must be as rare as promised.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use lab_compare::figure::{Better, Figure, Unit};
use lab_compare::order::order;
use lab_compare::verdict::{judge, EngineRounds, Judged, Verdict, FALSE_DISCOVERY_RATE};
use rand::rngs::StdRng;
use rand::SeedableRng;
use rand_distr::{Distribution, Normal};

const FIGURES: usize = 20;
const SEEDS: u64 = 1000;

/// Both engines run `rounds` times; the machine's speed drifts by a per cent from run to run, half of a figure's noise is
/// common to all figures of a run, and the subject's figures are `effect` times the baseline's.
fn simulated(seed: u64, rounds: usize, effect: f64) -> Vec<Judged> {
    let mut random = StdRng::seed_from_u64(seed);
    let noise = Normal::new(0.0_f64, 0.05).unwrap();
    let mut engines =
        ["stock", "stock #2"].map(|engine| EngineRounds { engine: engine.to_owned(), rounds: Vec::new() });
    let mut run = 0.0;
    for round in 0..rounds {
        for slot in order(round, 2) {
            let common = noise.sample(&mut random);
            let factor = if slot == 1 { effect } else { 1.0 };
            let figures = (0..FIGURES).map(|name| {
                let value = 100.0 * factor * (0.01 * run + common + noise.sample(&mut random)).exp();
                Figure::new(name.to_string(), Unit::Milliseconds, Better::Lower, Some(value))
            });
            engines[slot].rounds.push(figures.collect());
            run += 1.0;
        }
    }
    judge(&engines)
}

fn share(of: impl Fn(&[Judged]) -> f64, rounds: usize, effect: f64) -> f64 {
    (0..SEEDS).map(|seed| of(&simulated(seed, rounds, effect))).sum::<f64>() / SEEDS as f64
}

#[test]
fn engines_alike_get_a_verdict_as_rarely_as_promised() {
    for rounds in [4, 6, 10] {
        let any =
            share(|judged| f64::from(judged.iter().any(|judged| judged.verdict != Verdict::CannotTell)), rounds, 1.0);
        // Three standard errors of a share of 0.05 over the seeds: 0.02.
        assert!(any <= FALSE_DISCOVERY_RATE + 0.02, "{rounds} rounds: {any}");
    }
}

#[test]
fn the_interval_of_one_figure_misses_one_time_in_twenty() {
    for rounds in [4, 6, 10] {
        let missed = share(
            |judged| {
                let misses = judged.iter().filter(|judged| judged.low.unwrap() > 1.0 || judged.high.unwrap() < 1.0);
                misses.count() as f64 / FIGURES as f64
            },
            rounds,
            1.0,
        );
        assert!((0.03..=0.07).contains(&missed), "{rounds} rounds: {missed}");
    }
}

#[test]
fn a_real_difference_is_found() {
    let found = share(
        |judged| judged.iter().filter(|judged| judged.verdict == Verdict::Better).count() as f64 / FIGURES as f64,
        5,
        0.7,
    );
    assert!(found > 0.9, "{found}");
    let wrong = share(|judged| f64::from(judged.iter().any(|judged| judged.verdict == Verdict::Worse)), 5, 0.7);
    assert!(wrong < 0.01, "{wrong}");
}

#[test]
fn two_rounds_say_nothing_however_clear_they_look() {
    let judged = simulated(1, 2, 0.1);
    assert!(judged.iter().all(|judged| judged.verdict == Verdict::CannotTell && judged.reason.is_some()));
}
