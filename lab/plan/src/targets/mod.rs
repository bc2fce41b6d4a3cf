// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What the planner knows of a cluster: a trait, so that it is tested on simulated ones.

mod course;
mod data;
pub mod existing;
mod hooks;
pub mod local;
mod reach;

use std::time::Duration;

use anyhow::Result;

use crate::figures::phase::Course;
use crate::figures::soak::Window;
use crate::grid::cell::Cell;
use crate::timeline::Move;
use crate::trials::judge::wrong_rows;
use crate::trials::observed::Observed;
use lab_load::narrator::Narrator;

/// How a load is paced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// On a clock.
    Open {
        /// Operations due per second.
        per_s: f64,
    },
    /// One after the other.
    Closed {
        /// Operations in flight.
        in_flight: usize,
    },
}

/// A load to run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// How fast.
    pub pace: Pace,
    /// How long.
    pub length: Duration,
}

/// What is to be told of a configuration that is ready.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Warm {
    /// What had to deviate from the plan.
    pub notes: Vec<String>,
    /// Wrong rows of the warm-up that no level explains.
    pub unexplained: u64,
}

/// A configuration that was brought up.
#[derive(Clone, Debug, PartialEq)]
pub enum Prepared {
    /// With its data, warm and quiet.
    Ready(Warm),
    /// Without all of its data, which is a figure of it; why.
    NotFilled(String),
}

impl Prepared {
    /// What a reader should know of it; or says why nothing can be run on it.
    pub fn or_tell(self, narrator: &Narrator) -> Option<Vec<String>> {
        match self {
            Self::Ready(Warm { mut notes, unexplained }) => {
                notes.extend(wrong_rows(&[], unexplained).map(|rows| format!("warm-up: {rows}")));
                Some(notes)
            }
            Self::NotFilled(why) => {
                narrator.say(&format!("  it is not run: {why}"));
                None
            }
        }
    }
}

/// A fault, told before it is made and after it was mended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hurt {
    /// About to be made; what mends it.
    Making(Move),
    /// Mended by that move.
    Mended(Move),
}

/// Who hears of faults.
pub type Told<'a> = dyn FnMut(Hurt) -> Result<()> + Send + 'a;

/// Where cells are measured. One call at a time.
pub trait Target {
    /// Brings up the configuration with its data. `fresh`: with data of its own, whatever there is. `trial` is its number.
    fn prepare(&mut self, cell: &Cell, trial: usize, fresh: bool) -> Result<Prepared>;

    /// Runs a load on it.
    fn load(&mut self, load: &Load) -> Result<Observed>;

    /// Runs an open loop for a window of a soak, until the upkeep beside it is over at the least; unlike after a load,
    /// nothing is waited for. Times are from the window's begin, which is for the caller to say.
    fn window(&mut self, per_s: f64, length: Duration, upkeep: &[Move]) -> Result<Window>;

    /// Runs an open loop until a timeline is over, and mends what it hurt. `told` hears of each fault before it is made, and when
    /// it was mended. Moves that fail are in what is returned.
    fn course(&mut self, per_s: f64, timeline: &[Move], told: &mut Told<'_>) -> Result<Course>;

    /// Reads a sample of what was acknowledged at ALL; `None` where the workload has no query that could.
    fn read_back(&mut self) -> Result<Option<Observed>>;

    /// Bytes of the table on all nodes; `None` where they cannot be seen.
    fn stored_bytes(&mut self) -> Option<u64>;

    /// Takes everything away.
    fn end(&mut self) -> Result<()>;

    /// A clock that only moves forward; its zero means nothing.
    fn now(&self) -> Duration;
}
