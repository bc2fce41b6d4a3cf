// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Runs one load from its spec to its outcome.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use anyhow::{ensure, Result};
use scylla::client::session::Session;
use tokio::sync::Notify;

use crate::load::clock::Schedule;
use crate::load::failures::Failures;
use crate::load::limiter::Limiter;
use crate::load::monitor::Monitor;
use crate::load::pace::{closed_loop, open_loop};
use crate::load::priority::RealTime;
use crate::load::recorder::Recorder;
use crate::load::running::{RunningLoad, Server};
use crate::load::spec::{LoadSpec, Pace, Signal};
use crate::load::{Interval, Outcome, WarmUp, Workload};

/// Puts `workload` on the cluster as `spec` says; `listener` hears of every interval of the measured part as it ends, with
/// latencies to 3 digits. Errors are of the spec or of this machine; failed operations are in the outcome.
///
/// Call it in the runtime in which the session was made.
pub async fn run(
    session: Arc<Session>,
    workload: Arc<dyn Workload>,
    spec: LoadSpec,
    listener: impl FnMut(&Interval),
) -> Result<Outcome> {
    drive(session, workload, spec, listener).await
}

/// The same as [`run`], on any server.
pub(super) async fn drive<S: Server>(
    server: Arc<S>,
    workload: Arc<dyn Workload>,
    spec: LoadSpec,
    listener: impl FnMut(&Interval),
) -> Result<Outcome> {
    check(&spec)?;
    let start = Instant::now();
    let schedule = match spec.pace {
        Pace::Open { per_s } => Some(Schedule { start, per_s, changes: spec.changes.clone() }),
        Pace::Closed | Pace::Limited { .. } => None,
    };
    let _real_time = (spec.own_cpus && schedule.is_some()).then(RealTime::begin);
    let shared = Arc::new(share(server, workload, spec, start, schedule.as_ref())?);
    let starter = match schedule.clone() {
        Some(schedule) => tokio::spawn(open_loop(Arc::clone(&shared), schedule)),
        None => tokio::spawn(closed_loop(Arc::clone(&shared))),
    };
    let mut monitor = Monitor::new(&shared, start, schedule, listener)?;
    monitor.until_over(starter).await?;
    monitor.outcome()
}

fn check(spec: &LoadSpec) -> Result<()> {
    ensure!(spec.in_flight > 0, "a load needs at least 1 operation in flight");
    ensure!(!spec.interval.is_zero(), "the interval of the reports must be longer than 0");
    if let Pace::Open { per_s } | Pace::Limited { per_s } = spec.pace {
        ensure!(per_s.is_finite() && per_s > 0.0, "the rate must be above 0 operations per second, not {per_s}");
    }
    Ok(())
}

fn share<S: Server>(
    server: Arc<S>,
    workload: Arc<dyn Workload>,
    spec: LoadSpec,
    start: Instant,
    schedule: Option<&Schedule>,
) -> Result<RunningLoad<S>> {
    let (pace, warmup) = (spec.pace, spec.warmup);
    let shared = RunningLoad {
        recorder: Recorder::new(workload.kinds(), spec.threads)?,
        server,
        workload,
        first: spec.position.get(),
        spec,
        failures: Failures::default(),
        measured_from: OnceLock::new(),
        ends: OnceLock::new(),
        most: AtomicU64::new(u64::MAX),
        started: AtomicU64::new(0),
        in_flight: AtomicUsize::new(0),
        measured: AtomicU64::new(0),
        halt: Signal::default(),
        limiter: match pace {
            Pace::Limited { per_s } => Some(Limiter::new(start, per_s)),
            Pace::Open { .. } | Pace::Closed => None,
        },
        exhausted: AtomicBool::new(false),
        ended: Notify::new(),
        awaited: AtomicBool::new(false),
    };
    if let WarmUp::For(time) = warmup {
        shared.measure_from(start + time, schedule);
    }
    Ok(shared)
}

#[cfg(test)]
mod tests;
