// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Monitors a running load: ends the warm-up and the run, cuts the run into intervals, adds it up.

use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio::signal::unix::{signal, SignalKind};
use tokio::task::JoinHandle;

use crate::load::clock::Schedule;
use crate::load::cost::Cost;
use crate::load::recorder::{latencies, Counters};
use crate::load::running::{RunningLoad, Server};
use crate::load::series::{Series, Uncertainty};
use crate::load::spec::Stop;
use crate::load::validity::Evidence;
use crate::load::{Interval, Outcome, Settling, WarmUp, WarmedUp};

/// Between the end of a warm-up and the first operation that counts: none of these ends before all threads know of it.
const NOTICE: Duration = Duration::from_millis(10);

/// A warm-up that ends when the service time has settled.
struct Warming {
    settling: Settling,
    slice: Duration,
    /// When the slice ends.
    next: Instant,
    /// When the warm-up ends in any case.
    latest: Instant,
}

/// A load that is being followed.
pub(super) struct Monitor<'a, S, L> {
    shared: &'a Arc<RunningLoad<S>>,
    start: Instant,
    schedule: Option<Schedule>,
    listener: L,
    counters: Counters,
    total: Counters,
    series: Series,
    uncertainty: Uncertainty,
    cut_at: Instant,
    /// While it lasts.
    warming: Option<Warming>,
    /// The result of the warm-up; `None` for one of fixed length.
    settled: Option<(bool, Settling)>,
    interrupted: bool,
    starter_over: Option<Instant>,
    /// The client's counters when the warm-up ended.
    cost: Option<Cost>,
}

impl<'a, S: Server, L: FnMut(&Interval)> Monitor<'a, S, L> {
    pub(super) fn new(
        shared: &'a Arc<RunningLoad<S>>,
        start: Instant,
        schedule: Option<Schedule>,
        listener: L,
    ) -> Result<Self> {
        let kinds = shared.workload.kinds();
        Ok(Self {
            shared,
            start,
            schedule,
            listener,
            counters: Counters::new(kinds)?,
            total: Counters::new(kinds)?,
            series: Series::default(),
            uncertainty: Uncertainty::default(),
            cut_at: shared.measured_from.get().copied().unwrap_or(start),
            warming: match shared.spec.warmup {
                WarmUp::For(_) => None,
                WarmUp::UntilSettled { slice, at_most } => {
                    let settling = Settling::default();
                    Some(Warming { settling, slice, next: start + slice, latest: start + at_most })
                }
            },
            settled: None,
            interrupted: false,
            starter_over: None,
            cost: None,
        })
    }

    /// Returns once nothing starts any more and nothing is in flight, or the wait for it got too long.
    pub(super) async fn until_over(&mut self, mut starter: JoinHandle<Result<()>>) -> Result<()> {
        let shared = Arc::clone(self.shared);
        let mut next_cut = None;
        let mut starting = true;
        let mut ctrl_c = signal(SignalKind::interrupt()).context("cannot listen to Ctrl-C")?;
        loop {
            let drained = self.no_more_starts().map(|over| over + shared.spec.drain);
            let measured_from = shared.measured_from.get().copied();
            let next_slice = self.warming.as_ref().map(|warming| warming.next);
            tokio::select! {
                ended = &mut starter, if starting => {
                    ended.context("the starter of operations failed")??;
                    starting = false;
                    self.starter_over = Some(Instant::now());
                }
                () = shared.wait_for_slot(1), if !starting => break,
                () = until(next_slice), if next_slice.is_some() => self.end_slice()?,
                () = until(measured_from), if measured_from.is_some() && self.cost.is_none() => {
                    self.cost = Some(Cost::now());
                    shared.spec.measuring.raise();
                    next_cut = Some(self.cut_at + shared.spec.interval);
                }
                () = until(next_cut), if next_cut.is_some() => {
                    let at = next_cut.unwrap_or_else(Instant::now);
                    self.cut(at)?;
                    let next = at + shared.spec.interval;
                    // The wait for the last operations of a closed loop is no part of it.
                    let is_over = self.no_more_starts().is_some_and(|over| self.schedule.is_none() && next > over);
                    next_cut = (!is_over).then_some(next);
                    self.end_when_steady();
                }
                () = until(drained), if drained.is_some() => break,
                () = shared.spec.halt.raised(), if !shared.halt.is_raised() => shared.halt.raise(),
                () = shared.spec.end.raised(), if shared.ends.get().is_none() => self.end_now(),
                _ = ctrl_c.recv(), if shared.spec.ctrl_c => {
                    if self.interrupted {
                        starter.abort();
                        break;
                    }
                    self.interrupted = true;
                    shared.halt.raise();
                }
            }
        }
        self.cut(Instant::now())
    }

