// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The effective number of a run's intervals: autocorrelated neighbours count for less than their number.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// How many independent observations the series is worth: its length over its autocorrelation time, summed over lags up to
/// the first that is not positive (Geyer's initial positive sequence, by single lags). Between 1 and the length.
pub fn effective_size(series: &[f64]) -> f64 {
    let length = series.len();
    if length < 4 {
        return length as f64;
    }
    let mean = series.iter().sum::<f64>() / length as f64;
    let deviations: Vec<f64> = series.iter().map(|value| value - mean).collect();
    let variance: f64 = deviations.iter().map(|deviation| deviation * deviation).sum();
    if variance == 0.0 {
        return length as f64;
    }
    let correlation =
        |lag: usize| deviations.iter().zip(deviations.iter().skip(lag)).map(|(a, b)| a * b).sum::<f64>() / variance;
    let time = 1.0 + 2.0 * (1..length / 2).map(correlation).take_while(|correlation| *correlation > 0.0).sum::<f64>();
    (length as f64 / time).clamp(1.0, length as f64)
}

/// The ratio of two series' means with a 95 % interval from their effective sizes (Welch): what one run of each says of
/// itself, blind to what differs from run to run, and therefore never a verdict. `None` when a mean is not above zero.
pub fn within_one_run(subject: &[f64], baseline: &[f64]) -> Option<(f64, f64, f64)> {
    let (subject, baseline) = (mean_and_error(subject)?, mean_and_error(baseline)?);
    let ratio = (subject.0 / baseline.0).ln();
    let parts = [subject, baseline].map(|(mean, error, size)| ((error / mean).powi(2), size));
    let variance: f64 = parts.iter().map(|(part, _)| part).sum();
    let freedom = variance.powi(2) / parts.iter().map(|(part, size)| part.powi(2) / (size - 1.0).max(1.0)).sum::<f64>();
    if variance == 0.0 || !freedom.is_finite() {
        return Some((ratio.exp(), ratio.exp(), ratio.exp()));
    }
    let reach = StudentsT::new(0.0, 1.0, freedom.max(1.0)).ok()?.inverse_cdf(0.975) * variance.sqrt();
    Some((ratio.exp(), (ratio - reach).exp(), (ratio + reach).exp()))
}

fn mean_and_error(series: &[f64]) -> Option<(f64, f64, f64)> {
    let length = series.len() as f64;
    let mean = series.iter().sum::<f64>() / length;
    if series.len() < 2 || mean <= 0.0 {
        return None;
    }
    let variance = series.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (length - 1.0);
    let size = effective_size(series);
    Some((mean, (variance / size).sqrt(), size))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    use super::*;

    /// x(i+1) = rho x(i) + noise: worth n (1 - rho) / (1 + rho).
    fn autoregressive(seed: u64, length: usize, rho: f64) -> Vec<f64> {
        let mut random = StdRng::seed_from_u64(seed);
        let mut value = 0.0;
        (0..length)
            .map(|_| {
                value = rho * value + random.random_range(-1.0..1.0);
                100.0 + value
            })
            .collect()
    }

    #[test]
    fn independent_intervals_count_fully_and_sticky_ones_less() {
        let mean_size =
            |rho: f64| (0..50).map(|seed| effective_size(&autoregressive(seed, 400, rho))).sum::<f64>() / 50.0;
        assert!(mean_size(0.0) > 300.0);
        let sticky = mean_size(0.8);
        assert!((25.0..80.0).contains(&sticky), "400 (1 - 0.8) / (1 + 0.8) = 44, seen {sticky}");
    }

    #[test]
    fn the_interval_within_a_run_covers_one_for_series_alike() {
        let covered = (0..200).filter(|seed| {
            let (_, low, high) =
                within_one_run(&autoregressive(2 * seed, 120, 0.6), &autoregressive(2 * seed + 1, 120, 0.6)).unwrap();
            low <= 1.0 && 1.0 <= high
        });
        assert!(covered.count() >= 180);
    }
}
