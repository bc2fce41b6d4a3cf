// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Response times at a fixed rate while a node dies and is replaced.

use std::time::Duration;

use anyhow::Result;

use super::ends::Ends;
use super::replacement::{newest, received};
use crate::figure::{Better, Figure, Unit};
use crate::phase::{any, latency_figures, open, Phase};
use crate::subject::Subject;
use crate::warmup::Warmup;
use lab_load::load::{Interval, Outcome, Pace, Stop, Tally};

const OPS: &str = "read=1,insert=1";
/// The load runs so long before the node dies.
const LEAD: Duration = Duration::from_secs(5);

/// The same load on the whole cluster, then while its newest node dies and is replaced.
pub(super) fn run(subject: &mut Subject<'_>) -> Result<(Warmup, Vec<Figure>)> {
    let (settings, rate_per_s) = (subject.settings(), subject.settings().rate_per_s);
    let warmup = subject.warm(OPS)?;
    let steady = open("steady", OPS, any(settings.rows), settings.length(), rate_per_s);
    subject.lead_in(&steady)?;
    let steady = subject.measure(&steady)?;
    let mut figures = latency_figures("steady", &steady.outcome);
    let victim = newest(subject.cluster())?;
    let pace = Pace::Open { per_s: rate_per_s };
    let phase =
        Phase { name: "replacement", ops: OPS.into(), population: any(settings.rows), pace, stop: Stop::WorkloadEnds };
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

/// The part of a run between two moments since its start.
fn within(outcome: &Outcome, from: Duration, to: Duration) -> Outcome {
    let intervals = parts(&outcome.intervals, from, to);
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

/// Operations of the intervals that overlap two instants, and later ones that were due before the
/// second: the streaming held it up.
fn parts(intervals: &[Interval], from: Duration, to: Duration) -> Vec<Interval> {
    let after = intervals.iter().filter(|interval| interval.to > from);
    after
        .filter_map(|interval| if interval.from < to { Some(interval.clone()) } else { due_before(interval, to) })
        .collect()
}

/// The operations of an interval that were due before an instant, wherever in the interval they ended; `None` where there are none.
fn due_before(interval: &Interval, instant: Duration) -> Option<Interval> {
    let waited_ns = u64::try_from(interval.to.saturating_sub(instant).as_nanos()).unwrap_or(u64::MAX);
    let due = |tally: &Tally| {
        let mut part = empty(tally);
        for bucket in tally.response_ns.iter_recorded().filter(|bucket| bucket.value_iterated_to() > waited_ns) {
            part.response_ns.saturating_record_n(bucket.value_iterated_to(), bucket.count_at_value());
        }
        part.operations = part.response_ns.len();
        part
    };
    let tallies: Vec<Tally> = interval.tallies.iter().map(due).collect();
    let is_any = tallies.iter().any(|tally| tally.operations > 0);
    is_any.then_some(Interval { from: interval.from, to: interval.to, backlog: interval.backlog, tallies })
}

fn empty(tally: &Tally) -> Tally {
    let mut none = Tally { operations: 0, partitions: 0, rows: 0, errors: 0, retries: 0, ..tally.clone() };
    none.response_ns.reset();
    none.service_ns.reset();
    none
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use lab_load::load::Latencies;

    const SECOND: Duration = Duration::from_secs(1);

    /// The one that ends after so many seconds, with operations by their response times in seconds.
    fn interval(to_s: u32, responses_s: &[(u64, u64)]) -> Interval {
        let mut response_ns = Latencies::new_with_bounds(1, 60_000_000_000, 3).unwrap();
        for (response_s, count) in responses_s {
            response_ns.record_n(response_s * 1_000_000_000, *count).unwrap();
        }
        let service_ns = response_ns.clone();
        let operations = response_ns.len();
        let tally = Tally {
            name: "read".into(),
            operations,
            partitions: 0,
            rows: 0,
            errors: 0,
            retries: 0,
            response_ns,
            service_ns,
        };
        Interval { from: SECOND * (to_s - 1), to: SECOND * to_s, backlog: 0, tallies: vec![tally] }
    }

    #[test]
    fn of_what_ended_later_only_what_was_due_in_time_counts() {
        let run = [
            interval(1, &[(0, 1)]),
            interval(2, &[(0, 10)]),
            interval(3, &[(0, 20), (1, 5)]),
            interval(9, &[(0, 900), (5, 40), (7, 2)]),
            interval(10, &[(0, 1000)]),
        ];
        let parts = parts(&run, SECOND, SECOND * 3);
        let counts: Vec<u64> =
            parts.iter().map(|part| part.tallies.iter().map(|tally| tally.operations).sum()).collect();
        assert_eq!(counts, [10, 25, 2]);
        let longest_ns = parts.last().and_then(|part| Some(part.tallies.first()?.response_ns.max())).unwrap();
        assert!((6_990_000_000..=7_010_000_000).contains(&longest_ns), "{longest_ns}");
    }
}
