// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! A session, and what it has prepared.

use crate::metadata;
use anyhow::{anyhow, bail, Context, Result};
use futures::stream::TryStreamExt;
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use scylla::client::Compression;
use scylla::frame::response::result::ColumnSpec;
use scylla::response::query_result::QueryResult;
use scylla::response::PagingState;
use scylla::statement::prepared::PreparedStatement;
use scylla::value::{CqlValue, MaybeUnset, Row};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::Duration;

const BOUND: Duration = Duration::from_secs(20);

/// What a request's values are.
type Values = Vec<MaybeUnset<Option<CqlValue>>>;

/// Answers requests.
#[derive(Default)]
pub struct Program {
    session: Option<Session>,
    statements: HashMap<String, PreparedStatement>,
    latest: Vec<Option<CqlValue>>,
}

impl Program {
    /// Answers one request; an error is a line.
    pub async fn answer(&mut self, words: &[String]) -> Vec<String> {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        self.ask(&words).await.unwrap_or_else(|e| vec![format!("error {e:#}")])
    }

    async fn ask(&mut self, words: &[&str]) -> Result<Vec<String>> {
        match words {
            ["open", host, port, "4", compression, keyspace] => self.open(host, port, compression, keyspace).await,
            ["prepare", name, cql] => self.prepare(name, cql).await,
            ["execute", name, page_rows, values @ ..] => self.execute(name, page_rows, values).await,
            ["page", name, page_rows, state, values @ ..] => self.page(name, page_rows, state, values).await,
            ["concurrently", name, count] => self.concurrently(name, count.parse()?).await,
            ["query", cql] => {
                let result = self.session()?.query_unpaged(*cql, &[]).await?;
                self.rows(result)
            }
            ["use", keyspace] => {
                self.session()?.use_keyspace(*keyspace, false).await?;
                Ok(Vec::new())
            }
            ["keyspace", name] => {
                // This driver does not ask again by itself when it hears of a change.
                self.session()?.refresh_metadata().await?;
                Ok(self.session()?.get_cluster_state().get_keyspace(name).map(metadata::keyspace).unwrap_or_default())
            }
            ["nodes"] => Ok(metadata::nodes(&self.session()?.get_cluster_state())),
            _ => bail!("no request is {words:?}"),
        }
    }

    async fn open(&mut self, host: &str, port: &str, compression: &str, keyspace: &str) -> Result<Vec<String>> {
        let compression = match compression {
            "lz4" => Some(Compression::Lz4),
            _ => None,
        };
        let mut builder = SessionBuilder::new()
            .known_node(format!("{host}:{port}"))
            .compression(compression)
            .connection_timeout(BOUND)
            .cluster_metadata_refresh_interval(Duration::from_secs(3600));
        if !keyspace.is_empty() {
            builder = builder.use_keyspace(keyspace, false);
        }
        self.session = Some(builder.build().await?);
        Ok(Vec::new())
    }

    fn session(&self) -> Result<&Session> {
        self.session.as_ref().context("no session is open")
    }

    async fn prepare(&mut self, name: &str, cql: &str) -> Result<Vec<String>> {
        let mut statement = self.session()?.prepare(cql).await?;
        // As most drivers do: the server leaves out what the driver has known since PREPARE.
        statement.set_use_cached_result_metadata(true);
        let lines = vec![
            format!("variables{}", columns(statement.get_variable_col_specs().iter())),
            format!("columns{}", columns(statement.get_current_result_set_col_specs().get().iter())),
        ];
        self.statements.insert(name.to_owned(), statement);
        Ok(lines)
    }

    fn statement(&self, name: &str, page_rows: &str) -> Result<PreparedStatement> {
        let mut statement = self.statements.get(name).with_context(|| format!("{name} is not prepared"))?.clone();
        statement.set_page_size(page_rows.parse()?);
        Ok(statement)
    }

