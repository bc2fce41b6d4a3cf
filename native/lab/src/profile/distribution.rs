// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The distributions of cassandra-stress (`OptionDistribution`), sampled by their quantile function.
//!
//! A sample is a pure function of a seed, so nothing needs to be remembered to make a row again.

use std::fmt;
use std::str::FromStr;

use anyhow::{bail, ensure, Context, Result};
use rand_distr::{Distribution as _, Zipf};
use statrs::distribution::{ContinuousCDF, Normal};

use super::seed::{below, mix, unit, Words};

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

/// cassandra-stress scales so that the last 1/sqrt(max - min) of the chance lies beyond max, and is counted there.
fn weibull_scale(min: i64, max: i64, shape: f64) -> f64 {
    let range = max as f64 - min as f64;
    range / weibull_quantile(1.0 - (1.0 / range).sqrt(), shape, 1.0)
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

impl FromStr for Distribution {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        parse(text.trim()).with_context(|| format!("distribution {text:?}"))
    }
}

const TAKEN: &str = "exp, extreme (extr, weibull), qextreme (qextr, qweibull), gaussian (gauss, normal, norm), uniform, fixed, seq, zipf";

fn parse(text: &str) -> Result<Distribution> {
    let (inverted, rest) = match text.strip_prefix('~') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text),
    };
    let (name, arguments) =
        rest.strip_suffix(')').and_then(|rest| rest.split_once('(')).context("is not of the form name(arguments)")?;
    let name = name.trim().to_ascii_lowercase();
    let arguments: Vec<&str> = arguments.split(',').map(str::trim).collect();
    let counts: &[usize] = match name.as_str() {
        "fixed" | "uniform" | "seq" | "exp" => &[1],
        "extr" | "extreme" | "weibull" | "zipf" => &[2],
        "qextr" | "qextreme" | "qweibull" => &[3],
        "gaussian" | "gauss" | "normal" | "norm" => &[1, 2, 3],
        _ => bail!("unknown name {name:?}; taken are {TAKEN}"),
    };
    ensure!(counts.contains(&arguments.len()), "{name} takes {counts:?} arguments, not {}", arguments.len());
    let (min, max) = range(arguments[0], name == "fixed")?;
    let shape = if min == max { Shape::Fixed } else { shape(&name, min, max, &arguments[1..])? };
    let text = text.to_ascii_lowercase();
    Ok(Distribution { text, shape, inverted, min, max })
}

fn range(text: &str, single: bool) -> Result<(i64, i64)> {
    if single {
        let value = integer(text)?;
        return Ok((value, value));
    }
    let (min, max) = text.split_once("..").with_context(|| format!("{text:?} is not a range min..max"))?;
    let (min, max) = (integer(min)?, integer(max.trim_start_matches('.'))?);
    ensure!(min <= max, "range {text} ends before it starts");
    ensure!(max.checked_sub(min).is_some_and(|width| width < i64::MAX), "range {text} is wider than 64 bits");
    Ok((min, max))
}

fn shape(name: &str, min: i64, max: i64, more: &[&str]) -> Result<Shape> {
    let extreme = |text: &str| -> Result<(f64, f64)> {
        let shape = real(text)?;
        ensure!(shape > 0.0, "shape {text} is not above 0");
        Ok((shape, weibull_scale(min, max, shape)))
    };
    Ok(match (name, more) {
        ("uniform", _) => Shape::Uniform,
        ("seq", _) => Shape::Sequence,
        ("exp", _) => Shape::Extreme { shape: 1.0, scale: weibull_scale(min, max, 1.0) },
        (_, [mean, stdev]) if name.starts_with(['g', 'n']) => gaussian(real(mean)?, real(stdev)?)?,
        (_, edge) if name.starts_with(['g', 'n']) => {
            let edge = edge.first().map_or(Ok(3.0), |text| real(text))?;
            gaussian((min as f64 + max as f64) / 2.0, (max as f64 - min as f64) / 2.0 / edge)?
        }
        ("zipf", [exponent]) => {
            let exponent = real(exponent)?;
            let ranks = Zipf::new((max as f64 - min as f64) + 1.0, exponent);
            Shape::Zipf(ranks.with_context(|| format!("exponent {exponent}"))?, exponent)
        }
        (_, [shape]) => {
            let (shape, scale) = extreme(shape)?;
            Shape::Extreme { shape, scale }
        }
        (_, [shape, quantas]) => {
            let (shape, scale) = extreme(shape)?;
            Shape::Quantized { bounds: quanta_bounds(min, max, shape, scale, quantas)? }
        }
        _ => bail!("unknown form of {name}"),
    })
}

fn gaussian(mean: f64, stdev: f64) -> Result<Shape> {
    ensure!(stdev > 0.0 && stdev.is_finite(), "standard deviation {stdev} is not above 0");
    Ok(Shape::Gaussian { mean, stdev })
}

fn quanta_bounds(min: i64, max: i64, shape: f64, scale: f64, quantas: &str) -> Result<Vec<i64>> {
    let quantas = integer(quantas)?;
    ensure!((1..=1_000_000).contains(&quantas), "{quantas} quantas: 1 to 1M are taken");
    let inner = |i: i64| clamp(weibull_quantile(i as f64 / quantas as f64, shape, scale), 0, max - min);
    let mut bounds: Vec<i64> = (0..quantas).map(|i| min + inner(i)).collect();
    bounds.push(max.saturating_add(1));
    Ok(bounds)
}

/// An integer with an optional K, M or B (10^3, 10^6, 10^9), as cassandra-stress writes counts.
pub fn integer(text: &str) -> Result<i64> {
    let text = text.trim();
    let (digits, factor) = match text.char_indices().next_back() {
        Some((at, 'k' | 'K')) => (&text[..at], 1_000),
        Some((at, 'm' | 'M')) => (&text[..at], 1_000_000),
        Some((at, 'b' | 'B')) => (&text[..at], 1_000_000_000),
        _ => (text, 1),
    };
    digits
        .parse::<i64>()
        .ok()
        .and_then(|value| value.checked_mul(factor))
        .with_context(|| format!("{text:?} is not an integer (K, M and B may follow)"))
}

fn real(text: &str) -> Result<f64> {
    text.parse::<f64>().ok().filter(|value| value.is_finite()).with_context(|| format!("{text:?} is not a number"))
}
