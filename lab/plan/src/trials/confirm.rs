// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What rounds on fresh data say of one cell together.

use crate::trials::judge::{ConditionJudged, Standing};
use crate::trials::trial::Trial;
use lab_compare::statistics::{LimitTest, ROUNDS_MIN};

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

/// Of the trials of one cell. One wrong row shows that it fails; else, without enough rounds, both chances are 1.
pub fn chances(trials: &[&Trial], shares: &[f64]) -> Chances {
    let rounds = trials.len();
    if trials.iter().any(|trial| trial.wrong_rows().is_some()) {
        return Chances { p_meets: 1.0, p_fails: 0.0, rounds };
    }
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
    Chances { p_meets, p_fails: p_fails.min(1.0), rounds }
}

fn condition(rounds: &[&ConditionJudged]) -> (f64, f64) {
    let Some(first) = rounds.first() else { return (1.0, 1.0) };
    let values: Vec<f64> = rounds.iter().map(|round| round.value).collect();
    match LimitTest::of(&values, first.limit) {
        Some(test) => (test.p_above, test.p_below),
        // Zeros have no logarithm: the rounds' own intervals say it.
        None if rounds.iter().all(|round| round.standing == Standing::Holds) => (0.0, 1.0),
        None if rounds.iter().all(|round| round.standing == Standing::Fails) => (1.0, 0.0),
        None => (1.0, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mean, which has no interval of its own, at a limit of 5 ms.
    fn of_means(values: [f64; 3]) -> (f64, f64) {
        let round = |value: f64| {
            let standing = if value <= 5.0 { Standing::Holds } else { Standing::Fails };
            ConditionJudged { sla: "mean<=5ms".into(), value, low: value, high: value, limit: 5.0, standing }
        };
        let rounds = values.map(round);
        condition(&rounds.iter().collect::<Vec<_>>())
    }

    #[test]
    fn means_just_within_the_limit_do_not_confirm_it() {
        let (meets, _) = of_means([4.99, 4.6, 4.95]);
        assert!(meets > 0.05, "{meets}");
        let (meets, _) = of_means([3.1, 3.2, 3.0]);
        assert!(meets < 0.01, "{meets}");
        let (_, fails) = of_means([9.1, 9.2, 9.0]);
        assert!(fails < 0.01, "{fails}");
        assert_eq!(of_means([0.0; 3]), (0.0, 1.0));
    }
}
