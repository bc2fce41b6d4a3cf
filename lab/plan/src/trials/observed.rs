// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What a load saw, in the form that the journal keeps and verdicts are made of.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use lab_compare::statistics::{effective_size, Blocks, Histogram};
use lab_load::load::{Interval, Latencies, Outcome, Tally};
use lab_load::report::{decoded, encoded};

/// Parts of a run at most.
const PARTS_MAX: usize = 30;

/// One load on one configuration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Observed {
    /// Operations due per second; `None`: a closed loop.
    pub rate_per_s: Option<f64>,
    /// Operations in flight: exactly (closed loop), at most (open loop).
    pub in_flight: usize,
    /// Measured time.
    pub elapsed_s: f64,
    /// At its end, in an open loop: nothing was due any more, and the last operations were waited for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub after_s: f64,
    /// Operations that had no answer when the wait for the last ones was over; of which kinds is not known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unfinished: u64,
    /// By kind of operation.
    pub kinds: Vec<KindObserved>,
    /// Rows compared with what was acknowledged.
    pub rows_checked: u64,
    /// Wrong rows that the levels explain.
    pub explained: u64,
    /// Wrong rows that nothing explains.
    pub unexplained: u64,
    /// The limit that the client met.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The servers did not keep up: in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saturated: Option<String>,
    /// The first few errors and wrong rows, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first: Vec<String>,
}

fn is_zero<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// One kind of operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KindObserved {
    /// Its name.
    pub name: String,
    /// Operations that ended well.
    pub operations: u64,
    /// Operations that failed for good.
    pub errors: u64,
    /// Response times in nanoseconds, to 3 digits: HdrHistogram V2, compressed, base64.
    pub response: String,
    /// The same by parts of the run, to 2 digits; parts are long enough to be independent of each other, and those of all
    /// kinds are of the same times.
    pub parts: Vec<String>,
}

impl KindObserved {
    fn of(tally: &Tally, response: String, parts: Vec<String>) -> Self {
        Self { name: tally.name.clone(), operations: tally.operations, errors: tally.errors, response, parts }
    }
}

impl Observed {
    /// Of the outcome of a load.
    pub fn of(outcome: &Outcome) -> Result<Self> {
        let length = part_length(&outcome.intervals);
        let kind = |(place, tally): (usize, &Tally)| -> Result<KindObserved> {
            let parts = outcome.intervals.chunks(length).map(|part| joined(part, place)).collect::<Result<_>>()?;
            Ok(KindObserved::of(tally, encoded(&tally.response_ns)?, parts))
        };
        let first_errors = outcome.first_errors.iter().map(|(error, times)| format!("{times} x {error}"));
        Ok(Self {
            rate_per_s: outcome.rate_per_s,
            in_flight: outcome.in_flight,
            elapsed_s: outcome.elapsed.as_secs_f64(),
            after_s: outcome.after.as_secs_f64(),
            unfinished: outcome.unfinished,
            kinds: outcome.tallies.iter().enumerate().map(kind).collect::<Result<_>>()?,
            rows_checked: outcome.rows_checked,
            explained: outcome.faults.iter().map(|fault| fault.explained_by_consistency).sum(),
            unexplained: outcome.unexplained(),
            client: outcome.invalid.iter().find(|reason| reason.contains("client:")).cloned(),
            saturated: outcome.saturated.first().cloned(),
            first: outcome.first_faults.iter().cloned().chain(first_errors).take(6).collect(),
        })
    }

    /// Of a short part of a load, its times to 2 digits; no rows are compared by part.
    pub fn of_interval(interval: &Interval, rate_per_s: Option<f64>) -> Result<Self> {
        let kind = |(place, tally): (usize, &Tally)| -> Result<KindObserved> {
            Ok(KindObserved::of(tally, joined(std::slice::from_ref(interval), place)?, Vec::new()))
        };
        Ok(Self {
            rate_per_s,
            elapsed_s: (interval.to - interval.from).as_secs_f64(),
            kinds: interval.tallies.iter().enumerate().map(kind).collect::<Result<_>>()?,
            ..Self::default()
        })
    }

