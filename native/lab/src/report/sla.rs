// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! SLAs such as `p99<=10ms`, `get:p99.9<=50ms`, `rate>=4500/s`, `errors<=0.1%`, and their verdicts.

use std::fmt;
use std::str::FromStr;

use anyhow::{bail, ensure, Context, Result};
use serde::{Deserialize, Serialize};

use super::digest;
use crate::load::{Outcome, Tally};

/// One condition on one kind of operation or on all.
#[derive(Clone, Debug, PartialEq)]
pub struct Sla {
    /// As it was written.
    text: String,
    kind: Option<String>,
    condition: Condition,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Condition {
    Percentile { percentile: f64, most_ms: f64 },
    Mean { most_ms: f64 },
    Max { most_ms: f64 },
    Rate { least_per_s: f64 },
    Errors { most: u64 },
    ErrorShare { most: f64 },
}

/// A condition and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlaVerdict {
    /// The condition as it was written.
    pub sla: String,
    /// What was measured, in words.
    pub measured: String,
    /// Whether it held.
    pub met: bool,
}

impl Sla {
    /// Whether a run kept to it. Latency is response time. A kind that the run does not have is an error.
    pub fn judge(&self, outcome: &Outcome) -> Result<SlaVerdict> {
        let tally = match &self.kind {
            None => digest::sum("total", &outcome.tallies),
            Some(kind) => {
                let found = outcome.tallies.iter().find(|tally| tally.name == *kind);
                let known = || outcome.tallies.iter().map(|tally| tally.name.as_str()).collect::<Vec<_>>().join(", ");
                found.with_context(|| format!("-sla {self}: there is no '{kind}', only {}", known()))?.clone()
            }
        };
        let (met, measured) = self.condition.judge(&tally, outcome.elapsed.as_secs_f64());
        Ok(SlaVerdict { sla: self.text.clone(), measured, met })
    }

    fn bounds_errors_of(&self, kind: &str) -> bool {
        matches!(self.condition, Condition::Errors { .. } | Condition::ErrorShare { .. })
            && self.kind.as_deref().is_none_or(|own| own == kind)
    }
}

impl Condition {
    fn judge(&self, tally: &Tally, elapsed_s: f64) -> (bool, String) {
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
                let per_s = tally.operations as f64 / elapsed_s.max(f64::EPSILON);
                (per_s >= least_per_s, format!("{per_s:.1}/s"))
            }
            Self::Errors { most } => (all > 0 && tally.errors <= most, tally.errors.to_string()),
            Self::ErrorShare { most } => {
                let share = tally.errors as f64 / all.max(1) as f64;
                (all > 0 && share <= most, format!("{:.4}%", share * 100.0))
            }
        }
    }
}

/// What came of all conditions on a run, and why the run is invalid all the same.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    pub(super) slas: Vec<SlaVerdict>,
    pub(super) invalid: Vec<String>,
}

impl Judgement {
    /// Judges a run.
    ///
    /// A condition takes the place of the general rule on the same thing. Failed operations do not invalidate a run whose
    /// conditions bound the errors of every kind that failed. Servers that cannot keep up with the rate miss any SLA.
    pub fn of(slas: &[Sla], outcome: &Outcome) -> Result<Self> {
        let mut verdicts: Vec<_> = slas.iter().map(|sla| sla.judge(outcome)).collect::<Result<_>>()?;
        let mut invalid = outcome.invalid.clone();
        let mut failing = outcome.tallies.iter().filter(|tally| tally.errors > 0);
        if failing.all(|tally| slas.iter().any(|sla| sla.bounds_errors_of(&tally.name))) {
            invalid.retain(|reason| outcome.failed.as_ref() != Some(reason));
        }
        if let Some(per_s) = outcome.rate_per_s.filter(|_| !slas.is_empty() && !outcome.saturated.is_empty()) {
            invalid.retain(|reason| !outcome.saturated.contains(reason));
            let measured = outcome.saturated.join("; ");
            verdicts.push(SlaVerdict { sla: format!("rate={per_s}/s"), measured, met: false });
        }
        Ok(Self { slas: verdicts, invalid })
    }
}

impl fmt::Display for Sla {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl FromStr for Sla {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let (kind, condition) = match text.split_once(':') {
            Some((kind, condition)) => (Some(kind.to_owned()), condition),
            None => (None, text),
        };
        ensure!(kind.as_deref() != Some(""), "'{text}': the kind before ':' is empty");
        let condition = read(condition).with_context(|| format!("'{text}'"))?;
        Ok(Self { text: text.to_owned(), kind, condition })
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
    let most_ms = milliseconds(bound).context("a time as 800us, 10ms or 1.5s is expected")?;
    match name {
        "mean" => Ok(Condition::Mean { most_ms }),
        "max" => Ok(Condition::Max { most_ms }),
        _ => {
            let percentile = name.strip_prefix('p').and_then(|digits| digits.parse().ok());
            let percentile = percentile.filter(|percentile: &f64| *percentile > 0.0 && *percentile < 100.0);
            let percentile = percentile
                .with_context(|| format!("'{name}' is none of p50, p95, p99, p99.9 ..., mean, max, errors, rate"))?;
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
