// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! SLAs such as `p99<=10ms`, `get:p99.9<=50ms`, `rate>=4500/s`, `errors<=0.1%`, and their verdicts.

use std::fmt;
use std::str::FromStr;

use anyhow::{bail, ensure, Context, Result};
use serde::{Deserialize, Serialize};

use super::condition::Condition;
use super::digest;
use crate::load::Outcome;

/// One condition on one kind of operation or on all.
#[derive(Clone, Debug, PartialEq)]
pub struct Sla {
    /// As it was written.
    text: String,
    /// In lower case, as operations are named.
    kind: Option<String>,
    condition: Condition,
}

/// A condition and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlaVerdict {
    /// The condition as it was written.
    pub sla: String,
    /// The measured value, with its unit.
    pub measured: String,
    /// Whether it held.
    pub met: bool,
}

impl Sla {
    /// Whether a run kept to it. Latency is response time. A kind that the run does not have is an error.
    pub fn judge(&self, outcome: &Outcome) -> Result<SlaVerdict> {
        let tally = match &self.kind {
            // What had no answer has failed; of which kind it was is not known.
            None => {
                let mut all = digest::sum("total", &outcome.tallies);
                all.errors += outcome.unfinished;
                all
            }
            Some(kind) => {
                let found = outcome.tallies.iter().find(|tally| tally.name == *kind);
                let known = || outcome.tallies.iter().map(|tally| tally.name.as_str()).collect::<Vec<_>>().join(", ");
                found.with_context(|| format!("-sla {self}: there is no '{kind}', only {}", known()))?.clone()
            }
        };
        let (met, measured) = self.condition.judge(&tally, outcome.unexplained(), outcome.loaded().as_secs_f64());
        Ok(SlaVerdict { sla: self.text.clone(), measured, met })
    }

    /// Refuses a kind of operation that none of these is; `option` is where the condition was given.
    pub fn ensure_kind_of(&self, option: &str, known: &[&str]) -> Result<()> {
        match self.kind() {
            Some(kind) if !known.contains(&kind) => {
                bail!("{option} {self}: there is no '{kind}', only {}", known.join(", "))
            }
            _ => Ok(()),
        }
    }

    /// The kind of operation that it is about; `None`: all together.
    pub fn kind(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    /// What it bounds.
    pub fn condition(&self) -> Condition {
        self.condition
    }

    /// For people, such as `P95 <= 5 ms`.
    pub fn words(&self) -> String {
        match self.condition {
            Condition::Percentile { percentile, most_ms } => {
                let kind = self.kind.as_ref().map(|kind| format!("{kind} ")).unwrap_or_default();
                format!("{kind}P{percentile} <= {most_ms} ms")
            }
            _ => self.text.clone(),
        }
    }

    /// Whether it bounds failed operations.
    pub fn bounds_errors(&self) -> bool {
        matches!(self.condition, Condition::Errors { .. } | Condition::ErrorShare { .. })
    }

    /// Whether it bounds those of a kind.
    pub fn bounds_errors_of(&self, kind: &str) -> bool {
        self.bounds_errors() && self.kind.as_deref().is_none_or(|own| own == kind)
    }
}

/// The kinds of which operations failed.
fn failing(outcome: &Outcome) -> impl Iterator<Item = &str> {
    outcome.tallies.iter().filter(|tally| tally.errors > 0).map(|tally| tally.name.as_str())
}

/// Whether failed operations are bounded, by condition or by being none: those of each kind, and those without an answer.
pub fn are_errors_bounded<'a>(slas: &[Sla], mut failing: impl Iterator<Item = &'a str>, unfinished: u64) -> bool {
    let of_all = || slas.iter().any(|sla| sla.bounds_errors() && sla.kind.is_none());
    failing.all(|kind| slas.iter().any(|sla| sla.bounds_errors_of(kind))) && (unfinished == 0 || of_all())
}

/// Whether all conditions hold together, with the verdict on each. Where none bounds the errors of a kind, none of it may fail.
pub fn held(slas: &[Sla], outcome: &Outcome) -> Result<(bool, Vec<SlaVerdict>)> {
    let verdicts: Vec<_> = slas.iter().map(|sla| sla.judge(outcome)).collect::<Result<_>>()?;
    let bounded = are_errors_bounded(slas, failing(outcome), outcome.unfinished);
    Ok((bounded && verdicts.iter().all(|verdict| verdict.met), verdicts))
}

/// The verdicts on all conditions of a run, and the reasons for which the run is invalid all the same.
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
        // What had no answer stays a reason of its own.
        if are_errors_bounded(slas, failing(outcome), 0) {
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
            Some((kind, condition)) => (Some(kind.to_lowercase()), condition),
            None => (None, text),
        };
        ensure!(kind.as_deref() != Some(""), "'{text}': the kind before ':' is empty");
        let condition: Condition = condition.parse().with_context(|| format!("'{text}'"))?;
        Ok(Self { text: text.to_owned(), kind, condition })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_kind_is_known_in_any_case_and_refused_before_a_run() {
        let sla: Sla = "singleGet:p99<=1ms".parse().unwrap();
        assert_eq!((sla.kind(), sla.to_string()), (Some("singleget"), "singleGet:p99<=1ms".to_owned()));
        sla.ensure_kind_of("-sla", &["insert", "singleget"]).unwrap();
        let refusal = sla.ensure_kind_of("--sla", &["insert", "get"]).unwrap_err().to_string();
        assert_eq!(refusal, "--sla singleGet:p99<=1ms: there is no 'singleget', only insert, get");
        "p99<=1ms".parse::<Sla>().unwrap().ensure_kind_of("-sla", &[]).unwrap();
    }
}
