// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The warm-up of a scenario, which ends when the servers' CPU per operation has settled and their compilers rest.
//!
//! The C2 compiler works for some two minutes on two cores and costs up to half of the CPU meanwhile: a comparison of
//! cold JVMs compares their compilers. The warm-up runs the phase's own operations in slices.

use anyhow::Result;
use serde::Serialize;

use crate::phase::Used;
use lab_load::load::{Outcome, Settling};
use lab_load::observe::{Compilers, Reading};

/// The longest slice, in seconds.
const SLICE_MAX_S: f64 = 15.0;

/// Compilers that take less than this share of a CPU rest.
const REST_MAX: f64 = 0.05;

/// Slices of a lead-in, in seconds.
const LEAD_IN_SLICE_S: f64 = 5.0;

/// What the servers used in one slice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slice {
    /// CPU of an operation, in microseconds.
    pub cpu_us_per_operation: f64,
    /// CPU of the JVMs' compilers, as a share of one CPU.
    pub compiler_share: f64,
}

/// Sees what the servers use in a slice.
pub struct SliceMeter {
    readings: Vec<Reading>,
    pids: Vec<i32>,
    compilers: Compilers,
}

impl SliceMeter {
    /// Starts with a reading of the servers, which are these processes.
    pub fn start(readings: Vec<Reading>, pids: Vec<i32>) -> Self {
        Self { readings, compilers: Compilers::of(&pids), pids }
    }

    /// What they used; `None` where it cannot be seen.
    pub fn end(self, readings: &[Reading], outcome: &Outcome) -> Option<Slice> {
        let used = Used::between(&self.readings, readings);
        let compilers_s = Compilers::of(&self.pids).cpu_s_since(&self.compilers);
        let operations: u64 = outcome.tallies.iter().map(|tally| tally.operations).sum();
        used.cpu_s.map(|cpu_s| Slice {
            cpu_us_per_operation: cpu_s * 1e6 / operations.max(1) as f64,
            compiler_share: compilers_s / used.elapsed_s,
        })
    }
}

/// How a warm-up went.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Warmup {
    /// Length of a slice in seconds.
    pub slice_s: f64,
    /// Server CPU per operation of each slice, in microseconds.
    pub cpu_us_per_operation: Vec<f64>,
    /// CPU of the compilers in each slice, as a share of one CPU.
    pub compiler_share: Vec<f64>,
    /// The cost settled, and the compilers came to rest, before the time was over.
    pub warm: bool,
}

impl Warmup {
    /// The longest lead-in of a phase that follows a warm-up, in seconds.
    pub const LEAD_IN_MAX_S: f64 = 60.0;

    /// Runs slices until the server is warm, `limit_s` seconds at most. `slice` runs one of the given length in seconds and
    /// returns what the servers used; `None` where it cannot be seen.
    pub fn run(limit_s: f64, mut slice: impl FnMut(f64) -> Result<Option<Slice>>) -> Result<Self> {
        let slice_s = (limit_s / (2 * Settling::SLICES_MIN) as f64).clamp(1.0, SLICE_MAX_S);
        let mut warmup = Self { slice_s, ..Self::default() };
        let (mut settling, slices_max) = (Settling::default(), (limit_s / slice_s).floor() as usize);
        for _ in 0..slices_max {
            // Without numbers there is no telling: the whole time is used.
            let Some(used) = slice(slice_s)? else { continue };
            warmup.compiler_share.push(used.compiler_share);
            if settling.add(used.cpu_us_per_operation) && used.compiler_share < REST_MAX {
                warmup.warm = true;
                break;
            }
        }
        warmup.cpu_us_per_operation = settling.costs().to_vec();
        Ok(warmup)
    }

