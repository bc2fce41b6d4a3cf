// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Scenarios `emp` and `features`: the highest rate at which a level of service holds.

use std::time::Duration;

use anyhow::Result;

use crate::figure::{Better, Figure, Unit};
use crate::phase::{any, closed, open};
use crate::settings::Scale;
use crate::subject::Subject;
use crate::trial::{Searched, Trial};
use lab_load::load::Outcome;
use lab_load::report::{held, Sla};
use lab_load::search::{search, Found, Length, Probe, Search};

const EMP: &str = "p99<=2ms";
const FEATURES: &str = "p95<=5ms";
/// The ends of the answer are no further apart.
const PRECISION: f64 = 0.05;
/// A search ends after so many runs with what it has.
const PROBES_MAX: usize = 40;
/// To see it work.
const PROBES_MAX_TINY: usize = 6;
/// A short probe is this part of the measured length, a long one half of it.
const SHORT: u32 = 4;
const LONG: u32 = 2;

pub(super) fn emp(subject: &mut Subject<'_>) -> Result<Trial> {
    let settings = subject.settings();
    subject.fill()?;
    let warmups = vec![subject.warm("read=1")?];
    let searched = search_level(subject, "read-only", "read=1", &[EMP.parse()?])?;
    let mut figures = vec![rate(&searched)];
    let mixed = open("mixed", "read=1,insert=1", any(settings.rows), settings.length(), settings.rate_per_s);
    subject.prepare(&mixed)?;
    figures.extend(subject.measure(&mixed)?.figures());
    Ok(Trial { figures, warmups, searches: vec![searched], ..Trial::default() })
}

pub(super) fn features(subject: &mut Subject<'_>) -> Result<Trial> {
    let (settings, ops) = (subject.settings(), "insert=24,get=1");
    subject.fill()?;
    let warmups = vec![subject.warm(ops)?];
    subject.compact()?;
    let mut figures = subject.measure(&closed("closed loop", ops, any(settings.rows), settings.length()))?.figures();
    let searched = search_level(subject, "service", ops, &[FEATURES.parse()?])?;
    figures.push(rate(&searched));
    Ok(Trial { figures, warmups, searches: vec![searched], ..Trial::default() })
}

/// The middle of the interval, as far as there is one.
pub(super) fn rate(searched: &Searched) -> Figure {
    let Found { holds_per_s, fails_per_s, .. } = searched.found;
    let value = match (holds_per_s, fails_per_s) {
        (Some(holds), Some(fails)) => Some((holds * fails).sqrt()),
        (holds, _) => holds,
    };
    let why = format!("{}: the search ended unconfirmed", searched.name);
    let doubts = if searched.found.confirmed { Vec::new() } else { vec![why] };
    Figure::new(format!("{}: rate at {}", searched.name, searched.level), Unit::PerSecond, Better::Higher, value)
        .doubted(&doubts)
}

pub(super) fn search_level(subject: &mut Subject<'_>, name: &str, ops: &str, slas: &[Sla]) -> Result<Searched> {
    let settings = subject.settings();
    let (length, rows) = (settings.length(), settings.rows);
    let probes_max = if settings.scale == Scale::Tiny { PROBES_MAX_TINY } else { PROBES_MAX };
    let start_per_s = settings.rate_per_s * (1.0 + PRECISION).powf(part_of_step(subject.round()));
    let limits = Search {
        start_per_s,
        precision: PRECISION,
        floor_per_s: start_per_s / 64.0,
        ceiling_per_s: start_per_s * 64.0,
        probes_max,
    };
    subject.lead_in(&open("probe", ops.to_owned(), any(rows), length, start_per_s))?;
    let found = search(limits, &mut |rate_per_s, wanted| {
        let part = if wanted == Length::Long { LONG } else { SHORT };
        let seconds = (length / part).max(Duration::from_secs(1));
        let outcome = subject.probe(&open("probe", ops.to_owned(), any(rows), seconds, rate_per_s))?;
        subject.settle()?;
        probe(&outcome, rate_per_s, slas)
    })?;
    let level = slas.iter().map(Sla::words).collect::<Vec<_>>().join(", ");
    if !found.confirmed {
        subject.notes.push(format!("{name}: the search for {level} ended after {probes_max} runs unconfirmed"));
    }
    if found.client_limited {
        subject.invalid.push(format!("{name}: the client failed before the servers did in the search for {level}"));
    }
    Ok(Searched { name: name.to_owned(), level, found })
}

/// From 0 to 1, another part in each round and for all engines the same: else a search tries the same few rates in all rounds, and
/// two engines alike, a little above one of them and a little below, differ by a whole step each time. (Van der Corput's sequence.)
fn part_of_step(round: usize) -> f64 {
    (round as u64).reverse_bits() as f64 / 2_f64.powi(64)
}

fn probe(outcome: &Outcome, rate_per_s: f64, slas: &[Sla]) -> Result<Probe> {
    let operations: u64 = outcome.tallies.iter().map(|tally| tally.operations).sum();
    let due_s = outcome.loaded().as_secs_f64();
    let (met, judged) = held(slas, outcome)?;
    Ok(Probe {
        rate_per_s,
        achieved_per_s: operations as f64 / due_s.max(1e-9),
        met,
        judged,
        client_limited: outcome.invalid.iter().find(|reason| reason.starts_with("client:")).cloned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_share_out_a_step_of_the_search() {
        assert_eq!([0, 1, 2, 3, 4].map(part_of_step), [0.0, 0.5, 0.25, 0.75, 0.125]);
    }
}
