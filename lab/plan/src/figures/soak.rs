// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Figures of a soak: its windows, and whether they drift.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::figures::phase::Moved;
use crate::timeline::Move;
use crate::trials::figures::{Checked, PartFigures};
use crate::trials::judge::met;
use crate::trials::observed::Observed;
use lab_compare::statistics::Trend;
use lab_load::report::Sla;

const HOUR_S: f64 = 3600.0;

/// A window as the target saw it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Seconds since the soak began.
    pub from_s: f64,
    /// Its load.
    pub observed: Observed,
    /// CPU seconds of the servers; `None` where they are not seen.
    pub cpu_s: Option<f64>,
    /// Seconds of their JVMs in pauses; see `cpu_s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause_s: Option<f64>,
    /// Resident memory of the servers at its end; see `cpu_s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Bytes of the table on all nodes at its end; see `cpu_s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored_bytes: Option<u64>,
    /// Upkeep in it; seconds since the soak began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<Moved>,
}

/// The figures of a soak that is over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SoakFigures {
    /// The cell's key.
    pub cell: String,
    /// Operations due per second.
    pub rate_per_s: f64,
    /// In the order of time.
    pub windows: Vec<WindowFigures>,
    /// P95, and CPU of the servers for each operation where it was seen.
    pub drifts: Vec<Drift>,
    /// Over all of them.
    pub verdict: Drifts,
    /// Memory and pauses of the servers, and bytes of the table, where they were seen: outside of the verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<Drift>,
    /// Upkeep that was done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub upkeep: Vec<Moved>,
    /// Under load, and after it.
    #[serde(flatten)]
    pub checked: Checked,
    /// Deviations from the plan.
    pub notes: Vec<String>,
    /// By the target's clock.
    pub took_s: f64,
}

/// One window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowFigures {
    /// Its load.
    #[serde(flatten)]
    pub part: PartFigures,
    /// Microseconds of the servers' CPU for each operation.
    pub cpu_us: Option<f64>,
    /// Milliseconds in pauses a second, of all servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause_ms_per_s: Option<f64>,
    /// Resident memory of the servers at its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Bytes of the table on all nodes at its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored_bytes: Option<u64>,
    /// Whether the SLA held.
    pub held: bool,
    /// The limit that the client met.
    pub client: Option<String>,
}

/// Whether a figure changes over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Drifts {
    /// Its change over the length is beyond the tolerance, with its whole interval.
    Drifts,
    /// It is within the tolerance, with its whole interval.
    DoesNotDrift,
    /// The interval has a limit of the tolerance in it, or there is none.
    CannotTell,
}

impl Drifts {
    /// In words.
    pub fn label(self) -> &'static str {
        match self {
            Self::Drifts => "drifts",
            Self::DoesNotDrift => "does not drift",
            Self::CannotTell => "cannot tell",
        }
    }
}

/// The change of a figure over the length of the soak, by Theil's and Sen's slope of its logarithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drift {
    /// `P95`, `CPU per operation`; `memory`, `pauses`, `bytes of the table`.
    pub of: String,
    /// Per cent an hour; `None`: too few windows had the figure.
    pub per_hour_percent: Option<f64>,
    /// Per cent over the whole length, with a 95 % interval.
    pub whole_percent: Option<[f64; 3]>,
    /// Its verdict.
    pub verdict: Drifts,
}

impl WindowFigures {
    /// Of a window.
    pub fn of(slas: &[Sla], window: &Window) -> Result<Self> {
        let observed = &window.observed;
        let operations = observed.counts(None).0;
        let times_s = (window.from_s, window.from_s + observed.elapsed_s);
        Ok(Self {
            part: PartFigures::of(observed, &observed.response(None)?, times_s),
            cpu_us: window.cpu_s.filter(|_| operations > 0).map(|cpu_s| cpu_s * 1e6 / operations as f64),
            pause_ms_per_s: window.pause_s.map(|pause_s| pause_s * 1e3 / observed.elapsed_s.max(1e-9)),
            memory_bytes: window.memory_bytes,
            stored_bytes: window.stored_bytes,
            held: met(slas, observed)?,
            client: observed.client.clone(),
        })
    }

    fn middle_s(&self) -> f64 {
        (self.part.from_s + self.part.to_s) / 2.0
    }
}

