// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What rounds on fresh data say of one cell together.

use super::judge::{ConditionJudged, Standing};
use super::trial::Trial;
use crate::compare::statistics::{LimitTest, ROUNDS_MIN};

/// A round whose verdict is *fails* may be wrong so often.
const ONE_ROUND_WRONG: f64 = 0.025;

/// Chances that the rounds come about although the opposite is true.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chances {
    /// Small: it meets.
    pub p_meets: f64,
    /// Small: it does not meet.
    pub p_fails: f64,
    /// Rounds.
    pub rounds: usize,
}

/// Of the trials of one cell. Without enough rounds, both chances are 1.
pub fn chances(trials: &[&Trial], shares: &[f64]) -> Chances {
    let rounds = trials.len();
    if rounds < ROUNDS_MIN {
        return Chances { p_meets: 1.0, p_fails: 1.0, rounds };
    }
    let all = |standing| trials.iter().all(|trial| trial.standing() == standing);
    let (mut p_meets, mut p_fails) = (0.0_f64, 1.0_f64);
    for share in shares {
        let loads: Vec<_> = trials.iter().filter_map(|trial| trial.at(*share)).collect();
        // Lower loads are run in the screening alone.
        if loads.len() < ROUNDS_MIN && *share < 1.0 {
            continue;
        }
        if loads.len() < rounds || loads.iter().any(|load| !load.judged.reasons.is_empty()) {
            p_meets = 1.0;
        }
        if loads.iter().any(|load| load.judged.standing == Standing::ClientLimited) {
            (p_meets, p_fails) = (1.0, 1.0);
            break;
        }
        let conditions = loads.first().map_or(0, |load| load.judged.conditions.len());
        for place in 0..conditions {
            let of_rounds: Vec<&ConditionJudged> =
                loads.iter().filter_map(|load| load.judged.conditions.get(place)).collect();
            let (meets, fails) = condition(&of_rounds);
            p_meets = p_meets.max(meets);
            p_fails = p_fails.min(fails * conditions as f64);
        }
    }
    if all(Standing::Fails) {
        p_fails = p_fails.min(ONE_ROUND_WRONG.powi(i32::try_from(rounds).unwrap_or(i32::MAX)));
    }
    if trials
        .iter()
        .any(|trial| trial.standing() == Standing::Fails && trial.read_back.as_ref().is_some_and(|r| r.unexplained > 0))
    {
        (p_meets, p_fails) = (1.0, 0.0);
    }
    Chances { p_meets, p_fails: p_fails.min(1.0), rounds }
}

fn condition(rounds: &[&ConditionJudged]) -> (f64, f64) {
    let Some(first) = rounds.first() else { return (1.0, 1.0) };
    let is_exact = rounds.iter().all(|round| round.low == round.high);
    let values: Vec<f64> = rounds.iter().map(|round| round.value).collect();
    let tested = if is_exact { None } else { LimitTest::of(&values, first.limit) };
    match tested {
        Some(test) => (test.p_above, test.p_below),
        // Counts, or shares of zero: the rounds' own intervals say it.
        None if rounds.iter().all(|round| round.standing == Standing::Holds) => (0.0, 1.0),
        None if rounds.iter().all(|round| round.standing == Standing::Fails) => (1.0, 0.0),
        None => (1.0, 1.0),
    }
}
