// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The options of `cassiterite cluster`.

mod spec_options;
mod status;

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::Arc;

use anyhow::{bail, Context, Result};
use clap::{Args, Subcommand};

use self::spec_options::SpecOptions;
use super::progress::{Bars, Interrupt};
use super::{spec, yaml, Cluster, Home};

const LOG_LINES: &str = "200";

/// `cassiterite cluster`.
#[derive(Args, Debug)]
pub struct ClusterCommand {
    #[command(flatten)]
    place: Place,
    #[command(subcommand)]
    action: Action,
}

/// Which cluster.
#[derive(Args, Debug)]
struct Place {
    /// Which cluster; several may be up on different ports
    #[arg(long, global = true, default_value = "lab")]
    name: String,
    /// Its folder [default: build/clusters/NAME of the checkout, or ./cassiterite-cluster/NAME]
    #[arg(long, global = true, value_name = "DIR")]
    base: Option<PathBuf>,
}

impl Place {
    fn folder(&self) -> Result<PathBuf> {
        match &self.base {
            Some(base) => Ok(base.clone()),
            None => spec::default_base(&self.name),
        }
    }

    fn open(&self) -> Result<Cluster> {
        Cluster::open(&self.folder()?)
    }
}

#[derive(Args, Debug)]
struct Owner {
    /// The nodes are killed when that process is gone
    #[arg(long, value_name = "PID")]
    die_with: Option<i32>,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Start a cluster, or again one that is down, and wait until every node is UN
    Up(Box<SpecOptions>),
    /// Stop every node; nothing is left running
    Down {
        /// Delete everything that the nodes kept, too
        #[arg(long)]
        delete: bool,
    },
    /// Show the nodes; the exit code is 1 when one of them is not UN
    Status,
    /// Kill a node as `kill -9` does
    Kill {
        /// Its number
        node: u32,
    },
    /// Stop a node as an operator does; `start` brings it back
    Stop {
        /// Its number
        node: u32,
    },
    /// Let a node hang: its process is there and does nothing
    Pause {
        /// Its number
        node: u32,
    },
    /// Let a node that hangs go on
    Resume {
        /// Its number
        node: u32,
    },
    /// Start a node that is down
    Start {
        /// Its number
        node: u32,
        /// A key of cassandra.yaml and its YAML value, for this node and all that are started later; repeatable
        #[arg(long, value_name = "KEY=VALUE", value_parser = yaml::parse_set)]
        set: Vec<(String, String)>,
        #[command(flatten)]
        owner: Owner,
    },
    /// Add a node, which streams its part
    Add {
        #[command(flatten)]
        joining: Joining,
    },
    /// Put a fresh node in the place of a dead one, which is deleted
    Replace {
        /// The dead one's number
        node: u32,
        #[command(flatten)]
        joining: Joining,
    },
    /// Take a node out of the ring and delete it, after it has streamed its part to the others
    Decommission {
        /// Its number
        node: u32,
        /// Even where keyspaces are left with fewer nodes than replicas
        #[arg(long)]
        force: bool,
    },
    /// Run nodetool: nodetool [--node N] status
    Nodetool(Tool),
    /// Run cqlsh: cqlsh [--node N] -e 'SELECT ...'
    Cqlsh(Tool),
    /// Show a node's system.log
    Logs {
        /// Its number
        #[arg(default_value_t = 1)]
        node: u32,
        /// Go on as it grows
        #[arg(short, long)]
        follow: bool,
    },
}

#[derive(Args, Debug)]
struct Joining {
    /// It takes its part of the ring without the rows: for empty clusters
    #[arg(long)]
    without_streaming: bool,
    #[command(flatten)]
    owner: Owner,
}

#[derive(Args, Debug)]
struct Tool {
    /// The node to talk to [default: the first that runs]
    #[arg(long)]
    node: Option<u32>,
    /// The tool's own options
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<String>,
}

