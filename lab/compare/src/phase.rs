// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A phase: one stretch of load, with what it cost the servers and the client.

use std::borrow::Cow;
use std::time::Duration;

use lab_load::load::{Class, Interval, Outcome, Pace, Stop, Tally};
use lab_load::observe::{ClientUse, Reading};
use lab_load::profile::Population;

use crate::figure::{Better, Detail, Figure, Unit};
use crate::statistics::{Blocks, Histogram};

/// A phase to run.
#[derive(Clone, Debug)]
pub struct Phase {
    /// In front of its figures.
    pub name: &'static str,
    /// `insert=1,read=1`.
    pub ops: Cow<'static, str>,
    /// Which partitions.
    pub population: Population,
    /// Open or closed loop.
    pub pace: Pace,
    /// When it ends.
    pub stop: Stop,
}

impl Phase {
    /// Whether it touches partitions at random.
    pub fn is_spread(&self) -> bool {
        matches!(self.population, Population::Spread(_))
    }
}

/// Counters of all nodes together between two moments; `None` where one of them has none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Used {
    /// Seconds between them.
    pub elapsed_s: f64,
    /// CPU seconds.
    pub cpu_s: Option<f64>,
    /// Bytes written to devices.
    pub disk_written_bytes: Option<f64>,
    /// Bytes read from devices.
    pub disk_read_bytes: Option<f64>,
    /// Seconds in pauses.
    pub pause_s: Option<f64>,
    /// Bytes allocated on the heap; only between exact readings.
    pub allocated_bytes: Option<f64>,
    /// Number of nodes.
    pub nodes: usize,
}

impl Used {
    /// Between two readings of the same nodes.
    pub fn between(before: &[Reading], after: &[Reading]) -> Self {
        let sum = |of: &dyn Fn(&Reading) -> Option<f64>| -> Option<f64> {
            before.iter().zip(after).map(|(before, after)| Some(of(after)? - of(before)?)).sum()
        };
        let elapsed = before.first().zip(after.first()).map(|(before, after)| after.at - before.at);
        Self {
            elapsed_s: elapsed.unwrap_or_default().as_secs_f64(),
            cpu_s: sum(&|reading| reading.process.cpu_s),
            disk_written_bytes: sum(&|reading| reading.process.disk_written_bytes.map(|bytes| bytes as f64)),
            disk_read_bytes: sum(&|reading| reading.process.disk_read_bytes.map(|bytes| bytes as f64)),
            pause_s: sum(&|reading| reading.gc.map(|gc| gc.pause_s)),
            allocated_bytes: sum(&|reading| reading.allocated_bytes.map(|bytes| bytes as f64)),
            nodes: after.len(),
        }
    }
}

/// A phase that was run.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Its name.
    pub name: String,
    /// The outcome of the load.
    pub outcome: Outcome,
    /// Reads or writes, by kind.
    pub classes: Vec<Class>,
    /// While the load ran.
    pub during: Used,
    /// From its start until the servers were quiet again.
    pub whole: Used,
    /// The client's own use.
    pub client: ClientUse,
}

impl Measured {
    /// Operations that ended well.
    pub fn operations(&self) -> u64 {
        self.outcome.tallies.iter().map(|tally| tally.operations).sum()
    }

    /// Rows read and written.
    pub fn rows(&self) -> u64 {
        self.outcome.tallies.iter().map(|tally| tally.rows).sum()
    }

    /// Operations per second.
    pub fn throughput_per_s(&self) -> f64 {
        self.operations() as f64 / self.outcome.loaded().as_secs_f64().max(1e-9)
    }

    /// Server CPU until the servers were quiet, per operation.
    pub fn cpu_us_per_operation(&self) -> Option<f64> {
        Some(self.whole.cpu_s? * 1e6 / self.operations() as f64)
    }

    /// All its figures.
    pub fn figures(&self) -> Vec<Figure> {
        // What the servers did is counted by the kernel, however late the client was; what the client saw is not.
        let mut figures = vec![self.throughput().doubted(&self.outcome.invalid)];
        figures.extend(latency_figures(&self.name, &self.outcome));
        figures.extend(self.costs());
        figures.extend(self.checks());
        figures
    }

    fn named(&self, what: &str, unit: Unit, better: Better, value: Option<f64>) -> Figure {
        Figure::new(format!("{}: {what}", self.name), unit, better, value)
    }

    fn throughput(&self) -> Figure {
        // In an open loop it is the rate that was asked for.
        let better = if self.outcome.rate_per_s.is_some() { Better::Neither } else { Better::Higher };
        let per_interval = self.outcome.intervals.iter().map(|interval| {
            let operations: u64 = interval.tallies.iter().map(|tally| tally.operations).sum();
            operations as f64 / (interval.to - interval.from).as_secs_f64()
        });
        let detail = Detail::Series(per_interval.collect());
        self.named("throughput", Unit::PerSecond, better, Some(self.throughput_per_s())).made_of(detail)
    }

