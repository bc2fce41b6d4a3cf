// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Clusters on this machine.

mod nodes;
mod up;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{ensure, Context, Result};
use tokio::runtime::Runtime;

use self::nodes::{Nodes, Volumes};
use super::data::{Data, IN_FLIGHT};
use super::reach::Reach;
use super::{course, Load, Prepared, Target, Told, Warm};
use crate::figures::phase::Course;
use crate::figures::soak::Window;
use crate::file::Reset;
use crate::grid::axes::Scope;
use crate::grid::cell::Cell;
use crate::grid::plan::Plan;
use crate::timeline::Move;
use crate::trials::observed::Observed;
use crate::volumes;
use lab_compare::files::table_bytes;
use lab_compare::phase::Used;
use lab_compare::quiet::until_quiet;
use lab_compare::settled::Rule;
use lab_compare::warmup::{Warmup, WindowMeter};
use lab_load::load::Outcome;
use lab_load::narrator::Narrator;
use lab_load::observe::{Servers, WatchedServer};
use lab_node::cluster::{Cluster, Interrupt};
use lab_node::cpus::Split;

/// The name of its clusters.
pub const NAME: &str = "plan";
/// How long servers may take to become quiet.
const SETTLE_MAX: Duration = Duration::from_secs(600);

/// How clusters are run here.
#[derive(Clone, Debug)]
pub struct Place {
    /// The folder of the cluster.
    pub base: PathBuf,
    /// The folder of the volumes that are made.
    pub volumes: PathBuf,
    /// First CQL port; storage and JMX come after it.
    pub port: u16,
    /// Test mode of the nodes: quick to start, the numbers mean nothing.
    pub fast: bool,
    /// Who has which CPUs.
    pub cpus: Option<Split>,
}

/// Starts the nodes of each cell here.
pub struct Local<'a> {
    plan: &'a Plan,
    place: Place,
    interrupt: Interrupt,
    narrator: &'a Narrator,
    zero: Instant,
    site: Option<Site>,
}

/// A cluster that is up.
struct Site {
    cluster: Cluster,
    servers: Servers,
    runtime: Runtime,
    cell: Cell,
    data: Option<Data>,
}

impl<'a> Local<'a> {
    /// For a plan.
    pub fn new(plan: &'a Plan, place: Place, interrupt: Interrupt, narrator: &'a Narrator) -> Self {
        Self { plan, place, interrupt, narrator, zero: Instant::now(), site: None }
    }

    fn threads(&self) -> usize {
        let own = self.place.cpus.as_ref().map_or(1, |split| split.client.len());
        self.plan.file.client.threads.unwrap_or(own)
    }

    fn quiet(&self, site: &Site, notes: &mut Vec<String>) -> Result<()> {
        if !until_quiet(&site.servers, SETTLE_MAX, &self.interrupt)? {
            notes.push(format!("the servers were not quiet after {} s", SETTLE_MAX.as_secs()));
        }
        Ok(())
    }

    /// Everything anew in the table; why not all of it.
    fn fill(&self, site: &mut Site, cell: &Cell, notes: &mut Vec<String>) -> Result<Option<String>> {
        if let Some(old) = site.data.take() {
            site.runtime.block_on(old.drop_keyspace())?;
            for node in site.cluster.nodes() {
                site.cluster.nodetool(node.number, &["clearsnapshot", "--all"])?;
            }
        }
        let data = Data::make(self.plan, cell, reach(&site.cluster), &site.runtime, &self.interrupt)?;
        self.narrator.doing(&format!("{} partitions are written", data.partitions()));
        let longest = self.plan.file.measure.fill;
        let filled = site.runtime.block_on(data.fill(self.threads(), longest))?;
        self.not_interrupted(&filled)?;
        site.cluster.ensure_all_run()?;
        if let Some(why) = data.why_not_filled(&filled, longest) {
            return Ok(Some(why));
        }
        for node in site.cluster.nodes() {
            site.cluster.nodetool(node.number, &["flush", data.keyspace()])?;
        }
        site.data = Some(data);
        self.narrator.doing("the servers become quiet");
        self.quiet(site, notes).map(|()| None)
    }

