// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The profile's statements, with values of the table's rows for their `?` (`SchemaQuery`).

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use anyhow::{bail, Context, Result};
use scylla::client::session::Session;
use scylla::response::query_result::QueryResult;
use scylla::statement::prepared::PreparedStatement;
use scylla::statement::Consistency;

use crate::load::{Answer, Operation};

use super::cells::Cells;
use super::conditions::Conditions;
use super::core::Core;
use super::delete::{Extent, PendingDelete};
use super::levels;
use super::pages;
use super::profile::{Fields, Profile, QuerySpec};
use super::read_check::ReadCheck;
use super::table::Partition;
use super::verify::Verifier;

/// A statement of a workload.
#[derive(Debug)]
pub struct Query {
    core: Arc<Core>,
    statement: PreparedStatement,
    /// The column for each `?`.
    binds: Vec<usize>,
    fields: Fields,
    verifier: Option<Verifier>,
    /// The rows that it deletes, where that is known.
    deletes: Option<Extent>,
}

impl Query {
    /// Prepares the statement `name` of a profile.
    pub async fn prepare(
        session: &Session,
        core: Arc<Core>,
        profile: &Profile,
        name: &str,
        spec: &QuerySpec,
    ) -> Result<Self> {
        let conditions = Conditions::of(&spec.cql).with_context(|| format!("query {name}"))?;
        let mut statement = session.prepare(spec.cql.as_str()).await.with_context(|| format!("query {name}"))?;
        if let Some(level) = &spec.consistency_level {
            statement.set_consistency(
                levels::consistency(level).with_context(|| format!("query {name}, consistencyLevel"))?,
            );
        }
        if let Some(level) = &spec.serial_consistency_level {
            let level = levels::serial(level).with_context(|| format!("query {name}, serialConsistencyLevel"))?;
            statement.set_serial_consistency(Some(level));
        }
        statement.set_use_cached_result_metadata(conditions.selects);
        let mut binds = Vec::new();
        for bound in statement.get_variable_col_specs().iter() {
            match core.table.place(bound.name()) {
                Some(place) => binds.push(place),
                None => bail!("query {name}: ? for {}, which is no column of the table", bound.name()),
            }
        }
        // Rows of another table are not those that are remembered.
        let asked = statement.get_table_spec();
        let is_own = asked.is_some_and(|of| of.ks_name() == profile.keyspace && of.table_name() == profile.table);
        let verifier = match core.ledger {
            Some(_) if conditions.selects && is_own => Verifier::new(&core, &statement, &conditions, spec.fields),
            _ => None,
        };
        let deletes = Extent::of(&core.table, &conditions, spec.fields).filter(|_| is_own);
        statement.set_is_idempotent(conditions.selects || deletes.is_some());
        Ok(Self { core, statement, binds, fields: spec.fields, verifier, deletes })
    }

    /// Whether its answers are compared with what was acknowledged, or what it deletes is remembered.
    pub fn is_checked(&self) -> bool {
        self.verifier.is_some() || (self.deletes.is_some() && self.core.ledger.is_some())
    }

    /// The bound values, and the row that they are all of.
    fn values(&self, partition: &Partition, index: u64) -> (Cells, u64) {
        let table = &self.core.table;
        let first_clustering = table.keys.len();
        let mut bound = Cells::with_capacity(self.binds.len());
        let mut row = self.core.pick(partition, index, 0);
        let mut made: Option<(u64, Cells)> = None;
        for (i, &place) in self.binds.iter().enumerate() {
            if place < first_clustering {
                bound.push(partition.keys.get(place));
                continue;
            }
            if self.fields == Fields::MultiRow && i > 0 {
                row = self.core.pick(partition, index, i as u64);
            }
            let cells = match made.take() {
                Some((of, cells)) if of == row => cells,
                _ => self.row_cells(partition, row),
            };
            bound.push(cells.get(place - first_clustering));
            made = Some((row, cells));
        }
        (bound, row)
    }

    /// Clustering and, if a statement needs them, values of a row as it was first written.
    fn row_cells(&self, partition: &Partition, row: u64) -> Cells {
        let table = &self.core.table;
        let mut cells = table.clustering_of(partition.id, row);
        if self.binds.iter().any(|&place| place >= table.first_value()) {
            let row_id = super::table::id_of(cells.iter());
            table.append_values(partition.id, row_id, 0, &mut cells);
        }
        cells
    }
}

/// One statement, not yet sent.
#[derive(Debug)]
pub struct QueryOperation {
    /// The statement.
    pub query: Arc<Query>,
    /// Its kind in the workload.
    pub kind: usize,
    /// Its number in the run.
    pub index: u64,
    /// The partition's seed.
    pub seed: u64,
}

impl QueryOperation {
    async fn execute(&self, session: &Session) -> Result<Answer> {
        let partition = self.query.core.table.partition(self.seed);
        let (bound, row) = self.query.values(&partition, self.index);
        match self.query.deletes {
            Some(extent) => self.delete(session, extent, &partition, &bound, row).await,
            None => self.ask(session, &partition, &bound, row).await,
        }
    }

    async fn delete(
        &self,
        session: &Session,
        extent: Extent,
        partition: &Partition,
        bound: &Cells,
        row: u64,
    ) -> Result<Answer> {
        let query = &self.query;
        let rows = extent.rows(&query.core.table, partition, row);
        let count = rows.end - rows.start;
        let begun = PendingDelete::new(&query.core, self.seed, partition, rows);
        let sent = session.execute_unpaged(&query.statement, bound).await;
        if let Some(begun) = begun {
            begun.end(sent.is_ok());
        }
        sent?;
        Ok(Answer { partitions: 1, rows: count, ..Answer::default() })
    }

    async fn ask(&self, session: &Session, partition: &Partition, bound: &Cells, row: u64) -> Result<Answer> {
        let query = &self.query;
        let mut watch = match &query.verifier {
            Some(verifier) => verifier.watch(&query.core, self.seed, partition, row),
            None => None,
        };
        let ask = |page| session.execute_single_page(&query.statement, bound, page);
        let see = |page: QueryResult, answer: &mut Answer| -> Result<()> {
            if page.is_rows() {
                let rows = page.into_rows_result()?;
                answer.rows += rows.rows_num() as u64;
                if let Some(watch) = &mut watch {
                    watch.check_page(&query.core, &rows, answer)?;
                }
            }
            Ok(())
        };
        let mut answer = pages::all(ask, see).await?;
        if let Some(watch) = watch {
            ReadCheck::finish(watch, &query.core, &mut answer);
        }
        answer.partitions = answer.rows.min(1);
        Ok(answer)
    }
}

impl Operation for QueryOperation {
    fn kind(&self) -> usize {
        self.kind
    }

    fn is_idempotent(&self) -> bool {
        self.query.statement.get_is_idempotent()
    }

    fn consistency(&self) -> Option<Consistency> {
        self.query.statement.get_consistency()
    }

    fn run<'a>(self: Box<Self>, session: &'a Session) -> Pin<Box<dyn Future<Output = Result<Answer>> + Send + 'a>> {
        Box::pin(async move { self.execute(session).await })
    }
}
