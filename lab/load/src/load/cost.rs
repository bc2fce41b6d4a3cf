// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! CPU time of this process, and the time for which its threads waited for a core.

use std::fs;
use std::time::Duration;

use nix::sys::resource::{getrusage, UsageWho};
use nix::sys::time::TimeValLike;

/// Name of the threads that [`super::runtime`] makes; the kernel keeps 15 bytes.
pub(super) const THREAD_NAME: &str = "cassiterite-load";
const COMM_BYTES: usize = 15;

/// Counters of the process since it started.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cost {
    /// CPU of the whole process.
    pub(super) cpu: Duration,
    /// Of the threads that speak to the cluster, summed; `None` where the kernel does not say.
    pub(super) load_threads: Option<LoadThreads>,
}

/// Time of threads.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LoadThreads {
    pub(super) cpu: Duration,
    /// Ready to run, without a core.
    pub(super) run_queue: Duration,
}

impl Cost {
    /// As of now.
    pub(super) fn now() -> Self {
        let cpu = getrusage(UsageWho::RUSAGE_SELF)
            .map_or(0, |usage| usage.user_time().num_microseconds() + usage.system_time().num_microseconds());
        Self { cpu: Duration::from_micros(u64::try_from(cpu).unwrap_or(0)), load_threads: load_threads() }
    }

    /// The difference to `earlier`; threads that ended meanwhile are missing from `load_threads`.
    pub(super) fn since(&self, earlier: &Self) -> Self {
        let load_threads = self.load_threads.zip(earlier.load_threads).map(|(now, then)| LoadThreads {
            cpu: now.cpu.saturating_sub(then.cpu),
            run_queue: now.run_queue.saturating_sub(then.run_queue),
        });
        Self { cpu: self.cpu.saturating_sub(earlier.cpu), load_threads }
    }
}

/// Linux: `/proc/self/task/*/schedstat` holds nanoseconds on a core, nanoseconds waiting for one, turns.
fn load_threads() -> Option<LoadThreads> {
    let name = THREAD_NAME.get(..COMM_BYTES)?;
    let (mut found, mut cpu_ns, mut run_queue_ns) = (false, 0, 0);
    for task in fs::read_dir("/proc/self/task").ok()?.flatten() {
        if fs::read_to_string(task.path().join("comm")).is_ok_and(|comm| comm.trim_end() == name) {
            let line = fs::read_to_string(task.path().join("schedstat")).ok()?;
            let mut numbers = line.split_ascii_whitespace().map_while(|word| word.parse::<u64>().ok());
            cpu_ns += numbers.next()?;
            run_queue_ns += numbers.next()?;
            found = true;
        }
    }
    found.then(|| LoadThreads { cpu: Duration::from_nanos(cpu_ns), run_queue: Duration::from_nanos(run_queue_ns) })
}
