// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! One engine's cluster while a scenario runs on it: fresh when it comes up, gone when it is dropped.

use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure, Context, Result};
use scylla::client::session::Session;
use scylla::statement::Consistency;
use tokio::runtime::Runtime;

use crate::check::{Before, Ledger, Levels, Replication, Shape};
use crate::cluster::{lock_file, Cluster, ClusterSpec, Engine, Interrupt, Lock};
use crate::load::{self, wrong_rows, Outcome, Pace, Plan, Stop, Target, Workload};
use crate::observe::{now_unix_ms, Client, Reading, Record, Servers, Watched};
use crate::profile::{Mix, Options, Profile, Schema, UserWorkload};

use super::files::table_bytes;
use super::phase::{closed, Measured, Phase, Used};
use super::scenario::Scenario;
use super::settings::Settings;
use super::warmup::Warmup;

/// One name and place for all engines: nothing but the engine may differ.
const NAME: &str = "compare";
/// A node burns less than this of a core when it is quiet; an idle one burns 0.03.
const QUIET_CORES: f64 = 0.1;
/// Seconds in a row that it must do so.
pub(super) const QUIET_S: usize = 3;
/// How long the ports of a node that has ended may stay taken.
const PORTS_MAX: Duration = Duration::from_secs(20);
pub(super) const LOCALHOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// An open loop is not bounded by its own operations in flight.
const IN_FLIGHT_OPEN_MIN: usize = 256;
/// Intervals of a load while the cluster changes: a streaming of some seconds has to be told from what is around it.
const CHANGE_INTERVAL: Duration = Duration::from_millis(250);
/// A node that joins answers only when it has streamed its part.
const START_MAX: Duration = Duration::from_secs(3600);

/// A load while something was done.
pub(super) struct During<T> {
    /// What the client saw.
    pub outcome: Outcome,
    /// When it began, in milliseconds since 1970.
    pub began_unix_ms: f64,
    /// What came of what was done.
    pub done: T,
}

/// One engine's cluster, loaded and watched.
pub struct Subject<'a> {
    settings: &'a Settings,
    profile: Profile,
    cluster: Cluster,
    runtime: Runtime,
    session: Arc<Session>,
    servers: Servers,
    ledger: Arc<Ledger>,
    levels: Arc<Levels>,
    consistency: Consistency,
    folders: Vec<PathBuf>,
    interrupt: Interrupt,
    /// What went otherwise than planned without making numbers wrong.
    pub notes: Vec<String>,
    /// Why figures must not be believed.
    pub invalid: Vec<String>,
}

impl<'a> Subject<'a> {
    /// Starts a fresh cluster and makes the profile's table on it as the engine wants it.
    pub fn up(settings: &'a Settings, engine: Engine, scenario: Scenario, interrupt: &Interrupt) -> Result<Self> {
        let (profile, rows_per_partition) = (scenario.profile(), scenario.rows_per_partition());
        let profile = Profile::parse(&profile.replace("@VALUE_BYTES@", &settings.value_bytes.to_string()))?;
        let spec = spec(settings, engine)?;
        if let Ok(old) = Cluster::open(&spec.base) {
            old.delete().context("what an earlier comparison left behind")?;
        }
        let address = IpAddr::V4(spec.first_address);
        await_free([(address, spec.cql_port), (address, spec.storage_port), (LOCALHOST, spec.jmx_port)])?;
        let cluster = Cluster::up(&spec, interrupt)?;
        let runtime = load::runtime(settings.threads)?;
        let consistency = if settings.nodes > 1 { Consistency::LocalQuorum } else { Consistency::LocalOne };
        let options = table_options(settings, engine);
        let session = Arc::new(runtime.block_on(load::connect(&target(&cluster, consistency)))?);
        let schema = Schema::of(&profile);
        runtime.block_on(schema.create(&session, Some(&cluster.replication()), &options))?;
        let servers = watch(&cluster);
        let replication = Replication::one_datacenter(spec.replication_factor);
        Ok(Self {
            settings,
            profile,
            runtime,
            session,
            servers,
            ledger: Arc::new(Ledger::new(Shape::dense(1, settings.rows, rows_per_partition), Before::Absent)),
            levels: Arc::new(Levels::new(consistency, consistency, replication)),
            consistency,
            folders: folders(&cluster),
            cluster,
            interrupt: interrupt.clone(),
            notes: Vec::new(),
            invalid: Vec::new(),
        })
    }

