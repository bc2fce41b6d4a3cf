// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Inserts: the selected rows of some partitions, in one statement or one batch (`SchemaInsert`).

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use anyhow::{Context, Result};
use scylla::client::session::Session;
use scylla::response::query_result::QueryResult;
use scylla::serialize::row::{RowSerializationContext, SerializeRow};
use scylla::serialize::writers::RowWriter;
use scylla::serialize::SerializationError;
use scylla::statement::batch::{Batch, BatchType};
use scylla::statement::prepared::PreparedStatement;

use crate::load::{Answer, Operation};

use super::cells::Cells;
use super::column::Column;
use super::core::Core;
use super::insert_spec::InsertSpec;
use super::planned::{planned, Planned};
use super::ratio::Ratio;
use super::table::Table;
use super::tokens::quoted_name;

/// The protocol counts a batch's statements in 16 bits.
const BATCH_STATEMENTS_MAX: usize = 65_535;

/// The insert of a workload.
#[derive(Debug)]
pub struct Insert {
    core: Arc<Core>,
    statement: PreparedStatement,
    /// The column for each `?`.
    binds: Vec<usize>,
    batch_type: BatchType,
    select: Ratio,
    conditional: bool,
}

impl Insert {
    /// Prepares the statement.
    pub async fn prepare(session: &Session, core: Arc<Core>, name: &str, spec: &InsertSpec) -> Result<Self> {
        let (cql, binds) = statement(&core.table, name, spec.condition());
        let mut statement = session.prepare(cql.as_str()).await.with_context(|| format!("preparing {cql:?}"))?;
        let repeatable = spec.condition().is_none() && !core.table.values.iter().any(Column::is_added_to);
        statement.set_is_idempotent(repeatable);
        if let Some(level) = spec.consistency() {
            statement.set_consistency(level);
        }
        if let Some(level) = spec.serial_consistency() {
            statement.set_serial_consistency(Some(level));
        }
        let batch_type = match spec.batch_type() {
            _ if core.table.is_counter() => BatchType::Counter,
            given => given.unwrap_or(BatchType::Logged),
        };
        let conditional = spec.condition().is_some();
        Ok(Self { core, statement, binds, batch_type, select: spec.select(), conditional })
    }

    async fn send(&self, session: &Session, rows: &[Planned]) -> Result<()> {
        match rows {
            [] => Ok(()),
            [row] => {
                session.execute_unpaged(&self.statement, self.bound(row)).await?;
                Ok(())
            }
            rows => {
                for rows in rows.chunks(BATCH_STATEMENTS_MAX) {
                    let mut batch = Batch::new(self.batch_type);
                    rows.iter().for_each(|_| batch.append_statement(self.statement.clone()));
                    batch.set_is_idempotent(self.statement.get_is_idempotent());
                    if let Some(level) = self.statement.get_consistency() {
                        batch.set_consistency(level);
                    }
                    let bound: Vec<Bound<'_>> = rows.iter().map(|row| self.bound(row)).collect();
                    session.batch(&batch, bound).await?;
                }
                Ok(())
            }
        }
    }

    fn bound<'a>(&'a self, row: &'a Planned) -> Bound<'a> {
        Bound { cells: &row.cells, order: &self.binds }
    }

    /// A condition holds for one row, so rows go one by one.
    async fn send_conditional(&self, session: &Session, rows: &[Planned]) -> Result<()> {
        let mut outcome = Ok(());
        for row in rows {
            let applied = match &outcome {
                Ok(()) => self.send_if(session, row).await,
                Err(_) => Ok(false),
            };
            self.settle(row, matches!(applied, Ok(true)));
            if let Err(error) = applied {
                outcome = Err(error);
            }
        }
        outcome
    }

    /// Sends one row; gives whether its condition held.
    async fn send_if(&self, session: &Session, row: &Planned) -> Result<bool> {
        applied(session.execute_unpaged(&self.statement, self.bound(row)).await?)
    }

