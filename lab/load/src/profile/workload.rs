// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A profile as a workload that the load runs.

use std::sync::Arc;

use anyhow::{ensure, Context, Result};
use scylla::client::session::Session;

use crate::check::{Ledger, Shape};
use crate::load::{Class, Kind, Operation, Workload};

use super::column::{Definition, Role};
use super::conditions::Conditions;
use super::core::{ledger_shape, Core, Revisit};
use super::definition::in_key_order;
use super::distribution::Distribution;
use super::insert::{Insert, InsertOperation};
use super::insert_spec::InsertSpec;
use super::mix::Mix;
use super::population::Population;
use super::profile::Profile;
use super::query::{Query, QueryOperation};
use super::scan::{Scan, ScanOperation};
use super::schedule::Schedule;
use super::schema::Schema;
use super::seed::{join, of_bytes};
use super::table::Table;
use super::types::TypeOf;
use super::verify::ROWS_MAX;
use super::written_prefix::WrittenPrefix;

/// The options of a workload.
#[derive(Clone, Debug)]
pub struct Options {
    /// Operations and their weights: `insert` and names of queries.
    pub ops: Mix,
    /// Partitions.
    pub population: Population,
    /// Settings of inserts that go before the profile's.
    pub insert: InsertSpec,
    /// Equal seeds give equal runs. Rows do not depend on it.
    pub seed: u64,
    /// Where writes are remembered and reads compared; `None` leaves reads unchecked and all rows at version 0.
    pub ledger: Option<Arc<Ledger>>,
}

impl Options {
    /// These operations on these partitions, and defaults for the rest.
    pub fn new(ops: Mix, population: Population) -> Self {
        Self { ops, population, insert: InsertSpec::default(), seed: 1, ledger: None }
    }
}

#[derive(Clone, Debug)]
enum Action {
    Insert(Arc<Insert>),
    Query(Arc<Query>),
    Scan(Arc<Scan>),
}

/// A profile's operations in the proportions of a mix, over a population.
#[derive(Debug)]
pub struct UserWorkload {
    core: Arc<Core>,
    kinds: Vec<Kind>,
    actions: Vec<Action>,
    schedule: Schedule,
    unchecked: Vec<String>,
}

impl UserWorkload {
    /// The shape of a ledger for a population of the profile's table, which is on the cluster.
    pub async fn ledger_shape(session: &Session, profile: &Profile, population: &Population) -> Result<Shape> {
        let columns = columns_of(session, profile).await?;
        let table = Table::new(&columns, &profile.columnspec, profile.insert.row_population())?;
        Ok(ledger_shape(&table, population))
    }

    /// Prepares the statements on the cluster, where the profile's schema must be. Sets the session's keyspace.
    pub async fn prepare(session: &Session, profile: &Profile, options: Options) -> Result<Self> {
        let schema = Schema::of(profile);
        schema.enter(session).await?;
        let spec = options.insert.clone().or(&profile.insert);
        let core = Arc::new(core(columns_of(session, profile).await?, profile, &spec, &options)?);
        if options.ledger.is_some() {
            ensure_rows_last(session, profile).await?;
        }
        let (mut kinds, mut actions, mut unchecked) = (Vec::new(), Vec::new(), Vec::new());
        for (name, _) in options.ops.weights() {
            let (class, action) = prepare_action(session, &core, profile, &schema, &spec, name).await?;
            if matches!(&action, Action::Scan(_)) || matches!(&action, Action::Query(query) if !query.is_checked()) {
                unchecked.push(name.clone());
            }
            kinds.push(Kind { name: name.clone(), class });
            actions.push(action);
        }
        if options.ledger.is_none() {
            unchecked.clear();
        }
        let writes_only = core.written.is_some();
        let partitions = |kind: usize| match &actions[kind] {
            Action::Insert(_) => spec.partitions(),
            Action::Query(_) if !writes_only => Distribution::fixed(1),
            Action::Query(_) | Action::Scan(_) => Distribution::fixed(0),
        };
        let schedule = Schedule::new(&options.ops, join(options.seed, of_bytes(b"schedule")), partitions)?;
        Ok(Self { core, kinds, actions, schedule, unchecked })
    }

    /// The names of reads whose answers cannot be checked although a ledger is there, because an answer does not say which rows
    /// it shows, or in which version.
    pub fn unchecked(&self) -> &[String] {
        &self.unchecked
    }

    /// The table and its generators.
    pub fn table(&self) -> &Table {
        &self.core.table
    }
}

impl Workload for UserWorkload {
    fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    fn plan(&self, index: u64) -> Option<Box<dyn Operation>> {
        let slot = self.schedule.slot(index);
        let kind = slot.kind;
        match self.actions.get(kind)? {
            Action::Insert(insert) => {
                self.core.visit(slot.first)?;
                let insert = Arc::clone(insert);
                Some(Box::new(InsertOperation { insert, kind, index, first: slot.first, partitions: slot.partitions }))
            }
            Action::Query(query) => {
                let seed = self.core.read_seed(slot.first, index)?;
                Some(Box::new(QueryOperation { query: Arc::clone(query), kind, index, seed }))
            }
            Action::Scan(scan) => Some(Box::new(ScanOperation { scan: Arc::clone(scan), kind })),
        }
    }
}