    /// What was asked for.
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

    /// What was acknowledged.
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

    /// Every partition once, as fast as it goes; not measured, but checked for errors.
    pub fn fill(&mut self) -> Result<()> {
        let population = super::phase::once(self.settings.rows);
        let fill = Phase { name: "fill", ops: "insert=1", population, pace: Pace::Closed, stop: Stop::WorkloadEnds };
        let outcome = self.drive(&fill, self.workload(&fill)?)?;
        self.complain("fill", &outcome);
        self.flush()?;
        self.settle()
    }

    /// Loads until the servers' CPU per operation no longer falls.
    pub fn warm(&mut self, ops: &'static str) -> Result<Warmup> {
        let population = super::phase::any(self.settings.rows);
        let limit_s = self.settings.warmup_max_s as f64;
        let warmup = Warmup::run(limit_s, |seconds| {
            let slice = closed("warm-up", ops, population.clone(), Duration::from_secs_f64(seconds));
            let before = self.servers.readings();
            let outcome = self.load(&slice)?;
            let operations: u64 = outcome.tallies.iter().map(|tally| tally.operations).sum();
            let cpu_s = Used::between(&before, &self.servers.readings()).cpu_s;
            Ok(cpu_s.map(|cpu_s| cpu_s * 1e6 / operations.max(1) as f64))
        })?;
        if !warmup.warm {
            self.notes.push(format!("warm-up ({ops}): {}", warmup.words()));
        }
        self.settle()?;
        Ok(warmup)
    }

    /// Runs a phase and waits until the servers have done what it caused; phases that write are flushed first.
    pub fn measure(&mut self, phase: &Phase) -> Result<Measured> {
        let workload = self.workload(phase)?;
        self.measure_workload(phase, workload)
    }

    /// The same with a workload of the caller's.
    pub fn measure_workload(&mut self, phase: &Phase, workload: Arc<dyn Workload>) -> Result<Measured> {
        let classes: Vec<_> = workload.kinds().iter().map(|kind| kind.class).collect();
        let (before, client) = (self.servers.readings_exact(), Client::now());
        let outcome = self.drive(phase, workload)?;
        let (client, during) = (Client::now().since(&client), Used::between(&before, &self.servers.readings()));
        if outcome.value_bytes_written > 0 {
            self.flush()?;
        }
        self.settle()?;
        let whole = Used::between(&before, &self.servers.readings_exact());
        self.complain(phase.name, &outcome);
        Ok(Measured { name: phase.name.to_owned(), outcome, classes, during, whole, client })
    }

    /// Runs a phase that is not measured; wrong rows are a reason not to believe the run all the same.
    pub fn load(&mut self, phase: &Phase) -> Result<Outcome> {
        let outcome = self.load_unjudged(phase)?;
        self.complain_of_rows(phase.name, &outcome);
        Ok(outcome)
    }

    /// Runs a phase; what is wrong with its answers is the caller's to say.
    pub fn load_unjudged(&mut self, phase: &Phase) -> Result<Outcome> {
        self.drive(phase, self.workload(phase)?)
    }

    /// Runs a phase whose response times are held against a limit. That the client, on the machine of its servers, waited for
    /// a core only makes them longer: within the limit they are all the more.
    pub fn probe(&mut self, phase: &Phase) -> Result<Outcome> {
        let mut plan = self.plan(phase);
        plan.limits.run_queue_share = f64::INFINITY;
        plan.limits.late_start_share = f64::INFINITY;
        let outcome = self.drive_by(plan, phase.name, self.workload(phase)?)?;
        self.complain_of_rows(phase.name, &outcome);
        Ok(outcome)
    }

    fn workload(&self, phase: &Phase) -> Result<Arc<dyn Workload>> {
        let mut options = Options::new(phase.ops.parse::<Mix>()?, phase.population.clone());
        options.ledger = Some(Arc::clone(&self.ledger));
        let workload = self.runtime.block_on(UserWorkload::prepare(&self.session, &self.profile, options))?;
        Ok(Arc::new(workload))
    }

