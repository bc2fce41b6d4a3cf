// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The command: its operations, its length, its consistency level.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{bail, ensure, Context, Result};
use scylla::statement::{Consistency, SerialConsistency};

use super::data::distribution;
use super::value;
use crate::profile::Distribution;
use crate::stress::command_line::Given;

/// The command.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Inserts into `standard1`.
    Write,
    /// Reads from `standard1`.
    Read,
    /// Several built-in commands, each with its weight.
    Mixed(Vec<(String, f64)>),
    /// Adds to `counter1`.
    CounterWrite,
    /// Reads from `counter1`.
    CounterRead,
    /// A profile's operations, each with its weight.
    User {
        /// The profile.
        profile: PathBuf,
        /// `insert` and the profile's queries.
        ops: Vec<(String, f64)>,
    },
    /// NDBench's default table, `read` and `write` each with its weight.
    Emp(Vec<(String, f64)>),
}

/// When it ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    /// After so many operations; 0 only makes the schema.
    Count(u64),
    /// After so long.
    Duration(Duration),
    /// When the row rate is known well enough.
    Uncertainty {
        /// Standard error of the mean, as a fraction of it.
        target: f64,
        /// Intervals before it may end.
        at_least: u32,
        /// Intervals after which it ends in any case.
        at_most: u32,
    },
}

/// The warm-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warmup {
    /// As much as the length of the run suggests.
    Usual,
    /// Nothing.
    None,
    /// So much time.
    For(Duration),
    /// Until the servers are warm.
    Auto,
}

/// When the table is emptied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truncate {
    /// Not at all.
    Never,
    /// Before the first run.
    Once,
    /// Before each run with another number of threads.
    Always,
}

/// The command and its common words.
#[derive(Clone, Debug)]
pub struct Work {
    /// The command.
    pub command: Command,
    /// When it ends.
    pub stop: Stop,
    /// The warm-up.
    pub warmup: Warmup,
    /// When the table is emptied.
    pub truncate: Truncate,
    /// Of every operation whose query does not name its own.
    pub consistency: Consistency,
    /// Of conditional statements.
    pub serial_consistency: SerialConsistency,
    /// The increments of counters.
    pub add: Distribution,
}

impl Work {
    /// Understands the command's words.
    pub fn read(given: &Given) -> Result<Self> {
        let truncate = given.choice("truncate=", &["never", "once", "always"])?;
        let consistency = given.choice("cl=", &LEVELS.map(|(name, _)| name))?;
        let serial = given.choice("serial-cl=", &["SERIAL", "LOCAL_SERIAL"])?;
        Ok(Self {
            command: command(given)?,
            stop: stop(given)?,
            warmup: warmup(given)?,
            truncate: [Truncate::Never, Truncate::Once, Truncate::Always][truncate.unwrap_or(0)],
            consistency: consistency.map_or(Consistency::LocalOne, |level| LEVELS[level].1),
            serial_consistency: [SerialConsistency::Serial, SerialConsistency::LocalSerial][serial.unwrap_or(0)],
            add: distribution(given, "add=")?.unwrap_or_else(|| Distribution::fixed(1)),
        })
    }

    /// The command's name, as reports show it.
    pub fn name(&self) -> &'static str {
        match self.command {
            Command::Write => "write",
            Command::Read => "read",
            Command::Mixed(_) => "mixed",
            Command::CounterWrite => "counter_write",
            Command::CounterRead => "counter_read",
            Command::User { .. } => "user",
            Command::Emp(_) => "emp",
        }
    }

    /// The operations, with weights where there are several: `user ops(insert=24,get=1)`.
    pub fn operation(&self) -> String {
        let (word, ratios) = match &self.command {
            Command::User { ops, .. } => ("ops", ops),
            Command::Mixed(ratios) | Command::Emp(ratios) => ("ratio", ratios),
            _ => return self.name().to_owned(),
        };
        let ratios: Vec<_> = ratios.iter().map(|(name, weight)| format!("{name}={weight}")).collect();
        format!("{} {word}({})", self.name(), ratios.join(","))
    }

    /// Whether all it does is insert: then partitions come one after the other unless `-pop` says otherwise.
    pub fn only_inserts(&self) -> bool {
        match &self.command {
            Command::Write | Command::CounterWrite => true,
            Command::User { ops, .. } => matches!(&ops[..], [(name, _)] if name == "insert"),
            _ => false,
        }
    }

    /// Whether its table is that of counters.
    pub fn counts(&self) -> bool {
        match &self.command {
            Command::CounterWrite | Command::CounterRead => true,
            Command::Mixed(ratios) => ratios.iter().all(|(name, _)| name.starts_with("counter")),
            _ => false,
        }
    }

    /// The consistency level as CQL writes it.
    pub fn level_name(&self) -> &'static str {
        LEVELS.iter().find(|(_, level)| *level == self.consistency).map_or("?", |(name, _)| name)
    }

    /// Whether it changes anything.
    pub fn writes(&self) -> bool {
        !matches!(self.command, Command::Read | Command::CounterRead)
    }
}

