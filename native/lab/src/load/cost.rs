// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What this process costs: CPU, and waiting for a core.

use std::fs;
use std::time::Duration;

use nix::sys::resource::{getrusage, UsageWho};
use nix::sys::time::TimeValLike;

/// Counters of the process since it started.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cost {
    pub(super) cpu: Duration,
    /// Ready to run, without a core; summed over threads. `None` where the kernel does not say.
    pub(super) run_queue: Option<Duration>,
}

impl Cost {
    /// As of now.
    pub(super) fn now() -> Self {
        let cpu = getrusage(UsageWho::RUSAGE_SELF)
            .map_or(0, |usage| usage.user_time().num_microseconds() + usage.system_time().num_microseconds());
        Self { cpu: Duration::from_micros(u64::try_from(cpu).unwrap_or(0)), run_queue: run_queue() }
    }

    /// What came since `earlier`; threads that ended meanwhile are missing from the run queue.
    pub(super) fn since(&self, earlier: &Self) -> Self {
        let run_queue = self.run_queue.zip(earlier.run_queue).map(|(now, then)| now.saturating_sub(then));
        Self { cpu: self.cpu.saturating_sub(earlier.cpu), run_queue }
    }
}

/// Linux: `/proc/self/task/*/schedstat` holds nanoseconds on a core, nanoseconds waiting for one, turns.
fn run_queue() -> Option<Duration> {
    let waits = fs::read_dir("/proc/self/task").ok()?.filter_map(|task| {
        let line = fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        line.split_ascii_whitespace().nth(1)?.parse::<u64>().ok()
    });
    let mut threads = 0;
    let total = waits.inspect(|_| threads += 1).sum();
    (threads > 0).then(|| Duration::from_nanos(total))
}
