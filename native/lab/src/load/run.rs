// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! One load from start to outcome.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use anyhow::{ensure, Context, Result};
use scylla::client::session::Session;
use tokio::signal::unix::{signal, SignalKind};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::load::clock::Schedule;
use crate::load::cost::Cost;
use crate::load::limiter::Limiter;
use crate::load::pace::{closed_loop, open_loop, Server, Shared};
use crate::load::plan::{Halt, Pace, Plan, Stop};
use crate::load::recorder::{latencies, Recorder, Sheet};
use crate::load::series::{Series, Uncertainty};
use crate::load::trouble::Trouble;
use crate::load::validity::Evidence;
use crate::load::{Interval, Outcome, Workload};

/// Puts `workload` on the cluster as `plan` says; `listener` hears of every interval of the measured part as it ends, with
/// latencies to 3 digits. Errors are of the plan or of this machine; failed operations are in the outcome.
///
/// Call it in the runtime in which the session was made.
pub async fn run(
    session: Arc<Session>,
    workload: Arc<dyn Workload>,
    plan: Plan,
    listener: impl FnMut(&Interval),
) -> Result<Outcome> {
    drive(session, workload, plan, listener).await
}

/// As [`run`], on any server.
pub(super) async fn drive<S: Server>(
    server: Arc<S>,
    workload: Arc<dyn Workload>,
    plan: Plan,
    listener: impl FnMut(&Interval),
) -> Result<Outcome> {
    check(&plan)?;
    let start = Instant::now();
    let schedule = match plan.pace {
        Pace::Open { per_s } => Some(Schedule { start, per_s }),
        Pace::Closed | Pace::Limited { .. } => None,
    };
    let shared = Arc::new(share(server, workload, plan, start, schedule)?);
    let starter = match schedule {
        Some(schedule) => tokio::spawn(open_loop(Arc::clone(&shared), schedule)),
        None => tokio::spawn(closed_loop(Arc::clone(&shared))),
    };
    let mut watch = Watch::new(&shared, start, schedule, listener)?;
    watch.until_over(starter).await?;
    watch.outcome()
}

fn check(plan: &Plan) -> Result<()> {
    ensure!(plan.in_flight > 0, "a load needs at least 1 operation in flight");
    ensure!(!plan.interval.is_zero(), "the interval of the reports must be longer than 0");
    if let Pace::Open { per_s } | Pace::Limited { per_s } = plan.pace {
        ensure!(per_s.is_finite() && per_s > 0.0, "the rate must be above 0 operations per second, not {per_s}");
    }
    Ok(())
}

fn share<S: Server>(
    server: Arc<S>,
    workload: Arc<dyn Workload>,
    plan: Plan,
    start: Instant,
    schedule: Option<Schedule>,
) -> Result<Shared<S>> {
    let measured_from = start + plan.warmup;
    let in_warmup = schedule.map_or(0, |schedule| schedule.due_within(plan.warmup));
    let (most, ends) = match (plan.stop, schedule) {
        (Stop::Count(count), _) => (in_warmup + count, None),
        (Stop::Duration(time), Some(schedule)) => (schedule.due_within(plan.warmup + time), Some(measured_from + time)),
        (Stop::Duration(time), None) => (u64::MAX, Some(measured_from + time)),
        (Stop::Uncertainty { .. } | Stop::WorkloadEnds, _) => (u64::MAX, None),
    };
    let plan_pace = plan.pace;
    Ok(Shared {
        recorder: Recorder::new(workload.kinds(), plan.threads)?,
        server,
        workload,
        plan,
        trouble: Trouble::default(),
        measured_from,
        ends: ends.map_or_else(OnceLock::new, OnceLock::from),
        most: AtomicU64::new(most),
        started: AtomicU64::new(0),
        in_flight: AtomicUsize::new(0),
        measured: AtomicU64::new(0),
        halt: Halt::default(),
        limiter: match plan_pace {
            Pace::Limited { per_s } => Some(Limiter::new(start, per_s)),
            Pace::Open { .. } | Pace::Closed => None,
        },
        exhausted: AtomicBool::new(false),
        ended: Notify::new(),
        awaited: AtomicBool::new(false),
    })
}

/// Follows a load: cuts it into intervals, ends it when it is time, and adds it up.
struct Watch<'a, S, L> {
    shared: &'a Arc<Shared<S>>,
    start: Instant,
    schedule: Option<Schedule>,
    listener: L,
    sheet: Sheet,
    total: Sheet,
    series: Series,
    uncertainty: Uncertainty,
    cut_at: Instant,
    interrupted: bool,
    starter_over: Option<Instant>,
    /// When the warm-up ended.
    cost: Option<Cost>,
}

impl<'a, S: Server, L: FnMut(&Interval)> Watch<'a, S, L> {
    fn new(shared: &'a Arc<Shared<S>>, start: Instant, schedule: Option<Schedule>, listener: L) -> Result<Self> {
        let kinds = shared.workload.kinds();
        Ok(Self {
            shared,
            start,
            schedule,
            listener,
            sheet: Sheet::new(kinds)?,
            total: Sheet::new(kinds)?,
            series: Series::default(),
            uncertainty: Uncertainty::default(),
            cut_at: shared.measured_from,
            interrupted: false,
            starter_over: None,
            cost: None,
        })
    }