    fn warm(&self, site: &Site, mut notes: Vec<String>) -> Result<Warm> {
        let data = site.data.as_ref().context("the cell has no data")?;
        let mut unexplained = 0;
        self.narrator.doing("warm-up");
        let warmup = Warmup::run(Rule::warm_up(self.plan.warmup_max_s()), |seconds| {
            let pids = site.cluster.nodes().into_iter().filter_map(|node| node.pid).collect();
            let meter = WindowMeter::start(site.servers.readings(), pids);
            let load =
                Load { pace: super::Pace::Closed { in_flight: IN_FLIGHT }, length: Duration::from_secs_f64(seconds) };
            let outcome = site.runtime.block_on(data.load(&load, self.threads()))?;
            self.ended_well(site, &outcome, "warm-up")?;
            unexplained += outcome.unexplained();
            Ok(meter.end(&site.servers.readings(), &outcome))
        })?;
        if !warmup.warm {
            notes.push(format!("warm-up: {}", warmup.summary()));
        }
        self.quiet(site, &mut notes)?;
        Ok(Warm { notes, unexplained })
    }

    fn not_interrupted(&self, outcome: &Outcome) -> Result<()> {
        ensure!(!outcome.interrupted && !self.interrupt.is_set(), "interrupted");
        Ok(())
    }

    fn ended_well(&self, site: &Site, outcome: &Outcome, what: &str) -> Result<()> {
        self.not_interrupted(outcome)?;
        site.cluster.ensure_all_run().with_context(|| what.to_owned())
    }

    /// What a node that has ended explains.
    fn explained<T>(&self, done: Result<T>) -> Result<T> {
        match (&done, &self.site) {
            (Err(_), Some(site)) if !self.interrupt.is_set() => {
                site.cluster.ensure_all_run()?;
                done
            }
            _ => done,
        }
    }

    fn prepared(&mut self, cell: &Cell, fresh: bool) -> Result<Prepared> {
        let same = |site: &Site, scope| site.cell.within(scope) == cell.within(scope);
        let keeps = |site: &Site| self.plan.file.reset != Reset::Cluster && same(site, Scope::Cluster);
        if !self.site.as_ref().is_some_and(keeps) {
            self.end()?;
            self.site = Some(self.up(cell)?);
        }
        let mut notes = Vec::new();
        let mut site = self.site.take().context("no cluster is up")?;
        let filled = site.data.is_some() && !fresh && same(&site, Scope::Keyspace);
        let made = if filled {
            let data = site.data.take().context("the cell has no data")?;
            data.again(self.plan, cell, reach(&site.cluster), &site.runtime).map(|data| {
                site.data = Some(data);
                None
            })
        } else {
            self.fill(&mut site, cell, &mut notes)
        };
        site.cell = cell.clone();
        let warmed = made.and_then(|why| match why {
            Some(why) => Ok(Prepared::NotFilled(why)),
            None => self.warm(&site, notes).map(Prepared::Ready),
        });
        self.site = Some(site);
        if let Ok(Prepared::NotFilled(_)) = warmed {
            // What could not be filled does not serve another cell.
            self.end()?;
        }
        warmed
    }

    fn loaded(&self, load: &Load) -> Result<Observed> {
        let site = self.site()?;
        let data = site.data.as_ref().context("the cell has no data")?;
        let outcome = site.runtime.block_on(data.load(load, self.threads()))?;
        self.ended_well(site, &outcome, "load")?;
        self.quiet(site, &mut Vec::new())?;
        Observed::of(&outcome)
    }

    fn read(&self) -> Result<Option<Observed>> {
        let site = self.site()?;
        let data = site.data.as_ref().context("the cell has no data")?;
        self.narrator.doing("a sample is read back at ALL");
        let read = site.runtime.block_on(data.read_back(self.threads()))?;
        match read {
            Some(outcome) => {
                self.ended_well(site, &outcome, "read back")?;
                Observed::of(&outcome).map(Some)
            }
            None => Ok(None),
        }
    }

