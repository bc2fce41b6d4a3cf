// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Counts finished operations: each thread has counters of its own, so that threads do not wait for each other.

use std::cell::Cell;
use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use hdrhistogram::Histogram;

use crate::load::{Answer, Kind, Latencies, Tally};

const HIGHEST_NS: u64 = 3_600_000_000_000;

/// An empty histogram of the form that all reports read.
pub(super) fn latencies() -> Result<Latencies> {
    Ok(Histogram::new_with_bounds(1, HIGHEST_NS, 3)?)
}

/// A finished operation's times.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    /// When it was to start; its actual start in a closed loop.
    pub(super) due: Instant,
    /// When the client saw that it was due, where it then had to wait for others to end, as the most were in flight.
    pub(super) seen: Option<Instant>,
    pub(super) started: Instant,
    pub(super) ended: Instant,
}

/// Counts since the last call to `clear`.
#[derive(Clone, Debug)]
pub(super) struct Counters {
    pub(super) tallies: Vec<Tally>,
    /// From due to seen, or to started where nothing held it back; without those that were seen in time and held back.
    pub(super) late_ns: Latencies,
    pub(super) queued: u64,
    pub(super) value_bytes: u64,
    pub(super) rows_checked: u64,
    pub(super) last_end: Option<Instant>,
    pub(super) warmup: WarmupSums,
}

/// Sums over the warm-up, which are in no other counter.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WarmupSums {
    pub(super) operations: u64,
    pub(super) errors: u64,
    /// Of all of them.
    pub(super) service: Duration,
}

impl WarmupSums {
    fn add(&mut self, more: Self) {
        self.operations += more.operations;
        self.errors += more.errors;
        self.service += more.service;
    }

    /// `None` without operations.
    pub(super) fn mean_service_ms(&self) -> Option<f64> {
        let count = self.operations + self.errors;
        (count > 0).then(|| self.service.as_secs_f64() * 1e3 / count as f64)
    }
}

impl Counters {
    pub(super) fn new(kinds: &[Kind]) -> Result<Self> {
        let tally = |kind: &Kind| -> Result<Tally> {
            Ok(Tally {
                name: kind.name.clone(),
                operations: 0,
                partitions: 0,
                rows: 0,
                errors: 0,
                retries: 0,
                response_ns: latencies()?,
                service_ns: latencies()?,
            })
        };
        Ok(Self {
            tallies: kinds.iter().map(tally).collect::<Result<_>>()?,
            late_ns: latencies()?,
            queued: 0,
            value_bytes: 0,
            rows_checked: 0,
            last_end: None,
            warmup: WarmupSums::default(),
        })
    }

    /// Adds other counters of the same kinds.
    pub(super) fn add(&mut self, other: &Self) -> Result<()> {
        for (tally, more) in self.tallies.iter_mut().zip(&other.tallies) {
            add_tally(tally, more)?;
        }
        self.late_ns.add(&other.late_ns)?;
        self.queued += other.queued;
        self.value_bytes += other.value_bytes;
        self.rows_checked += other.rows_checked;
        self.last_end = self.last_end.max(other.last_end);
        self.warmup.add(other.warmup);
        Ok(())
    }

    fn clear(&mut self) {
        for tally in &mut self.tallies {
            (tally.operations, tally.partitions, tally.rows, tally.errors, tally.retries) = (0, 0, 0, 0, 0);
            tally.response_ns.reset();
            tally.service_ns.reset();
        }
        self.late_ns.reset();
        (self.queued, self.value_bytes, self.rows_checked, self.last_end) = (0, 0, 0, None);
        self.warmup = WarmupSums::default();
    }

    fn is_clear(&self) -> bool {
        self.last_end.is_none() && self.warmup.operations + self.warmup.errors == 0
    }

