// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Runs the command from its settings to its reports.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use scylla::client::session::Session;
use scylla::cluster::metadata::Strategy;

use super::capacity;
use super::console::Console;
use super::files;
use super::local;
use super::measure::{Measured, Measurement};
use super::settings::{Capacity, Command, Rate, Settings, Stop, Truncate};
use super::task::{PreparedTask, Task};
use crate::check::{Levels, Replication};
use crate::cluster::Home;
use crate::load::{connect, runtime, Target, TlsFiles, Workload};
use crate::observe::{text_hash, CompactionPoller, Environment, Servers, WatchedServer};
use crate::report::Run;

/// Growth of threads below and above this number, as in cassandra-stress (`StressAction.runMulti`).
const FEW_THREADS: usize = 16;
/// Between the runs of a sweep that writes, so that what the last one left behind is not the next one's burden.
const REST: Duration = Duration::from_secs(15);

/// Does what the settings say; the exit code follows the run's standing.
pub fn stress(settings: &Settings) -> Result<ExitCode> {
    let task = Task::new(settings)?;
    if settings.draw {
        print!("{}", task.draw()?);
        return Ok(ExitCode::SUCCESS);
    }
    files::ensure_writable(&settings.output)?;
    let threads = settings.connection.client_threads.unwrap_or_else(client_threads);
    runtime(threads)?.block_on(async {
        let session = Arc::new(connect(&target(settings)?).await?);
        Stress { settings, task, session, threads, console: Console::new(settings.output.file.as_deref())? }.run().await
    })
}

/// A connected run.
struct Stress<'a> {
    settings: &'a Settings,
    task: Task,
    session: Arc<Session>,
    threads: usize,
    console: Console,
}