    /// Runs an open loop until a timeline is over, and for a length at least.
    fn acted(&mut self, per_s: f64, timeline: &[Move], at_least: Duration, told: &mut Told<'_>) -> Result<Course> {
        let threads = self.threads();
        let site = self.site()?;
        let (data, log) = self.volumes_of(&site.cell, site.cluster.nodes().into_iter().map(|node| node.number))?;
        let site = self.site.as_mut().context("no cluster is up")?;
        let table = site.data.as_ref().context("the cell has no data")?;
        let cpus = self.place.cpus.as_ref().map(|split| split.servers.clone());
        let mut nodes = Nodes::new(&mut site.cluster, table.keyspace(), Volumes { data, log, cpus }, timeline)?;
        let actor = course::Actor::new(per_s, &mut nodes, &self.interrupt, self.narrator, told)
            .for_at_least(at_least)
            .judged_by(table.levels());
        course::run(actor, timeline, |rate, end, listener| {
            site.runtime.block_on(table.until(per_s, rate, threads, end, listener))
        })
    }

    fn site(&self) -> Result<&Site> {
        self.site.as_ref().context("no cluster is up")
    }
}

impl Target for Local<'_> {
    fn prepare(&mut self, cell: &Cell, _trial: usize, fresh: bool) -> Result<Prepared> {
        let done = self.prepared(cell, fresh);
        self.explained(done)
    }

    fn load(&mut self, load: &Load) -> Result<Observed> {
        self.explained(self.loaded(load))
    }

    fn window(&mut self, per_s: f64, length: Duration, upkeep: &[Move]) -> Result<Window> {
        let before = self.site()?.servers.readings();
        let course = self.acted(per_s, upkeep, length, &mut |_| Ok(()))?;
        let site = self.site()?;
        let after = site.servers.readings();
        site.cluster.ensure_all_run().context("soak")?;
        let used = Used::between(&before, &after);
        Ok(Window {
            observed: course.whole,
            moved: course.moved,
            cpu_s: used.cpu_s,
            pause_s: used.pause_s,
            memory_bytes: after.iter().map(|reading| reading.process.resident_bytes).sum(),
            stored_bytes: self.stored_bytes(),
            ..Window::default()
        })
    }

    fn course(&mut self, per_s: f64, timeline: &[Move], told: &mut Told<'_>) -> Result<Course> {
        self.acted(per_s, timeline, Duration::ZERO, told)
    }

    fn read_back(&mut self) -> Result<Option<Observed>> {
        self.explained(self.read())
    }

    fn stored_bytes(&mut self) -> Option<u64> {
        let site = self.site.as_ref()?;
        let folders: Vec<PathBuf> = site.cluster.nodes().into_iter().flat_map(|node| node.folders).collect();
        Some(table_bytes(&folders, site.data.as_ref()?.keyspace()))
    }

    fn end(&mut self) -> Result<()> {
        if let Some(site) = self.site.take() {
            drop(site.servers.stop());
            drop(site.data);
            site.runtime.shutdown_background();
            volumes::lift(&self.place.volumes)?;
            site.cluster.delete()?;
        }
        Ok(())
    }

    fn now(&self) -> Duration {
        self.zero.elapsed()
    }
}

impl Drop for Local<'_> {
    /// After an error: nothing stays behind.
    fn drop(&mut self) {
        if let Err(error) = self.end() {
            self.narrator.say(&format!("cassiterite: what is left of the cluster: {error:#}"));
        }
        for gone in [remove(&self.place.base), volumes::remove(&self.place.volumes)] {
            if let Err(error) = gone {
                self.narrator.say(&format!("cassiterite: {error:#}"));
            }
        }
    }
}

/// Ends and deletes the cluster of a folder, if there is one.
pub fn remove(base: &Path) -> Result<()> {
    if Cluster::is_in(base) {
        let cluster = Cluster::open(base).with_context(|| format!("the cluster in {}", base.display()))?;
        cluster.delete().with_context(|| format!("the cluster in {}", base.display()))?;
    }
    if base.exists() {
        std::fs::remove_dir_all(base).with_context(|| format!("cannot delete {}", base.display()))?;
    }
    Ok(())
}

fn reach(cluster: &Cluster) -> Reach {
    Reach::of(cluster.contact_points(), "datacenter1")
}

fn watch(cluster: &Cluster) -> Servers {
    let watched = cluster.nodes().into_iter().map(|node| WatchedServer {
        name: node.name,
        pid: node.pid,
        gc_log: Some(node.gc_log),
        compactions: None,
    });
    Servers::watch(watched.collect(), Duration::from_secs(1))
}
