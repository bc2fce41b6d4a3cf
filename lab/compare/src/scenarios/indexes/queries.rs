// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Queries by one index or two, whose answers are counted.

use std::collections::HashSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use anyhow::{ensure, Context, Result};
use futures::TryStreamExt;
use scylla::client::session::Session;
use scylla::statement::prepared::PreparedStatement;

use super::values::{Column, Values, TABLE};
use lab_load::load::{Answer, Class, Kind, Operation, Workload};
use lab_load::profile::mix;

/// Rows of a page, Cassandra's default.
const PAGE_ROWS: i32 = 5000;

/// Queries of random values of some columns.
#[derive(Debug)]
pub(super) struct Queries {
    kinds: Vec<Kind>,
    statement: PreparedStatement,
    columns: Vec<Column>,
    values: Values,
    /// Every row has its first version still: the number of rows is known.
    exact: bool,
}

impl Queries {
    pub(super) async fn prepare(
        session: Arc<Session>,
        values: Values,
        columns: &[Column],
        exact: bool,
    ) -> Result<Arc<Self>> {
        let conditions: Vec<String> = columns.iter().map(|column| format!("{} = ?", column.name())).collect();
        // SAI and the engine answer two indexes without; a legacy index wants it said.
        let filtering = if columns.len() > 1 { " ALLOW FILTERING" } else { "" };
        let conditions = conditions.join(" AND ");
        let cql = format!("SELECT key, single, hundred, many FROM {TABLE} WHERE {conditions}{filtering}");
        let mut statement = session.prepare(cql.as_str()).await.with_context(|| format!("preparing {cql}"))?;
        statement.set_page_size(PAGE_ROWS);
        let kinds = vec![Kind { name: "query".to_owned(), class: Class::Read }];
        Ok(Arc::new(Self { kinds, statement, columns: columns.to_vec(), values, exact }))
    }
}

impl Workload for Queries {
    fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// Of several columns, values that a row has together.
    fn plan(&self, index: u64) -> Option<Box<dyn Operation>> {
        let key = mix(index) % self.values.rows;
        let asked: Vec<_> = self.columns.iter().map(|column| (*column, self.values.of(*column, key, 0))).collect();
        let expected = self.exact.then(|| self.values.matching(&asked));
        Some(Box::new(Query { statement: self.statement.clone(), asked, expected }))
    }
}

#[derive(Debug)]
struct Query {
    statement: PreparedStatement,
    asked: Vec<(Column, u64)>,
    expected: Option<u64>,
}

impl Operation for Query {
    fn kind(&self) -> usize {
        0
    }

    fn run<'a>(self: Box<Self>, session: &'a Session) -> Pin<Box<dyn Future<Output = Result<Answer>> + Send + 'a>> {
        Box::pin(async move {
            let Self { statement, asked, expected } = *self;
            let values: Vec<i64> = asked.iter().map(|(_, value)| value.cast_signed()).collect();
            let pages = session.execute_iter(statement, values).await?;
            let mut rows = pages.rows_stream::<(i64, i64, i64, i64)>()?;
            let mut answer = Answer { partitions: 1, ..Answer::default() };
            let mut keys = HashSet::new();
            while let Some((key, single, hundred, many)) = rows.try_next().await? {
                let has = |column: Column| match column {
                    Column::Single => single,
                    Column::Hundred => hundred,
                    Column::Many => many,
                };
                let right = asked.iter().all(|(column, value)| has(*column) == value.cast_signed());
                ensure!(right, "row {key} does not have the values that were asked for: {asked:?}");
                ensure!(keys.insert(key), "row {key} came twice for {asked:?}");
                answer.rows += 1;
            }
            let count = answer.rows;
            ensure!(expected.is_none_or(|expected| expected == count), "{count} rows for {asked:?}, not {expected:?}");
            answer.rows_checked = count;
            Ok(answer)
        })
    }
}
