// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Whether the machine is still the one that it was: a reference cell, measured again and again.

use std::collections::BTreeSet;

use crate::trials::judge::Standing;
use crate::trials::trial::{Purpose, Trial};

/// Trials between two looks.
const EVERY_TRIALS: usize = 10;
/// Seconds between two looks.
const EVERY_S: f64 = 7200.0;
/// A machine that changes again and again is noted, no longer repeated.
const VOIDED_MOST: usize = 2;

/// The reference cell: the first that was measured and holds, else the first.
fn reference(trials: &[Trial]) -> Option<&str> {
    let holding = trials.iter().find(|trial| trial.standing() == Standing::Holds);
    holding.or(trials.first()).map(|trial| trial.cell.as_str())
}

/// The cell to look at again, when it is time.
pub fn due<'a>(trials: &'a [Trial], void: &BTreeSet<usize>) -> Option<&'a str> {
    let cell = reference(trials)?;
    let seen = trials.iter().rposition(|trial| trial.cell == cell && !void.contains(&trial.number))?;
    let since = trials.get(seen + 1..)?;
    let passed_s: f64 = since.iter().map(|trial| trial.took_s).sum();
    (since.len() >= EVERY_TRIALS || (passed_s >= EVERY_S && !since.is_empty())).then_some(cell)
}

/// Trials between two looks at the reference cell of which the second differs by more than two runs of the same may.
pub fn changed(trials: &[Trial], precision: f64) -> BTreeSet<usize> {
    let mut void = BTreeSet::new();
    let Some(cell) = reference(trials) else { return void };
    let mut seen = trials.iter().enumerate().filter(|(_, trial)| trial.cell == cell);
    let Some((mut from, mut before)) = seen.next() else { return void };
    let mut times = 0;
    for (to, now) in seen {
        if now.purpose == Purpose::Reference {
            if differs(before, now, precision) && times < VOIDED_MOST {
                times += 1;
                let between = trials.get(from + 1..to).unwrap_or_default();
                void.extend(between.iter().map(|trial| trial.number));
                before = now;
            }
            from = to;
        }
    }
    void
}

/// Two runs of the same: their intervals do not touch, and the values are further apart than twice the precision.
fn differs(before: &Trial, now: &Trial, precision: f64) -> bool {
    let Some((was, is)) = before.loads.first().zip(now.loads.first()) else { return false };
    let pairs = was.judged.conditions.iter().zip(&is.judged.conditions);
    pairs.filter(|(was, is)| was.low < was.high && was.value > 0.0 && is.value > 0.0).any(|(was, is)| {
        let apart = (is.value / was.value).ln().abs() > 2.0 * (1.0 + precision).ln();
        apart && (was.high < is.low || is.high < was.low)
    })
}
