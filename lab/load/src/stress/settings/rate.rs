// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The settings of `-rate`.

use anyhow::{bail, ensure, Result};

use super::work::{Command, Stop, Work};
use crate::stress::command_line::Given;

/// The pace of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rate {
    /// The clock: so many are due per second, and each counts from when it was due.
    Open {
        /// Operations due per second.
        per_s: f64,
        /// At most so many in flight; what is due then waits and is counted as backlog.
        threads: Option<usize>,
    },
    /// The end of the one before it, and not more than so many per second.
    Throttled {
        /// Operations per second at most.
        per_s: f64,
        /// In flight.
        threads: usize,
    },
    /// The end of the one before it.
    Closed {
        /// In flight.
        threads: usize,
    },
    /// Closed, one run after the other with more and more threads.
    Sweep {
        /// The first run's.
        from: usize,
        /// The last run's at most.
        to: usize,
        /// Whether to end when more threads bring no more operations.
        auto: bool,
    },
}

impl Rate {
    /// Understands the words of `-rate`. Without any, writes with n= take 200 threads and all else looks for the best number,
    /// as cassandra-stress does.
    pub fn read(given: &Given, work: &Work) -> Result<Self> {
        given.at_most_one_of(&["fixed=", "throttle="])?;
        let sweep = ["auto", "threads>=", "threads<="].iter().any(|word| given.has(word));
        let fixed = ["threads=", "fixed=", "throttle="].iter().find(|word| given.has(word));
        if let (true, Some(word)) = (sweep, fixed) {
            bail!("-rate: {word} does not go together with auto, threads>= and threads<=");
        }
        if sweep {
            return Self::sweep(given, given.has("auto"));
        }
        let threads = given.size("threads=")?;
        if let Some(per_s) = given.per_s("fixed=")? {
            return Ok(Self::Open { per_s, threads });
        }
        let throttle = given.per_s("throttle=")?;
        match (throttle, threads) {
            (Some(per_s), Some(threads)) => Ok(Self::Throttled { per_s, threads }),
            (Some(_), None) => bail!("-rate: throttle= needs threads=N"),
            (None, Some(threads)) => Ok(Self::Closed { threads }),
            (None, None) => match (&work.command, work.stop) {
                (Command::Write | Command::CounterWrite, Stop::Count(_)) => Ok(Self::Closed { threads: 200 }),
                _ => Self::sweep(given, true),
            },
        }
    }

    fn sweep(given: &Given, auto: bool) -> Result<Self> {
        let (from, to) = (given.size("threads>=")?.unwrap_or(4), given.size("threads<=")?.unwrap_or(1000));
        ensure!(from <= to, "-rate: threads>={from} is above threads<={to}");
        Ok(Self::Sweep { from, to, auto })
    }

    /// The kind of loop in words, for reports.
    pub fn label(&self) -> String {
        match self {
            Self::Open { per_s, .. } => format!("open loop, {per_s:.0} operations due per second"),
            Self::Throttled { per_s, threads } => format!(
                "closed loop, {threads} threads, limited to {per_s:.0}/s without a schedule: latency leaves out what waits"
            ),
            Self::Closed { threads } => format!("closed loop, {threads} threads: latency leaves out what waits"),
            Self::Sweep { from, to, .. } => format!("closed loop, {from} to {to} threads: latency leaves out what waits"),
        }
    }
}
