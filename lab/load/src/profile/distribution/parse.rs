// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Distributions as profiles and the command line write them.

use std::str::FromStr;

use anyhow::{bail, ensure, Context, Result};
use rand_distr::Zipf;

use super::{clamp, weibull_quantile, Distribution, Shape};

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

/// cassandra-stress scales so that the last 1/sqrt(max - min) of the chance lies beyond max, and is counted there.
fn weibull_scale(min: i64, max: i64, shape: f64) -> f64 {
    let range = max as f64 - min as f64;
    range / weibull_quantile(1.0 - (1.0 / range).sqrt(), shape, 1.0)
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
