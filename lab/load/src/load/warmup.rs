// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Warm-up: operations at the start of a run that are sent but do not count; and when a server counts as warm.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Slices that must bring nothing before the server counts as warm.
const SLICES_WITHOUT_GAIN: usize = 3;
/// A fall by less than this share is none.
const GAIN_MIN: f64 = 0.03;

/// How long the warm-up lasts. Its operations are in no figure; its wrong answers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarmUp {
    /// For a fixed time; none for zero.
    For(Duration),
    /// Until the mean service time of slices has settled. In a closed loop that is when the rate has settled.
    UntilSettled {
        /// Length of a slice.
        slice: Duration,
        /// The warm-up ends after this time in any case.
        at_most: Duration,
    },
}

impl WarmUp {
    /// No warm-up: the first operation counts.
    pub const NONE: Self = Self::For(Duration::ZERO);
}

/// A warm-up that is over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WarmedUp {
    /// Its length in seconds.
    pub elapsed_s: f64,
    /// Operations that ended well, and that no figure counts.
    pub operations: u64,
    /// Operations that failed.
    pub errors: u64,
    /// Mean service time of each slice; empty for a warm-up of fixed length.
    pub service_ms: Vec<f64>,
    /// Whether the service time settled; `None` for a warm-up of fixed length.
    pub settled: Option<bool>,
}

impl WarmedUp {
    /// One line for people.
    pub fn summary(&self) -> String {
        let mut words = format!("{:.0} s, {} operations that do not count", self.elapsed_s, self.operations);
        if self.errors > 0 {
            words += &format!(", {} failed", self.errors);
        }
        if let (Some(settled), [first, .., last]) = (self.settled, &self.service_ms[..]) {
            let end = if settled { "settled" } else { "time over, may still have been falling" };
            words += &format!("; mean service time {first:.2} to {last:.2} ms, {end}");
        }
        words
    }
}

/// Decides whether a server is warm, from the cost of an operation in each slice: CPU, time, or any other measure.
///
/// A JVM is warm when it no longer gets cheaper. None of the last three slices may be cheaper than the best before by 3 %.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settling {
    costs: Vec<f64>,
}

impl Settling {
    /// Slices at least: before that even a plateau is the compiler's.
    pub const SLICES_MIN: usize = 6;

    /// Adds the cost of an operation in the next slice; gives whether the cost has settled.
    pub fn add(&mut self, cost: f64) -> bool {
        self.costs.push(cost);
        let least = |costs: &[f64]| costs.iter().copied().fold(f64::INFINITY, f64::min);
        self.costs.len() >= Self::SLICES_MIN && {
            let (before, last) = self.costs.split_at(self.costs.len() - SLICES_WITHOUT_GAIN);
            least(last) > least(before) * (1.0 - GAIN_MIN)
        }
    }

    /// The costs so far.
    pub fn costs(&self) -> &[f64] {
        &self.costs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of slices until these costs have settled; `None`: they have not.
    fn slices(costs: impl IntoIterator<Item = f64>) -> Option<usize> {
        let mut settling = Settling::default();
        costs.into_iter().position(|cost| settling.add(cost)).map(|at| at + 1)
    }

    #[test]
    fn costs_settle_when_they_are_flat_and_not_before() {
        let falling = |constant: f64| (1..=40).map(move |slice| 100.0 + 300.0 * (-f64::from(slice) / constant).exp());
        assert_eq!(slices([100.0; 10]), Some(Settling::SLICES_MIN));
        assert!((7..12).contains(&slices(falling(1.0)).unwrap_or(0)));
        assert!(slices(falling(4.0)) > slices(falling(1.0)));
        assert_eq!(slices((0..40).map(|slice| 0.9_f64.powi(slice))), None);
        assert_eq!(slices([9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 4.0, 4.0, 4.0]), Some(9), "a last fall starts the wait anew");
    }

    #[test]
    fn words_tell_how_it_went() {
        let fixed = WarmedUp { elapsed_s: 5.0, operations: 1234, ..WarmedUp::default() };
        assert_eq!(fixed.summary(), "5 s, 1234 operations that do not count");
        let auto = WarmedUp { errors: 2, service_ms: vec![4.0, 1.5, 1.25], settled: Some(true), ..fixed };
        let words = "5 s, 1234 operations that do not count, 2 failed; mean service time 4.00 to 1.25 ms, settled";
        assert_eq!(auto.summary(), words);
        let cut = WarmedUp { settled: Some(false), ..auto };
        assert!(cut.summary().ends_with("time over, may still have been falling"));
    }
}
