// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Ratios and verdicts from the figures of all rounds.

use serde::Serialize;

use crate::figure::{Better, Detail, Figure, Unit};
use crate::statistics::{
    discoveries, ratio_interval, within_one_run, Blocks, PairedDifference, PairedRatio, ROUNDS_MIN,
};

/// The share of verdicts other than "cannot tell" that may be wrong; with engines alike, the chance that there is any.
pub const FALSE_DISCOVERY_RATE: f64 = 0.05;

/// The verdict on one figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Verdict {
    /// The subject is better than the baseline.
    #[serde(rename = "better")]
    Better,
    /// The subject is worse.
    #[serde(rename = "worse")]
    Worse,
    /// The data does not say.
    #[serde(rename = "cannot tell")]
    CannotTell,
}

impl Verdict {
    /// As it is written everywhere.
    pub fn label(self) -> &'static str {
        match self {
            Verdict::Better => "better",
            Verdict::Worse => "worse",
            Verdict::CannotTell => "cannot tell",
        }
    }
}

/// One engine's figures, one list per round.
#[derive(Clone, Debug, Serialize)]
pub struct EngineRounds {
    /// The engine, with a number when it runs more than once (`stock`, `stock #2`).
    pub engine: String,
    /// By round, as far as they were run.
    pub rounds: Vec<Vec<Figure>>,
}

/// One figure of the subject against one baseline.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    /// The figure.
    pub name: String,
    /// Its unit.
    pub unit: Unit,
    /// Which way is better.
    pub better: Better,
    /// Whose is divided.
    pub subject: String,
    /// By whose.
    pub baseline: String,
    /// Geometric mean over rounds of subject / baseline.
    pub ratio: Option<f64>,
    /// 95 % interval of the ratio.
    pub low: Option<f64>,
    /// Its upper end; absent when it has none.
    pub high: Option<f64>,
    /// Subject - baseline, where a value is zero and there is no ratio.
    pub difference: Option<PairedDifference>,
    /// Student's p of the paired logarithms, or of the differences where there is no ratio.
    pub p: Option<f64>,
    /// Rounds in which both have the figure.
    pub rounds: usize,
    /// The verdict on one figure.
    pub verdict: Verdict,
    /// Why there is no verdict, when the numbers themselves do not show it.
    pub reason: Option<String>,
}

impl Judged {
    /// Why it is neither better nor worse; `None` where it is.
    pub fn doubt(&self) -> Option<String> {
        if self.verdict != Verdict::CannotTell {
            return None;
        }
        if self.better == Better::Neither {
            return Some(self.better.words().to_owned());
        }
        let spans_nothing = match self.difference {
            Some(difference) => difference.low <= 0.0 && difference.high >= 0.0,
            None => self.low.is_none_or(|low| low <= 1.0) && self.high.is_none_or(|high| high >= 1.0),
        };
        Some(match &self.reason {
            Some(reason) => reason.clone(),
            None if self.p.is_none() => "nothing to compare".to_owned(),
            None if spans_nothing => "no difference is within the interval".to_owned(),
            None => "among so many figures it may be chance".to_owned(),
        })
    }
}

/// The last engine against each of the others. All figures that have a better side are one family for [`discoveries`].
pub fn judge(engines: &[EngineRounds]) -> Vec<Judged> {
    let Some((subject, baselines)) = engines.split_last() else { return Vec::new() };
    let mut judged: Vec<Judged> = baselines
        .iter()
        .flat_map(|baseline| names(subject).into_iter().map(|name| ratio(&name, subject, baseline)))
        .collect();
    let family: Vec<usize> = (0..judged.len()).filter(|at| judged.get(*at).is_some_and(may_be_judged)).collect();
    let p_values: Vec<f64> = family.iter().filter_map(|at| judged.get(*at)?.p).collect();
    for (at, found) in family.into_iter().zip(discoveries(&p_values, FALSE_DISCOVERY_RATE)) {
        if let Some(judged) = judged.get_mut(at).filter(|_| found) {
            judged.verdict = verdict(judged);
        }
    }
    judged
}

fn may_be_judged(judged: &Judged) -> bool {
    judged.better != Better::Neither && judged.rounds >= ROUNDS_MIN && judged.p.is_some() && judged.reason.is_none()
}

/// A discovery still has to lie outside its own interval, which for percentiles also holds the bootstrap's.
fn verdict(judged: &Judged) -> Verdict {
    let (lower, higher) = match judged.difference {
        Some(difference) => (difference.high < 0.0, difference.low > 0.0),
        None => (judged.high.is_some_and(|high| high < 1.0), judged.low.is_some_and(|low| low > 1.0)),
    };
    match (judged.better, lower, higher) {
        (Better::Lower, true, _) | (Better::Higher, _, true) => Verdict::Better,
        (Better::Lower, _, true) | (Better::Higher, true, _) => Verdict::Worse,
        _ => Verdict::CannotTell,
    }
}

fn names(engine: &EngineRounds) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for figure in engine.rounds.iter().flatten() {
        if !names.contains(&figure.name) {
            names.push(figure.name.clone());
        }
    }
    names
}