impl ClusterCommand {
    /// Runs the command; the exit code is the process's.
    pub fn run(self) -> Result<ExitCode> {
        let place = self.place;
        match self.action {
            Action::Up(options) => return up(&place, &options),
            Action::Down { delete } => down(&place, delete)?,
            Action::Status => return status::show(&place.open()?),
            Action::Kill { node } => told(&place)?.kill(node)?,
            Action::Stop { node } => told(&place)?.stop(node)?,
            Action::Pause { node } => told(&place)?.pause(node)?,
            Action::Resume { node } => told(&place)?.resume(node)?,
            Action::Start { node, set, owner } => {
                let mut cluster = watched(&place, &owner)?;
                cluster.set(&set)?;
                cluster.start(node)?;
            }
            Action::Add { joining } => add(&mut watched(&place, &joining.owner)?, joining.without_streaming)?,
            Action::Replace { node, joining } => {
                replace(&mut watched(&place, &joining.owner)?, node, joining.without_streaming)?;
            }
            Action::Decommission { node, force } => {
                watched(&place, &Owner { die_with: None })?.decommission(node, force)?
            }
            Action::Nodetool(tool) => return nodetool(&place, tool),
            Action::Cqlsh(tool) => return cqlsh(&place, tool),
            Action::Logs { node, follow } => return logs(&place, node, follow),
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn up(place: &Place, options: &SpecOptions) -> Result<ExitCode> {
    let spec = options.spec(&place.name, place.folder()?)?;
    eprintln!(
        "Cluster '{}': {} of {} ({}), {} heap each, in {}",
        spec.name,
        if spec.nodes == 1 { "1 node".to_owned() } else { format!("{} nodes", spec.nodes) },
        spec.engine,
        spec.engine.about(),
        spec.heap,
        spec.base.display()
    );
    let cluster = Cluster::up(&spec, &Bars::new(Interrupt::listen()?)).context("the cluster is not up")?;
    eprintln!("Up. Contact points:");
    println!("{}", cluster.contact_points().join(","));
    Ok(ExitCode::SUCCESS)
}

fn down(place: &Place, delete: bool) -> Result<()> {
    let cluster = place.open()?.reporting_to(Arc::new(Bars::new(Interrupt::default())));
    if delete {
        cluster.delete()
    } else {
        let mut cluster = cluster;
        cluster.down()
    }
}

/// A cluster to be changed in a moment, with progress.
fn told(place: &Place) -> Result<Cluster> {
    Ok(place.open()?.reporting_to(Arc::new(Bars::new(Interrupt::default()))))
}

/// A cluster to be changed, with progress, until Ctrl-C.
fn watched(place: &Place, owner: &Owner) -> Result<Cluster> {
    Ok(place.open()?.owned_by(owner.die_with).reporting_to(Arc::new(Bars::new(Interrupt::listen()?))))
}

fn add(cluster: &mut Cluster, without_streaming: bool) -> Result<()> {
    let number = if without_streaming { cluster.add_without_streaming()? } else { cluster.add()? };
    eprintln!("node{number} has joined.");
    Ok(())
}

fn replace(cluster: &mut Cluster, node: u32, without_streaming: bool) -> Result<()> {
    let number = if without_streaming { cluster.replace_without_streaming(node)? } else { cluster.replace(node)? };
    eprintln!("node{number} has taken the place of node{node}.");
    Ok(())
}

fn chosen(cluster: &Cluster, node: Option<u32>) -> Result<super::NodeInfo> {
    let nodes = cluster.nodes();
    let known = node.is_none_or(|number| nodes.iter().any(|info| info.number == number));
    let found = nodes.into_iter().find(|info| node.map_or(info.pid.is_some(), |number| info.number == number));
    match (found, node) {
        (Some(info), _) if info.pid.is_some() => Ok(info),
        (Some(info), _) => bail!("{} is down", info.name),
        (None, Some(number)) if !known => bail!("cluster '{}' has no node {number}", cluster.spec().name),
        (None, _) => bail!("no node of cluster '{}' runs", cluster.spec().name),
    }
}

fn nodetool(place: &Place, tool: Tool) -> Result<ExitCode> {
    let cluster = place.open()?;
    let node = chosen(&cluster, tool.node)?;
    replaced_by(cluster.nodetool_command(node.number)?.args(tool.options))
}

fn cqlsh(place: &Place, tool: Tool) -> Result<ExitCode> {
    let node = chosen(&place.open()?, tool.node)?;
    let ours = Home::find()?.join("build/venv/bin/cqlsh");
    let program = if ours.is_file() { ours } else { PathBuf::from("cqlsh") };
    // cqlsh takes the address behind its options.
    let mut command = Command::new(program);
    command.args(tool.options).arg(node.address.to_string()).arg(node.cql_port.to_string());
    replaced_by(&mut command).context("scripts/python-env.sh installs cqlsh in build/venv")
}

fn logs(place: &Place, node: u32, follow: bool) -> Result<ExitCode> {
    let log = place.open()?.node(node)?.system_log;
    let mut command = Command::new("tail");
    command.args(["-n", LOG_LINES]).args(follow.then_some("-F")).arg(log);
    replaced_by(&mut command)
}

/// Becomes that program: its terminal, its signals, its exit code.
pub(super) fn replaced_by(command: &mut Command) -> Result<ExitCode> {
    let error = command.exec();
    Err(error).with_context(|| format!("cannot run {}", command.get_program().to_string_lossy()))
}
