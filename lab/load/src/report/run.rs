// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A finished run in the form that JSON and pages keep.

use std::path::Path;
use std::time::Duration;

use anyhow::{ensure, Context, Result};
use serde::{Deserialize, Serialize};

use super::digest::{self, Latency, Span, Totals};
use super::sla::{Judgement, SlaVerdict};
use crate::load::{FaultKind, Interval, Outcome, WarmedUp};
use crate::observe::{Environment, Record};

/// The format name in a run's JSON.
pub const FORMAT: &str = "cassiterite-run";
/// Grows when a field changes its meaning; new fields do not count.
pub const VERSION: u32 = 1;

/// A finished run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// Its name among others: cassandra-stress's revision.
    pub name: String,
    /// The command, or the name given to it.
    pub operation: String,
    /// The engine whose table options the schema got.
    pub engine: Option<String>,
    /// Consistency level of operations that do not name their own.
    pub consistency: String,
    /// Open or closed loop, in words.
    pub pace: String,
    /// Operations due per second; `None` in a closed loop.
    pub rate_per_s: Option<f64>,
    /// Operations in flight: exactly (closed loop), at most (open loop).
    pub in_flight: usize,
    /// Length of the measured part.
    pub elapsed_s: f64,
    /// The part before it, which is in no figure; `None` where the first operation counted.
    #[serde(default)]
    pub warmup: Option<WarmedUp>,
    /// All kinds together.
    pub total: Totals,
    /// By kind.
    pub kinds: Vec<Totals>,
    /// Over time.
    pub spans: Vec<Span>,
    /// Bytes of values written, as the user counts them.
    pub value_bytes_written: u64,
    /// The result of checked reads.
    pub checked: Checked,
    /// The first few errors in words.
    pub failures: Vec<Failure>,
    /// Operations without an answer when the wait for the last ones was over; they are in no other figure.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unfinished: u64,
    /// CPU seconds of the client.
    pub client_cpu_s: f64,
    /// How late the client itself started operations; `None` in a closed loop, and where nothing was recorded.
    pub late: Option<Latency>,
    /// Why the run must not be believed; empty when it may.
    pub invalid: Vec<String>,
    /// SLAs and their verdicts.
    pub slas: Vec<SlaVerdict>,
    /// Samples of the servers, by the run's own time.
    pub servers: Record,
    /// Where and with what.
    pub environment: Environment,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The result of checked reads.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Checked {
    /// Whether reads were checked at all.
    pub on: bool,
    /// Rows compared with what was acknowledged.
    pub rows: u64,
    /// Wrong rows by kind.
    pub faults: Vec<Faults>,
    /// The first few in words.
    pub first: Vec<String>,
}

/// Wrong rows of one kind.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Faults {
    /// `lost`, `stale`, `mixed up`, `resurrected`.
    pub kind: String,
    /// All of them.
    pub rows: u64,
    /// Those that the consistency levels allow.
    pub explained_by_consistency: u64,
}

/// One error and how often it came.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// In words.
    pub text: String,
    /// How often.
    pub times: u64,
}

/// The part of a run that the outcome of its load does not know.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// Its name among others.
    pub name: String,
    /// The command, or the name given to it.
    pub operation: String,
    /// The engine whose table options the schema got.
    pub engine: Option<String>,
    /// Consistency level.
    pub consistency: String,
    /// Open or closed loop, in words.
    pub pace: String,
    /// Whether reads were checked.
    pub checked: bool,
}