    /// Runs a load while `change` changes the cluster, and halts it when that is done. What becomes of operations meanwhile is
    /// the answer that is asked for: their failures do not make it invalid. Call [`Self::members_changed`] afterwards.
    pub(super) fn load_while<T>(
        &mut self,
        phase: &Phase,
        change: impl FnOnce(&mut Cluster) -> Result<T>,
    ) -> Result<During<T>> {
        let workload = self.workload(phase)?;
        let mut plan = self.plan(phase);
        plan.limits.error_share = 1.0;
        plan.interval = CHANGE_INTERVAL;
        let halt = plan.halt.clone();
        let began_unix_ms = now_unix_ms();
        let load = self.runtime.spawn(load::run(Arc::clone(&self.session), workload, plan, |_| ()));
        let done = change(&mut self.cluster);
        halt.halt();
        let outcome = self.runtime.block_on(load).context("the load ended early")??;
        ensure!(!outcome.interrupted, "interrupted");
        let done = done?;
        let spoiled = outcome.invalid.iter().map(|reason| format!("{}: {reason}", phase.name));
        self.notes.extend(spoiled);
        self.notes
            .extend(outcome.first_errors.iter().map(|(error, times)| format!("{}: {times} x {error}", phase.name)));
        self.complain_of_rows(phase.name, &outcome);
        Ok(During { outcome, began_unix_ms, done })
    }

    fn plan(&self, phase: &Phase) -> Plan {
        let mut plan = Plan {
            pace: phase.pace,
            in_flight: self.settings.in_flight,
            threads: self.settings.threads,
            stop: phase.stop,
            levels: Some(Arc::clone(&self.levels)),
            ..Plan::default()
        };
        match phase.pace {
            Pace::Open { .. } => plan.in_flight = plan.in_flight.max(IN_FLIGHT_OPEN_MIN),
            // A closed loop beside its server fills the machine by design: waiting for a core slows it, it falsifies nothing.
            Pace::Closed | Pace::Limited { .. } => plan.limits.run_queue_share = f64::INFINITY,
        }
        plan
    }

    fn drive(&self, phase: &Phase, workload: Arc<dyn Workload>) -> Result<Outcome> {
        self.drive_by(self.plan(phase), phase.name, workload)
    }

    fn drive_by(&self, plan: Plan, name: &str, workload: Arc<dyn Workload>) -> Result<Outcome> {
        self.go_on()?;
        let outcome = self.runtime.block_on(load::run(Arc::clone(&self.session), workload, plan, |_| ()))?;
        ensure!(!outcome.interrupted, "interrupted");
        let gone = self.cluster.nodes().into_iter().find(|node| node.pid.is_none());
        if let Some(node) = gone {
            bail!("{} ended during '{name}': see {}", node.name, node.system_log.display());
        }
        Ok(outcome)
    }

    /// The load listens to signals only while it runs.
    fn go_on(&self) -> Result<()> {
        ensure!(!self.interrupt.is_set(), "interrupted");
        Ok(())
    }

    fn complain_of_rows(&mut self, phase: &str, outcome: &Outcome) {
        let Some(reason) = wrong_rows(&outcome.faults) else { return };
        self.invalid.push(format!("{phase}: {reason}"));
        self.notes.extend(outcome.first_faults.iter().map(|fault| format!("{phase}: {fault}")));
    }

    fn complain(&mut self, phase: &str, outcome: &Outcome) {
        self.invalid.extend(outcome.invalid.iter().map(|reason| format!("{phase}: {reason}")));
        self.notes.extend(outcome.first_faults.iter().map(|fault| format!("{phase}: {fault}")));
        self.notes.extend(outcome.first_errors.iter().map(|(error, times)| format!("{phase}: {times} x {error}")));
    }

    /// `nodetool flush` on every node.
    pub fn flush(&self) -> Result<()> {
        self.nodetool(&["flush", self.keyspace()])
    }

    /// Runs nodetool on every node.
    pub fn nodetool(&self, words: &[&str]) -> Result<()> {
        self.cluster.nodes().iter().try_for_each(|node| self.cluster.nodetool(node.number, words).map(drop))
    }

