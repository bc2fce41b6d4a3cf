// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The task of a command: a profile, a mix of its operations, a population.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{ensure, Result};
use scylla::client::session::Session;
use scylla::statement::Consistency;

use super::settings::{Check, Command, Data, Settings};
use super::table_options::TableOptions;
use crate::check::{Before, Ledger};
use crate::load::Position;
use crate::profile::draw::{draw, Drawing};
use crate::profile::{builtin, Mix, Options, Profile, QuerySpec, Schema, UserWorkload};

/// Bytes of a row of `emp`, as in the article it comes from.
const EMP_ROW_BYTES: u64 = 6 * 1024;

/// A command made concrete.
#[derive(Clone, Debug)]
pub struct Task {
    /// The table and its operations.
    pub profile: Profile,
    /// The file that the profile came from.
    pub profile_file: Option<PathBuf>,
    mix: Mix,
    data: Data,
    check: Check,
    options: TableOptions,
}

/// A workload, ready to run.
pub struct PreparedTask {
    /// The workload.
    pub workload: Arc<UserWorkload>,
    /// The ledger of acknowledged writes, where reads are checked.
    pub ledger: Option<Arc<Ledger>>,
    /// Why reads are not checked, or which are not.
    pub unchecked: Vec<String>,
    /// Where the next of several runs goes on.
    pub position: Position,
}

impl Task {
    /// Of settings; reads the profile.
    pub fn new(settings: &Settings) -> Result<Self> {
        let (data, mut profile_file) = (settings.data.clone(), None);
        let keyspace = data.schema.keyspace.as_deref().unwrap_or("keyspace1");
        let standard = || builtin::standard(keyspace, &data.columns);
        let counter = || builtin::counter(keyspace, data.columns.names.len(), &settings.work.add);
        let (mut profile, mix) = match &settings.work.command {
            Command::Write => (standard()?, Mix::only("write")),
            Command::Read => (standard()?, Mix::only("read")),
            Command::CounterWrite => (counter()?, Mix::only("counter_write")),
            Command::CounterRead => (counter()?, Mix::only("counter_read")),
            Command::Mixed(ratios) if settings.work.counts() => (counter()?, Mix::new(ratios.clone())?),
            Command::Mixed(ratios) => (standard()?, Mix::new(ratios.clone())?),
            Command::Emp(ratios) => (builtin::emp(EMP_ROW_BYTES)?, Mix::new(ratios.clone())?),
            Command::User { profile, ops } => {
                profile_file = Some(profile.clone());
                (Profile::read(profile)?, Mix::new(ops.clone())?)
            }
        };
        let (names, known) = (mix.names(), profile.operation_names());
        for name in &names {
            ensure!(known.contains(name), "ops: the profile has no '{name}', only {}", known.join(", "));
        }
        for sla in settings.capacity.iter().flat_map(|capacity| &capacity.slas) {
            sla.ensure_kind_of("-capacity", &names)?;
        }
        for sla in &settings.verdict.slas {
            sla.ensure_kind_of("-sla", &names)?;
        }
        if let Some(factor) = data.split_factor {
            profile.token_range_queries.0.iter_mut().for_each(|(_, scan)| scan.split_factor = factor);
        }
        let options = TableOptions::new(settings.engine, &data.schema);
        Ok(Self { profile, profile_file, mix, data, check: settings.verdict.check, options })
    }

    /// The shape of the data, without a cluster.
    pub fn draw(&self) -> Result<Drawing> {
        draw(&self.profile, &self.mix, &self.data.population, &self.data.inserts)
    }

    /// Makes keyspace and table; what is there already stays as it is.
    pub async fn create(&self, session: &Session) -> Result<()> {
        Schema::of(&self.profile).create(session, self.data.schema.replication.as_deref(), &self.options.with()).await
    }

    /// Refuses a table that has other options than are asked for.
    pub async fn ensure_options(&self, session: &Session) -> Result<()> {
        self.options.ensure_had_by(session, &self.profile.keyspace, &self.profile.table).await
    }

    /// Empties the table.
    pub async fn truncate(&self, session: &Session) -> Result<()> {
        Schema::of(&self.profile).truncate(session).await
    }

    /// The table, qualified.
    pub fn table(&self) -> String {
        Schema::of(&self.profile).table()
    }

    /// Whether an operation changes anything.
    fn writes(&self, name: &str) -> bool {
        name == self.profile.insert_name() || self.profile.queries.get(name).is_some_and(QuerySpec::writes)
    }

    /// The levels that its writes have of their own; `None` stands for the run's.
    pub fn write_levels(&self) -> impl Iterator<Item = Option<Consistency>> + '_ {
        let writes = self.mix.weights().iter().map(|(name, _)| name.as_str()).filter(|name| self.writes(name));
        writes.map(|name| match self.profile.queries.get(name) {
            Some(query) => query.consistency(),
            None => self.data.inserts.clone().or(&self.profile.insert).consistency(),
        })
    }

    /// Prepares the statements. `empty`: the table is known to have no rows.
    pub async fn prepare(&self, session: &Session, empty: bool) -> Result<PreparedTask> {
        let only_writes = self.mix.weights().iter().all(|(name, _)| self.writes(name));
        if self.check == Check::Off || only_writes {
            let why = if only_writes { "nothing is read" } else { "-check off" };
            return self.unchecked(session, why.to_owned()).await;
        }
        let before = match self.check {
            _ if empty => Before::Absent,
            Check::Written => Before::Written,
            _ => Before::Unknown,
        };
        match self.checked(session, before).await {
            Ok((workload, ledger)) => {
                let mut unchecked: Vec<_> = workload
                    .unchecked()
                    .iter()
                    .map(|name| format!("{name}: its answers do not identify their rows"))
                    .collect();
                if before == Before::Unknown {
                    unchecked.push("rows that this run has not written yet (see -check written)".to_owned());
                }
                Ok(PreparedTask {
                    workload: Arc::new(workload),
                    ledger: Some(ledger),
                    unchecked,
                    position: Position::default(),
                })
            }
            Err(error) if self.check == Check::WherePossible => self.unchecked(session, format!("{error:#}")).await,
            Err(error) => Err(error),
        }
    }

    async fn checked(&self, session: &Session, before: Before) -> Result<(UserWorkload, Arc<Ledger>)> {
        let shape = UserWorkload::ledger_shape(session, &self.profile, &self.data.population).await?;
        let ledger = Arc::new(Ledger::new(shape, before));
        Ok((self.workload(session, Some(Arc::clone(&ledger))).await?, ledger))
    }

    async fn unchecked(&self, session: &Session, why: String) -> Result<PreparedTask> {
        let workload = Arc::new(self.workload(session, None).await?);
        Ok(PreparedTask { workload, ledger: None, unchecked: vec![why], position: Position::default() })
    }

    async fn workload(&self, session: &Session, ledger: Option<Arc<Ledger>>) -> Result<UserWorkload> {
        let mut options = Options::new(self.mix.clone(), self.data.population.clone());
        options.insert = self.data.inserts.clone();
        options.seed = self.data.seed;
        options.ledger = ledger;
        UserWorkload::prepare(session, &self.profile, options).await
    }
}
