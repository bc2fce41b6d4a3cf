// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The slope of a series over time, robust against outliers.

use super::effective_size;

/// The normal distribution's quantile of a two-sided 95 % interval.
const Z: f64 = 1.959_964;
/// Fewer points have no interval.
pub const POINTS_MIN: usize = 10;

/// Theil's and Sen's slope with a 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// The median of the slopes of all pairs of points.
    pub slope: f64,
    /// Sen's interval. Points that follow each other closely count for less than their number.
    pub low: f64,
    /// See `low`.
    pub high: f64,
}

impl Trend {
    /// Of points (x, y) whose x rises; `None` for fewer than [`POINTS_MIN`].
    pub fn of(points: &[(f64, f64)]) -> Option<Self> {
        let count = points.len();
        if count < POINTS_MIN {
            return None;
        }
        let pairs = (0..count).flat_map(|one| (one + 1..count).map(move |other| (one, other)));
        let slope = |(one, other): (usize, usize)| {
            let ((x, y), (later, then)) = (points.get(one)?, points.get(other)?);
            (later > x).then(|| (then - y) / (later - x))
        };
        let mut slopes: Vec<f64> = pairs.filter_map(slope).collect();
        slopes.sort_by(f64::total_cmp);
        let median = middle(&slopes)?;
        let residuals: Vec<f64> = points.iter().map(|(x, y)| y - median * x).collect();
        let worth = count as f64 / effective_size(&residuals).max(1.0);
        let n = count as f64;
        // Of Kendall's statistic, without ties.
        let variance = n * (n - 1.0) * (2.0 * n + 5.0) / 18.0 * worth;
        let reach = Z * variance.sqrt();
        let last = slopes.len() as f64 - 1.0;
        let at = |rank: f64| slopes.get(rank.clamp(0.0, last).round() as usize).copied();
        let all = slopes.len() as f64;
        Some(Self { slope: median, low: at((all - reach) / 2.0 - 1.0)?, high: at((all + reach) / 2.0)? })
    }
}

fn middle(sorted: &[f64]) -> Option<f64> {
    let half = sorted.len() / 2;
    let upper = *sorted.get(half)?;
    Some(if sorted.len() % 2 == 1 { upper } else { (upper + sorted.get(half.checked_sub(1)?)?) / 2.0 })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    use super::*;

    /// Points on a line, with noise of which each keeps `rho` of the one before.
    fn points(seed: u64, count: usize, slope: f64, rho: f64) -> Vec<(f64, f64)> {
        let mut random = StdRng::seed_from_u64(seed);
        let mut noise = 0.0;
        let point = |at: usize| {
            noise = rho * noise + random.random_range(-1.0..1.0);
            (at as f64, 5.0 + slope * at as f64 + noise)
        };
        (0..count).map(point).collect()
    }

    #[test]
    fn the_interval_has_the_true_slope() {
        for (rho, at_least) in [(0.0, 180), (0.6, 160)] {
            let has = |seed: &u64| {
                let trend = Trend::of(&points(*seed, 60, 0.03, rho)).unwrap();
                trend.low <= 0.03 && 0.03 <= trend.high && trend.low <= trend.slope && trend.slope <= trend.high
            };
            let covered = (0..200).filter(has).count();
            assert!(covered >= at_least, "{covered} of 200 at rho {rho}");
        }
    }

    #[test]
    fn one_point_far_off_moves_it_little() {
        let mut points = points(1, 60, 0.0, 0.0);
        points[59].1 = 1e6;
        let trend = Trend::of(&points).unwrap();
        assert!(trend.low < 0.0 && trend.high > 0.0 && trend.slope.abs() < 0.05, "{trend:?}");
    }

    #[test]
    fn few_points_have_no_slope() {
        assert_eq!(Trend::of(&points(1, POINTS_MIN - 1, 1.0, 0.0)), None);
    }
}
