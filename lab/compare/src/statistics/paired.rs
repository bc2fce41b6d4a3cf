// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The ratio of two engines from paired rounds (Student's t on logarithms).

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Fewer rounds than these give no verdict: with two, the t interval's factor is 12.7 and rests on a single difference.
pub const ROUNDS_MIN: usize = 3;

/// The ratio of paired values with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedRatio {
    /// Geometric mean of the rounds' ratios.
    pub ratio: f64,
    /// Lower end of the 95 % interval; 0 with a single round.
    pub low: f64,
    /// Upper end; infinite with a single round.
    pub high: f64,
    /// Two-sided probability of such a difference when there is none (Student's t on the logarithms); 1 with a single round.
    pub p: f64,
    /// Number of pairs.
    pub rounds: usize,
}

impl PairedRatio {
    /// Of `(subject, baseline)` in each round; assumes that rounds are independent and the logarithms of their ratios
    /// roughly normal. `None` without pairs or when a value is not above zero: such ratios have no logarithm.
    pub fn of(pairs: &[(f64, f64)]) -> Option<Self> {
        let logs: Vec<f64> = pairs.iter().map(|(subject, baseline)| (subject / baseline).ln()).collect();
        if logs.is_empty()
            || pairs.iter().any(|(a, b)| *a <= 0.0 || *b <= 0.0)
            || logs.iter().any(|log| !log.is_finite())
        {
            return None;
        }
        let rounds = logs.len();
        if let [log] = logs.as_slice() {
            return Some(Self { ratio: log.exp(), low: 0.0, high: f64::INFINITY, p: 1.0, rounds });
        }
        let (mean, reach, p) = student(&logs)?;
        Some(Self { ratio: mean.exp(), low: (mean - reach).exp(), high: (mean + reach).exp(), p, rounds })
    }
}

/// The difference of paired values with its 95 % interval: for values that are zero at times and so have no ratio.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PairedDifference {
    /// Mean over rounds of subject - baseline.
    pub mean: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Two-sided probability of such a difference when there is none (Student's t).
    pub p: f64,
}

impl PairedDifference {
    /// Of `(subject, baseline)` in each round; `None` for fewer than two.
    pub fn of(pairs: &[(f64, f64)]) -> Option<Self> {
        let differences: Vec<f64> = pairs.iter().map(|(subject, baseline)| subject - baseline).collect();
        let (mean, reach, p) = student(&differences)?;
        Some(Self { mean, low: mean - reach, high: mean + reach, p })
    }
}

/// Mean, half of its 95 % interval, and p that it is 0; `None` for fewer than two values.
fn student(values: &[f64]) -> Option<(f64, f64, f64)> {
    if values.len() < 2 {
        return None;
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let error = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0) / count).sqrt();
    let student = StudentsT::new(0.0, 1.0, count - 1.0).ok()?;
    // Values that are exactly alike in every round are no difference, not an infinitely sure one.
    let p = match (mean == 0.0, error == 0.0) {
        (true, _) => 1.0,
        (false, true) => 0.0,
        (false, false) => 2.0 * student.cdf(-(mean / error).abs()),
    };
    Some((mean, student.inverse_cdf(0.975) * error, p))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_worked_example() {
        // Logarithms 0.1, 0.2, 0.3: mean 0.2, error 0.1 / sqrt 3, t(2) at 97.5 % 4.3027.
        let pairs = [0.1_f64, 0.2, 0.3].map(|log| (log.exp() * 7.0, 7.0));
        let ratio = PairedRatio::of(&pairs).unwrap();
        assert!((ratio.ratio.ln() - 0.2).abs() < 1e-12);
        assert!((ratio.high.ln() - (0.2 + 4.302_652_7 * 0.1 / 3_f64.sqrt())).abs() < 1e-6);
        assert!((ratio.p - 0.074_179_9).abs() < 1e-6);
    }

    #[test]
    fn zeros_have_a_difference() {
        let difference = PairedDifference::of(&[(0.0, 4.0), (0.0, 5.0), (0.0, 6.0)]).unwrap();
        assert!(difference.mean == -5.0 && difference.high < 0.0 && difference.p < 0.02);
        assert_eq!(PairedDifference::of(&[(0.0, 0.0); 3]).unwrap().p, 1.0);
        assert_eq!(PairedDifference::of(&[(0.0, 1.0)]), None);
    }

    #[test]
    fn one_round_and_values_without_a_ratio() {
        assert_eq!(PairedRatio::of(&[]), None);
        assert_eq!(PairedRatio::of(&[(1.0, 0.0), (1.0, 1.0)]), None);
        let one = PairedRatio::of(&[(2.0, 1.0)]).unwrap();
        assert_eq!((one.ratio.round(), one.low, one.p), (2.0, 0.0, 1.0));
        assert_eq!(PairedRatio::of(&[(5.0, 5.0); 3]).unwrap().p, 1.0);
    }
}
