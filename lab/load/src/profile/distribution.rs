// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The distributions of cassandra-stress (`OptionDistribution`), sampled by their quantile function.
//!
//! A sample is a pure function of a seed, so nothing needs to be remembered to make a row again.

mod parse;

use std::fmt;

use rand_distr::{Distribution as _, Zipf};
use statrs::distribution::{ContinuousCDF, Normal};

use super::seed::{below, mix, unit, Words};
pub use parse::integer;

/// Integers with a chance each, as `~exp(1..1M)` says it.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// As it was written.
    text: String,
    shape: Shape,
    inverted: bool,
    min: i64,
    max: i64,
}

#[derive(Clone, Debug, PartialEq)]
enum Shape {
    Fixed,
    Sequence,
    Uniform,
    Gaussian {
        mean: f64,
        stdev: f64,
    },
    /// Weibull; an exponential is one of shape 1.
    Extreme {
        shape: f64,
        scale: f64,
    },
    /// Rank k with chance ~ k^-exponent; not one of cassandra-stress's.
    Zipf(Zipf<f64>, f64),
    /// Between two bounds any value is as likely as another; as many samples of the Weibull fall into each.
    Quantized {
        bounds: Vec<i64>,
    },
}

impl Distribution {
    /// Always `value`.
    pub fn fixed(value: i64) -> Self {
        Self { text: format!("fixed({value})"), shape: Shape::Fixed, inverted: false, min: value, max: value }
    }

    /// Every integer of `min..=max` alike.
    pub fn uniform(min: i64, max: i64) -> Self {
        Self { text: format!("uniform({min}..{max})"), shape: Shape::Uniform, inverted: false, min, max }
    }

    /// The smallest value it can give.
    pub fn min(&self) -> i64 {
        self.min
    }

    /// The largest value it can give.
    pub fn max(&self) -> i64 {
        self.max
    }

    /// The value for a seed; `salt` tells apart what is drawn for the same seed. `seq` counts by the seed alone.
    #[inline]
    pub fn at(&self, seed: u64, salt: u64) -> i64 {
        match &self.shape {
            Shape::Fixed => self.min,
            Shape::Sequence => self.turned(self.min.wrapping_add((seed % self.width()) as i64)),
            _ => self.sample(mix(seed ^ salt)),
        }
    }

    /// The value for 64 uniformly random bits.
    #[inline]
    pub fn sample(&self, word: u64) -> i64 {
        match &self.shape {
            Shape::Fixed => self.min,
            Shape::Sequence | Shape::Uniform => self.turned(self.min.wrapping_add(below(word, self.width()) as i64)),
            Shape::Quantized { bounds } => self.turned(quantized(bounds, word)),
            Shape::Zipf(ranks, _) => self.turned(self.offset(ranks.sample(&mut Words::new(word)) - 1.0)),
            _ => self.quantile(unit(word)),
        }
    }

    /// The value below which a share `p` (0..=1) of the samples lies.
    pub fn quantile(&self, p: f64) -> i64 {
        let p = if self.inverted { 1.0 - p } else { p };
        let value = match &self.shape {
            Shape::Fixed => self.min,
            Shape::Sequence | Shape::Uniform => self.min.saturating_add((p * self.width() as f64) as i64).min(self.max),
            Shape::Gaussian { mean, stdev } => clamp(normal_quantile(p, *mean, *stdev), self.min, self.max),
            Shape::Extreme { shape, scale } => self.offset(weibull_quantile(p, *shape, *scale)),
            Shape::Quantized { bounds } => quantized_quantile(bounds, p),
            Shape::Zipf(_, exponent) => self.offset(zipf_quantile(p, self.width() as f64, *exponent) - 1.0),
        };
        self.turned(value)
    }

    /// A real number for a seed, where cassandra-stress can draw one: for shares.
    pub fn real_at(&self, seed: u64, salt: u64) -> f64 {
        match self.shape {
            Shape::Uniform | Shape::Gaussian { .. } | Shape::Extreme { .. } => {
                self.real_quantile(unit(mix(seed ^ salt)))
            }
            _ => self.at(seed, salt) as f64,
        }
    }

