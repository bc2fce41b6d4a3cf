// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! One measured run: the spec, the rows while it goes on, the results at its end.

use std::cell::OnceCell;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use anyhow::Result;
use scylla::client::session::Session;

use super::console::Console;
use super::progress::{collections, Progress};
use super::settings::{Level, Rate, Settings, Stop, Warmup};
use super::task::PreparedTask;
use crate::check::Levels;
use crate::load::{self, Interval, Limits, LoadSpec, Outcome, Pace, Position, Retries, Signal, WarmUp, Workload};
use crate::narrator::Narrator;
use crate::observe::{Environment, Reading, Record, Servers};
use crate::report::{results, About, HdrLog, Judgement, Run};

/// In flight in an open loop that does not say: enough for any server that keeps up.
const OPEN_LOOP_IN_FLIGHT: usize = 1024;
/// Fewer operations than this are not worth a warm-up of their own.
const WORTH_A_WARMUP: u64 = 100_000;
const WARMUP: Duration = Duration::from_secs(5);
const LONGEST_WARMUP: Duration = Duration::from_secs(30);
/// A JVM on two cores compiles for two or three minutes.
const AUTO_WARMUP: WarmUp = WarmUp::UntilSettled { slice: Duration::from_secs(10), at_most: Duration::from_secs(240) };

/// Everything that a run needs.
pub struct Measurement<'a> {
    /// The command line.
    pub settings: &'a Settings,
    /// The cluster.
    pub session: &'a Arc<Session>,
    /// The workload.
    pub ready: &'a PreparedTask,
    /// The watched servers.
    pub servers: &'a Servers,
    /// Where it runs.
    pub environment: &'a Environment,
    /// How fast.
    pub rate: Rate,
    /// Threads of the runtime.
    pub threads: usize,
    /// The faults that the consistency level can explain.
    pub levels: Arc<Levels>,
    /// The engine, by name.
    pub engine: Option<String>,
}

/// A run and what reports do not keep of it.
pub struct Measured {
    /// The run.
    pub run: Run,
    /// Standard error of the row rate.
    pub uncertainty: f64,
    /// Ended by Ctrl-C.
    pub interrupted: bool,
}

