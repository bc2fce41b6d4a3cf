// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! `cassiterite-node`: the parts `node` and `cluster` of the command `cassiterite`, for `make run` and the node tests. It
//! has no CQL driver, and so is built in a fraction of the time.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use lab_node::cluster::cli::ClusterCommand;
use lab_node::cluster::node::cli::NodeCommand;
use lab_node::cluster::node::owner;

/// Real Apache Cassandra nodes on one machine: `node` and `cluster` of the command `cassiterite`.
#[derive(Parser)]
#[command(name = "cassiterite-node", version, after_help = "Exit codes: 0 done, 2 failed or wrong use.")]
struct CassiteriteNode {
    #[command(subcommand)]
    part: Part,
}

#[derive(Subcommand)]
enum Part {
    /// Unmodified Cassandra nodes on 127.0.0.1, .2, .3 ...
    Cluster(ClusterCommand),
    /// One node in the foreground, in place of this process.
    Node(Box<NodeCommand>),
    /// Kills a node when its owner is gone; only this program starts it.
    #[command(name = owner::WATCH, hide = true)]
    WatchOwner,
}

fn main() -> ExitCode {
    let done = match CassiteriteNode::parse().part {
        Part::Cluster(command) => command.run(),
        Part::Node(command) => command.run(),
        Part::WatchOwner => owner::watch(),
    };
    done.unwrap_or_else(|error| {
        eprintln!("cassiterite-node: {error:#}");
        ExitCode::from(2)
    })
}