    async fn execute(&mut self, name: &str, page_rows: &str, words: &[&str]) -> Result<Vec<String>> {
        let statement = self.statement(name, page_rows)?;
        let values = self.values(&statement, words)?;
        let pager = self.session()?.execute_iter(statement, values).await?;
        let mut lines = vec![format!("columns{}", columns(pager.column_specs().iter()))];
        let mut rows = pager.rows_stream::<Row>()?;
        while let Some(row) = rows.try_next().await? {
            lines.push(self.keep(row));
        }
        Ok(lines)
    }

    async fn page(&mut self, name: &str, page_rows: &str, state: &str, words: &[&str]) -> Result<Vec<String>> {
        let state = match state {
            "" => PagingState::start(),
            hexadecimal => PagingState::new_from_raw_bytes(bytes(hexadecimal)?),
        };
        let statement = self.statement(name, page_rows)?;
        let values = self.values(&statement, words)?;
        let (result, next) = self.session()?.execute_single_page(&statement, values, state).await?;
        let mut lines = self.rows(result)?;
        lines.push(match next.into_paging_control_flow() {
            ControlFlow::Break(()) => "last".to_owned(),
            ControlFlow::Continue(state) => {
                format!("next {}", hexadecimal(state.as_bytes_slice().map(|bytes| &bytes[..])))
            }
        });
        Ok(lines)
    }

    async fn concurrently(&mut self, name: &str, count: i32) -> Result<Vec<String>> {
        let statement = self.statement(name, "5000")?;
        let session = self.session()?;
        let executions = (0..count).map(|number| session.execute_unpaged(&statement, (number,)));
        let mut lines = Vec::new();
        for result in futures::future::try_join_all(executions).await? {
            lines.extend(self.rows(result)?);
        }
        Ok(lines)
    }

    fn rows(&mut self, result: QueryResult) -> Result<Vec<String>> {
        let warnings: Vec<String> = result.warnings().map(|warning| format!("warning {warning}")).collect();
        let mut lines = Vec::new();
        if result.is_rows() {
            let rows = result.into_rows_result()?;
            lines.push(format!("columns{}", columns(rows.column_specs().iter())));
            for row in rows.rows::<Row>()? {
                lines.push(self.keep(row?));
            }
        }
        lines.extend(warnings);
        Ok(lines)
    }

    /// Makes a row the latest one, and gives its text.
    fn keep(&mut self, row: Row) -> String {
        self.latest = row.columns;
        format!("{:?}", self.latest)
    }

    /// What words say, as ProgramSession writes them.
    fn values(&self, statement: &PreparedStatement, words: &[&str]) -> Result<Values> {
        let named: HashMap<&str, &str> =
            words.iter().filter_map(|word| word.strip_prefix("named:")?.split_once(':')).collect();
        let variables = statement.get_variable_col_specs().iter();
        let in_order = variables.filter_map(|variable| named.get(variable.name()).copied());
        let words = if named.is_empty() { words.to_vec() } else { in_order.collect() };
        words
            .into_iter()
            .map(|word| if word == "unset" { Ok(MaybeUnset::Unset) } else { self.value(word).map(MaybeUnset::Set) })
            .collect()
    }

    fn value(&self, word: &str) -> Result<Option<CqlValue>> {
        Ok(match word.split_once(':') {
            Some(("int", text)) => Some(CqlValue::Int(text.parse()?)),
            Some(("text", text)) => Some(CqlValue::Text(text.to_owned())),
            Some(("cell", column)) => {
                let cell = self.latest.get(column.parse::<usize>()?);
                cell.with_context(|| format!("no column {column} in the latest row"))?.clone()
            }
            _ if word == "null" => None,
            _ => return Err(anyhow!("{word} is no value")),
        })
    }
}

fn columns<'a>(specs: impl Iterator<Item = &'a ColumnSpec<'a>>) -> String {
    specs.map(|column| format!(" {:?}.{} {:?}", column.table_spec(), column.name(), column.typ())).collect()
}

fn hexadecimal(bytes: Option<&[u8]>) -> String {
    bytes.unwrap_or_default().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hexadecimal: &str) -> Result<Vec<u8>> {
    let pair = |at| hexadecimal.get(at..at + 2).context("half a byte");
    (0..hexadecimal.len()).step_by(2).map(|at| Ok(u8::from_str_radix(pair(at)?, 16)?)).collect()
}
