// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The intervals of a run in bounded memory, and the uncertainty of its rate.

use anyhow::Result;
use hdrhistogram::Histogram;

use crate::load::recorder::add_tally;
use crate::load::{Interval, Tally};

/// Beyond this, neighbours are joined: a day's run has intervals of minutes.
const MOST_INTERVALS: usize = 600;

/// The intervals kept for the end, joined two by two when they get too many; latencies to 2 digits.
#[derive(Debug, Default)]
pub(super) struct Series {
    intervals: Vec<Interval>,
    /// Intervals of the run in one of these.
    joined: u64,
    seen: u64,
}

impl Series {
    pub(super) fn push(&mut self, interval: &Interval) -> Result<()> {
        self.joined = self.joined.max(1);
        let coarse = coarse(interval)?;
        match self.intervals.last_mut() {
            Some(last) if !self.seen.is_multiple_of(self.joined) => join(last, &coarse)?,
            _ => self.intervals.push(coarse),
        }
        self.seen += 1;
        if self.intervals.len() > MOST_INTERVALS {
            self.halve()?;
        }
        Ok(())
    }

    pub(super) fn into_intervals(self) -> Vec<Interval> {
        self.intervals
    }

    fn halve(&mut self) -> Result<()> {
        let mut joined: Vec<Interval> = Vec::with_capacity(MOST_INTERVALS);
        for (number, interval) in std::mem::take(&mut self.intervals).into_iter().enumerate() {
            match joined.last_mut() {
                Some(last) if number % 2 == 1 => join(last, &interval)?,
                _ => joined.push(interval),
            }
        }
        self.intervals = joined;
        self.joined *= 2;
        Ok(())
    }
}

fn coarse(interval: &Interval) -> Result<Interval> {
    let tallies = interval.tallies.iter().map(|tally| -> Result<Tally> {
        let mut few = Tally { response_ns: Histogram::new(2)?, service_ns: Histogram::new(2)?, ..tally.clone() };
        few.response_ns.add(&tally.response_ns)?;
        few.service_ns.add(&tally.service_ns)?;
        Ok(few)
    });
    Ok(Interval { tallies: tallies.collect::<Result<_>>()?, ..interval.clone() })
}

fn join(interval: &mut Interval, next: &Interval) -> Result<()> {
    interval.to = next.to;
    interval.backlog = next.backlog;
    for (tally, more) in interval.tallies.iter_mut().zip(&next.tallies) {
        add_tally(tally, more)?;
    }
    Ok(())
}

/// cassandra-stress's stop rule (its class `Uncertainty`): the standard error of the mean of the intervals' rates, as a
/// share of the mean.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Uncertainty {
    intervals: u32,
    sum: f64,
    sum_of_squares: f64,
}

impl Uncertainty {
    pub(super) fn push(&mut self, per_s: f64) {
        self.intervals += 1;
        self.sum += per_s;
        self.sum_of_squares += per_s * per_s;
    }

    pub(super) fn share(&self) -> f64 {
        let count = f64::from(self.intervals);
        let mean = self.sum / count;
        let deviation = (self.sum_of_squares / count - mean * mean).max(0.0).sqrt();
        deviation / count.sqrt() / mean
    }

    pub(super) fn is_met(&self, below: f64, min_intervals: u32, max_intervals: u32) -> bool {
        (self.share() < below && self.intervals >= min_intervals) || self.intervals >= max_intervals
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use std::time::Duration;

    use super::*;
    use crate::load::recorder::Counters;
    use crate::load::{Class, Kind};

    #[test]
    fn a_long_run_keeps_few_intervals_and_all_operations() {
        let kinds = [Kind { name: "get".to_owned(), class: Class::Read }];
        let mut counters = Counters::new(&kinds).unwrap();
        counters.tallies[0].operations = 1;
        counters.tallies[0].response_ns.record(1000).unwrap();
        let mut series = Series::default();
        let length = 2500;
        for second in 0..length {
            let (from, to) = (Duration::from_secs(second), Duration::from_secs(second + 1));
            series.push(&Interval { from, to, backlog: second, tallies: counters.tallies.clone() }).unwrap();
        }
        let intervals = series.into_intervals();
        assert!((300..=MOST_INTERVALS).contains(&intervals.len()), "{}", intervals.len());
        assert!(intervals.windows(2).all(|pair| pair[0].to == pair[1].from));
        assert!(intervals.iter().rev().skip(1).all(|one| one.to - one.from == intervals[0].to));
        assert_eq!(intervals.last().unwrap().to, Duration::from_secs(length));
        let operations: u64 = intervals.iter().map(|interval| interval.tallies[0].operations).sum();
        let recorded: u64 = intervals.iter().map(|interval| interval.tallies[0].response_ns.len()).sum();
        assert_eq!((operations, recorded), (length, length));
    }

    #[test]
    fn uncertainty_is_the_standard_error_of_the_mean() {
        let mut rates = Uncertainty::default();
        for per_s in [90.0, 110.0, 90.0, 110.0] {
            rates.push(per_s);
        }
        // Deviation 10 of the mean 100, over the root of 4.
        assert!((rates.share() - 0.05).abs() < 1e-12);
        assert!(rates.is_met(0.051, 4, 100));
        assert!(!rates.is_met(0.051, 5, 100));
        assert!(!rates.is_met(0.05, 4, 100));
        assert!(rates.is_met(0.01, 4, 4), "ends at the most intervals whatever the error");
    }
}