    fn record(&mut self, kind: usize, times: Times, retries: u32, answer: Option<&Answer>, rows_checked: u64) {
        self.last_end = self.last_end.max(Some(times.ended));
        self.queued += u64::from(times.seen.is_some());
        let seen = times.seen.unwrap_or(times.started);
        // One that was seen in time and then held back is late by the servers' doing.
        if times.seen.is_none() || seen > times.due {
            self.late_ns.saturating_record(nanoseconds(seen.duration_since(times.due)));
        }
        self.rows_checked += rows_checked;
        let Some(tally) = self.tallies.get_mut(kind) else { return };
        tally.retries += u64::from(retries);
        // A failed operation's time counts too: its user has waited.
        tally.response_ns.saturating_record(nanoseconds(times.ended.duration_since(times.due)));
        tally.service_ns.saturating_record(nanoseconds(times.ended.duration_since(times.started)));
        match answer {
            Some(answer) => {
                tally.operations += 1;
                tally.partitions += answer.partitions;
                tally.rows += answer.rows;
                self.value_bytes += answer.value_bytes;
            }
            None => tally.errors += 1,
        }
    }
}

/// Adds one tally to another of the same kind.
pub(super) fn add_tally(tally: &mut Tally, more: &Tally) -> Result<()> {
    tally.operations += more.operations;
    tally.partitions += more.partitions;
    tally.rows += more.rows;
    tally.errors += more.errors;
    tally.retries += more.retries;
    tally.response_ns.add(&more.response_ns)?;
    tally.service_ns.add(&more.service_ns)?;
    Ok(())
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

static NEXT_THREAD: AtomicUsize = AtomicUsize::new(0);
thread_local! {
    static THREAD: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The counters. A thread keeps to its own; the lock is there for the collector, who comes once an interval. It takes them away
/// in exchange for empty ones: it has a lower priority than the threads, and they would wait for it.
#[derive(Debug)]
pub(super) struct Recorder {
    counters: Vec<Mutex<Counters>>,
    /// The collector's.
    spare: Mutex<Counters>,
}

impl Recorder {
    pub(super) fn new(kinds: &[Kind], threads: usize) -> Result<Self> {
        let counters = (0..=threads).map(|_| Ok(Mutex::new(Counters::new(kinds)?))).collect::<Result<_>>()?;
        Ok(Self { counters, spare: Mutex::new(Counters::new(kinds)?) })
    }

    pub(super) fn record(&self, kind: usize, times: Times, retries: u32, answer: Option<&Answer>, rows_checked: u64) {
        self.with_counters(|counters| counters.record(kind, times, retries, answer, rows_checked));
    }

    /// Records an operation of the warm-up.
    pub(super) fn record_warmup(&self, times: Times, ended_well: bool) {
        let service = times.ended.duration_since(times.started);
        let (operations, errors) = if ended_well { (1, 0) } else { (0, 1) };
        self.with_counters(|counters| counters.warmup.add(WarmupSums { operations, errors, service }));
    }

    fn with_counters(&self, write: impl FnOnce(&mut Counters)) {
        let number = THREAD.with(|thread| {
            let number = thread.get().unwrap_or_else(|| NEXT_THREAD.fetch_add(1, Ordering::Relaxed));
            thread.set(Some(number));
            number
        });
        if let Some(counters) = self.counters.get(number % self.counters.len()) {
            write(&mut open(counters));
        }
    }

    /// Moves everything recorded since the last call into `sum`, which is cleared first.
    pub(super) fn collect(&self, sum: &mut Counters) -> Result<()> {
        sum.clear();
        let mut spare = open(&self.spare);
        for counters in &self.counters {
            mem::swap(&mut *open(counters), &mut *spare);
            if !spare.is_clear() {
                sum.add(&spare)?;
                spare.clear();
            }
        }
        Ok(())
    }
}

fn open(counters: &Mutex<Counters>) -> MutexGuard<'_, Counters> {
    counters.lock().unwrap_or_else(PoisonError::into_inner)
}
