// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Values against a limit: rounds of one configuration, shares of errors, and several such tests at once (Holm).

use statrs::distribution::{Beta, Binomial, ContinuousCDF, DiscreteCDF, StudentsT};

use super::ROUNDS_MIN;

/// Logarithms of one figure, one for each round, against a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitTest {
    /// Geometric mean of the rounds.
    pub mean: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// The chance to see so low a mean where the truth is the limit: small speaks for *below*.
    pub p_above: f64,
    /// The chance to see so high a mean where the truth is the limit: small speaks for *above*.
    pub p_below: f64,
}

impl LimitTest {
    /// Student's t over rounds of fresh data; `None` for fewer than [`ROUNDS_MIN`], or where a value is not above zero.
    pub fn of(values: &[f64], limit: f64) -> Option<Self> {
        if values.len() < ROUNDS_MIN {
            return None;
        }
        let (mean, error) = mean_log(values)?;
        let student = StudentsT::new(0.0, 1.0, values.len() as f64 - 1.0).ok()?;
        let reach = student.inverse_cdf(0.975) * error;
        // Rounds that are exactly alike leave no doubt.
        let t = if error > 0.0 { (mean - limit.ln()) / error } else { (mean - limit.ln()).signum() * f64::MAX };
        let p_above = student.cdf(t);
        Some(Self {
            mean: mean.exp(),
            low: (mean - reach).exp(),
            high: (mean + reach).exp(),
            p_above,
            p_below: 1.0 - p_above,
        })
    }
}

/// Mean of the logarithms and its standard error; `None` for fewer than two values, or where one is not above zero.
pub fn mean_log(values: &[f64]) -> Option<(f64, f64)> {
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    if logs.len() < 2 || logs.iter().any(|log| !log.is_finite()) {
        return None;
    }
    let count = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / count;
    Some((mean, (logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (count - 1.0) / count).sqrt()))
}

/// The one-sided 97.5 % ends of a share (Clopper and Pearson); from 0 to 1 where there was nothing.
pub fn error_share_interval(errors: u64, all: u64) -> (f64, f64) {
    if all == 0 {
        return (0.0, 1.0);
    }
    let (errors_f, rest) = (errors as f64, (all - errors.min(all)) as f64);
    let at = |a: f64, b: f64, share: f64| Beta::new(a, b).map(|beta| beta.inverse_cdf(share));
    let low = if errors == 0 { 0.0 } else { at(errors_f, rest + 1.0, 0.025).unwrap_or(0.0) };
    let high = if errors >= all { 1.0 } else { at(errors_f + 1.0, rest, 0.975).unwrap_or(1.0) };
    (low, high)
}

/// The chance of so few errors, or fewer, where the true share is `limit`.
pub fn binomial_p(errors: u64, all: u64, limit: f64) -> f64 {
    Binomial::new(limit.clamp(0.0, 1.0), all).map_or(1.0, |binomial| binomial.cdf(errors))
}

/// Which of several tests count, so that the chance of any wrong one is at most `alpha` (Holm 1979).
pub fn holm(p_values: &[f64], alpha: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    let p = |at: &usize| p_values.get(*at).copied().unwrap_or(1.0);
    order.sort_by(|a, b| p(a).total_cmp(&p(b)));
    let mut counts = vec![false; p_values.len()];
    for (rank, at) in order.iter().enumerate() {
        if p(at) > alpha / (p_values.len() - rank) as f64 {
            break;
        }
        if let Some(count) = counts.get_mut(*at) {
            *count = true;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_worked_example_of_rounds_against_a_limit() {
        // Logarithms 0.1, 0.2, 0.3: mean 0.2, error 0.1 / sqrt 3, t(2) at 97.5 % 4.3027.
        let values = [0.1_f64, 0.2, 0.3].map(f64::exp);
        let test = LimitTest::of(&values, 0.2_f64.exp()).unwrap();
        assert!((test.mean.ln() - 0.2).abs() < 1e-12 && (test.p_above - 0.5).abs() < 1e-9);
        assert!((test.high.ln() - (0.2 + 4.302_652_7 * 0.1 / 3_f64.sqrt())).abs() < 1e-6);
        let below = LimitTest::of(&values, 1.0_f64.exp()).unwrap();
        assert!(below.p_above < 0.01 && below.p_below > 0.99);
        assert_eq!(LimitTest::of(&values[..2], 1.0), None);
        assert_eq!(LimitTest::of(&[3.0; 3], 5.0).unwrap().p_above, 0.0);
    }

    #[test]
    fn shares_of_errors_are_those_of_clopper_and_pearson() {
        let (low, high) = error_share_interval(0, 30_000);
        assert_eq!(low, 0.0);
        assert!((high - (1.0 - 0.025_f64.powf(1.0 / 30_000.0))).abs() < 1e-7, "{high}");
        let (low, high) = error_share_interval(5, 100);
        assert!((low - 0.016_43).abs() < 1e-4 && (high - 0.112_83).abs() < 1e-4, "{low} {high}");
        assert_eq!(error_share_interval(0, 0), (0.0, 1.0));
        assert!((binomial_p(0, 30_000, 1e-4) - (-3.0_f64).exp()).abs() < 1e-3);
    }

    #[test]
    fn holm_is_stricter_the_more_there_are() {
        assert_eq!(holm(&[0.04], 0.05), [true]);
        assert_eq!(holm(&[0.04, 0.04], 0.05), [false, false]);
        assert_eq!(holm(&[0.04, 0.02, 0.6], 0.05), [false, false, false]);
        assert_eq!(holm(&[0.01, 0.02, 0.6], 0.05), [true, true, false]);
    }
}
