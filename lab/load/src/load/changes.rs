// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Changes of an open loop's rate while it runs: steps and ramps.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

/// The rate over time, as pieces that are constant or grow linearly.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Piece {
    /// Seconds since the start of the load.
    begin_s: f64,
    /// Operations that are due before it.
    due: f64,
    per_s: f64,
    /// Change of the rate each second.
    slope: f64,
}

impl Piece {
    fn per_s_at(&self, at_s: f64) -> f64 {
        self.per_s + self.slope * (at_s - self.begin_s)
    }

    fn due_at(&self, at_s: f64) -> f64 {
        let time_s = at_s - self.begin_s;
        self.due + self.per_s * time_s + self.slope * time_s * time_s / 2.0
    }

    /// When so many operations have become due.
    fn when_s(&self, due: f64) -> f64 {
        let more = due - self.due;
        let discriminant = (self.per_s * self.per_s + 2.0 * self.slope * more).max(0.0);
        // The form that does not divide by a slope of 0.
        self.begin_s + 2.0 * more / (self.per_s + discriminant.sqrt())
    }
}

/// A rate that others change while a load runs; clones are the same rate. Safe to share between threads.
#[derive(Clone, Debug)]
pub struct Changes(Arc<RwLock<Vec<Piece>>>);

impl Changes {
    /// This rate, until it is changed.
    pub fn from(per_s: f64) -> Self {
        Self(Arc::new(RwLock::new(vec![Piece { begin_s: 0.0, due: 0.0, per_s, slope: 0.0 }])))
    }

    /// From `at` on, counted from the start of the load, the rate goes linearly to `per_s`, and stays there. Changes come in the
    /// order of time; `per_s` is above 0.
    pub fn change(&self, at: Duration, per_s: f64, over: Duration) {
        let mut pieces = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let (at_s, over_s) = (at.as_secs_f64(), over.as_secs_f64());
        // A change within a ramp ends it.
        pieces.retain(|piece| piece.begin_s == 0.0 || piece.begin_s < at_s);
        let Some(last) = pieces.last().copied() else { return };
        let (due, before_per_s) = (last.due_at(at_s), last.per_s_at(at_s));
        if over_s > 0.0 {
            let ramp = Piece { begin_s: at_s, due, per_s: before_per_s, slope: (per_s - before_per_s) / over_s };
            let end_s = at_s + over_s;
            pieces.push(ramp);
            pieces.push(Piece { begin_s: end_s, due: ramp.due_at(end_s), per_s, slope: 0.0 });
        } else {
            pieces.push(Piece { begin_s: at_s, due, per_s, slope: 0.0 });
        }
    }

    /// Operations that are due by then.
    pub fn due_at(&self, at: Duration) -> f64 {
        let at_s = at.as_secs_f64();
        self.find(|piece| piece.begin_s <= at_s, |piece| piece.due_at(at_s))
    }

    /// When an operation is due.
    pub(super) fn when(&self, index: u64) -> Duration {
        let due = index as f64;
        let when_s = self.find(|piece| piece.due <= due, |piece| piece.when_s(due));
        Duration::try_from_secs_f64(when_s).unwrap_or(Duration::MAX)
    }

    /// Of the last piece that has begun.
    fn find(&self, begun: impl Fn(&Piece) -> bool, value: impl Fn(&Piece) -> f64) -> f64 {
        let pieces = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let at = pieces.partition_point(begun).saturating_sub(1);
        pieces.get(at).map_or(0.0, value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_rate_that_is_not_changed_is_constant() {
        let rate = Changes::from(100.0);
        assert_eq!((rate.due_at(2 * SECOND), rate.when(150)), (200.0, SECOND * 3 / 2));
    }

    #[test]
    fn steps_and_ramps_are_due_by_the_area_below_the_rate() {
        let rate = Changes::from(100.0);
        rate.change(10 * SECOND, 300.0, 4 * SECOND);
        rate.change(20 * SECOND, 50.0, Duration::ZERO);
        // 1000, then 200 in the mean for 4 s, then 300 for 6 s.
        assert_eq!([10, 14, 20, 22].map(|at| rate.due_at(at * SECOND)), [1000.0, 1800.0, 3600.0, 3700.0]);
        for at_s in [3.0, 11.5, 13.9, 17.0, 21.0] {
            let at = Duration::from_secs_f64(at_s);
            let index = rate.due_at(at) as u64;
            let when_s = rate.when(index).as_secs_f64();
            assert!(when_s <= at_s && at_s - when_s < 0.03, "{at_s}: {when_s}");
        }
    }

    #[test]
    fn a_change_within_a_ramp_ends_it() {
        let rate = Changes::from(100.0);
        rate.change(10 * SECOND, 300.0, 10 * SECOND);
        rate.change(15 * SECOND, 100.0, Duration::ZERO);
        assert_eq!(rate.due_at(15 * SECOND), 1000.0 + 750.0);
        assert_eq!(rate.due_at(25 * SECOND), 1750.0 + 1000.0);
    }
}