    /// Adds another stretch of the same load on the same data.
    pub fn add(&mut self, more: &Self) -> Result<()> {
        for kind in &mut self.kinds {
            let Some(other) = more.kinds.iter().find(|other| other.name == kind.name) else { continue };
            kind.operations += other.operations;
            kind.errors += other.errors;
            let mut response = decoded(&kind.response)?;
            response.add(decoded(&other.response)?)?;
            kind.response = encoded(&response)?;
            kind.parts.extend(other.parts.iter().cloned());
        }
        self.elapsed_s += more.elapsed_s;
        self.after_s += more.after_s;
        self.unfinished += more.unfinished;
        self.rows_checked += more.rows_checked;
        self.explained += more.explained;
        self.unexplained += more.unexplained;
        self.client = self.client.take().or_else(|| more.client.clone());
        self.saturated = self.saturated.take().or_else(|| more.saturated.clone());
        self.first.extend(more.first.iter().cloned());
        self.first.truncate(6);
        Ok(())
    }

    fn of_kind<'a>(&'a self, kind: Option<&'a str>) -> impl Iterator<Item = &'a KindObserved> {
        self.kinds.iter().filter(move |own| kind.is_none_or(|kind| own.name == kind))
    }

    /// Operations that ended well and that failed, of a kind or of all. Those without an answer failed, too.
    pub fn counts(&self, kind: Option<&str>) -> (u64, u64) {
        let unfinished = if kind.is_none() { self.unfinished } else { 0 };
        self.of_kind(kind)
            .fold((0, unfinished), |(operations, errors), kind| (operations + kind.operations, errors + kind.errors))
    }

    /// Operations per second that ended well.
    pub fn throughput_per_s(&self) -> f64 {
        self.counts(None).0 as f64 / self.elapsed_s.max(1e-9)
    }

    /// Operations per second that the servers took, failed ones as well, while some were due: a wait for the last ones says
    /// nothing of the rate in a short run.
    pub fn reached_per_s(&self) -> f64 {
        let (operations, errors) = self.counts(None);
        (operations + errors) as f64 / (self.elapsed_s - self.after_s).max(1e-9)
    }

    /// Response times of a kind, or of all.
    pub fn response(&self, kind: Option<&str>) -> Result<Latencies> {
        let mut all = Latencies::new(3)?;
        all.auto(true);
        for kind in self.of_kind(kind) {
            all.add(decoded(&kind.response)?)?;
        }
        Ok(all)
    }

    /// The same of all kinds, by parts of the run that are alike in length.
    pub fn parts(&self) -> Result<Vec<Latencies>> {
        self.parts_of(None)
    }

    /// Response times of a kind, or of all, by parts of the run.
    pub fn blocks(&self, kind: Option<&str>) -> Result<Blocks> {
        let histogram = |part: &Latencies| -> Histogram {
            part.iter_recorded().map(|step| (step.value_iterated_to(), step.count_at_value())).collect()
        };
        Ok(Blocks::from_parts(self.parts_of(kind)?.iter().map(histogram).collect()))
    }

    fn parts_of(&self, kind: Option<&str>) -> Result<Vec<Latencies>> {
        let mut parts: Vec<Latencies> = Vec::new();
        for kind in self.of_kind(kind) {
            for (at, word) in kind.parts.iter().enumerate() {
                let part = decoded(word)?;
                match parts.get_mut(at) {
                    Some(sum) => sum.add(part)?,
                    None => parts.push(part),
                }
            }
        }
        Ok(parts)
    }
}

/// Intervals of one part: as many as the autocorrelation of their means asks for.
fn part_length(intervals: &[Interval]) -> usize {
    let mean = |interval: &Interval| {
        let sums = interval.tallies.iter().map(|tally| (tally.response_ns.mean(), tally.response_ns.len() as f64));
        let (sum, count) = sums.fold((0.0, 0.0), |(sum, all), (mean, count)| (sum + mean * count, all + count));
        sum / f64::max(count, 1.0)
    };
    let means: Vec<f64> = intervals.iter().map(mean).collect();
    let correlated = (means.len() as f64 / effective_size(&means).max(1.0)).ceil() as usize;
    correlated.max(intervals.len().div_ceil(PARTS_MAX)).max(1)
}

fn joined(intervals: &[Interval], place: usize) -> Result<String> {
    let mut all = Latencies::new(2)?;
    all.auto(true);
    for tally in intervals.iter().filter_map(|interval| interval.tallies.get(place)) {
        all.add(&tally.response_ns)?;
    }
    encoded(&all)
}