impl Stress<'_> {
    async fn run(mut self) -> Result<ExitCode> {
        let reads_only = matches!(self.settings.work.command, Command::Read | Command::CounterRead);
        if !reads_only {
            self.task.create(&self.session).await?;
        }
        if self.settings.work.stop == Stop::Count(0) {
            self.console.print("N=0: SCHEMA CREATED, NOTHING ELSE DONE.");
            return Ok(ExitCode::SUCCESS);
        }
        if self.settings.work.truncate != Truncate::Never {
            self.truncate().await?;
        }
        let ready = self.task.prepare(&self.session, self.settings.work.truncate != Truncate::Never).await?;
        let (addresses, every) = (self.addresses(), self.settings.output.interval.max(Duration::from_millis(500)));
        let poller = CompactionPoller::begin(&self.session, &addresses, every);
        let mut watched = local::servers(&addresses);
        for (server, compactions) in watched.iter_mut().zip(poller.servers()) {
            server.compactions = Some(Arc::clone(compactions));
        }
        let environment = self.environment(&watched).await?;
        self.print_settings(&ready, &environment);
        let servers = Servers::watch(watched, every);
        if let Some(capacity) = &self.settings.capacity {
            return self.capacity(&ready, &servers, &environment, capacity);
        }
        let runs = match self.settings.rate {
            Rate::Sweep { from, to, auto } => self.sweep(&ready, &servers, &environment, from, to, auto).await?,
            _ => vec![self.once(&ready, &servers, &environment, self.settings.rate).await?.run],
        };
        files::write(self.settings, &runs)?;
        let Some(run) = files::deciding_run(&runs) else { return Ok(ExitCode::SUCCESS) };
        let failure = run.failure();
        self.console.print(if failure.is_none() { "END" } else { "FAILURE" });
        if let Some(failure) = failure {
            eprintln!("cassiterite: {failure}");
        }
        Ok(ExitCode::from(run.verdict().exit_code()))
    }

    async fn once(
        &mut self,
        ready: &PreparedTask,
        servers: &Servers,
        environment: &Environment,
        rate: Rate,
    ) -> Result<Measured> {
        let levels = Arc::new(self.levels());
        let measurement = Measurement {
            settings: self.settings,
            session: &self.session,
            ready,
            servers,
            environment,
            rate,
            threads: self.threads,
            levels,
            engine: self.settings.engine.map(|engine| engine.to_string()),
        };
        measurement.take(&mut self.console, SystemTime::now()).await
    }

    /// One run after the other, each at another rate. Of the runs, the reports keep the fastest that held.
    fn capacity(
        &mut self,
        ready: &PreparedTask,
        servers: &Servers,
        environment: &Environment,
        capacity: &Capacity,
    ) -> Result<ExitCode> {
        let (session, threads, levels) = (Arc::clone(&self.session), self.threads, Arc::new(self.levels()));
        let (engine, console) = (self.settings.engine.map(|engine| engine.to_string()), &mut self.console);
        let searched = capacity::look(self.settings, capacity, |settings, per_s| {
            let rate = Rate::Open { per_s, threads: None };
            let (levels, engine) = (Arc::clone(&levels), engine.clone());
            let measurement =
                Measurement { settings, session: &session, ready, servers, environment, rate, threads, levels, engine };
            let taken = measurement.take(console, SystemTime::now());
            let measured = tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(taken))?;
            anyhow::ensure!(!measured.interrupted, "interrupted");
            console.print(&capacity::line(&measured.run));
            Ok(measured.run)
        })?;
        let found = &searched.found;
        console.print(&capacity::answer(capacity, found));
        let wrong: u64 = searched.runs.iter().map(Run::unexplained_faults).sum();
        let held = |run: &&Run| run.rate_per_s == found.holds_per_s && run.slas.iter().all(|sla| sla.met);
        let kept = searched.runs.iter().rev().find(held).or(searched.runs.last()).cloned();
        files::write(self.settings, &kept.into_iter().collect::<Vec<_>>())?;
        if wrong > 0 {
            eprintln!("cassiterite: {wrong} wrong rows that the consistency levels do not explain");
        }
        let doubtful = wrong > 0 || !found.confirmed || found.client_limited;
        Ok(ExitCode::from(if doubtful { 2 } else { u8::from(found.holds_per_s.is_none()) }))
    }

    /// One run after the other, each with more threads.
    async fn sweep(
        &mut self,
        ready: &PreparedTask,
        servers: &Servers,
        environment: &Environment,
        from: usize,
        to: usize,
        auto: bool,
    ) -> Result<Vec<Run>> {
        if matches!(self.settings.work.stop, Stop::Uncertainty { .. }) {
            self.console
                .print("WARNING: err< ends each run at another number of operations; use it for a first look only");
        }
        let (mut runs, mut threads, mut emptied) = (Vec::<Measured>::new(), from, None);
        loop {
            self.console.print(&format!("\nRunning with {threads} threadCount"));
            if self.settings.work.truncate == Truncate::Always && !runs.is_empty() {
                self.truncate().await?;
                // Another ledger: what was acknowledged is gone.
                emptied = Some(self.task.prepare(&self.session, true).await?);
            }
            let ready = emptied.as_ref().unwrap_or(ready);
            let mut measured = self.once(ready, servers, environment, Rate::Closed { threads }).await?;
            measured.run.name = format!("{threads} threads");
            runs.push(measured);
            if let [.., before, now] = &runs[..] {
                let better = 100.0 * (now.run.operations_per_s() / before.run.operations_per_s() - 1.0);
                self.console.print(&format!("Improvement over {} threadCount: {better:.0}%", before.run.in_flight));
            }
            threads = if threads < FEW_THREADS { threads * 2 } else { threads * 3 / 2 };
            let interrupted = runs.last().is_some_and(|measured| measured.interrupted);
            if interrupted || threads > to || (auto && is_saturated(&runs)) {
                break;
            }
            if self.settings.work.writes() {
                self.console.print(&format!("Sleeping for {}s", REST.as_secs()));
                tokio::time::sleep(REST).await;
            }
        }
        self.console.print(&files::sweep_table(&runs));
        Ok(runs.into_iter().map(|measured| measured.run).collect())
    }

    async fn truncate(&mut self) -> Result<()> {
        self.task.truncate(&self.session).await?;
        self.console.print(&format!("Truncated {}.", self.task.table()));
        Ok(())
    }

    fn addresses(&self) -> Vec<SocketAddr> {
        let state = self.session.get_cluster_state();
        let mut addresses: Vec<_> =
            state.get_nodes_info().iter().map(|node| SocketAddr::new(node.address.ip(), node.address.port())).collect();
        addresses.sort();
        addresses
    }

    async fn environment(&self, watched: &[WatchedServer]) -> Result<Environment> {
        let home = Home::find().ok().map(|home| home.join(""));
        let mut environment = Environment::now(home.as_deref());
        let asked = self.session.query_unpaged("SELECT release_version FROM system.local", ()).await?;
        environment.software.cassandra = Some(asked.into_rows_result()?.single_row::<(String,)>()?.0);
        environment.add(text_hash("command", &environment.command));
        if let Some(file) = &self.task.profile_file {
            environment.add_file("profile", file);
        }
        local::add_configuration(&mut environment, watched);
        Ok(environment)
    }

    /// The faults that the consistency level can explain, given the keyspace's replication.
    fn levels(&self) -> Levels {
        let level = self.settings.work.consistency;
        let state = self.session.get_cluster_state();
        // Without a word of where the client is, each operation may be at home in another datacenter.
        let datacenters: BTreeSet<_> =
            state.get_nodes_info().iter().filter_map(|node| node.datacenter.as_ref()).collect();
        let only = || datacenters.first().filter(|_| datacenters.len() == 1).map(|name| (*name).clone());
        let here = self.settings.connection.datacenter.clone().or_else(only);
        let replication = match state.get_keyspace(&self.task.profile.keyspace).map(|keyspace| &keyspace.strategy) {
            Some(Strategy::SimpleStrategy { replication_factor }) => {
                Replication::one_datacenter(*replication_factor as u32)
            }
            Some(Strategy::NetworkTopologyStrategy { datacenter_repfactors }) => {
                let is_here = |name: &str| here.as_deref() == Some(name);
                let factor = |wanted: bool| {
                    datacenter_repfactors
                        .iter()
                        .filter(move |(name, _)| is_here(name) == wanted)
                        .map(|(_, n)| *n as u32)
                };
                Replication { local: factor(true).sum(), others: factor(false).collect() }
            }
            _ => Replication::one_datacenter(1),
        };
        let mut writes = self.task.write_levels().map(|own| own.unwrap_or(level));
        let first = writes.next().unwrap_or(level);
        writes.fold(Levels::new(level, first, replication), Levels::and_writes_at)
    }

    fn print_settings(&mut self, ready: &PreparedTask, environment: &Environment) {
        if !self.settings.output.settings {
            return;
        }
        let cassandra = environment.software.cassandra.as_deref().unwrap_or("?");
        let kinds: Vec<_> = ready.workload.kinds().iter().map(|kind| kind.name.as_str()).collect();
        let checked = match (&ready.ledger, ready.unchecked.is_empty()) {
            (Some(_), true) => "yes".to_owned(),
            (Some(_), false) => format!("yes, but not: {}", ready.unchecked.join("; ")),
            (None, _) => format!("no: {}", ready.unchecked.join("; ")),
        };
        self.console.print("******************** Stress Settings ********************");
        for (name, value) in [
            ("Command", environment.command.clone()),
            ("Operations", kinds.join(", ")),
            ("Table", self.task.table()),
            ("Servers", format!("{} (Cassandra {cassandra})", self.addresses().len())),
            ("Consistency level", self.settings.work.level_name().to_owned()),
            ("Rate", self.settings.rate.label()),
            ("Reads checked", checked),
        ] {
            self.console.print(&format!("  {name}: {value}"));
        }
        self.console.print("");
    }
}

