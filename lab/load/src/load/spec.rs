// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The spec of a load: pace, operations in flight, length, retries, and the limits of a valid run.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

use crate::check::Levels;
use crate::load::{Changes, WarmUp};

/// When operations start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// Open loop: operation i is due at start + i / rate, whatever became of the others; none is skipped.
    Open {
        /// Operations per second.
        per_s: f64,
    },
    /// Closed loop: a fixed number in flight, the next one starts when one ends. A slow server slows the load, so
    /// latencies hide the time that users would have waited.
    Closed,
    /// The same with at most so many starts per second; there is no schedule, so latencies leave out the wait.
    Limited {
        /// Operations per second at most.
        per_s: f64,
    },
}

/// When a load ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    /// After so many measured operations.
    Count(u64),
    /// After so much measured time; an open loop still starts what was due by then.
    Duration(Duration),
    /// When the standard error of the mean rate of the intervals, divided by that mean, is below a bound: what
    /// cassandra-stress calls `err<` (its class `Uncertainty`).
    Uncertainty {
        /// The bound, such as 0.02.
        below: f64,
        /// Intervals at least.
        min_intervals: u32,
        /// Intervals at most.
        max_intervals: u32,
    },
    /// When the workload has no more operations, or at [`LoadSpec::end`].
    WorkloadEnds,
}

/// Retries of failed operations: an operation is planned and sent again after a pause that doubles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retries {
    /// Repeats at most; 0 is none.
    pub most: u32,
    /// The first pause; each is varied by up to half so that clients do not come back all at once.
    pub first_pause: Duration,
    /// The longest pause.
    pub longest_pause: Duration,
    /// Also repeat writes that do not say of themselves that they may be (counters, conditions).
    pub any_write: bool,
}

impl Default for Retries {
    fn default() -> Self {
        Self {
            most: 9,
            first_pause: Duration::from_millis(10),
            longest_pause: Duration::from_secs(1),
            any_write: false,
        }
    }
}

/// Beyond these the run is marked invalid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// CPU of the client, as a share of one core for each of its threads.
    pub client_cpu_share: f64,
    /// Time in which the client was ready to run but got no core, as a share of the run, for each of its threads.
    pub run_queue_share: f64,
    /// How much of the response time's P99 the client's own late starts (P99) may be. Starts late by less than 1 ms never
    /// count.
    pub late_start_share: f64,
    /// The share of the rate that has to be reached.
    pub rate_share: f64,
    /// Operations that may fail, as a share of all.
    pub error_share: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { client_cpu_share: 0.9, run_queue_share: 0.3, late_start_share: 0.3, rate_share: 0.98, error_share: 0.0 }
    }
}

/// Raised once, for good; clones are the same signal. Safe to share between threads.
#[derive(Clone, Debug, Default)]
pub struct Signal(Arc<SignalState>);

#[derive(Debug, Default)]
struct SignalState {
    raised: AtomicBool,
    changed: Notify,
}

impl Signal {
    /// Raises it.
    pub fn raise(&self) {
        self.0.raised.store(true, Ordering::Release);
        self.0.changed.notify_waiters();
    }

    /// Whether [`Signal::raise`] was called.
    pub fn is_raised(&self) -> bool {
        self.0.raised.load(Ordering::Acquire)
    }

    /// Returns once raised.
    pub async fn raised(&self) {
        let changed = self.0.changed.notified();
        tokio::pin!(changed);
        changed.as_mut().enable();
        if !self.is_raised() {
            changed.await;
        }
    }
}

/// The place in a workload at which a run begins, and at which the next one goes on: the keys of the one before are in the caches,
/// in that order. Clones are the same position. Safe to share between threads.
#[derive(Clone, Debug, Default)]
pub struct Position(Arc<AtomicU64>);

impl Position {
    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn advance(&self, operations: u64) {
        self.0.fetch_add(operations, Ordering::Relaxed);
    }
}

/// How a load runs.
#[derive(Clone, Debug)]
pub struct LoadSpec {
    /// When operations start.
    pub pace: Pace,
    /// Changes of the rate of an open loop while it runs; it begins with that of the pace.
    pub changes: Option<Changes>,
    /// Where it begins in the workload, and where it ended once it is over. One of its own begins at the first operation.
    pub position: Position,
    /// Operations in flight: exactly (closed loop), at most (open loop; what is due beyond it is the backlog).
    pub in_flight: usize,
    /// Threads of the runtime that runs the load (see [`super::runtime`]); what the client's CPU is measured against.
    pub threads: usize,
    /// Whether no server runs on the client's CPUs: then its threads may run in real time in an open loop.
    pub own_cpus: bool,
    /// When it ends.
    pub stop: Stop,
    /// The part at the start that is in no figure.
    pub warmup: WarmUp,
    /// Raised by the load when the warm-up is over.
    pub measuring: Signal,
    /// Retries of failed operations.
    pub retries: Retries,
    /// Length of the intervals that the listener hears of.
    pub interval: Duration,
    /// Wait at the end for operations in flight, and for the backlog to start, at most.
    pub drain: Duration,
    /// Beyond these the run is marked invalid.
    pub limits: Limits,
    /// Which wrong answers the consistency levels allow; `None` allows none.
    pub levels: Option<Arc<Levels>>,
    /// Breaks the run off from outside: what is due and has not started never does; what is in flight is waited for.
    pub halt: Signal,
    /// Ends the run from outside as its length would: an open loop still starts what is due by then.
    pub end: Signal,
    /// Whether Ctrl-C ends the run early; a second one does not wait for operations in flight.
    pub ctrl_c: bool,
}

impl Default for LoadSpec {
    fn default() -> Self {
        Self {
            pace: Pace::Closed,
            changes: None,
            position: Position::default(),
            in_flight: 64,
            threads: 1,
            own_cpus: false,
            stop: Stop::Duration(Duration::from_secs(10)),
            warmup: WarmUp::NONE,
            measuring: Signal::default(),
            retries: Retries::default(),
            interval: Duration::from_secs(1),
            drain: Duration::from_secs(30),
            limits: Limits::default(),
            levels: None,
            halt: Signal::default(),
            end: Signal::default(),
            ctrl_c: true,
        }
    }
}
