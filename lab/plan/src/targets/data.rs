// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The keyspace of a cell: its table, its session, and what was acknowledged in it.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{ensure, Context, Result};
use scylla::client::session::Session;
use scylla::statement::Consistency;
use serde_json::Value;
use tokio::runtime::Runtime;

use super::course::Listener;
use super::reach::Reach;
use super::{Load, Pace as Asked};
use crate::file::Client;
use crate::grid::cell::Cell;
use crate::grid::plan::Plan;
use crate::grid::workload::CellWorkload;
use crate::quantity::Time;
use crate::words::label;
use lab_load::check::{Before, Ledger, Levels};
use lab_load::load::{self, Changes, LoadSpec, Outcome, Pace, Position, Signal, Stop, Workload};
use lab_load::profile::{Distribution, InsertSpec, Mix, Options, Population, Schema, UserWorkload};
use lab_node::cluster::{Engine, Interrupt};

/// A closed loop's operations in flight where nothing says otherwise.
pub const IN_FLIGHT: usize = 32;
/// An open loop is not bounded by its own operations in flight.
const IN_FLIGHT_OPEN: usize = 1024;
/// Operations that are read back.
const READ_BACK: u64 = 2_000;

/// A cell's data.
pub struct Data {
    reach: Reach,
    cell: CellWorkload,
    workload: Arc<UserWorkload>,
    fill: Arc<UserWorkload>,
    session: Arc<Session>,
    ledger: Arc<Ledger>,
    levels: Arc<Levels>,
    partitions: u64,
    in_flight: Option<usize>,
    /// In `workload`.
    position: Position,
    client: Client,
    interrupt: Interrupt,
}

/// Whether a signal has come is asked so often.
const LOOK_EVERY: Duration = Duration::from_millis(200);

impl Data {
    /// Makes keyspace and table anew.
    pub fn make(plan: &Plan, cell: &Cell, reach: Reach, runtime: &Runtime, interrupt: &Interrupt) -> Result<Self> {
        let of_cell = CellWorkload::of(&plan.file, &plan.profile, cell)?;
        let partitions = plan.file.workload.rows_per_node.0 * u64::from(cell.nodes()?);
        let client = plan.file.client.clone();
        runtime.block_on(async {
            let session = Arc::new(reach.connect(cell, &client, of_cell.level).await?);
            let schema = Schema::of(&of_cell.profile);
            reach.drop_keyspace(&session, schema.keyspace()).await?;
            let replication = replication(cell, &reach.datacenter)?;
            // Marked at once: a keyspace without its mark is nobody's, and would stay.
            schema.create_keyspace(&session, &replication).await?;
            reach.mark(&session, schema.keyspace()).await?;
            let (own, keyspace) = (reach.clone(), schema.keyspace().to_owned());
            let made = async {
                schema.create(&session, Some(&replication), &table_options(cell)?).await?;
                let shape = UserWorkload::ledger_shape(&session, &of_cell.profile, &once(partitions)).await?;
                let ledger = Arc::new(Ledger::new(shape, Before::Absent));
                Self::on(reach, Arc::clone(&session), ledger, of_cell, cell, client, partitions, interrupt.clone())
                    .await
            };
            let made = made.await;
            if made.is_err() {
                own.give_up(&session, &keyspace).await;
            }
            made
        })
    }

    /// The same data, asked as another cell asks.
    pub fn again(self, plan: &Plan, cell: &Cell, reach: Reach, runtime: &Runtime) -> Result<Self> {
        let of_cell = CellWorkload::of(&plan.file, &plan.profile, cell)?;
        runtime.block_on(async {
            let session = Arc::new(reach.connect(cell, &self.client, of_cell.level).await?);
            let again =
                Self::on(reach, session, self.ledger, of_cell, cell, self.client, self.partitions, self.interrupt);
            let mut again = again.await?;
            // What the cell before wrote is there at the levels of that one.
            again.levels = Arc::new(again.cell.levels().after(&self.levels));
            again.position = self.position;
            Ok(again)
        })
    }

