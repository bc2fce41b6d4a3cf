// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The settings of `-capacity`.

use std::time::Duration;

use anyhow::{bail, ensure, Result};

use crate::report::Sla;
use crate::stress::command_line::CommandLine;

/// A search for the highest rate.
#[derive(Clone, Debug)]
pub struct Capacity {
    /// Conditions that hold together.
    pub slas: Vec<Sla>,
    /// The first rate.
    pub start_per_s: f64,
    /// How close the ends of the answer are.
    pub precision: f64,
    /// Length of a run.
    pub probe: Duration,
    /// Runs at most.
    pub probes: usize,
}

impl Capacity {
    /// Understands `-capacity`; `None` without it.
    pub fn read(line: &mut CommandLine) -> Result<Option<Self>> {
        if line.option("-capacity").is_none() {
            return Ok(None);
        }
        ensure!(line.option("-rate").is_none(), "-capacity and -rate do not go together: the search chooses the rates");
        ensure!(line.option("-sla").is_none(), "-capacity and -sla do not go together: -capacity has the conditions");
        for word in ["n=", "duration=", "err<", "n>", "n<"] {
            ensure!(
                !line.command.has(word),
                "-capacity and {word} do not go together: probe=TIME is the length of a run, and -pop says which rows"
            );
        }
        ensure!(
            !line.option("-errors").is_some_and(|errors| errors.has("ignore")),
            "-capacity and -errors ignore do not go together: bound the errors, as in -capacity 'errors<=0.1%'"
        );
        let again = line.command.value("truncate=").is_some_and(|when| when.eq_ignore_ascii_case("always"));
        ensure!(!again, "-capacity and truncate=always do not go together: truncate=once empties it before the search");
        ensure!(
            !line.option("-log").is_some_and(|log| log.has("hdrfile=")),
            "-capacity and -log hdrfile= do not go together: a search is many runs, and the log is of one"
        );
        let given = line.take("-capacity");
        let mut slas = Vec::new();
        for word in given.free() {
            match word.parse() {
                Ok(sla) => slas.push(sla),
                Err(error) => bail!("-capacity: {error:#}"),
            }
        }
        ensure!(!slas.is_empty(), "-capacity: what must hold is missing, as in -capacity 'p95<=5ms'");
        let share = |text: &str| text.parse::<f64>().ok().filter(|share| (0.005..=0.5).contains(share));
        let probes = given.size("probes=")?.unwrap_or(40);
        ensure!(probes >= 4, "-capacity: probes={probes}: a search takes 4 runs or more");
        Ok(Some(Self {
            slas,
            start_per_s: given.per_s("start=")?.unwrap_or(1000.0),
            precision: given.parsed("precision=", "a share between 0.005 and 0.5", share)?.unwrap_or(0.05),
            probe: given.duration("probe=")?.unwrap_or(Duration::from_secs(15)),
            probes,
        }))
    }
}
