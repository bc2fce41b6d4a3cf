// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The rule by which servers count as warm: windows in, settled or not out.
//!
//! Two things must hold. The JVMs' compilers rest, for several windows together: what they do is the cost that falls. And the
//! cost of an operation no longer falls, from the windows before to the last ones. Medians, since a shared machine spoils
//! single windows; falls alone, since a rise is a compaction's or a neighbour's, and no warm-up ends it.

/// What the servers used in one window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// CPU of an operation, in microseconds.
    pub cpu_us_per_operation: f64,
    /// CPU of the JVMs' compilers, as a share of one CPU.
    pub compiler_share: f64,
}

/// Compilers rest that take less than this share of a CPU.
pub const REST_MAX: f64 = 0.05;
/// A fall by less than this share is none.
const FALL_MAX: f64 = 0.05;
/// The longest window, in seconds.
const WINDOW_MAX_S: f64 = 3.0;
/// The shortest, in seconds: the kernel counts CPU in hundredths.
const WINDOW_MIN_S: f64 = 1.0;

/// When a warm-up ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// Length of a window in seconds.
    pub window_s: f64,
    /// Windows at least.
    pub least: usize,
    /// Windows at most; none of them more than there is time for.
    pub most: usize,
    /// The last windows in which the compilers rest, on the average.
    resting: usize,
    /// The last windows whose cost is held against as many before; 0: the cost does not count.
    level: usize,
}

/// What a rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// One more window.
    GoOn,
    /// The servers are warm.
    Settled,
    /// The time is over before they are.
    TimeOver,
}

impl Rule {
    /// Of servers that have done nothing yet: half a minute at least, `limit_s` seconds at most.
    pub fn warm_up(limit_s: f64) -> Self {
        let least = 10;
        let window_s = (limit_s / (2 * least) as f64).clamp(WINDOW_MIN_S, WINDOW_MAX_S);
        Self { window_s, least, most: windows(limit_s, window_s), resting: 5, level: 5 }
    }

    /// Of warm servers that are asked for something new, as another pace, or on other CPUs: one window may do.
    pub fn lead_in(limit_s: f64) -> Self {
        let window_s = WINDOW_MAX_S.min(limit_s);
        Self { window_s, least: 1, most: windows(limit_s, window_s), resting: 1, level: 0 }
    }

    /// What comes after these windows.
    pub fn decide(&self, windows: &[Window]) -> Decision {
        if windows.len() >= self.least && self.rest(windows) && self.is_level(windows) {
            Decision::Settled
        } else if windows.len() >= self.most {
            Decision::TimeOver
        } else {
            Decision::GoOn
        }
    }

    fn rest(&self, windows: &[Window]) -> bool {
        let last = windows.get(windows.len().saturating_sub(self.resting)..).unwrap_or_default();
        let shares: f64 = last.iter().map(|window| window.compiler_share).sum();
        last.len() == self.resting && shares / (last.len() as f64) < REST_MAX
    }

    fn is_level(&self, windows: &[Window]) -> bool {
        let Some(before) = windows.len().checked_sub(2 * self.level) else { return false };
        let mut costs = windows.iter().skip(before).map(|window| window.cpu_us_per_operation);
        let earlier: Vec<f64> = costs.by_ref().take(self.level).collect();
        let last: Vec<f64> = costs.collect();
        // Of no windows there is no median, and no fall.
        median(last).zip(median(earlier)).is_none_or(|(last, earlier)| last > earlier * (1.0 - FALL_MAX))
    }
}