/// Three and five runs on end without an improvement, by cassandra-stress's own rule (`StressAction.runMulti`).
fn is_saturated(runs: &[Measured]) -> bool {
    let improvement = |count: usize| {
        let steps = runs.windows(2).rev().take(count);
        let rates = steps.map(|pair| pair[1].run.operations_per_s() / pair[0].run.operations_per_s() - 1.0);
        rates.sum::<f64>() / count as f64
    };
    [3, 5].into_iter().any(|count| runs.len() > count && improvement(count) <= 0.0)
}

/// Half of the machine at most, as the servers may be on it; one thread is good for tens of thousands of operations a second.
fn client_threads() -> usize {
    std::thread::available_parallelism().map_or(1, |cpus| (cpus.get() / 2).clamp(1, 8))
}

fn target(settings: &Settings) -> Result<Target> {
    let connection = &settings.connection;
    let (username, password) = connection.credentials.clone().unzip();
    let tls = match (&connection.trusted, &connection.identity) {
        (None, None) => None,
        (trusted, identity) => Some(TlsFiles {
            ca: trusted.clone().context("-transport: truststore= is missing")?,
            certificate: identity.clone(),
            key: identity.clone(),
            check_hostname: false,
        }),
    };
    let usual = Target::default();
    Ok(Target {
        contact_points: connection.contact_points.clone(),
        username,
        password,
        tls,
        consistency: settings.work.consistency,
        serial_consistency: settings.work.serial_consistency,
        local_datacenter: connection.datacenter.clone(),
        compression: connection.compression,
        connections_per_node: connection.connections_per_node,
        request_timeout: connection.request_timeout.unwrap_or(usual.request_timeout),
        connect_timeout: connection.connect_timeout.unwrap_or(usual.connect_timeout),
        translation: connection.translation.clone(),
    })
}