    /// When the last operation has started, or was to start at the latest.
    fn no_more_starts(&self) -> Option<Instant> {
        let ends = self.shared.ends.get().copied().filter(|_| self.schedule.is_none());
        self.starter_over.or(ends)
    }

    /// Judges a slice of the warm-up and ends the warm-up when it is time.
    fn end_slice(&mut self) -> Result<()> {
        let Some(mut warming) = self.warming.take() else { return Ok(()) };
        self.collect()?;
        // Without an operation that ended there is no telling.
        let settled = self.counters.warmup.mean_service_ms().is_some_and(|cost| warming.settling.add(cost));
        if settled || warming.next >= warming.latest {
            self.settled = Some((settled, warming.settling));
            self.cut_at = Instant::now() + NOTICE;
            self.shared.measure_from(self.cut_at, self.schedule.as_ref());
        } else {
            warming.next = (warming.next + warming.slice).min(warming.latest);
            self.warming = Some(warming);
        }
        Ok(())
    }

    /// Moves what was recorded since the last time into `counters`, and adds it to `total`.
    fn collect(&mut self) -> Result<()> {
        self.shared.recorder.collect(&mut self.counters)?;
        self.total.add(&self.counters)
    }

    /// Nothing becomes due any more.
    fn end_now(&self) {
        let now = Instant::now();
        let _ = self.shared.ends.set(now);
        if let Some(schedule) = &self.schedule {
            self.shared.most.fetch_min(schedule.due_by(now), Ordering::Relaxed);
        }
    }

    fn end_when_steady(&mut self) {
        if let Stop::Uncertainty { below, min_intervals, max_intervals } = self.shared.spec.stop {
            if self.uncertainty.is_met(below, min_intervals, max_intervals) {
                self.shared.halt.raise();
            }
        }
    }

    /// Ends the interval that began at the last cut.
    fn cut(&mut self, at: Instant) -> Result<()> {
        self.collect()?;
        if self.shared.measured_from.get().is_none() {
            return Ok(());
        }
        let interval = Interval {
            from: self.cut_at.duration_since(self.start),
            to: at.duration_since(self.start),
            backlog: self.backlog(at),
            tallies: self.counters.tallies.clone(),
        };
        let length_s = at.duration_since(self.cut_at).as_secs_f64();
        let operations: u64 = interval.tallies.iter().map(|tally| tally.operations).sum();
        if operations > 0 || length_s >= self.shared.spec.interval.as_secs_f64() {
            (self.listener)(&interval);
            self.series.push(&interval)?;
            self.uncertainty.push(operations as f64 / length_s);
            self.cut_at = at;
        }
        Ok(())
    }

    /// Operations for which the wait at the end was too short; their times are in no histogram.
    fn unfinished(&self) -> u64 {
        let in_flight = self.shared.in_flight.load(Ordering::SeqCst);
        if self.interrupted {
            0
        } else {
            in_flight as u64
        }
    }

