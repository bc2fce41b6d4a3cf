// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Runs the command from its settings to its reports.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::Result;
use scylla::client::session::Session;

use super::capacity;
use super::console::Console;
use super::files;
use super::local;
use super::measure::{Measured, Measurement};
use super::reach::{levels, target};
use super::settings::{Capacity, Command, Rate, Settings, Stop, Truncate};
use super::task::{PreparedTask, Task};
use crate::load::{connect, runtime};
use crate::observe::{text_hash, CompactionPoller, Environment, Servers, WatchedServer};
use crate::report::Run;
use lab_node::cluster::Home;

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
pub(super) struct Stress<'a> {
    pub(super) settings: &'a Settings,
    pub(super) task: Task,
    pub(super) session: Arc<Session>,
    pub(super) threads: usize,
    pub(super) console: Console,
}

impl Stress<'_> {
    async fn run(mut self) -> Result<ExitCode> {
        let reads_only = matches!(self.settings.work.command, Command::Read | Command::CounterRead);
        if !reads_only {
            self.task.create(&self.session).await?;
        }
        self.task.ensure_options(&self.session).await?;
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
        self.console.print(run.verdict().last_line());
        if let Some(failure) = failure {
            eprintln!("cassiterite: {failure}");
        }
        Ok(ExitCode::from(run.verdict().exit_code()))
    }

    pub(super) async fn once(
        &mut self,
        ready: &PreparedTask,
        servers: &Servers,
        environment: &Environment,
        rate: Rate,
    ) -> Result<Measured> {
        let levels = Arc::new(levels(self.settings, &self.task, &self.session));
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
        let (session, threads, levels) =
            (Arc::clone(&self.session), self.threads, Arc::new(levels(self.settings, &self.task, &self.session)));
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

    pub(super) async fn truncate(&mut self) -> Result<()> {
        self.task.truncate(&self.session).await?;
        self.console.print(&format!("Truncated {}.", self.task.table()));
        Ok(())
    }

    pub(super) fn addresses(&self) -> Vec<SocketAddr> {
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
}

/// Half of the machine at most, as the servers may be on it; one thread is good for tens of thousands of operations a second.
fn client_threads() -> usize {
    std::thread::available_parallelism().map_or(1, |cpus| (cpus.get() / 2).clamp(1, 8))
}
