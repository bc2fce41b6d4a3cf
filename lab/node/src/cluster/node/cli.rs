// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The options of `cassiterite node`.

use std::env;
use std::net::Ipv4Addr;
use std::path::{absolute, PathBuf};
use std::process::ExitCode;

use anyhow::{bail, Context, Result};
use clap::{Args, ValueEnum};
use serde_json::{Map, Value};

use super::owner::Owner;
use super::{Location, NodeSpec, DATACENTER};
use crate::cluster::{cli::replaced_by, Home};

/// `cassiterite node`: the process becomes the node's JVM, which SIGTERM or Ctrl-C stops cleanly.
#[derive(Args, Debug)]
#[command(args_override_self = true)]
pub struct NodeCommand {
    /// The node keeps everything here [default: data of the checkout]
    #[arg(long, value_name = "DIR")]
    base: Option<PathBuf>,
    /// Loopback address to listen on
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    address: Ipv4Addr,
    #[arg(long, value_name = "PORT", default_value_t = 9042)]
    cql_port: u16,
    /// Nodes of one cluster may differ
    #[arg(long, value_name = "PORT", default_value_t = 7000)]
    storage_port: u16,
    /// On 127.0.0.1
    #[arg(long, value_name = "PORT", default_value_t = 7199)]
    jmx_port: u16,
    #[arg(long, value_name = "NAME", default_value = "Cassiterite")]
    cluster: String,
    /// IP:PORT,... [default: this node]
    #[arg(long, value_name = "LIST")]
    seeds: Option<String>,
    /// As in -Xmx
    #[arg(long, value_name = "SIZE", default_value = "2g")]
    heap: String,
    /// Without the plug-in
    #[arg(long)]
    stock: bool,
    /// The plug-in's jar [default: the one that `make build` made]
    #[arg(long, value_name = "JAR")]
    plugin: Option<PathBuf>,
    /// Behind Cassandra's jars
    #[arg(long, value_name = "PATH")]
    classpath: Option<String>,
    /// Cassandra keeps tables here, and the engine's store lies beside the first; repeatable [default: BASE/data]
    #[arg(long, value_name = "DIR")]
    data_dir: Vec<PathBuf>,
    /// Cassandra's commit log and the engine's log lie here [default: BASE]
    #[arg(long, value_name = "DIR")]
    wal_dir: Option<PathBuf>,
    /// num_tokens
    #[arg(long, value_name = "N")]
    vnodes: Option<u32>,
    /// As many tokens as --vnodes says, for a first start
    #[arg(long, value_name = "LIST", requires = "vnodes", allow_hyphen_values = true, value_delimiter = ',')]
    tokens: Option<Vec<i64>>,
    /// Uses GossipingPropertyFileSnitch [default: SimpleSnitch]
    #[arg(long)]
    rack: Option<String>,
    /// [default: datacenter1]
    #[arg(long, value_name = "DATACENTER", requires = "rack")]
    dc: Option<String>,
    /// Whether a node that joins streams its part first [default: Cassandra's, yes; no with --fast]
    #[arg(long)]
    bootstrap: Option<Bootstrap>,
    /// Joins in place of that dead node
    #[arg(long, value_name = "IP")]
    replace: Option<Ipv4Addr>,
    /// The JVM writes its whole GC log here, by seconds since its start
    #[arg(long, value_name = "FILE")]
    gc_log: Option<PathBuf>,
    /// Sets a key of cassandra.yaml, a nested one with dots; VALUE may go over several lines; repeatable
    #[arg(long, value_name = "KEY: VALUE", value_parser = parse_setting)]
    yaml: Vec<(String, Value)>,
    /// One more JVM option; repeatable
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    jvm: Vec<String>,
    /// For tests: short waits, small caches, cheap start
    #[arg(long)]
    fast: bool,
    /// The node is killed when that process is gone
    #[arg(long, value_name = "PID")]
    die_with: Option<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum Bootstrap {
    Yes,
    No,
}

impl NodeCommand {
    /// Becomes the node's JVM.
    pub fn run(self) -> Result<ExitCode> {
        let home = Home::find()?;
        let owner = self.die_with.map(Owner::find).transpose()?;
        let mut java = self.spec(&home)?.prepare(&home)?;
        if let Some(owner) = owner {
            owner.watch_over(nix::unistd::getpid().as_raw())?;
        }
        replaced_by(&mut java)
    }

    fn spec(self, home: &Home) -> Result<NodeSpec> {
        let base = absolute(self.base.unwrap_or_else(|| home.join("data"))).context("--base names no folder")?;
        let plugin = self.plugin.map_or_else(|| Ok(home.plugin()), absolute)?;
        let rack = self.rack.filter(|rack| !rack.is_empty());
        Ok(NodeSpec {
            address: self.address,
            cql_port: self.cql_port,
            storage_port: self.storage_port,
            jmx_port: self.jmx_port,
            cluster: self.cluster,
            seeds: self.seeds,
            heap: self.heap,
            plugin: (!self.stock).then_some(plugin),
            classpath: env::split_paths(&self.classpath.unwrap_or_default())
                .filter(|path| !path.as_os_str().is_empty())
                .map(absolute)
                .collect::<Result<_, _>>()?,
            data_dirs: self.data_dir.into_iter().map(absolute).collect::<Result<_, _>>()?,
            wal_dir: self.wal_dir.map(absolute).transpose()?,
            vnodes: self.vnodes,
            tokens: self.tokens.unwrap_or_default(),
            location: rack.map(|rack| Location { datacenter: self.dc.unwrap_or_else(|| DATACENTER.to_owned()), rack }),
            bootstrap: self.bootstrap.map(|bootstrap| bootstrap == Bootstrap::Yes),
            replaces: self.replace,
            gc_log: self.gc_log.map(absolute).transpose()?,
            settings: self.yaml,
            jvm: self.jvm,
            fast: self.fast,
            ..NodeSpec::new(home, base)
        })
    }
}

/// One key of cassandra.yaml and its value.
fn parse_setting(text: &str) -> Result<(String, Value)> {
    let keys: Map<String, Value> = serde_yaml_ng::from_str(text).context("this is not KEY: VALUE in YAML")?;
    let mut keys = keys.into_iter();
    match (keys.next(), keys.next()) {
        (Some(setting), None) => Ok(setting),
        _ => bail!("this is not one KEY: VALUE"),
    }
}