fn ratio(name: &str, subject: &EngineRounds, baseline: &EngineRounds) -> Judged {
    let of = |round: &'_ [Figure]| round.iter().find(|figure| figure.name == name).cloned();
    let pairs: Vec<(Figure, Figure)> = subject
        .rounds
        .iter()
        .zip(&baseline.rounds)
        .filter_map(|(subject, baseline)| Some((of(subject)?, of(baseline)?)))
        .filter(|(subject, baseline)| subject.value.is_some() && baseline.value.is_some())
        .collect();
    let known = subject.rounds.iter().find_map(|round| of(round));
    let values: Vec<(f64, f64)> = pairs.iter().filter_map(|(a, b)| Some((a.value?, b.value?))).collect();
    let paired = PairedRatio::of(&values);
    let difference = PairedDifference::of(&values).filter(|_| paired.is_none() && values.len() >= ROUNDS_MIN);
    let (low, high) = match &paired {
        Some(paired) if paired.rounds >= ROUNDS_MIN => widened(paired, &pairs),
        _ => within(&pairs).map_or((None, None), |(low, high)| (Some(low), Some(high))),
    };
    Judged {
        name: name.to_owned(),
        unit: known.as_ref().map_or(Unit::Count, |figure| figure.unit),
        better: known.map_or(Better::Neither, |figure| figure.better),
        subject: subject.engine.clone(),
        baseline: baseline.engine.clone(),
        ratio: paired.map(|paired| paired.ratio),
        low,
        high,
        difference,
        p: paired
            .filter(|paired| paired.rounds >= ROUNDS_MIN)
            .map(|paired| paired.p)
            .or(difference.map(|difference| difference.p)),
        rounds: pairs.len(),
        verdict: Verdict::CannotTell,
        reason: reason(&values, &pairs),
    }
}

fn reason(values: &[(f64, f64)], pairs: &[(Figure, Figure)]) -> Option<String> {
    if values.is_empty() {
        return Some("not measured on both".to_owned());
    }
    if values.len() < ROUNDS_MIN {
        return Some(format!("{} of at least {ROUNDS_MIN} rounds; the interval is that within a run", values.len()));
    }
    pairs.iter().find_map(|(subject, baseline)| subject.doubt.clone().or_else(|| baseline.doubt.clone()))
}

fn widened(paired: &PairedRatio, pairs: &[(Figure, Figure)]) -> (Option<f64>, Option<f64>) {
    let (low, high) = quantile_interval(pairs).unwrap_or((f64::INFINITY, 0.0));
    (Some(paired.low.min(low)), Some(paired.high.max(high)))
}

/// Too few rounds: what a run says of itself.
fn within(pairs: &[(Figure, Figure)]) -> Option<(f64, f64)> {
    if let Some(interval) = quantile_interval(pairs) {
        return Some(interval);
    }
    match pairs {
        [(Figure { detail: Detail::Series(subject), .. }, Figure { detail: Detail::Series(baseline), .. })] => {
            within_one_run(subject, baseline).map(|(_, low, high)| (low, high))
        }
        _ => None,
    }
}

fn quantile_interval(pairs: &[(Figure, Figure)]) -> Option<(f64, f64)> {
    let mut quantile = None;
    let blocks: Vec<(&Blocks, &Blocks)> = pairs
        .iter()
        .filter_map(|(subject, baseline)| match (&subject.detail, &baseline.detail) {
            (Detail::Quantile(at, subject), Detail::Quantile(_, baseline)) => {
                quantile = Some(*at);
                Some((subject, baseline))
            }
            _ => None,
        })
        .collect();
    ratio_interval(&blocks, quantile?, 1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::*;

    fn judged(subject: [f64; 4], baseline: [f64; 4], better: Better, doubts: &[String]) -> Judged {
        let rounds = |values: [f64; 4]| {
            let figure = |value| Figure::new("x", Unit::Percent, better, Some(value)).doubted(doubts);
            values.into_iter().map(|value| vec![figure(value)]).collect()
        };
        let baseline = EngineRounds { engine: "stock".to_owned(), rounds: rounds(baseline) };
        let subject = EngineRounds { engine: "cassiterite".to_owned(), rounds: rounds(subject) };
        judge(&[baseline, subject]).remove(0)
    }

    #[test]
    fn less_is_better_or_worse_as_the_figure_says() {
        let (low, high) = ([10.0, 11.0, 10.5, 10.2], [20.0, 21.0, 20.5, 20.1]);
        assert_eq!(judged(low, high, Better::Lower, &[]).verdict, Verdict::Better);
        assert_eq!(judged(low, high, Better::Higher, &[]).verdict, Verdict::Worse);
        assert_eq!(judged(low, high, Better::Neither, &[]).verdict, Verdict::CannotTell);
    }

    #[test]
    fn zeros_are_judged_by_their_difference() {
        let judged = judged([0.0; 4], [2.0, 2.5, 1.8, 2.2], Better::Lower, &[]);
        assert_eq!((judged.verdict, judged.ratio), (Verdict::Better, None));
        assert!(judged.difference.unwrap().high < 0.0);
    }

    #[test]
    fn what_has_no_verdict_has_a_reason() {
        let (low, high) = ([10.0, 11.0, 10.5, 10.2], [20.0, 21.0, 20.5, 20.1]);
        let doubt = |subject, better, doubts: &[String]| judged(subject, high, better, doubts).doubt();
        assert_eq!(doubt(low, Better::Lower, &[]), None);
        assert_eq!(doubt(low, Better::Neither, &[]).unwrap(), "shown for context");
        assert_eq!(doubt(low, Better::Lower, &["client: late".to_owned()]).unwrap(), "client: late");
        assert_eq!(doubt(high, Better::Lower, &[]).unwrap(), "no difference is within the interval");
        let noisy = [10.0, 30.0, 12.0, 26.0];
        assert_eq!(doubt(noisy, Better::Higher, &[]).unwrap(), "no difference is within the interval");
    }

    #[test]
    fn what_the_client_spoiled_gets_no_verdict() {
        let (low, high) = ([10.0, 11.0, 10.5, 10.2], [20.0, 21.0, 20.5, 20.1]);
        let judged = judged(low, high, Better::Lower, &["client: it was late".to_owned()]);
        assert_eq!(judged.verdict, Verdict::CannotTell);
        assert!(judged.reason.unwrap().starts_with("client"));
    }
}
