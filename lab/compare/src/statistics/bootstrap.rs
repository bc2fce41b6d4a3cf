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

    /// Blocks as they are kept.
    pub fn from_parts(parts: Vec<Histogram>) -> Self {
        Self(parts)
    }

    /// One by one, in the order of time.
    pub fn parts(&self) -> &[Histogram] {
        &self.0
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

/// The 95 % interval of one run's quantile: percentile bootstrap over its blocks. `None` without data.
pub fn quantile_interval(blocks: &Blocks, quantile: f64, seed: u64) -> Option<(f64, f64)> {
    let cumulative = Cumulative::of(blocks)?;
    let mut random = StdRng::seed_from_u64(seed);
    let mut drawn = Vec::with_capacity(cumulative.blocks.len());
    let mut values: Vec<u64> = (0..RESAMPLES)
        .map(|_| {
            drawn.clear();
            drawn.extend((0..cumulative.blocks.len()).map(|_| random.random_range(0..cumulative.blocks.len())));
            cumulative.quantile(&drawn, quantile)
        })
        .collect();
    values.sort_unstable();
    let at = |share: f64| values.get((share * (RESAMPLES - 1) as f64).round() as usize).map(|value| *value as f64);
    Some((at(0.025)?, at(0.975)?))
}

/// Blocks as running counts over all values, so that a quantile of several of them is found by bisection.
struct Cumulative {
    values: Vec<u64>,
    blocks: Vec<Vec<u64>>,
}

impl Cumulative {
    fn of(blocks: &Blocks) -> Option<Self> {
        let values: Vec<u64> = blocks.whole().into_iter().map(|(value, _)| value).collect();
        values.first()?;
        let running = |block: &Histogram| {
            let mut counts = vec![0; values.len()];
            for (value, count) in block {
                if let Some(place) = values.binary_search(value).ok().and_then(|at| counts.get_mut(at)) {
                    *place += count;
                }
            }
            counts.iter_mut().fold(0, |sum, count| {
                *count += sum;
                *count
            });
            counts
        };
        Some(Self { blocks: blocks.0.iter().map(running).collect(), values })
    }

    fn quantile(&self, drawn: &[usize], quantile: f64) -> u64 {
        let up_to = |at: usize| -> u64 { drawn.iter().filter_map(|block| self.blocks.get(*block)?.get(at)).sum() };
        let wanted = (up_to(self.values.len() - 1) as f64 * quantile).ceil().max(1.0) as u64;
        let (mut low, mut high) = (0, self.values.len() - 1);
        while low < high {
            let middle = low.midpoint(high);
            if up_to(middle) >= wanted {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        self.values.get(low).copied().unwrap_or_default()
    }
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
    fn the_interval_of_one_run_holds_the_true_quantile() {
        // P95 of a log-normal with median 1000 and sigma 0.7.
        let truth = 1000.0 * (0.7_f64 * 1.644_853_6).exp();
        let covered = (0..60_u64).filter(|seed| {
            let (low, high) = quantile_interval(&run(*seed, 1000.0), 0.95, *seed).unwrap();
            // Values are cut to steps of 50.
            low - 50.0 <= truth && truth <= high + 50.0 && high / low < 1.2
        });
        let covered = covered.count();
        assert!(covered >= 54, "{covered} of 60");
    }

    #[test]
    fn no_data_is_no_interval() {
        let empty = Blocks::default();
        assert_eq!(ratio_interval(&[(&empty, &empty)], 0.99, 1), None);
        assert_eq!(ratio_interval(&[], 0.99, 1), None);
        assert_eq!(quantile_interval(&empty, 0.99, 1), None);
    }
}
