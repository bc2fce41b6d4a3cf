// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Scans of the whole table, token range by token range; one page is one operation (`TokenRangeQuery`).

use std::future::Future;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{ensure, Context, Result};
use scylla::client::session::Session;
use scylla::deserialize::row::ColumnIterator;
use scylla::response::PagingState;
use scylla::statement::prepared::PreparedStatement;

use crate::load::{Answer, Operation};

use super::cells::Cells;
use super::profile::ScanSpec;
use super::table::Table;
use super::tokens::quoted_name;

/// A scan of a workload. Ranges are taken in turn and begun again after the last.
#[derive(Debug)]
pub struct Scan {
    statement: PreparedStatement,
    /// After the first token, up to and with the second.
    ranges: Vec<(i64, i64)>,
    next: AtomicUsize,
    /// Ranges that have more pages.
    begun: Mutex<Vec<Position>>,
}

#[derive(Debug)]
struct Position {
    range: (i64, i64),
    page: PagingState,
    /// The last partition of the page before: it may go on in the next.
    last_token: Option<i64>,
}

impl Scan {
    /// Prepares the scan `name`.
    pub async fn prepare(session: &Session, table: &Table, from: &str, name: &str, spec: &ScanSpec) -> Result<Self> {
        let keys: Vec<String> = table.keys.iter().map(|column| quoted_name(&column.name)).collect();
        let token = format!("token({})", keys.join(", "));
        let columns = match spec.columns.trim() {
            "*" => table.columns().map(|column| quoted_name(&column.name)).collect::<Vec<_>>().join(", "),
            columns => columns.to_owned(),
        };
        let cql = format!("SELECT {token}, {columns} FROM {from} WHERE {token} > ? AND {token} <= ?");
        let mut statement =
            session.prepare(cql.as_str()).await.with_context(|| format!("token range query {name}: {cql}"))?;
        statement.set_page_size(spec.page_size);
        statement.set_is_idempotent(true);
        let state = session.get_cluster_state();
        let mut tokens: Vec<i64> = state.replica_locator().ring().iter().map(|(token, _)| token.value()).collect();
        tokens.sort_unstable();
        tokens.dedup();
        ensure!(!tokens.is_empty(), "token range query {name}: the cluster shows no tokens");
        Ok(Self {
            statement,
            ranges: ranges(&tokens, spec.split_factor),
            next: AtomicUsize::new(0),
            begun: Mutex::default(),
        })
    }

    fn take(&self) -> Position {
        let begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner).pop();
        begun.unwrap_or_else(|| {
            let range = self.ranges[self.next.fetch_add(1, Ordering::Relaxed) % self.ranges.len()];
            Position { range, page: PagingState::start(), last_token: None }
        })
    }

    async fn page(&self, session: &Session, mut position: Position) -> Result<Answer> {
        let mut bound = Cells::with_capacity(2);
        bound.push(Some(&position.range.0.to_be_bytes()));
        bound.push(Some(&position.range.1.to_be_bytes()));
        let page = position.page.clone();
        let (result, more) = match session.execute_single_page(&self.statement, &bound, page).await {
            Ok(answered) => answered,
            Err(error) => {
                self.put_back(position);
                return Err(error.into());
            }
        };
        let rows = result.into_rows_result()?;
        let mut answer = Answer { rows: rows.rows_num() as u64, ..Answer::default() };
        for row in rows.rows::<ColumnIterator<'_, '_>>()? {
            let Some(column) = row?.next().transpose()? else { continue };
            let token = column.slice.and_then(|slice| slice.as_slice().try_into().ok()).map(i64::from_be_bytes);
            answer.partitions += u64::from(token != position.last_token);
            position.last_token = token;
        }
        if let ControlFlow::Continue(page) = more.into_paging_control_flow() {
            position.page = page;
            self.put_back(position);
        }
        Ok(answer)
    }

    fn put_back(&self, position: Position) {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).push(position);
    }
}

/// The ring's ranges, none going over its end, each cut into `split` parts.
fn ranges(tokens: &[i64], split: u32) -> Vec<(i64, i64)> {
    let mut bounds = vec![i64::MIN];
    for &end in tokens.iter().chain([&i64::MAX]) {
        let start = bounds.last().copied().unwrap_or(i64::MIN);
        let width = i128::from(end) - i128::from(start);
        let cut = |part: u32| (i128::from(start) + width * i128::from(part) / i128::from(split)) as i64;
        bounds.extend((1..=split).map(cut));
    }
    bounds.dedup();
    bounds.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

/// One page, not yet asked for.
#[derive(Debug)]
pub struct ScanOperation {
    /// The scan.
    pub scan: Arc<Scan>,
    /// Its kind in the workload.
    pub kind: usize,
}

impl Operation for ScanOperation {
    fn kind(&self) -> usize {
        self.kind
    }

    fn run<'a>(self: Box<Self>, session: &'a Session) -> Pin<Box<dyn Future<Output = Result<Answer>> + Send + 'a>> {
        Box::pin(async move { self.scan.page(session, self.scan.take()).await })
    }
}
