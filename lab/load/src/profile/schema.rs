// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! The statements that make a profile's keyspace, types, table and the rest.

use anyhow::{Context, Result};
use scylla::client::session::Session;
use scylla::errors::{DbError, ExecutionError, RequestAttemptError};

use super::definition::with_options;
use super::profile::Profile;
use super::tokens::quoted_name;

/// The schema of a profile.
#[derive(Clone, Debug)]
pub struct Schema {
    keyspace: String,
    table: String,
    keyspace_definition: Option<String>,
    table_definitions: Vec<String>,
    types: Vec<String>,
    others: Vec<String>,
}

impl Schema {
    /// Of a profile.
    pub fn of(profile: &Profile) -> Self {
        let (types, others) = profile.extra_definitions.iter().cloned().partition(|cql| is_type(cql));
        Self {
            keyspace: profile.keyspace.clone(),
            table: profile.table.clone(),
            keyspace_definition: profile.keyspace_definition.clone(),
            table_definitions: profile.table_definition.iter().cloned().collect(),
            types,
            others,
        }
    }

    /// The keyspace's name.
    pub fn keyspace(&self) -> &str {
        &self.keyspace
    }

    /// The table, qualified and quoted where needed.
    pub fn table(&self) -> String {
        format!("{}.{}", quoted_name(&self.keyspace), quoted_name(&self.table))
    }

    /// All statements in order: keyspace, `USE`, types, table, the other extra definitions.
    ///
    /// `replication` (`{'class': ...}`) takes the place of the profile's; `with` is an engine's table options,
    /// which take the place of the profile's options of the same names.
    pub fn statements(&self, replication: Option<&str>, with: &str) -> Result<Vec<String>> {
        let mut statements = Vec::new();
        if let Some(cql) = &self.keyspace_definition {
            let options = replication.map(|map| format!("replication = {map}")).unwrap_or_default();
            statements.push(with_options(cql, &options).context("keyspace_definition")?);
        }
        statements.push(format!("USE {}", quoted_name(&self.keyspace)));
        statements.extend(self.types.iter().map(|cql| plain(cql)));
        for cql in &self.table_definitions {
            statements.push(with_options(cql, with).context("table_definition")?);
        }
        statements.extend(self.others.iter().map(|cql| plain(cql)));
        Ok(statements)
    }

    /// Runs the first of the statements alone, where the profile defines its keyspace.
    pub async fn create_keyspace(&self, session: &Session, replication: &str) -> Result<()> {
        let statements = self.statements(Some(replication), "")?;
        match statements.first().filter(|_| self.keyspace_definition.is_some()) {
            Some(cql) => made(session, cql).await,
            None => Ok(()),
        }
    }

    /// Runs the statements; what is there already stays as it is. Leaves the session in the keyspace.
    pub async fn create(&self, session: &Session, replication: Option<&str>, with: &str) -> Result<()> {
        for cql in self.statements(replication, with)? {
            if cql.starts_with("USE ") {
                self.enter(session).await?;
            } else {
                made(session, &cql).await?;
            }
        }
        session.await_schema_agreement().await.context("the nodes do not agree on the schema")?;
        session.refresh_metadata().await?;
        Ok(())
    }

    /// Makes the keyspace the session's own, so that the profile's statements need not name it.
    pub async fn enter(&self, session: &Session) -> Result<()> {
        let keyspace = &self.keyspace;
        session.use_keyspace(keyspace, true).await.with_context(|| format!("keyspace {keyspace}"))
    }

    /// Drops the keyspace with all that is in it.
    pub async fn drop(&self, session: &Session) -> Result<()> {
        session.query_unpaged(format!("DROP KEYSPACE IF EXISTS {}", quoted_name(&self.keyspace)), ()).await?;
        Ok(())
    }

    /// Empties the table.
    pub async fn truncate(&self, session: &Session) -> Result<()> {
        session.query_unpaged(format!("TRUNCATE {}", self.table()), ()).await?;
        Ok(())
    }
}

async fn made(session: &Session, cql: &str) -> Result<()> {
    match session.query_unpaged(cql, ()).await {
        Err(error) if !exists_already(&error) => {
            Err(error).with_context(|| format!("schema statement {:?}", shortened(cql)))
        }
        _ => Ok(()),
    }
}

fn is_type(cql: &str) -> bool {
    let mut words = cql.split_whitespace().map(str::to_ascii_lowercase);
    words.next().as_deref() == Some("create") && words.next().as_deref() == Some("type")
}

fn plain(cql: &str) -> String {
    cql.trim().trim_end_matches(';').trim_end().to_owned()
}

fn shortened(cql: &str) -> String {
    let line = cql.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(200).collect()
}

fn exists_already(error: &ExecutionError) -> bool {
    let message = match error {
        ExecutionError::LastAttemptError(RequestAttemptError::DbError(DbError::AlreadyExists { .. }, _)) => {
            return true
        }
        ExecutionError::LastAttemptError(RequestAttemptError::DbError(_, message)) => message,
        _ => return false,
    };
    message.contains("already exists") // types and indexes come as Invalid
}
