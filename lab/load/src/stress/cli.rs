// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The entry point of `cassiterite stress`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use super::command_line::CommandLine;
use super::help::help;
use super::settings::Settings;
use super::syntax::{Group, COMMANDS, INFO_COMMANDS, OPTIONS};
use super::{print, run};

/// The name of the argument that takes the words.
pub const WORDS: &str = "words";

/// Commands, and options, each with its first name and what it is about.
pub fn known() -> [(&'static str, Vec<(&'static str, &'static str)>); 2] {
    let told = |group: &Group| Some((group.names.first().copied()?, group.about));
    let (commands, options) = (COMMANDS.iter().chain(INFO_COMMANDS), OPTIONS.iter());
    [("COMMANDS", commands.filter_map(told).collect()), ("WORDS", options.filter_map(told).collect())]
}

/// `cassiterite stress`: cassandra-stress's own words follow, unchanged.
#[derive(Args, Debug)]
#[command(
    after_help = "'cassiterite stress help' lists the commands and options, 'cassiterite stress help -rate' the parameters of one."
)]
pub struct StressCommand {
    /// The words of cassandra-stress, command first.
    #[arg(id = WORDS, trailing_var_arg = true, allow_hyphen_values = true, value_name = "WORD")]
    words: Vec<String>,
}

impl StressCommand {
    /// Runs the command; the exit code is the process's.
    pub fn run(self) -> Result<ExitCode> {
        let words = CommandLine::parse(&self.words)?;
        match words.command.name() {
            "help" => print!("{}", help(words.command.only()?)?),
            "version" => println!("Version: {}", env!("CARGO_PKG_VERSION")),
            "print" => print!("{}", print::distribution(&words.command)?),
            _ => return run::stress(&Settings::read(words)?),
        }
        Ok(ExitCode::SUCCESS)
    }
}
