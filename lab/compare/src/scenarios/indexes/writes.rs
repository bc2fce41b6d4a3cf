// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Writes of whole rows, key after key, over and over: each pass changes every indexed value.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use anyhow::{Context, Result};
use scylla::client::session::Session;
use scylla::statement::prepared::PreparedStatement;

use super::values::{Column, Values, TABLE};
use lab_load::load::{Answer, Class, Kind, Operation, Workload};
use lab_load::profile::mix;

/// The writes of all phases: each goes on where the one before has stopped.
#[derive(Clone, Debug)]
pub(super) struct Writes {
    kinds: Vec<Kind>,
    statement: PreparedStatement,
    values: Values,
    value_bytes: usize,
    /// The first write of this phase, counted over all phases.
    first: u64,
    /// The first that no phase has planned yet.
    next: Arc<AtomicU64>,
    /// Writes of this phase; `None`: no end.
    length: Option<u64>,
}

impl Writes {
    pub(super) async fn prepare(session: Arc<Session>, values: Values, value_bytes: u64) -> Result<Self> {
        let cql = format!("INSERT INTO {TABLE} (key, single, hundred, many, value) VALUES (?, ?, ?, ?, ?)");
        let statement = session.prepare(cql).await.context("preparing the write of a row")?;
        let kinds = vec![Kind { name: "write".to_owned(), class: Class::Write }];
        let value_bytes = usize::try_from(value_bytes)?;
        Ok(Self { kinds, statement, values, value_bytes, first: 0, next: Arc::default(), length: None })
    }

    /// The writes of one more phase.
    pub(super) fn go_on(&self) -> Arc<Self> {
        Arc::new(Self { first: self.next.load(Ordering::Relaxed), length: None, ..self.clone() })
    }

    /// The same, as many as there are rows.
    pub(super) fn pass(&self) -> Arc<Self> {
        Arc::new(Self { first: self.next.load(Ordering::Relaxed), length: Some(self.values.rows), ..self.clone() })
    }
}

impl Workload for Writes {
    fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    fn plan(&self, index: u64) -> Option<Box<dyn Operation>> {
        if self.length.is_some_and(|length| index >= length) {
            return None;
        }
        let number = self.first + index;
        self.next.fetch_max(number + 1, Ordering::Relaxed);
        let (key, version) = (number % self.values.rows, number / self.values.rows);
        let [single, hundred, many] = Column::ALL.map(|column| self.values.of(column, key, version).cast_signed());
        let value = bytes(number, self.value_bytes);
        let statement = self.statement.clone();
        Some(Box::new(Write { statement, cells: (key.cast_signed(), single, hundred, many, value) }))
    }
}

/// Bytes that do not compress.
fn bytes(seed: u64, length: usize) -> Vec<u8> {
    let words = (0..length.div_ceil(8) as u64).flat_map(|word| mix(mix(seed).wrapping_add(word)).to_le_bytes());
    words.take(length).collect()
}

#[derive(Debug)]
struct Write {
    statement: PreparedStatement,
    cells: (i64, i64, i64, i64, Vec<u8>),
}

impl Operation for Write {
    fn kind(&self) -> usize {
        0
    }

    fn is_idempotent(&self) -> bool {
        true
    }

    fn run<'a>(self: Box<Self>, session: &'a Session) -> Pin<Box<dyn Future<Output = Result<Answer>> + Send + 'a>> {
        Box::pin(async move {
            let value_bytes = 4 * 8 + self.cells.4.len() as u64;
            session.execute_unpaged(&self.statement, self.cells).await?;
            Ok(Answer { partitions: 1, rows: 1, value_bytes, ..Answer::default() })
        })
    }
}
