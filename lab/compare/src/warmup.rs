// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The warm-up of a scenario: windows of its own load until [`Rule`] says that the servers are warm.
//!
//! The C2 compiler works for some two minutes on two cores and costs up to half of the CPU meanwhile: a comparison of
//! cold JVMs compares their compilers.

use anyhow::Result;
use serde::Serialize;

use crate::phase::Used;
use crate::settled::{Decision, Rule, Window};
use lab_load::load::Outcome;
use lab_load::observe::{Compilers, Reading};

/// Sees what the servers use in a window.
pub struct WindowMeter {
    readings: Vec<Reading>,
    pids: Vec<i32>,
    compilers: Compilers,
}

impl WindowMeter {
    /// Starts with a reading of the servers, which are these processes.
    pub fn start(readings: Vec<Reading>, pids: Vec<i32>) -> Self {
        Self { readings, compilers: Compilers::of(&pids), pids }
    }

    /// What they used; `None` where it cannot be seen.
    pub fn end(self, readings: &[Reading], outcome: &Outcome) -> Option<Window> {
        let used = Used::between(&self.readings, readings);
        let compilers_s = Compilers::of(&self.pids).cpu_s_since(&self.compilers);
        let operations: u64 = outcome.tallies.iter().map(|tally| tally.operations).sum();
        used.cpu_s.map(|cpu_s| Window {
            cpu_us_per_operation: cpu_s * 1e6 / operations.max(1) as f64,
            compiler_share: compilers_s / used.elapsed_s,
        })
    }
}

/// How a warm-up went.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Warmup {
    /// Length of a window in seconds.
    pub slice_s: f64,
    /// Server CPU per operation of each window, in microseconds.
    pub cpu_us_per_operation: Vec<f64>,
    /// CPU of the compilers in each window, as a share of one CPU.
    pub compiler_share: Vec<f64>,
    /// Windows at the end that ran on the servers' own CPUs, as what is measured does.
    pub on_fence: usize,
    /// The servers were warm before the time was over, on all CPUs and then on their own.
    pub warm: bool,
}

impl Warmup {
    /// The longest lead-in of a phase that follows a warm-up, in seconds.
    pub const LEAD_IN_MAX_S: f64 = 60.0;
    /// The longest stay on the servers' own CPUs before something is measured there, in seconds.
    pub const FENCE_MAX_S: f64 = 30.0;

    /// Runs windows until the rule ends them. `window` runs one of the given length in seconds and returns what the servers
    /// used; `None` where it cannot be seen.
    pub fn run(rule: Rule, mut window: impl FnMut(f64) -> Result<Option<Window>>) -> Result<Self> {
        let mut seen = Vec::new();
        let mut warm = false;
        for run in 1..=rule.most {
            match window(rule.window_s)? {
                Some(used) => seen.push(used),
                // Without numbers there is no telling: a rule that may end early does, another uses its time.
                None if run >= rule.least && rule.least == 1 => break,
                None => continue,
            }
            warm = rule.decide(&seen) == Decision::Settled;
            if warm {
                break;
            }
        }
        Ok(Self {
            slice_s: rule.window_s,
            cpu_us_per_operation: seen.iter().map(|window| window.cpu_us_per_operation).collect(),
            compiler_share: seen.iter().map(|window| window.compiler_share).collect(),
            on_fence: 0,
            warm,
        })
    }

    /// Goes on on the servers' own CPUs.
    pub fn then_on_fence(mut self, fenced: Self) -> Self {
        self.on_fence = fenced.compiler_share.len();
        self.cpu_us_per_operation.extend(fenced.cpu_us_per_operation);
        self.compiler_share.extend(fenced.compiler_share);
        self.warm &= fenced.warm;
        self
    }

    /// One line for people.
    pub fn summary(&self) -> String {
        let costs = &self.cpu_us_per_operation;
        let (first, last) = (costs.first().copied().unwrap_or(0.0), costs.last().copied().unwrap_or(0.0));
        let seconds = self.slice_s * costs.len() as f64;
        let compiling = self.compiler_share.last().copied().unwrap_or(0.0) * 100.0;
        let end = if self.warm { "settled" } else { "time over before the servers were warm" };
        format!(
            "{seconds:.0} s, {first:.0} to {last:.0} us of server CPU per operation, {end}; compilers took {compiling:.0} % of \
             a CPU at last"
        )
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn window(cpu_us_per_operation: f64) -> Result<Option<Window>> {
        Ok(Some(Window { cpu_us_per_operation, compiler_share: 0.0 }))
    }

    #[test]
    fn it_ends_when_the_cost_is_level() {
        let mut windows = 0.0;
        let warmup = Warmup::run(Rule::warm_up(240.0), |_| {
            windows += 1.0;
            window(100.0 + 300.0 * f64::exp(-windows))
        });
        let warmup = warmup.unwrap();
        assert!(warmup.warm && warmup.cpu_us_per_operation.len() < 14, "{warmup:?}");
        assert!(warmup.summary().contains("settled"));
    }

    #[test]
    fn it_is_bounded_and_says_when_it_was_cut_off() {
        let mut cost = 100.0;
        let cut = Warmup::run(Rule::warm_up(10.0), |_| {
            cost *= 0.9;
            window(cost)
        });
        let cut = cut.unwrap();
        assert_eq!((cut.warm, cut.cpu_us_per_operation.len()), (false, 10));
        assert!(cut.summary().contains("time over"));
    }

    #[test]
    fn it_is_warm_only_when_it_is_on_its_own_cpus_too() {
        let on_all = Warmup::run(Rule::lead_in(60.0), |_| window(50.0)).unwrap();
        let busy = |_| Ok(Some(Window { cpu_us_per_operation: 60.0, compiler_share: 0.3 }));
        let fenced = Warmup::run(Rule::lead_in(10.0), busy).unwrap();
        let both = on_all.clone().then_on_fence(fenced);
        assert_eq!((both.warm, both.on_fence, both.cpu_us_per_operation.len()), (false, 3, 4));
        assert!(on_all.clone().then_on_fence(on_all).warm);
    }

    #[test]
    fn without_numbers_it_uses_its_time_and_a_lead_in_one_window() {
        let blind = |rule: Rule| {
            let mut windows = 0;
            let blind = Warmup::run(rule, |_| {
                windows += 1;
                Ok(None)
            });
            (blind.unwrap().warm, windows)
        };
        assert_eq!(blind(Rule::warm_up(5.0)), (false, 5));
        assert_eq!(blind(Rule::lead_in(60.0)), (false, 1));
    }
}