fn core(columns: Vec<Definition>, profile: &Profile, spec: &InsertSpec, options: &Options) -> Result<Core> {
    let table = Table::new(&columns, &profile.columnspec, spec.row_population())?;
    let visits = spec.visits()?;
    let looks_back = matches!(&options.population, Population::Sequence { lookback: Some(_), .. });
    ensure!(!looks_back || visits == 1, "-pop read-lookback does not go with -insert visits");
    ensure!(options.ledger.is_none() || table.is_checkable(), "{}", uncheckable(&table, profile));
    let window = spec.revisit_partitions().min(options.population.partitions());
    Ok(Core {
        table,
        population: options.population.clone(),
        seed: options.seed,
        ledger: options.ledger.clone(),
        written: looks_back.then(WrittenPrefix::default),
        revisit: Revisit { visits, window },
    })
}

fn uncheckable(table: &Table, profile: &Profile) -> String {
    let why = if table.is_counter() { "counters have no versions" } else { "no column tells versions apart" };
    format!("reads of {}.{} cannot be checked: {why}", profile.keyspace, profile.table)
}

/// The ledger does not know when rows expire.
async fn ensure_rows_last(session: &Session, profile: &Profile) -> Result<()> {
    let (keyspace, table) = (&profile.keyspace, &profile.table);
    let cql = "SELECT default_time_to_live FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?";
    let asked = session.query_unpaged(cql, (keyspace, table)).await?.into_rows_result()?;
    let ttl_s = asked.maybe_first_row::<(Option<i32>,)>()?.and_then(|(ttl_s,)| ttl_s).unwrap_or(0);
    ensure!(ttl_s == 0, "reads of {keyspace}.{table} cannot be checked: its rows expire after {ttl_s} s");
    Ok(())
}

/// Of what else is written the ledger would not know.
fn ensure_remembered(name: &str, query: &Query, inserts: &InsertSpec) -> Result<()> {
    ensure!(
        query.is_checked(),
        "query {name} writes, and is no DELETE of one row or of a partition of at most {ROWS_MAX} rows by its key alone: reads \
         cannot be checked beside it"
    );
    ensure!(
        inserts.condition().is_none(),
        "query {name} deletes beside inserts with a condition, whose timestamps are the servers': reads cannot be checked"
    );
    Ok(())
}

async fn prepare_action(
    session: &Session,
    core: &Arc<Core>,
    profile: &Profile,
    schema: &Schema,
    spec: &InsertSpec,
    name: &str,
) -> Result<(Class, Action)> {
    if let Some(query) = profile.queries.get(name) {
        let selects = Conditions::of(&query.cql).with_context(|| format!("query {name}"))?.selects;
        let class = if selects { Class::Read } else { Class::Write };
        let query = Query::prepare(session, Arc::clone(core), profile, name, query).await?;
        if class == Class::Write && core.ledger.is_some() {
            ensure_remembered(name, &query, spec)?;
        }
        return Ok((class, Action::Query(Arc::new(query))));
    }
    if let Some(scan) = profile.token_range_queries.get(name) {
        let scan = Scan::prepare(session, &core.table, &schema.table(), name, scan).await?;
        return Ok((Class::Read, Action::Scan(Arc::new(scan))));
    }
    let names = || profile.operation_names().join(", ");
    ensure!(name == profile.insert_name(), "no operation {name}; there are {}", names());
    let insert = Insert::prepare(session, Arc::clone(core), &schema.table(), spec).await?;
    Ok((Class::Write, Action::Insert(Arc::new(insert))))
}

/// The table's columns as the cluster knows them.
async fn columns_of(session: &Session, profile: &Profile) -> Result<Vec<Definition>> {
    session.refresh_metadata().await?;
    let state = session.get_cluster_state();
    let keyspace = state.get_keyspace(&profile.keyspace);
    let table = keyspace.and_then(|keyspace| keyspace.tables.get(&profile.table));
    let table = table.with_context(|| format!("there is no table {}.{}", profile.keyspace, profile.table))?;
    let mut names: Vec<&String> = table.columns.keys().collect();
    names.sort();
    let mut columns = Vec::with_capacity(names.len());
    for name in names {
        let Some(column) = table.columns.get(name) else { continue };
        let kind = TypeOf::of_column(&column.typ).with_context(|| format!("column {name}"))?;
        let is_static = column.kind == scylla::cluster::metadata::ColumnKind::Static;
        let role = if is_static { Role::Static } else { Role::Regular };
        columns.push(Definition { name: name.clone(), kind, role });
    }
    in_key_order(columns, &table.partition_key, &table.clustering_key)
}