    fn backlog(&self, at: Instant) -> u64 {
        let started = self.shared.started.load(Ordering::Relaxed);
        let due = self.schedule.as_ref().map_or(0, |schedule| schedule.due_by(at));
        due.min(self.shared.most.load(Ordering::Relaxed)).saturating_sub(started)
    }

    fn warmed_up(&self, measured_from: Instant) -> Option<WarmedUp> {
        let elapsed = measured_from.saturating_duration_since(self.start);
        let sums = self.total.warmup;
        let service_ms = self.settled.iter().flat_map(|(_, settling)| settling.costs()).copied().collect();
        (self.shared.spec.warmup != WarmUp::NONE).then(|| WarmedUp {
            elapsed_s: elapsed.as_secs_f64(),
            operations: sums.operations,
            errors: sums.errors,
            service_ms,
            settled: self.settled.as_ref().map(|(settled, _)| *settled),
        })
    }

    pub(super) fn outcome(self) -> Result<Outcome> {
        let cost = self.cost.map_or(Cost::default(), |cost| Cost::now().since(&cost));
        // A run that ended in its warm-up has measured nothing.
        let measured_from = *self.shared.measured_from.get_or_init(Instant::now);
        let warmup = self.warmed_up(measured_from);
        let spec = &self.shared.spec;
        spec.position.advance(self.shared.started.load(Ordering::Relaxed));
        let (mut response_ns, mut service_ns) = (latencies()?, latencies()?);
        for tally in &self.total.tallies {
            response_ns.add(&tally.response_ns)?;
            service_ns.add(&tally.service_ns)?;
        }
        let ended = self.total.last_end.unwrap_or(measured_from);
        let halted = spec.halt.is_raised() || self.interrupted;
        let is_whole = halted || self.shared.exhausted.load(Ordering::Relaxed);
        let not_started = if is_whole { 0 } else { self.starter_over.map_or(0, |over| self.backlog(over)) };
        let failures = self.shared.failures.kept();
        let left = self.unfinished();
        let drain_s = spec.drain.as_secs_f64();
        let unfinished =
            (left > 0).then(|| format!("{left} operations had not ended {drain_s} s after the last one started"));
        let elapsed = ended.saturating_duration_since(measured_from);
        let evidence = Evidence {
            spec,
            elapsed,
            starting: self.starter_over.map_or(elapsed, |over| over.saturating_duration_since(measured_from)),
            cost,
            response_ns: &response_ns,
            service_ns: &service_ns,
            late_ns: &self.total.late_ns,
            queued: self.total.queued,
            operations: self.total.tallies.iter().map(|tally| tally.operations).sum(),
            errors: self.total.tallies.iter().map(|tally| tally.errors).sum(),
            not_started,
            halted,
            faults: &failures.faults,
        };
        Ok(Outcome {
            rate_per_s: self.schedule.as_ref().map(|schedule| schedule.mean_per_s(evidence.elapsed)),
            in_flight: spec.in_flight,
            elapsed: evidence.elapsed,
            after: evidence.after(),
            warmup,
            value_bytes_written: self.total.value_bytes,
            rows_checked: self.total.rows_checked,
            client_cpu_s: cost.cpu.as_secs_f64(),
            not_started: evidence.not_started,
            unfinished: left,
            interrupted: self.interrupted,
            saturated: match evidence.saturated() {
                Some(reason) => [reason].into_iter().chain(unfinished.clone()).collect(),
                None => Vec::new(),
            },
            failed: evidence.errors(),
            invalid: evidence.invalid().into_iter().chain(unfinished).collect(),
            faults: failures.faults,
            first_faults: failures.first_faults,
            first_errors: failures.first_errors,
            tallies: self.total.tallies,
            late_ns: self.total.late_ns,
            intervals: self.series.into_intervals(),
        })
    }
}

async fn until(instant: Option<Instant>) {
    if let Some(instant) = instant {
        tokio::time::sleep_until(instant.into()).await;
    }
}
