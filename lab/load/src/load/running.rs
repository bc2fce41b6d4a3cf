// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A load while it runs: sends its operations and sees each to its end.

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use anyhow::Result;
use scylla::client::session::Session;
use scylla::statement::Consistency;
use tokio::sync::Notify;

use crate::load::clock::Schedule;
use crate::load::failures::Failures;
use crate::load::limiter::Limiter;
use crate::load::partial_answer::Found;
use crate::load::recorder::{Recorder, Times};
use crate::load::retry::is_passing;
use crate::load::spec::{LoadSpec, Retries, Signal, Stop};
use crate::load::{Answer, Class, Fault, Operation, Workload};

/// When an operation is due, and what decides whether it counts.
#[derive(Clone, Copy)]
pub(super) enum Begin {
    /// As scheduled: it counts if it is due in the measured part. `seen` is when the client saw that it was due, for one that
    /// then had to wait for others to end.
    Due { at: Instant, seen: Option<Instant> },
    /// At once: it counts if it was counted before it began, whatever happens between.
    Now { measured: bool },
}

/// Where operations are sent: a session, or a model of a server in tests.
pub(super) trait Server: Send + Sync + 'static {
    /// Sends one operation.
    fn send<'a>(&'a self, operation: Box<dyn Operation>) -> Pin<Box<dyn Future<Output = Result<Answer>> + Send + 'a>>;
}

impl Server for Session {
    fn send<'a>(&'a self, operation: Box<dyn Operation>) -> Pin<Box<dyn Future<Output = Result<Answer>> + Send + 'a>> {
        operation.run(self)
    }
}

/// A load while it runs: what starters, operations and the monitor share.
pub(super) struct RunningLoad<S> {
    pub(super) server: Arc<S>,
    pub(super) workload: Arc<dyn Workload>,
    pub(super) spec: LoadSpec,
    /// The number in the workload of the first operation.
    pub(super) first: u64,
    pub(super) recorder: Recorder,
    pub(super) failures: Failures,
    /// Operations due from this instant on are measured; unknown in a warm-up without a fixed end.
    pub(super) measured_from: OnceLock<Instant>,
    /// When the time of the run is over, once that is known.
    pub(super) ends: OnceLock<Instant>,
    /// Operations, warm-up included, after which none starts.
    pub(super) most: AtomicU64,
    pub(super) started: AtomicU64,
    pub(super) in_flight: AtomicUsize,
    pub(super) measured: AtomicU64,
    pub(super) halt: Signal,
    /// Holds back the loops of a limited closed loop.
    pub(super) limiter: Option<Limiter>,
    /// The workload had no more operations.
    pub(super) exhausted: AtomicBool,
    /// An operation ended while the starter or the end of the run waited for it.
    pub(super) ended: Notify,
    pub(super) awaited: AtomicBool,
}

impl<S> Debug for RunningLoad<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunningLoad").field("spec", &self.spec).field("started", &self.started).finish_non_exhaustive()
    }
}

impl<S: Server> RunningLoad<S> {
    pub(super) fn is_over(&self) -> bool {
        self.halt.is_raised() || self.exhausted.load(Ordering::Relaxed)
    }

    /// Whether an operation that is due then counts.
    pub(super) fn is_measured(&self, due: Instant) -> bool {
        self.measured_from.get().is_some_and(|from| due >= *from)
    }

    /// Ends the warm-up: operations that are due from then on count, and the length of the run counts from then.
    pub(super) fn measure_from(&self, from: Instant, schedule: Option<&Schedule>) {
        let due_before = |instant: Instant| {
            schedule.map_or(0, |schedule| schedule.due_within(instant.saturating_duration_since(schedule.start)))
        };
        match self.spec.stop {
            Stop::Count(count) => {
                self.most.fetch_min(due_before(from) + count, Ordering::Relaxed);
            }
            Stop::Duration(time) => {
                // An end from outside may have come first.
                let _ = self.ends.set(from + time);
                if schedule.is_some() {
                    self.most.fetch_min(due_before(from + time), Ordering::Relaxed);
                }
            }
            Stop::Uncertainty { .. } | Stop::WorkloadEnds => {}
        }
        // Last: whoever sees it sees the limits as well.
        let _ = self.measured_from.set(from);
    }

    pub(super) fn plan(&self, index: u64) -> Option<Box<dyn Operation>> {
        let planned = self.planned(index);
        if planned.is_none() {
            self.exhausted.store(true, Ordering::Relaxed);
        }
        planned
    }

    fn planned(&self, index: u64) -> Option<Box<dyn Operation>> {
        self.workload.plan(self.first + index)
    }

    /// Sends an operation, again when that may help, and records it.
    pub(super) async fn operate(&self, index: u64, operation: Box<dyn Operation>, begin: Begin) {
        let (kind, level) = (operation.kind(), operation.consistency());
        let may_repeat = self.spec.retries.any_write
            || operation.is_idempotent()
            || self.workload.kinds().get(kind).is_some_and(|kind| kind.class == Class::Read);
        let started = Instant::now();
        let (due, seen) = match begin {
            Begin::Due { at, seen } => (at, seen),
            Begin::Now { .. } => (started, None),
        };
        let mut answer = self.server.send(operation).await;
        let (mut repeats, mut found) = (0, Found::default());
        while let Err(error) = &answer {
            if !may_repeat || repeats >= self.spec.retries.most || self.halt.is_raised() || !is_passing(error) {
                break;
            }
            tokio::time::sleep(Retries::pause(&self.spec.retries, repeats)).await;
            let Some(again) = self.planned(index) else { break };
            self.note_faults(found.new_in(&answer), level);
            repeats += 1;
            answer = self.server.send(again).await;
        }
        let times = Times { due, seen, started, ended: Instant::now() };
        self.note_faults(found.new_in(&answer), level);
        let measured = match begin {
            Begin::Due { at, .. } => self.is_measured(at),
            Begin::Now { measured } => measured,
        };
        if measured {
            self.record(kind, times, repeats, &answer, found.rows_checked);
        } else {
            self.recorder.record_warmup(times, answer.is_ok());
        }
    }

    fn note_faults(&self, faults: Vec<Fault>, level: Option<Consistency>) {
        if !faults.is_empty() {
            self.failures.faults(&faults, self.spec.levels.as_deref(), level);
        }
    }

    fn record(&self, kind: usize, times: Times, repeats: u32, answer: &Result<Answer>, rows_checked: u64) {
        if let Err(error) = answer {
            self.failures.error(error);
        }
        self.recorder.record(kind, times, repeats, answer.as_ref().ok(), rows_checked);
    }

    /// Waits until fewer than `below` operations are in flight.
    pub(super) async fn wait_for_slot(&self, below: usize) {
        self.awaited.store(true, Ordering::SeqCst);
        while self.in_flight.load(Ordering::SeqCst) >= below {
            self.ended.notified().await;
        }
        self.awaited.store(false, Ordering::SeqCst);
    }
}

/// One operation in flight, or one of a closed loop; ends even when its task does not end well.
pub(super) struct InFlight<S>(pub(super) Arc<RunningLoad<S>>);

impl<S> InFlight<S> {
    pub(super) fn enter(shared: &Arc<RunningLoad<S>>) -> Self {
        shared.in_flight.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(shared))
    }
}

impl<S> Drop for InFlight<S> {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::SeqCst);
        if self.0.awaited.load(Ordering::SeqCst) {
            self.0.ended.notify_one();
        }
    }
}
