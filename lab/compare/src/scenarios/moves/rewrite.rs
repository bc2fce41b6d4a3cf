// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! All rows of a table written anew: by a move in the engine, by `upgradesstables -a` in stock.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure, Context, Result};

use super::twin;
use crate::subject::{Asker, Subject};
use lab_load::moves::home::{stand, Home, Stand, Wish};
use lab_load::moves::tool::Tool;
use lab_load::moves::{home_of, leaves_online};
use lab_node::cluster::node::java;
use lab_node::cluster::{self, Cluster, Interrupt};

const POLL: Duration = Duration::from_millis(200);
const LIMIT: Duration = Duration::from_secs(4 * 3600);

/// Which way the rows go. Stock does the same both ways.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    In,
    Out,
}

impl Way {
    /// In front of its figures.
    pub fn name(self) -> &'static str {
        match self {
            Way::In => "in",
            Way::Out => "out",
        }
    }

    fn wish(self) -> Wish {
        match self {
            Way::In => Wish::In,
            Way::Out => Wish::Out,
        }
    }
}

/// What was written anew.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rewritten {
    /// Until it was done.
    pub elapsed_s: f64,
    /// Of the rows in sstables: of those that were read, or, where they came from the engine, of those that were written.
    pub bytes: u64,
}

/// A table on the only node of a cluster.
pub(super) struct Rewrite {
    tool: Tool,
    node: SocketAddr,
    jmx_port: u16,
    folders: Vec<PathBuf>,
    engine: bool,
    asker: Asker,
    interrupt: Interrupt,
}

impl Rewrite {
    pub fn of(subject: &Subject<'_>, table: &str) -> Result<Self> {
        let node = subject.cluster().nodes().into_iter().next().context("the cluster has no node")?;
        let (jar, keyspace) = (cluster::Home::find()?.plugin(), subject.keyspace().to_owned());
        Ok(Self {
            tool: Tool { java: java()?, jar, login: None, keyspace, table: table.to_owned() },
            node: SocketAddr::from((node.address, node.cql_port)),
            jmx_port: node.jmx_port,
            folders: subject.folders().to_vec(),
            engine: subject.cluster().engine().has_plugin(),
            asker: subject.asker(),
            interrupt: subject.interrupt(),
        })
    }

    /// Whether rows can leave while the node runs; those of stock are where they were.
    pub fn leaves_online(&self) -> Result<bool> {
        if !self.engine {
            return Ok(true);
        }
        let node = self.node;
        Ok(self.asker.ask(|session| async move { leaves_online(&session, node).await })?.unwrap_or(false))
    }

    /// Returns when all rows have been written.
    pub fn run(&self, cluster: &Cluster, way: Way) -> Result<Rewritten> {
        if !self.engine {
            let bytes = twin::bytes(&self.folders, &self.tool.keyspace, &self.tool.table);
            let began = Instant::now();
            cluster.nodetool(1, &["upgradesstables", "-a", &self.tool.keyspace, &self.tool.table])?;
            return Ok(Rewritten { elapsed_s: began.elapsed().as_secs_f64(), bytes });
        }
        let before = twin::bytes(&self.folders, &self.tool.keyspace, &self.tool.table);
        let began = Instant::now();
        self.direct(way.name())?;
        loop {
            let home = self.home()?;
            match (stand(way.wish(), &home), &home) {
                (Stand::Done(_), _) => {
                    let elapsed_s = began.elapsed().as_secs_f64();
                    // What stays in the engine for a drain has not moved, and the engine's bytes are not those of sstables.
                    let bytes = match way {
                        Way::In => before,
                        Way::Out => {
                            twin::bytes(&self.folders, &self.tool.keyspace, &self.tool.table).saturating_sub(before)
                        }
                    };
                    return Ok(Rewritten { elapsed_s, bytes });
                }
                (Stand::NotYet(why), _) => bail!("{}: {why}", way.name()),
                (Stand::ToMove, Home::Both(of)) => {
                    ensure!(of.last_error.is_empty(), "{}: {}", way.name(), of.last_error);
                }
                (Stand::ToMove, _) => {}
            }
            ensure!(!self.interrupt.is_set(), "interrupted");
            ensure!(began.elapsed() < LIMIT, "{}: not done after {} s: {home:?}", way.name(), LIMIT.as_secs());
            std::thread::sleep(POLL);
        }
    }

    fn direct(&self, direction: &str) -> Result<()> {
        let jmx = ("127.0.0.1".to_owned(), self.jmx_port);
        self.asker.ask(|_| async { self.tool.direct(jmx, direction).await })
    }

    fn home(&self) -> Result<Home> {
        let (keyspace, table) = (&self.tool.keyspace, &self.tool.table);
        self.asker.ask(|session| async move { home_of(&session, self.node, keyspace, table).await })
    }
}
