// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! `cassiterite`: start a cluster, load it, compare engines. Exit codes: 0 pass, 1 SLA failed, 2 invalid run or wrong use.

mod shell;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{CommandFactory, Parser, Subcommand};

use lab_compare::cli::CompareCommand;
use lab_load::moves::cli::MoveCommand;
use lab_load::stress::cli::StressCommand;
use lab_node::cluster::cli::ClusterCommand;
use lab_node::cluster::node::cli::NodeCommand;
use lab_node::cluster::node::owner;
use lab_plan::cli::PlanCommand;

/// A sixth less CPU per operation than with the allocator of the C library.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Real Apache Cassandra clusters on one machine, cassandra-stress profiles, engines side by side.
#[derive(Parser)]
#[command(name = "cassiterite", version, after_help = "Exit codes: 0 pass, 1 SLA failed, 2 invalid run or wrong use.")]
struct Cassiterite {
    #[command(subcommand)]
    part: Part,
}

#[derive(Subcommand)]
enum Part {
    /// Unmodified Cassandra nodes on 127.0.0.1, .2, .3 ...
    Cluster(ClusterCommand),
    /// One node in the foreground, in place of this process.
    Node(Box<NodeCommand>),
    /// One load, with the command line of cassandra-stress.
    Stress(StressCommand),
    /// A filled table into the engine or out of it, a rack of a cluster at a time, while clients' P99 keeps a bound.
    Move(Box<MoveCommand>),
    /// The same scenario on several engines, with a verdict.
    Compare(Box<CompareCommand>),
    /// Which configuration meets an SLA, and which of those is the cheapest.
    Plan(PlanCommand),
    /// Writes completions and man pages into a folder as in /usr/share; `make dist` starts it.
    #[command(hide = true)]
    ShellFiles {
        /// The folder.
        folder: PathBuf,
    },
    /// Kills a node when its owner is gone; only this program starts it.
    #[command(name = owner::WATCH, hide = true)]
    WatchOwner,
}

impl Part {
    fn run(self) -> Result<ExitCode> {
        match self {
            Part::Cluster(command) => command.run(),
            Part::Node(command) => command.run(),
            Part::Stress(command) => command.run(),
            Part::Move(command) => command.run(),
            Part::Compare(command) => command.run(),
            Part::Plan(command) => command.run(),
            Part::ShellFiles { folder } => {
                shell::write(&Cassiterite::command(), &folder)?;
                Ok(ExitCode::SUCCESS)
            }
            Part::WatchOwner => owner::watch(),
        }
    }
}

fn main() -> ExitCode {
    match Cassiterite::parse().part.run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("cassiterite: {error:#}");
            ExitCode::from(2)
        }
    }
}
