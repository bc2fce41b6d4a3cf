// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The options of `cluster up`.

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use clap::Args;

use crate::cluster::{yaml, Cluster, ClusterSpec, Engine};
use crate::cpus::Cpus;

/// A cluster as the user wants it. A cluster that exists keeps what the user leaves out.
#[derive(Args, Debug)]
pub(super) struct SpecOptions {
    /// The storage engine [default: cassiterite]
    #[arg(long)]
    engine: Option<Engine>,
    /// How many nodes, on 127.0.0.1, .2, .3 ... [default: 3]
    #[arg(long)]
    nodes: Option<u32>,
    /// Heap of each node, as 768m or 4g [default: a third of the machine's memory for all, 512m to 4g]
    #[arg(long)]
    heap: Option<String>,
    /// Tokens of each node [default: 16]
    #[arg(long)]
    vnodes: Option<u32>,
    /// Racks, taken in turn [default: 1]
    #[arg(long)]
    racks: Option<u32>,
    /// For the keyspaces that later commands make [default: as many as nodes, at most 3]
    #[arg(long, value_name = "N")]
    replication_factor: Option<u32>,
    /// Keep tables under DIR/NAME/nodeN; repeatable for several disks
    #[arg(long, value_name = "DIR")]
    data_dir: Vec<PathBuf>,
    /// Keep the logs of writes under DIR/NAME/nodeN
    #[arg(long, value_name = "DIR")]
    wal_dir: Option<PathBuf>,
    /// Any key of cassandra.yaml, nested ones with dots, and its YAML value; repeatable
    #[arg(long, value_name = "KEY=VALUE", value_parser = yaml::parse_set)]
    set: Vec<(String, String)>,
    /// A JVM option; repeatable
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    jvm: Vec<String>,
    /// For tests: serial GC, small caches, short waits
    #[arg(long)]
    fast: bool,
    /// Address of node 1; the others follow [default: 127.0.0.1]
    #[arg(long, value_name = "IP")]
    first_address: Option<Ipv4Addr>,
    /// [default: 9042]
    #[arg(long, value_name = "PORT")]
    cql_port: Option<u16>,
    /// [default: 7000]
    #[arg(long, value_name = "PORT")]
    storage_port: Option<u16>,
    /// Of node 1; the others follow, all on 127.0.0.1 [default: 7199]
    #[arg(long, value_name = "PORT")]
    jmx_port: Option<u16>,
    /// The nodes keep to these CPUs, as 0 or 1-3; the rest is the client's [default: all]
    #[arg(long, value_name = "LIST")]
    cpus: Option<Cpus>,
    /// How long one step of the start may take
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    start_limit: u64,
    /// The nodes are killed when that process is gone
    #[arg(long, value_name = "PID")]
    die_with: Option<i32>,
}

impl SpecOptions {
    /// The user's options, on top of those of the cluster in that folder, or of the defaults.
    pub fn spec(&self, name: &str, base: PathBuf) -> Result<ClusterSpec> {
        let known = if base.join("cluster.json").exists() { Some(Cluster::open(&base)?) } else { None };
        let begun = match known {
            Some(cluster) if cluster.is_formed() => cluster.spec().clone(),
            _ => ClusterSpec::new(name, self.engine.unwrap_or(Engine::Cassiterite), self.nodes.unwrap_or(3))?,
        };
        Ok(ClusterSpec {
            base,
            owner_pid: self.die_with,
            start_limit: Duration::from_secs(self.start_limit),
            ..self.on_top_of(begun)?
        })
    }

    fn on_top_of(&self, mut spec: ClusterSpec) -> Result<ClusterSpec> {
        fn take<T: Clone>(said: &Option<T>, place: &mut T) {
            if let Some(said) = said {
                place.clone_from(said);
            }
        }
        fn take_all<T: Clone>(said: &[T], place: &mut Vec<T>) {
            if !said.is_empty() {
                *place = said.to_vec();
            }
        }
        take(&self.engine, &mut spec.engine);
        take(&self.nodes, &mut spec.nodes);
        take(&self.heap, &mut spec.heap);
        take(&self.vnodes, &mut spec.vnodes);
        take(&self.racks, &mut spec.racks);
        take(&self.replication_factor, &mut spec.replication_factor);
        take(&self.first_address, &mut spec.first_address);
        take(&self.cql_port, &mut spec.cql_port);
        take(&self.storage_port, &mut spec.storage_port);
        take(&self.jmx_port, &mut spec.jmx_port);
        spec.cpus = self.cpus.clone().or(spec.cpus);
        take_all(&self.set, &mut spec.set);
        take_all(&self.jvm, &mut spec.jvm);
        take_all(&self.data_dir.iter().map(|dir| absolute(dir)).collect::<Result<Vec<_>>>()?, &mut spec.data_dirs);
        if let Some(dir) = &self.wal_dir {
            spec.wal_dir = Some(absolute(dir)?);
        }
        spec.fast |= self.fast;
        Ok(spec)
    }
}

fn absolute(dir: &Path) -> Result<PathBuf> {
    Ok(std::path::absolute(dir)?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        options: SpecOptions,
    }

    fn spec(words: &[&str]) -> ClusterSpec {
        let command = Command::try_parse_from(["up"].iter().chain(words)).unwrap();
        command.options.spec("t", "/nowhere".into()).unwrap()
    }

    #[test]
    fn what_is_not_said_is_the_default() {
        let spec = spec(&[]);
        assert_eq!((spec.engine, spec.nodes, spec.replication_factor), (Engine::Cassiterite, 3, 3));
        assert_eq!((spec.cql_port, spec.storage_port, spec.jmx_port), (9042, 7000, 7199));
    }

    #[test]
    fn what_is_said_counts() {
        let spec = spec(&[
            "--engine",
            "stock-default",
            "--nodes",
            "2",
            "--racks",
            "2",
            "--set",
            "a.b=[1, 2]",
            "--set",
            "c=d=e",
            "--jvm",
            "-Dx=y",
            "--heap",
            "1g",
            "--cpus",
            "0,2-3",
            "--data-dir",
            "/d1",
            "--data-dir",
            "/d2",
            "--fast",
        ]);
        assert_eq!((spec.engine, spec.nodes, spec.racks, spec.replication_factor), (Engine::StockDefault, 2, 2, 2));
        assert_eq!(spec.set, [("a.b".to_owned(), "[1, 2]".to_owned()), ("c".to_owned(), "d=e".to_owned())]);
        assert_eq!((spec.jvm, spec.fast), (vec!["-Dx=y".to_owned()], true));
        assert_eq!(spec.cpus.unwrap().to_string(), "0,2-3");
        assert_eq!(spec.data_dirs, [Path::new("/d1"), Path::new("/d2")]);
    }

    #[test]
    fn what_cannot_be_is_refused_as_it_is_read() {
        for words in [["--engine", "rocks"], ["--set", "num_tokens=4"], ["--nodes", "x"]] {
            assert!(Command::try_parse_from(["up"].iter().chain(&words)).is_err());
        }
    }
}
