// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What an SLA bounds: a percentile, the mean, the maximum, the rate, errors, wrong rows.

use std::str::FromStr;

use anyhow::{bail, Context, Result};

use crate::load::Tally;

/// What one SLA bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition {
    /// A percentile of the response time.
    Percentile {
        /// Such as 99.9.
        percentile: f64,
        /// It must not be above this.
        most_ms: f64,
    },
    /// The mean of the response time.
    Mean {
        /// It must not be above this.
        most_ms: f64,
    },
    /// The longest response time.
    Max {
        /// It must not be above this.
        most_ms: f64,
    },
    /// Operations that ended well.
    Rate {
        /// Per second at least.
        least_per_s: f64,
    },
    /// Operations that failed for good.
    Errors {
        /// So many at most.
        most: u64,
    },
    /// The same as a share of all.
    ErrorShare {
        /// Between 0 and 1.
        most: f64,
    },
    /// Wrong rows that no consistency level explains; of all kinds together.
    Unexplained {
        /// So many at most.
        most: u64,
    },
}

impl Condition {
    /// `loaded_s`: for how long operations were due.
    pub(super) fn judge(&self, tally: &Tally, unexplained: u64, loaded_s: f64) -> (bool, String) {
        // What nobody measured has not been kept.
        let latency = |measured_ns: f64, most_ms: f64| {
            let measured_ms = measured_ns / 1e6;
            (!tally.response_ns.is_empty() && measured_ms <= most_ms, format!("{measured_ms:.3} ms"))
        };
        let all = tally.operations + tally.errors;
        match *self {
            Self::Percentile { percentile, most_ms } => {
                latency(tally.response_ns.value_at_percentile(percentile) as f64, most_ms)
            }
            Self::Mean { most_ms } => latency(tally.response_ns.mean(), most_ms),
            Self::Max { most_ms } => latency(tally.response_ns.max() as f64, most_ms),
            Self::Rate { least_per_s } => {
                let (operations, loaded_s) = (tally.operations as f64, loaded_s.max(f64::EPSILON));
                // Whether one operation more falls into the time is rounding.
                let met = tally.operations > 0 && operations + 1.0 >= least_per_s * loaded_s;
                (met, format!("{:.1}/s", operations / loaded_s))
            }
            Self::Errors { most } => (all > 0 && tally.errors <= most, tally.errors.to_string()),
            Self::ErrorShare { most } => {
                let share = tally.errors as f64 / all.max(1) as f64;
                (all > 0 && share <= most, format!("{:.4}%", share * 100.0))
            }
            Self::Unexplained { most } => (unexplained <= most, unexplained.to_string()),
        }
    }
}

impl FromStr for Condition {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        read(text)
    }
}

fn read(text: &str) -> Result<Condition> {
    if let Some((name, bound)) = text.split_once("<=") {
        return at_most(name.trim(), bound.trim());
    }
    match text.split_once(">=") {
        Some((name, bound)) if name.trim() == "rate" => {
            let bound = bound.trim();
            let per_s = bound.strip_suffix("/s").unwrap_or(bound).parse().ok().filter(|rate: &f64| *rate > 0.0);
            Ok(Condition::Rate { least_per_s: per_s.context("a rate as 4500/s is expected")? })
        }
        Some((name, _)) => bail!("only rate may be bounded from below, not '{name}'"),
        None => bail!("a bound is expected, as in p99<=10ms, rate>=4500/s or errors<=0.1%"),
    }
}

fn at_most(name: &str, bound: &str) -> Result<Condition> {
    if name == "errors" {
        return match bound.strip_suffix('%') {
            None => Ok(Condition::Errors { most: bound.parse().context("a number of errors is expected")? }),
            Some(percent) => {
                let percent = percent.parse().ok().filter(|percent: &f64| (0.0..=100.0).contains(percent));
                Ok(Condition::ErrorShare { most: percent.context("a percentage is expected")? / 100.0 })
            }
        };
    }
    if name == "unexplained" {
        return Ok(Condition::Unexplained { most: bound.parse().context("a number of rows is expected")? });
    }
    let most_ms = milliseconds(bound).context("a time as 800us, 10ms or 1.5s is expected")?;
    match name {
        "mean" => Ok(Condition::Mean { most_ms }),
        "max" => Ok(Condition::Max { most_ms }),
        _ => {
            let percentile = name.strip_prefix('p').and_then(|digits| digits.parse().ok());
            let percentile = percentile.filter(|percentile: &f64| *percentile > 0.0 && *percentile < 100.0);
            let percentile = percentile.with_context(|| {
                format!("'{name}' is none of p50, p95, p99, p99.9 ..., mean, max, errors, unexplained, rate")
            })?;
            Ok(Condition::Percentile { percentile, most_ms })
        }
    }
}

fn milliseconds(text: &str) -> Option<f64> {
    let (number, factor) = if let Some(number) = text.strip_suffix("us") {
        (number, 1e-3)
    } else if let Some(number) = text.strip_suffix("ms") {
        (number, 1.0)
    } else {
        (text.strip_suffix('s')?, 1e3)
    };
    let number: f64 = number.trim().parse().ok()?;
    (number.is_finite() && number > 0.0).then_some(number * factor)
}
