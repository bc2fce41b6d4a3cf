// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The subject of a scenario: the fresh cluster of one engine, which is deleted afterwards.

mod loads;
mod location;
mod loss;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use scylla::client::session::Session;
use scylla::statement::unprepared::Statement;
use scylla::statement::Consistency;
use tokio::runtime::{Handle, Runtime};

use lab_load::check::{Before, Ledger, Levels, Replication};
use lab_load::load::{self, Position, Target};
use lab_load::observe::{Reading, Record, Servers, WatchedServer};
use lab_load::profile::{Profile, Schema, UserWorkload};
use lab_node::cluster::{Cluster, Engine, Interrupt, NodeInfo};

use crate::files::table_bytes;
use crate::phase::once;
use crate::quiet::until_quiet;
use crate::scenario::Scenario;
use crate::settings::{Settings, VALUE_BYTES};

use location::spec;
pub use location::{lock_clusters, MOVING};
use loss::Loss;

/// A statement of the scenario's own; an index may be built before it answers.
const STATEMENT_MAX: Duration = Duration::from_secs(3600);

/// Asks on the client's threads while the subject is lent.
#[derive(Clone)]
pub struct Asker {
    runtime: Handle,
    session: Arc<Session>,
}

impl Asker {
    /// The answer to this question.
    pub fn ask<T, F>(&self, of: impl FnOnce(Arc<Session>) -> F) -> Result<T>
    where
        F: std::future::Future<Output = Result<T>>,
    {
        self.runtime.block_on(of(Arc::clone(&self.session)))
    }
}

/// One engine's cluster, loaded and watched.
pub struct Subject<'a> {
    settings: &'a Settings,
    profile: Profile,
    cluster: Cluster,
    lost: Option<Loss>,
    runtime: Runtime,
    session: Arc<Session>,
    servers: Servers,
    ledger: Arc<Ledger>,
    levels: Arc<Levels>,
    consistency: Consistency,
    /// Of the client to each node.
    connections: usize,
    in_flight: usize,
    /// From 0.
    round: usize,
    /// Of the phases that touch partitions at random.
    position: Position,
    folders: Vec<PathBuf>,
    interrupt: Interrupt,
    /// Deviations from the plan that leave the numbers right.
    pub notes: Vec<String>,
    /// What figures have against them that they may be believed with all the same: warm-ups that were cut off.
    pub caveats: Vec<String>,
    /// Why figures must not be believed.
    pub invalid: Vec<String>,
}

impl<'a> Subject<'a> {
    /// Starts a fresh cluster and makes the profile's table on it as the engine wants it.
    pub fn up(settings: &'a Settings, engine: Engine, round: usize, interrupt: &Interrupt) -> Result<Self> {
        let profile = Profile::parse(&settings.profile().replace(VALUE_BYTES, &settings.value_bytes.to_string()))?;
        let spec = spec(settings, engine)?;
        if let Ok(old) = Cluster::open(&spec.base) {
            old.delete().context("what an earlier comparison left behind")?;
        }
        let cluster = Cluster::up(&spec, interrupt)?.reporting_to(Arc::new(interrupt.clone()));
        let runtime = load::runtime(settings.threads)?;
        let consistency = if settings.nodes > 1 { Consistency::LocalQuorum } else { Consistency::LocalOne };
        let options = table_options(settings, engine);
        let session = Arc::new(runtime.block_on(load::connect(&target(
            settings,
            &cluster,
            consistency,
            settings.connections,
        )))?);
        let schema = Schema::of(&profile);
        runtime.block_on(schema.create(&session, Some(&cluster.replication()), &options))?;
        let shape = runtime.block_on(UserWorkload::ledger_shape(&session, &profile, &once(settings.rows)))?;
        let servers = watch(cluster.nodes());
        let queries = profile.queries.0.iter().filter(|(_, query)| query.writes());
        let own_writes: Vec<Consistency> =
            queries.filter_map(|(_, query)| query.consistency()).chain(profile.insert.consistency()).collect();
        let replication = Replication::one_datacenter(spec.replication_factor);
        Ok(Self {
            settings,
            profile,
            runtime,
            session,
            servers,
            ledger: Arc::new(Ledger::new(shape, Before::Absent)),
            // Writes of the profile may have a level of their own.
            levels: Arc::new(
                own_writes.into_iter().fold(Levels::new(consistency, consistency, replication), Levels::and_writes_at),
            ),
            consistency,
            connections: settings.connections,
            in_flight: settings.in_flight,
            round,
            position: Position::default(),
            folders: folders(cluster.nodes()),
            cluster,
            lost: None,
            interrupt: interrupt.clone(),
            notes: engine
                .cassandra_version()
                .map(|version| format!("Apache Cassandra {version}"))
                .into_iter()
                .collect(),
            caveats: Vec::new(),
            invalid: Vec::new(),
        })
    }

