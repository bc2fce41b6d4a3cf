// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The command line of `cassiterite move`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{bail, ensure, Context, Result};
use clap::Args;

use super::bound::Bound;
use super::course::{Course, End, Patience};
use super::fleet::Fleet;
use super::home::Wish;
use super::nodes::Nodes;
use super::ring::Jmx;
use super::tool::Tool;
use crate::load::{self, contact_point, Target, TlsFiles};
use lab_node::cluster::node::java;
use lab_node::cluster::{Home, Interrupt};

const CQL_PORT: u16 = 9042;
const STATEMENT_MAX: Duration = Duration::from_secs(8);

/// `cassiterite move`.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 nothing is left to do, 1 it stopped, or nodes wait for their operator, 2 wrong use. \
                        A signal stops it, as the bound does: nothing moves unwatched. The same command goes on."
)]
pub struct MoveCommand {
    /// As DESCRIBE shows it, without quotes.
    keyspace: String,
    /// Likewise.
    table: String,
    /// Into the engine, or out of it.
    direction: Wish,
    /// Some nodes of the cluster; the ring names the others.
    #[arg(long, value_name = "HOST[:PORT]", value_delimiter = ',', required = true, num_args = 1..)]
    host: Vec<String>,
    /// Where each node takes JMX, at its address of CQL.
    #[arg(long, value_name = "PORT", default_value_t = 7199)]
    jmx_port: u16,
    /// A node that takes JMX elsewhere, as through a tunnel; repeatable.
    #[arg(long, value_name = "ADDRESS=HOST:PORT")]
    jmx: Vec<String>,
    /// Where JMX asks.
    #[arg(long, value_name = "USER", requires = "jmx_password_file")]
    jmx_user: Option<String>,
    /// A file with lines 'USER PASSWORD', as nodetool reads it.
    #[arg(long, value_name = "FILE", requires = "jmx_user")]
    jmx_password_file: Option<PathBuf>,
    /// The plug-in's jar, for its program Move [default: that of the checkout].
    #[arg(long, value_name = "FILE")]
    jar: Option<PathBuf>,
    /// Where CQL asks: a file with lines cql.username=... and cql.password=...
    #[arg(long, value_name = "FILE")]
    credentials_file: Option<PathBuf>,
    /// Speaks TLS to nodes with certificates of these authorities (PEM).
    #[arg(long, value_name = "FILE")]
    tls_ca: Option<PathBuf>,
    /// Stops when the clients' P99 at any coordinator is above, for reads or writes of any table of the keyspace.
    #[arg(long, value_name = "TIME", default_value = "20ms", value_parser = milliseconds)]
    p99_max: f64,
    /// So many looks in a row: above the bound, or without an answer of a node.
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..))]
    looks: u32,
    /// Time between two looks.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = milliseconds)]
    every: f64,
    /// Stops when nothing has moved for so long.
    #[arg(long, value_name = "TIME", default_value = "15m", value_parser = milliseconds)]
    idle_max: f64,
}

impl MoveCommand {
    /// Moves; the exit code is the process's.
    pub fn run(self) -> Result<ExitCode> {
        let jmx = Jmx::new(self.jmx_port, &self.jmx)?;
        let tool = self.tool()?;
        let target = self.target()?;
        let every = Duration::from_secs_f64(self.every / 1e3);
        let idle = (self.idle_max / self.every).ceil().min(f64::from(u32::MAX)) as u32;
        let patience = Patience { silent: self.looks, idle: idle.max(1) };
        let interrupt = Interrupt::listen()?;
        load::runtime(1)?.block_on(async {
            let session = load::connect(&target).await?;
            let nodes = Nodes::of(session, jmx, tool, every, interrupt).await?;
            let tell = |line: &str| println!("{}.{}  {line}", self.keyspace, self.table);
            let bound = Bound::new(self.p99_max, self.looks);
            let end = Course::new(&nodes, self.direction, bound, patience, &tell).run().await;
            Ok(self.end(&nodes, &end))
        })
    }

    fn tool(&self) -> Result<Tool> {
        let jar = match &self.jar {
            Some(jar) => jar.clone(),
            None => Home::find().context("say --jar FILE, the plug-in's jar")?.plugin(),
        };
        let login = self.jmx_user.clone().zip(self.jmx_password_file.clone());
        let (keyspace, table) = (self.keyspace.clone(), self.table.clone());
        let tool = Tool { java: java()?, jar, login, keyspace, table };
        tool.check()?;
        Ok(tool)
    }

    fn target(&self) -> Result<Target> {
        let points = self.host.iter().map(|host| contact_point(host, CQL_PORT).context("--host"));
        let mut target = Target::new(points.collect::<Result<Vec<_>>>()?);
        target.request_timeout = STATEMENT_MAX;
        if let Some(file) = &self.credentials_file {
            (target.username, target.password) = load::credentials(file).context("--credentials-file")?;
            ensure!(
                target.username.is_some() && target.password.is_some(),
                "--credentials-file {}: cql.username= and cql.password= are expected",
                file.display()
            );
        }
        let files = |ca| TlsFiles { ca, certificate: None, key: None, check_hostname: false };
        target.tls = self.tls_ca.clone().map(files);
        Ok(target)
    }

    fn end(&self, nodes: &Nodes, end: &End) -> ExitCode {
        let name = format!("{}.{}", self.keyspace, self.table);
        let direction = self.direction.name();
        match end {
            End::Done => {
                let rest = match self.direction {
                    Wish::In => "",
                    Wish::Out => " but what is said above",
                };
                println!("{name}  {direction}: nothing is left to do on {} nodes{rest}", nodes.places().len());
                ExitCode::SUCCESS
            }
            End::Left(left) => {
                let left: Vec<String> = left.iter().map(ToString::to_string).collect();
                println!(
                    "{name}  {direction}: {} wait for their operator, as said above; then run this again",
                    left.join(", ")
                );
                ExitCode::from(1)
            }
            End::Stopped { moving, .. } => {
                println!("{name}  {direction}: stopped, as said above. Run this again to go on: nodes that are done are skipped");
                for node in moving {
                    println!("{name}  {node} STILL MOVES: {}", nodes.hold_words(*node));
                }
                ExitCode::from(1)
            }
        }
    }
}

/// `20ms`, `1.5s`, `15m`: milliseconds, above 0.
fn milliseconds(text: &str) -> Result<f64> {
    let at = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    let factor = match unit {
        "ms" => 1.0,
        "s" => 1e3,
        "m" => 60e3,
        "h" => 3600e3,
        _ => bail!("a time as 20ms, 1.5s or 15m is expected"),
    };
    match number.parse::<f64>().map(|number| number * factor) {
        Ok(time) if time > 0.0 && time.is_finite() => Ok(time),
        _ => bail!("a time above 0 as 20ms, 1.5s or 15m is expected"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn times_have_a_unit_and_are_above_zero() {
        assert_eq!(["0.5ms", "1.5s", "2m"].map(|text| milliseconds(text).unwrap()), [0.5, 1500.0, 120_000.0]);
        for text in ["20", "0ms", "ms", "-1s", "1d", "1.1.1s"] {
            assert!(milliseconds(text).is_err(), "{text}");
        }
    }
}