const LEVELS: [(&str, Consistency); 9] = [
    ("ONE", Consistency::One),
    ("TWO", Consistency::Two),
    ("THREE", Consistency::Three),
    ("QUORUM", Consistency::Quorum),
    ("LOCAL_ONE", Consistency::LocalOne),
    ("LOCAL_QUORUM", Consistency::LocalQuorum),
    ("EACH_QUORUM", Consistency::EachQuorum),
    ("ALL", Consistency::All),
    ("ANY", Consistency::Any),
];

fn command(given: &Given) -> Result<Command> {
    Ok(match given.name() {
        "write" => Command::Write,
        "read" => Command::Read,
        "counter_write" => Command::CounterWrite,
        "counter_read" => Command::CounterRead,
        "mixed" => mixed(given)?,
        "emp" => Command::Emp(ratios(given, "ratio", Some(&["read", "write"]))?),
        "user" => {
            let profile = value::profile(&given.text("profile=")?.context("user: profile=FILE is missing")?)?;
            ensure!(given.has("ops"), "user: ops(insert=1,...) is missing");
            Command::User { profile, ops: ratios(given, "ops", None)? }
        }
        other => bail!("'{other}' puts no load on a cluster"),
    })
}

/// The operations of one run go to one table.
fn mixed(given: &Given) -> Result<Command> {
    let ratios = ratios(given, "ratio", Some(&["read", "write", "counter_read", "counter_write"]))?;
    let counters = ratios.iter().filter(|(name, _)| name.starts_with("counter")).count();
    ensure!(
        counters == 0 || counters == ratios.len(),
        "mixed: counters have a table of their own; mix them in a run of their own"
    );
    Ok(Command::Mixed(ratios))
}

fn ratios(given: &Given, word: &str, known: Option<&[&str]>) -> Result<Vec<(String, f64)>> {
    if !given.has(word) {
        return Ok(vec![("write".to_owned(), 1.0), ("read".to_owned(), 1.0)]);
    }
    let mut ratios = Vec::new();
    for (name, text) in given.items(word)? {
        let weight = text.parse::<f64>().ok().filter(|weight| weight.is_finite() && *weight >= 0.0);
        let Some(weight) = weight else { bail!("{}: {word}({name}={text}): a number is expected", given.name()) };
        if let Some(known) = known.filter(|known| !known.contains(&name.as_str())) {
            bail!("{}: {word}({name}=...) is none of {}", given.name(), known.join(", "));
        }
        // As in profiles, where the names of queries do not depend on case.
        ratios.push((name.to_lowercase(), weight));
    }
    ratios.retain(|(_, weight)| *weight > 0.0);
    ensure!(!ratios.is_empty(), "{}: {word}(...): at least one operation must have a weight above 0", given.name());
    Ok(ratios)
}

fn warmup(given: &Given) -> Result<Warmup> {
    given.at_most_one_of(&["warmup=", "no-warmup"])?;
    if given.has("no-warmup") {
        return Ok(Warmup::None);
    }
    let read = |text: &str| match text {
        "auto" => Some(Warmup::Auto),
        time => value::duration(time).filter(|time| !time.is_zero()).map(Warmup::For),
    };
    Ok(given.parsed("warmup=", "auto, or a time above 0 as 30s, 5m or 1h", read)?.unwrap_or(Warmup::Usual))
}

fn stop(given: &Given) -> Result<Stop> {
    given.at_most_one_of(&["n=", "duration=", "err<"])?;
    for word in ["n>", "n<"] {
        ensure!(
            !given.has(word) || !(given.has("n=") || given.has("duration=")),
            "{}: {word} belongs to err<",
            given.name()
        );
    }
    if let Some(count) = given.count("n=")? {
        return Ok(Stop::Count(count));
    }
    if let Some(duration) = given.duration("duration=")? {
        return Ok(Stop::Duration(duration));
    }
    let fraction = |text: &str| text.parse::<f64>().ok().filter(|error| *error > 0.0 && *error < 1.0);
    let number = |text: &str| text.parse::<u32>().ok();
    Ok(Stop::Uncertainty {
        target: given.parsed("err<", "a fraction between 0 and 1", fraction)?.unwrap_or(0.02),
        at_least: given.parsed("n>", "a whole number", number)?.unwrap_or(30),
        at_most: given.parsed("n<", "a whole number", number)?.unwrap_or(200),
    })
}
