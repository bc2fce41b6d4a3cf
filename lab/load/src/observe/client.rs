// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! CPU time of the client, which is this process.

use std::time::Instant;

use procfs::process::Process;

/// The client's own counters at some instant.
#[derive(Clone, Copy, Debug)]
pub struct Client {
    at: Instant,
    cpu_s: f64,
    waiting_s: f64,
}

/// CPU of the client between two instants.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClientUse {
    /// Time between them.
    pub elapsed_s: f64,
    /// CPU time of all its threads.
    pub cpu_s: f64,
    /// Time that its threads were ready to run but had no CPU, summed over threads that are still there; from
    /// `/proc/self/task/*/schedstat`.
    pub run_queue_s: f64,
}

impl Client {
    /// Reads them now.
    pub fn now() -> Self {
        let myself = Process::myself().ok();
        let ticks_per_s = procfs::ticks_per_second() as f64;
        let cpu_s = myself.as_ref().and_then(|process| process.stat().ok()).map_or(0.0, |stat| {
            // Children are not counted: a node that is started as one must not look like the client.
            (stat.utime + stat.stime) as f64 / ticks_per_s
        });
        let waiting_ns: u64 = myself
            .and_then(|process| process.tasks().ok())
            .map_or(0, |tasks| tasks.flatten().filter_map(|task| task.schedstat().ok()).map(|s| s.run_delay).sum());
        Self { at: Instant::now(), cpu_s, waiting_s: waiting_ns as f64 / 1e9 }
    }

    /// The use since an earlier instant.
    pub fn since(&self, earlier: &Self) -> ClientUse {
        ClientUse {
            elapsed_s: (self.at - earlier.at).as_secs_f64(),
            cpu_s: (self.cpu_s - earlier.cpu_s).max(0.0),
            run_queue_s: (self.waiting_s - earlier.waiting_s).max(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_costs_cpu() {
        let before = Client::now();
        let mut sum = 0_u64;
        while Client::now().since(&before).elapsed_s < 0.2 {
            sum = std::hint::black_box(sum + 1);
        }
        let used = Client::now().since(&before);
        assert!(used.cpu_s > 0.0 && used.run_queue_s >= 0.0);
    }
}
