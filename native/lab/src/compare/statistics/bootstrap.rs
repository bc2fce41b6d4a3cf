// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Ratios of percentiles, resampled: rounds, and within a round blocks of neighbouring intervals.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::effective_size;

/// Resamples: enough for ends of a 95 % interval that move by less than their own uncertainty.
const RESAMPLES: usize = 1000;
/// Blocks that one round is cut into at most.
const BLOCKS_MAX: usize = 30;

/// A histogram without its empty buckets: `(value, count)`, by value.
pub type Histogram = Vec<(u64, u64)>;

/// One engine's latencies in one round, cut into blocks that are long enough to be independent of each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Blocks(Vec<Histogram>);

impl Blocks {
    /// Joins neighbouring intervals: as many as the autocorrelation of `means` (one per interval) asks for.
    pub fn of(intervals: &[Histogram], means: &[f64]) -> Self {
        let correlated = (means.len() as f64 / effective_size(means).max(1.0)).ceil() as usize;
        let length = correlated.max(intervals.len().div_ceil(BLOCKS_MAX)).max(1);
        Self(intervals.chunks(length).map(merge).collect())
    }

    /// All of it together.
    pub fn whole(&self) -> Histogram {
        merge(&self.0)
    }
}

fn merge(parts: &[Histogram]) -> Histogram {
    let mut all = std::collections::BTreeMap::new();
    for (value, count) in parts.iter().flatten() {
        *all.entry(*value).or_insert(0) += count;
    }
    all.into_iter().collect()
}

/// Counts over the values that occur anywhere, so that a resample is a sum of vectors.
struct Dense {
    values: Vec<u64>,
    rounds: Vec<Vec<Vec<(usize, u64)>>>,
}

impl Dense {
    fn of(rounds: &[&Blocks]) -> Self {
        let whole: Vec<Histogram> = rounds.iter().map(|blocks| blocks.whole()).collect();
        let values: Vec<u64> = merge(&whole).into_iter().map(|(value, _)| value).collect();
        let index = |value: &u64| values.binary_search(value).unwrap_or(0);
        let rounds = rounds
            .iter()
            .map(|blocks| blocks.0.iter().map(|block| block.iter().map(|(v, n)| (index(v), *n)).collect()).collect())
            .collect();
        Self { values, rounds }
    }

    /// The percentile of blocks drawn from one round.
    fn percentile(&self, round: usize, quantile: f64, random: &mut StdRng) -> Option<f64> {
        let blocks = self.rounds.get(round)?;
        let mut counts = vec![0_u64; self.values.len()];
        for _ in 0..blocks.len() {
            for (index, count) in blocks.get(random.random_range(0..blocks.len()))? {
                if let Some(sum) = counts.get_mut(*index) {
                    *sum += count;
                }
            }
        }
        let wanted = (counts.iter().sum::<u64>() as f64 * quantile).ceil().max(1.0) as u64;
        let mut seen = 0;
        self.values
            .iter()
            .zip(&counts)
            .find(|(_, count)| {
                seen += **count;
                seen >= wanted
            })
            .map(|(value, _)| *value as f64)
    }
}

/// The 95 % interval of the geometric mean over rounds of `subject / baseline` at that quantile. Percentile bootstrap; it
/// knows nothing of rounds that were not run, so with few rounds it is too narrow on its own. `None` without data.
pub fn ratio_interval(pairs: &[(&Blocks, &Blocks)], quantile: f64, seed: u64) -> Option<(f64, f64)> {
    let (subjects, baselines): (Vec<&Blocks>, Vec<&Blocks>) = pairs.iter().copied().unzip();
    let (subjects, baselines) = (Dense::of(&subjects), Dense::of(&baselines));
    let mut random = StdRng::seed_from_u64(seed);
    let mut logs = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        let mut sum = 0.0;
        for _ in 0..pairs.len() {
            let round = random.random_range(0..pairs.len());
            let subject = subjects.percentile(round, quantile, &mut random)?;
            let baseline = baselines.percentile(round, quantile, &mut random)?;
            sum += (subject / baseline).ln();
        }
        logs.push(sum / pairs.len() as f64);
    }
    logs.sort_by(f64::total_cmp);
    let at = |share: f64| logs.get((share * (RESAMPLES - 1) as f64).round() as usize).map(|log| log.exp());
    Some((at(0.025)?, at(0.975)?)).filter(|(low, high)| low.is_finite() && high.is_finite())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use rand_distr::{Distribution, LogNormal};

    use super::*;

    fn run(seed: u64, scale: f64) -> Blocks {
        let mut random = StdRng::seed_from_u64(seed);
        let latency = LogNormal::new(scale.ln(), 0.7).unwrap();
        let intervals: Vec<Histogram> = (0..60)
            .map(|_| {
                let mut values: Vec<u64> = (0..200).map(|_| latency.sample(&mut random) as u64 / 50 * 50).collect();
                values.sort_unstable();
                values.chunk_by(|a, b| a == b).map(|same| (same[0].max(1), same.len() as u64)).collect()
            })
            .collect();
        let means: Vec<f64> =
            intervals.iter().map(|interval| interval.iter().map(|(v, n)| v * n).sum::<u64>() as f64 / 200.0).collect();
        Blocks::of(&intervals, &means)
    }

    #[test]
    fn blocks_keep_every_count() {
        let blocks = run(1, 1000.0);
        assert!(blocks.0.len() <= BLOCKS_MAX);
        assert_eq!(blocks.whole().iter().map(|(_, count)| count).sum::<u64>(), 12_000);
    }

    #[test]
    fn the_interval_holds_the_true_ratio_of_percentiles() {
        let covered = (0..6_u64).filter(|seed| {
            let runs: Vec<_> =
                (0..4).map(|k| (run(seed * 100 + k, 1500.0), run(seed * 100 + 50 + k, 1000.0))).collect();
            let pairs: Vec<_> = runs.iter().map(|(a, b)| (a, b)).collect();
            let (low, high) = ratio_interval(&pairs, 0.99, *seed).unwrap();
            low <= 1.5 && 1.5 <= high && high / low < 1.3
        });
        assert!(covered.count() >= 5);
    }

    #[test]
    fn no_data_is_no_interval() {
        let empty = Blocks::default();
        assert_eq!(ratio_interval(&[(&empty, &empty)], 0.99, 1), None);
        assert_eq!(ratio_interval(&[], 0.99, 1), None);
    }
}
