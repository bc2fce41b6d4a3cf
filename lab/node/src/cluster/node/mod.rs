// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! One node: its folder with the configuration, and the JVM that serves it. `cassiterite node` becomes that JVM; a cluster
//! starts one JVM for each of its nodes.

pub mod cli;
mod configuration;
mod jvm;
pub mod owner;

use std::fs;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{ensure, Context, Result};
use serde_json::Value;

pub(super) use configuration::Configuration;
pub use jvm::java;

use super::Home;

/// Cassandra's own.
pub(super) const DATACENTER: &str = "datacenter1";

/// Where a node stands, for GossipingPropertyFileSnitch.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Location {
    pub datacenter: String,
    pub rack: String,
}

/// Everything that makes one node different from another. Paths are absolute.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NodeSpec {
    /// The node keeps everything here that is not placed elsewhere.
    pub base: PathBuf,
    pub address: Ipv4Addr,
    pub cql_port: u16,
    pub storage_port: u16,
    /// On 127.0.0.1.
    pub jmx_port: u16,
    pub cluster: String,
    /// `IP:PORT,...`; the node itself without one.
    pub seeds: Option<String>,
    /// As in `-Xmx`.
    pub heap: String,
    /// The plug-in's jar; stock Cassandra without one.
    pub plugin: Option<PathBuf>,
    /// Behind Cassandra's jars.
    pub classpath: Vec<PathBuf>,
    pub data_dirs: Vec<PathBuf>,
    /// Cassandra's commit log and the engine's log.
    pub wal_dir: Option<PathBuf>,
    pub vnodes: Option<u32>,
    /// Of a first start.
    pub tokens: Vec<i64>,
    pub location: Option<Location>,
    /// Whether a node that joins streams its part first.
    pub bootstrap: Option<bool>,
    /// The dead node whose place it takes.
    pub replaces: Option<Ipv4Addr>,
    pub gc_log: Option<PathBuf>,
    /// Keys of cassandra.yaml, nested ones with dots.
    pub settings: Vec<(String, Value)>,
    pub jvm: Vec<String>,
    /// For tests: short waits, small caches, cheap start.
    pub fast: bool,
}

impl NodeSpec {
    /// A node with the plug-in on Cassandra's own ports of 127.0.0.1.
    pub fn new(home: &Home, base: PathBuf) -> Self {
        Self {
            base,
            address: Ipv4Addr::LOCALHOST,
            cql_port: 9042,
            storage_port: 7000,
            jmx_port: 7199,
            cluster: "Cassiterite".to_owned(),
            seeds: None,
            heap: "2g".to_owned(),
            plugin: Some(home.plugin()),
            classpath: Vec::new(),
            data_dirs: Vec::new(),
            wal_dir: None,
            vnodes: None,
            tokens: Vec::new(),
            location: None,
            bootstrap: None,
            replaces: None,
            gc_log: None,
            settings: Vec::new(),
            jvm: Vec::new(),
            fast: false,
        }
    }

    /// Writes the node's configuration and returns the command of its JVM.
    pub fn prepare(&self, home: &Home) -> Result<Command> {
        home.ensure_cassandra()?;
        let java = jvm::java()?;
        if let Some(plugin) = &self.plugin {
            ensure!(plugin.is_file(), "{} is missing: run 'make build'", plugin.display());
        }
        let options = jvm::options(self, home)?;
        let configuration = Configuration::of_node(self, home)?;
        for folder in ["conf/triggers", "logs"] {
            create(&self.base.join(folder))?;
        }
        if let Some(plugin) = &self.plugin {
            self.install(plugin)?;
        }
        if let Some(location) = &self.location {
            let text = format!("dc={}\nrack={}\n", location.datacenter, location.rack);
            write(&self.base.join("conf/cassandra-rackdc.properties"), &text)?;
        }
        write(&self.configuration_file(), &configuration.text()?)?;
        let mut command = Command::new(java);
        command.args(options).current_dir(&self.base);
        Ok(command)
    }

    fn configuration_file(&self) -> PathBuf {
        self.base.join("conf/cassandra.yaml")
    }

    fn installed_plugin(&self) -> PathBuf {
        self.base.join("lib/cassiterite.jar")
    }

    /// Copies the jar: a build beside a running node must not pull the jar away from under it.
    fn install(&self, plugin: &Path) -> Result<()> {
        create(&self.base.join("native"))?;
        create(&self.base.join("lib"))?;
        let (jar, new) = (self.installed_plugin(), self.base.join("lib/cassiterite.jar.new"));
        fs::copy(plugin, &new)
            .and_then(|_| fs::rename(&new, &jar))
            .with_context(|| format!("cannot copy {} to {}", plugin.display(), jar.display()))
    }
}

fn create(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))
}

fn write(file: &Path, text: &str) -> Result<()> {
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// A path in the text of a configuration or an option.
fn text(path: &Path) -> Result<&str> {
    path.to_str().with_context(|| format!("the path {} is not UTF-8", path.display()))
}
