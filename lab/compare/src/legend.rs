// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a table or a page says of its figures: the conclusion, and what the signs mean.

use crate::figure::{counted, Better};
use crate::rounds::Comparison;
use crate::statistics::ROUNDS_MIN;
use crate::verdict::{Judged, Verdict, FALSE_DISCOVERY_RATE};

/// The legend of the table.
pub fn legend(comparison: &Comparison) -> Vec<String> {
    let settings = &comparison.settings;
    let mut words = vec![arrows()];
    words.push(format!(
        "median (least-most) of {}; ratio: geometric mean of the rounds' ratios with its 95 % interval; verdicts from \
         {ROUNDS_MIN} rounds on, at a false discovery rate of {} % over all figures",
        counted(settings.rounds, "round"),
        FALSE_DISCOVERY_RATE * 100.0
    ));
    if comparison.judged.iter().any(|judged| judged.difference.is_some()) {
        words.push("where a value is zero there is no ratio: the mean difference stands in its place".to_owned());
    }
    if let Some(split) = &settings.cpus {
        words.push(format!("{split}"));
    }
    if settings.fast_nodes {
        words.push("the nodes ran in test mode (serial GC, no C2 compiler): these numbers mean nothing".to_owned());
    }
    if !settings.rounds.is_multiple_of(2 * comparison.engines.len().max(1)) && comparison.engines.len() > 1 {
        words.push(
            "engines did not run in every place equally often: rounds are no multiple of twice their number".to_owned(),
        );
    }
    words
}

/// What the arrows mean.
pub(crate) fn arrows() -> String {
    let side = |better: Better, side: &str| format!("{} {}: a ratio {side} 1 is good", better.arrow(), better.words());
    format!("{}; {}", side(Better::Lower, "below"), side(Better::Higher, "above"))
}

/// Why figures have no verdict, each reason once with how many it is of.
pub(crate) fn unjudged(comparison: &Comparison) -> Vec<String> {
    let mut reasons: Vec<(String, usize)> = Vec::new();
    for reason in comparison.judged.iter().filter_map(Judged::doubt) {
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, count)) => *count += 1,
            None => reasons.push((reason, 1)),
        }
    }
    reasons.into_iter().map(|(reason, count)| format!("no verdict on {}: {reason}", counted(count, "figure"))).collect()
}

/// What comes of it: a sentence for each baseline, or one where nothing may be believed.
pub fn conclusions(comparison: &Comparison) -> Vec<String> {
    let Some((subject, baselines)) = comparison.engines.split_last() else { return Vec::new() };
    let invalid = comparison.runs.iter().filter(|run| !run.invalid.is_empty()).count();
    if invalid > 0 {
        return vec![format!("INVALID: {invalid} of {} must not be believed", counted(comparison.runs.len(), "run"))];
    }
    let of = |baseline: &String| {
        let judged = comparison.judged.iter().filter(|judged| judged.baseline == *baseline);
        let own = || judged.clone().filter(|judged| judged.better != Better::Neither);
        let count = |verdict: Verdict| own().filter(|judged| judged.verdict == verdict).count();
        let (better, worse) = (count(Verdict::Better), count(Verdict::Worse));
        format!(
            "{subject} against {baseline}: of {}, {better} better, {worse} worse, {} cannot be told",
            counted(own().count(), "figure"),
            count(Verdict::CannotTell)
        )
    };
    baselines.iter().map(of).collect()
}
