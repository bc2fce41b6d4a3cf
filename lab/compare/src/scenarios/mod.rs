// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! What each scenario runs on an engine's cluster.

mod indexes;
mod mixed;
mod moves;
mod own;
mod reads;
mod requests;
mod restart;
mod scan;
mod service;
mod stream;
mod writes;

use anyhow::Result;

use crate::figure::{Better, Figure, Unit};
use crate::scenario::Scenario;
use crate::subject::Subject;
use crate::trial::Trial;

/// Runs it on a fresh cluster.
pub fn run(scenario: Scenario, subject: &mut Subject<'_>) -> Result<Trial> {
    let mut trial = match scenario {
        Scenario::Reads => reads::run(subject),
        Scenario::Requests => requests::run(subject),
        Scenario::Writes => writes::run(subject),
        Scenario::Mixed => mixed::run(subject),
        Scenario::Emp => service::emp(subject),
        Scenario::Features => service::features(subject),
        Scenario::Scan => scan::run(subject),
        Scenario::Restart => restart::run(subject),
        Scenario::Indexes => indexes::run(subject),
        Scenario::Move => moves::run(subject),
        Scenario::Stream => stream::run(subject),
        Scenario::Profile => own::run(subject),
    }?;
    let peak = subject.peak_resident_bytes().map(|bytes| bytes / f64::from(1 << 20));
    trial.figures.push(Figure::new("peak resident memory", Unit::Mebibytes, Better::Lower, peak));
    Ok(trial)
}
