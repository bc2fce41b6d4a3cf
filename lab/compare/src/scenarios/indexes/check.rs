// Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
// the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0

//! Whether an index finds the rows that a scan of the whole table does.

use std::collections::HashSet;
use std::sync::Arc;

use anyhow::{Context, Result};
use futures::TryStreamExt;
use scylla::client::session::Session;

use super::values::{Column, Values, TABLE};
use crate::subject::Subject;

/// Rows that only one of them finds.
pub(super) fn unlike_a_scan(subject: &Subject<'_>, values: Values) -> Result<usize> {
    subject.block_on_session(|session| async move {
        let scanned = rows(&session, &format!("SELECT hundred, key FROM {TABLE}"), None).await?;
        let mut found = HashSet::with_capacity(scanned.len());
        let query = format!("SELECT hundred, key FROM {TABLE} WHERE hundred = ?");
        for value in 0..values.distinct(Column::Hundred) {
            found.extend(rows(&session, &query, Some(value.cast_signed())).await?);
        }
        Ok(scanned.symmetric_difference(&found).count())
    })
}

async fn rows(session: &Arc<Session>, cql: &str, value: Option<i64>) -> Result<HashSet<(i64, i64)>> {
    let prepared = session.prepare(cql).await.with_context(|| format!("preparing {cql}"))?;
    let bound: Vec<i64> = value.into_iter().collect();
    let rows = session.execute_iter(prepared, bound).await?.rows_stream::<(i64, i64)>()?;
    rows.try_collect().await.with_context(|| format!("reading {cql}"))
}