    fn settle(&self, row: &Planned, acknowledged: bool) {
        match (&self.core.ledger, row.version) {
            (Some(ledger), Some(version)) if acknowledged => ledger.acknowledge(row.row, version),
            (Some(ledger), Some(version)) => ledger.fail(row.row, version),
            _ => {}
        }
    }
}

/// A row's cells in the order of the statement.
#[derive(Debug)]
pub struct Bound<'a> {
    /// By place.
    pub cells: &'a Cells,
    /// The place for each `?`.
    pub order: &'a [usize],
}

impl SerializeRow for Bound<'_> {
    fn serialize(&self, _: &RowSerializationContext<'_>, writer: &mut RowWriter<'_>) -> Result<(), SerializationError> {
        self.order.iter().try_for_each(|&place| super::cells::write(self.cells.get(place), writer))
    }

    fn is_empty(&self) -> bool {
        self.order.is_empty()
    }
}

/// As cassandra-stress writes: an update that adds to counters, lists and sets; an insert if there are only keys.
fn statement(table: &Table, name: &str, condition: Option<&str>) -> (String, Vec<usize>) {
    let keys = table.keys.iter().chain(table.clustering.columns());
    let first = table.first_value();
    let condition = condition.map(|condition| format!(" {condition}")).unwrap_or_default();
    if table.values.is_empty() {
        let names: Vec<String> = keys.map(|column| quoted_name(&column.name)).collect();
        let marks = vec!["?"; names.len()].join(", ");
        let cql = format!("INSERT INTO {name} ({}) VALUES ({marks}){condition}", names.join(", "));
        return (cql, (0..first).collect());
    }
    let set = |column: &Column| match (quoted_name(&column.name), column.is_added_to()) {
        (name, true) => format!("{name} = {name} + ?"),
        (name, false) => format!("{name} = ?"),
    };
    let sets: Vec<String> = table.values.iter().map(set).collect();
    let wheres: Vec<String> = keys.map(|column| format!("{} = ?", quoted_name(&column.name))).collect();
    let cql = format!("UPDATE {name} SET {} WHERE {}{condition}", sets.join(", "), wheres.join(" AND "));
    (cql, (first..first + table.values.len()).chain(0..first).collect())
}

fn applied(result: QueryResult) -> Result<bool> {
    let rows = result.into_rows_result()?;
    let mut first = rows.rows::<scylla::value::Row>()?;
    let Some(row) = first.next().transpose()? else { return Ok(false) };
    Ok(row.columns.first().and_then(|cell| cell.as_ref()?.as_boolean()).unwrap_or(false))
}

/// One insert, not yet sent.
#[derive(Debug)]
pub struct InsertOperation {
    /// The insert.
    pub insert: Arc<Insert>,
    /// Its kind in the workload.
    pub kind: usize,
    /// Its number in the run.
    pub index: u64,
    /// The first of its places in the sequence of partitions.
    pub first: u64,
    /// How many it takes.
    pub partitions: u64,
}

impl InsertOperation {
    async fn execute(&self, session: &Session) -> Result<Answer> {
        let insert = &self.insert;
        let rows = planned(&insert.core, &insert.select, self.index, self.first..self.first + self.partitions);
        let sent = if insert.conditional {
            insert.send_conditional(session, &rows).await
        } else {
            let sent = insert.send(session, &rows).await;
            rows.iter().for_each(|row| insert.settle(row, sent.is_ok()));
            sent
        };
        // Whatever became of it: reads that look back must not wait for it.
        if let Some(written) = &insert.core.written {
            written.add(self.first, self.first + self.partitions);
        }
        sent?;
        let value_bytes = rows.iter().map(|row| row.cells.value_bytes()).sum();
        Ok(Answer { partitions: self.partitions, rows: rows.len() as u64, value_bytes, ..Answer::default() })
    }
}

impl Operation for InsertOperation {
    fn kind(&self) -> usize {
        self.kind
    }

    fn is_idempotent(&self) -> bool {
        self.insert.statement.get_is_idempotent()
    }

    fn run<'a>(self: Box<Self>, session: &'a Session) -> Pin<Box<dyn Future<Output = Result<Answer>> + Send + 'a>> {
        Box::pin(async move { self.execute(session).await })
    }
}
