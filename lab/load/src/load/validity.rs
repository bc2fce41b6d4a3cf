// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Decides whether a run is valid, with the reasons against it.

use std::time::Duration;

use crate::load::cost::Cost;
use crate::load::outcome::{wrong_rows, FaultCount};
use crate::load::spec::{LoadSpec, Stop};
use crate::load::{Latencies, Pace};

/// Late starts below this are not worth a word.
const LATE_NS: u64 = 1_000_000;

/// The evidence of a run, without its warm-up.
#[derive(Debug)]
pub(super) struct Evidence<'a> {
    pub(super) spec: &'a LoadSpec,
    pub(super) elapsed: Duration,
    /// Until the last operation started.
    pub(super) starting: Duration,
    pub(super) cost: Cost,
    pub(super) response_ns: &'a Latencies,
    pub(super) service_ns: &'a Latencies,
    /// How long operations had been due when the client saw it.
    pub(super) late_ns: &'a Latencies,
    /// Operations that had to wait for room.
    pub(super) queued: u64,
    pub(super) operations: u64,
    pub(super) errors: u64,
    pub(super) not_started: u64,
    /// Ended from outside: the count was not meant to be reached.
    pub(super) halted: bool,
    pub(super) faults: &'a [FaultCount],
}

impl Evidence<'_> {
    /// The reasons in words; empty when the run may be believed.
    pub(super) fn invalid(&self) -> Vec<String> {
        [
            wrong_rows(self.faults),
            self.errors(),
            self.nothing(),
            self.client_cpu(),
            self.run_queue(),
            self.late_starts(),
            self.rate(),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// The rate was missed as the servers kept all operations in flight waiting: the reason as in [`Self::invalid`]. Only where
    /// the rest of the run can be judged.
    pub(super) fn saturated(&self) -> Option<String> {
        self.rate().filter(|_| self.is_full() && self.client_cpu().is_none() && self.nothing().is_none())
    }

    /// Operations often had to wait for others to end.
    fn is_full(&self) -> bool {
        self.queued * 10 > self.started()
    }

    fn started(&self) -> u64 {
        self.operations + self.errors
    }

    /// More operations failed than the spec allows: the reason as in [`Self::invalid`].
    pub(super) fn errors(&self) -> Option<String> {
        let share = self.errors as f64 / self.started().max(1) as f64;
        let limit = self.spec.limits.error_share;
        (self.errors > 0 && share > limit).then(|| {
            let (errors, all) = (self.errors, self.started());
            format!("{errors} of {all} operations failed ({:.3} %, limit {:.3} %)", share * 100.0, limit * 100.0)
        })
    }

    fn nothing(&self) -> Option<String> {
        (self.operations == 0 && !self.halted)
            .then(|| "no operation ended well in the measured time: there is nothing to judge".to_owned())
    }

    fn client_cpu(&self) -> Option<String> {
        let cpu = self.cost.load_threads.map_or(self.cost.cpu, |load_threads| load_threads.cpu);
        let (cores, threads) = (self.per_elapsed(cpu), self.spec.threads.max(1));
        (cores / threads as f64 > self.spec.limits.client_cpu_share)
            .then(|| format!("client: its {threads} threads used {cores:.2} cores; the client was the bottleneck"))
    }

    fn run_queue(&self) -> Option<String> {
        let share = self.per_elapsed(self.cost.load_threads?.run_queue) / self.spec.threads.max(1) as f64;
        (share > self.spec.limits.run_queue_share).then(|| {
            format!(
                "client: ready to run but without a core for {:.0} % of the run; the machine is too busy",
                share * 100.0
            )
        })
    }

    fn per_elapsed(&self, time: Duration) -> f64 {
        time.as_secs_f64() / self.elapsed.as_secs_f64().max(1e-9)
    }

    fn late_starts(&self) -> Option<String> {
        if self.late_ns.is_empty() {
            return None;
        }
        let late_ns = self.late_ns.value_at_quantile(0.99);
        let response_ns = self.response_ns.value_at_quantile(0.99);
        let share = late_ns as f64 / response_ns.max(1) as f64;
        (late_ns >= LATE_NS && share > self.spec.limits.late_start_share).then(|| {
            format!(
                "client: it started operations late, P99 {:.1} ms of the response time's P99 of {:.1} ms",
                late_ns as f64 / 1e6,
                response_ns as f64 / 1e6
            )
        })
    }

    /// Seconds in an open loop until all of it was due.
    fn due_s(&self, per_s: f64) -> f64 {
        (self.started() + self.not_started) as f64 / per_s
    }

    /// What comes after that, or after the length of a closed loop, while the last operations end. It says nothing of the rate
    /// in a short run, also where a pause of the servers holds them up: so at most as long as one operation took. The service
    /// time is meant: the response time of an overloaded server is the backlog itself, and while it works that off,
    /// operations still start.
    pub(super) fn after(&self) -> Duration {
        let length_s = match (self.spec.pace, self.spec.stop) {
            (Pace::Open { per_s }, _) if self.is_full() => self.due_s(per_s).max(self.starting.as_secs_f64()),
            (Pace::Open { per_s }, _) => self.due_s(per_s),
            (_, Stop::Duration(length)) => length.as_secs_f64(),
            _ => return Duration::ZERO,
        };
        let longest_s = self.service_ns.max() as f64 / 1e9;
        Duration::from_secs_f64((self.elapsed.as_secs_f64() - length_s).clamp(0.0, longest_s))
    }

    /// Rate and its share of what was due; `None` in a closed loop or when ended from outside.
    fn rate_reached(&self) -> Option<(f64, f64)> {
        let Pace::Open { per_s } = self.spec.pace else { return None };
        if self.halted || self.elapsed.is_zero() {
            return None;
        }
        let reached = self.started() as f64 / self.elapsed.as_secs_f64();
        let due_s = self.due_s(per_s);
        let late_s = (self.elapsed.as_secs_f64() - due_s - self.after().as_secs_f64()).max(0.0);
        let started = self.started() as f64 / (self.started() + self.not_started).max(1) as f64;
        Some((reached, started * due_s / (due_s + late_s)))
    }

    fn rate(&self) -> Option<String> {
        let Pace::Open { per_s } = self.spec.pace else { return None };
        let (reached, share) = self.rate_reached()?;
        if share >= self.spec.limits.rate_share {
            return None;
        }
        let never = match self.not_started {
            0 => String::new(),
            some => format!(", {some} operations never started"),
        };
        let service_ms = self.service_ns.value_at_quantile(0.5) as f64 / 1e6;
        let why = if self.is_full() {
            format!("all {} in flight were busy, service P50 {service_ms:.1} ms", self.spec.in_flight)
        } else {
            format!("client: the backlog grew although the service P50 is {service_ms:.1} ms")
        };
        Some(format!("rate not reached: {reached:.0} of {per_s:.0} operations per second{never}; {why}"))
    }
}

#[cfg(test)]
mod tests;