/// The drifts of windows, and the verdict over them; `tolerance` is a share of the figure at the begin.
pub fn drifts(windows: &[WindowFigures], tolerance: f64) -> (Vec<Drift>, Drifts) {
    let mut drifts = vec![drift("P95", windows, tolerance, |window| Some(window.part.p95_ms))];
    drifts.extend(seen("CPU per operation", windows, tolerance, |window| window.cpu_us));
    let any = |wanted: Drifts| drifts.iter().any(|drift| drift.verdict == wanted);
    let over_all = match () {
        () if any(Drifts::Drifts) => Drifts::Drifts,
        () if any(Drifts::CannotTell) => Drifts::CannotTell,
        () => Drifts::DoesNotDrift,
    };
    (drifts, over_all)
}

/// What grows or shrinks beside them, and is no promise to the users of the servers.
pub fn beside(windows: &[WindowFigures], tolerance: f64) -> Vec<Drift> {
    let all = [
        seen("memory", windows, tolerance, |window| window.memory_bytes.map(|bytes| bytes as f64)),
        seen("pauses", windows, tolerance, |window| window.pause_ms_per_s),
        seen("bytes of the table", windows, tolerance, |window| window.stored_bytes.map(|bytes| bytes as f64)),
    ];
    all.into_iter().flatten().collect()
}

type Value = fn(&WindowFigures) -> Option<f64>;

/// `None` where no window has the figure.
fn seen(of: &str, windows: &[WindowFigures], tolerance: f64, value: Value) -> Option<Drift> {
    windows.iter().any(|window| value(window).is_some()).then(|| drift(of, windows, tolerance, value))
}

fn drift(of: &str, windows: &[WindowFigures], tolerance: f64, value: Value) -> Drift {
    let length_s = windows.last().map_or(0.0, |window| window.part.to_s);
    let point = |window: &WindowFigures| {
        // What a window of the client's own limit took says nothing of the servers.
        let value = value(window).filter(|value| *value > 0.0 && window.client.is_none());
        value.map(|value| (window.middle_s(), value.ln()))
    };
    let trend = Trend::of(&windows.iter().filter_map(point).collect::<Vec<_>>());
    let change = |slope: f64, over_s: f64| 100.0 * (slope * over_s).exp_m1();
    let whole = trend.map(|trend| [trend.slope, trend.low, trend.high].map(|slope| change(slope, length_s)));
    Drift {
        of: of.to_owned(),
        per_hour_percent: trend.map(|trend| change(trend.slope, HOUR_S)),
        whole_percent: whole,
        verdict: verdict(whole, 100.0 * tolerance),
    }
}

fn verdict(whole_percent: Option<[f64; 3]>, tolerance: f64) -> Drifts {
    match whole_percent {
        Some([_, low, high]) if low > tolerance || high < -tolerance => Drifts::Drifts,
        Some([_, low, high]) if low >= -tolerance && high <= tolerance => Drifts::DoesNotDrift,
        _ => Drifts::CannotTell,
    }
}

impl SoakFigures {
    /// Slopes and upkeep in words.
    pub fn sentences(&self) -> Vec<String> {
        let slopes = self.drifts.iter().chain(&self.beside).map(Drift::sentence);
        slopes.chain(self.upkeep_by_kind()).collect()
    }

    fn upkeep_by_kind(&self) -> Vec<String> {
        let mut kinds = Vec::new();
        for moved in &self.upkeep {
            if !kinds.contains(&moved.step) {
                kinds.push(moved.step);
            }
        }
        let told = |kind: &Move| {
            let of_kind: Vec<_> = self.upkeep.iter().filter(|moved| moved.step == *kind).collect();
            let longest_s = of_kind.iter().map(|moved| moved.to_s - moved.from_s).fold(0.0, f64::max);
            let failed: Vec<&String> = of_kind.iter().filter_map(|moved| moved.failed.as_ref()).collect();
            let why = failed.first().map(|why| format!(", {} failed: {why}", failed.len())).unwrap_or_default();
            format!("{kind}: {} times, {longest_s:.1} s at most{why}", of_kind.len())
        };
        kinds.iter().map(told).collect()
    }
}

impl Drift {
    /// In words.
    pub fn sentence(&self) -> String {
        match (self.whole_percent, self.per_hour_percent) {
            (Some([change, low, high]), Some(per_hour)) => format!(
                "{} {}: {change:+.1} % over the whole length ({low:+.1} to {high:+.1}), {per_hour:+.1} % an hour",
                self.of,
                self.verdict.label()
            ),
            _ => format!("{}: {}, too few windows had it", self.of, self.verdict.label()),
        }
    }
}

#[cfg(test)]
mod tests;
