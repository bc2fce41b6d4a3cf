// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Verdicts on one load: each condition with its interval against its limit.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::trials::observed::Observed;
use lab_compare::statistics::{error_share_interval, quantile_interval};
use lab_load::report::{Condition, Sla};

/// Below this share of the rate the servers have not kept up.
const ACHIEVED_MIN: f64 = 0.98;
/// What is seen in no operation of so many may still happen once in a third as many (at 95 %).
pub(crate) const RULE_OF_THREE: f64 = 3.0;
/// Resampling is repeatable: the same run gets the same interval.
const SEED: u64 = 1;

/// Whether something holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Its whole interval is within the limit.
    Holds,
    /// Its whole interval is beyond.
    Fails,
    /// The limit is within the interval.
    TooNoisy,
    /// The client met a limit of its own.
    ClientLimited,
    /// The table could not be filled: nothing was measured.
    NotFilled,
    /// A node ended by itself.
    NodeEnded,
}

/// One condition in one load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConditionJudged {
    /// As the plan says it.
    pub sla: String,
    /// Milliseconds, a share, or a count.
    pub value: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// What it must not be above.
    pub limit: f64,
    /// Whether it holds.
    pub standing: Standing,
}

/// One load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadJudged {
    /// All conditions together.
    pub standing: Standing,
    /// By condition.
    pub conditions: Vec<ConditionJudged>,
    /// Why it fails beside its conditions: wrong rows, errors that nothing bounds, a rate that was not reached.
    pub reasons: Vec<String>,
    /// Wrong rows are among the reasons: no other round can excuse it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wrong: bool,
}

/// Judges a load by all conditions.
pub fn judge(slas: &[Sla], observed: &Observed) -> Result<LoadJudged> {
    let conditions = slas.iter().map(|sla| condition(sla, observed)).collect::<Result<Vec<_>>>()?;
    let wrong = wrong_rows(slas, observed.unexplained);
    let reasons: Vec<String> =
        [wrong.clone(), unbounded_errors(slas, observed), too_slow(observed)].into_iter().flatten().collect();
    let any = |standing| conditions.iter().any(|condition| condition.standing == standing);
    let failed = !reasons.is_empty() || any(Standing::Fails);
    let standing = match observed.client {
        // Whatever the client lacked, it did not make rows wrong, and it made response times longer only.
        _ if wrong.is_some() => Standing::Fails,
        Some(_) if failed || any(Standing::TooNoisy) => Standing::ClientLimited,
        _ if failed => Standing::Fails,
        _ if any(Standing::TooNoisy) => Standing::TooNoisy,
        _ => Standing::Holds,
    };
    Ok(LoadJudged { standing, conditions, reasons, wrong: wrong.is_some() })
}

/// Whether all hold by their values themselves, without intervals: for searches, whose repetitions take their place.
pub fn met(slas: &[Sla], observed: &Observed) -> Result<bool> {
    let reasons = [wrong_rows(slas, observed.unexplained), unbounded_errors(slas, observed), too_slow(observed)];
    let mut all = reasons.iter().all(Option::is_none) && observed.counts(None).0 > 0;
    for sla in slas {
        let (value, limit) = value(sla, observed)?;
        all &= value <= limit;
    }
    Ok(all)
}

/// So many wrong rows that no level explains, in words, where they are more than the conditions allow.
pub fn wrong_rows(slas: &[Sla], unexplained: u64) -> Option<String> {
    let bounds = slas.iter().filter_map(|sla| match sla.condition() {
        Condition::Unexplained { most } => Some(most),
        _ => None,
    });
    let most = bounds.min().unwrap_or(0);
    (unexplained > most).then(|| format!("{unexplained} wrong rows that the levels do not explain"))
}

fn unbounded_errors(slas: &[Sla], observed: &Observed) -> Option<String> {
    let unbounded = |name: &str| !slas.iter().any(|sla| sla.bounds_errors_of(name));
    let failed = observed.kinds.iter().filter(|kind| kind.errors > 0 && unbounded(&kind.name));
    let mut said: Vec<_> = failed.map(|kind| format!("{} of {} failed", kind.errors, kind.name)).collect();
    let bounds_all = slas.iter().any(|sla| sla.kind().is_none() && sla.bounds_errors());
    if observed.unfinished > 0 && !bounds_all {
        said.push(format!("{} had no answer long after the last was due", observed.unfinished));
    }
    (!said.is_empty()).then(|| said.join(", "))
}

fn too_slow(observed: &Observed) -> Option<String> {
    if observed.saturated.is_some() {
        return observed.saturated.clone();
    }
    let rate = observed.rate_per_s?;
    let reached = observed.reached_per_s();
    (reached < ACHIEVED_MIN * rate).then(|| format!("{reached:.0}/s of {rate:.0}/s were reached"))
}

/// What is measured and what it must not be above: milliseconds, a share, or a count.
fn value(sla: &Sla, observed: &Observed) -> Result<(f64, f64)> {
    let (operations, errors) = observed.counts(sla.kind());
    let response = || observed.response(sla.kind());
    Ok(match sla.condition() {
        Condition::Percentile { percentile, most_ms } => {
            (ms(response()?.value_at_percentile(percentile) as f64), most_ms)
        }
        Condition::Mean { most_ms } => (ms(response()?.mean()), most_ms),
        Condition::Max { most_ms } => (ms(response()?.max() as f64), most_ms),
        Condition::Errors { most } => (errors as f64, most as f64),
        Condition::ErrorShare { most } => (errors as f64 / (operations + errors).max(1) as f64, most),
        Condition::Unexplained { most } => (observed.unexplained as f64, most as f64),
        // The plan's loads say the rate; `too_slow` holds them to it.
        Condition::Rate { least_per_s } => (-observed.throughput_per_s(), -least_per_s),
    })
}

fn ms(nanoseconds: f64) -> f64 {
    nanoseconds / 1e6
}

fn condition(sla: &Sla, observed: &Observed) -> Result<ConditionJudged> {
    let (value, limit) = value(sla, observed)?;
    let (operations, errors) = observed.counts(sla.kind());
    let (low, high) = match sla.condition() {
        Condition::Percentile { percentile, .. } => {
            let interval = quantile_interval(&observed.blocks(sla.kind())?, percentile / 100.0, SEED);
            let (low, high) = interval.map_or((0.0, f64::MAX), |(low, high)| (ms(low), ms(high)));
            // The parts of a run are known to 2 digits, the whole to 3.
            (low.min(value), high.max(value))
        }
        Condition::ErrorShare { .. } => error_share_interval(errors, operations + errors),
        _ => (value, value),
    };
    let standing = match () {
        // What nobody measured has not been kept.
        () if operations + errors == 0 => Standing::Fails,
        // Too few to have met a slow one: that none is beyond the limit says nothing.
        () if high <= limit && beyond(sla, operations) < RULE_OF_THREE => Standing::TooNoisy,
        () if high <= limit => Standing::Holds,
        () if low > limit => Standing::Fails,
        () => Standing::TooNoisy,
    };
    Ok(ConditionJudged { sla: sla.to_string(), value, low, high, limit, standing })
}

/// Operations that are expected beyond the percentile of a condition.
fn beyond(sla: &Sla, operations: u64) -> f64 {
    match sla.condition() {
        Condition::Percentile { percentile, .. } => operations as f64 * (1.0 - percentile / 100.0),
        _ => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests;
