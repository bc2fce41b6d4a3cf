// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The warm-up of a scenario, which ends when the servers' CPU per operation has settled.
//!
//! The C2 compiler works for two or three minutes on two cores and costs up to half of the CPU meanwhile: a comparison of
//! cold JVMs compares their compilers. The warm-up runs the phase's own operations in slices.

use anyhow::Result;
use serde::Serialize;

use crate::load::Settling;

/// What one slice lasts at most, in seconds.
const SLICE_MAX_S: f64 = 15.0;

/// How a warm-up went.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Warmup {
    /// Length of a slice in seconds.
    pub slice_s: f64,
    /// Server CPU per operation of each slice, in microseconds.
    pub cpu_us_per_operation: Vec<f64>,
    /// It ended because nothing fell any more, not because its time was over.
    pub warm: bool,
}

impl Warmup {
    /// Runs slices until the server is warm, `limit_s` seconds at most. `slice` runs one of the given length in seconds and
    /// returns the server CPU per operation in microseconds; `None` where it cannot be seen.
    pub fn run(limit_s: f64, mut slice: impl FnMut(f64) -> Result<Option<f64>>) -> Result<Self> {
        let slice_s = (limit_s / (2 * Settling::SLICES_MIN) as f64).clamp(1.0, SLICE_MAX_S);
        let mut warmup = Self { slice_s, ..Self::default() };
        let (mut settling, slices_max) = (Settling::default(), (limit_s / slice_s).floor() as usize);
        for _ in 0..slices_max {
            // Without numbers there is no telling: the whole time is used.
            if slice(slice_s)?.is_some_and(|cost| settling.add(cost)) {
                warmup.warm = true;
                break;
            }
        }
        warmup.cpu_us_per_operation = settling.costs().to_vec();
        Ok(warmup)
    }

    /// One line for people.
    pub fn summary(&self) -> String {
        let costs = &self.cpu_us_per_operation;
        let (first, last) = (costs.first().copied().unwrap_or(0.0), costs.last().copied().unwrap_or(0.0));
        let seconds = self.slice_s * costs.len() as f64;
        let end = if self.warm { "no longer falling" } else { "time over, may still have been falling" };
        format!("{seconds:.0} s, {first:.0} to {last:.0} us of server CPU per operation, {end}")
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
            Ok(Some(100.0 + 300.0 * (-slices / constant).exp()))
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
    fn without_numbers_it_uses_its_time() {
        let mut slices = 0;
        let blind = Warmup::run(5.0, |_| {
            slices += 1;
            Ok(None)
        });
        assert!(!blind.unwrap().warm && slices == 5);
    }
}