    fn costs(&self) -> Vec<Figure> {
        let operations = self.operations() as f64;
        let per_operation = |total: Option<f64>| total.map(|total| total / operations);
        let stalled =
            self.during.pause_s.map(|pause_s| 100.0 * pause_s / (self.during.elapsed_s * self.during.nodes as f64));
        let mut figures = vec![
            self.named("server CPU per operation", Unit::Microseconds, Better::Lower, self.cpu_us_per_operation()),
            self.named(
                "Java allocation per operation",
                Unit::Bytes,
                Better::Lower,
                per_operation(self.whole.allocated_bytes),
            ),
            self.named("GC stall share", Unit::Percent, Better::Lower, stalled),
            self.named(
                "read from disk per operation",
                Unit::Bytes,
                Better::Neither,
                per_operation(self.whole.disk_read_bytes),
            ),
            self.named(
                "client CPU per operation",
                Unit::Microseconds,
                Better::Neither,
                Some(self.client.cpu_s * 1e6 / operations),
            ),
        ];
        if self.outcome.rate_per_s.is_some() {
            // What the client adds to the response times.
            let late_ms = self.outcome.late_ns.value_at_quantile(0.9999) as f64 / 1e6;
            figures.push(self.named("client started late, P99.99", Unit::Milliseconds, Better::Neither, Some(late_ms)));
        }
        let ingested = self.outcome.value_bytes_written as f64;
        if ingested > 0.0 {
            let written = self.whole.disk_written_bytes.map(|written| written / ingested);
            figures.insert(3, self.named("disk written per byte ingested", Unit::Times, Better::Lower, written));
        }
        figures
    }

    fn checks(&self) -> Vec<Figure> {
        let count = |of: &dyn Fn(&Tally) -> u64| Some(self.outcome.tallies.iter().map(of).sum::<u64>() as f64);
        let wrong: u64 = self.outcome.faults.iter().map(|fault| fault.rows).sum();
        vec![
            self.named("errors", Unit::Count, Better::Neither, count(&|tally| tally.errors)),
            self.named("rows checked", Unit::Count, Better::Neither, Some(self.outcome.rows_checked as f64)),
            self.named("wrong rows", Unit::Count, Better::Neither, Some(wrong as f64)),
        ]
    }
}

/// The response times of each kind, doubted where the client spoiled them. `name` goes in front.
pub fn latency_figures(name: &str, outcome: &Outcome) -> Vec<Figure> {
    let of_kind = |(place, tally): (usize, &Tally)| {
        let blocks = blocks(&outcome.intervals, place);
        let kind = if outcome.tallies.len() > 1 { format!("{} ", tally.name) } else { String::new() };
        let figure = |what: &str, better: Better, nanoseconds: u64| {
            let value = Some(nanoseconds as f64 / 1e6);
            Figure::new(format!("{name}: {kind}{what}"), Unit::Milliseconds, better, value).doubted(&outcome.invalid)
        };
        let quantiles = [(0.5, "P50"), (0.95, "P95"), (0.99, "P99"), (0.999, "P99.9"), (0.9999, "P99.99")];
        let mut figures: Vec<Figure> = quantiles
            .into_iter()
            .map(|(quantile, what)| {
                figure(what, Better::Lower, tally.response_ns.value_at_quantile(quantile))
                    .made_of(Detail::Quantile(quantile, blocks.clone()))
            })
            .collect();
        figures.push(figure("longest", Better::Neither, tally.response_ns.max()));
        figures
    };
    let kinds = outcome.tallies.iter().enumerate().filter(|(_, tally)| !tally.response_ns.is_empty());
    kinds.flat_map(of_kind).collect()
}

/// The latencies of one kind over the run.
fn blocks(intervals: &[Interval], place: usize) -> Blocks {
    let tallies: Vec<&Tally> = intervals.iter().filter_map(|interval| interval.tallies.get(place)).collect();
    let histogram = |tally: &&Tally| -> Histogram {
        tally.response_ns.iter_recorded().map(|v| (v.value_iterated_to(), v.count_at_value())).collect()
    };
    let means: Vec<f64> = tallies.iter().map(|tally| tally.response_ns.mean()).collect();
    Blocks::of(&tallies.iter().map(histogram).collect::<Vec<_>>(), &means)
}

/// All partitions in turn, once.
pub fn once(partitions: u64) -> Population {
    Population::Sequence { first: 1, last: partitions.max(1), wraps: false, lookback: None }
}

/// Any partition, each as likely as another.
pub fn any(partitions: u64) -> Population {
    Population::Spread(lab_load::profile::Distribution::uniform(
        1,
        i64::try_from(partitions.max(1)).unwrap_or(i64::MAX),
    ))
}

/// A closed loop over some time.
pub fn closed(
    name: &'static str,
    ops: impl Into<Cow<'static, str>>,
    population: Population,
    length: Duration,
) -> Phase {
    Phase { name, ops: ops.into(), population, pace: Pace::Closed, stop: Stop::Duration(length) }
}

/// An open loop over some time.
pub fn open(
    name: &'static str,
    ops: impl Into<Cow<'static, str>>,
    population: Population,
    length: Duration,
    per_s: f64,
) -> Phase {
    Phase { name, ops: ops.into(), population, pace: Pace::Open { per_s }, stop: Stop::Duration(length) }
}
