// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The settings of `cassiterite stress`: the command line with parsed values, checked for contradictions.

mod capacity;
mod connection;
mod data;
mod output;
mod rate;
mod value;
mod verdict;
mod work;

use anyhow::{bail, ensure, Result};

pub use crate::profile::Population;
pub use capacity::Capacity;
pub use connection::Connection;
pub use data::{distribution, Data, TableSchema};
pub use output::{Graph, Level, Output};
pub use rate::Rate;
pub use verdict::{Check, Errors, Verdict};
pub use work::{Command, Stop, Truncate, Warmup, Work};

use super::command_line::CommandLine;
use lab_node::cluster::Engine;

/// Everything a run needs to know.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The command and how much of it.
    pub work: Work,
    /// How fast.
    pub rate: Rate,
    /// Whether the highest rate is searched instead.
    pub capacity: Option<Capacity>,
    /// Where to, and as whom.
    pub connection: Connection,
    /// Which rows.
    pub data: Data,
    /// Errors, checks and SLAs.
    pub verdict: Verdict,
    /// Reports and console.
    pub output: Output,
    /// Whose table options the schema gets.
    pub engine: Option<Engine>,
    /// Whether the shape of the data is drawn instead of loaded.
    pub draw: bool,
}

impl Settings {
    /// Understands a command line; an error names the word.
    pub fn read(mut line: CommandLine) -> Result<Self> {
        let work = Work::read(&line.command)?;
        let capacity = Capacity::read(&mut line)?;
        let rate = Rate::read(&line.take("-rate"), &work)?;
        let connection = Connection::read(&mut line)?;
        let data = Data::read(&mut line, &work)?;
        let ends = data.population.ends();
        ensure!(
            !(ends && matches!(work.warmup, Warmup::For(_) | Warmup::Auto)),
            "-pop: no-wrap and warmup= do not go together: a sequence that ends counts from its beginning"
        );
        let verdict = Verdict::read(&mut line)?;
        ensure!(
            verdict.check != Check::Written || work.truncate == Truncate::Never,
            "-check: written and truncate= do not go together: the rows are gone then; -check on begins with none"
        );
        let output = Output::read(&mut line, &work)?;
        let engine = match line.take("-engine").only()? {
            None => None,
            Some(name) => match name.parse() {
                Ok(engine) => Some(engine),
                Err(_) => bail!("-engine: '{name}' is none of {}", Engine::ALL.map(Engine::name).join(", ")),
            },
        };
        let draw = line.option("-draw").is_some();
        Ok(Self { work, rate, capacity, connection, data, verdict, output, engine, draw })
    }
}
