// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Figures of a phase: each stretch of its timeline, how long until the SLA held again, and how long a kind had no success.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::timeline::Move;
use crate::trials::figures::{Checked, PartFigures};
use crate::trials::judge::met;
use crate::trials::observed::Observed;
use lab_compare::streams::Streamed;
use lab_load::report::Sla;

/// The SLA holds again when it does for so long.
const AGAIN_S: f64 = 10.0;
/// Kinds of fewer operations per second are sometimes idle for a second: that is no outage.
const SELDOM_PER_S: f64 = 5.0;

/// A load with a timeline, as the target saw it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Course {
    /// The whole load.
    pub whole: Observed,
    /// The same second by second.
    pub seconds: Vec<Second>,
    /// What was done meanwhile, and after it, until every node was up again.
    pub moved: Vec<Moved>,
    /// Whether every node is up again.
    pub whole_again: bool,
}

impl Course {
    /// Seconds since the load began.
    fn end_s(&self) -> f64 {
        self.seconds.last().map_or(0.0, |second| second.to_s)
    }
}

/// A short part of a load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Second {
    /// Seconds since the load began.
    pub from_s: f64,
    /// See `from_s`.
    pub to_s: f64,
    /// Operations of the part; only their counts and times.
    pub observed: Observed,
}

/// A move that was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moved {
    /// Which.
    pub step: Move,
    /// Seconds since the load began.
    pub from_s: f64,
    /// When it was done: a node that starts answers CQL by then, and its peers have it again.
    pub to_s: f64,
    /// It was not possible, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// What a node that replaced another got by streaming.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streamed: Option<Streamed>,
    /// Why a figure of it is missing, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unseen: Option<String>,
}

impl Moved {
    /// A move that was possible, and streamed nothing.
    pub fn well(step: Move, from_s: f64, to_s: f64) -> Self {
        Self { step, from_s, to_s, failed: None, streamed: None, unseen: None }
    }
}

/// The figures of a phase that is over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseFigures {
    /// Its place in the plan file, from 0.
    pub number: usize,
    /// The cell's key.
    pub cell: String,
    /// Operations due per second.
    pub rate_per_s: f64,
    /// Between two moves that are no waits.
    pub stretches: Vec<Stretch>,
    /// By move that is no wait.
    pub effects: Vec<Effect>,
    /// While the load ran, and after it.
    #[serde(flatten)]
    pub checked: Checked,
    /// Deviations from the plan.
    pub notes: Vec<String>,
    /// By the target's clock.
    pub took_s: f64,
}

/// A stretch of a timeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stretch {
    /// The move that began it; `steady` at the start.
    pub after: String,
    /// Its load.
    #[serde(flatten)]
    pub part: PartFigures,
    /// The longest response time of all kinds.
    pub max_ms: f64,
    /// Whether the SLA held over the whole stretch.
    pub held: bool,
}

/// What a move did to the users.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// The move.
    pub step: Move,
    /// Seconds since the load began.
    pub at_s: f64,
    /// How long the move itself took.
    pub took_s: f64,
    /// It was not possible, in words.
    pub failed: Option<String>,
    /// Seconds from its begin until the SLA held for 10 s; `None`: not by the end of the timeline.
    pub recovery_s: Option<f64>,
    /// Seconds until the next move in which a kind had no success, by kind.
    pub unavailable_s: Vec<(String, f64)>,
    /// What a node that replaced another got by streaming.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streamed: Option<Streamed>,
}

/// Stretches of a course.
pub fn stretches(slas: &[Sla], course: &Course) -> Result<Vec<Stretch>> {
    let mut borders = vec![("steady".to_owned(), 0.0)];
    borders.extend(moves(course).map(|moved| (moved.step.to_string(), moved.from_s)));
    let ends = borders.iter().skip(1).map(|(_, from_s)| *from_s).chain([course.end_s()]).collect::<Vec<_>>();
    let mut stretches = Vec::new();
    for ((after, from_s), to_s) in borders.into_iter().zip(ends) {
        let Some(joined) = joined(within(course, from_s, to_s))? else { continue };
        let response = joined.response(None)?;
        stretches.push(Stretch {
            after,
            part: PartFigures::of(&joined, &response, (from_s, to_s)),
            max_ms: response.max() as f64 / 1e6,
            held: met(slas, &joined)?,
        });
    }
    Ok(stretches)
}

/// Effects of the moves of a course.
pub fn effects(slas: &[Sla], course: &Course) -> Result<Vec<Effect>> {
    let next = moves(course).skip(1).map(|moved| moved.from_s).chain([course.end_s()]).collect::<Vec<_>>();
    let mut effects = Vec::new();
    for (moved, until_s) in moves(course).zip(next) {
        effects.push(Effect {
            step: moved.step,
            at_s: moved.from_s,
            took_s: moved.to_s - moved.from_s,
            failed: moved.failed.clone(),
            recovery_s: recovery_s(slas, course, moved.from_s)?,
            unavailable_s: unavailable_s(course, moved.from_s, until_s),
            streamed: moved.streamed,
        });
    }
    Ok(effects)
}

fn moves(course: &Course) -> impl Iterator<Item = &Moved> {
    course.moved.iter().filter(|moved| !matches!(moved.step, Move::Wait(_)))
}

/// Seconds whose middle is in a stretch.
fn within(course: &Course, from_s: f64, to_s: f64) -> impl Iterator<Item = &Second> {
    course.seconds.iter().filter(move |second| {
        let middle_s = (second.from_s + second.to_s) / 2.0;
        middle_s >= from_s && middle_s < to_s
    })
}

fn joined<'a>(seconds: impl Iterator<Item = &'a Second>) -> Result<Option<Observed>> {
    let mut all: Option<Observed> = None;
    let mut due = 0.0;
    for second in seconds {
        due += second.observed.rate_per_s.unwrap_or_default() * second.observed.elapsed_s;
        match &mut all {
            Some(all) => all.add(&second.observed)?,
            None => all = Some(second.observed.clone()),
        }
    }
    if let Some(all) = &mut all {
        // The rate may have changed meanwhile.
        all.rate_per_s = Some(due / all.elapsed_s.max(1e-9));
    }
    Ok(all)
}

fn recovery_s(slas: &[Sla], course: &Course, from_s: f64) -> Result<Option<f64>> {
    let begins = course.seconds.iter().map(|second| second.from_s).filter(|begin_s| *begin_s > from_s);
    for begin_s in [from_s].into_iter().chain(begins) {
        if begin_s + AGAIN_S > course.end_s() + 0.5 {
            break;
        }
        let window = joined(within(course, begin_s, begin_s + AGAIN_S))?;
        if window.map_or(Ok(false), |window| met(slas, &window))? {
            return Ok(Some(begin_s - from_s));
        }
    }
    Ok(None)
}

fn unavailable_s(course: &Course, from_s: f64, to_s: f64) -> Vec<(String, f64)> {
    let often = course
        .whole
        .kinds
        .iter()
        .filter(|kind| (kind.operations + kind.errors) as f64 / course.whole.elapsed_s.max(1e-9) >= SELDOM_PER_S);
    let idle = |name: &str| {
        let idle = within(course, from_s, to_s).filter(|second| second.observed.counts(Some(name)).0 == 0);
        // Not `sum`: of nothing it is -0.0.
        idle.map(|second| second.to_s - second.from_s).fold(0.0, std::ops::Add::add)
    };
    often.map(|kind| (kind.name.clone(), idle(&kind.name))).collect()
}

#[cfg(test)]
mod tests;