impl Run {
    /// Digests an outcome. The samples of `servers` must count from the end of the warm-up.
    pub fn new(
        about: About,
        outcome: &Outcome,
        judgement: Judgement,
        servers: Record,
        environment: Environment,
    ) -> Self {
        let Judgement { slas, invalid } = judgement;
        let zero = outcome.intervals.first().map_or(Duration::ZERO, |interval| interval.from);
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            name: about.name,
            operation: about.operation,
            engine: about.engine,
            consistency: about.consistency,
            pace: about.pace,
            rate_per_s: outcome.rate_per_s,
            in_flight: outcome.in_flight,
            elapsed_s: outcome.elapsed.as_secs_f64(),
            warmup: outcome.warmup.clone(),
            total: Totals::of(&digest::sum("total", &outcome.tallies)),
            kinds: outcome.tallies.iter().map(Totals::of).collect(),
            spans: spans(&outcome.intervals, zero),
            value_bytes_written: outcome.value_bytes_written,
            checked: Checked::of(about.checked, outcome),
            failures: outcome
                .first_errors
                .iter()
                .map(|(text, times)| Failure { text: text.clone(), times: *times })
                .collect(),
            unfinished: outcome.unfinished,
            client_cpu_s: outcome.client_cpu_s,
            late: outcome.rate_per_s.filter(|_| !outcome.late_ns.is_empty()).map(|_| Latency::of(&outcome.late_ns)),
            invalid,
            slas,
            servers,
            environment,
        }
    }

    /// Reads the JSON of a run.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let run: Self = serde_json::from_str(&text).with_context(|| format!("{} is not a run", path.display()))?;
        run.known().with_context(|| path.display().to_string())
    }

    /// Refuses what another version wrote.
    pub fn known(self) -> Result<Self> {
        ensure!(self.format == FORMAT, "'{}' is not a {FORMAT}", self.format);
        ensure!(self.version == VERSION, "version {} of {FORMAT}; this command knows version {VERSION}", self.version);
        Ok(self)
    }

    /// Writes it as JSON.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        std::fs::write(path, text).with_context(|| path.display().to_string())
    }

    /// The verdict on the run.
    pub fn verdict(&self) -> RunVerdict {
        if !self.invalid.is_empty() {
            RunVerdict::Invalid
        } else if self.slas.iter().any(|sla| !sla.met) {
            RunVerdict::Missed
        } else {
            RunVerdict::Pass
        }
    }

    /// Why it does not pass, in one line; `None` where it does.
    pub fn failure(&self) -> Option<String> {
        let missed = self.slas.iter().filter(|sla| !sla.met).map(|sla| format!("{} ({})", sla.sla, sla.measured));
        match self.verdict() {
            RunVerdict::Pass => None,
            RunVerdict::Missed => Some(format!("SLA missed: {}", missed.collect::<Vec<_>>().join("; "))),
            RunVerdict::Invalid => Some(format!("the run is invalid: {}", self.invalid.join("; "))),
        }
    }

    /// Operations per second that ended well.
    pub fn operations_per_s(&self) -> f64 {
        self.total.part.operations as f64 / self.elapsed_s.max(f64::EPSILON)
    }

    /// CPU of the client per operation; those that failed cost it as much.
    pub fn client_cpu_us_per_operation(&self) -> f64 {
        self.client_cpu_s * 1e6 / (self.total.part.operations + self.total.part.errors).max(1) as f64
    }

    /// Wrong rows that no consistency level allows.
    pub fn unexplained_faults(&self) -> u64 {
        let unexplained = |faults: &Faults| faults.rows.saturating_sub(faults.explained_by_consistency);
        self.checked.faults.iter().map(unexplained).fold(0, u64::saturating_add)
    }
}

/// Without the splinter at the end, in which the last operations came back: a rate over a few milliseconds says nothing.
fn spans(intervals: &[Interval], zero: Duration) -> Vec<Span> {
    let mut spans: Vec<_> = intervals.iter().map(|interval| Span::of(interval, zero)).collect();
    if let [first, .., last] = &spans[..] {
        if last.length_s() < 0.25 * first.length_s() {
            spans.pop();
        }
    }
    spans
}

/// The verdict on a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunVerdict {
    /// Valid, and all that was promised held.
    Pass,
    /// Valid, but something promised did not hold.
    Missed,
    /// Not to be believed.
    Invalid,
}

impl RunVerdict {
    /// In words.
    pub fn label(self) -> &'static str {
        match self {
            Self::Pass => "valid",
            Self::Missed => "valid, SLA missed",
            Self::Invalid => "INVALID",
        }
    }

    /// The line that ends a run: cassandra-stress's own words, but for a run that cannot be judged.
    pub fn last_line(self) -> &'static str {
        match self {
            Self::Pass => "END",
            Self::Missed => "FAILURE",
            Self::Invalid => "INVALID",
        }
    }

    /// The exit code of a command that ends with it.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Pass => 0,
            Self::Missed => 1,
            Self::Invalid => 2,
        }
    }

    /// Its class in the page's style sheet.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Pass => "good",
            Self::Missed => "missed",
            Self::Invalid => "bad",
        }
    }
}

impl Checked {
    fn of(on: bool, outcome: &Outcome) -> Self {
        // The order of `Outcome::faults`.
        let kinds = [FaultKind::Lost, FaultKind::Stale, FaultKind::MixedUp, FaultKind::Resurrected];
        let faults = kinds.iter().zip(outcome.faults).map(|(kind, count)| Faults {
            kind: name(*kind).to_owned(),
            rows: count.rows,
            explained_by_consistency: count.explained_by_consistency,
        });
        Self { on, rows: outcome.rows_checked, faults: faults.collect(), first: outcome.first_faults.clone() }
    }
}

fn name(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Lost => "lost",
        FaultKind::Stale => "stale",
        FaultKind::MixedUp => "mixed up",
        FaultKind::Resurrected => "resurrected",
    }
}
