// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What comes of one run or of several, in a sentence.

use super::number;
use crate::report::{Run, RunVerdict, SlaVerdict};

/// Of one run.
pub fn of(run: &Run) -> String {
    match run.verdict() {
        RunVerdict::Invalid => {
            let more = match run.invalid.len() {
                0 | 1 => String::new(),
                2 => ", and one more reason".to_owned(),
                count => format!(", and {} more reasons", count - 1),
            };
            let first = run.invalid.first().map(String::as_str).unwrap_or_default();
            format!("INVALID: believe none of these figures. {first}{more}.")
        }
        RunVerdict::Missed => {
            let missed = promises(run, |sla| !sla.met);
            let held = run.slas.iter().filter(|sla| sla.met).count();
            let rest = if held > 0 { format!("; {held} of {} conditions held", run.slas.len()) } else { String::new() };
            format!("SLA missed: {missed}, at {}{rest}.", load(run))
        }
        RunVerdict::Pass if run.slas.is_empty() => {
            let latency = &run.total.part.response;
            let (p50, p99) = (number::ms(latency.p50_ms), number::ms(latency.p99_ms));
            format!("Valid: {}, half of them within {p50} and 99 % within {p99}; no SLA was asked for.", load(run))
        }
        RunVerdict::Pass => format!("SLA met: {}, at {}.", promises(run, |_| true), load(run)),
    }
}

/// Of several runs; one run of each proves no difference.
pub fn of_all(runs: &[Run]) -> String {
    let believed: Vec<&Run> = runs.iter().filter(|run| run.verdict() != RunVerdict::Invalid).collect();
    let invalid = runs.len() - believed.len();
    let doubt = if invalid > 0 { format!("INVALID: {invalid} of {} runs. ", runs.len()) } else { String::new() };
    let p99 = |run: &&&Run| run.total.part.response.p99_ms;
    let least = believed.iter().min_by(|one, other| p99(one).total_cmp(&p99(other)));
    let most = believed.iter().max_by(|one, other| p99(one).total_cmp(&p99(other)));
    match (least, most) {
        (Some(least), Some(most)) if believed.len() > 1 => {
            let named = |run: &Run| format!("{} ({})", run.name, number::ms(run.total.part.response.p99_ms));
            format!(
                "{doubt}P99 was lowest in {} and highest in {}; single runs prove no difference.",
                named(least),
                named(most)
            )
        }
        _ => format!("{doubt}There are not two runs to compare."),
    }
}

fn load(run: &Run) -> String {
    let (done, due) = (number::plain(run.operations_per_s()), run.rate_per_s.map(number::plain));
    match due {
        Some(due) if due != done => format!("{done} of {due} operations per second"),
        _ => format!("{done} operations per second"),
    }
}

fn promises(run: &Run, of: impl Fn(&SlaVerdict) -> bool) -> String {
    let told = run.slas.iter().filter(|sla| of(sla)).map(|sla| format!("{} ({})", sla.sla, sla.measured));
    told.collect::<Vec<_>>().join(", ")
}