fn windows(limit_s: f64, window_s: f64) -> usize {
    ((limit_s / window_s).floor() as usize).max(1)
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Windows until the rule ends it, of these costs and shares of the compilers.
    fn ended(rule: Rule, windows: impl IntoIterator<Item = (f64, f64)>) -> (Decision, usize) {
        let mut seen = Vec::new();
        for (cpu_us_per_operation, compiler_share) in windows {
            seen.push(Window { cpu_us_per_operation, compiler_share });
            let decision = rule.decide(&seen);
            if decision != Decision::GoOn {
                return (decision, seen.len());
            }
        }
        (Decision::GoOn, seen.len())
    }

    fn warm_up(windows: impl IntoIterator<Item = (f64, f64)>) -> (Decision, usize) {
        ended(Rule::warm_up(240.0), windows)
    }

    #[test]
    fn it_takes_a_least_time_and_a_greatest() {
        let rule = Rule::warm_up(240.0);
        assert_eq!((rule.window_s, rule.least, rule.most), (3.0, 10, 80));
        assert_eq!(warm_up([(100.0, 0.0); 90]), (Decision::Settled, 10));
        assert_eq!(warm_up([(100.0, 0.9); 90]), (Decision::TimeOver, 80));
        assert_eq!(ended(Rule::warm_up(5.0), [(100.0, 0.0); 60]), (Decision::TimeOver, 5), "too short to tell");
        assert_eq!(ended(Rule::warm_up(0.0), [(100.0, 0.0); 60]), (Decision::TimeOver, 1));
    }

    #[test]
    fn it_goes_on_while_the_compilers_work_though_the_cost_is_level() {
        let work = (0..90).map(|window| (100.0, if window < 9 { 0.4 } else { 0.01 }));
        assert_eq!(warm_up(work), (Decision::Settled, 14), "five windows of rest");
        let pauses = (0..90).map(|window| (100.0, if window % 5 == 0 { 0.3 } else { 0.0 }));
        assert_eq!(warm_up(pauses).0, Decision::TimeOver, "a pause is no rest");
        let trickle = (0..90).map(|window| (100.0, if window % 3 == 0 { 0.08 } else { 0.02 }));
        assert_eq!(warm_up(trickle), (Decision::Settled, 10), "the average counts");
    }

    #[test]
    fn it_goes_on_while_the_cost_falls_though_the_compilers_rest() {
        let falling = (0..90).map(|window| (100.0 + 300.0 * (-f64::from(window) / 4.0).exp(), 0.0));
        let (decision, windows) = warm_up(falling);
        assert_eq!(decision, Decision::Settled);
        assert!((14..25).contains(&windows), "{windows}: some 110 us");
        assert_eq!(warm_up((0..90).map(|window| (0.95_f64.powi(window), 0.0))).0, Decision::TimeOver);
    }

    #[test]
    fn one_spoiled_window_and_a_rise_do_not_keep_it() {
        let spoiled = (0..90).map(|window| (if window % 4 == 0 { 300.0 } else { 100.0 }, 0.0));
        assert_eq!(warm_up(spoiled), (Decision::Settled, 10));
        assert_eq!(warm_up((0..90).map(|window| (100.0 + f64::from(window), 0.0))), (Decision::Settled, 10));
    }

    /// As two warmed up in slices of 12.5 s, 2026-11-27, each of which is four windows here: microseconds, percent of a CPU.
    #[test]
    fn measured_warm_ups_end_soon_after_their_compilers_rest() {
        let of = |costs: &[f64], percents: &[f64]| {
            let slices = costs.iter().zip(percents).map(|(cost, percent)| (*cost, percent / 100.0));
            warm_up(slices.flat_map(|slice| [slice; 4]).collect::<Vec<_>>())
        };
        let stock = [361.0, 229.0, 154.0, 116.0, 82.0, 68.0, 61.0, 67.0, 68.0, 64.0];
        let shares = [18.0, 19.0, 25.0, 34.0, 39.0, 11.0, 10.0, 3.0, 1.0, 1.0];
        assert_eq!(of(&stock, &shares), (Decision::Settled, 8 * 4));
        let engine = [309.0, 240.0, 202.0, 169.0, 114.0, 92.0, 74.0, 76.0, 59.0, 58.0, 60.0, 58.0];
        let shares = [22.0, 20.0, 21.0, 21.0, 28.0, 26.0, 4.0, 3.0, 1.0, 3.0, 1.0, 1.0];
        assert_eq!(of(&engine, &shares), (Decision::Settled, 8 * 4));
        let cold = [432.0, 365.0, 339.0, 309.0, 267.0, 229.0, 185.0, 179.0, 165.0, 130.0, 157.0, 106.0];
        let shares = [22.0, 17.0, 16.0, 17.0, 19.0, 18.0, 23.0, 21.0, 25.0, 30.0, 33.0, 36.0];
        assert_eq!(of(&cold, &shares), (Decision::GoOn, 12 * 4));
    }

    #[test]
    fn a_lead_in_ends_with_the_first_window_in_which_the_compilers_rest() {
        let lead_in = |shares: &[f64], limit_s: f64| {
            ended(Rule::lead_in(limit_s), shares.iter().map(|share| (50.0, *share)).collect::<Vec<_>>())
        };
        assert_eq!(lead_in(&[0.01, 0.3], 60.0), (Decision::Settled, 1));
        assert_eq!(lead_in(&[0.3, 0.2, 0.04, 0.3], 60.0), (Decision::Settled, 3));
        assert_eq!(lead_in(&[0.3; 100], 60.0), (Decision::TimeOver, 20));
        assert_eq!(lead_in(&[0.3; 100], 2.0), (Decision::TimeOver, 1));
    }
}