    /// The real number below which a share `p` of them lies.
    pub fn real_quantile(&self, p: f64) -> f64 {
        let (min, max) = (self.min as f64, self.max as f64);
        let turned = if self.inverted { 1.0 - p } else { p };
        let value = match &self.shape {
            Shape::Uniform => min + turned * self.width() as f64,
            Shape::Gaussian { mean, stdev } => normal_quantile(turned, *mean, *stdev),
            Shape::Extreme { shape, scale } => min + weibull_quantile(turned, *shape, *scale),
            _ => return self.quantile(p) as f64,
        };
        let value = value.clamp(min, max);
        if self.inverted {
            max - (value - min)
        } else {
            value
        }
    }

    /// The mean, as cassandra-stress needs it for averages of rows: exact for fixed, seq and uniform, else over 1,000 quantiles.
    pub fn mean(&self) -> f64 {
        match self.shape {
            Shape::Fixed => self.min as f64,
            Shape::Sequence | Shape::Uniform => (self.min as f64 + self.max as f64) / 2.0,
            _ => (0..1000).map(|i| self.quantile((f64::from(i) + 0.5) / 1000.0) as f64).sum::<f64>() / 1000.0,
        }
    }

    /// How many integers lie in min..=max.
    pub fn width(&self) -> u64 {
        (self.max.wrapping_sub(self.min) as u64).saturating_add(1)
    }

    /// Whether each integer of the range is as likely as another.
    pub fn is_flat(&self) -> bool {
        matches!(self.shape, Shape::Fixed | Shape::Sequence | Shape::Uniform)
    }

    /// Whether it counts through its range.
    pub fn is_sequence(&self) -> bool {
        self.shape == Shape::Sequence
    }

    fn turned(&self, value: i64) -> i64 {
        if self.inverted {
            self.max.wrapping_sub(value.wrapping_sub(self.min))
        } else {
            value
        }
    }

    fn offset(&self, value: f64) -> i64 {
        self.min.saturating_add(clamp(value, 0, self.max.saturating_sub(self.min)))
    }
}

fn clamp(value: f64, min: i64, max: i64) -> i64 {
    (value as i64).clamp(min, max)
}

fn normal_quantile(p: f64, mean: f64, stdev: f64) -> f64 {
    match Normal::new(mean, stdev) {
        Ok(normal) if p > 0.0 && p < 1.0 => normal.inverse_cdf(p),
        Ok(_) if p <= 0.0 => f64::NEG_INFINITY,
        Ok(_) => f64::INFINITY,
        Err(_) => mean, // a standard deviation of 0
    }
}

fn weibull_quantile(p: f64, shape: f64, scale: f64) -> f64 {
    scale * (-(-p).ln_1p()).powf(1.0 / shape)
}

/// Of the continuous law over 1..n with the same exponent: near enough for means and pictures, not used to sample.
fn zipf_quantile(p: f64, n: f64, exponent: f64) -> f64 {
    if (exponent - 1.0).abs() < 1e-9 {
        return n.powf(p);
    }
    let power = 1.0 - exponent;
    (1.0 + p * (n.powf(power) - 1.0)).powf(1.0 / power)
}

fn quantized(bounds: &[i64], word: u64) -> i64 {
    let last = bounds.len() - 1;
    let i = below(word, last as u64) as usize;
    bounds[i] + below(mix(word), (bounds[i + 1] - bounds[i]).max(1) as u64) as i64
}

fn quantized_quantile(bounds: &[i64], p: f64) -> i64 {
    let last = bounds.len() - 1;
    let place = p * last as f64;
    let i = (place as usize).min(last - 1);
    let inner = (place - i as f64) * (bounds[i + 1] - bounds[i]) as f64;
    (bounds[i] + inner as i64).min(bounds[last] - 1)
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