    /// Waits until the nodes are quiet; one that is not in time is a note, since it hurts the figures of what comes next.
    pub fn settle(&mut self) -> Result<()> {
        let deadline = Instant::now() + Duration::from_secs(self.settings.settle_max_s);
        let mut quiet = 0;
        while quiet < QUIET_S {
            self.go_on()?;
            if Instant::now() > deadline {
                self.notes.push(format!("the servers were not quiet after {} s", self.settings.settle_max_s));
                return Ok(());
            }
            let before = self.servers.readings();
            std::thread::sleep(Duration::from_secs(1));
            let used = Used::between(&before, &self.servers.readings());
            let cpu_s = used.cpu_s.context("a node ended while the servers were to become quiet")?;
            quiet = if cpu_s < QUIET_CORES * used.nodes as f64 { quiet + 1 } else { 0 };
        }
        Ok(())
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
        self.servers.readings().iter().map(|reading| Some(reading.process.peak_resident_bytes? as f64)).sum()
    }

    /// Runs something on the client's threads.
    pub fn block_on_session<T, F>(&self, of: impl FnOnce(Arc<Session>) -> F) -> Result<T>
    where
        F: std::future::Future<Output = Result<T>>,
    {
        self.runtime.block_on(of(Arc::clone(&self.session)))
    }

    /// Connects anew, after nodes were away.
    pub fn reconnect(&mut self) -> Result<()> {
        let target = target(&self.cluster, self.consistency);
        self.session = Arc::new(self.runtime.block_on(load::connect(&target))?);
        Ok(())
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
        self.servers = watch(&self.cluster);
        self.folders = folders(&self.cluster);
        self.reconnect()
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

fn watch(cluster: &Cluster) -> Servers {
    let watched = cluster.nodes().into_iter().map(|node| Watched {
        name: node.name,
        pid: node.pid,
        gc_log: Some(node.gc_log),
        compactions: None,
    });
    Servers::watch(watched.collect(), Duration::from_secs(1))
}

fn folders(cluster: &Cluster) -> Vec<PathBuf> {
    cluster.nodes().into_iter().flat_map(|node| node.folders).collect()
}

fn table_options(settings: &Settings, engine: Engine) -> String {
    match &settings.compaction {
        Some(class) if !engine.has_plugin() => format!("compaction = {{'class': '{class}'}}"),
        _ => engine.table_options().to_owned(),
    }
}

/// A process that has ended gives its ports back a moment later: the kernel frees its memory first.
pub(super) fn await_free(ports: impl IntoIterator<Item = (IpAddr, u16)>) -> Result<()> {
    let deadline = Instant::now() + PORTS_MAX;
    for port in ports {
        while let Err(error) = TcpListener::bind(port) {
            ensure!(Instant::now() < deadline, "{}:{} cannot be listened on: {error}", port.0, port.1);
            std::thread::sleep(Duration::from_millis(50));
        }
    }
    Ok(())
}

/// Held by a comparison from its beginning to its end: all have their clusters in the same place.
pub fn alone() -> Result<Lock> {
    let file = ClusterSpec::new(NAME, Engine::Stock, 1)?.base.with_extension("lock");
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    lock_file(&file, |holder| format!("another comparison (process {holder}) is running: two disturb each other"))
}

fn spec(settings: &Settings, engine: Engine) -> Result<ClusterSpec> {
    let mut spec = ClusterSpec::new(NAME, engine, settings.nodes)?;
    spec.heap = settings.heap.clone();
    spec.vnodes = settings.vnodes;
    spec.replication_factor = settings.replication_factor;
    if settings.scenario == Scenario::Stream {
        spec.start_limit = START_MAX;
    }
    spec.set = settings.set.clone();
    spec.fast = settings.fast_nodes;
    spec.owner_pid = i32::try_from(std::process::id()).ok();
    spec.cql_port = settings.port;
    spec.storage_port = settings.port + 1;
    spec.jmx_port = settings.port + 2;
    Ok(spec)
}

fn target(cluster: &Cluster, consistency: Consistency) -> Target {
    Target { consistency, ..Target::new(cluster.contact_points()) }
}