    /// Runs slices until the compilers rest, `limit_s` seconds at most: before a phase that asks a warm server for something
    /// new, as another pace.
    pub fn lead_in(limit_s: f64, mut slice: impl FnMut(f64) -> Result<Option<Slice>>) -> Result<Self> {
        let slice_s = LEAD_IN_SLICE_S.min(limit_s);
        let mut lead_in = Self { slice_s, ..Self::default() };
        let slices_max = (limit_s / slice_s).floor() as usize;
        while !lead_in.warm && lead_in.cpu_us_per_operation.len() < slices_max {
            // Without numbers there is no telling: one slice has to do.
            let Some(used) = slice(slice_s)? else { break };
            lead_in.cpu_us_per_operation.push(used.cpu_us_per_operation);
            lead_in.compiler_share.push(used.compiler_share);
            lead_in.warm = used.compiler_share < REST_MAX;
        }
        Ok(lead_in)
    }

    /// One line for people.
    pub fn summary(&self) -> String {
        let costs = &self.cpu_us_per_operation;
        let (first, last) = (costs.first().copied().unwrap_or(0.0), costs.last().copied().unwrap_or(0.0));
        let seconds = self.slice_s * costs.len() as f64;
        let compiling = self.compiler_share.last().copied().unwrap_or(0.0) * 100.0;
        let end = if self.warm { "no longer falling" } else { "time over, may still have been falling" };
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

    /// Falls from 400 to 100 us with a time constant in slices.
    fn run(limit_s: f64, constant: f64) -> Warmup {
        let mut slices = 0.0;
        Warmup::run(limit_s, |_| {
            slices += 1.0;
            let cpu_us_per_operation = 100.0 + 300.0 * (-slices / constant).exp();
            Ok(Some(Slice { cpu_us_per_operation, compiler_share: 0.0 }))
        })
        .unwrap()
    }

    #[test]
    fn it_ends_when_the_cost_is_flat_and_not_before() {
        let quick = run(240.0, 1.0);
        assert!(quick.warm && quick.cpu_us_per_operation.len() < 12);
        let slow = run(240.0, 4.0);
        assert!(slow.warm || slow.cpu_us_per_operation.len() == 16);
        assert!(*slow.cpu_us_per_operation.last().unwrap() < 115.0);
    }

    #[test]
    fn it_is_bounded_and_says_when_it_was_cut_off() {
        let cut = run(10.0, 20.0);
        assert_eq!((cut.warm, cut.cpu_us_per_operation.len()), (false, 10));
        assert!(cut.summary().contains("time over"));
    }

    #[test]
    fn it_goes_on_while_the_compilers_work() {
        let mut slices = 0;
        let warmup = Warmup::run(240.0, |_| {
            slices += 1;
            let compiler_share = if slices < 9 { 0.4 } else { 0.01 };
            Ok(Some(Slice { cpu_us_per_operation: 100.0, compiler_share }))
        });
        let warmup = warmup.unwrap();
        assert_eq!(
            (warmup.warm, warmup.compiler_share.len()),
            (true, 9),
            "the cost alone was flat from the first slice"
        );
    }

    #[test]
    fn a_lead_in_ends_with_the_first_slice_in_which_the_compilers_rest() {
        let lead_in = |shares: &[f64], limit_s: f64| {
            let mut shares = shares.iter();
            let slice = |_| Ok(shares.next().map(|share| Slice { cpu_us_per_operation: 50.0, compiler_share: *share }));
            let lead_in = Warmup::lead_in(limit_s, slice).unwrap();
            (lead_in.warm, lead_in.compiler_share.len())
        };
        assert_eq!(lead_in(&[0.01, 0.3], 60.0), (true, 1));
        assert_eq!(lead_in(&[0.3, 0.2, 0.04, 0.3], 60.0), (true, 3));
        assert_eq!(lead_in(&[0.3; 100], 60.0), (false, 12));
        assert_eq!(lead_in(&[0.3; 100], 2.0), (false, 1));
        assert_eq!(lead_in(&[], 60.0), (false, 0), "without numbers");
    }

    #[test]
    fn without_numbers_it_uses_its_time() {
        let mut slices = 0;
        let blind = Warmup::run(5.0, |_| {
            slices += 1;
            Ok(None)
        });
        assert!(!blind.unwrap().warm && slices == 5);
    }
}