    #[allow(clippy::too_many_arguments)]
    async fn on(
        reach: Reach,
        session: Arc<Session>,
        ledger: Arc<Ledger>,
        of_cell: CellWorkload,
        cell: &Cell,
        client: Client,
        partitions: u64,
        interrupt: Interrupt,
    ) -> Result<Self> {
        let mut options = Options::new(of_cell.mix.clone(), any(partitions));
        options.ledger = Some(Arc::clone(&ledger));
        let workload = UserWorkload::prepare(&session, &of_cell.profile, options).await?;
        let mut filling = Options::new(Mix::only(of_cell.profile.insert_name()), once(partitions));
        filling.ledger = Some(Arc::clone(&ledger));
        filling.insert = whole_partitions()?;
        let fill = UserWorkload::prepare(&session, &of_cell.profile, filling).await?;
        Ok(Self {
            reach,
            levels: Arc::new(of_cell.levels()),
            workload: Arc::new(workload),
            fill: Arc::new(fill),
            in_flight: cell
                .settings()
                .get("in_flight")
                .map(|_| cell.whole("in_flight", 1))
                .transpose()?
                .map(|n| n as usize),
            cell: of_cell,
            session,
            ledger,
            partitions,
            position: Position::default(),
            client,
            interrupt,
        })
    }

    /// Which wrong answers the levels of all that was written allow.
    pub fn levels(&self) -> Arc<Levels> {
        Arc::clone(&self.levels)
    }

    /// Partitions.
    pub fn partitions(&self) -> u64 {
        self.partitions
    }

    /// Name of the keyspace.
    pub fn keyspace(&self) -> &str {
        &self.cell.profile.keyspace
    }

    /// Writes every partition once, as fast as it goes, for `longest` at most; [`Data::why_not_filled`] tells whether all are there.
    pub async fn fill(&self, threads: usize, longest: Time) -> Result<Outcome> {
        let stop = Stop::Duration(longest.0);
        let spec = LoadSpec { in_flight: 2 * IN_FLIGHT, ..self.spec(threads, self.closed(), stop) };
        self.run(&self.session, Arc::clone(&self.fill) as Arc<dyn Workload>, spec).await
    }

    /// What a fill left out; `None`: it has written every partition.
    pub fn why_not_filled(&self, outcome: &Outcome, longest: Time) -> Option<String> {
        let failed: u64 = outcome.tallies.iter().map(|tally| tally.errors).sum();
        let written: u64 = outcome.tallies.iter().map(|tally| tally.operations).sum();
        let first = outcome.first_errors.first().map(|(error, _)| error.as_str()).unwrap_or_default();
        let all = self.partitions;
        if failed > 0 {
            return Some(format!("{failed} of {all} partitions could not be written: {first}"));
        }
        let late = || format!("{written} of {all} partitions were written in {longest}; `measure.fill` allows more");
        (written < all).then(late)
    }

    /// Runs a load.
    pub async fn load(&self, load: &Load, threads: usize) -> Result<Outcome> {
        let stop = Stop::Duration(load.length);
        let spec = match load.pace {
            Asked::Open { per_s } => {
                let in_flight = self.in_flight.unwrap_or(IN_FLIGHT_OPEN);
                LoadSpec { in_flight, ..self.spec(threads, self.open(per_s)?, stop) }
            }
            Asked::Closed { in_flight } => LoadSpec { in_flight, ..self.spec(threads, self.closed(), stop) },
        };
        self.go_on(spec, &mut |_| ()).await
    }

    /// Runs an open loop, whose rate others change, until `end` is raised.
    pub async fn until(
        &self,
        per_s: f64,
        changes: Changes,
        threads: usize,
        end: Signal,
        listener: Listener<'_>,
    ) -> Result<Outcome> {
        let in_flight = self.in_flight.unwrap_or(IN_FLIGHT_OPEN);
        let spec = self.spec(threads, self.open(per_s)?, Stop::WorkloadEnds);
        let spec = LoadSpec { in_flight, end, changes: Some(changes), ..spec };
        self.go_on(spec, listener).await
    }

    /// Reads a sample at ALL by the first query of the mix whose answers are checked; `None` where there is none.
    pub async fn read_back(&self, threads: usize) -> Result<Option<Outcome>> {
        let unchecked = self.workload.unchecked();
        let is_checked = |name: &&str| !unchecked.iter().any(|other| other == name);
        let Some(query) = self.cell.reads().into_iter().find(is_checked) else { return Ok(None) };
        let session = Arc::new(self.reach.session(1, &self.client, Consistency::All).await?);
        let profile = self.cell.profile_asking_at(query, Consistency::All)?;
        let mut options = Options::new(Mix::only(query), any(self.partitions));
        options.ledger = Some(Arc::clone(&self.ledger));
        let workload = UserWorkload::prepare(&session, &profile, options).await?;
        let mut spec = self.spec(threads, self.closed(), Stop::Count(READ_BACK));
        spec.levels = Some(Arc::new(self.levels.reading_at(Consistency::All)));
        self.run(&session, Arc::new(workload), spec).await.map(Some)
    }

    /// Drops the keyspace.
    pub async fn drop_keyspace(self) -> Result<()> {
        self.reach.drop_keyspace(&self.session, &self.cell.profile.keyspace).await
    }

