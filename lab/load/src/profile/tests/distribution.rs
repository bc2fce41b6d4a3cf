// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

use statrs::distribution::{ChiSquared, ContinuousCDF, Exp, Normal, Weibull};

use crate::profile::distribution::integer;
use crate::profile::seed::mix;
use crate::profile::{Distribution, Ratio};

const SAMPLES: u64 = 40_000;

fn of(text: &str) -> Distribution {
    text.parse().unwrap()
}

fn sampled(text: &str) -> Vec<i64> {
    let distribution = of(text);
    let mut values: Vec<i64> = (0..SAMPLES).map(|i| distribution.sample(mix(i))).collect();
    values.sort_unstable();
    values
}

/// The largest distance of the samples' share up to x from `cdf(x)`: below the 0.1 % critical value of Kolmogorov and Smirnov.
fn follows(text: &str, cdf: impl Fn(i64) -> f64) {
    let values = sampled(text);
    let mut distance: f64 = 0.0;
    for (i, value) in values.iter().enumerate() {
        if values.get(i + 1) != Some(value) {
            distance = distance.max(((i + 1) as f64 / SAMPLES as f64 - cdf(*value)).abs());
        }
    }
    let critical = 1.95 / (SAMPLES as f64).sqrt();
    assert!(distance < critical, "{text}: {distance} is not below {critical}");
}

/// Pearson's chi-square of counts against chances, below the 0.1 % critical value.
fn counts_follow(text: &str, chances: &[(i64, f64)]) {
    let values = sampled(text);
    let square: f64 = chances
        .iter()
        .map(|(value, chance)| {
            let count = values.iter().filter(|sample| *sample == value).count() as f64;
            (count - chance * SAMPLES as f64).powi(2) / (chance * SAMPLES as f64)
        })
        .sum();
    let critical = ChiSquared::new(chances.len() as f64 - 1.0).unwrap().inverse_cdf(0.999);
    assert!(square < critical, "{text}: {square} is not below {critical}");
}

/// The scale with which 1 - 1/sqrt(max - min) of a Weibull lies in the range.
fn scale(range: f64, shape: f64) -> f64 {
    range / Weibull::new(shape, 1.0).unwrap().inverse_cdf(1.0 - (1.0 / range).sqrt())
}

#[test]
fn uniform_gives_each_value_alike() {
    let chances: Vec<(i64, f64)> = (5..=14).map(|value| (value, 0.1)).collect();
    counts_follow("uniform(5..14)", &chances);
    follows("UNIFORM(1..100B)", |x| x as f64 / 1e11);
}

#[test]
fn gaussian_is_normal_cut_at_its_bounds() {
    let normal = Normal::new(5_000.5, 4_999.5 / 3.0).unwrap();
    let cut = |x: i64| if x >= 10_000 { 1.0 } else { normal.cdf(x as f64 + 1.0) };
    for alias in ["gaussian", "gauss", "normal", "norm", "GAUSSIAN"] {
        follows(&format!("{alias}(1..10000)"), cut);
    }
    let narrow = Normal::new(5_000.5, 4_999.5 / 5.0).unwrap();
    follows("gaussian(1..10K,5)", |x| narrow.cdf(x as f64 + 1.0));
    let explicit = Normal::new(2_000.0, 300.0).unwrap();
    follows("gaussian(1..10K,2000,300)", |x| explicit.cdf(x as f64 + 1.0));
}

#[test]
fn exponential_and_extreme_are_weibull_with_the_scale_of_cassandra_stress() {
    let exp = Exp::new(1.0 / scale(1e6 - 1.0, 1.0)).unwrap();
    follows("exp(1..1M)", |x| if x >= 1_000_000 { 1.0 } else { exp.cdf(x as f64) });
    for alias in ["extreme", "extr", "weibull"] {
        let weibull = Weibull::new(2.5, scale(1e6 - 1.0, 2.5)).unwrap();
        follows(&format!("{alias}(1..1M,2.5)"), |x| if x >= 1_000_000 { 1.0 } else { weibull.cdf(x as f64) });
    }
}

#[test]
fn tilde_turns_the_range_around() {
    let exp = Exp::new(1.0 / scale(1e6 - 1.0, 1.0)).unwrap();
    follows("~exp(1..1M)", |x| 1.0 - exp.cdf((1_000_000 - x) as f64));
    assert_eq!(of("~fixed(7)").sample(1), 7);
}