    /// Returns once nothing starts any more and nothing is in flight, or the wait for it got too long.
    async fn until_over(&mut self, mut starter: JoinHandle<Result<()>>) -> Result<()> {
        let shared = Arc::clone(self.shared);
        let mut next_cut = self.cut_at + shared.plan.interval;
        let mut starting = true;
        let mut ctrl_c = signal(SignalKind::interrupt()).context("cannot listen to Ctrl-C")?;
        loop {
            let drained = self.starter_over.map(|over| over + shared.plan.drain);
            tokio::select! {
                ended = &mut starter, if starting => {
                    ended.context("the starter of operations failed")??;
                    starting = false;
                    self.starter_over = Some(Instant::now());
                }
                () = shared.wait_for_room(1), if !starting => break,
                () = tokio::time::sleep_until(next_cut.into()) => {
                    self.cut(next_cut)?;
                    next_cut += shared.plan.interval;
                    self.end_when_steady();
                }
                () = until(drained), if drained.is_some() => break,
                () = shared.plan.halt.halted(), if !shared.halt.is_halted() => shared.halt.halt(),
                () = shared.plan.end.halted(), if shared.ends.get().is_none() => self.end_now(),
                () = until(Some(shared.measured_from)), if self.cost.is_none() => self.cost = Some(Cost::now()),
                _ = ctrl_c.recv(), if shared.plan.ctrl_c => {
                    if self.interrupted {
                        starter.abort();
                        break;
                    }
                    self.interrupted = true;
                    shared.halt.halt();
                }
            }
        }
        self.cut(Instant::now())
    }

    /// Nothing becomes due any more.
    fn end_now(&self) {
        let now = Instant::now();
        let _ = self.shared.ends.set(now);
        if let Some(schedule) = self.schedule {
            self.shared.most.fetch_min(schedule.due_by(now), Ordering::Relaxed);
        }
    }

    fn end_when_steady(&mut self) {
        if let Stop::Uncertainty { below, min_intervals, max_intervals } = self.shared.plan.stop {
            if self.uncertainty.is_met(below, min_intervals, max_intervals) {
                self.shared.halt.halt();
            }
        }
    }

    /// Ends the interval that began at the last cut.
    fn cut(&mut self, at: Instant) -> Result<()> {
        self.shared.recorder.collect(&mut self.sheet)?;
        self.total.add(&self.sheet)?;
        let interval = Interval {
            from: self.cut_at.duration_since(self.start),
            to: at.duration_since(self.start),
            backlog: self.backlog(at),
            tallies: self.sheet.tallies.clone(),
        };
        let length_s = at.duration_since(self.cut_at).as_secs_f64();
        let operations: u64 = interval.tallies.iter().map(|tally| tally.operations).sum();
        if operations > 0 || length_s >= self.shared.plan.interval.as_secs_f64() {
            (self.listener)(&interval);
            self.series.push(&interval)?;
            self.uncertainty.push(operations as f64 / length_s);
            self.cut_at = at;
        }
        Ok(())
    }

    /// Operations for which the wait at the end was too short; their times are in no histogram.
    fn unfinished(&self) -> Option<String> {
        let in_flight = self.shared.in_flight.load(Ordering::SeqCst);
        let drain_s = self.shared.plan.drain.as_secs_f64();
        (in_flight > 0 && !self.interrupted)
            .then(|| format!("{in_flight} operations had not ended {drain_s} s after the last one started"))
    }

    fn backlog(&self, at: Instant) -> u64 {
        let started = self.shared.started.load(Ordering::Relaxed);
        let due = self.schedule.map_or(0, |schedule| schedule.due_by(at));
        due.min(self.shared.most.load(Ordering::Relaxed)).saturating_sub(started)
    }

    fn outcome(self) -> Result<Outcome> {
        let cost = self.cost.map_or(Cost::default(), |cost| Cost::now().since(&cost));
        let plan = &self.shared.plan;
        let (mut response_ns, mut service_ns) = (latencies()?, latencies()?);
        for tally in &self.total.tallies {
            response_ns.add(&tally.response_ns)?;
            service_ns.add(&tally.service_ns)?;
        }
        let ended = self.total.last_end.unwrap_or(self.shared.measured_from);
        let halted = plan.halt.is_halted() || self.interrupted;
        let is_whole = halted || self.shared.exhausted.load(Ordering::Relaxed);
        let not_started = if is_whole { 0 } else { self.starter_over.map_or(0, |over| self.backlog(over)) };
        let trouble = self.shared.trouble.kept();
        let unfinished = self.unfinished();
        let evidence = Evidence {
            plan,
            elapsed: ended.saturating_duration_since(self.shared.measured_from),
            cost,
            response_ns: &response_ns,
            service_ns: &service_ns,
            late_ns: &self.total.late_ns,
            held: self.total.held,
            operations: self.total.tallies.iter().map(|tally| tally.operations).sum(),
            errors: self.total.tallies.iter().map(|tally| tally.errors).sum(),
            not_started,
            halted,
            faults: &trouble.faults,
        };
        Ok(Outcome {
            rate_per_s: self.schedule.map(|schedule| schedule.per_s),
            in_flight: plan.in_flight,
            elapsed: evidence.elapsed,
            value_bytes_written: self.total.value_bytes,
            rows_checked: self.total.rows_checked,
            client_cpu_s: cost.cpu.as_secs_f64(),
            not_started: evidence.not_started,
            interrupted: self.interrupted,
            saturated: match evidence.saturated() {
                Some(reason) => [reason].into_iter().chain(unfinished.clone()).collect(),
                None => Vec::new(),
            },
            failed: evidence.errors(),
            invalid: evidence.invalid().into_iter().chain(unfinished).collect(),
            faults: trouble.faults,
            first_faults: trouble.first_faults,
            first_errors: trouble.first_errors,
            tallies: self.total.tallies,
            late_ns: self.total.late_ns,
            intervals: self.series.into_intervals(),
        })
    }
}

async fn until(moment: Option<Instant>) {
    if let Some(moment) = moment {
        tokio::time::sleep_until(moment.into()).await;
    }
}

#[cfg(test)]
#[path = "run_test.rs"]
mod tests;