    fn closed(&self) -> Pace {
        self.reach.ceiling_per_s.map_or(Pace::Closed, |per_s| Pace::Limited { per_s })
    }

    fn open(&self, per_s: f64) -> Result<Pace> {
        let within = self.reach.ceiling_per_s.is_none_or(|ceiling_per_s| per_s <= ceiling_per_s);
        ensure!(within, "target.ceiling: {per_s:.0}/s is more than the cluster may get");
        Ok(Pace::Open { per_s })
    }

    fn spec(&self, threads: usize, pace: Pace, stop: Stop) -> LoadSpec {
        let mut spec = LoadSpec {
            pace,
            threads,
            stop,
            in_flight: self.in_flight.unwrap_or(IN_FLIGHT),
            levels: Some(Arc::clone(&self.levels)),
            ..LoadSpec::default()
        };
        // Errors are figures here.
        spec.limits.error_share = 1.0;
        if !matches!(pace, Pace::Open { .. }) {
            // It fills the machine by design: waiting for a core slows it, it falsifies nothing.
            spec.limits.run_queue_share = f64::INFINITY;
        }
        spec
    }

    /// Runs the workload where its last load ended.
    async fn go_on(&self, spec: LoadSpec, listener: Listener<'_>) -> Result<Outcome> {
        let spec = LoadSpec { position: self.position.clone(), ..spec };
        self.run_telling(&self.session, Arc::clone(&self.workload) as Arc<dyn Workload>, spec, listener).await
    }

    async fn run(&self, session: &Arc<Session>, workload: Arc<dyn Workload>, spec: LoadSpec) -> Result<Outcome> {
        self.run_telling(session, workload, spec, &mut |_| ()).await
    }

    async fn run_telling(
        &self,
        session: &Arc<Session>,
        workload: Arc<dyn Workload>,
        spec: LoadSpec,
        listener: Listener<'_>,
    ) -> Result<Outcome> {
        let (halt, interrupt) = (spec.halt.clone(), self.interrupt.clone());
        let looking = tokio::spawn(async move {
            while !interrupt.is_set() {
                tokio::time::sleep(LOOK_EVERY).await;
            }
            halt.raise();
        });
        let outcome = load::run(Arc::clone(session), workload, spec, listener).await;
        looking.abort();
        outcome
    }
}

fn replication(cell: &Cell, datacenter: &str) -> Result<String> {
    Ok(format!("{{'class': 'NetworkTopologyStrategy', '{datacenter}': {}}}", cell.replication_factor()?))
}

/// The engine's options; the cell's compaction and compression go before.
fn table_options(cell: &Cell) -> Result<String> {
    let engine = cell.engine()?;
    let mut options: Vec<String> = Vec::new();
    let compaction = cell.settings().get("compaction");
    match compaction {
        Some(value) => {
            options.push(format!("compaction = {}", class_map(value)?));
            if engine.has_plugin() {
                options.push(Engine::Cassiterite.table_options().to_owned());
            }
        }
        None => options.extend(Some(engine.table_options().to_owned()).filter(|options| !options.is_empty())),
    }
    if let Some(value) = cell.settings().get("compression") {
        let none = value.as_str().is_some_and(|text| text.eq_ignore_ascii_case("none"));
        let map = if none { "{'enabled': 'false'}".to_owned() } else { class_map(value)? };
        options.push(format!("compression = {map}"));
    }
    Ok(options.join(" AND "))
}

/// A class, or a map, as CQL writes it.
fn class_map(value: &Value) -> Result<String> {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    match value {
        Value::String(class) => Ok(format!("{{'class': {}}}", quoted(class))),
        Value::Object(map) => {
            let entries = map.iter().map(|(key, value)| format!("{}: {}", quoted(key), quoted(&label(value))));
            Ok(format!("{{{}}}", entries.collect::<Vec<_>>().join(", ")))
        }
        other => anyhow::bail!("{other}: a class, or a map as in CQL, is expected"),
    }
}

/// A fill leaves no row out, whatever part of a partition an insert of the workload selects.
fn whole_partitions() -> Result<InsertSpec> {
    let mut spec = InsertSpec::default();
    spec.set("select", "fixed(1)/1").context("select")?;
    spec.set("visits", "fixed(1)").context("visits")?;
    Ok(spec)
}

fn once(partitions: u64) -> Population {
    Population::Sequence { first: 1, last: partitions.max(1), wraps: false, lookback: None }
}

fn any(partitions: u64) -> Population {
    Population::Spread(Distribution::uniform(1, i64::try_from(partitions.max(1)).unwrap_or(i64::MAX)))
}