#[test]
fn quantized_is_flat_between_quantiles() {
    let weibull = Weibull::new(2.0, scale(1e6 - 1.0, 2.0)).unwrap();
    let mut bounds: Vec<f64> = (0..4).map(|i| 1.0 + weibull.inverse_cdf(f64::from(i) / 4.0).floor()).collect();
    bounds.push(1_000_001.0);
    let cdf = |x: i64| {
        let i = (0..4).rfind(|&i| bounds[i] <= x as f64).unwrap();
        (i as f64 + (x as f64 + 1.0 - bounds[i]) / (bounds[i + 1] - bounds[i])) / 4.0
    };
    for alias in ["qextreme", "qextr", "qweibull"] {
        follows(&format!("{alias}(1..1M,2,4)"), cdf);
    }
}

#[test]
fn zipf_follows_its_law() {
    let total: f64 = (1..=100).map(|k| f64::from(k).powf(-0.99)).sum();
    let chances: Vec<(i64, f64)> = (1..=100).map(|k| (k, (k as f64).powf(-0.99) / total)).collect();
    counts_follow("zipf(1..100,0.99)", &chances);
}

#[test]
fn sequences_count_by_the_seed() {
    let sequence = of("seq(10..12)");
    assert_eq!((0..5).map(|seed| sequence.at(seed, 99)).collect::<Vec<_>>(), [10, 11, 12, 10, 11]);
    assert_eq!(of("seq(1..9223372036854775806)").at(41, 0), 42);
}

#[test]
fn bounds_quantiles_and_means_agree() {
    for text in [
        "uniform(1..9)",
        "gaussian(1..9)",
        "exp(1..9)",
        "extreme(1..9,2)",
        "qextreme(1..90,2,3)",
        "~exp(1..9)",
        "zipf(1..9,1)",
    ] {
        let distribution = of(text);
        assert_eq!(
            (distribution.quantile(0.0), distribution.quantile(1.0)),
            (distribution.min(), distribution.max()),
            "{text}"
        );
        let samples = sampled(text);
        assert!(samples.iter().all(|x| (distribution.min()..=distribution.max()).contains(x)), "{text}");
        let mean = samples.iter().sum::<i64>() as f64 / SAMPLES as f64;
        let tolerance = if text.starts_with("zipf") { 0.6 } else { 0.1 + distribution.max() as f64 * 0.02 };
        assert!((mean - distribution.mean()).abs() < tolerance, "{text}: {mean}, {}", distribution.mean());
    }
}

#[test]
fn counts_may_end_in_k_m_b() {
    assert_eq!(
        ["7", "7k", "7M", "7b", "-3"].map(|text| integer(text).unwrap()),
        [7, 7_000, 7_000_000, 7_000_000_000, -3]
    );
    assert!(integer("7G").is_err() && integer("").is_err() && integer("99999999999B").is_err());
}

#[test]
fn ratios_divide() {
    let ratio: Ratio = "uniform(1..10)/10".parse().unwrap();
    assert!((0..1000).all(|i| (0.1..=1.0).contains(&ratio.at(i, 0))));
    assert!("fixed(1)/1".parse::<Ratio>().unwrap().is_whole());
    assert_eq!("fixed(1)/1K".parse::<Ratio>().unwrap().max(), 0.001);
    let of = |text: &str| text.parse::<Ratio>().unwrap();
    // Reals from 1 up to 11, cut off at 10: 9/10 of them are 5.5 in the mean, the rest 10.
    for (text, mean) in [("uniform(1..10)/10", 0.595), ("uniform(0..1)/1", 0.75), ("~uniform(0..1)/1", 0.25)] {
        let drawn = (0..SAMPLES).map(|i| of(text).at(i, 0)).sum::<f64>() / SAMPLES as f64;
        assert!((drawn - mean).abs() < 0.01 && (of(text).mean() - mean).abs() < 0.001, "{text}: {drawn}");
    }
    for text in ["gaussian(0..20)/20", "exp(0..20)/20", "~exp(0..20)/20"] {
        let between = (0..1000).filter(|i| of(text).at(*i, 0) * 20.0 % 1.0 != 0.0).count();
        assert!(between > 500, "{text}: {between} of 1000 are no integers");
    }
    assert!("fixed(1)".parse::<Ratio>().is_err() && "fixed(1)/0".parse::<Ratio>().is_err());
}

#[test]
fn what_is_not_taken_is_named() {
    for (text, named) in [
        ("pareto(1..2)", "pareto"),
        ("uniform(5)", "\"5\""),
        ("uniform(9..1)", "9..1"),
        ("gaussian(1..2,3,4,5)", "gaussian"),
        ("gaussian(1..9,5,0)", "0"),
        ("exp(1..9,2)", "exp"),
        ("fixed(x)", "x"),
        ("uniform", "uniform"),
    ] {
        let message = format!("{:#}", text.parse::<Distribution>().unwrap_err());
        assert!(message.contains(named), "{text}: {message}");
    }
}
