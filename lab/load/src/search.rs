// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The highest rate at which a level of service holds.
//!
//! Bracketing: the rate doubles while the level holds and halves while it fails, then the bracket is cut at its geometric
//! middle until its ends are close. A failing probe is tried again and the majority counts, since one hiccup of the machine
//! must not pass for a limit. At last both ends are confirmed by longer runs; an end that contradicts itself moves out. The
//! answer is the interval between an end that held twice and an end that failed twice.

use anyhow::{bail, Result};
use serde::Serialize;

use crate::report::SlaVerdict;

/// How long a probe should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Length {
    /// One of many.
    Short,
    /// A confirmation.
    Long,
}

/// The result of one run at one rate.
#[derive(Clone, Debug, Serialize)]
pub struct Probe {
    /// Operations due per second.
    pub rate_per_s: f64,
    /// Operations per second that the servers took.
    pub achieved_per_s: f64,
    /// Whether the level of service held, but for the rate.
    pub met: bool,
    /// The verdict on each of its conditions.
    pub judged: Vec<SlaVerdict>,
    /// The client could not keep up; its reason.
    pub client_limited: Option<String>,
}

/// Below this share of the rate the server has not kept up, whatever the quantile of what did end.
const ACHIEVED_MIN: f64 = 0.98;

impl Probe {
    /// Whether the level of service holds in it. A client that could not keep up makes response times longer, never shorter.
    pub fn holds(&self) -> bool {
        self.met && self.achieved_per_s >= ACHIEVED_MIN * self.rate_per_s
    }
}

/// Where to start and when to stop.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Search {
    /// The first rate.
    pub start_per_s: f64,
    /// The search stops when the ends are closer than this, such as 0.05.
    pub precision: f64,
    /// No rate below this is tried: the level then does not hold at all.
    pub floor_per_s: f64,
    /// No rate above this is tried.
    pub ceiling_per_s: f64,
    /// Probes in all; the search then ends with what it has and says so.
    pub probes_max: usize,
}

/// The result.
#[derive(Clone, Debug, Serialize)]
pub struct Found {
    /// The highest rate at which the level held; `None`: it did not hold at the lowest rate tried.
    pub holds_per_s: Option<f64>,
    /// The lowest rate above it at which it failed; `None`: it held at the highest rate tried.
    pub fails_per_s: Option<f64>,
    /// Both ends were confirmed.
    pub confirmed: bool,
    /// Every failure at the upper end was the client's: the servers could perhaps do more.
    pub client_limited: bool,
    /// Every run, in order.
    pub probes: Vec<Probe>,
}

struct Searcher<'a> {
    search: Search,
    run: &'a mut dyn FnMut(f64, Length) -> Result<Probe>,
    probes: Vec<Probe>,
}

/// Looks for the limit; `run` makes one run at a rate. Fails only as `run` does, or for limits that are none.
pub fn search(search: Search, run: &mut dyn FnMut(f64, Length) -> Result<Probe>) -> Result<Found> {
    let ordered = search.floor_per_s <= search.start_per_s && search.start_per_s <= search.ceiling_per_s;
    if search.precision <= 0.0 || search.floor_per_s <= 0.0 || !ordered {
        bail!("a search needs 0 < lowest rate <= first rate <= highest rate and a precision above 0: {search:?}");
    }
    let mut searcher = Searcher { search, run, probes: Vec::new() };
    let (mut low, mut high) = searcher.bracket()?;
    while let (Some(holds), Some(fails)) = (low, high) {
        if fails / holds <= 1.0 + search.precision || searcher.is_spent() {
            break;
        }
        let middle = (holds * fails).sqrt();
        if searcher.holds(middle, Length::Short)? {
            low = Some(middle)
        } else {
            high = Some(middle)
        }
    }
    let (low, high, confirmed) = searcher.confirm(low, high)?;
    let client_limited = high.is_some_and(|fails| {
        let mut failed = searcher.probes.iter().filter(|probe| probe.rate_per_s == fails && !probe.holds()).peekable();
        failed.peek().is_some() && failed.all(|probe| probe.client_limited.is_some())
    });
    Ok(Found { holds_per_s: low, fails_per_s: high, confirmed, client_limited, probes: searcher.probes })
}

impl Searcher<'_> {
    fn is_spent(&self) -> bool {
        self.probes.len() >= self.search.probes_max
    }

    /// One success is enough, a failure takes two of three.
    fn holds(&mut self, rate: f64, length: Length) -> Result<bool> {
        let mut failures = 0;
        let mut successes = 0;
        loop {
            let probe = (self.run)(rate, length)?;
            let holds = probe.holds();
            self.probes.push(probe);
            match holds {
                true if failures == 0 => return Ok(true),
                true => successes += 1,
                false => failures += 1,
            }
            if successes == 2 || failures == 2 {
                return Ok(successes == 2);
            }
        }
    }

    fn bracket(&mut self) -> Result<(Option<f64>, Option<f64>)> {
        let (mut low, mut high) = (None, None);
        let mut rate = self.search.start_per_s;
        while (low.is_none() || high.is_none()) && !self.is_spent() {
            if self.holds(rate, Length::Short)? {
                low = Some(rate);
                if rate >= self.search.ceiling_per_s {
                    break;
                }
                rate = (rate * 2.0).min(self.search.ceiling_per_s);
            } else {
                high = Some(rate);
                if rate <= self.search.floor_per_s {
                    break;
                }
                rate = (rate / 2.0).max(self.search.floor_per_s);
            }
        }
        Ok((low, high))
    }

    /// Moves an end out by a growing step until a long run agrees with it; the other end stays, so doubt widens the answer.
    fn confirm(&mut self, mut low: Option<f64>, mut high: Option<f64>) -> Result<(Option<f64>, Option<f64>, bool)> {
        let mut agreed = (low.is_none(), high.is_none());
        let mut step = 1.0 + self.search.precision;
        while let Some(rate) = low.filter(|_| !agreed.0 && !self.is_spent()) {
            agreed.0 = self.holds(rate, Length::Long)?;
            if !agreed.0 {
                high = high.or(Some(rate));
                low = (rate > self.search.floor_per_s).then(|| (rate / step).max(self.search.floor_per_s));
                step *= step;
                agreed.0 = low.is_none();
            }
        }
        step = 1.0 + self.search.precision;
        while let Some(rate) = high.filter(|_| !agreed.1 && !self.is_spent()) {
            agreed.1 = !self.holds(rate, Length::Long)?;
            if !agreed.1 {
                low = low.or(Some(rate));
                high = (rate < self.search.ceiling_per_s).then(|| (rate * step).min(self.search.ceiling_per_s));
                step *= step;
                agreed.1 = high.is_none();
            }
        }
        Ok((low, high, agreed.0 && agreed.1))
    }
}
