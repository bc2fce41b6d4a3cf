// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What clients see at a fixed rate while a node dies and is replaced.

use std::time::Duration;

use anyhow::Result;

use super::ends::Ends;
use super::replacement::{newest, received};
use crate::compare::figure::{Better, Figure, Unit};
use crate::compare::phase::{any, latency_figures, open, Phase};
use crate::compare::subject::Subject;
use crate::compare::warmup::Warmup;
use crate::load::{Interval, Outcome, Pace, Stop, Tally};

const OPS: &str = "read=1,insert=1";
/// The load runs so long before the node dies.
const LEAD: Duration = Duration::from_secs(5);

/// The same load on the whole cluster, then while its newest node dies and is replaced.
pub(super) fn run(subject: &mut Subject<'_>) -> Result<(Warmup, Vec<Figure>)> {
    let (settings, rate_per_s) = (subject.settings(), subject.settings().rate_per_s);
    let warmup = subject.warm(OPS)?;
    let steady = subject.measure(&open("steady", OPS, any(settings.rows), settings.length(), rate_per_s))?;
    let mut figures = latency_figures("steady", &steady.outcome);
    let victim = newest(subject.cluster())?;
    let pace = Pace::Open { per_s: rate_per_s };
    let phase = Phase { name: "replacement", ops: OPS, population: any(settings.rows), pace, stop: Stop::WorkloadEnds };
    let loaded = subject.load_while(&phase, |cluster| {
        std::thread::sleep(LEAD);
        cluster.kill(victim)?;
        cluster.replace(victim)
    })?;
    subject.members_changed()?;
    let received = received(subject, &Ends::of(subject.cluster(), loaded.done)?)?;
    let since_start = |at_unix_ms: f64| Duration::from_secs_f64((at_unix_ms - loaded.began_unix_ms).max(0.0) / 1e3);
    let (from, to) = (since_start(received.from_unix_ms), since_start(received.to_unix_ms));
    figures.extend(latency_figures("replacement", &loaded.outcome));
    figures.extend(latency_figures("during streaming", &within(&loaded.outcome, from, to)));
    figures.push(Figure::new("loaded: streaming time", Unit::Seconds, Better::Lower, Some(received.length_s())));
    figures.extend(errors(&loaded.outcome));
    subject.settle()?;
    Ok((warmup, figures))
}

fn errors(outcome: &Outcome) -> Vec<Figure> {
    let count = |of: &dyn Fn(&Tally) -> u64| Some(outcome.tallies.iter().map(of).sum::<u64>() as f64);
    let figure = |name: &str, value: Option<f64>| Figure::new(name, Unit::Count, Better::Neither, value);
    vec![
        figure("replacement: operations", count(&|tally| tally.operations)),
        figure("replacement: errors", count(&|tally| tally.errors)),
        figure("replacement: retries", count(&|tally| tally.retries)),
    ]
}

/// The part of a run whose intervals lie at least partly between two moments since its start, or have an operation that
/// was due between them: what the streaming held up ends after it.
fn within(outcome: &Outcome, from: Duration, to: Duration) -> Outcome {
    let touches = |interval: &&Interval| interval.from < to + slowest(interval) && interval.to > from;
    let intervals: Vec<Interval> = outcome.intervals.iter().filter(touches).cloned().collect();
    let tallies = outcome.tallies.iter().enumerate().map(|(place, tally)| {
        let parts = intervals.iter().filter_map(|interval| interval.tallies.get(place));
        parts.fold(empty(tally), |mut all, part| {
            all.operations += part.operations;
            all.errors += part.errors;
            // Histograms of one recorder have one range: adding cannot fail.
            let _ = all.response_ns.add(&part.response_ns);
            all
        })
    });
    Outcome { tallies: tallies.collect(), intervals, ..outcome.clone() }
}

/// The longest response time of the operations that ended in an interval.
fn slowest(interval: &Interval) -> Duration {
    let longest_ns = interval.tallies.iter().map(|tally| tally.response_ns.max()).max();
    Duration::from_nanos(longest_ns.unwrap_or_default())
}

fn empty(tally: &Tally) -> Tally {
    let mut none = Tally { operations: 0, partitions: 0, rows: 0, errors: 0, retries: 0, ..tally.clone() };
    none.response_ns.reset();
    none.service_ns.reset();
    none
}
