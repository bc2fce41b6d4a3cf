// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A workload of checked reads, writes and deletes on one small table.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use anyhow::Result;
use lab_load::check::{Ledger, Version};
use lab_load::load::{Answer, Class, Fault, FaultKind, Kind, Operation, Row, Workload};
use scylla::client::session::Session;
use scylla::statement::prepared::PreparedStatement;

const ROWS: u64 = 40;
const BYTES: usize = 200;

#[derive(Debug)]
struct Table {
    ledger: Ledger,
    write: PreparedStatement,
    delete: PreparedStatement,
    read: PreparedStatement,
}

/// The value of a row's version: a pure function of both.
fn value(row: Row, version: Version) -> Vec<u8> {
    let mut state = row.partition << 32 | u64::from(version) | 1 << 63;
    (0..BYTES)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        })
        .collect()
}

/// Reads (4 of 10), writes and, where asked for, deletes (1 of 10) of a few rows.
pub struct Checked {
    table: Arc<Table>,
    kinds: Vec<Kind>,
    deletes: bool,
}

impl Checked {
    /// Makes the table anew.
    pub async fn new(session: &Session, ledger: Ledger, deletes: bool, name: &str) -> Result<Self> {
        let table = format!("faults.{name}");
        let keyspace = "CREATE KEYSPACE IF NOT EXISTS faults WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}";
        session.query_unpaged(keyspace, ()).await?;
        session.query_unpaged(format!("CREATE TABLE {table} (k bigint PRIMARY KEY, v blob)"), ()).await?;
        let table = Table {
            ledger,
            write: session.prepare(format!("INSERT INTO {table} (k, v) VALUES (?, ?)")).await?,
            delete: session.prepare(format!("DELETE FROM {table} WHERE k = ?")).await?,
            read: session.prepare(format!("SELECT v FROM {table} WHERE k = ?")).await?,
        };
        let kind = |name: &str, class| Kind { name: name.to_owned(), class };
        let kinds = vec![kind("write", Class::Write), kind("delete", Class::Write), kind("read", Class::Read)];
        Ok(Self { table: Arc::new(table), kinds, deletes })
    }
}

impl Workload for Checked {
    fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    fn plan(&self, index: u64) -> Option<Box<dyn Operation>> {
        let mixed = (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let kind = match mixed % 10 {
            0 if self.deletes => 1,
            0..=5 => 0,
            _ => 2,
        };
        let row = Row { partition: mixed / 10 % ROWS, row: 0 };
        Some(Box::new(One { table: Arc::clone(&self.table), kind, row }))
    }
}

#[derive(Debug)]
struct One {
    table: Arc<Table>,
    kind: usize,
    row: Row,
}

impl Operation for One {
    fn kind(&self) -> usize {
        self.kind
    }

    fn run<'a>(self: Box<Self>, session: &'a Session) -> Pin<Box<dyn Future<Output = Result<Answer>> + Send + 'a>> {
        Box::pin(async move {
            if self.kind == 2 {
                self.read(session).await
            } else {
                self.change(session).await
            }
        })
    }
}

impl One {
    async fn change(&self, session: &Session) -> Result<Answer> {
        let (table, row, key) = (&self.table, self.row, self.row.partition as i64);
        let (version, sent) = if self.kind == 0 {
            let version = table.ledger.begin_write(row);
            (version, session.execute_unpaged(&table.write, (key, value(row, version))).await)
        } else {
            (table.ledger.begin_delete(row), session.execute_unpaged(&table.delete, (key,)).await)
        };
        match sent {
            Ok(_) => table.ledger.acknowledge(row, version),
            Err(_) => table.ledger.fail(row, version),
        }
        sent?;
        Ok(Answer { partitions: 1, rows: 1, ..Answer::default() })
    }

    async fn read(&self, session: &Session) -> Result<Answer> {
        let (ledger, row) = (&self.table.ledger, self.row);
        let snapshot = ledger.begin_read(row);
        let answer = session.execute_unpaged(&self.table.read, (row.partition as i64,)).await?.into_rows_result()?;
        let seen = answer.maybe_first_row::<(Option<&[u8]>,)>()?.map(|(cell,)| cell.unwrap_or_default());
        let wrong = match seen {
            None => ledger.judge(&snapshot, None),
            Some(cell) => match ledger.candidates(&snapshot, true).into_iter().find(|&v| value(row, v) == cell) {
                Some(version) => ledger.judge(&snapshot, Some(version)),
                None => Some(FaultKind::MixedUp),
            },
        };
        let fault = wrong.map(|kind| Fault { kind, row, detail: format!("expected {}", ledger.expected(&snapshot)) });
        Ok(Answer { partitions: 1, rows: 1, rows_checked: 1, faults: fault.into_iter().collect(), ..Answer::default() })
    }
}