impl Measurement<'_> {
    /// Runs, saying rows and results.
    pub async fn take(&self, console: &mut Console, now: SystemTime) -> Result<Measured> {
        let spec = self.spec();
        match spec.warmup {
            WarmUp::NONE => {}
            WarmUp::For(time) => console.print(&format!("Warming up for {} s ...", time.as_secs_f64())),
            WarmUp::UntilSettled { at_most, .. } => {
                console
                    .print(&format!("Warming up until the rate has settled, {} s at most ...", at_most.as_secs_f64()));
            }
        }
        let kinds: Vec<_> = self.ready.workload.kinds().iter().map(|kind| kind.name.clone()).collect();
        let open_loop = matches!(spec.pace, Pace::Open { .. });
        let mut hdr_log = match &self.settings.output.hdr_file {
            Some(path) => Some(HdrLog::create(path, now, open_loop)?),
            None => None,
        };
        let (fail_fast, halt) = (self.settings.verdict.errors.fail_fast, spec.halt.clone());
        let (measuring, begun) = (spec.measuring.clone(), OnceCell::new());
        let mut progress = Progress::new(console, &self.settings.output, self.servers, kinds, &begun);
        let mut trouble = None;
        // Rows tell the rest; without them it goes on to tell.
        let mut told = Some(self.told());
        let (rows, mut loading) = (self.settings.output.level != Level::Minimal, false);
        let listener = |interval: &Interval| {
            if rows {
                drop(told.take());
            } else if let Some(told) = told.as_ref().filter(|_| !std::mem::replace(&mut loading, true)) {
                told.doing("load");
            }
            progress.add(interval);
            if let Some(Err(error)) = hdr_log.as_mut().map(|log| log.add(interval)) {
                trouble = Some(error);
                hdr_log = None;
            }
            if fail_fast && interval.tallies.iter().any(|tally| tally.errors > 0) {
                halt.raise();
            }
        };
        let workload = Arc::clone(&self.ready.workload) as Arc<dyn Workload>;
        let mut outcome = tokio::select! {
            outcome = load::run(Arc::clone(self.session), workload, spec, listener) => outcome?,
            never = self.read_after(&measuring, &begun) => match never {},
        };
        if let Some(error) = trouble {
            return Err(error);
        }
        let after = self.servers.readings();
        let (zero, uncertainty) = (progress.zero(), progress.uncertainty());
        if outcome.interrupted {
            outcome.invalid.push("ended by Ctrl-C".to_owned());
        }
        if fail_fast && outcome.tallies.iter().any(|tally| tally.errors > 0) {
            outcome.invalid.push("ended at the first failed operation (-errors fail-fast)".to_owned());
        }
        drop(told);
        let run = self.digest(&outcome, zero)?;
        self.print(console, &run, &outcome, &collections(begun.get().unwrap_or(&after), &after));
        Ok(Measured { run, uncertainty, interrupted: outcome.interrupted })
    }

    fn told(&self) -> Narrator {
        let narrator = Narrator::new();
        narrator.doing("warm-up");
        let warmup = match self.warmup() {
            WarmUp::For(time) => time,
            WarmUp::UntilSettled { at_most, .. } => at_most,
        };
        if let Stop::Duration(length) = self.settings.work.stop {
            narrator.left(Some(warmup + length));
        }
        narrator
    }

    /// Reads the servers' counters when the warm-up is over.
    async fn read_after(&self, measuring: &Signal, begun: &OnceCell<Vec<Reading>>) -> Infallible {
        measuring.raised().await;
        begun.get_or_init(|| self.servers.readings());
        std::future::pending().await
    }

    fn spec(&self) -> LoadSpec {
        let (pace, in_flight) = match self.rate {
            Rate::Open { per_s, threads } => (Pace::Open { per_s }, threads.unwrap_or(OPEN_LOOP_IN_FLIGHT)),
            Rate::Throttled { per_s, threads } => (Pace::Limited { per_s }, threads),
            Rate::Closed { threads } | Rate::Sweep { from: threads, .. } => (Pace::Closed, threads),
        };
        let errors = &self.settings.verdict.errors;
        let limits = Limits { error_share: if errors.ignore { 1.0 } else { 0.0 }, ..Limits::default() };
        LoadSpec {
            pace,
            position: if self.settings.data.population.ends() {
                Position::default()
            } else {
                self.ready.position.clone()
            },
            in_flight,
            threads: self.threads,
            stop: stop(self.settings.work.stop),
            warmup: self.warmup(),
            retries: Retries { most: errors.retries, ..Retries::default() },
            interval: self.settings.output.interval,
            limits,
            levels: Some(Arc::clone(&self.levels)),
            ..LoadSpec::default()
        }
    }

    /// A sequence that ends must be measured from its beginning.
    fn warmup(&self) -> WarmUp {
        let ends = self.settings.data.population.ends();
        match (self.settings.work.warmup, self.settings.work.stop) {
            (Warmup::None, _) => WarmUp::NONE,
            (Warmup::For(time), _) => WarmUp::For(time),
            (Warmup::Auto, _) => AUTO_WARMUP,
            (Warmup::Usual, _) if ends => WarmUp::NONE,
            (Warmup::Usual, Stop::Count(count)) if count < WORTH_A_WARMUP => WarmUp::NONE,
            (Warmup::Usual, Stop::Count(_) | Stop::Uncertainty { .. }) => WarmUp::For(WARMUP),
            (Warmup::Usual, Stop::Duration(duration)) => WarmUp::For((duration / 10).min(LONGEST_WARMUP)),
        }
    }

    fn digest(&self, outcome: &Outcome, zero: Option<Instant>) -> Result<Run> {
        let judgement = Judgement::of(&self.settings.verdict.slas, outcome)?;
        let graph = self.settings.output.graph.as_ref();
        let operation =
            graph.and_then(|graph| graph.operation.clone()).unwrap_or_else(|| self.settings.work.operation());
        let name = graph.and_then(|graph| graph.revision.clone()).or_else(|| self.engine.clone());
        let about = About {
            name: name.unwrap_or_else(|| operation.clone()),
            operation,
            engine: self.engine.clone(),
            consistency: self.settings.work.level_name().to_owned(),
            pace: self.rate.label(),
            checked: self.ready.ledger.is_some(),
        };
        Ok(Run::new(about, outcome, judgement, self.record(zero), self.environment.clone()))
    }

    /// Samples of the servers, by the run's own time.
    fn record(&self, zero: Option<Instant>) -> Record {
        let mut record = self.servers.record();
        let Some(zero) = zero else { return Record { samples: Vec::new(), ..record } };
        let started = self.servers.started();
        let offset_s = zero.saturating_duration_since(started).as_secs_f64();
        for sample in &mut record.samples {
            sample.from_s -= offset_s;
            sample.to_s -= offset_s;
        }
        record.samples.retain(|sample| sample.to_s > 0.0);
        record
    }

    fn print(&self, console: &mut Console, run: &Run, outcome: &Outcome, collections: &crate::report::Collections) {
        if self.settings.output.summary {
            console.print(&results(&run.total, &run.kinds, outcome.elapsed, collections));
            console.print(&format!("Pace                      : {}", run.pace));
            if let Some(warmup) = &run.warmup {
                console.print(&format!("Warm-up                   : {}", warmup.summary()));
            }
            console.print(&format!("Client                    : {}", client(run)));
        }
        if let Some(most) = run.spans.iter().map(|span| span.backlog).max().filter(|_| run.rate_per_s.is_some()) {
            console
                .print(&format!("Backlog                   : {most} at most; {} never started", outcome.not_started));
        }
        if run.checked.on {
            console.print(&format!("Checked reads             : {} rows, {}", run.checked.rows, faults(run)));
        }
        let few = if self.settings.output.level == Level::Verbose { usize::MAX } else { 3 };
        for fault in run.checked.first.iter().take(few) {
            console.print(&format!("  {fault}"));
        }
        for failure in run.failures.iter().take(few) {
            console.print(&format!("Error                     : {} x {}", failure.times, failure.text));
        }
        let warnings = self.ready.ledger.iter().flat_map(|ledger| ledger.warnings());
        for warning in warnings {
            console.print(&format!("Warning                   : {warning}"));
        }
        for sla in &run.slas {
            let met = if sla.met { "met" } else { "MISSED" };
            console.print(&format!("SLA {:<22}: {met} ({})", sla.sla, sla.measured));
        }
        if !outcome.saturated.is_empty() && run.slas.is_empty() {
            console.print("The servers could not keep up with the rate.");
        }
        for reason in &run.invalid {
            console.print(&format!("INVALID                   : {reason}"));
        }
    }
}

/// CPU of the client per operation, and by how much it was late.
fn client(run: &Run) -> String {
    let late = run.late.map(|late| {
        format!("; started late by P50 {:.3} ms, P99 {:.3} ms, max {:.3} ms", late.p50_ms, late.p99_ms, late.max_ms)
    });
    format!("{:.1} us of CPU per operation{}", run.client_cpu_us_per_operation(), late.unwrap_or_default())
}

fn faults(run: &Run) -> String {
    let found: Vec<_> = run
        .checked
        .faults
        .iter()
        .filter(|faults| faults.rows > 0)
        .map(|faults| {
            format!(
                "{} {} ({} allowed by the consistency level)",
                faults.rows, faults.kind, faults.explained_by_consistency
            )
        })
        .collect();
    if found.is_empty() {
        "none wrong".to_owned()
    } else {
        found.join(", ")
    }
}

fn stop(stop: Stop) -> load::Stop {
    match stop {
        Stop::Count(count) => load::Stop::Count(count),
        Stop::Duration(duration) => load::Stop::Duration(duration),
        Stop::Uncertainty { target, at_least, at_most } => {
            load::Stop::Uncertainty { below: target, min_intervals: at_least, max_intervals: at_most }
        }
    }
}