    /// The round, from 0.
    pub fn round(&self) -> usize {
        self.round
    }

    /// The settings.
    pub fn settings(&self) -> &'a Settings {
        self.settings
    }

    /// The cluster.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// The cluster, to kill and start nodes of.
    pub fn cluster_mut(&mut self) -> &mut Cluster {
        &mut self.cluster
    }

    /// The ledger of acknowledged writes.
    pub fn ledger(&self) -> &Arc<Ledger> {
        &self.ledger
    }

    /// Folders of all nodes.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// The table's keyspace.
    pub fn keyspace(&self) -> &str {
        &self.profile.keyspace
    }

    /// `nodetool flush` on every node.
    pub fn flush(&self) -> Result<()> {
        self.nodetool(&["flush", self.keyspace()])
    }

    /// Flushes and compacts the table on every node until they are quiet: a phase that reads begins with one sorted run. The
    /// warm-up's writes leave each row in a number of runs that chance decides, and a read of several costs twice as much.
    pub fn compact(&mut self) -> Result<()> {
        self.flush()?;
        self.nodetool(&["compact", self.keyspace()])?;
        self.settle().map(drop)
    }

    /// Runs nodetool on every node that is not lost.
    pub fn nodetool(&self, words: &[&str]) -> Result<()> {
        self.members().iter().try_for_each(|node| self.cluster.nodetool(node.number, words).map(drop))
    }

    /// Waits until the nodes are quiet; whether they were in time. If not that is a note, since it hurts the figures of what
    /// comes next.
    pub fn settle(&mut self) -> Result<bool> {
        let quiet = until_quiet(&self.servers, Duration::from_secs(self.settings.settle_max_s), &self.interrupt)?;
        if !quiet {
            self.notes.push(format!("the servers were not quiet after {} s", self.settings.settle_max_s));
        }
        Ok(quiet)
    }

    /// Counters now, allocation exact.
    pub fn readings(&self) -> Vec<Reading> {
        self.servers.readings_exact()
    }

    /// Bytes of the table's files on all nodes.
    pub fn table_bytes(&self) -> u64 {
        table_bytes(&self.folders, self.keyspace())
    }

    /// The most memory that the nodes' processes ever had, together.
    pub fn peak_resident_bytes(&self) -> Option<f64> {
        let present: Option<f64> =
            self.servers.readings().iter().map(|reading| Some(reading.process.peak_resident_bytes? as f64)).sum();
        Some(present? + self.lost.map_or(0.0, |lost| lost.peak_resident_bytes))
    }

    /// Memory of the nodes' processes that belongs to no file, together, now.
    pub fn anonymous_bytes(&self) -> Option<f64> {
        self.servers.readings().iter().map(|reading| Some(reading.process.anonymous_bytes? as f64)).sum()
    }

    /// Runs something on the client's threads.
    pub fn block_on_session<T, F>(&self, of: impl FnOnce(Arc<Session>) -> F) -> Result<T>
    where
        F: std::future::Future<Output = Result<T>>,
    {
        self.runtime.block_on(of(Arc::clone(&self.session)))
    }

    /// Asks beside a load, from another thread than the client's.
    pub fn asker(&self) -> Asker {
        Asker { runtime: self.runtime.handle().clone(), session: Arc::clone(&self.session) }
    }

    /// Set when a signal wants the comparison to end.
    pub fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }

    /// What a table of the scenario's own has after `WITH`.
    pub fn table_options(&self) -> String {
        table_options(self.settings, self.cluster.engine())
    }

    /// Runs one statement, a change of the schema too.
    pub fn execute(&self, cql: String) -> Result<()> {
        let mut statement = Statement::new(cql.as_str());
        statement.set_request_timeout(Some(STATEMENT_MAX));
        self.block_on_session(|session| async move {
            session.query_unpaged(statement, ()).await.map(drop).with_context(|| format!("executing {cql}"))
        })
    }

    /// Connects anew, after nodes were away.
    pub fn reconnect(&mut self) -> Result<()> {
        let target = target(self.settings, &self.cluster, self.consistency, self.connections);
        self.session = Arc::new(self.runtime.block_on(load::connect(&target))?);
        Ok(())
    }

    /// From now on the client has so many connections to each node, and a closed loop so many operations in flight over them all.
    pub fn connect_over(&mut self, connections: usize, in_flight: usize) -> Result<()> {
        self.connections = connections;
        self.in_flight = in_flight;
        self.reconnect()
    }

    /// From now on statements go at that level, and what they read was written at `written`.
    pub fn ask_at(&mut self, level: Consistency, written: Consistency) -> Result<()> {
        let replication = Replication::one_datacenter(self.settings.replication_factor);
        self.consistency = level;
        self.levels = Arc::new(Levels::new(level, written, replication));
        self.reconnect()
    }

    /// Nodes have come or gone: watches and asks those that there are now.
    pub fn members_changed(&mut self) -> Result<()> {
        self.servers = watch(self.members());
        self.folders = folders(self.members());
        self.reconnect()
    }

    /// The nodes' processes.
    pub fn pids(&self) -> Vec<i32> {
        self.cluster.nodes().into_iter().filter_map(|node| node.pid).collect()
    }

    /// The nodes have new processes.
    pub fn restarted(&self) {
        for (place, node) in self.cluster.nodes().iter().enumerate() {
            self.servers.restarted(place, node.pid);
        }
    }

    /// Stops and deletes the cluster; what was watched.
    pub fn down(self) -> Result<Record> {
        let record = self.servers.stop();
        drop(self.session);
        self.runtime.shutdown_background();
        self.cluster.delete()?;
        Ok(record)
    }
}

fn watch(nodes: Vec<NodeInfo>) -> Servers {
    let watched = nodes.into_iter().map(|node| WatchedServer {
        name: node.name,
        pid: node.pid,
        gc_log: Some(node.gc_log),
        compactions: None,
    });
    Servers::watch(watched.collect(), Duration::from_secs(1))
}

fn folders(nodes: Vec<NodeInfo>) -> Vec<PathBuf> {
    nodes.into_iter().flat_map(|node| node.folders).collect()
}

fn table_options(settings: &Settings, engine: Engine) -> String {
    match &settings.compaction {
        _ if settings.scenario == Scenario::Move && engine.has_plugin() => {
            format!("memtable = 'moving' AND {}", Engine::Stock.table_options())
        }
        Some(class) if !engine.has_plugin() => format!("compaction = {{'class': '{class}'}}"),
        _ => engine.table_options().to_owned(),
    }
}

fn target(settings: &Settings, cluster: &Cluster, consistency: Consistency, connections_per_node: usize) -> Target {
    let request_timeout = Duration::from_secs_f64(settings.request_timeout_s);
    Target { consistency, connections_per_node, request_timeout, ..Target::new(cluster.contact_points()) }
}
